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

/* How many of a text's pairs of tokens end in a green one; each pair counts once.
 *
 *     z       standard deviations above chance:  (green - gamma n) / sqrt(n gamma (1 - gamma))
 *     chance  that n coins which fall on green with probability gamma show so many green, or more:
 *             the tail of the binomial distribution itself, since the normal one is too sure of
 *             itself when n gamma is small
 *
 * Pairs of real texts are not quite coins: texts of a small language share them.  Of 60 unmarked
 * stories of the model in the box, the mean z was from -0.5 to 0.9 over twelve keys.
 *
 * Source   Kirchenbauer et al. 2023, arXiv:2301.10226, equation 3; distinct pairs: their section
 *          on repeated n-grams in arXiv:2306.04634. */
typedef struct WatermarkFinding {
    size_t scored, green;
    double z, chance;
} WatermarkFinding;
WatermarkFinding watermark_detect(const Watermark *mark, const int32_t *tokens, size_t n);

/* sum over k >= green of  C(n, k) gamma^k (1 - gamma)^(n-k).
 *
 * Needs    0 < gamma < 1, green <= n
 * Error    relative, about 1e-16 n ln n: that of the logarithms of factorials */
double watermark_chance(size_t n, size_t green, double gamma);

#endif
