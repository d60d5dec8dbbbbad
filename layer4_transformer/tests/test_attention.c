/* masks and attention: all forms against double precision; gradients against differences */
#include "exact.h"
#include "open_kv.h"

static void noise(float *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) x[i] = (float)rng_unit(seed, 0, i) * 4 - 2;
}

/* one output row of one head, in double */
static void exact(const AttentionShape *s, size_t n, size_t row, size_t head, const double *q,
                  const double *k, const double *v, double *out) {
    const ExactQuery at = {head, row, mask_range(s->mask, row, n), NULL};
    exact_head(s, &at, q + row * s->heads * s->head_dim, k, v, out);
}

/* Attention over one sequence, with keys and values stored as dtype. */
static void kept_as(Pool *pool, const AttentionShape *s, size_t n, KvFormat format,
                    const float *q, const float *k, const float *v, float *out) {
    size_t k_dim = s->kv_heads * s->head_dim, v_dim = s->kv_heads * attention_value_dim(s);
    int32_t sequence[EXACT_LENGTH] = {0}, position[EXACT_LENGTH];
    Arena arena;
    KvCache kv;
    KvShape shape = {
        .kv_heads = s->kv_heads, .key_dim = s->head_dim, .value_dim = attention_value_dim(s)};
    kv_open(&kv, &arena,
            (KvConfig){.shapes = &shape,
                       .layers = 1,
                       .dtype = format.dtype,
                       .hadamard = format.hadamard,
                       .sequences = 2,
                       .ctx = EXACT_LENGTH});
    assert_true(kv_extend(&kv, 1, 70) &&
                kv_extend(&kv, 0, n)); /* pages of another sequence lie before */
    for (size_t i = 0; i < n; i++) {
        position[i] = (int32_t)i;
        kv_store(&kv, 0, 0, i, k + i * k_dim, v + i * v_dim);
    }
    float *asked = malloc(n * s->heads * s->head_dim * sizeof *asked);
    memcpy(asked, q, n * s->heads * s->head_dim * sizeof *asked);
    attention_online(pool, s, &kv, 0,
                     &(Batch){.count = n, .sequence = sequence, .position = position}, asked,
                     out);
    free(asked);
    arena_free(&arena);
}

static void remembered(Pool *pool, const AttentionShape *s, size_t n, Dtype dtype,
                       const float *q, const float *k, const float *v, float *out) {
    kept_as(pool, s, n, (KvFormat){dtype, false}, q, k, v, out);
}

static void round_to_halves(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = f16_to_f32(f16_from_f32(x[i]));
}

/* The three forms of attention: textbook, whole sequences, over the cache. */
static void all_forms(Pool *pool, const AttentionShape *s, size_t n, const float *q,
                      const float *k, const float *v, float *out[3]) {
    size_t start[2] = {0, n};
    float *scores = malloc((n + 1) * sizeof *scores),
          *scratch = malloc(attention_scratch_floats(2, n) * sizeof *scratch);
    attention(s, n, q, k, v, out[0], scores);
    remembered(pool, s, n, DTYPE_F32, q, k, v, out[1]);
    if (s->sinks || s->value_dim) /* not supported in training */
        remembered(NULL, s, n, DTYPE_F32, q, k, v, out[2]);
    else
        attention_sequences(
            pool,
            &(AttentionTask){s, {start, 1}, scratch, .q = q, .k = k, .v = v, .out = out[2]});
    free(scores), free(scratch);
}

static void check_forms(const AttentionShape *s, size_t n, const float *q, const float *k,
                        const float *v, float *const out[3]) {
    size_t vd = attention_value_dim(s);
    double *qd = exact_copy(q, n * s->heads * s->head_dim),
           *kd = exact_copy(k, n * s->kv_heads * s->head_dim),
           *vd_ = exact_copy(v, n * s->kv_heads * vd), want[64];
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < s->heads; h++) {
            exact(s, n, i, h, qd, kd, vd_, want);
            for (size_t d = 0; d < vd; d++) /* |values| <= 2, scores up to 20 */
                for (int form = 0; form < 3; form++)
                    assert_near(out[form][(i * s->heads + h) * vd + d], want[d], 2e-5);
        }
    free(qd), free(kd), free(vd_);
}

static void check_shape(AttentionShape s, size_t n) {
    size_t q_dim = s.heads * s.head_dim, k_dim = s.kv_heads * s.head_dim,
           v_dim = s.kv_heads * attention_value_dim(&s),
           out_dim = s.heads * attention_value_dim(&s);
    float *q = malloc(n * q_dim * 4), *k = malloc(n * k_dim * 4), *v = malloc(n * v_dim * 4),
          *out[3];
    for (int form = 0; form < 3; form++) out[form] = malloc(n * out_dim * 4);
    noise(q, n * q_dim, 1), noise(k, n * k_dim, 2), noise(v, n * v_dim, 3);
    s.scale = 1 / sqrtf((float)s.head_dim);
    Pool *pool = pool_open(2, false, NULL);
    all_forms(pool, &s, n, q, k, v, out);
    check_forms(&s, n, q, k, v, out);
    /* f16 loses nothing of numbers that are halves */
    round_to_halves(k, n * k_dim), round_to_halves(v, n * v_dim);
    remembered(pool, &s, n, DTYPE_F32, q, k, v, out[0]);
    remembered(pool, &s, n, DTYPE_F16, q, k, v, out[1]);
    assert_memory_equal(out[0], out[1], n * out_dim * sizeof **out);
    pool_close(pool);
    for (int form = 0; form < 3; form++) free(out[form]);
    free(q), free(k), free(v);
}

/* x (rows, dim) quantized and back. */
static void round_rows(KvFormat format, float *x, size_t rows, size_t dim) {
    const size_t padded = (dim + 31) / 32 * 32;
    for (size_t r = 0; r < rows; r++, x += dim) {
        float row[256] = {0};
        char stored[1024];
        memcpy(row, x, dim * sizeof *x);
        if (format.hadamard) hadamard(row, dim, hadamard_block(dim));
        quantize_row(format.dtype, row, NULL, stored, padded);
        dequantize_row(format.dtype, stored, row, padded);
        if (format.hadamard) hadamard(row, dim, hadamard_block(dim));
        memcpy(x, row, dim * sizeof *x);
    }
}

/* Queries (rows, dim) quantized as for Q8_0 keys, and back. */
static void round_queries(KvFormat format, float *x, size_t rows, size_t dim) {
    if (format.dtype != DTYPE_Q8_0) return;
    for (size_t r = 0; r < rows; r++, x += dim) {
        int8_t bytes[256];
        float scale[8];
        int32_t sum[8];
        if (format.hadamard) hadamard(x, dim, hadamard_block(dim));
        quantize_bytes(x, dim, bytes, scale, sum);
        for (size_t i = 0; i < dim; i++) x[i] = scale[i / 32] * (float)bytes[i];
        if (format.hadamard) hadamard(x, dim, hadamard_block(dim));
    }
}

/* Attention over quantized keys and values is attention over what they dequantize to. */
static void check_format(const char *name, AttentionShape s, size_t n) {
    size_t q_dim = s.heads * s.head_dim, k_dim = s.kv_heads * s.head_dim,
           vd = attention_value_dim(&s), v_dim = s.kv_heads * vd, out_dim = s.heads * vd;
    float *q = malloc(n * q_dim * 4), *k = malloc(n * k_dim * 4), *v = malloc(n * v_dim * 4),
          *want = malloc(n * out_dim * 4), *got = malloc(n * out_dim * 4);
    KvFormat format;
    Fault fault;
    assert_true(kv_format_read(name, &format, &fault));
    assert_string_equal(kv_format_name(format), name);
    noise(q, n * q_dim, 1), noise(k, n * k_dim, 2), noise(v, n * v_dim, 3);
    s.scale = 1 / sqrtf((float)s.head_dim);
    kept_as(NULL, &s, n, format, q, k, v, got);
    round_rows(format, k, n * s.kv_heads, s.head_dim),
        round_rows(format, v, n * s.kv_heads, vd);
    round_queries(format, q, n * s.heads, s.head_dim);
    remembered(NULL, &s, n, DTYPE_F32, q, k, v, want);
    /* In Q8_0 a weight's error is at most half of 1/32,767 of its page's largest weight times
     * value scale.  If all 64 errors agreed, values up to 2 would be off by 2e-3. */
    const double bound = format.dtype == DTYPE_Q8_0 ? 3e-4 : 3e-5;
    double squares = 0;
    for (size_t i = 0; i < n * out_dim; i++) {
        assert_near(got[i], want[i], bound);
        squares += pow((double)got[i] - (double)want[i], 2);
    }
    assert_true(sqrt(squares / (double)(n * out_dim)) < 2e-5);
    free(q), free(k), free(v), free(want), free(got);
}

static void few_bits_are_what_is_left(void **state) {
    (void)state;
    static const char *const names[] = {"f32",    "f16",  "bf16",  "q8_0",
                                        "q8_0-h", "q4_0", "q4_0-h"};
    static const size_t dims[] = {8, 16, 24, 32, 40, 64, 96};
    Fault fault;
    KvFormat format;
    for (size_t f = 0; f < sizeof names / sizeof *names; f++)
        for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
            AttentionShape s = {
                .heads = 6, .kv_heads = 2, .head_dim = dims[d], .mask = {.causal = true}};
            if (f > 2 || f == 0) check_format(names[f], s, 67 + d);
            s.value_dim = dims[(d + 3) % 7], s.mask.window = 50;
            check_format(names[f], s, 130);
        }
    assert_false(kv_format_read("q5_0", &format, &fault));
    assert_contains(fault.text, "wanted one of f32");
}

/* Seven query heads of one key head, with any number of threads. */
static void heads_are_shared_among_threads(void **state) {
    (void)state;
    enum { HEADS = 7, HEAD_DIM = 24, ROWS = 2 };
    float q[ROWS * HEADS * HEAD_DIM], k[ROWS * HEAD_DIM], v[ROWS * HEAD_DIM];
    float one[ROWS * HEADS * HEAD_DIM], many[ROWS * HEADS * HEAD_DIM];
    AttentionShape s = {.heads = HEADS, .kv_heads = 1, .head_dim = HEAD_DIM, .scale = 0.2f};
    noise(q, ROWS * HEADS * HEAD_DIM, 1);
    noise(k, ROWS * HEAD_DIM, 2), noise(v, ROWS * HEAD_DIM, 3);
    remembered(NULL, &s, ROWS, DTYPE_F32, q, k, v, one);
    for (int threads = 2; threads <= 20; threads += 3) {
        Pool *pool = pool_open(threads, false, NULL);
        remembered(pool, &s, ROWS, DTYPE_F32, q, k, v, many);
        assert_memory_equal(one, many, sizeof one);
        pool_close(pool);
    }
}

static void three_forms_agree_with_double(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 2, 63, 64, 65, 130, 200};
    for (int i = 0; i < 7; i++) {
        check_shape(
            (AttentionShape){
                .heads = 4, .kv_heads = 4, .head_dim = 8, .mask = {.causal = true}},
            lengths[i]);
        check_shape((AttentionShape){.heads = 6,
                                     .kv_heads = 2,
                                     .head_dim = 20,
                                     .mask = {.causal = true, .window = 7}},
                    lengths[i]);
        check_shape(
            (AttentionShape){
                .heads = 3, .kv_heads = 1, .head_dim = 16, .mask = {.causal = false}},
            lengths[i]);
        check_shape((AttentionShape){.heads = 4,
                                     .kv_heads = 2,
                                     .head_dim = 8,
                                     .max_bias = 8,
                                     .mask = {.causal = false, .window = 9}},
                    lengths[i]);
    }
    check_shape(
        (AttentionShape){.heads = 20, .kv_heads = 1, .head_dim = 8, .mask = {.causal = true}},
        100);
    check_shape(
        (AttentionShape){
            .heads = 4, .kv_heads = 2, .head_dim = 8, .softcap = 2, .mask = {.causal = true}},
        100);
    check_shape(
        (AttentionShape){
            .heads = 4, .kv_heads = 2, .head_dim = 8, .max_bias = 8, .mask = {.causal = true}},
        100);
    check_shape(
        (AttentionShape){
            .heads = 4, .kv_heads = 2, .head_dim = 8, .mask = {.causal = true, .chunk = 13}},
        100);
}

/* Values wider or narrower than keys; sinks, weak or strong. */
static void values_and_sinks(void **state) {
    (void)state;
    static const float sinks[] = {-3, 0, 2, 30};
    AttentionShape s = {.heads = 4,
                        .kv_heads = 2,
                        .head_dim = 20,
                        .value_dim = 7,
                        .sinks = sinks,
                        .mask = {.causal = true}};
    static const size_t lengths[] = {1, 64, 65, 150};
    for (int i = 0; i < 4; i++) {
        check_shape(s, lengths[i]);
        AttentionShape wide = s;
        wide.value_dim = 40, wide.sinks = NULL;
        check_shape(wide, lengths[i]);
    }
}

/* A key that is no number: no row that sees it has a result, all others do. */
static void nan_reaches_the_result(void **state) {
    (void)state;
    enum { N = 100, DIM = 8, AT = 70 };
    const AttentionShape s = {
        .heads = 1, .kv_heads = 1, .head_dim = DIM, .scale = 0.3f, .mask = {.causal = true}};
    float q[N * DIM], k[N * DIM], v[N * DIM], out[N * DIM];
    noise(q, N * DIM, 1), noise(k, N * DIM, 2), noise(v, N * DIM, 3);
    k[AT * DIM + 3] = NAN;
    remembered(NULL, &s, N, DTYPE_F32, q, k, v, out);
    for (int i = 0; i < N; i++)
        for (int d = 0; d < DIM; d++) assert_int_equal(isnan(out[i * DIM + d]) != 0, i >= AT);
}

static void masks_are_ranges(void **state) {
    (void)state;
    Range r = mask_range((Mask){.causal = true}, 4, 10);
    assert_true(r.begin == 0 && r.end == 5);
    r = mask_range((Mask){.causal = true, .window = 3}, 4, 10);
    assert_true(r.begin == 2 && r.end == 5);
    r = mask_range((Mask){.causal = true, .window = 9}, 4, 10);
    assert_true(r.begin == 0 && r.end == 5);
    r = mask_range((Mask){.causal = true, .chunk = 3}, 4, 10);
    assert_true(r.begin == 3 && r.end == 5);
    r = mask_range((Mask){.causal = true, .chunk = 3, .window = 1}, 4, 10);
    assert_true(r.begin == 4 && r.end == 5);
    r = mask_range((Mask){.causal = false}, 4, 10);
    assert_true(r.begin == 0 && r.end == 10);
    r = mask_range((Mask){.causal = false, .window = 4}, 5, 10);
    assert_true(r.begin == 3 && r.end == 8);
    r = mask_range((Mask){.causal = false, .window = 5}, 1, 10);
    assert_true(r.begin == 0 && r.end == 4);
    r = mask_range((Mask){.causal = false, .window = 4}, 9, 10);
    assert_true(r.begin == 7 && r.end == 10);
    for (size_t i = 0; i < 13 * 13 * 13 * 7 * 2; i++) { /* never empty: a query sees itself */
        const size_t length = 1 + i % 13, query = i / 13 % 13;
        const bool causal = i % 2;
        if (query >= length) continue;
        r = mask_range((Mask){causal, i / 169 % 13, causal ? i / 2197 % 7 : 0}, query, length);
        assert_true(r.begin <= query && query < r.end && r.end <= length);
    }
}

/* sum of w * out over two sequences, in double */
static double objective(const AttentionShape *s, const size_t *start, const double *q,
                        const double *k, const double *v, const float *w) {
    double sum = 0, out[64];
    size_t wide = s->heads * s->head_dim, narrow = s->kv_heads * s->head_dim;
    for (int seq = 0; seq < 2; seq++)
        for (size_t i = 0; i < start[seq + 1] - start[seq]; i++)
            for (size_t h = 0; h < s->heads; h++) {
                exact(s, start[seq + 1] - start[seq], i, h, q + start[seq] * wide,
                      k + start[seq] * narrow, v + start[seq] * narrow, out);
                for (size_t d = 0; d < s->head_dim; d++)
                    sum += (double)w[(start[seq] + i) * wide + h * s->head_dim + d] * out[d];
            }
    return sum;
}

static void gradients_match_differences(void **state) {
    (void)state;
    AttentionShape s = {
        .heads = 4, .kv_heads = 2, .head_dim = 6, .scale = 0.4f, .mask = {.causal = true}};
    size_t start[3] = {0, 5, 75}, n = 75, wide = 24, narrow = 12;
    float q[75 * 24], k[75 * 12], v[75 * 12], w[75 * 24], dq[75 * 24], dk[75 * 12], dv[75 * 12];
    float *scratch = malloc(attention_scratch_floats(1, 70) * 4);
    noise(q, n * wide, 4), noise(k, n * narrow, 5), noise(v, n * narrow, 6),
        noise(w, n * wide, 7);
    attention_backward(NULL,
                       &(AttentionTask){&s, {start, 2}, scratch, q, k, v, NULL, w, dq, dk, dv});
    double *qd = exact_copy(q, n * wide), *kd = exact_copy(k, n * narrow),
           *vd = exact_copy(v, n * narrow);
    for (size_t probe = 0; probe < 120; probe++) {
        size_t kind = probe % 3, at = rng_hash(8, probe, 0) % (n * (kind == 0 ? wide : narrow));
        double *x = (kind == 0 ? qd : kind == 1 ? kd : vd) + at, keep = *x, h = 1e-5;
        *x = keep + h;
        double up = objective(&s, start, qd, kd, vd, w);
        *x = keep - h;
        double down = objective(&s, start, qd, kd, vd, w), want = (up - down) / (2 * h);
        *x = keep;
        assert_near((kind == 0 ? dq : kind == 1 ? dk : dv)[at], want, 2e-4 * (1 + fabs(want)));
    }
    free(scratch), free(qd), free(kd), free(vd);
}

/* Memory is for the widest attention of a model, and for the longest sequence of a batch. */
static void memory_is_for_the_widest(void **state) {
    (void)state;
    AttentionSizes sizes = {.rotary = 4};
    const Rope turns = {.rotary = 6}, less = {.rotary = 2};
    attention_sizes_include(&sizes, &(Attention){0});
    assert_int_equal(sizes.rotary, 4);
    attention_sizes_include(&sizes, &(Attention){.rope = &turns});
    attention_sizes_include(&sizes, &(Attention){.rope = &less});
    assert_int_equal(sizes.rotary, 6);
    for (size_t n = 1; n < 1000; n += 333) {
        const size_t two_tiles = 2 * 64 * n, packing = matmul_scratch_floats(1, n);
        assert_true(attention_scratch_floats(3, n) >= 3 * (two_tiles + packing));
    }
}

RUN(TEST(few_bits_are_what_is_left), TEST(heads_are_shared_among_threads),
    TEST(values_and_sinks), TEST(three_forms_agree_with_double), TEST(nan_reaches_the_result),
    TEST(masks_are_ranges), TEST(gradients_match_differences), TEST(memory_is_for_the_widest))
