/* grader.h - checks that name the likely misunderstanding.
 *
 *     GRADE(g3_1) { HINT(sum == 1, "the outputs do not add up to 1: divide by their sum"); }
 *     GRADES({"3.1", g3_1}, ...)
 *
 * Invariant: the last line printed is the word that the desk gave, unless a hint was printed: code
 * under test that leaves the program has not passed. */
#ifndef STRATA_GRADER_H
#define STRATA_GRADER_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRADE(name) static void name(void)

/* The first that does not hold is printed, and the program ends. */
#define HINT(holds, ...)                    \
    do {                                    \
        if (!(holds)) {                     \
            printf("  hint: " __VA_ARGS__); \
            putchar('\n');                  \
            exit(1);                        \
        }                                   \
    } while (0)

static inline int close_to(double got, double want, double bound) {
    return fabs(got - want) <= bound;
}

/* The word is taken away before the code under test runs. */
#define GRADES(...)                                                        \
    int main(int argc, char **argv) {                                      \
        static const struct {                                              \
            const char *number;                                            \
            void (*run)(void);                                             \
        } all[] = {__VA_ARGS__};                                           \
        const char *given = getenv("GRADE_WORD");                          \
        char word[64] = "";                                                \
        int status = 2;                                                    \
        if (given) strncpy(word, given, sizeof word - 1);                  \
        unsetenv("GRADE_WORD");                                            \
        for (size_t i = 0; argc == 2 && i < sizeof all / sizeof *all; i++) \
            if (strcmp(argv[1], all[i].number) == 0) {                     \
                all[i].run();                                              \
                status = 0;                                                \
            }                                                              \
        puts(word);                                                        \
        return status;                                                     \
    }

#endif
