/* matmul: naive, blocked, packed and stored weights; shapes, strides, threads */
#include "../src/blocks.h"
#include "../src/kernels/kernel_table.h"
#include "every_isa.h"
#include "linalg.h"
#include "peak.h"

static float *noise(size_t n, uint64_t seed) {
    float *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = check_noise(&seed);
    return x;
}

static void check_product(size_t m, size_t n, size_t k, Matrix a, Matrix b, const float *before,
                          const float *c, bool add) {
    double gamma = (double)(k + 1) * 0x1p-24 * 1.01;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = add ? (double)before[i * n + j] : 0, size = fabs(sum);
            for (size_t p = 0; p < k; p++) {
                double t = (double)a.data[i * a.row + p * a.col] *
                           (double)b.data[p * b.row + j * b.col];
                sum += t, size += fabs(t);
            }
            assert_near(c[i * n + j], sum, gamma * size);
        }
}

static void products(size_t m, size_t n, size_t k, bool turn_a, bool turn_b, bool add) {
    float *a_data = noise(m * k, 1), *b_data = noise(k * n, 2), *before = noise(m * n, 3);
    float *c = malloc((m * n + 1) * sizeof *c),
          *scratch = malloc(matmul_scratch_floats(1, n) * sizeof *scratch);
    Matrix a = turn_a ? (Matrix){a_data, 1, m} : (Matrix){a_data, k, 1},
           b = turn_b ? (Matrix){b_data, 1, k} : (Matrix){b_data, n, 1};
    for (int kind = 0; kind < 3; kind++) {
        memcpy(c, before, m * n * sizeof *c);
        if (kind == 0) matmul_naive(m, n, k, a, b, c, n, add);
        if (kind == 1) matmul_blocked(m, n, k, a, b, c, n, add);
        if (kind == 2) matmul_packed(NULL, m, n, k, a, b, c, n, add, scratch);
        check_product(m, n, k, a, b, before, c, add);
    }
    free(a_data), free(b_data), free(before), free(c), free(scratch);
}

static void every_shape_and_stride(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{1, 1, 1},  {1, 7, 3},    {5, 4, 0},     {6, 16, 8},
                                       {7, 17, 9}, {13, 50, 33}, {49, 97, 300}, {100, 33, 513}};
    EACH_ISA (isa)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int bits = 0; bits < 8; bits++)
                products(shapes[s][0], shapes[s][1], shapes[s][2], bits & 1, bits & 2,
                         bits & 4);
}

/* The bits depend neither on the number of threads nor on how much else is computed. */
static void threads_and_company_change_nothing(void **state) {
    (void)state;
    size_t m = 130, n = 70, k = 400;
    float *a = noise(m * k, 4), *b = noise(k * n, 5), *one = malloc(m * n * 4),
          *many = malloc(m * n * 4), *part = malloc(m * n * 4);
    float *scratch = malloc(matmul_scratch_floats(4, n) * sizeof *scratch);
    matmul_packed(NULL, m, n, k, (Matrix){a, k, 1}, (Matrix){b, n, 1}, one, n, false, scratch);
    for (int threads = 2; threads <= 4; threads++) {
        Pool *pool = pool_open(threads, false, NULL);
        matmul_packed(pool, m, n, k, (Matrix){a, k, 1}, (Matrix){b, n, 1}, many, n, false,
                      scratch);
        assert_memory_equal(one, many, m * n * 4);
        pool_close(pool);
    }
    matmul_packed(NULL, 3, 5, k, (Matrix){a + 20 * k, k, 1}, (Matrix){b + 40, n, 1}, part, 5,
                  false, scratch);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(part + i * 5, one + (20 + i) * n + 40, 20);
    free(a), free(b), free(one), free(many), free(part), free(scratch);
}

/* X X' and its square, mirrored: the bits of the whole product. */
static void symmetric_products_are_mirrored(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{1, 3}, {5, 2}, {48, 40}, {97, 300}, {200, 513}};
    Pool *pool = pool_open(3, false, NULL);
    EACH_ISA (isa)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t n = sizes[s][0], k = sizes[s][1], bytes = n * n * sizeof(float);
            float *x = noise(n * k, 6), *whole = malloc(bytes), *half = malloc(bytes),
                  *scratch = malloc(matmul_scratch_floats(3, n) * sizeof *scratch),
                  *square = malloc(bytes);
            Matrix plain = {x, k, 1}, turned = {x, 1, k}, gram = {whole, n, 1};
            memset(half, 0xFF, bytes);
            matmul_packed(NULL, n, n, k, plain, turned, whole, n, false, scratch);
            matmul_symmetric(pool, n, k, plain, turned, half, scratch);
            assert_memory_equal(half, whole, bytes);
            matmul_packed(NULL, n, n, n, gram, gram, square, n, false, scratch);
            matmul_symmetric(NULL, n, n, gram, gram, half, scratch);
            assert_memory_equal(half, square, bytes);
            free(x), free(whole), free(half), free(scratch), free(square);
        }
    pool_close(pool);
}

/* x as products with weights of a format round it. */
static void see_inputs(Dtype dtype, const float *x, float *seen, size_t n) {
    for (size_t i = 0; i < n; i++) seen[i] = kernels_input(dtype, x[i]);
}

static void stored_weights(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    size_t out = 101, in = 96, n = 53;
    float *w = noise(out * in, 6), *x = noise(n * in, 7), *y = malloc(n * out * 4),
          *z = malloc(n * out * 4), *back = malloc(out * in * 4), *seen = malloc(n * in * 4);
    void *stored = malloc(out * in * 4);
    Pool *pool = pool_open(3, false, NULL);
    EACH_ISA (isa)
        for (int f = 0; f < 3; f++) {
            quantize_row(formats[f], w, NULL, stored, out * in);
            dequantize_row(formats[f], stored, back, out * in);
            see_inputs(formats[f], x, seen, n * in);
            Tensor t = tensor_view(formats[f], 2, (size_t[]){out, in}, stored);
            matmul_weights(NULL, &t, NULL, x, n, y, NULL);
            check_product(n, out, in, (Matrix){seen, in, 1}, (Matrix){back, 1, in}, NULL, y,
                          false);
            matmul_weights(pool, &t, NULL, x, n, z, NULL);
            assert_memory_equal(y, z, n * out * 4);
            matvec(pool, &t, x + 17 * in, z, NULL);
            assert_memory_equal(y + 17 * out, z, out * 4);
        }
    pool_close(pool);
    free(w), free(x), free(y), free(z), free(back), free(stored), free(seen);
}

/* A slice of columns gives the same as a copy of it. */
static void columns_of_a_matrix(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_Q8_0, DTYPE_Q4_K};
    enum { OUT = 37, IN = 1024, FIRST = 256, PART = 512, N = 5 };
    float *w = noise(OUT * IN, 12), *x = noise(N * PART, 13), *got = malloc(N * OUT * 4),
          *want = malloc(N * OUT * 4);
    unsigned char *stored = malloc(OUT * IN * 4), *copy = malloc(OUT * PART * 4),
                  *room = malloc(packed_bytes(DTYPE_Q8_0, OUT, PART)),
                  *scratch = malloc(matmul_weights_bytes(N, PART));
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        size_t bytes = dtype_row_bytes(formats[f], PART);
        quantize_row(formats[f], w, NULL, stored, OUT * IN);
        Tensor all = tensor_view(formats[f], 2, (size_t[]){OUT, IN}, stored),
               part = tensor_slice(&all, 1, FIRST, FIRST + PART),
               alike = tensor_view(formats[f], 2, (size_t[]){OUT, PART}, copy);
        for (size_t r = 0; r < OUT; r++)
            memcpy(copy + r * bytes,
                   stored + r * dtype_row_bytes(formats[f], IN) +
                       dtype_row_bytes(formats[f], FIRST),
                   bytes);
        matmul_weights(NULL, &alike, NULL, x, N, want, scratch);
        matmul_weights(NULL, &part, NULL, x, N, got, scratch);
        assert_memory_equal(got, want, N * OUT * 4);
        if (!dtype_is_quantized(formats[f])) continue;
        PackedWeights packed;
        packed_fill(NULL, &packed, &part, room);
        matmul_weights(NULL, &part, &packed, x, N, got, scratch);
        assert_memory_equal(got, want, N * OUT * 4);
    }
    free(w), free(x), free(got), free(want), free(stored), free(copy), free(room),
        free(scratch);
}

static void transposed_weights(void) {
    float w[6] = {0}, x[2] = {0}, y[3];
    Tensor t = tensor_view(DTYPE_F32, 2, (size_t[]){2, 3}, w),
           turned = tensor_transpose(&t, 0, 1);
    matvec(NULL, &turned, x, y, NULL);
}

static void a_transpose_is_refused(void **state) {
    (void)state;
    check_abort(transposed_weights, "transposed");
}

static void formats_round_to_nearest(void **state) {
    (void)state;
    float x[64], back[64];
    BlockQ8_0 blocks[2];
    uint64_t seed = 8;
    for (int i = 0; i < 64; i++) x[i] = check_noise(&seed);
    for (int i = 32; i < 64; i++) x[i] = 0;
    quantize_row(DTYPE_Q8_0, x, NULL, blocks, 64);
    dequantize_row(DTYPE_Q8_0, blocks, back, 64);
    float max = 0;
    for (int i = 0; i < 32; i++) max = fmaxf(max, fabsf(x[i]));
    for (int i = 0; i < 32; i++) assert_near(back[i], x[i], max / 127 * 0.51 + max * 0x1p-10);
    for (int i = 32; i < 64; i++) assert_true(back[i] == 0);
    uint16_t half[64];
    quantize_row(DTYPE_BF16, x, NULL, half, 64);
    dequantize_row(DTYPE_BF16, half, back, 64);
    for (int i = 0; i < 64; i++) assert_near(back[i], x[i], fabs((double)x[i]) * 0x1p-8);
    assert_true(dtype_is_computable(DTYPE_F16) && !dtype_is_computable(24));
}

/* The best of all tries so far: another program may take the core while one is measured. */
typedef struct Peaks {
    double floats, bytes, cache, memory;
} Peaks;

static void measure_again(Peaks *best) {
    best->floats = fmax(best->floats, peak_gflops(NULL, 0.01));
    best->bytes = fmax(best->bytes, peak_gops_bytes(NULL, 0.01));
    best->cache = fmax(best->cache, cache_gigabytes(NULL, 16 << 10, 0.01));
    best->memory = fmax(best->memory, cache_gigabytes(NULL, 64 << 20, 0.01));
}

/* Bytes are not much slower than floats (where that is measured; without VNNI they are hardly
 * faster), and a cache is faster than main memory. */
static void the_peak_is_above_the_product(void **state) {
    (void)state;
    Peaks best = {0};
    bool in_order = false;
    for (int tries = 0; !in_order && tries < 60; tries++) {
        measure_again(&best);
        in_order =
            (best.bytes == 0 || best.bytes > best.floats / 2) && best.cache > best.memory;
    }
    assert_true(best.floats > 0.1);
    if (!in_order)
        fail_msg("GFLOP/s %g, with bytes %g; GB/s of a cache %g, of memory %g", best.floats,
                 best.bytes, best.cache, best.memory);
}

RUN(TEST(every_shape_and_stride), TEST(threads_and_company_change_nothing),
    TEST(symmetric_products_are_mirrored), TEST(stored_weights), TEST(columns_of_a_matrix),
    TEST(a_transpose_is_refused), TEST(formats_round_to_nearest),
    TEST(the_peak_is_above_the_product))
