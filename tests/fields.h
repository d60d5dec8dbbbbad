/* fields.h - a struct's fields in a table: what each does, through every function that takes it.
 *
 *     static const Row rows[] = {{FIELD(Norm, width), ...}, {FIELD(Norm, eps), ...}};
 *
 * Invariant: a struct that has a row has one for each field (tests/claims.py). */
#ifndef STRATA_FIELDS_H
#define STRATA_FIELDS_H

#include "check.h"

/* The field's name; no such field does not compile. */
#define FIELD(type, field) (sizeof(((type *)0)->field) ? #field : NULL)

/* Does setting a field change any of n numbers? */
static inline void check_acts(const char *field, const double *before, const double *after,
                              size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(fabs(before[i] - after[i]) <= 1e-4)) return;
    fail_msg("%s does not act on what is expected: the row shows nothing", field);
}

#endif
