/* The grader of a block for training: forward and backward. */
#include "textbook.h"

DECLARE_SHIPPED(block_train_forward);
DECLARE_SHIPPED(block_train_backward);

enum {
    FEW = 14,
    ROWS = 600, /* the largest batch */
    THREADS = 3,
    DIM = 8,
    HIDDEN = 10,
    HALF = 3,
    HEAD = 2 * HALF,
    WIDE = 4 * HEAD,
    NARROW = 2 * HEAD,
    WEIGHTS = 9,
    KEPT = 11,
    CHANNELS = WIDE + 2 * NARROW, /* of a delta net */
    TAPS = 3,
    MEMORY = 8,
    GUARD = 1000 /* floats behind scratch */
};
static Pool *pool;

static const char *const weight_names[WEIGHTS] = {"attn_norm", "q",    "k",  "v",   "o",
                                                  "ffn_norm",  "gate", "up", "down"};
static const size_t weight_sizes[WEIGHTS] = {DIM,         WIDE *DIM,   NARROW *DIM,
                                             NARROW *DIM, DIM *WIDE,   DIM,
                                             HIDDEN *DIM, HIDDEN *DIM, DIM *HIDDEN};
static const char *const kept_names[KEPT] = {"x, the block's input",
                                             "normed, attention's input",
                                             "q, turned",
                                             "k, turned",
                                             "v, which is not turned",
                                             "mixed, what attention returns, before o",
                                             "middle, the stream between the branches",
                                             "ffn_normed, its norm",
                                             "gate",
                                             "up",
                                             "act, silu(gate) * up"};
static const size_t kept_sizes[KEPT] = {DIM, DIM, WIDE,   NARROW, NARROW, WIDE,
                                        DIM, DIM, HIDDEN, HIDDEN, HIDDEN};

/* Sizes of a delta net's weights and of a row that it saves, in the order of TrainDelta and
 * TrainDeltaSaved. */
static const char *const delta_names[WEIGHTS] = {"qkv",  "taps", "alpha", "beta", "rate",
                                                 "bias", "gate", "norm",  "out"};
static const size_t delta_sizes[WEIGHTS] = {
    CHANNELS * DIM, CHANNELS *TAPS, 4 * DIM, 4 * DIM, 4, 4, WIDE *DIM, HEAD, DIM *WIDE};

/* A block and its buffers, twice: for the work under test and for the library. */
typedef struct Bench {
    TrainRun run;
    Rope rope;
    double freq[HALF];
    size_t start[3];
    float cosine[ROWS * HALF], sine[ROWS * HALF], x[ROWS * DIM], dx[ROWS * DIM];
    float weights[WEIGHTS][WIDE * DIM], grads[WEIGHTS][WIDE * DIM], kept[KEPT][ROWS * WIDE];
    float delta[WEIGHTS][CHANNELS * DIM], delta_grads[WEIGHTS][CHANNELS * DIM],
        memory[MEMORY][ROWS * CHANNELS];
    float scratch[3][ROWS * 4 * WIDE], *matmul, *attn;
    size_t n, matmul_size, attn_size;
} Bench;

static TrainDelta delta_of(float rows[WEIGHTS][CHANNELS * DIM]) {
    return (TrainDelta){rows[0], rows[1], rows[2], rows[3], rows[4],
                        rows[5], rows[6], rows[7], rows[8]};
}

static TrainBlock block_of(float rows[WEIGHTS][WIDE * DIM], TrainDelta *delta) {
    return (TrainBlock){.attn_norm = rows[0],
                        .q = rows[1],
                        .k = rows[2],
                        .v = rows[3],
                        .o = rows[4],
                        .ffn_norm = rows[5],
                        .gate = rows[6],
                        .up = rows[7],
                        .down = rows[8],
                        .mixer = delta};
}

static TrainSaved saved_of(Bench *b, TrainDeltaSaved *delta) {
    float(*f)[ROWS * WIDE] = b->kept, (*m)[ROWS * CHANNELS] = b->memory;
    *delta = (TrainDeltaSaved){m[0], m[1], m[2], m[3], m[4], {m[5], m[6], m[7]}};
    return (TrainSaved){.x = f[0],
                        .normed = f[1],
                        .q = f[2],
                        .k = f[3],
                        .v = f[4],
                        .mixed = f[5],
                        .middle = f[6],
                        .ffn_normed = f[7],
                        .gate = f[8],
                        .up = f[9],
                        .act = f[10],
                        .mixer = delta};
}

/* Odd rounds test a delta net; every third is bidirectional. */
static void bench_wire(Bench *b, int round) {
    b->rope.freq = b->freq;
    b->run = (TrainRun){.pool = b->n > FEW ? pool : NULL,
                        .shape = {.dim = DIM,
                                  .hidden = HIDDEN,
                                  .heads = 4,
                                  .kv_heads = 2,
                                  .head_dim = HEAD,
                                  .eps = 0.05f,
                                  .bidirectional = round % 3 == 2,
                                  .mixer = round % 2 ? &train_delta_mixer : NULL,
                                  .taps = TAPS},
                        .rope = b->rope,
                        .sequences = {b->start, 2},
                        .n = b->n,
                        .cosine = b->cosine,
                        .sine = b->sine,
                        .matmul_scratch = b->matmul,
                        .attn_scratch = b->attn,
                        .grad_a = b->scratch[0],
                        .grad_b = b->scratch[1],
                        .grad_c = b->scratch[2]};
}

/* Scratch, with numbers behind it that nothing may change. */
static float *guarded(size_t size) {
    float *x = calloc(size + GUARD, sizeof *x);
    NEED(x);
    for (size_t i = 0; i < GUARD; i++) x[size + i] = (float)i;
    return x;
}

static void guard_is_whole(const float *x, size_t size, const char *name) {
    for (size_t i = 0; i < GUARD; i++)
        HINT(x[size + i] == (float)i, "something is written past the end of run->%s", name);
}

static void bench_rooms(Bench *b) {
    size_t attention = attention_scratch_floats(THREADS, b->n),
           delta = delta_scratch_floats(THREADS, HEAD, b->n);
    b->attn_size = attention > delta ? attention : delta;
    b->matmul_size = matmul_scratch_floats(THREADS, CHANNELS);
    b->matmul = guarded(b->matmul_size), b->attn = guarded(b->attn_size);
}

static void scratch_is_in_bounds(const Bench *b) {
    static const char *const names[] = {"grad_a", "grad_b", "grad_c"};
    guard_is_whole(b->matmul, b->matmul_size, "matmul_scratch");
    guard_is_whole(b->attn, b->attn_size, "attn_scratch");
    for (size_t k = 0; k < 3; k++)
        for (size_t i = b->n * train_widest(&b->run.shape); i < ROWS * 4 * WIDE; i++)
            HINT(b->scratch[k][i] == 0,
                 "something is written past the end of run->%s, which has %zu rows of "
                 "train_widest() = %zu numbers",
                 names[k], b->n, train_widest(&b->run.shape));
}

static void bench_fill(Bench *b, int round, size_t n) {
    *b = (Bench){.n = n,
                 .rope = {.style = ROPE_INTERLEAVED, .rotary = HEAD, .magnitude = 1},
                 .freq = {1, 0.3, 0.1}};
    b->start[1] = 3 + fresh_below(4), b->start[2] = n;
    bench_rooms(b);
    bench_wire(b, round);
    for (size_t i = 0; i < n; i++)
        rope_angles(&b->run.rope, i < b->start[1] ? i : i - b->start[1], b->cosine + i * HALF,
                    b->sine + i * HALF);
    fresh_floats(b->x, n * DIM, -2, 2), fresh_floats(b->dx, n * DIM, -1, 1);
    for (size_t w = 0; w < WEIGHTS; w++)
        fresh_floats(b->weights[w], weight_sizes[w], -0.7, 0.7),
            fresh_floats(b->grads[w], weight_sizes[w], -1, 1);
    for (size_t w = 0; w < WEIGHTS; w++)
        fresh_floats(b->delta[w], delta_sizes[w], -0.7, 0.7),
            fresh_floats(b->delta_grads[w], delta_sizes[w], -1, 1);
}

static void forward_is_right(Bench *mine, Bench *ours) {
    TrainDelta d = delta_of(mine->delta), d2 = delta_of(ours->delta);
    TrainDeltaSaved left, left2;
    TrainBlock w = block_of(mine->weights, &d), w2 = block_of(ours->weights, &d2);
    TrainSaved kept = saved_of(mine, &left), kept2 = saved_of(ours, &left2);
    const size_t rows = mine->n;
    block_train_forward(&mine->run, &w, &kept, mine->x);
    SHIPPED(block_train_forward)(&ours->run, &w2, &kept2, ours->x);
    HINT(all_near(mine->memory[4], ours->memory[4], rows * 4, 1e-4),
         "forward: if, and only if, the shape has a mixer, its forward() replaces attend()");
    for (size_t i = 0; i < KEPT; i++)
        for (size_t n = rows * kept_sizes[i]; n < ROWS * WIDE; n++)
            HINT(mine->kept[i][n] == 0,
                 "something is written past the %zu rows of %zu numbers of %s", rows,
                 kept_sizes[i], kept_names[i]);
    for (size_t i = 0; i < KEPT; i++)
        NUMBERS(mine->kept[i], ours->kept[i], rows * kept_sizes[i], 1e-4,
                "the way there leaves for the way back: %s; %zu rows of %zu numbers",
                kept_names[i], rows, kept_sizes[i]);
    bool replaced = true;
    for (size_t i = 0; i < rows * DIM; i++)
        replaced &= close_to(mine->x[i], ours->x[i] - ours->kept[6][i], 1e-4);
    HINT(!replaced, "x is what the last map returns: it is to be added to x");
    NUMBERS(mine->x, ours->x, rows * DIM, 1e-4,
            "x after the block: both branches are added to it");
    scratch_is_in_bounds(mine);
}

/* Gradients are sums over all rows. */
static double bound_of(const Bench *b) { return 2e-4 * ((double)b->n / FEW); }

static void memory_is_right(const Bench *mine, const Bench *ours) {
    for (size_t i = 0; i < WEIGHTS; i++)
        NUMBERS(mine->delta_grads[i], ours->delta_grads[i], delta_sizes[i], bound_of(mine),
                "the gradient of a delta net's %s: if, and only if, the shape has a mixer, its "
                "backward() replaces attend_backward()",
                delta_names[i]);
}

static void backward_is_right(Bench *mine, Bench *ours) {
    bool delta = mine->run.shape.mixer != NULL;
    TrainDelta d = delta_of(mine->delta), d2 = delta_of(ours->delta),
               dg = delta_of(mine->delta_grads), dg2 = delta_of(ours->delta_grads);
    TrainDeltaSaved left, left2;
    TrainBlock w = block_of(mine->weights, &d), w2 = block_of(ours->weights, &d2),
               g = block_of(mine->grads, &dg), g2 = block_of(ours->grads, &dg2);
    static float before[WEIGHTS][WIDE * DIM], through[ROWS * DIM];
    TrainSaved kept = saved_of(mine, &left), kept2 = saved_of(ours, &left2);
    memcpy(before, mine->grads, sizeof before), memcpy(through, mine->dx, sizeof through);
    block_train_backward(&mine->run, &w, &g, &kept, mine->dx);
    SHIPPED(block_train_backward)(&ours->run, &w2, &g2, &kept2, ours->dx);
    static const size_t order[WEIGHTS] = {8, 6, 7, 5, 4,
                                          3, 1, 2, 0}; /* in the order of the backward pass */
    for (size_t at = 0; at < WEIGHTS; at++) {
        size_t i = order[at];
        if (i == 0) memory_is_right(mine, ours);
        if (delta && i >= 1 && i <= 4) continue; /* q, k, v, o */
        float alone[WIDE * DIM];
        for (size_t n = 0; n < weight_sizes[i]; n++)
            alone[n] = ours->grads[i][n] - before[i][n];
        HINT(!all_near(mine->grads[i], before[i], weight_sizes[i], 1e-7),
             "the gradient of %s gets nothing", weight_names[i]);
        HINT(!all_near(mine->grads[i], alone, weight_sizes[i], 1e-4),
             "the gradient of %s is replaced: gradients of weights are added to",
             weight_names[i]);
        NUMBERS(mine->grads[i], ours->grads[i], weight_sizes[i], bound_of(mine),
                "the gradient of %s (all that the way back reaches before it is right: down, "
                "gate, up, ffn_norm, o, v, q, k, "
                "attn_norm)",
                weight_names[i]);
    }
    bool without_stream = true;
    for (size_t i = 0; i < mine->n * DIM; i++)
        without_stream &= close_to(mine->dx[i], ours->dx[i] - through[i], 2e-4);
    HINT(!without_stream, "dx is only what comes through the branches: the stream passes it on "
                          "as it is, and they add to it");
    NUMBERS(mine->dx, ours->dx, mine->n * DIM, 2e-4,
            "dx, the gradient of the block's input; the gradients of the weights are right");
    scratch_is_in_bounds(mine);
}

static void grade_round(int round, size_t n) {
    static Bench mine, ours;
    bench_fill(&mine, round, n);
    ours = mine;
    bench_rooms(&ours);
    bench_wire(&ours, round);
    forward_is_right(&mine, &ours);
    backward_is_right(&mine, &ours);
    free(mine.matmul), free(mine.attn), free(ours.matmul), free(ours.attn);
}

GRADE(block) {
    Fault fault;
    pool = pool_open(THREADS, false, &fault);
    NEED(pool);
    for (int round = 0; round < 6; round++) grade_round(round, FEW);
    grade_round(0, ROWS);
    pool_close(pool);
}

GRADES({"4.12", block})
