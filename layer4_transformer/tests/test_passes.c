/* how often functions read and write what they are given: what "Cost" says in headers of
 * layers 2 to 4 */
#include "every_isa.h"
#include "touches.h"
#include "transformer_extras.h"

enum { X, OUT, STATE = 0, AFTER = 1, WEIGHTS = 0, D = 64, ROWS = 16, IN = 64, MOST = 129 };

static float vectors[5][256];

static void noise(float *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) x[i] = (float)rng_unit(seed, 0, i) * 2 - 1;
}

/* Two arrays of random numbers, counted from touches_begin. */
static void begin(size_t n) {
#if !TOUCHES_COUNTED
    skip();
#endif
    for (int i = 0; i < 2; i++) noise(touched_array(i), n, (uint64_t)i);
    for (size_t i = 0; i < 5; i++) noise(vectors[i], 256, 2 + i);
}

static void passes(const char *isa, int array, size_t reads, size_t writes) {
    if (passes_read(array) != reads || passes_written(array) != writes)
        fail_msg("%s, array %d: %zu reads and %zu writes, wanted %zu and %zu", isa, array,
                 passes_read(array), passes_written(array), reads, writes);
}

static void norms_read_twice(void **state) {
    (void)state;
    EACH_ISA (isa) {
        begin(D);
        touches_begin();
        rms_norm(touched[OUT].data, touched[X].data, NULL, D, 1e-5f);
        touches_end();
        passes(isa, X, 2, 0), passes(isa, OUT, 0, 1);
        touches_begin();
        l2_norm(touched[X].data, D, 1e-6f);
        touches_end();
        passes(isa, X, 2, 1);
        touches_free();
    }
}

static void softmax_reads_twice(void **state) {
    (void)state;
    EACH_ISA (isa) {
        begin(D);
        touches_begin();
        softmax(touched[OUT].data, touched[X].data, D);
        touches_end();
        passes(isa, X, 2, 0);
        assert_int_equal(passes_read(OUT), 2);
        touches_free();
    }
}

/* Strips, a delta net's state, RWKV 7's, RWKV 6's with a bonus and without. */
static void states_are_read_as_often_as_said(void **state) {
    (void)state;
    enum { N = 64 };
    float *v[5], out[256];
    for (int i = 0; i < 5; i++) v[i] = vectors[i];
    EACH_ISA (isa) {
        begin(N * N);
        float *before = touched[STATE].data, *after = touched[AFTER].data;
        touches_begin();
        recurrence_strips(&(StripRecurrence){.after = after,
                                             .before = before,
                                             .decay = v[0],
                                             .in = v[1],
                                             .b = v[2],
                                             .c = v[3],
                                             .out = out,
                                             .rows = N,
                                             .n = N});
        touches_end();
        passes(isa, STATE, 1, 0), passes(isa, AFTER, 0, 1);
        touches_begin();
        delta_step(after, before, N, N, v[0], 0.5f, v[1], v[2], v[3], out);
        touches_end();
        passes(isa, STATE, 2, 0), passes(isa, AFTER, 0, 1);
        touches_begin();
        rwkv_step(after, before, N, v[0], v[1], v[2], v[3], v[4], v[0], out);
        touches_end();
        passes(isa, STATE, 2, 0), passes(isa, AFTER, 0, 1);
        for (int bonus = 0; bonus < 2; bonus++) {
            touches_begin();
            rwkv6_step(after, before, N, v[0], bonus ? v[1] : NULL, v[2], v[3], v[4], out);
            touches_end();
            passes(isa, STATE, 1 + bonus, 0), passes(isa, AFTER, 0, 1);
        }
        touches_free();
    }
}

/* Plain weights at most n times for n inputs, quantized ones once per 128. */
static void check_weights(const char *isa, Dtype format, size_t n, void *scratch) {
    static float x[MOST * IN], y[MOST * ROWS], w[ROWS * IN];
    const bool plain = !dtype_is_quantized(format);
    noise(x, n * IN, 1), noise(w, ROWS * IN, 2);
    begin(ROWS * IN);
    Tensor t = tensor_view(format, 2, (size_t[]){ROWS, IN}, touched[WEIGHTS].data);
    for (size_t r = 0; r < ROWS; r++)
        quantize_row(format, w + r * IN, NULL,
                     (char *)touched[WEIGHTS].data + r * dtype_row_bytes(format, IN), IN);
    touches_begin();
    matmul_weights(NULL, &t, NULL, x, n, y, scratch);
    touches_end();
    const size_t seen = passes_read(WEIGHTS), most = plain ? n : (n + 127) / 128;
    if (seen < 1 || (plain ? seen > most : seen != most))
        fail_msg("%s, %s, %zu inputs: %zu passes", isa, dtype_name(format), n, seen);
    touches_free();
}

static void weights_are_read_as_often_as_said(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 4, 45, 128, MOST};
    void *scratch = malloc(matmul_weights_bytes(MOST, IN));
    EACH_ISA (isa)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            check_weights(isa, DTYPE_Q8_0, counts[i], scratch);
            if (counts[i] > 45) continue;
            check_weights(isa, DTYPE_F32, counts[i], scratch);
            check_weights(isa, DTYPE_F16, counts[i], scratch);
        }
    free(scratch);
}

static void the_largest_are_found_in_34_passes(void **state) {
    (void)state;
    uint64_t chosen[5];
    begin(256);
    touches_begin();
    choose_top(touched[X].data, 256, 20, chosen);
    touches_end();
    passes("", X, 34, 0);
    touches_free();
}

RUN(TEST(norms_read_twice), TEST(softmax_reads_twice), TEST(states_are_read_as_often_as_said),
    TEST(weights_are_read_as_often_as_said), TEST(the_largest_are_found_in_34_passes))
