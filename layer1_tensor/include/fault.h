/* fault.h - how things go wrong.
 *
 * Two kinds of wrong, two answers:
 *
 *   the outside world   a file is cut short, memory runs out, an option is misspelt.  The
 *                       function returns false and fills the caller's Fault with one sentence:
 *                       what happened, where, what was found, what was wanted, what to do.
 *   a broken contract   one of our functions was called in a way its comment forbids.  REQUIRE
 *                       prints a sentence and aborts: any result would be a lie.
 *
 * A function without a Fault that runs out of memory for a few bytes (a chain's copy, pending
 * output text) uses NEED_MEMORY, which ends the program with a sentence and status 1.
 *
 * Invariant: a function that takes a Fault returns true and leaves it alone, or fills it and
 * returns false.  Only a `main` and NEED_MEMORY call exit() [failures/run.py]. */
#ifndef STRATA_FAULT_H
#define STRATA_FAULT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Fault {
    char text[512]; /* one sentence, NUL-terminated, no newline */
} Fault;

/* Fill a fault, printf style, and return false: `return fault_set(fault, "...")`.  Too long a
 * text is truncated.
 *
 *   fault   NULL if the caller does not want the text */
bool fault_set(Fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put "context: " in front of a fault's text ("model.gguf: tensor 'blk.0.attn_q.weight' ...").
 * Returns false. */
bool fault_prefix(Fault *fault, const char *context);

/* Was it memory that ran out?  Such a text says "no memory"; later it may work. */
bool fault_is_memory(const Fault *fault);

/* Print where and why, then abort.  Called by REQUIRE only. */
void fault_abort(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

/* State a function's contract: REQUIRE(n > 0, "softmax needs a value, got n = %zu", n); */
#define REQUIRE(condition, ...)                                                     \
    do {                                                                            \
        if (!(condition)) fault_abort(__FILE__, __LINE__, #condition, __VA_ARGS__); \
    } while (0)

/* Print "no memory for ..." and exit with status 1.  Called by NEED_MEMORY only.  Before that
 * fault_out_of_memory is called, which need not return (extras: fault_try.h); NULL: none. */
extern void (*fault_out_of_memory)(const char *what);
void fault_no_memory(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* End the program without it: NEED_MEMORY(copy, "%zu bytes of a chain", bytes); */
#define NEED_MEMORY(condition, ...)                     \
    do {                                                \
        if (!(condition)) fault_no_memory(__VA_ARGS__); \
    } while (0)

#endif
