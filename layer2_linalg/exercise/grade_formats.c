/* The graders of layer 2: numbers in blocks. */
#include "../src/formats/quants.h"
#include "../src/kernels/kernel_types.h"
#include "near.h"
#include "linalg.h"

/* A block's worth of numbers: odd ones now and then. */
static void fresh_block(float *x, size_t n, int round) {
    double size = (double[]){1, 0.01, 300, 1e-6}[round % 4];
    fresh_floats(x, n, -size, size);
    if (round % 5 == 1) x[fresh_below(n)] = (float)(3 * size);
    if (round % 5 == 2) x[fresh_below(n)] = (float)(-3 * size);
    if (round == 7) memset(x, 0, n * sizeof *x);
    if (round % 6 == 3) { /* on the borders between quants, or one last bit off */
        float far = x[0] = (float)(fresh_between(2, 4) * (fresh_below(2) ? size : -size));
        if (round == 9) far = x[0] = 127;
        size_t steps = round % 4 == 1 ? 127 : 8;
        for (size_t k = 1; k < n; k++) {
            double quant = (double)fresh_below(4 * steps + 1) / 2 - (double)steps;
            x[k] = (float)(quant * (double)far / (double)steps);
            if (fabsf(x[k]) >= fabsf(far)) x[k] = 0;
            if (k % 3) x[k] = nextafterf(x[k], k % 3 == 1 ? -INFINITY : INFINITY);
        }
    }
    if (round % 6 == 4)
        x[3] = (float)(4 * size), x[9] = (float)(-4 * size); /* both the farthest */
}

/* As stored in a block: any 16-bit scale that is a number. */
static uint16_t fresh_scale(float *d) {
    uint16_t bits = (uint16_t)(fresh_below(0x7C00) | fresh_below(2) << 15);
    *d = f16_to_f32(bits);
    return bits;
}

/* ---------------------------------------------------------------- Q8_0 */

/* Is every quant the one of this kind?  kind 0: the right one. */
static bool q8_is(int kind, const float *x, const BlockQ8_0 *block) {
    float far = fabsf(farthest(x, 32)), high = largest(x, 32);
    float d = kind == 1 ? far / 128 : kind == 2 ? high / 127 : far / 127;
    if (kind == 3) d = f16_to_f32(f16_from_f32(d));
    float inverse = d != 0 ? 1 / d : 0;
    for (int k = 0; k < 32; k++) {
        float v = x[k] * inverse;
        if (kind == 6) v = x[k] / (d != 0 ? d : 1);
        int q = kind == 4   ? (int)v
                : kind == 5 ? (int)floorf(v)
                : kind == 7 ? (int)rintf(v)
                            : (int)roundf(v);
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
        "rounded towards zero: a quant is the nearest integer (roundf)",
        "rounded down: a quant is the nearest integer (roundf)",
        "divided by the scale, and not multiplied by its inverse: on the border between two "
        "quants that is another last bit, and another quant",
        "halves are rounded to the even neighbour: in this format they go away from zero "
        "(roundf)",
    };
    float d = fabsf(farthest(x, 32)) / 127;
    if (block->d == f16_from_f32(d) && q8_is(0, x, block)) return;
    for (int kind = 1; kind < 8 && !q8_is(0, x, block); kind++)
        HINT(!q8_is(kind, x, block), "%s", hints[kind]);
    HINT(block->d == f16_from_f32(d),
         "the scale: expected %.7g stored as the f16 0x%04x, got 0x%04x (%.7g)", (double)d,
         f16_from_f32(d), block->d, (double)f16_to_f32(block->d));
    for (int k = 0; k < 32; k++) {
        int want = d != 0 ? (int)roundf(x[k] * (1 / d)) : 0;
        HINT(block->q[k] == want,
             "quant %d of a block of numbers up to %g, the number %.9g: expected %d, got %d", k,
             (double)(127 * d), (double)x[k], want, block->q[k]);
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
    for (size_t k = n; k < 256; k++)
        HINT(got->q[k] == 0x55, "%s: of %zu numbers, and something is written past them", name,
             n);
}

/* Scales that are infinite, or 0, as an f16: the quants are of the scale before that. */
static void check_q8_far(void) {
    BlockQ8_0 block;
    float x[32];
    for (int round = 0; round < 20; round++) {
        float size = (float[]){1e7f, 1e12f, 1e-20f, 1e-33f}[round % 4];
        fresh_floats(x, 32, -1, 1);
        for (int k = 0; k < 32; k++) x[k] *= size;
        quantize_row(DTYPE_Q8_0, x, NULL, &block, 32);
        check_q8_written(x, &block);
    }
}

GRADE(eight_bits) {
    check_q8_far();
    for (int round = 0; round < 60; round++) {
        float x[256], d[8];
        BlockQ8_0 blocks[8];
        int8_t q[256];
        Quants got;
        for (int b = 0; b < 8; b++) fresh_block(x + 32 * b, 32, round);
        quantize_row(DTYPE_Q8_0, x, NULL, blocks, 256);
        for (int b = 0; b < 8; b++) check_q8_written(x + 32 * b, &blocks[b]);
        for (int b = 0; b < 8; b++) {
            blocks[b].d = fresh_scale(&d[b]);
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
    float far = farthest(x, 32),
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

/* A block with the scale d.  For the scale 0, -0 is right, too. */
static bool q4_has(const float *x, float d, const BlockQ4_0 *block) {
    float inverse = d != 0 ? 1 / d : 0;
    bool same = block->d == f16_from_f32(d) || (d == 0 && !(block->d & 0x7FFF));
    for (int j = 0; j < 16; j++)
        same &= block->q[j] ==
                (four(x[j] * inverse + 8.5f) | four(x[j + 16] * inverse + 8.5f) << 4);
    return same;
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
    float d = farthest(x, 32) / -8;
    if (q4_has(x, d, block)) return;
    HINT(!q4_has(x, -d, block) || d == 0,
         "two numbers are the farthest from zero, %g and %g: the first of them becomes -8",
         (double)(8 * d), (double)(-8 * d));
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

/* Scales that are infinite, or 0, as an f16. */
static void check_q4_far(void) {
    BlockQ4_0 block;
    float x[32];
    for (int round = 0; round < 20; round++) {
        float size = (float[]){1e7f, 1e12f, 1e-20f, 1e-33f}[round % 4];
        fresh_floats(x, 32, -1, 1);
        for (int k = 0; k < 32; k++) x[k] *= size;
        quantize_row(DTYPE_Q4_0, x, NULL, &block, 32);
        check_q4_written(x, &block);
    }
}

/* With importance the scale is fit_scale's; wrong ways to call it are tried here, too. */
static void check_importance(void) {
    static float x[2048], importance[2048];
    static BlockQ4_0 blocks[64];
    for (size_t k = 0; k < 2048; k++)
        x[k] = (float)(fresh_between(-1, 1) * fresh_between(0, 1)),
        importance[k] = fresh_below(3) ? 1 : 100;
    quantize_row(DTYPE_Q4_0, x, importance, blocks, 2048);
    for (size_t b = 0; b < 64; b++) {
        int8_t quants[32];
        const float *from = x + 32 * b;
        Fit fit = {from, importance + 32 * b, 32, -8, 7, NULL}, all = fit, first = fit;
        all.importance = NULL, first.importance = importance;
        float d = fit_scale(fit, quants);
        if (q4_has(from, d, &blocks[b])) continue;
        HINT(!q4_has(from, farthest(from, 32) / -8, &blocks[b]),
             "with importance the scale is the one that fit_scale finds, not farthest / -8");
        HINT(!q4_has(from, fit_scale(all, quants), &blocks[b]),
             "fit_scale is asked without the importance: its numbers count as they should");
        HINT(!q4_has(from, fit_scale(first, quants), &blocks[b]),
             "block %zu is scaled by the importance of block 0: that moves on with the blocks",
             b);
        HINT(false,
             "block %zu, with importance: the scale is fit_scale's for quants from -8 to 7, "
             "%.7g; "
             "got %.7g, or the quants are not the nearest with it",
             b, (double)d, (double)f16_to_f32(blocks[b].d));
    }
}

GRADE(four_bits) {
    check_q4_far();
    for (int round = 0; round < 60; round++) {
        float x[256], d[8];
        BlockQ4_0 blocks[8];
        int8_t q[256];
        Quants got;
        for (int b = 0; b < 8; b++) fresh_block(x + 32 * b, 32, round);
        quantize_row(DTYPE_Q4_0, x, NULL, blocks, 256);
        for (int b = 0; b < 8; b++) check_q4_written(x + 32 * b, &blocks[b]);
        for (int b = 0; b < 8; b++) {
            blocks[b].d = fresh_scale(&d[b]);
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
                     "the product subtracts 8");
        bool neighbours = true;
        for (int j = 0; j < 16; j++)
            neighbours &= got.q[2 * j] == q[j] && got.q[2 * j + 1] == q[16 + j];
        HINT(!neighbours,
             "unpack_q4_0: the high four bits of byte j are number j + 16, not number 2 j + 1");
        check_unpacked("unpack_q4_0", &got, d, q, n);
    }
    check_importance();
}

GRADES({"2.12", eight_bits}, {"2.13", four_bits})
