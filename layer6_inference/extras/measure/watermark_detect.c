/* watermark_detect.c - see watermark_detect.h. */
#include "watermark_detect.h"
#include "order.h"

#include <math.h>
#include <stdlib.h>

/* Binomial probability of exactly k. */
static double binomial(double n, double k, double gamma) {
    double ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
    return exp(ways + k * log(gamma) + (n - k) * log1p(-gamma));
}

/* Terms fall away from the mean, so sum outwards from `green`; below the mean use the other
 * tail. */
double watermark_chance(size_t n, size_t green, double gamma) {
    double sum = 0, odds = gamma / (1 - gamma), count = (double)n;
    bool above = (double)green > gamma * count;
    if (green == 0) return 1;
    double k = above ? (double)green : (double)green - 1, term = binomial(count, k, gamma);
    while (term > 0 && term > 1e-17 * sum && k >= 0 && k <= count) {
        sum += term;
        term *= above ? (count - k) / (k + 1) * odds : k / (count - k + 1) / odds;
        k += above ? 1 : -1;
    }
    return fmin(1, above ? sum : 1 - sum);
}

/* The distinct pairs of a text, sorted; free them. */
static uint64_t *sorted_pairs(const int32_t *tokens, size_t n) {
    uint64_t *pairs = malloc(n * sizeof *pairs);
    NEED_MEMORY(pairs, "%zu pairs of tokens", n);
    for (size_t i = 1; i < n; i++)
        pairs[i - 1] = (uint64_t)(uint32_t)tokens[i - 1] << 32 | (uint32_t)tokens[i];
    order_sort(pairs, n - 1);
    return pairs;
}

WatermarkFinding watermark_detect(const Watermark *mark, const int32_t *tokens, size_t n) {
    WatermarkFinding f = {.chance = 1};
    if (n < 2) return f;
    uint64_t *pairs = sorted_pairs(tokens, n);
    for (size_t i = 0; i + 1 < n; i++) {
        if (i && pairs[i] == pairs[i - 1]) continue;
        f.scored++;
        f.green += watermark_is_green(mark, (int32_t)(pairs[i] >> 32), order_id(pairs[i]));
    }
    free(pairs);
    double expected = mark->gamma * (double)f.scored;
    f.z = ((double)f.green - expected) / sqrt(expected * (1 - mark->gamma));
    f.chance = watermark_chance(f.scored, f.green, mark->gamma);
    return f;
}
