/* watermark.h - which tokens are green, and how many of a text are.
 *
 * Invariant: whether a token is green depends on the key, the token before it and itself. */
#ifndef STRATA_WATERMARK_H
#define STRATA_WATERMARK_H

#include "stage.h"

typedef struct Watermark {
    uint64_t key;
    double gamma; /* share of green tokens */
} Watermark;

bool watermark_is_green(const Watermark *mark, int32_t before, int32_t token);

/* How far the number of green tokens lies above chance, in standard deviations; each pair of
 * tokens counts once.
 *
 *     z = (green - gamma n) / sqrt(n gamma (1 - gamma))
 *
 * Source   Kirchenbauer et al. 2023, arXiv:2301.10226, equation 3; distinct pairs: their section
 *          on repeated n-grams in arXiv:2306.04634. */
typedef struct WatermarkFinding {
    size_t scored, green;
    double z, chance; /* chance: that an unmarked text reaches z */
} WatermarkFinding;
WatermarkFinding watermark_detect(const Watermark *mark, const int32_t *tokens, size_t n);

#endif
