/* numbers.c - timed: dot product, matrix product, Q8_0 weights, softmax, attention, top-k. */
#include "attention_online.h"
#include "candidates.h"
#include "dot.h"
#include "matmul.h"
#include "pick.h"
#include "score.h"
#include "softmax.h"

static Pool *pool; /* of one thread */
static Arena arena;

static void open_pool(void) {
    Fault fault;
    NEED((pool = pool_open(1, false, &fault)) != NULL);
}

static float *some_floats(size_t n, double low, double high) {
    float *x = score_memory(n, sizeof *x);
    fresh_floats(x, n, low, high);
    return x;
}

/* Many rows of scores, so that the next one is not in the cache. */
enum { TOKENS = 128000, ROWS = 128 };
static float *scores, *row_out;
static size_t row;

static void make_scores(void) {
    scores = score_memory((size_t)ROWS * TOKENS, sizeof *scores);
    fresh_floats(scores, TOKENS, -8, 8);
    for (size_t r = 1; r < ROWS; r++) { /* the first row, rotated */
        memcpy(scores + r * TOKENS, scores + r, (TOKENS - r) * sizeof *scores);
        memcpy(scores + (r + 1) * TOKENS - r, scores, r * sizeof *scores);
    }
    row_out = score_memory(TOKENS, sizeof *row_out);
}
static float *next_scores(void) { return scores + (row = (row + 1) % ROWS) * TOKENS; }

/* ------------------------------------------------------------------ 2.1 */

enum { DOT = 4096 };
static float *a, *b, *c;

static void dot_make(void) { a = some_floats(DOT, -1, 1), b = some_floats(DOT, -1, 1); }
static float sums[100];
static double dot_run(bool library) {
    (void)library; /* the instruction set makes the difference */
    for (int i = 0; i < 100; i++) a[37 * i] += 1, sums[i] = dot_f32(a, b, DOT);
    return 100 * 2e-9 * DOT;
}
static bool dot_right(void) {
    fresh_floats(a, DOT, -1, 1), fresh_floats(b, DOT, -1, 1);
    dot_run(false);
    for (int i = 100; i-- > 0;) {
        double sum = 0;
        for (int k = 0; k < DOT; k++) sum += (double)a[k] * (double)b[k];
        if (fabs(sum - (double)sums[i]) > 1e-2) return false;
        a[37 * i] -= 1;
    }
    return true;
}

/* ------------------------------------------------------------------ 2.5 */

enum { SIDE = 384 };
static float *product_scratch;

static void product_make(void) {
    open_pool();
    a = some_floats(SIDE * SIDE, -1, 1), b = some_floats(SIDE * SIDE, -1, 1);
    c = score_memory(SIDE * SIDE, sizeof *c);
    product_scratch = score_memory(matmul_scratch_floats(1, SIDE), sizeof *product_scratch);
}
static double product_run(bool library) {
    const Matrix left = {a, SIDE, 1}, right = {b, SIDE, 1};
    if (library)
        matmul_packed(pool, SIDE, SIDE, SIDE, left, right, c, SIDE, false, product_scratch);
    else
        matmul_blocked(SIDE, SIDE, SIDE, left, right, c, SIDE, false);
    return 2e-9 * SIDE * SIDE * SIDE;
}

static bool product_right(void) {
    fresh_floats(a, SIDE * SIDE, -1, 1), fresh_floats(b, SIDE * SIDE, -1, 1);
    product_run(false);
    for (int i = 0; i < 500; i++) {
        size_t row_of = fresh_below(SIDE), column = fresh_below(SIDE);
        double sum = 0;
        for (size_t k = 0; k < SIDE; k++)
            sum += (double)a[row_of * SIDE + k] * (double)b[k * SIDE + column];
        if (fabs(sum - (double)c[row_of * SIDE + column]) > 1e-2) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ 2.11 */

enum { IN = 4096, OUT = 16384 };
static Tensor weights;
static void *weights_scratch;

static void weights_make(void) {
    const size_t bytes = dtype_row_bytes(DTYPE_Q8_0, IN);
    open_pool();
    a = some_floats(IN, -1, 1), c = score_memory(OUT, sizeof *c);
    char *rows = score_memory(OUT, bytes);
    quantize_row(DTYPE_Q8_0, a, NULL, rows, IN);
    for (size_t r = 1; r < OUT; r++) memcpy(rows + r * bytes, rows, bytes);
    weights = tensor_view(DTYPE_Q8_0, 2, (size_t[]){OUT, IN}, rows);
    weights_scratch = score_memory(1, matmul_weights_bytes(1, IN));
}
static double weights_run(bool library) {
    if (library) matvec(pool, &weights, a, c, weights_scratch);
    for (size_t r = 0; !library && r < OUT; r++)
        c[r] = dot_quantized(DTYPE_Q8_0, tensor_row(&weights, r), a, IN);
    return 1e-9 * (double)(OUT * dtype_row_bytes(DTYPE_Q8_0, IN));
}

static bool weights_right(void) {
    float *row_of = some_floats(IN, -1, 1);
    for (size_t r = 0; r < OUT; r += 1 + fresh_below(999)) { /* rows that differ */
        fresh_floats(row_of, IN, -1, 1);
        quantize_row(DTYPE_Q8_0, row_of, NULL, (char *)weights.data + r * weights.stride[0],
                     IN);
    }
    fresh_floats(a, IN, -1, 1);
    weights_run(false);
    for (size_t r = 0; r < OUT; r++) {
        double sum = 0;
        dequantize_row(DTYPE_Q8_0, tensor_row(&weights, r), row_of, IN);
        for (size_t k = 0; k < IN; k++) sum += (double)row_of[k] * (double)a[k];
        if (fabs(sum - (double)c[r]) > 1e-2) return false;
    }
    free(row_of);
    return true;
}

/* ------------------------------------------------------------------ 3.1 */

static double softmax_run(bool library) {
    (void)library;
    softmax(row_out, next_scores(), TOKENS);
    return 2e-9 * TOKENS * sizeof(float); /* read and written once each */
}

static bool softmax_right(void) {
    double sum = 0;
    softmax_run(false);
    const float *x = scores + row * TOKENS;
    for (size_t i = 0; i < TOKENS; i++) sum += exp((double)x[i]);
    for (size_t i = 0; i < TOKENS; i++)
        if (fabs(exp((double)x[i]) / sum - (double)row_out[i]) > 1e-6) return false;
    return true;
}

/* ------------------------------------------------------------------ 4.6 */

enum { POSITIONS = 16384, HEADS = 8, HEAD = 64 };
static KvCache kv;

static void pages_make(void) {
    const KvShape shape = {.kv_heads = HEADS, .key_dim = HEAD, .value_dim = HEAD};
    const KvConfig config = {.shapes = &shape,
                             .layers = 1,
                             .dtype = DTYPE_F16,
                             .sequences = 1,
                             .ctx = POSITIONS,
                             .batch = POSITIONS,
                             .rewind = 1};
    Fault fault;
    open_pool();
    arena_measure(&arena), kv_init(&kv, &config, &arena);
    NEED(arena_init(&arena, arena.used, &fault));
    kv_init(&kv, &config, &arena);
    NEED(kv_extend(&kv, 0, POSITIONS));
    a = some_floats(HEADS * HEAD, -1, 1), b = some_floats(HEADS * HEAD, -1, 1);
    c = score_memory(HEADS * HEAD, sizeof *c);
    for (size_t p = 0; p < POSITIONS; p++) b[p % HEAD] += 0.01f, kv_store(&kv, 0, 0, p, b, a);
}
static double pages_run(bool library) {
    const AttentionShape shape = {.heads = HEADS,
                                  .kv_heads = HEADS,
                                  .head_dim = HEAD,
                                  .scale = 0.125f,
                                  .mask = {.causal = true}};
    const int32_t sequence = 0, position = POSITIONS - 1;
    (void)library;
    attention_online(pool, &shape, &kv, 0,
                     &(Batch){.count = 1, .sequence = &sequence, .position = &position}, a, c);
    return 1e-9 * POSITIONS * HEADS * HEAD * 2 * sizeof(uint16_t); /* keys and values */
}

/* ------------------------------------------------------------------ 6.10 */

enum { BEST = 40 };
static Candidates candidates;
static int32_t best_ids[BEST];
static uint64_t *keys;

static void best_make(void) {
    Fault fault;
    make_scores();
    keys = score_memory(TOKENS, sizeof *keys);
    NEED(candidates_open(&candidates, TOKENS, &arena, &fault));
}
static double best_run(bool library) {
    Fault fault;
    if (library) {
        NEED(candidates_load(&candidates, next_scores(), &fault));
        candidates_keep_best(&candidates, BEST);
    } else {
        pick_top_k(next_scores(), NULL, TOKENS, BEST, row_out, best_ids, keys);
    }
    return 1e-9 * TOKENS * sizeof(float);
}

static bool best_right(void) {
    best_run(false);
    const float *x = scores + row * TOKENS;
    size_t above = 0;
    for (size_t i = 0; i < TOKENS; i++) above += x[i] > row_out[BEST - 1];
    for (size_t i = 0; i < BEST; i++)
        if (x[best_ids[i]] != row_out[i] || (i && row_out[i] > row_out[i - 1])) return false;
    return above < BEST;
}

const Timed timed_numbers[] = {{"2.1", dot_make, dot_run, dot_right},
                               {"2.5", product_make, product_run, product_right},
                               {"2.11", weights_make, weights_run, weights_right},
                               {"3.1", make_scores, softmax_run, softmax_right},
                               {"4.6", pages_make, pages_run, NULL},
                               {"6.10", best_make, best_run, best_right},
                               {NULL, NULL, NULL, NULL}};
