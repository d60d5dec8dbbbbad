/* products of quantized weights: every format and instruction set, to the bit */
#include "../src/kernels/kernel_table.h"
#include "every_isa.h"
#include "random_blocks.h"

enum { ROWS = 37, COLS = 23 }; /* tiles of every width */

static unsigned char stored[ROWS * ROW * 4];
static float x[COLS * ROW], y[COLS * ROWS], one[ROWS], first[FORMATS][COLS * ROWS];
static unsigned char repacked[48 * ROW * 2];
static char scratch[COLS * ROW * 2];

/* Round x as the kernels do: 32 numbers in steps of 1/127 of the largest. */
static double rounded(const float *in, size_t k) {
    float max = 0;
    for (size_t i = k / 32 * 32; i < k / 32 * 32 + 32; i++) max = fmaxf(max, fabsf(in[i]));
    return (double)nearbyintf(in[k] * (127 / max)) * (double)(max / 127);
}

/* A product of quantized weights is the textbook's with the inputs rounded, block by block, but
 * for some roundings of sums of at most twice the size (min). */
static void check_product(Dtype dtype, const void *row, const float *in, size_t n,
                          double roundings, float got) {
    static float w[ROW], near[ROW];
    const size_t block = dtype_info(dtype)->block;
    double textbook = 0, size = 0;
    dequantize_row(dtype, row, w, n);
    for (size_t k = 0; k < n; k++) {
        near[k] = (float)rounded(in, k);
        size += fabs((double)w[k] * (double)near[k]);
    }
    for (size_t k = 0; k < n; k += block)
        textbook += (double)dot_quantized(dtype, (const char *)row + dtype_row_bytes(dtype, k),
                                          near + k, block);
    assert_near(got, textbook, (roundings + (double)block + 1) * 0x1p-24 * size);
}

static void check_matrix(int f, const float *got) {
    size_t bytes = dtype_row_bytes(formats[f].dtype, ROW);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLS; c++) /* a rounding for each block and group */
            check_product(formats[f].dtype, stored + r * bytes, x + c * ROW, ROW,
                          4 * (ROW / 16 + 4), got[c * ROWS + r]);
}

/* The textbook itself against double precision, within the bound of dot.h; at every length, and
 * by the name that takes any row. */
static void the_textbook(void **state) {
    (void)state;
    static float w[ROW];
    uint64_t seed = 3;
    for (size_t i = 0; i < ROW; i++) x[i] = check_noise(&seed);
    for (int f = 0; f < FORMATS; f++) {
        Dtype dtype = formats[f].dtype;
        fill(f, 0, stored);
        dequantize_row(dtype, stored, w, ROW);
        for (size_t n = 0; n <= ROW; n += dtype_info(dtype)->block) {
            double sum = 0, size = 0, gamma = (double)n * 0x1p-24 / (1 - (double)n * 0x1p-24);
            for (size_t k = 0; k < n; k++) {
                double p = (double)w[k] * (double)x[k];
                sum += p, size += fabs(p);
            }
            assert_near(dot_quantized(dtype, stored, x, n), sum, gamma * size);
        }
    }
}

static void products(void **state) {
    (void)state;
    Pool *pool = pool_open(3, false, NULL);
    bool any = false;
    uint64_t seed = 4;
    for (size_t i = 0; i < COLS * ROW; i++) x[i] = check_noise(&seed);
    EACH_ISA (isa) {
        for (int f = 0; f < FORMATS; f++) {
            size_t bytes = dtype_row_bytes(formats[f].dtype, ROW);
            for (uint64_t r = 0; r < ROWS; r++) fill(f, r, stored + r * bytes);
            Tensor w = tensor_view(formats[f].dtype, 2, (size_t[]){ROWS, ROW}, stored);
            matmul_weights(pool, &w, NULL, x, COLS, y, scratch);
            if (!any) check_matrix(f, y), memcpy(first[f], y, sizeof y);
            if (memcmp(y, first[f], sizeof y) != 0) /* the same on every set */
                fail_msg("%s differs on %s", dtype_name(formats[f].dtype), isa);
            PackedWeights packed;
            assert_true(packed_bytes(formats[f].dtype, ROWS, ROW) <= sizeof repacked);
            packed_fill(pool, &packed, &w, repacked);
            matmul_weights(pool, &w, &packed, x, COLS, y, scratch);
            if (memcmp(y, first[f], sizeof y) != 0) /* the same repacked */
                fail_msg("%s differs packed on %s", dtype_name(formats[f].dtype), isa);
            for (size_t c = 0; c < COLS; c++) { /* and alone */
                matvec(NULL, &w, x + c * ROW, one, scratch);
                assert_memory_equal(one, y + c * ROWS, sizeof one);
                matmul_weights(NULL, &w, &packed, x + c * ROW, 1, one, scratch);
                assert_memory_equal(one, y + c * ROWS, sizeof one);
            }
        }
        any = true;
    }
    pool_close(pool);
    assert_false(dtype_is_computable(DTYPE_I32) || dtype_is_computable(999));
    assert_true(dtype_is_computable(DTYPE_F32) && dtype_is_computable(DTYPE_BF16) &&
                dtype_is_computable(DTYPE_Q4_K));
}

/* Scales of 1, so that quants of any size make finite products. */
static void plain_scales(int f, unsigned char *row) {
    const size_t bytes = dtype_row_bytes(formats[f].dtype, 256);
    for (size_t at = 0; at < bytes; at += formats[f].bytes) {
        for (int k = 0; k < 2; k++)
            if (formats[f].d[k] >= 0)
                memcpy(row + at + formats[f].d[k], (uint8_t[]){0x00, 0x3C}, 2);
        if (formats[f].dtype == DTYPE_MXFP4) row[at] = 128;
        if (formats[f].dtype == DTYPE_NVFP4) memset(row + at, 0x40, 4);
        if (formats[f].dtype == DTYPE_IQ1_M)
            row[at + 55] = (unsigned char)((row[at + 55] & 0x8F) | 0x20);
    }
}

/* The block that reads as the largest sum, or with sign -1 the smallest: each byte in turn
 * becomes the value that makes it so. */
static void largest_block(int f, double sign, unsigned char *row) {
    static float w[256];
    const size_t n = dtype_info(formats[f].dtype)->block, bytes = formats[f].bytes;
    for (size_t i = 0; i < bytes; i++) {
        double best_sum = -INFINITY;
        unsigned char best = 0;
        for (int value = 0; value < 256; value++) {
            double sum = 0;
            row[i] = (unsigned char)value;
            plain_scales(f, row);
            dequantize_row(formats[f].dtype, row, w, n);
            for (size_t k = 0; k < n; k++) sum += sign * (double)w[k];
            if (sum > best_sum) best_sum = sum, best = (unsigned char)value;
        }
        row[i] = best;
    }
}

/* 16 rows of 256 weights: of the largest or smallest block, or of one byte again and again. */
static void extreme_rows(int f, int pattern) {
    static const int repeated[] = {0xFF, 0x80, 0x00, 0x77, 0x88};
    const size_t bytes = dtype_row_bytes(formats[f].dtype, 256);
    memset(stored, pattern < 2 ? 0 : repeated[pattern - 2], 16 * bytes);
    if (pattern < 2) largest_block(f, pattern ? -1 : 1, stored);
    for (size_t at = formats[f].bytes; pattern < 2 && at < bytes; at += formats[f].bytes)
        memcpy(stored + at, stored, formats[f].bytes);
    plain_scales(f, stored);
    for (size_t r = 1; r < 16; r++) memcpy(stored + r * bytes, stored, bytes);
}

/* Extreme weights and inputs: 16-bit sums inside a kernel must not overflow. */
static void largest_numbers(void **state) {
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        for (int pattern = 0; pattern < 7; pattern++) {
            extreme_rows(f, pattern);
            Tensor w = tensor_view(formats[f].dtype, 2, (size_t[]){16, 256}, stored);
            for (int inputs = 0; inputs < 3; inputs++) {
                for (size_t k = 0; k < 256; k++)
                    x[k] = inputs == 1 || (inputs == 2 && k % 2) ? -1.0f : 1.0f;
                bool any = false;
                EACH_ISA (isa) {
                    PackedWeights packed;
                    matvec(NULL, &w, x, any ? one : y, scratch);
                    if (!any) check_product(formats[f].dtype, stored, x, 256, 80, y[0]);
                    if (any && memcmp(one, y, 16 * sizeof *y) != 0)
                        fail_msg("%s: %g on %s, %g scalar", dtype_name(formats[f].dtype),
                                 (double)one[0], isa, (double)y[0]);
                    any = true;
                    packed_fill(NULL, &packed, &w, repacked);
                    matmul_weights(NULL, &w, &packed, x, 1, one, scratch);
                    assert_memory_equal(one, y, 16 * sizeof *y);
                }
            }
        }
}

/* Rows whose length is not a multiple of 256, matrices whose rows are not a multiple of 16. */
static void check_shape(Dtype dtype, size_t rows, size_t in, uint64_t *seed) {
    enum { MANY = 13 };
    static float w[33 * 576], many[MANY * 33], other[MANY * 33];
    PackedWeights packed;
    size_t n = rows * in;
    for (size_t k = 0; k < n; k++) w[k] = check_noise(seed);
    quantize_row(dtype, w, NULL, stored, n);
    Tensor t = tensor_view(dtype, 2, (size_t[]){rows, in}, stored);
    matmul_weights(NULL, &t, NULL, x, MANY, many, scratch);
    packed_fill(NULL, &packed, &t, repacked);
    matmul_weights(NULL, &t, &packed, x, MANY, other, scratch);
    assert_memory_equal(many, other, MANY * rows * sizeof *many);
    matmul_weights(NULL, &t, &packed, x, 3, other, scratch);
    assert_memory_equal(many, other, 3 * rows * sizeof *many);
    matmul_weights(NULL, &t, &packed, x, 1, other, scratch);
    assert_memory_equal(many, other, rows * sizeof *many);
    for (size_t c = 0; c < MANY; c++)
        for (size_t r = 0; r < rows; r++)
            check_product(dtype, stored + r * dtype_row_bytes(dtype, in), x + c * in, in, 100,
                          many[c * rows + r]);
}

static void odd_shapes(void **state) {
    (void)state;
    static const Dtype dtypes[] = {DTYPE_Q4_0, DTYPE_Q8_0, DTYPE_MXFP4, DTYPE_NVFP4};
    static const size_t cols[] = {32, 96, 288, 512 + 64}, rows[] = {1, 15, 16, 17, 33};
    uint64_t seed = 6;
    for (size_t i = 0; i < COLS * ROW; i++) x[i] = check_noise(&seed);
    EACH_ISA (isa)
        for (int f = 0; f < 4; f++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 5; j++)
                    if (cols[i] % dtype_info(dtypes[f])->block == 0)
                        check_shape(dtypes[f], rows[j], cols[i], &seed);
}

/* Matrices of several formats, plain, packed and as in the file, with columns of one input that
 * begin anywhere: one loop gives what each gives alone. */
static void several_products(void **state) {
    (void)state;
    enum { OUT = 37, IN = 512, MANY = 6 };
    static const Dtype dtypes[MANY] = {DTYPE_Q4_0, DTYPE_F32,  DTYPE_Q6_K,
                                       DTYPE_Q4_0, DTYPE_Q8_0, DTYPE_Q4_0};
    static const size_t firsts[MANY] = {0, 2, 4, 8, 7, 5}, counts[MANY] = {9, 7, 1, 1, 2, 0};
    static float w[OUT * IN], got[MANY][9 * OUT], want[9 * OUT];
    static unsigned char files[MANY][sizeof w], room[MANY][48 * IN * 2];
    WeightsProduct products[MANY];
    PackedWeights packed[MANY];
    Tensor views[MANY];
    uint64_t seed = 11;
    Pool *pool = pool_open(3, false, NULL);
    for (size_t i = 0; i < 9 * IN; i++) x[i] = check_noise(&seed);
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = 0; k < OUT * IN; k++) w[k] = check_noise(&seed);
        quantize_row(dtypes[i], w, NULL, files[i], OUT * IN);
        views[i] = tensor_view(dtypes[i], 2, (size_t[]){OUT, IN}, files[i]);
        bool pack = dtype_is_quantized(dtypes[i]) && i % 2 == 0;
        if (pack) packed_fill(NULL, &packed[i], &views[i], room[i]);
        products[i] =
            (WeightsProduct){&views[i], pack ? &packed[i] : NULL, firsts[i], counts[i], got[i]};
    }
    EACH_ISA (isa) {
        matmul_products(pool, products, MANY, x, 9, scratch);
        for (size_t i = 0; i < MANY; i++) {
            matmul_weights(NULL, &views[i], products[i].packed, x + firsts[i] * IN, counts[i],
                           want, scratch);
            assert_memory_equal(got[i], want, counts[i] * OUT * sizeof *want);
        }
    }
    pool_close(pool);
}

static void inputs_are_rounded(void **state) {
    (void)state;
    uint64_t seed = 9;
    float in[96];
    Inputs c = inputs_view(scratch, 1, 96);
    for (int i = 0; i < 96; i++) in[i] = check_noise(&seed);
    for (int i = 32; i < 64; i++) in[i] = 0;
    in[70] = 1e-40f;
    quantize_input(&c, 0, in);
    for (size_t k = 0; k < 96; k++) {
        float d = c.d[k / 32];
        assert_near((float)c.q[k] * d, in[k], 0.5001 * d);
    }
    int sum = 0;
    for (int k = 16; k < 32; k++) sum += c.q[k];
    assert_int_equal(sum, c.sum[1]);
    assert_true(c.d[1] == 0 && c.q[40] == 0 && c.sum[2] == 0);
    for (int i = 0; i < 96; i++) in[i] = 1e-38f;
    quantize_input(&c, 0, in);
    assert_true(c.d[0] == 0);
}

/* A number that is not finite reaches every output of its column, and no other column. */
static void not_finite_stays_not_finite(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        float in[2 * 64] = {[5] = bad[i]}, out[2 * 16];
        for (int k = 64; k < 128; k++) in[k] = 1;
        memset(stored, 0, 16 * 68);
        Tensor w = tensor_view(DTYPE_Q8_0, 2, (size_t[]){16, 64}, stored);
        EACH_ISA (isa) {
            matmul_weights(NULL, &w, NULL, in, 2, out, scratch);
            for (int r = 0; r < 16; r++) assert_true(isnan(out[r]) && out[16 + r] == 0);
        }
    }
}

/* The quants of random rows are in the range that the format states. */
static void levels_keep_their_span(void **state) {
    (void)state;
    Quants quants;
    for (int f = 0; f < FORMATS; f++) {
        const QuantFormat *format = quant_format(formats[f].dtype);
        size_t bytes = dtype_row_bytes(formats[f].dtype, PANEL_COLS);
        for (uint64_t r = 0; r < 16; r++) {
            fill(f, r, stored);
            format->unpack(stored + r % 4 * bytes, PANEL_COLS, &quants);
            for (int k = 0; k < PANEL_COLS; k++)
                assert_true(format->span == 0 ||
                            (quants.q[k] >= 0 && quants.q[k] <= format->span));
        }
    }
}

/* Blocks of inputs as bytes: the same bits on every instruction set as on the scalar one. */
static void odd_inputs_become_the_same_bytes(void **state) {
    (void)state;
    static const float odd[] = {0,      1,       -3,       1e-30f,    1.1e-30f, -1e-31f,
                                1e-45f, 3.4e38f, INFINITY, -INFINITY, NAN};
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (size_t o = 0; o < sizeof odd / sizeof *odd; o++)
        for (size_t at = 0; at <= 32; at++) { /* 32: all numbers are odd ones */
            float in[32], scale[2];
            int8_t q[2][32];
            int16_t sum[2][2];
            uint64_t seed = at;
            for (size_t i = 0; i < 32; i++)
                in[i] =
                    at == 32 || i == at ? odd[o] : check_noise(&seed) * (o % 2 ? 1e-32f : 1);
            scale[0] = list[0]->quantize_input_block(in, q[0], sum[0]);
            for (int isa = 1; isa < count; isa++) {
                scale[1] = list[isa]->quantize_input_block(in, q[1], sum[1]);
                assert_true(isnan(scale[0]) ? isnan(scale[1]) : scale[0] == scale[1]);
                assert_memory_equal(q[0], q[1], sizeof q[0]);
                assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
            }
        }
}

RUN(TEST(odd_inputs_become_the_same_bytes), TEST(the_textbook), TEST(products),
    TEST(largest_numbers), TEST(odd_shapes), TEST(several_products), TEST(inputs_are_rounded),
    TEST(not_finite_stays_not_finite), TEST(levels_keep_their_span))
