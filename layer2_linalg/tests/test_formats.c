/* quantized formats: sizes, numbers worked out by hand, whole blocks, errors */
#include "check.h"
#include "random_blocks.h"

static void structs_are_as_large_as_the_table_says(void **state) {
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        assert_int_equal(formats[f].bytes, dtype_info(formats[f].dtype)->bytes);
}

static void whole_blocks_read_as_they_should(void **state) {
    (void)state;
    static unsigned char stored[ROW * 4];
    static float out[ROW];
    for (int f = 0; f < FORMATS; f++) {
        uint64_t hash = 0xCBF29CE484222325u;
        fill(f, 0, stored);
        dequantize_row(formats[f].dtype, stored, out, ROW);
        const unsigned char *bytes = (const unsigned char *)out;
        for (size_t i = 0; i < sizeof out; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
        if (hash != formats[f].hash)
            fail_msg("%s reads differently: 0x%llx", dtype_name(formats[f].dtype),
                     (unsigned long long)hash);
    }
}

/* FNV-1a of a row of noise that was stored; the same bytes as llama.cpp's reference (checked
 * when the numbers were taken, on 200 rows). */
static const struct {
    Dtype dtype;
    uint64_t hash;
} stored_as[] = {
    {DTYPE_Q4_0, 0xED5361C25C8CEE19u},  {DTYPE_Q4_1, 0xA7DEF815A3B9AF3Eu},
    {DTYPE_Q5_0, 0xF88B5694A8A1D4E0u},  {DTYPE_Q5_1, 0x11D1654B5BD3EE61u},
    {DTYPE_Q8_0, 0x9E1C148E95A04A72u},  {DTYPE_MXFP4, 0x469A471710E04965u},
    {DTYPE_TQ1_0, 0xB13F0F178D1BE5B8u}, {DTYPE_TQ2_0, 0xFED83C98D5E8A9F1u},
};

static void rows_are_stored_as_they_should(void **state) {
    (void)state;
    static unsigned char stored[ROW * 4];
    static float x[ROW], back[ROW];
    for (size_t f = 0; f < sizeof stored_as / sizeof *stored_as; f++) {
        uint64_t seed = 21, hash = 0xCBF29CE484222325u;
        Dtype dtype = stored_as[f].dtype;
        size_t block = dtype_info(dtype)->block;
        for (size_t i = 0; i < ROW; i++) x[i] = i % 512 < 32 ? 0 : check_noise(&seed);
        assert_true(dtype_is_writable(dtype));
        quantize_row(dtype, x, NULL, stored, ROW);
        for (size_t i = 0; i < dtype_row_bytes(dtype, ROW); i++)
            hash = (hash ^ stored[i]) * 0x100000001B3u;
        if (hash != stored_as[f].hash)
            fail_msg("%s is stored differently: 0x%llx", dtype_name(dtype),
                     (unsigned long long)hash);
        dequantize_row(dtype, stored, back, ROW);
        for (size_t b = 0; b < ROW;
             b += block) { /* no number moves by more than half its block's range */
            double range = 0;
            for (size_t i = b; i < b + block; i++) range = fmax(range, fabs((double)x[i]));
            for (size_t i = b; i < b + block; i++)
                assert_near(back[i], x[i], 0.51 * range + 1e-30);
        }
    }
    assert_false(dtype_is_writable(DTYPE_IQ2_S));
}

/* Relative error on numbers from a normal distribution.  `max` are the published figures: of
 * the reference algorithms without importance, or (Q2_K to Q6_K, IQ4) no worse than these. */
static const struct {
    Dtype dtype;
    double max;
} errors[] = {{DTYPE_Q8_0, 0.0055},   {DTYPE_Q6_K, 0.0177},   {DTYPE_Q5_K, 0.0362},
              {DTYPE_Q5_1, 0.0381},   {DTYPE_Q5_0, 0.0429},   {DTYPE_Q4_K, 0.0714},
              {DTYPE_IQ4_NL, 0.0761}, {DTYPE_IQ4_XS, 0.0767}, {DTYPE_Q4_1, 0.0786},
              {DTYPE_Q4_0, 0.0875},   {DTYPE_MXFP4, 0.117},   {DTYPE_Q3_K, 0.151},
              {DTYPE_Q2_K, 0.297}};

static double normal(uint64_t i) {
    return sqrt(-2 * log(1 - rng_unit(3, i, 0))) * cos(2 * M_PI * rng_unit(3, i, 1));
}

static double error_of(Dtype dtype, const float *x, const float *importance, size_t n) {
    static unsigned char stored[ROW * 64];
    static float back[ROW * 16];
    double error = 0, power = 0;
    quantize_row(dtype, x, importance, stored, n);
    dequantize_row(dtype, stored, back, n);
    for (size_t i = 0; i < n; i++) {
        double w = importance ? (double)importance[i] : 1;
        error += w * pow((double)back[i] - (double)x[i], 2), power += w * pow((double)x[i], 2);
    }
    return sqrt(error / power);
}

static void errors_are_as_published(void **state) {
    (void)state;
    enum { N = ROW * 16 };
    static float x[N];
    for (uint64_t i = 0; i < N; i++) x[i] = (float)normal(i);
    for (size_t f = 0; f < sizeof errors / sizeof *errors; f++) {
        double error = error_of(errors[f].dtype, x, NULL, N);
        if (!(error <= errors[f].max))
            fail_msg("%s errs by %g, wanted %g", dtype_name(errors[f].dtype), error,
                     errors[f].max);
    }
}

/* Numbers of higher importance have smaller errors. */
static void importance_counts(void **state) {
    (void)state;
    static const Dtype dtypes[] = {DTYPE_Q4_0, DTYPE_Q4_1,   DTYPE_Q5_0,  DTYPE_Q5_1,
                                   DTYPE_Q2_K, DTYPE_Q3_K,   DTYPE_Q4_K,  DTYPE_Q5_K,
                                   DTYPE_Q6_K, DTYPE_IQ4_NL, DTYPE_IQ4_XS};
    static float x[ROW], importance[ROW], back[ROW];
    static unsigned char stored[ROW * 4];
    for (uint64_t i = 0; i < ROW; i++) {
        x[i] = (float)normal(i);
        importance[i] = i % 3 == 0 ? 100 : 1;
    }
    for (size_t f = 0; f < sizeof dtypes / sizeof *dtypes; f++) {
        double with = error_of(dtypes[f], x, importance, ROW), without = 0, power = 0;
        quantize_row(dtypes[f], x, NULL, stored, ROW);
        dequantize_row(dtypes[f], stored, back, ROW);
        for (size_t i = 0; i < ROW; i++)
            without += (double)importance[i] * pow((double)back[i] - (double)x[i], 2),
                power += (double)importance[i] * pow((double)x[i], 2);
        if (!(with < sqrt(without / power)))
            fail_msg("importance does not help %s", dtype_name(dtypes[f]));
    }
}

/* Zeros, one nonzero, all equal, huge and tiny numbers. */
static void hard_blocks(void **state) {
    (void)state;
    static float x[256], back[256];
    static unsigned char stored[2048];
    static const float sizes[] = {0, 1, -1, 1e-30f, 1e4f};
    for (Dtype f = 0; f < DTYPE_COUNT; f++) {
        if (!dtype_is_writable(f)) continue;
        for (int s = 0; s < 5; s++)
            for (int alone = 0; alone < 2; alone++) {
                for (int i = 0; i < 256; i++) x[i] = alone && i != 77 ? 0 : sizes[s];
                quantize_row(f, x, NULL, stored, 256);
                dequantize_row(f, stored, back, 256);
                for (int i = 0; i < 256; i++)
                    assert_near(back[i], x[i], 0.34 * fabs((double)sizes[s]) + 1e-7);
            }
    }
}

static void by_hand(void **state) {
    (void)state;
    float out[256];
    const uint16_t half = 0x3800, two = 0x4000; /* 0.5 and 2 as f16 */
    BlockQ4_0 q4 = {.d = half, .q = {0x1F, [15] = 0x80}};
    dequantize_row(DTYPE_Q4_0, &q4, out, 32);
    assert_true(out[0] == 3.5f && out[16] == -3.5f && out[15] == -4 && out[31] == 0);
    BlockQ4_1 q41 = {.d = half, .m = two, .q = {0x31}};
    dequantize_row(DTYPE_Q4_1, &q41, out, 32);
    assert_true(out[0] == 2.5f && out[16] == 3.5f && out[1] == 2);
    BlockQ5_0 q5 = {.d = two, .high = {1, 0, 1}, .q = {0x52}};
    dequantize_row(DTYPE_Q5_0, &q5, out, 32);
    assert_true(out[0] == 2 * (18 - 16) && out[16] == 2 * (21 - 16) && out[1] == -32);
    BlockIQ4_NL nl = {.d = half, .q = {0xF0}};
    dequantize_row(DTYPE_IQ4_NL, &nl, out, 32);
    assert_true(out[0] == -63.5f && out[16] == 56.5f);
    BlockMXFP4 mx = {.exponent = 127, .q = {0x71, 0x9A}};
    dequantize_row(DTYPE_MXFP4, &mx, out, 32);
    assert_true(out[0] == 0.5f && out[16] == 6 && out[1] == -1 && out[17] == -0.5f);
    BlockQ6_K q6 = {.d = half, .low = {0x21}, .high = {0x24}, .scales = {3, [4] = -2}};
    dequantize_row(DTYPE_Q6_K, &q6, out, 256);
    assert_true(out[0] == 1.5f * (1 - 32) && out[64] == -1 * (2 + 32 - 32));
    BlockTQ2_0 tq = {.d = two, .q = {0x92}};
    dequantize_row(DTYPE_TQ2_0, &tq, out, 256);
    assert_true(out[0] == 2 && out[32] == -2 && out[64] == 0 && out[96] == 2);
}

RUN(TEST(structs_are_as_large_as_the_table_says), TEST(whole_blocks_read_as_they_should),
    TEST(rows_are_stored_as_they_should), TEST(errors_are_as_published),
    TEST(importance_counts), TEST(hard_blocks), TEST(by_hand))
