/* watermark_detect.h - how many tokens of a text are green: does it carry the mark of the stage watermark? */
#ifndef STRATA_WATERMARK_DETECT_H
#define STRATA_WATERMARK_DETECT_H

#include "watermark.h"

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
