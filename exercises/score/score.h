/* score.h - programs that time one exercise's functions: see score.c. */
#ifndef STRATA_SCORE_H
#define STRATA_SCORE_H

#include "grader.h"

#include <stdbool.h>

/* One exercise: `make` prepares the data; `run` does the work once and returns how much that
 * was, in the unit of exercises/score.txt.  With `library` it does the same work as the library
 * does it, with its fastest functions.  `right` runs the work on other data and compares. */
typedef struct Timed {
    const char *number;
    void (*make)(void);
    double (*run)(bool library);
    bool (*right)(void); /* NULL: the grader's word is enough */
} Timed;

extern const Timed timed_numbers[], timed_texts[]; /* end with number NULL */

/* Memory that stays for the whole run; ends the program when memory runs out. */
void *score_memory(size_t count, size_t size);

#endif
