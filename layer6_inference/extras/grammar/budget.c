/* budget.c - see budget.h. */
#include "budget.h"
#include "grammar.h"

static _Thread_local struct {
    bool (*is_gone)(void *context);
    void *context;
} watch;

void grammar_watch(bool (*is_gone)(void *context), void *context) {
    watch.is_gone = is_gone, watch.context = context;
}

static void limit(Budget *b, size_t steps, size_t bytes) {
    b->most_steps = b->steps + steps, b->most_bytes = bytes, b->look = b->steps;
    b->worn_steps = b->steps + steps / 2, b->worn_bytes = b->bytes + (bytes - b->bytes) / 2;
}

Budget budget_new(void) {
    Budget budget = {0};
    limit(&budget, BUDGET_COMPILE, BUDGET_COMPILE_BYTES);
    return budget;
}

void budget_compiled(Budget *budget) { limit(budget, BUDGET_RUN, BUDGET_BYTES); }

bool budget_look(Budget *budget) {
    const size_t left = budget->most_steps - budget->steps;
    if (budget->steps > budget->most_steps) return budget->over = true, false;
    if (watch.is_gone && watch.is_gone(watch.context)) budget->over = budget->cancelled = true;
    budget->look = budget->steps + (left < BUDGET_LOOK ? left + 1 : BUDGET_LOOK);
    return !budget->over;
}

bool budget_is_worn(const Budget *budget) {
    return budget->over || budget->steps > budget->worn_steps ||
           budget->bytes > budget->worn_bytes;
}

bool budget_refuse(const Budget *budget, Fault *fault) {
    if (budget->cancelled)
        return fault_set(fault, "stopped: the client has gone, or the server shuts down");
    if (budget->bytes > budget->most_bytes)
        return fault_set(fault,
                         "this grammar is larger than the limits: it needs more than %zu MB. "
                         "Give fewer or shorter alternatives, or a smaller repetition",
                         budget->most_bytes / 1000000);
    return fault_set(fault,
                     "this grammar is larger than the limits: it takes more than %zu steps of "
                     "work. Simplify what is ambiguous, counted or combined",
                     budget->most_steps);
}
