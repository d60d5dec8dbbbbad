/* quantized formats: sizes, numbers worked out by hand, whole blocks, products */
#include "check.h"
#include "linalg.h"

/* FNV-1a of what a row of random blocks reads as.  These rows read to the same bits in llama.cpp's reference
 * dequantizers (checked when the numbers were taken). */
static const struct {
    Dtype dtype;
    size_t bytes;
    int d[2]; /* where f16 scales lie in a block; -1: none */
    uint64_t hash;
} formats[] = {{DTYPE_Q4_0, sizeof(BlockQ4_0), {0, -1}, 0x46F4E58C644D5CBFu},
               {DTYPE_Q4_1, sizeof(BlockQ4_1), {0, 2}, 0xDE6B70073AFBE9DDu},
               {DTYPE_Q5_0, sizeof(BlockQ5_0), {0, -1}, 0x0317678EE8E2F0F3u},
               {DTYPE_Q5_1, sizeof(BlockQ5_1), {0, 2}, 0xC0687BB6B7C8BFA4u},
               {DTYPE_Q8_0, sizeof(BlockQ8_0), {0, -1}, 0x5BFDBE674F0CCF19u},
               {DTYPE_Q2_K, sizeof(BlockQ2_K), {80, 82}, 0xD49D8F50E72EEAE1u},
               {DTYPE_Q3_K, sizeof(BlockQ3_K), {108, -1}, 0xC1530EBB1A9264D0u},
               {DTYPE_Q4_K, sizeof(BlockQ4_K), {0, 2}, 0xEECEE9864C6B0133u},
               {DTYPE_Q5_K, sizeof(BlockQ5_K), {0, 2}, 0x04105C9FEF72B67Eu},
               {DTYPE_Q6_K, sizeof(BlockQ6_K), {208, -1}, 0xBE5172742E2939C9u},
               {DTYPE_IQ4_NL, sizeof(BlockIQ4_NL), {0, -1}, 0x39878D3468758B41u},
               {DTYPE_IQ4_XS, sizeof(BlockIQ4_XS), {0, -1}, 0x529052764C6A0C22u},
               {DTYPE_MXFP4, sizeof(BlockMXFP4), {-1, -1}, 0x08304A7696638F34u},
               {DTYPE_TQ1_0, sizeof(BlockTQ1_0), {52, -1}, 0x4D5DA2BBB09C705Cu},
               {DTYPE_TQ2_0, sizeof(BlockTQ2_0), {64, -1}, 0xBD6EB1AF068FE35Du}};
enum { FORMATS = sizeof formats / sizeof *formats, ROW = 1024 };

/* Random bytes, with scales that are sane numbers. */
static void fill(int f, uint64_t row, unsigned char *out) {
    size_t bytes = dtype_row_bytes(formats[f].dtype, ROW);
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)rng_hash(7 + row, (uint64_t)formats[f].dtype, i);
    for (size_t at = 0; at < bytes; at += formats[f].bytes)
        for (int k = 0; k < 2; k++) {
            if (formats[f].d[k] < 0) continue;
            uint16_t d = f16_from_f32((float)(rng_unit(8 + row, at, (uint64_t)k) - 0.4) / 16);
            memcpy(out + at + formats[f].d[k], &d, 2);
        }
    for (size_t at = 0; formats[f].dtype == DTYPE_MXFP4 && at < bytes; at += 17)
        out[at] = (unsigned char)(110 + out[at] % 20);
}

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

/* FNV-1a of a row of noise that was stored; the same bytes as llama.cpp's reference (checked when
 * the numbers were taken, on 200 rows). */
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
        quantize_row(dtype, x, stored, ROW);
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
    assert_false(dtype_is_writable(DTYPE_Q4_K));
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

/* The product of stored rows with columns: within the bound, and no output knows its company. */
static void products(void **state) {
    (void)state;
    enum { ROWS = 7, COLS = 5 };
    static unsigned char stored[ROWS * ROW * 4];
    static float x[COLS * ROW], row[ROW], y[COLS * ROWS], one[ROWS];
    const Kernels *list[4];
    int count = kernels_list(list);
    uint64_t seed = 4;
    for (size_t i = 0; i < COLS * ROW; i++) x[i] = check_noise(&seed);
    for (int isa = 0; isa < count; isa++) {
        assert_true(kernels_select(list[isa]->isa, NULL));
        for (int f = 0; f < FORMATS; f++) {
            size_t bytes = dtype_row_bytes(formats[f].dtype, ROW);
            const size_t shape[2] = {ROWS, ROW};
            for (uint64_t r = 0; r < ROWS; r++) fill(f, r, stored + r * bytes);
            Tensor w = tensor_view(formats[f].dtype, 2, shape, stored);
            matmul_weights(NULL, &w, x, COLS, y);
            for (size_t r = 0; r < ROWS; r++) {
                dequantize_row(formats[f].dtype, stored + r * bytes, row, ROW);
                for (size_t c = 0; c < COLS; c++) {
                    double sum = 0, size = 0;
                    for (size_t k = 0; k < ROW; k++) {
                        double p = (double)row[k] * (double)x[c * ROW + k];
                        sum += p, size += fabs(p);
                    }
                    assert_near(y[c * ROWS + r], sum, (ROW + 1) * 0x1p-24 * size);
                }
            }
            for (size_t c = 0; c < COLS; c++) {
                matvec(NULL, &w, x + c * ROW, one);
                assert_memory_equal(one, y + c * ROWS, sizeof one);
            }
            assert_true(dot_row(formats[f].dtype, stored, x, ROW) == y[0]);
        }
    }
    assert_true(kernels_select("auto", NULL));
    assert_false(dtype_is_computable(DTYPE_I32) || dtype_is_computable(999));
}

RUN(TEST(structs_are_as_large_as_the_table_says), TEST(whole_blocks_read_as_they_should),
    TEST(rows_are_stored_as_they_should), TEST(by_hand), TEST(products))
