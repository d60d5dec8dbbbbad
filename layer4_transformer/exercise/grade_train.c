/* The graders of what training asks of this layer: attention for whole sequences and back, a block and back. */
#include "textbook.h"

DECLARE_SHIPPED(attention_backward);
DECLARE_SHIPPED(block_train_forward);
DECLARE_SHIPPED(block_train_backward);

/* ------------------------------------------------------------------ attention */

enum { N = 150, HEADS = 4, KV_HEADS = 2, HD = 5, Q_DIM = HEADS * HD, KV_DIM = KV_HEADS * HD };

static float q[N * Q_DIM], k[N * KV_DIM], v[N * KV_DIM], dout[N * Q_DIM], out[N * Q_DIM],
    want_out[N * Q_DIM], other_out[N * Q_DIM];

typedef struct Gradients {
    float q[N * Q_DIM], k[N * KV_DIM], v[N * KV_DIM];
} Gradients;

typedef enum Slip {
    NO_SLIP,
    NO_ROW_SUM,
    NO_SCALE_BACK,
    SCALE_ON_P,
    P_FORGOTTEN,
    LAST_HEAD_ONLY,
    LAST_TILE_ONLY,
    V_WITH_DP,
    SLIPS
} Slip;

static const char *const slip_hints[SLIPS] = {
    [NO_ROW_SUM] = "dS = P * (dP - the sum over the row of P * dP): the sum is missing, "
                   "softmax_backward() has it",
    [NO_SCALE_BACK] = "scores were scale * q.k, so dS is scaled, too",
    [SCALE_ON_P] = "the scale belongs to dS: it is taken twice",
    [P_FORGOTTEN] = "dS is P times what is in the brackets: P is missing",
    [LAST_HEAD_ONLY] =
        "dK and dV are sums over the query heads that share them: add, do not replace",
    [LAST_TILE_ONLY] = "dK and dV are sums over all tiles of queries: add, do not replace",
    [V_WITH_DP] =
        "dV = P' dOut: it is made from the probabilities, before dP or dS is anywhere in it",
};

/* Tiles are of 64 queries. */
static bool is_left_out(Slip slip, size_t head, size_t i, size_t n) {
    return (slip == LAST_HEAD_ONLY && head % (HEADS / KV_HEADS) + 1 < HEADS / KV_HEADS) ||
           (slip == LAST_TILE_ONLY && i / 64 < (n - 1) / 64);
}

/* One sequence, in double, by the formula: rows of q, k, v from `at` on. */
static void formula(const AttentionShape *s, size_t at, size_t n, Slip slip, Gradients *g) {
    static double dk[N * KV_DIM], dv[N * KV_DIM];
    double p[MOST_ROWS], ds[MOST_ROWS];
    memset(dk, 0, sizeof dk), memset(dv, 0, sizeof dv);
    for (size_t head = 0; head < HEADS; head++)
        for (size_t i = 0; i < n; i++) {
            size_t shared = head / (HEADS / KV_HEADS);
            const float *dy = dout + (at + i) * Q_DIM + head * HD;
            double sum = 0, dq[HD] = {0};
            textbook_row(s, n, i, head, q + at * Q_DIM, k + at * KV_DIM, NO_MISTAKE, p);
            for (size_t j = 0; j < n; j++) {
                ds[j] = textbook_dot(dy, v + (at + j) * KV_DIM + shared * HD, HD);
                sum += p[j] * ds[j];
            }
            for (size_t j = 0; j < n; j++) {
                double dp = ds[j], scale = slip == NO_SCALE_BACK ? 1 : (double)s->scale;
                if (slip == SCALE_ON_P) scale *= scale;
                ds[j] = (p[j] > 0) * (slip == P_FORGOTTEN ? 1 : p[j]) *
                        (dp - (slip == NO_ROW_SUM ? 0 : sum)) * scale;
                for (size_t d = 0; d < HD; d++) {
                    size_t of = j * KV_DIM + shared * HD + d;
                    dq[d] += ds[j] * (double)k[(at + j) * KV_DIM + shared * HD + d];
                    if (is_left_out(slip, head, i, n)) continue;
                    dk[of] += ds[j] * (double)q[(at + i) * Q_DIM + head * HD + d];
                    dv[of] += (slip == V_WITH_DP ? ds[j] : p[j]) * (double)dy[d];
                }
            }
            for (size_t d = 0; d < HD; d++)
                g->q[(at + i) * Q_DIM + head * HD + d] = (float)dq[d];
        }
    for (size_t i = 0; i < n * KV_DIM; i++)
        g->k[at * KV_DIM + i] = (float)dk[i], g->v[at * KV_DIM + i] = (float)dv[i];
}

static void formula_of_all(const AttentionShape *s, Sequences sequences, Slip slip,
                           Gradients *g) {
    for (size_t i = 0; i < sequences.count; i++)
        formula(s, sequences.start[i], sequences.start[i + 1] - sequences.start[i], slip, g);
}

static bool same_gradients(const Gradients *a, const Gradients *b, size_t n, double bound) {
    return all_near(a->q, b->q, n * Q_DIM, bound) && all_near(a->k, b->k, n * KV_DIM, bound) &&
           all_near(a->v, b->v, n * KV_DIM, bound);
}

static void textbook_of_all(const AttentionShape *s, Sequences sequences, Mistake m,
                            float *to) {
    for (size_t i = 0; i < sequences.count; i++) {
        size_t at = sequences.start[i], n = sequences.start[i + 1] - at;
        textbook(s, n, q + at * Q_DIM, k + at * KV_DIM, v + at * KV_DIM, m, to + at * Q_DIM);
    }
}

static void whole_sequences(AttentionShape s, Sequences sequences, size_t longest,
                            double size) {
    static Gradients got, want, other;
    size_t n = sequences.start[sequences.count];
    float *scratch = malloc(attention_scratch_floats(1, longest) * sizeof *scratch);
    NEED(scratch);
    fresh_floats(q, n * Q_DIM, -size, size), fresh_floats(k, n * KV_DIM, -size, size);
    fresh_floats(v, n * KV_DIM, -2, 2), fresh_floats(dout, n * Q_DIM, -1, 1);
    for (size_t i = 0; i < n * Q_DIM; i++) out[i] = NAN;
    attention_sequences(NULL, &s, sequences, q, k, v, out, scratch);
    textbook_of_all(&s, sequences, NO_MISTAKE, want_out);
    double bound = size > 10 ? 2e-2 : 2e-4;
    bool right = all_near(out, want_out, n * Q_DIM, bound);
    for (Mistake m = 1; m < MISTAKES && !right; m++) {
        textbook_of_all(&s, sequences, m, other_out);
        HINT(!all_near(out, other_out, n * Q_DIM, bound), "the way there: %s",
             mistake_hints[m]);
    }
    NUMBERS(out, want_out, n * Q_DIM, bound,
            "the way there, out = P V: P is attention_score(scale * q.k) and softmax over the "
            "range of the mask, and 0 beside "
            "it");
    memset(&got, 0x7f, sizeof got);
    attention_backward(NULL, &s, sequences, q, k, v, dout, got.q, got.k, got.v, scratch);
    free(scratch);
    formula_of_all(&s, sequences, NO_SLIP, &want);
    bound *= size > 10 ? 100 : 4;
    right = same_gradients(&got, &want, n, bound);
    for (Slip slip = 1; slip < SLIPS && !right; slip++) {
        formula_of_all(&s, sequences, slip, &other);
        HINT(!same_gradients(&got, &other, n, bound), "the way back: %s", slip_hints[slip]);
    }
    NUMBERS(got.v, want.v, n * KV_DIM, bound,
            "the way back: dV = P' dOut, a row has %d numbers", KV_DIM);
    NUMBERS(got.q, want.q, n * Q_DIM, bound, "the way back: dQ = dS K, a row has %d numbers",
            Q_DIM);
    NUMBERS(got.k, want.k, n * KV_DIM, bound, "the way back: dK = dS' Q, a row has %d numbers",
            KV_DIM);
}

GRADE(there_and_back) {
    AttentionShape s = {.heads = HEADS,
                        .kv_heads = KV_HEADS,
                        .head_dim = HD,
                        .scale = 0.45f,
                        .mask = {.causal = true}};
    size_t middle = 3 + fresh_below(9), start[] = {0, middle, 140 + fresh_below(10)};
    whole_sequences(s, (Sequences){start, 2}, start[2], 1);
    size_t one[] = {0, 5};
    whole_sequences(s, (Sequences){one, 1}, 5, 1);
    s.mask.window = 20 + fresh_below(60);
    whole_sequences(s, (Sequences){start, 2}, start[2], 1);
    s.mask.causal = false, s.mask.window = 0;
    whole_sequences(s, (Sequences){start, 2}, start[2], 1);
    s.mask.causal = true, s.max_bias = 8;
    whole_sequences(s, (Sequences){start, 2}, start[2], 1);
    s.max_bias = 0;
    whole_sequences(s, (Sequences){start, 2}, start[2], 14); /* scores of hundreds */
}

/* ------------------------------------------------------------------ the block */

enum {
    ROWS = 14,
    DIM = 8,
    HIDDEN = 10,
    HALF = 2,
    HEAD = 2 * HALF,
    WIDE = 4 * HEAD,
    NARROW = 2 * HEAD,
    WEIGHTS = 9,
    KEPT = 11
};

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

/* A block with all that belongs to it, twice: for the work under test and for the library. */
typedef struct Bench {
    TrainRun run;
    Rope rope;
    double freq[HALF];
    size_t start[3];
    float cosine[ROWS * HALF], sine[ROWS * HALF], x[ROWS * DIM], dx[ROWS * DIM];
    float weights[WEIGHTS][WIDE * DIM], grads[WEIGHTS][WIDE * DIM], kept[KEPT][ROWS * WIDE];
    float scratch[3][ROWS * 4 * WIDE], *matmul, *attn;
} Bench;

static TrainBlock block_of(float rows[WEIGHTS][WIDE * DIM]) {
    return (TrainBlock){.attn_norm = rows[0],
                        .q = rows[1],
                        .k = rows[2],
                        .v = rows[3],
                        .o = rows[4],
                        .ffn_norm = rows[5],
                        .gate = rows[6],
                        .up = rows[7],
                        .down = rows[8]};
}

static TrainSaved saved_of(Bench *b) {
    float(*f)[ROWS * WIDE] = b->kept;
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
                        .act = f[10]};
}

static void bench_wire(Bench *b) {
    b->rope.freq = b->freq;
    b->run = (TrainRun){.shape = {.dim = DIM,
                                  .hidden = HIDDEN,
                                  .heads = 4,
                                  .kv_heads = 2,
                                  .head_dim = HEAD,
                                  .eps = 1e-5f},
                        .rope = b->rope,
                        .sequences = {b->start, 2},
                        .n = ROWS,
                        .cosine = b->cosine,
                        .sine = b->sine,
                        .matmul_scratch = b->matmul,
                        .attn_scratch = b->attn,
                        .grad_a = b->scratch[0],
                        .grad_b = b->scratch[1],
                        .grad_c = b->scratch[2]};
}

static void bench_fill(Bench *b) {
    *b = (Bench){.rope = {.style = ROPE_INTERLEAVED, .rotary = HEAD, .magnitude = 1},
                 .freq = {1, 0.1}};
    b->start[1] = 3 + fresh_below(4), b->start[2] = ROWS;
    b->matmul = malloc(matmul_scratch_floats(1, 4 * WIDE) * sizeof(float));
    b->attn = malloc(attention_scratch_floats(1, ROWS) * sizeof(float));
    NEED(b->matmul && b->attn);
    bench_wire(b);
    for (size_t i = 0; i < ROWS; i++)
        rope_angles(&b->run.rope, i < b->start[1] ? i : i - b->start[1], b->cosine + i * HALF,
                    b->sine + i * HALF);
    fresh_floats(b->x, ROWS * DIM, -2, 2), fresh_floats(b->dx, ROWS * DIM, -1, 1);
    for (size_t w = 0; w < WEIGHTS; w++)
        fresh_floats(b->weights[w], weight_sizes[w], -0.7, 0.7),
            fresh_floats(b->grads[w], weight_sizes[w], -1, 1);
}

static void forward_is_right(Bench *mine, Bench *ours) {
    TrainBlock w = block_of(mine->weights), w2 = block_of(ours->weights);
    TrainSaved kept = saved_of(mine), kept2 = saved_of(ours);
    float before[ROWS * DIM];
    memcpy(before, mine->x, sizeof before);
    block_train_forward(&mine->run, &w, &kept, mine->x);
    SHIPPED(block_train_forward)(&ours->run, &w2, &kept2, ours->x);
    for (size_t i = 0; i < KEPT; i++)
        NUMBERS(mine->kept[i], ours->kept[i], ROWS * kept_sizes[i], 1e-4,
                "the way there leaves for the way back: %s; %d rows of %zu numbers",
                kept_names[i], ROWS, kept_sizes[i]);
    bool replaced = true;
    for (size_t i = 0; i < ROWS * DIM; i++)
        replaced &= close_to(mine->x[i], ours->x[i] - ours->kept[6][i], 1e-4);
    HINT(!replaced, "x is what the last map returns: it is to be added to x");
    NUMBERS(mine->x, ours->x, ROWS * DIM, 1e-4,
            "x after the block: both branches are added to it");
}

static void backward_is_right(Bench *mine, Bench *ours) {
    TrainBlock w = block_of(mine->weights), w2 = block_of(ours->weights),
               g = block_of(mine->grads), g2 = block_of(ours->grads);
    static float before[WEIGHTS][WIDE * DIM], through[ROWS * DIM];
    TrainSaved kept = saved_of(mine), kept2 = saved_of(ours);
    memcpy(before, mine->grads, sizeof before), memcpy(through, mine->dx, sizeof through);
    block_train_backward(&mine->run, &w, &g, &kept, mine->dx);
    SHIPPED(block_train_backward)(&ours->run, &w2, &g2, &kept2, ours->dx);
    static const size_t order[WEIGHTS] = {8, 6, 7, 5, 4,
                                          3, 1, 2, 0}; /* as the way back reaches them */
    for (size_t at = 0; at < WEIGHTS; at++) {
        size_t i = order[at];
        float alone[WIDE * DIM];
        for (size_t n = 0; n < weight_sizes[i]; n++)
            alone[n] = ours->grads[i][n] - before[i][n];
        HINT(!all_near(mine->grads[i], before[i], weight_sizes[i], 1e-7),
             "the gradient of %s gets nothing", weight_names[i]);
        HINT(!all_near(mine->grads[i], alone, weight_sizes[i], 1e-4),
             "the gradient of %s is replaced: gradients of weights are added to",
             weight_names[i]);
        NUMBERS(mine->grads[i], ours->grads[i], weight_sizes[i], 2e-4,
                "the gradient of %s (all that the way back reaches before it is right: down, "
                "gate, up, ffn_norm, o, v, q, k, "
                "attn_norm)",
                weight_names[i]);
    }
    bool without_stream = true;
    for (size_t i = 0; i < ROWS * DIM; i++)
        without_stream &= close_to(mine->dx[i], ours->dx[i] - through[i], 2e-4);
    HINT(!without_stream, "dx is only what comes through the branches: the stream passes it on "
                          "as it is, and they add to it");
    NUMBERS(mine->dx, ours->dx, ROWS * DIM, 2e-4,
            "dx, the gradient of the block's input; the gradients of the weights are right");
}

GRADE(block) {
    static Bench mine, ours;
    for (int round = 0; round < 3; round++) {
        bench_fill(&mine);
        ours = mine;
        ours.matmul = malloc(matmul_scratch_floats(1, 4 * WIDE) * sizeof(float));
        ours.attn = malloc(attention_scratch_floats(1, ROWS) * sizeof(float));
        bench_wire(&ours);
        forward_is_right(&mine, &ours);
        backward_is_right(&mine, &ours);
        free(mine.matmul), free(mine.attn), free(ours.matmul), free(ours.attn);
    }
}

GRADES({"4.11", there_and_back}, {"4.12", block})
