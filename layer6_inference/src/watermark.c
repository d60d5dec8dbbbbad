/* watermark.c - see watermark.h. */
#include "watermark.h"

#include <math.h>

bool watermark_is_green(const Watermark *mark, int32_t before, int32_t token) {
    return rng_unit(mark->key, (uint64_t)(uint32_t)before, (uint64_t)(uint32_t)token) <
           mark->gamma;
}

static bool seen_before(const int32_t *tokens, size_t at) {
    for (size_t i = 1; i < at; i++)
        if (tokens[i] == tokens[at] && tokens[i - 1] == tokens[at - 1]) return true;
    return false;
}

WatermarkFinding watermark_detect(const Watermark *mark, const int32_t *tokens, size_t n) {
    WatermarkFinding f = {.chance = 1};
    for (size_t i = 1; i < n; i++) {
        if (seen_before(tokens, i)) continue;
        f.scored++;
        f.green += watermark_is_green(mark, tokens[i - 1], tokens[i]);
    }
    if (f.scored == 0) return f;
    double expected = mark->gamma * (double)f.scored;
    f.z = ((double)f.green - expected) / sqrt(expected * (1 - mark->gamma));
    f.chance = 0.5 * erfc(f.z / sqrt(2));
    return f;
}
