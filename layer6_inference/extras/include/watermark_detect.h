/* watermark_detect.h - count the green tokens of a text: does it carry the watermark of the
 * stage watermark? */
#ifndef STRATA_WATERMARK_DETECT_H
#define STRATA_WATERMARK_DETECT_H

#include "watermark.h"

/* How many of a text's pairs of tokens end in a green one; each distinct pair counts once.
 *
 *     z       standard deviations above chance:  (green - gamma n) / sqrt(n gamma (1 - gamma))
 *     chance  probability of so many green tokens, or more, among n unmarked ones: the tail of
 *             the binomial distribution itself, as the normal one is too confident for small n
 *
 * Pairs of real texts are not quite independent: texts of a small language share them.  Over
 * 60 unmarked stories of the storyteller, the mean z was between -0.5 and 0.9 for twelve
 * keys.
 *
 * Source   Kirchenbauer et al. 2023, arXiv:2301.10226, equation 3; distinct pairs: their
 *          section on repeated n-grams in arXiv:2306.04634. */
typedef struct WatermarkFinding {
    size_t scored, green;
    double z, chance;
} WatermarkFinding;
WatermarkFinding watermark_detect(const Watermark *mark, const int32_t *tokens, size_t n);

/* sum over k >= green of  C(n, k) gamma^k (1 - gamma)^(n-k).
 *
 * Needs    0 < gamma < 1, green <= n
 * Error    relative, about 1e-16 n ln n, from the log-factorials
 *          [watermarks_are_judged_by_coins] */
double watermark_chance(size_t n, size_t green, double gamma);

#endif
