/* The graders of layer 2: numbers in blocks. */
#include "../src/blocks.h"
#include "../src/kernel_types.h"
#include "near.h"
#include "linalg.h"

/* A block's worth of numbers: odd ones now and then. */
static void fresh_block(float *x, size_t n, int round) {
    double size = (double[]){1, 0.01, 300, 1e-6}[round % 4];
    fresh_floats(x, n, -size, size);
    if (round % 5 == 1) x[fresh_below(n)] = (float)(3 * size);
    if (round % 5 == 2) x[fresh_below(n)] = (float)(-3 * size);
    if (round == 7) memset(x, 0, n * sizeof *x);
}

static float farthest_of(const float *x, size_t n) {
    float far = 0;
    for (size_t k = 0; k < n; k++)
        if (fabsf(x[k]) > fabsf(far)) far = x[k];
    return far;
}

/* ---------------------------------------------------------------- Q8_0 */

/* Does every quant come out so?  kind 0: as it should. */
static bool q8_is(int kind, const float *x, const BlockQ8_0 *block) {
    float far = fabsf(farthest_of(x, 32)), high = x[0];
    for (int k = 1; k < 32; k++) high = fmaxf(high, x[k]);
    float d = kind == 1 ? far / 128 : kind == 2 ? high / 127 : far / 127;
    if (kind == 3) d = f16_to_f32(f16_from_f32(d));
    float inverse = d != 0 ? 1 / d : 0;
    for (int k = 0; k < 32; k++) {
        float v = x[k] * inverse;
        int q = kind == 4 ? (int)v : kind == 5 ? (int)floorf(v) : (int)roundf(v);
        if (block->q[k] != (int8_t)q) return false;
    }
    return true;
}

static void check_q8_written(const float *x, const BlockQ8_0 *block) {
    static const char *const hints[] = {
        NULL,
        "the largest number becomes 127: d is the largest magnitude divided by 127, not by 128",
        "the scale comes from the largest magnitude: a negative number may be the farthest "
        "from zero",
        "divide by the scale before it is rounded to f16 (that one is only stored): the "
        "published way, to the byte",
        "rounded towards zero: a quant is the nearest whole number (roundf)",
        "rounded down: a quant is the nearest whole number (roundf)",
    };
    float d = fabsf(farthest_of(x, 32)) / 127;
    if (block->d == f16_from_f32(d) && q8_is(0, x, block)) return;
    for (int kind = 1; kind < 6 && !q8_is(0, x, block); kind++)
        HINT(!q8_is(kind, x, block), "%s", hints[kind]);
    HINT(block->d == f16_from_f32(d),
         "the scale: expected %.7g stored as the f16 0x%04x, got 0x%04x (%.7g)", (double)d,
         f16_from_f32(d), block->d, (double)f16_to_f32(block->d));
    for (int k = 0; k < 32; k++) {
        int want = d != 0 ? (int)roundf(x[k] * (1 / d)) : 0;
        HINT(block->q[k] == want,
             "quant %d of a block of numbers up to %g: expected %d, got %d", k,
             (double)(127 * d), want, block->q[k]);
    }
}

static void check_unpacked(const char *name, const Quants *got, const float *d,
                           const int8_t *want, size_t n) {
    for (size_t b = 0; b < n / 32; b++)
        HINT(got->d[b] == d[b], "%s: the scale of block %zu: expected %.7g, got %.7g", name, b,
             (double)d[b], (double)got->d[b]);
    for (size_t k = 0; k < n; k++)
        HINT(got->q[k] == want[k], "%s: quant %zu (block %zu): expected %d, got %d", name,
             k % 32, k / 32, want[k], got->q[k]);
}

GRADE(eight_bits) {
    for (int round = 0; round < 30; round++) {
        float x[256], d[8];
        BlockQ8_0 blocks[8];
        int8_t q[256];
        Quants got;
        for (int b = 0; b < 8; b++) fresh_block(x + 32 * b, 32, round);
        quantize_row(DTYPE_Q8_0, x, NULL, blocks, 256);
        for (int b = 0; b < 8; b++) check_q8_written(x + 32 * b, &blocks[b]);
        for (int b = 0; b < 8; b++) {
            blocks[b].d = f16_from_f32(d[b] = (float)fresh_below(1000) / 64);
            for (int k = 0; k < 32; k++)
                q[32 * b + k] = blocks[b].q[k] = (int8_t)((int)fresh_below(256) - 128);
        }
        size_t n = 32 * (1 + fresh_below(8));
        memset(&got, 0x55, sizeof got);
        unpack_q8_0(blocks, n, &got);
        check_unpacked("unpack_q8_0", &got, d, q, n);
    }
}

/* ---------------------------------------------------------------- Q4_0 */

static int four(float v) { return v < 0 ? 0 : v > 15 ? 15 : (int)v; }

static bool q4_is(int kind, const float *x, const BlockQ4_0 *block) {
    float far = farthest_of(x, 32),
          d = kind == 1   ? far / 8
              : kind == 2 ? fabsf(far) / 7
                          : far / -8,
          inverse = d != 0 ? 1 / d : 0;
    float half = kind == 3 ? 8.0f : kind == 4 ? 0.5f : 8.5f;
    for (int j = 0; j < 16; j++) {
        int low = kind == 5 ? 2 * j : j, high = kind == 5 ? 2 * j + 1 : j + 16;
        int a = four(x[low] * inverse + half), b = four(x[high] * inverse + half);
        if (block->q[j] != (kind == 6 ? b | a << 4 : a | b << 4)) return false;
    }
    return true;
}

static void check_q4_written(const float *x, const BlockQ4_0 *block) {
    static const char *const hints[] = {
        NULL,
        "the number farthest from zero becomes the quant -8, which has no partner on the other "
        "side: d = it / -8",
        "the scale is magnitude / 7 here: one of the sixteen levels, -8, is never used so; d = "
        "the farthest / -8",
        "rounded down: add a half before you cut (8.5: eight to make it unsigned, a half to "
        "round)",
        "the offset is missing: a quant from -8 to 7 is stored as 0 to 15, eight larger",
        "byte j holds number j and number j + 16, not two neighbours",
        "number j is in the low four bits of byte j, number j + 16 in the high four: here they "
        "are exchanged",
    };
    float d = farthest_of(x, 32) / -8;
    if (block->d == f16_from_f32(d) && q4_is(0, x, block)) return;
    for (int kind = 1; kind < 7 && d != 0; kind++)
        HINT(!q4_is(kind, x, block), "%s", hints[kind]);
    HINT(block->d == f16_from_f32(d),
         "the scale: expected %.7g stored as the f16 0x%04x, got 0x%04x (%.7g)", (double)d,
         f16_from_f32(d), block->d, (double)f16_to_f32(block->d));
    for (int j = 0; j < 16; j++) {
        float inverse = d != 0 ? 1 / d : 0;
        int want = four(x[j] * inverse + 8.5f) | four(x[j + 16] * inverse + 8.5f) << 4;
        HINT(block->q[j] == want,
             "byte %d, numbers %g and %g with the scale %g: expected 0x%02x, got 0x%02x", j,
             (double)x[j], (double)x[j + 16], (double)d, want, block->q[j]);
    }
}

static double weighted_error(const float *x, const float *importance, const float *used,
                             size_t n) {
    static BlockQ4_0 blocks[64];
    static float back[64 * 32];
    double error = 0;
    quantize_row(DTYPE_Q4_0, x, used, blocks, n);
    for (size_t k = 0; k < n; k++) {
        const BlockQ4_0 *b = &blocks[k / 32];
        int q = k % 32 < 16 ? b->q[k % 16] & 15 : b->q[k % 16] >> 4;
        back[k] = f16_to_f32(b->d) * (float)(q - 8);
        error += (double)importance[k] * pow((double)(back[k] - x[k]), 2);
    }
    return error;
}

GRADE(four_bits) {
    static float x[2048], importance[2048];
    for (int round = 0; round < 30; round++) {
        float d[8];
        BlockQ4_0 blocks[8];
        int8_t q[256];
        Quants got;
        for (int b = 0; b < 8; b++) fresh_block(x + 32 * b, 32, round);
        quantize_row(DTYPE_Q4_0, x, NULL, blocks, 256);
        for (int b = 0; b < 8; b++) check_q4_written(x + 32 * b, &blocks[b]);
        for (int b = 0; b < 8; b++) {
            blocks[b].d = f16_from_f32(d[b] = (float)fresh_below(1000) / 64 - 7);
            for (int j = 0; j < 16; j++) {
                int low = (int)fresh_below(16), high = (int)fresh_below(16);
                blocks[b].q[j] = (uint8_t)(low | high << 4);
                q[32 * b + j] = (int8_t)low, q[32 * b + 16 + j] = (int8_t)high;
            }
        }
        size_t n = 32 * (1 + fresh_below(8));
        memset(&got, 0x55, sizeof got);
        unpack_q4_0(blocks, n, &got);
        bool lower = true;
        for (size_t k = 0; k < n; k++) lower &= got.q[k] == q[k] - 8;
        HINT(!lower, "unpack_q4_0 takes the offset off: quants are 0 to 15 as stored, and "
                     "whoever multiplies takes off 8");
        bool neighbours = true;
        for (int j = 0; j < 16; j++)
            neighbours &= got.q[2 * j] == q[j] && got.q[2 * j + 1] == q[16 + j];
        HINT(!neighbours,
             "unpack_q4_0: the high four bits of byte j are number j + 16, not number 2 j + 1");
        check_unpacked("unpack_q4_0", &got, d, q, n);
    }
    for (size_t k = 0; k < 2048; k++)
        x[k] = (float)(fresh_between(-1, 1) * fresh_between(0, 1)),
        importance[k] = k % 3 ? 1 : 100;
    double plain = weighted_error(x, importance, NULL, 2048),
           careful = weighted_error(x, importance, importance, 2048);
    HINT(careful < 0.97 * plain,
         "with importance the scale is the one that fit_scale finds: the errors that count "
         "should become smaller than %.4g, got %.4g",
         plain, careful);
}

GRADES({"2.12", eight_bits}, {"2.13", four_bits})
