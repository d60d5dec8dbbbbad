/* The grader of attention for training: whole sequences, forward and backward. */
#include "textbook.h"

enum { N = 150, HEADS = 4, HD = 5, Q_DIM = HEADS * HD };
static size_t kv_heads, kv_dim, group; /* key-value heads, head_dim, query heads of each */

static float q[N * Q_DIM], k[N * Q_DIM], v[N * Q_DIM], dout[N * Q_DIM], out[N * Q_DIM],
    want_out[N * Q_DIM], other_out[N * Q_DIM];

typedef struct Gradients {
    float q[N * Q_DIM], k[N * Q_DIM], v[N * Q_DIM];
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

/* Tiles have 64 queries. */
static bool is_left_out(Slip slip, size_t head, size_t i, size_t n) {
    return (slip == LAST_HEAD_ONLY && head % group + 1 < group) ||
           (slip == LAST_TILE_ONLY && i / 64 < (n - 1) / 64);
}

/* One sequence, in double, by the formula: rows of q, k, v from `at` on. */
static void formula(const AttentionShape *s, size_t at, size_t n, Slip slip, Gradients *g) {
    static double dk[N * Q_DIM], dv[N * Q_DIM];
    double p[MOST_ROWS], ds[MOST_ROWS];
    memset(dk, 0, sizeof dk), memset(dv, 0, sizeof dv);
    for (size_t head = 0; head < HEADS; head++)
        for (size_t i = 0; i < n; i++) {
            size_t shared = head / group;
            const float *dy = dout + (at + i) * Q_DIM + head * HD;
            double sum = 0, dq[HD] = {0};
            textbook_row(s, n, i, head, q + at * Q_DIM, k + at * kv_dim, NO_MISTAKE, p);
            for (size_t j = 0; j < n; j++) {
                ds[j] = textbook_dot(dy, v + (at + j) * kv_dim + shared * HD, HD);
                sum += p[j] * ds[j];
            }
            for (size_t j = 0; j < n; j++) {
                double dp = ds[j], scale = slip == NO_SCALE_BACK ? 1 : (double)s->scale;
                if (slip == SCALE_ON_P) scale *= scale;
                ds[j] = (p[j] > 0) * (slip == P_FORGOTTEN ? 1 : p[j]) *
                        (dp - (slip == NO_ROW_SUM ? 0 : sum)) * scale;
                for (size_t d = 0; d < HD; d++) {
                    size_t of = j * kv_dim + shared * HD + d;
                    dq[d] += ds[j] * (double)k[(at + j) * kv_dim + shared * HD + d];
                    if (is_left_out(slip, head, i, n)) continue;
                    dk[of] += ds[j] * (double)q[(at + i) * Q_DIM + head * HD + d];
                    dv[of] += (slip == V_WITH_DP ? ds[j] : p[j]) * (double)dy[d];
                }
            }
            for (size_t d = 0; d < HD; d++)
                g->q[(at + i) * Q_DIM + head * HD + d] = (float)dq[d];
        }
    for (size_t i = 0; i < n * kv_dim; i++)
        g->k[at * kv_dim + i] = (float)dk[i], g->v[at * kv_dim + i] = (float)dv[i];
}

static void formula_of_all(const AttentionShape *s, Sequences sequences, Slip slip,
                           Gradients *g) {
    for (size_t i = 0; i < sequences.count; i++)
        formula(s, sequences.start[i], sequences.start[i + 1] - sequences.start[i], slip, g);
}

static bool same_gradients(const Gradients *a, const Gradients *b, size_t n, double bound) {
    return all_near(a->q, b->q, n * Q_DIM, bound) && all_near(a->k, b->k, n * kv_dim, bound) &&
           all_near(a->v, b->v, n * kv_dim, bound);
}

static void textbook_of_all(const AttentionShape *s, Sequences sequences, Mistake m,
                            float *to) {
    for (size_t i = 0; i < sequences.count; i++) {
        size_t at = sequences.start[i], n = sequences.start[i + 1] - at;
        textbook(s, n, q + at * Q_DIM, k + at * kv_dim, v + at * kv_dim, m, to + at * Q_DIM);
    }
}

static void whole_sequences(Pool *pool, AttentionShape s, Sequences sequences, size_t longest,
                            double size) {
    static Gradients got, want, other;
    kv_heads = s.kv_heads, kv_dim = kv_heads * HD, group = HEADS / kv_heads;
    size_t n = sequences.start[sequences.count];
    float *scratch =
        malloc(attention_scratch_floats(pool_threads(pool), longest) * sizeof *scratch);
    NEED(scratch);
    fresh_floats(q, n * Q_DIM, -size, size), fresh_floats(k, n * kv_dim, -size, size);
    fresh_floats(v, n * kv_dim, -2, 2), fresh_floats(dout, n * Q_DIM, -1, 1);
    for (size_t i = 0; i < n * Q_DIM; i++) out[i] = NAN;
    AttentionTask task = {&s, sequences, scratch, q, k, v, out, dout, got.q, got.k, got.v};
    attention_sequences(pool, &task);
    textbook_of_all(&s, sequences, NO_MISTAKE, want_out);
    double bound = size > 10 ? 2e-2 : 2e-4;
    bool right = all_near(out, want_out, n * Q_DIM, bound);
    for (Mistake m = 1; m < MISTAKES && !right; m++) {
        textbook_of_all(&s, sequences, m, other_out);
        HINT(!all_near(out, other_out, n * Q_DIM, bound), "the way there: %s",
             mistake_hints[m]);
    }
    NUMBERS(out, want_out, n * Q_DIM, bound,
            "forward, out = P V: P is attention_score(scale * q.k) and softmax over the range "
            "of the mask, and 0 beside it; row i of a tile is query first + i of its sequence, "
            "and has its head's slope");
    memset(&got, 0x7f, sizeof got);
    attention_backward(pool, &task);
    free(scratch);
    formula_of_all(&s, sequences, NO_SLIP, &want);
    bound *= size > 10 ? 100 : 4;
    right = same_gradients(&got, &want, n, bound);
    for (Slip slip = 1; slip < SLIPS && !right; slip++) {
        formula_of_all(&s, sequences, slip, &other);
        HINT(!same_gradients(&got, &other, n, bound), "the way back: %s", slip_hints[slip]);
    }
    NUMBERS(got.v, want.v, n * kv_dim, bound,
            "the way back: dV = P' dOut, a row has %zu numbers", kv_dim);
    NUMBERS(got.q, want.q, n * Q_DIM, bound, "the way back: dQ = dS K, a row has %d numbers",
            Q_DIM);
    NUMBERS(got.k, want.k, n * kv_dim, bound, "the way back: dK = dS' Q, a row has %zu numbers",
            kv_dim);
}

GRADE(there_and_back) {
    AttentionShape s = {.heads = HEADS,
                        .kv_heads = 2,
                        .head_dim = HD,
                        .scale = 0.45f,
                        .mask = {.causal = true}};
    size_t middle = 3 + fresh_below(9), start[] = {0, middle, 140 + fresh_below(10)},
           tiles[] = {0, 64, 128, 129, 129, 134};
    Sequences two = {start, 2};
    whole_sequences(NULL, s, two, start[2], 1);
    whole_sequences(NULL, s, (Sequences){(size_t[]){0, 5}, 1}, 5, 1);
    whole_sequences(NULL, s, (Sequences){tiles, 5}, 64, 1); /* full tiles, one token, none */
    for (s.kv_heads = 1; s.kv_heads <= HEADS; s.kv_heads *= 4)
        whole_sequences(NULL, s, two, start[2], 1);
    s.kv_heads = 2;
    s.mask.window = 20 + fresh_below(60);
    whole_sequences(NULL, s, two, start[2], 1);
    s.mask.causal = false, s.mask.window = 0;
    whole_sequences(NULL, s, two, start[2], 1);
    s.mask.causal = true, s.max_bias = 8;
    whole_sequences(NULL, s, two, start[2], 1);
    s.max_bias = 0;
    whole_sequences(NULL, s, two, start[2], 14); /* scores of hundreds */
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 10; round++) whole_sequences(pool, s, two, start[2], 1);
    pool_close(pool);
}

GRADES({"4.11", there_and_back})
