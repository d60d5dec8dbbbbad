/* budget.c - see budget.h. */
#include "budget.h"
#include "grammar.h"
#include "memory_limit.h"

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

void budget_free(Budget *budget) {
    memory_limit_give(budget->held);
    budget->held = 0;
}

void budget_starve(Budget *budget) { budget->over = budget->starved = true; }

enum { BUDGET_PIECE = 1 << 18 };

bool budget_hold_more(Budget *b) {
    const size_t more = b->bytes - b->held + BUDGET_PIECE;
    if (b->over || b->bytes > b->most_bytes) return b->over = true, false;
    if (!memory_limit_take(more)) return budget_starve(b), false;
    b->held += more;
    return true;
}

void budget_compiled(Budget *budget) { limit(budget, BUDGET_RUN, BUDGET_BYTES); }

void budget_mask(Budget *budget, bool begin) {
    if (budget->over) return;
    budget->mask_end = begin ? budget->steps + BUDGET_MASK : 0;
}

static bool is_mask_over(const Budget *b) { return b->mask_end && b->steps > b->mask_end; }

const char *budget_exceeded(const Budget *budget) {
    if (!budget->over) return "";
    if (budget->cancelled) return ": the grammar was stopped";
    if (budget->starved) return ": there is no memory for the grammar";
    if (is_mask_over(budget))
        return ": the grammar needs more than 500,000 steps of work for one token. Simplify "
               "what "
               "is ambiguous, counted or combined";
    return ": this text exceeds the grammar's limits (Earley sets or expressions). Simplify "
           "what "
           "is ambiguous, counted or combined";
}

bool budget_look(Budget *budget) {
    const size_t left = budget->most_steps - budget->steps;
    if (budget->steps > budget->most_steps || is_mask_over(budget))
        return budget->over = true, false;
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
    if (budget->starved)
        return fault_set(fault, "no memory for this grammar, as long as others need so much");
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
