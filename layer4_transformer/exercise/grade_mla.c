/* The grader of latent attention: both forms against every head's keys and values, in
 * double. */
#include "near.h"
#include "transformer_extras.h"

enum {
    TOKENS = 9,
    DIM = 16,
    HEADS = 3,
    PLAIN = 6,
    TURNS = 4,
    RANK = 8,
    VALUE = 5,
    QUERY = PLAIN + TURNS,
    KV = RANK + TURNS,
    LAYER = 1
};
#define NEAR 3e-4

typedef enum {
    RIGHT,
    K_NOT_TURNED,
    Q_NOT_TURNED,
    NOT_NORMED,
    ALL_NORMED,
    BY_ROW,
    FIRST_QUERY,
    NO_PLACE,
    ONE_TEXT,
    NOT_WARM,
    SLIPS
} Slip;

static const char *const hints[SLIPS] = {
    [K_NOT_TURNED] = "k' is rotated by the position before it is stored",
    [Q_NOT_TURNED] = "q' of each head is rotated by the position of its token",
    [NOT_NORMED] = "c is normed before anything is computed from it",
    [ALL_NORMED] = "norm the rank numbers of c; k' after them is not normed",
    [BY_ROW] = "the position is what the batch says, not the row",
    [FIRST_QUERY] = "each head has a query of its own: they are plain + rotary apart",
    [ONE_TEXT] = "c and k' go to the sequence of their row, which the batch says",
    [NOT_WARM] =
        "q_temperature is missing: where it is above 0, attention_scale_q() makes queries grow",
    [NO_PLACE] = "q' and k' are part of the score: they follow the others"};

static float x[TOKENS * DIM], wq[HEADS * QUERY * DIM], wkv[KV * DIM], gain[RANK],
    wo[DIM * HEADS * VALUE], keys[HEADS * PLAIN * RANK],
    values[HEADS * VALUE * RANK]; /* K and V of each head */
static float k_b[HEADS * RANK * PLAIN], both[HEADS * (PLAIN + VALUE) * RANK];
static int32_t position[TOKENS], sequence[TOKENS];
static const double theta = 50, warmth = 0.6, warm_ctx = 2;

/* Options: no rotation; queries scaled by position. */
static bool rotates, warm;

static void map(const float *w, size_t rows, size_t cols, const double *in, double *out) {
    for (size_t r = 0; r < rows; r++) {
        out[r] = 0;
        for (size_t c = 0; c < cols; c++) out[r] += (double)w[r * cols + c] * in[c];
    }
}

static void turn(double *row, double at) {
    for (int i = 0; i < TURNS / 2; i++) {
        double angle = at * pow(theta, -2.0 * i / TURNS), re = row[2 * i], im = row[2 * i + 1];
        row[2 * i] = re * cos(angle) - im * sin(angle);
        row[2 * i + 1] = re * sin(angle) + im * cos(angle);
    }
}

static void norm(double *row, size_t n) {
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += row[i] * row[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        row[i] = row[i] / sqrt(squares + 1e-5) * (i < RANK ? (double)gain[i] : 1);
}

/* A token's queries of all heads, c and k'. */
static void say(size_t t, Slip slip, double *q, double *kv) {
    double in[DIM], at = slip == BY_ROW ? (double)t : (double)position[t];
    for (size_t i = 0; i < DIM; i++) in[i] = (double)x[t * DIM + i];
    map(wq, HEADS * QUERY, DIM, in, q), map(wkv, KV, DIM, in, kv);
    if (slip != NOT_NORMED) norm(kv, slip == ALL_NORMED ? KV : RANK);
    if (rotates && slip != K_NOT_TURNED) turn(kv + RANK, at);
    for (size_t h = 0; rotates && h < HEADS && slip != Q_NOT_TURNED; h++)
        turn(q + h * QUERY + PLAIN, at);
    double grow = 1 + warmth * log(1 + floor((double)position[t] / warm_ctx));
    for (size_t i = 0; warm && slip != NOT_WARM && i < HEADS * QUERY; i++) q[i] *= grow;
}

/* Does token t see token j? */
static bool is_before(size_t j, size_t t, Slip slip) {
    return sequence[j] == sequence[t] || slip == ONE_TEXT;
}

/* The plain form: every head's key and value of every visible token. */
static void wanted(Slip slip, double *out) {
    static double q[TOKENS][HEADS * QUERY], kv[TOKENS][KV], mixed[HEADS * VALUE];
    for (size_t t = 0; t < TOKENS; t++) say(t, slip, q[t], kv[t]);
    for (size_t t = 0; t < TOKENS; t++) {
        for (size_t h = 0; h < HEADS; h++) {
            double weight[TOKENS], sum = 0, key[PLAIN], value[VALUE];
            const double *query = q[t] + (slip == FIRST_QUERY ? 0 : h) * QUERY;
            for (size_t j = 0; j <= t; j++) {
                double score = 0;
                weight[j] = 0;
                if (!is_before(j, t, slip)) continue;
                map(keys + h * PLAIN * RANK, PLAIN, RANK, kv[j], key);
                for (size_t i = 0; i < PLAIN; i++) score += query[i] * key[i];
                for (size_t i = 0; i < TURNS && slip != NO_PLACE; i++)
                    score += query[PLAIN + i] * kv[j][RANK + i];
                sum += weight[j] = exp(0.4 * score);
            }
            memset(mixed + h * VALUE, 0, VALUE * sizeof *mixed);
            for (size_t j = 0; j <= t; j++) {
                map(values + h * VALUE * RANK, VALUE, RANK, kv[j], value);
                for (size_t i = 0; i < VALUE; i++)
                    mixed[h * VALUE + i] += weight[j] / sum * value[i];
            }
        }
        map(wo, DIM, HEADS * VALUE, mixed, out + t * DIM);
    }
}

static Linear linear_of(float *w, int ndim, size_t a, size_t b, size_t c) {
    const size_t shape[3] = {a, b, c};
    return (Linear){.w = tensor_view(DTYPE_F32, ndim, shape + 3 - ndim, w)};
}

/* The same weights in both forms: K and V apart, or stacked for each head. */
static void fresh_weights(void) {
    fresh_floats(x, TOKENS * DIM, -1, 1), fresh_floats(wq, HEADS * QUERY * DIM, -0.6, 0.6);
    fresh_floats(wkv, KV * DIM, -0.6, 0.6), fresh_floats(gain, RANK, 0.5, 1.5);
    fresh_floats(wo, DIM * HEADS * VALUE, -0.6, 0.6);
    fresh_floats(keys, HEADS * PLAIN * RANK, -1, 1);
    fresh_floats(values, HEADS * VALUE * RANK, -1, 1);
    for (size_t h = 0; h < HEADS; h++) {
        float *of_head = both + h * (PLAIN + VALUE) * RANK;
        for (size_t i = 0; i < PLAIN; i++)
            for (size_t r = 0; r < RANK; r++)
                k_b[(h * RANK + r) * PLAIN + i] = of_head[i * RANK + r] =
                    keys[(h * PLAIN + i) * RANK + r];
        memcpy(of_head + PLAIN * RANK, values + h * VALUE * RANK, VALUE * RANK * sizeof(float));
    }
}

/* Threads work on several rows at once; angles in the first row's place would be shared. */
static void own_angles(const Rope *rope, const AttentionRun *run) {
    float cosine[TURNS / 2], sine[TURNS / 2];
    rope_angles(rope, (size_t)position[TOKENS - 1], cosine, sine);
    HINT(memcmp(cosine, run->cosine, sizeof cosine) || memcmp(sine, run->sine, sizeof sine),
         "threads store rows at the same time and would overwrite each other's angles: row i "
         "has angles of its own, from shared->cosine + i * half on");
}

static void runs(Pool *pool, bool absorbed, float *out) {
    Attention a = {.q = linear_of(wq, 2, 0, HEADS * QUERY, DIM),
                   .o = linear_of(wo, 2, 0, DIM, HEADS * VALUE),
                   .shape = {.heads = HEADS,
                             .kv_heads = absorbed ? 1 : HEADS,
                             .head_dim = absorbed ? KV : QUERY,
                             .value_dim = absorbed ? RANK : VALUE,
                             .scale = 0.4f,
                             .mask = {.causal = true}}};
    Mla m = {.rank = RANK, .rotary = TURNS, .plain = PLAIN, .value = VALUE};
    m.kv_a = linear_of(wkv, 2, 0, KV, DIM);
    m.kv_a_norm = (Norm){.kind = NORM_RMS, .width = RANK, .eps = 1e-5f, .gain = gain};
    if (absorbed)
        m.k_b = linear_of(k_b, 3, HEADS, RANK, PLAIN),
        m.v_b = linear_of(values, 3, HEADS, VALUE, RANK);
    else
        m.kv_b = linear_of(both, 2, 0, HEADS * (PLAIN + VALUE), RANK);
    KvShape shapes[2] = {{.kv_heads = a.shape.kv_heads,
                          .key_dim = a.shape.head_dim,
                          .value_dim = a.shape.value_dim}};
    shapes[1] = shapes[0];
    KvConfig config = {.shapes = shapes, .layers = 2, .sequences = 2, .ctx = 64, .batch = 64};
    RopeConfig turns = {
        .style = ROPE_INTERLEAVED, .rotary = TURNS, .theta = theta, .factor = 1};
    AttentionSizes sizes = {0};
    MlaSizes own = {0};
    AttentionRun shared;
    MlaRun run;
    KvCache kv;
    Rope rope;
    Arena arena;
    Fault fault;
    attention_sizes_include(&sizes, &a), sizes.rotary = TURNS;
    sizes.mixed = max_size(sizes.mixed, a.shape.heads * m.value);
    mla_sizes_include(&own, &a, &m);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0) arena_measure(&arena);
        if (pass == 1) NEED(arena_init(&arena, arena.used, &fault));
        kv_init(&kv, &config, &arena), rope_init(&rope, &turns, &arena);
        attention_run_init(&shared, TOKENS, &sizes, &arena);
        mla_run_init(&run, pool, TOKENS, &own, &arena);
    }
    if (rotates) a.rope = &rope;
    if (warm) a.q_temperature = (float)warmth, a.temperature_ctx = (float)warm_ctx;
    NEED(kv_extend(&kv, 0, TOKENS) && kv_extend(&kv, 1, TOKENS));
    Batch batch = {TOKENS, NULL, sequence, position, NULL, NULL};
    mla_forward(pool, &a, &m, &shared, &run, &kv, LAYER, &batch, x, out);
    if (rotates) own_angles(&rope, &shared);
    const float *key = kv_key(&kv, (KvHead){LAYER, (size_t)sequence[1], 0}, 0);
    HINT(key[0] != 0 || key[STRIP] != 0, "%s", hints[ONE_TEXT]);
    arena_free(&arena);
}

/* Two interleaved texts: no row's index is its position. */
static void two_texts(void) {
    for (int32_t i = 0; i < TOKENS; i++) position[i] = i / 2, sequence[i] = 1 - i % 2;
}

static void check(Pool *pool, bool absorbed) {
    static float got[TOKENS * DIM];
    static double right[TOKENS * DIM], wrong[TOKENS * DIM];
    two_texts();
    runs(pool, absorbed, got);
    wanted(RIGHT, right);
    for (Slip s = K_NOT_TURNED; s < SLIPS && !all_near(got, right, TOKENS * DIM, NEAR); s++) {
        wanted(s, wrong);
        HINT(!all_near(got, wrong, TOKENS * DIM, NEAR), "%s", hints[s]);
    }
    HINT(!pool || all_near(got, right, TOKENS * DIM, NEAR),
         "three threads take rows, each those from begin to end - 1 and no others");
    HINT(absorbed || all_near(got, right, DIM, NEAR),
         "plain: the first token, which sees itself alone, is wrong already: a head's values "
         "follow its plain numbers of a key");
    expect(absorbed ? "absorbed: (K^T q . c + q' . k')" : "plain: (q . K c + q' . k')", got,
           right, TOKENS * DIM, NEAR);
}

GRADE(latents) {
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 20; round++) {
        rotates = round % 4 != 3, warm = round % 4 == 2;
        fresh_weights();
        check(NULL, false), check(NULL, true);
    }
    for (int round = 0; round < 5; round++)
        rotates = true, warm = false, check(pool, false), check(pool, true);
    pool_close(pool);
}

GRADES({"4.15", latents})
