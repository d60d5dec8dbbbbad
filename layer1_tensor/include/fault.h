/* fault.h - how things go wrong.
 *
 * Two kinds of wrong, two answers:
 *
 *   the outside world   a file is cut short, memory runs out, an option is misspelt.  The function
 *                       returns false and fills the caller's Fault with one sentence that says
 *                       what happened, where, what was found, what was wanted, and what to do.
 *   a broken contract   one of our functions was called in a way its comment forbids.  REQUIRE
 *                       prints a sentence and aborts: there is no way to go on that is not a lie.
 *
 * Invariant: a function that takes a Fault either returns true and leaves it alone, or returns
 * false and has filled it.  Nothing below a `main` ever calls exit(). */
#ifndef STRATA_FAULT_H
#define STRATA_FAULT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Fault {
    char text[512]; /* one sentence, NUL-terminated, no newline */
} Fault;

/* Fill a fault, printf style, and return false, so that a failing function ends in
 * `return fault_set(fault, "...")`.
 *
 *   fault   written; may be NULL when the caller does not want the text
 *
 * A text longer than the fault holds is cut. */
bool fault_set(Fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put "context: " in front of a fault's text, so that a deep error names the outer thing too
 * ("model.gguf: tensor 'blk.0.attn_q.weight' ...").  Returns false. */
bool fault_prefix(Fault *fault, const char *context);

/* Print where and why, then abort.  Called by REQUIRE only. */
void fault_abort(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

/* State a function's contract: REQUIRE(n > 0, "softmax needs a value, got n = %zu", n); */
#define REQUIRE(condition, ...)                                                     \
    do {                                                                            \
        if (!(condition)) fault_abort(__FILE__, __LINE__, #condition, __VA_ARGS__); \
    } while (0)

#endif
