/* quantized formats: sizes, numbers worked out by hand, whole blocks, errors */
#include "check.h"
#include "hash.h"
#include "random_blocks.h"

static void structs_are_as_large_as_the_table_says(void **state) {
    (void)state;
    for (int f = 0; f < FORMATS; f++)
        assert_int_equal(formats[f].bytes, dtype_info(formats[f].dtype)->bytes);
}

/* The bytes that were read or stored have this hash (FNV-1a). */
static void assert_hash(Dtype dtype, const void *bytes, size_t size, uint64_t wanted) {
    uint64_t hash = hash_bytes(HASH_START, bytes, size);
    if (hash != wanted)
        fail_msg("%s differs: 0x%llx", dtype_name(dtype), (unsigned long long)hash);
}

static void whole_blocks_read_as_they_should(void **state) {
    (void)state;
    static unsigned char stored[ROW * 4];
    static float out[ROW];
    for (int f = 0; f < FORMATS; f++) {
        fill(f, 0, stored);
        dequantize_row(formats[f].dtype, stored, out, ROW);
        assert_hash(formats[f].dtype, out, sizeof out, formats[f].hash);
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
    {DTYPE_NVFP4, 0xCDE4BCACECFD6B99u}, {DTYPE_Q1_0, 0x6BC5F931BDBD9084u},
};

/* The same of rows stored by importance; what the search found when the numbers were taken. */
static const struct {
    Dtype dtype;
    uint64_t hash;
} weighted_as[] = {{DTYPE_Q4_0, 0x0F2232AB46D67B2Cu},    {DTYPE_Q4_1, 0x192E0E21CF123DFCu},
                   {DTYPE_Q5_0, 0x3109EA54EA6FD788u},    {DTYPE_Q5_1, 0x33193E8B3C4E3491u},
                   {DTYPE_Q8_0, 0x4759A420F4A638D6u},    {DTYPE_Q2_K, 0x3500FD11F5B98480u},
                   {DTYPE_Q3_K, 0xC156B7A643CE5861u},    {DTYPE_Q4_K, 0xB275A5C3C9947CDBu},
                   {DTYPE_Q5_K, 0x23435C96A07AEAEBu},    {DTYPE_Q6_K, 0x4004F8D6BAD74AE6u},
                   {DTYPE_IQ4_NL, 0x29C71BD01C7BE330u},  {DTYPE_IQ4_XS, 0xDDCB14831081592Cu},
                   {DTYPE_TQ1_0, 0xDD083B1DE80E5F6Fu},   {DTYPE_TQ2_0, 0x70E91D949BB40713u},
                   {DTYPE_MXFP4, 0x360CEC60907E84B9u},   {DTYPE_NVFP4, 0x726565BC1A52AEAEu},
                   {DTYPE_Q1_0, 0xA530CFFC1EB66BEEu},    {DTYPE_IQ1_S, 0x0563358C3CDC57FEu},
                   {DTYPE_IQ1_M, 0x9B366115C080410Bu},   {DTYPE_IQ2_XXS, 0x37D99310035755FEu},
                   {DTYPE_IQ2_XS, 0x90A8FED04670D5FEu},  {DTYPE_IQ2_S, 0x5BD981F8AF383925u},
                   {DTYPE_IQ3_XXS, 0xC14B62E409A31FC2u}, {DTYPE_IQ3_S, 0x0135BB4845F35D60u}};

static void rows_are_stored_by_importance_as_before(void **state) {
    (void)state;
    static unsigned char stored[ROW * 4];
    static float x[ROW], importance[ROW];
    for (size_t f = 0; f < sizeof weighted_as / sizeof *weighted_as; f++) {
        uint64_t seed = 22;
        Dtype dtype = weighted_as[f].dtype;
        for (size_t i = 0; i < ROW; i++) {
            x[i] = i % 512 < 32 ? 0 : check_noise(&seed);
            if (i % 256 > 200) x[i] = fabsf(x[i]); /* blocks without negative numbers */
            importance[i] = (float)(1 + rng_hash(3, 0, i) % 50);
        }
        quantize_row(dtype, x, importance, stored, ROW);
        assert_hash(dtype, stored, dtype_row_bytes(dtype, ROW), weighted_as[f].hash);
    }
}

static void rows_are_stored_as_they_should(void **state) {
    (void)state;
    static unsigned char stored[ROW * 4];
    static float x[ROW], back[ROW];
    for (size_t f = 0; f < sizeof stored_as / sizeof *stored_as; f++) {
        uint64_t seed = 21;
        Dtype dtype = stored_as[f].dtype;
        size_t block = dtype_info(dtype)->block;
        for (size_t i = 0; i < ROW; i++) x[i] = i % 512 < 32 ? 0 : check_noise(&seed);
        assert_true(dtype_is_writable(dtype));
        quantize_row(dtype, x, NULL, stored, ROW);
        assert_hash(dtype, stored, dtype_row_bytes(dtype, ROW), stored_as[f].hash);
        dequantize_row(dtype, stored, back, ROW);
        double most = dtype == DTYPE_Q1_0 ? 1 : 0.51; /* it keeps the signs alone */
        for (size_t b = 0; b < ROW;
             b += block) { /* no number moves by more than half its block's range */
            double range = 0;
            for (size_t i = b; i < b + block; i++) range = fmax(range, fabs((double)x[i]));
            for (size_t i = b; i < b + block; i++)
                assert_near(back[i], x[i], most * range + 1e-30);
        }
    }
    assert_false(dtype_is_writable(DTYPE_Q8_1) || dtype_is_writable(DTYPE_I32));
}

/* Relative error on numbers from a normal distribution.  `max` are the published figures: of
 * the reference algorithms without importance, or (Q2_K to Q6_K, IQ) no worse than these. */
static const struct {
    Dtype dtype;
    double max;
} errors[] = {{DTYPE_Q8_0, 0.0055},   {DTYPE_Q6_K, 0.0177},   {DTYPE_Q5_K, 0.0362},
              {DTYPE_Q5_1, 0.0381},   {DTYPE_Q5_0, 0.0429},   {DTYPE_Q4_K, 0.0714},
              {DTYPE_IQ4_NL, 0.0761}, {DTYPE_IQ4_XS, 0.0767}, {DTYPE_Q4_1, 0.0786},
              {DTYPE_Q4_0, 0.0875},   {DTYPE_MXFP4, 0.117},   {DTYPE_Q3_K, 0.151},
              {DTYPE_Q2_K, 0.297},    {DTYPE_NVFP4, 0.1},     {DTYPE_Q1_0, 0.603},
              {DTYPE_IQ3_S, 0.137},   {DTYPE_IQ3_XXS, 0.181}, {DTYPE_IQ2_S, 0.248},
              {DTYPE_IQ2_XS, 0.299},  {DTYPE_IQ2_XXS, 0.343}, {DTYPE_IQ1_M, 0.451},
              {DTYPE_IQ1_S, 0.485}};

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
    static const Dtype dtypes[] = {
        DTYPE_Q4_0,  DTYPE_Q4_1,    DTYPE_Q5_0,   DTYPE_Q5_1,   DTYPE_Q2_K,    DTYPE_Q3_K,
        DTYPE_Q4_K,  DTYPE_Q5_K,    DTYPE_Q6_K,   DTYPE_IQ4_NL, DTYPE_IQ4_XS,  DTYPE_IQ1_S,
        DTYPE_IQ1_M, DTYPE_IQ2_XXS, DTYPE_IQ2_XS, DTYPE_IQ2_S,  DTYPE_IQ3_XXS, DTYPE_IQ3_S};
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
                if (f == DTYPE_Q1_0 && alone) continue; /* 128 numbers have one size */
                if (quantize_misfit(f, x, 256) < 256) continue;
                double most =
                    f == DTYPE_IQ2_XXS || f == DTYPE_IQ2_XS || f == DTYPE_IQ2_S ? 0.52 : 0.34;
                quantize_row(f, x, NULL, stored, 256);
                dequantize_row(f, stored, back, 256);
                for (int i = 0; i < 256; i++)
                    assert_near(back[i], x[i], most * fabs((double)sizes[s]) + 1e-7);
            }
    }
}

/* Where nothing is important any scale is as good: finite numbers come back. */
static void nothing_is_important(void **state) {
    (void)state;
    static float x[ROW], none[ROW], back[ROW];
    static unsigned char stored[ROW * 4];
    for (uint64_t i = 0; i < ROW; i++) x[i] = (float)normal(i);
    for (Dtype f = 0; f < DTYPE_COUNT; f++) {
        if (!dtype_is_writable(f)) continue;
        quantize_row(f, x, none, stored, ROW);
        dequantize_row(f, stored, back, ROW);
        for (int i = 0; i < ROW; i++)
            if (!isfinite(back[i]))
                fail_msg("%s: number %d is %g", dtype_name(f), i, (double)back[i]);
    }
}

/* A number without importance may lie beyond the quants of the best scale: -19 becomes -16. */
static void unimportant_numbers_are_clamped(void **state) {
    (void)state;
    float x[32] = {-19}, importance[32] = {0}, back[32];
    for (int i = 1; i < 32; i++) x[i] = (float)(i - 16), importance[i] = 1;
    BlockQ5_0 block;
    quantize_row(DTYPE_Q5_0, x, importance, &block, 32);
    dequantize_row(DTYPE_Q5_0, &block, back, 32);
    assert_true(back[0] == -16);
    for (int i = 1; i < 32; i++) assert_true(back[i] == x[i]);
}

/* Of equal numbers the first is the smallest, and the offset: 0, not the -0 behind it. */
static void the_first_zero_is_the_offset(void **state) {
    (void)state;
    float x[32] = {0, -0.0f};
    BlockQ4_1 block;
    for (int i = 2; i < 32; i++) x[i] = (float)(i - 16 > 1 ? i - 16 : 1);
    quantize_row(DTYPE_Q4_1, x, NULL, &block, 32);
    assert_int_equal(block.m, 0);
    assert_int_equal(block.q[15] >> 4, 15);
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
    BlockNVFP4 nv = {.d = {0x38, [3] = 0x41}, .q = {{0x71}, [3] = {[7] = 0x9A}}};
    dequantize_row(DTYPE_NVFP4, &nv, out, 64);
    assert_true(out[0] == 0.5f && out[8] == 6 && out[55] == -2.25f && out[63] == -1.125f);
    BlockQ1_0 q1 = {.d = half, .q = {0x81, [15] = 0x80}};
    dequantize_row(DTYPE_Q1_0, &q1, out, 128);
    assert_true(out[0] == 0.5f && out[1] == -0.5f && out[7] == 0.5f && out[127] == 0.5f);
    BlockQ6_K q6 = {.d = half, .low = {0x21}, .high = {0x24}, .scales = {3, [4] = -2}};
    dequantize_row(DTYPE_Q6_K, &q6, out, 256);
    assert_true(out[0] == 1.5f * (1 - 32) && out[64] == -1 * (2 + 32 - 32));
    BlockTQ2_0 tq = {.d = two, .q = {0x92}};
    dequantize_row(DTYPE_TQ2_0, &tq, out, 256);
    assert_true(out[0] == 2 && out[32] == -2 && out[64] == 0 && out[96] == 2);
}

/* The value of a float with `bits` bits of exponent and `rest` of mantissa, without infinities:
 * in double precision, from the definition. */
static double small_float(unsigned code, int bits, int rest) {
    int exponent = (int)(code >> rest) & ((1 << bits) - 1), bias = (1 << (bits - 1)) - 1;
    double mantissa = (double)(code & ((1u << rest) - 1)) / (1 << rest);
    double value =
        exponent ? (1 + mantissa) * pow(2, exponent - bias) : mantissa * pow(2, 1 - bias);
    return code >> (bits + rest) & 1 ? -value : value;
}

/* Every scale with every four-bit float; 0x7F, which is no number, counts as 0. */
static void nvfp4_by_its_definition(void **state) {
    (void)state;
    float out[64];
    for (unsigned d = 0; d < 256; d++)
        for (unsigned code = 0; code < 16; code++) {
            BlockNVFP4 block;
            memset(&block, (int)(code * 17), sizeof block);
            for (unsigned s = 0; s < 4; s++) block.d[s] = (uint8_t)(d ^ s);
            dequantize_row(DTYPE_NVFP4, &block, out, 64);
            for (unsigned k = 0; k < 64; k++) {
                unsigned byte = block.d[k / 16];
                double scale = byte == 0x7F ? 0 : small_float(byte & 127, 4, 3);
                assert_true((double)out[k] == scale * small_float(code, 2, 1));
            }
        }
}

/* Each scale is found for 16 numbers of which the largest is 6 times it; all that a scale and
 * four bits can say comes back. */
static void nvfp4_keeps_what_it_can_say(void **state) {
    (void)state;
    float x[64], back[64];
    BlockNVFP4 block;
    for (unsigned d = 1; d < 0x7F; d++) {
        if (d > 0x77 && d < 0x7E) continue; /* the published writer takes the largest */
        for (unsigned k = 0; k < 64; k++)
            x[k] = (float)(small_float(d, 4, 3) * small_float(7 + (k % 16) * 3, 2, 1));
        quantize_row(DTYPE_NVFP4, x, NULL, &block, 64);
        dequantize_row(DTYPE_NVFP4, &block, back, 64);
        for (int s = 0; s < 4; s++) assert_int_equal(block.d[s], d);
        for (int k = 0; k < 64; k++) assert_true(back[k] == x[k]);
    }
    x[3] = 2689;
    assert_int_equal(quantize_misfit(DTYPE_NVFP4, x, 64), 3);
    x[3] = 2688;
    assert_int_equal(quantize_misfit(DTYPE_NVFP4, x, 64), 64);
}

/* Every bit of 128 in turn, with a size of each sign. */
static void q1_0_by_its_definition(void **state) {
    (void)state;
    static const uint16_t sizes[] = {0x3800, 0xB800, 0x0001, 0x7BFF};
    float out[128];
    for (int s = 0; s < 4; s++)
        for (int bit = 0; bit < 128; bit++) {
            BlockQ1_0 block = {.d = sizes[s]};
            block.q[bit / 8] = (uint8_t)(1 << bit % 8);
            dequantize_row(DTYPE_Q1_0, &block, out, 128);
            double d = (double)f16_to_f32(sizes[s]);
            for (int k = 0; k < 128; k++) assert_true((double)out[k] == (k == bit ? d : -d));
        }
}

RUN(TEST(structs_are_as_large_as_the_table_says), TEST(whole_blocks_read_as_they_should),
    TEST(rows_are_stored_as_they_should), TEST(errors_are_as_published),
    TEST(rows_are_stored_by_importance_as_before), TEST(importance_counts), TEST(hard_blocks),
    TEST(nothing_is_important), TEST(unimportant_numbers_are_clamped),
    TEST(the_first_zero_is_the_offset), TEST(by_hand), TEST(nvfp4_by_its_definition),
    TEST(nvfp4_keeps_what_it_can_say), TEST(q1_0_by_its_definition))
