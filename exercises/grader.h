/* grader.h - checks that name the likely mistake, the expected value and the actual one.
 *
 *     GRADE(probabilities) {
 *         float x[8], got[8], want[8];
 *         fresh_floats(x, 8, -5, 5);
 *         softmax(got, x, 8);
 *         SHIPPED(softmax)(want, x, 8);
 *         NUMBERS(got, want, 8, 1e-6, "divide each by the sum of all");
 *     }
 *     GRADES({"3.1", probabilities}, ...)
 *
 * A layer's graders may be in several files, grade.c and grade_*.c, each with GRADES at its
 * end: the one that names an exercise's number grades it.  SHIPPED(f) is the library's own f,
 * which the work under test cannot call.
 *
 * Invariant: the program ends with 42 when all checks hold, with 1 after a hint: code under test
 * that leaves the program has not passed. */
#ifndef STRATA_GRADER_H
#define STRATA_GRADER_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GRADE(name)        static void name(void)
#define SHIPPED_NAME(name) shipped_##name
/* Once per function, above the graders: DECLARE_SHIPPED(softmax); then SHIPPED(softmax)(...). */
#define DECLARE_SHIPPED(name) extern __typeof__(name) SHIPPED_NAME(name)
#define SHIPPED(name)         SHIPPED_NAME(name)

/* Fresh numbers in every run, so that no answer can be learned by heart.  A hint says how to
 * repeat them. */
static struct { uint64_t seed, drawn; } fresh;

/* 64 random bits (splitmix64: Steele, Lea & Flood 2014). */
static inline uint64_t fresh_bits(void) {
    uint64_t z = fresh.seed + ++fresh.drawn * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
static inline size_t fresh_below(size_t n) { return (size_t)(fresh_bits() % n); }
static inline double fresh_between(double low, double high) {
    return low + (high - low) * ((double)(fresh_bits() >> 11) * 0x1p-53);
}
static inline void fresh_floats(float *x, size_t n, double low, double high) {
    for (size_t i = 0; i < n; i++) x[i] = (float)fresh_between(low, high);
}

/* The end of a grader that has found something. */
static inline _Noreturn void grade_ends(void) {
    if (fresh.drawn)
        printf("\n  (the same numbers again: GRADE_SEED=%llu make grade ...)",
               (unsigned long long)fresh.seed);
    putchar('\n');
    exit(1);
}

/* The first that does not hold is printed, and the program ends. */
#define HINT(holds, ...) GRADE_SAYS(holds, "hint", __VA_ARGS__)
/* For the exercises that are broken: what one sees, never where it comes from. */
#define SYMPTOM(holds, ...) GRADE_SAYS(holds, "symptom", __VA_ARGS__)
/* For what the grader itself needs: a file, memory. */
#define NEED(holds) GRADE_SAYS(holds, "the grader cannot begin", "%s", #holds)
#define GRADE_SAYS(holds, what, ...) \
    do {                             \
        if (!(holds)) {              \
            printf("  %s: ", what);  \
            printf(__VA_ARGS__);     \
            grade_ends();            \
        }                            \
    } while (0)

/* NaN is close to nothing. */
static inline int close_to(double got, double want, double bound) {
    return got == want || fabs(got - want) <= bound;
}

/* As HINT, with both numbers: "...: expected 0.665241, got 1". */
#define NUMBER(got, want, bound, ...)                           \
    do {                                                        \
        double got_ = (double)(got), want_ = (double)(want);    \
        if (!close_to(got_, want_, bound)) {                    \
            printf("  hint: ");                                 \
            printf(__VA_ARGS__);                                \
            printf("\n  expected %.9g, got %.9g", want_, got_); \
            grade_ends();                                       \
        }                                                       \
    } while (0)

/* A count, a size, an index, a token, or true and false as 1 and 0. */
#define COUNT(got, want, ...)                                         \
    do {                                                              \
        long long got_ = (long long)(got), want_ = (long long)(want); \
        if (got_ != want_) {                                          \
            printf("  hint: ");                                       \
            printf(__VA_ARGS__);                                      \
            printf("\n  expected %lld, got %lld", want_, got_);       \
            grade_ends();                                             \
        }                                                             \
    } while (0)

#define TEXT(got, want, ...)                                        \
    do {                                                            \
        const char *got_ = (got), *want_ = (want);                  \
        if (strcmp(got_, want_) != 0) {                             \
            printf("  hint: ");                                     \
            printf(__VA_ARGS__);                                    \
            printf("\n  expected \"%s\", got \"%s\"", want_, got_); \
            grade_ends();                                           \
        }                                                           \
    } while (0)

/* n floats, each within the bound; the first that is not is shown with its index. */
#define NUMBERS(got, want, n, bound, ...)                                                 \
    do {                                                                                  \
        const float *got_ = (got), *want_ = (want);                                       \
        size_t n_ = (n), at_ = 0;                                                         \
        while (at_ < n_ && close_to((double)got_[at_], (double)want_[at_], bound)) at_++; \
        if (at_ < n_) {                                                                   \
            printf("  hint: ");                                                           \
            printf(__VA_ARGS__);                                                          \
            printf("\n  number %zu of %zu (from 0): expected %.9g, got %.9g", at_, n_,    \
                   (double)want_[at_], (double)got_[at_]);                                \
            grade_ends();                                                                 \
        }                                                                                 \
    } while (0)

#define GRADES(...)                                                                           \
    int main(int argc, char **argv) {                                                         \
        static const struct {                                                                 \
            const char *number;                                                               \
            void (*run)(void);                                                                \
        } all[] = {__VA_ARGS__};                                                              \
        const char *seed = getenv("GRADE_SEED");                                              \
        fresh.seed = seed ? strtoull(seed, NULL, 10)                                          \
                          : (uint64_t)time(NULL) % 100000 * 1000 + (uint64_t)getpid() % 1000; \
        for (size_t i = 0; argc >= 2 && i < sizeof all / sizeof *all; i++)                    \
            if (strcmp(argv[1], all[i].number) == 0) {                                        \
                all[i].run();                                                                 \
                return 42;                                                                    \
            }                                                                                 \
        printf("no grader for '%s'\n", argc >= 2 ? argv[1] : "");                             \
        return 1;                                                                             \
    }

#endif
