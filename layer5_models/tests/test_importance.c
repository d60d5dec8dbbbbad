/* importance: of each of a mixture's experts its own, of inputs that were never seen a little,
 * and numbers that no sum of squares is are refused */
#include "check.h"
#include "models_extras.h"
#include "quant_preset.h"

#include <math.h>
#include <string.h>

enum { EXPERTS = 2, ROWS = 4, COLS = 256, NUMBERS = ROWS * COLS };

static float weights[EXPERTS][NUMBERS], sums[EXPERTS][COLS], counts[EXPERTS];

static int fill(void **state) {
    uint64_t noise = 5;
    (void)state;
    for (int e = 0; e < EXPERTS; e++) {
        counts[e] = 10;
        for (int i = 0; i < NUMBERS; i++) weights[e][i] = check_noise(&noise);
        for (int i = 0; i < COLS; i++) sums[e][i] = (i + e) % 5 == 0 ? 1000.0f : 1.0f;
    }
    return 0;
}

/* `experts` matrices as a file, from number `first` on. */
static unsigned char *matrices_in(Gguf *gguf, size_t first, size_t experts) {
    unsigned char *bytes;
    size_t size, shape[] = {experts, ROWS, COLS};
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    Tensor t = tensor_view(DTYPE_F32, experts > 1 ? 3 : 2, experts > 1 ? shape : shape + 1,
                           weights[first]);
    gguf_put_tensor(w, "blk.0.ffn_up_exps.weight", &t);
    assert_true(gguf_write_memory(w, &bytes, &size, &fault));
    gguf_writer_close(w);
    assert_true(gguf_parse(gguf, bytes, size, &fault));
    return bytes;
}

static unsigned char *importance_in(Gguf *gguf, size_t first, size_t experts, size_t counted) {
    unsigned char *bytes;
    size_t size, shape[] = {experts, COLS}, shape_of_counts[] = {counted, 1};
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    Tensor t = tensor_view(DTYPE_F32, 2, shape, sums[first]),
           n = tensor_view(DTYPE_F32, 2, shape_of_counts, counts + first);
    gguf_put_tensor(w, "blk.0.ffn_up_exps.weight.in_sum2", &t);
    gguf_put_tensor(w, "blk.0.ffn_up_exps.weight.counts", &n);
    assert_true(gguf_write_memory(w, &bytes, &size, &fault));
    gguf_writer_close(w);
    assert_true(gguf_parse(gguf, bytes, size, &fault));
    return bytes;
}

/* out (experts, NUMBERS) = the weights, converted and back; with importance or without. */
static bool converted(size_t first, size_t experts, bool with, size_t counted, float *out,
                      Fault *fault) {
    Gguf in, important, made;
    unsigned char *file = matrices_in(&in, first, experts), *result = NULL,
                  *stats = importance_in(&important, first, experts, counted);
    size_t size;
    Requantize how = {.preset = quant_preset_find("Q4_K_S", fault),
                      .pure = true,
                      .importance = with ? &important : NULL};
    GgufWriter *w = gguf_writer_open(fault);
    Pool *pool = pool_open(2, false, fault);
    bool ok = requantize(&in, &how, pool, w, NULL, NULL, fault);
    if (ok) {
        assert_true(gguf_write_memory(w, &result, &size, fault) &&
                    gguf_parse(&made, result, size, fault));
        dequantize_row((Dtype)made.tensors[0].dtype, made.tensors[0].data, out,
                       experts * NUMBERS);
        gguf_free(&made);
    }
    gguf_writer_close(w), pool_close(pool), gguf_free(&in), gguf_free(&important);
    free(file), free(stats), free(result);
    return ok;
}

static void each_expert_has_its_own(void **state) {
    (void)state;
    Fault fault;
    float both[EXPERTS][NUMBERS], plain[EXPERTS][NUMBERS], alone[NUMBERS];
    assert_true(converted(0, 2, true, 2, both[0], &fault) &&
                converted(0, 2, false, 2, plain[0], &fault));
    for (size_t e = 0; e < EXPERTS; e++) {
        assert_true(converted(e, 1, true, 1, alone, &fault));
        assert_memory_equal(alone, both[e], sizeof alone);
        assert_true(memcmp(both[e], plain[e], sizeof alone) != 0);
    }
}

static void an_expert_that_read_nothing_stays_plain(void **state) {
    (void)state;
    Fault fault;
    float both[EXPERTS][NUMBERS], plain[EXPERTS][NUMBERS];
    assert_true(converted(0, 2, false, 2, plain[0], &fault));
    for (int by_sums = 0; by_sums < 2; by_sums++) { /* a count of 0, or sums of 0 */
        if (by_sums)
            memset(sums[1], 0, sizeof sums[1]);
        else
            counts[1] = 0;
        assert_true(converted(0, 2, true, 2, both[0], &fault));
        assert_memory_equal(both[1], plain[1], sizeof plain[1]);
        assert_true(memcmp(both[0], plain[0], sizeof plain[0]) != 0);
        fill(NULL);
    }
}

/* Inputs of 0 in a whole block: its weights are as good as without importance, not zeros. */
static void inputs_of_zero_keep_their_weights(void **state) {
    (void)state;
    Fault fault;
    float with[NUMBERS], plain[NUMBERS];
    for (int i = 0; i < COLS; i++) sums[0][i] = i / 32 == 3 ? 0 : 1e38f;
    assert_true(converted(0, 1, true, 1, with, &fault) &&
                converted(0, 1, false, 1, plain, &fault));
    double error[2] = {0};
    for (int i = 0; i < NUMBERS; i++) {
        assert_true(isfinite(with[i]));
        if (i % COLS / 32 != 3) continue;
        error[0] += pow((double)(with[i] - weights[0][i]), 2);
        error[1] += pow((double)(plain[i] - weights[0][i]), 2);
    }
    assert_true(error[0] < 1.2 * error[1]);
    fill(NULL);
}

static void what_is_no_importance_is_refused(void **state) {
    (void)state;
    static const float odd[] = {NAN, INFINITY, -1};
    Fault fault;
    float out[EXPERTS * NUMBERS];
    for (int i = 0; i < 3; i++) {
        sums[1][7] = odd[i];
        assert_false(converted(0, 2, true, 2, out, &fault));
        assert_contains(fault.text, "'blk.0.ffn_up_exps.weight.in_sum2' holds");
        assert_contains(fault.text, "at 263: wanted");
        fill(NULL), counts[1] = odd[i];
        assert_false(converted(0, 2, true, 2, out, &fault));
        assert_contains(fault.text, "'blk.0.ffn_up_exps.weight.counts' holds");
        fill(NULL);
    }
    assert_false(converted(0, 2, true, 1, out, &fault));
    assert_contains(fault.text, "counts' is not 2 x 1 numbers in F32");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_expert_has_its_own), TEST(an_expert_that_read_nothing_stays_plain),
        TEST(inputs_of_zero_keep_their_weights), TEST(what_is_no_importance_is_refused)};
    return cmocka_run_group_tests(tests, fill, NULL);
}
