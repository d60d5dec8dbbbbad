/* The graders of the delta rule: the state update, and its inputs; by sums in double
 * precision. */
#include "edge.h"
#include "heap.h"
#include "near.h"
#include "transformer_extras.h"

DECLARE_SHIPPED(delta_forward);

enum { MOST = 512, SMALL = 48 }; /* max of a head; max that most checks use */
#define NEAR 2e-4

/* ------------------------------------------------------------------ one step of one head */

typedef enum {
    RIGHT,
    ADDED,
    NOT_FADED,
    FADED_LATE,
    NO_BETA,
    ASKED_BEFORE,
    TURNED,
    COLUMNS,
    SLIPS
} Slip;

static const char *const hints[SLIPS] = {
    [ADDED] = "the value is added as it is: only what is missing comes in, v - S k",
    [NOT_FADED] =
        "nothing is forgotten: S fades by `decay` first, each number of a key by itself",
    [FADED_LATE] = "what the memory says to k is asked after it has faded, not before",
    [NO_BETA] = "beta says how much of what is missing comes in",
    [ASKED_BEFORE] = "q reads the state with this token in it",
    [COLUMNS] = "rows and columns of S are swapped: number i of row j is at j / 16 * 16 * d + "
                "16 * i + j % 16",
    [TURNED] = "S has a row for each number of a value: row j takes u[j] k"};

/* Index of number i of row j in a state of strips (recurrence.h). */
static size_t strip_at(size_t d, size_t j, size_t i) {
    return j / STRIP * STRIP * d + STRIP * i + j % STRIP;
}

/* state (d, d) is updated by the token; out (d) */
static void step_wanted(double *state, size_t d, const float *decay, float beta, const float *q,
                        const float *k, const float *v, double *out, Slip slip) {
    double u[MOST], before[MOST];
    for (size_t j = 0; j < d; j++) {
        double said = 0;
        before[j] = 0;
        for (size_t i = 0; i < d; i++) {
            double old = state[j * d + i];
            before[j] += old * (double)q[i];
            if (slip != NOT_FADED) state[j * d + i] *= (double)decay[i];
            said += (slip == FADED_LATE ? old : state[j * d + i]) * (double)k[i];
        }
        u[j] =
            ((double)v[j] - (slip == ADDED ? 0 : said)) * (slip == NO_BETA ? 1 : (double)beta);
    }
    for (size_t j = 0; j < d; j++) {
        out[j] = 0;
        for (size_t i = 0; i < d; i++) {
            size_t at = slip == TURNED ? i * d + j : j * d + i;
            state[at] += u[j] * (double)k[i];
        }
    }
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < d; i++) out[j] += state[j * d + i] * (double)q[i];
        if (slip == ASKED_BEFORE) out[j] = before[j];
    }
}

static float before[MOST * MOST], was[MOST * MOST], after[MOST * MOST + 1], lies[MOST * MOST];
static double want[MOST * MOST], other[MOST * MOST];

/* A random state in strips; `want` gets it as rows. */
static void fresh_memory(size_t d) {
    fresh_floats(before, d * strip_rows(d), -1, 1);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) want[j * d + i] = (double)before[strip_at(d, j, i)];
    memcpy(other, want, sizeof other), memcpy(after, before, sizeof before);
    memcpy(was, before, sizeof was);
}

/* `after` as rows. */
static const float *memory_rows(size_t d) {
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) lies[j * d + i] = after[strip_at(d, j, i)];
    return lies;
}

static void check_step(size_t d, bool in_place) {
    float decay[MOST], q[MOST], k[MOST], v[MOST], out[MOST + 1], beta;
    double wanted[MOST], slipped[MOST];
    static double begun[MOST * MOST];
    fresh_memory(d), fresh_floats(decay, d, 0.2, 0.9);
    memcpy(begun, want, sizeof begun);
    fresh_floats(q, d, -1, 1), fresh_floats(k, d, -0.5, 0.5), fresh_floats(v, d, -2, 2);
    beta = (float)fresh_between(0.2, 0.8), out[d] = -7;
    step_wanted(want, d, decay, beta, q, k, v, wanted, RIGHT);
    delta_step(after, in_place ? after : before, d, d, decay, beta, q, k, v, out);
    HINT(out[d] == -7, "d is %zu, and something is written past the last of out", d);
    HINT(in_place || memcmp(before, was, d * strip_rows(d) * sizeof *before) == 0,
         "`before` is read only: what has faded belongs into `after`");
    for (Slip s = ADDED; s < SLIPS && !all_near(out, wanted, d, NEAR); s++) {
        memcpy(other, begun, sizeof other);
        if (in_place) break;
        for (size_t j = 0; j < d && s == COLUMNS; j++)
            for (size_t i = 0; i < d; i++) other[j * d + i] = begun[i * d + j];
        step_wanted(other, d, decay, beta, q, k, v, slipped, s);
        HINT(!all_near(out, slipped, d, NEAR), "%s", hints[s]);
    }
    expect(in_place ? "o, with after = before" : "o", out, wanted, d, NEAR);
    expect("the memory after the token", memory_rows(d), want, d * d, NEAR);
}

/* Rows that were not passed are not touched. */
static void check_rows(size_t d, size_t rows) {
    float decay[MOST], q[MOST], k[MOST], v[MOST], out[MOST];
    double wanted[MOST];
    fresh_memory(d), fresh_floats(decay, d, 0.2, 0.9), fresh_floats(q, d, -1, 1);
    fresh_floats(k, d, -0.5, 0.5), fresh_floats(v, d, -2, 2);
    step_wanted(want, d, decay, 0.5F, q, k, v, wanted, RIGHT);
    delta_step(after, before, d, rows, decay, 0.5F, q, k, v, out);
    expect("o of the first rows alone", out, wanted, rows, NEAR);
    HINT(memcmp(after + strip_rows(rows) * d, before + strip_rows(rows) * d,
                (strip_rows(d) - strip_rows(rows)) * d * sizeof *after) == 0,
         "of %zu rows %zu are asked for, and others change, too", d, rows);
}

GRADE(one_step) {
    for (int round = 0; round < 30; round++) {
        check_step(2 + fresh_below(SMALL - 1), false);
        check_step(2 + fresh_below(SMALL - 1), true);
    }
    check_step(MOST, false);
    check_rows(MOST, STRIP), check_rows(MOST - 5, 2 * STRIP), check_rows(20, STRIP);
}

/* ------------------------------------------------------------------ what a token says */

enum { TOKENS = 9, D = 8, KEYS = 2, HEADS = 4, DIM = 12, K = KEYS * D, V = HEADS * D };

typedef enum {
    SAID,
    NOT_LENGTH_ONE,
    Q_ONLY,
    ALL_HEADS,
    RAW_BETA,
    NO_BIAS,
    NO_SOFTPLUS,
    OVERFLOWS,
    NO_A,
    NO_EXP,
    NO_EPS,
    SAID_SLIPS
} Said;

static const char *const said_hints[SAID_SLIPS] = {
    [NOT_LENGTH_ONE] =
        "each head of q and k has length 1: then beta = 1 replaces exactly what a "
        "key is answered with",
    [Q_ONLY] = "k has length 1 as q has, each head by itself",
    [ALL_HEADS] = "each head has length 1 by itself, not all of them together",
    [RAW_BETA] = "beta is between 0 and 1: sigmoid",
    [NO_BIAS] = "dt_bias is added before softplus",
    [NO_SOFTPLUS] = "softplus keeps decay + bias above 0",
    [OVERFLOWS] = "expf of more than 88 is infinite: softplus of a large number is that number",
    [NO_A] = "each head forgets at a rate of its own: times a",
    [NO_EPS] = "no length counts as less than eps: a row of zeros stays one",
    [NO_EXP] = "what stays is exp(a softplus(...)): between 0 and 1"};

static float maps[6][V * V], maps_both[2 * HEADS * DIM], conv_one[V], x[TOKENS * DIM], a[HEADS],
    bias[V];

static Linear map_of(int i, size_t rows, size_t cols) {
    return (Linear){.w = tensor_view(DTYPE_F32, 2, (size_t[]){rows, cols}, maps[i])};
}

/* Options: one map for beta and decay, betas, then decays, of each key head. */
typedef enum { PLAIN, EACH, BOTH, KINDS } Kind;

static const char *const kinds[KINDS] = {
    "with a rate for each head", "with rates for each number of a key (per_channel: a[k / d])",
    "with `both`: part_both() first, and a row of betas is then twice as long"};

/* A delta net without convolution, norm or gate: the gate's map is 0, its sigmoid 0.5. */
static DeltaNet fresh_net(Kind kind, bool extremes) {
    bool each = kind == EACH;
    const ShortConv none = {.taps = 1, .w = conv_one};
    DeltaNet m = {.d = D, .keys = KEYS, .heads = HEADS, .per_channel = each, .eps = 0.5f};
    for (int i = 0; i < 6; i++) fresh_floats(maps[i], V * V, -0.6, 0.6);
    for (int i = 0; i < V; i++) conv_one[i] = 1;
    fresh_floats(x, TOKENS * DIM, -1, 1), memset(x + 2 * DIM, 0, DIM * sizeof *x);
    for (int i = 0; i < DIM; i++) x[4 * DIM + i] *= 0.1f; /* shorter than eps */
    fresh_floats(bias, V, -1, 1);
    fresh_floats(a, HEADS, -2, -0.5);
    if (extremes) { /* slow decay from a large number; beta 0 or 1 */
        a[1] = -0.02f, bias[1] = bias[D + 1] = 100;
        for (int i = 0; i < DIM; i++) maps[4][2 * DIM + i] *= 400;
    }
    m.q = map_of(0, K, DIM), m.k = map_of(1, K, DIM), m.v = map_of(2, V, DIM);
    m.decay = map_of(3, each ? V : HEADS, DIM), m.beta = map_of(4, HEADS, DIM);
    if (kind == BOTH) {
        for (size_t h = 0, share = HEADS / KEYS; h < HEADS; h++) {
            float *to = maps_both + h / share * 2 * share * DIM + h % share * DIM;
            memcpy(to, maps[4] + h * DIM, DIM * sizeof *to);
            memcpy(to + share * DIM, maps[3] + h * DIM, DIM * sizeof *to);
        }
        m.both =
            (Linear){.w = tensor_view(DTYPE_F32, 2, (size_t[]){2 * HEADS, DIM}, maps_both)};
    }
    m.out = map_of(5, DIM, V), m.sigmoid_gate = true;
    static float zeros[V * DIM];
    m.gate.w = tensor_view(DTYPE_F32, 2, (size_t[]){V, DIM}, zeros);
    m.q_conv = m.k_conv = m.v_conv = none;
    m.q_conv.channels = m.k_conv.channels = K, m.v_conv.channels = V;
    m.a = a, m.dt_bias = bias;
    return m;
}

static void through(int map, size_t rows, size_t cols, const float *in, double *out) {
    for (size_t r = 0; r < rows; r++) {
        out[r] = 0;
        for (size_t c = 0; c < cols; c++)
            out[r] += (double)maps[map][r * cols + c] * (double)in[c];
    }
}

static void to_one(double *row, size_t n, double eps) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += row[i] * row[i];
    for (size_t i = 0; i < n; i++) row[i] /= fmax(sqrt(sum), eps);
}

static void net_wanted(bool each, Said slip, double *out) {
    double state[HEADS][D * D] = {{0}}, q[K], k[K], v[V], decay[V], beta[HEADS], y[V];
    for (size_t t = 0; t < TOKENS; t++) {
        const float *in = x + t * DIM;
        through(0, K, DIM, in, q), through(1, K, DIM, in, k), through(2, V, DIM, in, v);
        through(3, each ? V : HEADS, DIM, in, decay), through(4, HEADS, DIM, in, beta);
        for (size_t h = 0; h < KEYS && slip != NOT_LENGTH_ONE && slip != ALL_HEADS; h++) {
            double eps = slip == NO_EPS ? 1e-12 : 0.5;
            to_one(q + h * D, D, eps);
            if (slip != Q_ONLY) to_one(k + h * D, D, eps);
        }
        if (slip == ALL_HEADS) to_one(q, K, 0.5), to_one(k, K, 0.5);
        for (size_t h = 0; h < HEADS; h++) {
            float stays[D], qf[D], kf[D], vf[D];
            double b = slip == RAW_BETA ? beta[h] : 1 / (1 + exp(-beta[h]));
            for (size_t i = 0; i < D; i++) {
                size_t at = each ? h * D + i : h, key = h / (HEADS / KEYS) * D + i;
                double g = decay[at] + (slip == NO_BIAS ? 0 : (double)bias[at]);
                if (slip != NO_SOFTPLUS)
                    g = slip == OVERFLOWS && g > 88 ? HUGE_VAL : log1p(exp(g));
                if (slip != NO_A) g *= (double)a[h];
                stays[i] = (float)(slip == NO_EXP ? g : exp(g));
                qf[i] = (float)q[key], kf[i] = (float)k[key], vf[i] = (float)v[h * D + i];
            }
            step_wanted(state[h], D, stays, (float)b, qf, kf, vf, y + h * D, RIGHT);
        }
        for (size_t r = 0; r < DIM; r++) {
            out[t * DIM + r] = 0;
            for (size_t c = 0; c < V; c++)
                out[t * DIM + r] += (double)maps[5][r * V + c] * y[c] / sqrt(D) / 2;
        }
    }
}

/* The work's result; the cache has one layer, with states alone. */
static void net_runs(Pool *pool, const DeltaNet *m, __typeof__(delta_forward) *forward,
                     float *out) {
    int32_t position[TOKENS];
    for (int32_t i = 0; i < TOKENS; i++) position[i] = i;
    KvShape shape = {.state = delta_state(m)};
    KvConfig config = {
        .shapes = &shape, .layers = 1, .sequences = 1, .ctx = 64, .batch = TOKENS, .rewind = 1};
    DeltaSizes sizes = {0};
    DeltaRun run;
    KvCache kv;
    Arena arena;
    Fault fault;
    delta_sizes_include(&sizes, m);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0) arena_measure(&arena);
        if (pass == 1) NEED(arena_init(&arena, arena.used, &fault));
        kv_init(&kv, &config, &arena), delta_run_init(&run, TOKENS, &sizes, &arena);
    }
    NEED(kv_extend(&kv, 0, TOKENS));
    Batch batch = {TOKENS, NULL, (int32_t[TOKENS]){0}, position, NULL, NULL};
    forward(pool, m, &run, &kv, 0, &batch, x, out);
    arena_free(&arena);
}

static void check_net(Pool *pool, Kind kind, bool extremes) {
    static float got[TOKENS * DIM];
    static double right[TOKENS * DIM], wrong[TOKENS * DIM];
    DeltaNet m = fresh_net(kind, extremes);
    bool each = kind == EACH;
    net_runs(pool, &m, delta_forward, got);
    net_wanted(each, SAID, right);
    for (size_t i = 0; i < TOKENS * DIM; i++)
        HINT(!isnan(got[i]), "%s",
             i / DIM == 2 ? said_hints[NO_EPS]
                          : "not a number: expf of more than 88 is infinite, and infinity over "
                            "infinity nothing; 1 / (1 + expf(-b)) has no such place");
    for (Said s = NOT_LENGTH_ONE; s < SAID_SLIPS && !all_near(got, right, TOKENS * DIM, NEAR);
         s++) {
        net_wanted(each, s, wrong);
        HINT(!all_near(got, wrong, TOKENS * DIM, NEAR), "%s", said_hints[s]);
    }
    HINT(!pool || all_near(got, right, TOKENS * DIM, NEAR),
         "three threads prepare rows, each those from begin to end - 1 and no others");
    HINT(kind != PLAIN || all_near(got, right, DIM, NEAR),
         "even the first token, with an empty memory, is wrong: q, k or beta; or its row is "
         "prepared twice (yours are those from begin to end - 1)");
    expect(kinds[kind], got, right, TOKENS * DIM, NEAR);
}

/* As many decays as in a large model: one for each number of each key. */
static void check_wide(void) {
    enum { WIDE = 64, ALL = WIDE * WIDE };
    static float tall[5][ALL * DIM], back[DIM * ALL], rates[WIDE], biases[ALL], ones[ALL],
        zeros[ALL * DIM], got[TOKENS * DIM], want[TOKENS * DIM];
    for (int i = 0; i < 5; i++) fresh_floats(tall[i], ALL * DIM, -0.6, 0.6);
    fresh_floats(back, DIM * ALL, -0.1, 0.1), fresh_floats(rates, WIDE, -2, -0.5);
    fresh_floats(biases, ALL, -1, 1), fresh_floats(x, TOKENS * DIM, -1, 1);
    for (int i = 0; i < ALL; i++) ones[i] = 1;
    Linear map[5];
    for (int i = 0; i < 5; i++)
        map[i] = (Linear){.w = tensor_view(DTYPE_F32, 2,
                                           (size_t[]){i < 2   ? 2 * WIDE
                                                      : i < 4 ? ALL
                                                              : WIDE,
                                                      DIM},
                                           tall[i])};
    const ShortConv none = {.taps = 1, .w = ones, .channels = ALL};
    DeltaNet m = {.d = WIDE, .keys = 2, .heads = WIDE, .per_channel = true, .eps = 1e-6f};
    m.q = map[0], m.k = map[1], m.v = map[2], m.decay = map[3], m.beta = map[4];
    m.out.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, ALL}, back), m.sigmoid_gate = true;
    m.gate.w = tensor_view(DTYPE_F32, 2, (size_t[]){ALL, DIM}, zeros);
    m.q_conv = m.k_conv = m.v_conv = none, m.q_conv.channels = m.k_conv.channels = 2 * WIDE;
    m.a = rates, m.dt_bias = biases;
    net_runs(NULL, &m, SHIPPED(delta_forward), want), net_runs(NULL, &m, delta_forward, got);
    NUMBERS(got, want, TOKENS * DIM, 1e-3, "%d heads of %d, with a rate for each number", WIDE,
            WIDE);
}

GRADE(what_is_said) {
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 10; round++)
        for (Kind kind = PLAIN; kind < KINDS; kind++) check_net(NULL, kind, round >= 7);
    for (Kind kind = PLAIN; kind < KINDS; kind++) check_net(pool, kind, false);
    pool_close(pool);
    check_wide();
}

GRADE(delta) {
    one_step();
    what_is_said();
}

/* ------------------------------------------------------------------ RWKV 7 */

typedef enum {
    WKV,
    KEPT,
    LATE,
    ALL_BACK,
    WRONG_WAY,
    NOT_WRITTEN,
    A_OF_ROW,
    W_OF_ROW,
    A_ASKED,
    S_TURNED,
    WKV_SLIPS
} Wkv;

static const char *const wkv_hints[WKV_SLIPS] = {
    [KEPT] = "nothing is forgotten: S diag(w), each number of a key by itself",
    [LATE] = "what the memory says to k' is asked before it fades",
    [ALL_BACK] = "a says how much is corrected, for each number of a key",
    [WRONG_WAY] = "subtract S k', do not add it again",
    [A_OF_ROW] = "a belongs to a number of a key, as k' does: a[j] of column j, not of the row",
    [W_OF_ROW] = "w belongs to a number of a key: column j fades by w[j], not row i by w[i]",
    [A_ASKED] = "read S with k' alone; subtract that answer times k' * a",
    [S_TURNED] = "rows and columns of S are swapped: number j of row i is at i / 16 * 16 * d + "
                 "16 * j + i % 16",
    [NOT_WRITTEN] = "what comes in is v k^T: with k, not with k'"};

static void wkv_wanted(double *s, size_t d, float in[6][MOST], double *out, Wkv slip) {
    const float *w = in[0], *kk = in[1], *a = in[2], *r = in[3], *k = in[4], *v = in[5];
    for (size_t i = 0; i < d; i++) {
        double said = 0;
        out[i] = 0;
        for (size_t j = 0; j < d; j++)
            said += s[i * d + j] * (double)kk[j] *
                    (slip == LATE      ? (double)w[j]
                     : slip == A_ASKED ? (double)a[j]
                                       : 1);
        for (size_t j = 0; j < d; j++) {
            double back =
                said * (double)kk[j] *
                (slip == ALL_BACK || slip == A_ASKED ? 1 : (double)a[slip == A_OF_ROW ? i : j]);
            s[i * d + j] =
                s[i * d + j] * (slip == KEPT ? 1 : (double)w[slip == W_OF_ROW ? i : j]) +
                (slip == WRONG_WAY ? back : -back) +
                (double)v[i] * (double)(slip == NOT_WRITTEN ? kk : k)[j];
            out[i] += s[i * d + j] * (double)r[j];
        }
    }
}

static void check_wkv(size_t d, bool in_place) {
    float in[6][MOST] = {0}, given[6][MOST], out[MOST + 1];
    double wanted[MOST], slipped[MOST];
    static double begun[MOST * MOST];
    fresh_memory(d);
    memcpy(begun, want, sizeof begun);
    for (int i = 0; i < 6; i++) fresh_floats(in[i], d, -0.8, 0.8);
    fresh_floats(in[0], d, 0.55, 0.95), fresh_floats(in[2], d, 0.1, 0.9);
    wkv_wanted(want, d, in, wanted, WKV);
    memcpy(given, in, sizeof given);
    out[d] = -7, after[d * strip_rows(d)] = -7;
    const float *at[6]; /* one of them ends where nothing can be read */
    const size_t last = fresh_below(6);
    for (size_t i = 0; i < 6; i++) at[i] = in[i];
    at[last] = memcpy(before_the_edge(d * sizeof **in), in[last], d * sizeof **in);
    rwkv_step(after, in_place ? after : before, d, at[0], at[1], at[2], at[3], at[4], at[5],
              out);
    memcpy(in[last], at[last], d * sizeof **in);
    HINT(after[d * strip_rows(d)] == -7,
         "d is %zu, and something is written past the last strip of `after`", d);
    HINT(out[d] == -7, "d is %zu, and something is written past the last of out", d);
    HINT(in_place || memcmp(before, was, d * strip_rows(d) * sizeof *before) == 0,
         "`before` is read only: what has faded belongs into `after`");
    HINT(memcmp(given, in, sizeof given) == 0,
         "w, kk, a, r, k and v are read only, and here they have changed");
    for (Wkv s = KEPT; s < WKV_SLIPS && !all_near(out, wanted, d, NEAR); s++) {
        memcpy(other, begun, sizeof other);
        for (size_t j = 0; j < d && s == S_TURNED; j++)
            for (size_t i = 0; i < d; i++) other[j * d + i] = begun[i * d + j];
        wkv_wanted(other, d, in, slipped, s);
        HINT(!all_near(out, slipped, d, NEAR), "%s", wkv_hints[s]);
    }
    expect(in_place ? "o, with after = before" : "o", out, wanted, d, NEAR);
    expect("the memory after the token", memory_rows(d), want, d * d, NEAR);
}

GRADE(corrected) {
    check_wkv(3, false);
    const size_t in_use = IN_USE();
    for (int round = 0; round < 30; round++) {
        check_wkv(3 + fresh_below(SMALL - 2), false);
        check_wkv(2 + fresh_below(SMALL - 1), true);
    }
    check_wkv(MOST, false);
    HINT(IN_USE() < in_use + 2000, "61 tokens leave %zu bytes of memory in use: free them",
         IN_USE() - in_use);
}

GRADES({"4.13", delta}, {"4.14", corrected})
