/* budget.h - how much work and memory a grammar may take, and when to stop early.
 *
 * Schemas, regular expressions, Earley sets, shortest texts and drawn texts all count against
 * the one budget of their grammar.  When it is spent, `over` is set for good: loops end,
 * everything made since is invalid, and the grammar is refused (budget_refuse says why).
 *
 * A step is 10 to 100 ns: four derivatives, a quarter of a new expression, or 64 comparisons
 * in a list.  Steps, not seconds: every machine refuses the same grammars.  The mask of one row
 * has a limit of its own, some 40 ms.
 *
 * Invariant: between two looks at the clock of steps at most BUDGET_LOOK steps pass, so a
 * cancelled grammar ends within milliseconds. */
#ifndef STRATA_BUDGET_H
#define STRATA_BUDGET_H

#include "fault.h"
#include <stdbool.h>
#include <stddef.h>

enum {
    BUDGET_COMPILE = 20000000, /* steps to compile a grammar */
    BUDGET_RUN = 100000000,    /* steps to use it afterwards */
    BUDGET_MASK = 500000,      /* of these, to compute one mask */
    BUDGET_COMPILE_BYTES = 176000000,
    BUDGET_BYTES = 224000000, /* all together, rows included */
    BUDGET_LOOK = 20000
};

typedef struct Budget {
    size_t steps, most_steps, look; /* look: steps at which to look again */
    size_t bytes, most_bytes;
    size_t held; /* bytes that memory_limit.h has counted: at least `bytes` */
    size_t worn_steps, worn_bytes;
    size_t mask_end; /* steps at which the mask being computed has cost too much; 0: none is */
    bool over, cancelled;
    bool starved; /* there was no memory: of the machine, or of all requests */
} Budget;

/* A new budget, for compiling. */
Budget budget_new(void);

void budget_free(Budget *budget);

/* There was no memory: it is over. */
void budget_starve(Budget *budget);

/* The grammar is compiled: what it may take from here on. */
void budget_compiled(Budget *budget);

/* The next steps are those of a mask; or they are no longer. */
void budget_mask(Budget *budget, bool begin);

/* The end of a message: ": " and which limit was exceeded; "" if none was. */
const char *budget_exceeded(const Budget *budget);

/* Is more than half spent of what it may take? */
bool budget_is_worn(const Budget *budget);

/* Say which limit was exceeded, what it is and what to do.  Returns false. */
bool budget_refuse(const Budget *budget, Fault *fault);

bool budget_look(Budget *budget);      /* budget_spend's slow half */
bool budget_hold_more(Budget *budget); /* budget_hold's */

/* Count steps; false: it is over. */
static inline bool budget_spend(Budget *budget, size_t steps) {
    budget->steps += steps;
    return budget->steps < budget->look ? !budget->over : budget_look(budget);
}

/* Count memory; false: it is over. */
static inline bool budget_hold(Budget *budget, size_t bytes) {
    budget->bytes += bytes;
    return budget->bytes > budget->held ? budget_hold_more(budget) : !budget->over;
}

/* Count the comparisons of a search through a list. */
static inline bool budget_compare(Budget *budget, size_t count) {
    return budget_spend(budget, count / 64);
}

#endif
