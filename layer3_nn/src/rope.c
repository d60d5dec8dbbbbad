/* rope.c - see rope.h. */
#include "rope.h"
#include "real.h"

#include <math.h>

void rope_rotate(const Rope *rope, const float *cosine, const float *sine, float *head) {
    bool split = rope->style == ROPE_HALF_SPLIT;
    size_t half = rope->rotary / 2, step = split ? 1 : 2, apart = split ? half : 1;
    for (size_t i = 0; i < half; i++) {
        float *a = head + i * step, *b = a + apart;
        float rotated = *a * cosine[i] - *b * sine[i];
        *b = *a * sine[i] + *b * cosine[i];
        *a = rotated;
    }
}

static const double pi = 3.14159265358979323846;

static double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* The pair that makes `turns` full turns within the trained context:
 *     turns = trained_ctx * theta^(-2i/rotary) / 2 pi,   solved for i. */
static double pair_of_turns(const RopeConfig *config, double turns) {
    return (double)config->rotary * real_log(config->trained_ctx / (turns * 2 * pi)) /
           (2 * real_log(config->theta));
}

/* 1 for fast pairs (kept), 0 for slow ones (divided), a ramp between: from the pair of
 * beta_fast, rounded down, at least 0, to that of beta_slow, rounded up, at most rotary - 1; at
 * least 0.001 wide. */
static double yarn_keep(const RopeConfig *config, double i) {
    double low = floor(pair_of_turns(config, config->beta_fast));
    double high = ceil(pair_of_turns(config, config->beta_slow));
    low = fmax(low, 0), high = fmin(high, (double)config->rotary - 1);
    return 1 - clamp01((i - low) / fmax(0.001, high - low));
}

/* Radians per position of pair i: theta^(-2 i / rotary) / divisor.  Linear scaling divides it
 * by factor; YaRN blends both, with weight yarn_keep for the unscaled one. */
static double frequency(const RopeConfig *config, size_t i) {
    double share = -2.0 * (double)i / (double)config->rotary,
           freq = real_exp(share * real_log(config->theta)), keep = 1;
    if (config->divisors) freq /= (double)config->divisors[i];
    if (config->scaling == ROPE_SCALE_LINEAR) keep = 0;
    if (config->scaling == ROPE_SCALE_YARN) keep = yarn_keep(config, (double)i);
    return freq * keep + freq / config->factor * (1 - keep);
}

void rope_init(Rope *rope, const RopeConfig *config, Arena *arena) {
    *rope = (Rope){.style = config->style, .rotary = config->rotary, .magnitude = 1};
    if (config->style == ROPE_NONE) return;
    REQUIRE(config->rotary % 2 == 0 && config->factor > 0 && config->theta > 0,
            "rotary %zu, factor %g, theta %g", config->rotary, config->factor, config->theta);
    REQUIRE(config->scaling != ROPE_SCALE_YARN ||
                (config->trained_ctx > 0 && config->beta_fast > 0 && config->beta_slow > 0 &&
                 config->theta > 1),
            "YaRN from %g to %g turns in %g positions", config->beta_fast, config->beta_slow,
            config->trained_ctx);
    rope->freq = arena_take(arena, config->rotary / 2, sizeof *rope->freq);
    /* sqrt(1/t) of Peng et al., section 3.4: a longer context wants a sharper softmax */
    if (config->scaling == ROPE_SCALE_YARN)
        rope->magnitude = (float)(config->attn_factor * (1 + 0.1 * real_log(config->factor)));
    for (size_t i = 0; rope->freq && i < config->rotary / 2; i++)
        rope->freq[i] = frequency(config, i);
}

void rope_angles(const Rope *rope, size_t position, float *cosine, float *sine) {
    REQUIRE(rope->style != ROPE_NONE, "angles of no rotation");
    for (size_t i = 0; i < rope->rotary / 2; i++) {
        double angle = (double)position * rope->freq[i], c, s;
        real_turn(angle, &c, &s);
        cosine[i] = (float)c * rope->magnitude;
        sine[i] = (float)s * rope->magnitude;
    }
}

void rope_places(const Rope *rope, size_t i, float *cosine, float *sine) {
    for (size_t k = 0; k < rope->rotary / 2; k++) {
        double c, s;
        real_turn(rope->places[i][rope->axis[k]] * rope->freq[k], &c, &s);
        cosine[k] = (float)c * rope->magnitude;
        sine[k] = (float)s * rope->magnitude;
    }
}

/* The gradient goes through the transpose of a rotation: the opposite rotation. */
void rope_rotate_backward(const Rope *rope, const float *cosine, const float *sine,
                          float *head) {
    bool split = rope->style == ROPE_HALF_SPLIT;
    size_t half = rope->rotary / 2, step = split ? 1 : 2, apart = split ? half : 1;
    for (size_t i = 0; i < half; i++) {
        float *a = head + i * step, *b = a + apart;
        float rotated = *a * cosine[i] + *b * sine[i];
        *b = *b * cosine[i] - *a * sine[i];
        *a = rotated;
    }
}
