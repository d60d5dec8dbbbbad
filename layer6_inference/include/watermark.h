/* watermark.h - which tokens are green: the rule shared by the stage watermark and its
 * detector.
 *
 * Invariant: whether a token is green depends on the key, the token before it and itself
 * [watermarks_are_found]. */
#ifndef STRATA_WATERMARK_H
#define STRATA_WATERMARK_H

#include "stage.h"

typedef struct Watermark {
    uint64_t key;
    double gamma; /* share of green tokens */
} Watermark;

bool watermark_is_green(const Watermark *mark, int32_t before, int32_t token);

#endif
