/* each field of AttentionShape, and each pair, through every form of attention: as in double
 * precision, or refused */
#include "exact.h"
#include "fields.h"
#include "open_kv.h"

enum { N = 70, SOURCE = 20, HEADS = 8, DIM = 12, WORDS = 2, BUCKETS = 16 };

typedef enum Form { TEXTBOOK, ONLINE, WEIGHTS, SEQUENCES, BACKWARD, FORMS } Form;

static float q[N * HEADS * DIM], k[N * HEADS * DIM], v[N * HEADS * DIM], w[N * HEADS * DIM],
    sinks[HEADS], table[BUCKETS * HEADS];
static double qd[N * HEADS * DIM], kd[N * HEADS * DIM], vd[N * HEADS * DIM];
static uint64_t chosen[N * WORDS];
static Relative relative;

static void noise(float *x, double *exact, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)rng_unit(seed, 0, i) * 2 - 1;
        if (exact) exact[i] = (double)x[i];
    }
}

/* Row r of a batch may choose its own position, the first, and every other one at random. */
static void make_numbers(void) {
    const size_t n = N * HEADS * DIM;
    noise(q, qd, n, 1), noise(k, kd, n, 2), noise(v, vd, n, 3), noise(w, NULL, n, 4);
    noise(sinks, NULL, HEADS, 5), noise(table, NULL, BUCKETS * HEADS, 6);
    for (size_t r = 0; r < N; r++)
        for (size_t j = 0; j < N; j++)
            if (j == 0 || j == r || rng_hash(7, r, j) % 2)
                chosen[r * WORDS + j / 64] |= (uint64_t)1 << j % 64;
}

static AttentionShape base(void) {
    return (AttentionShape){
        .heads = 4, .kv_heads = 2, .head_dim = 8, .scale = 0.5f, .mask = {.causal = true}};
}

/* ------------------------------------------------------------------ the fields */

static void set_heads(AttentionShape *s) { s->heads = HEADS; }
static void set_kv_heads(AttentionShape *s) { s->kv_heads = 1; }
static void set_head_dim(AttentionShape *s) { s->head_dim = DIM; }
static void set_value_dim(AttentionShape *s) { s->value_dim = 5; }
static void set_scale(AttentionShape *s) { s->scale = 1.5f; }
static void set_softcap(AttentionShape *s) { s->softcap = 0.7f; }
static void set_max_bias(AttentionShape *s) { s->max_bias = 8; }
static void set_sinks(AttentionShape *s) { s->sinks = sinks; }
static void set_relative(AttentionShape *s) {
    relative.table = table, relative_init(&relative, s->heads, BUCKETS, false);
    s->relative = &relative;
}
static void set_causal(AttentionShape *s) { s->mask.causal = false; }
static void set_window(AttentionShape *s) { s->mask.window = 3; }
static void set_chunk(AttentionShape *s) { s->mask.chunk = 5; }
static void set_cross(AttentionShape *s) { s->cross = true; }
static void set_chosen(AttentionShape *s) { s->chosen = chosen, s->chosen_words = WORDS; }

#define FORWARD  (1u << TEXTBOOK | 1u << ONLINE | 1u << WEIGHTS)
#define TRAINING (1u << SEQUENCES | 1u << BACKWARD)

static const struct Row {
    const char *field;
    void (*set)(AttentionShape *);
    unsigned refused; /* by these forms */
} rows[] = {
    {FIELD(AttentionShape, heads), set_heads, 0},
    {FIELD(AttentionShape, kv_heads), set_kv_heads, 0},
    {FIELD(AttentionShape, head_dim), set_head_dim, 0},
    {FIELD(AttentionShape, value_dim), set_value_dim, TRAINING},
    {FIELD(AttentionShape, scale), set_scale, 0},
    {FIELD(AttentionShape, softcap), set_softcap, 1u << BACKWARD},
    {FIELD(AttentionShape, max_bias), set_max_bias, 0},
    {FIELD(AttentionShape, sinks), set_sinks, TRAINING},
    {FIELD(AttentionShape, relative), set_relative, TRAINING},
    {FIELD(AttentionShape, mask), set_causal, 0},
    {FIELD(Mask, causal), set_causal, 0},
    {FIELD(Mask, window), set_window, 0},
    {FIELD(Mask, chunk), set_chunk, 0},
    {FIELD(AttentionShape, cross), set_cross, TRAINING | 1u << TEXTBOOK},
    {FIELD(AttentionShape, chosen), set_chosen, TRAINING | 1u << TEXTBOOK},
    {FIELD(AttentionShape, chosen_words), set_chosen, TRAINING | 1u << TEXTBOOK},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ------------------------------------------------------------------ the oracle */

/* The first query: those of a source are not asked in cross attention. */
static size_t first_query(const AttentionShape *s) { return s->cross ? SOURCE : 0; }

/* out (n - first, heads * value_dim) in double */
static void exact_rows(const AttentionShape *s, size_t n, double *out) {
    const size_t first = first_query(s);
    for (size_t i = first; i < n; i++)
        for (size_t h = 0; h < s->heads; h++, out += attention_value_dim(s)) {
            const Range all = {0, SOURCE};
            const ExactQuery at = {h, i, s->cross ? all : mask_range(s->mask, i, n),
                                   s->chosen ? s->chosen + (i - first) * s->chosen_words
                                             : NULL};
            exact_head(s, &at, qd + i * s->heads * s->head_dim, kd, vd, out);
        }
}

/* ------------------------------------------------------------------ the forms */

static void textbook(const AttentionShape *s, float *out) {
    float scores[N + 1];
    attention(s, N, q, k, v, out, scores);
}

/* Of each row and head the weights, times the values. */
static void mix_weights(void *context, const Seen *seen) {
    const AttentionShape *s = ((void **)context)[0];
    size_t dim = attention_value_dim(s), group = seen->head / (s->heads / s->kv_heads);
    float *out = (float *)((void **)context)[1] + (seen->row * s->heads + seen->head) * dim;
    memset(out, 0, dim * sizeof *out);
    for (size_t j = 0; j < seen->width; j++)
        axpy(out, seen->rows[j], v + ((seen->from + j) * s->kv_heads + group) * dim, dim);
}

static void online(const AttentionShape *s, bool weights, float *out) {
    const size_t first = first_query(s), count = N - first;
    static float asked[N * HEADS * DIM], seen[N];
    int32_t sequence[N] = {0}, position[N];
    Arena arena;
    KvCache kv;
    KvShape shape = {
        .kv_heads = s->kv_heads, .key_dim = s->head_dim, .value_dim = attention_value_dim(s)};
    kv_open(&kv, &arena, (KvConfig){.shapes = &shape, .layers = 1, .sequences = 1, .ctx = N});
    assert_true(kv_extend(&kv, 0, N));
    for (size_t i = 0; i < N; i++)
        kv_store(&kv, 0, 0, i, k + i * attention_k_width(s), v + i * attention_v_width(s));
    for (size_t i = 0; i < count; i++) position[i] = (int32_t)(first + i);
    if (s->cross) kv.source[0] = SOURCE;
    const size_t width = attention_q_width(s);
    memcpy(asked, q + first * width, count * width * sizeof *q);
    const Batch batch = {.count = count, .sequence = sequence, .position = position};
    attention_online(NULL, s, &kv, 0, &batch, asked, out);
    void *context[2] = {(void *)(uintptr_t)s, out};
    Probe probe = {
        .see = mix_weights, .context = context, .wants = 1u << PROBE_WEIGHTS, .weights = seen};
    probe_enter(&probe, 0, &batch);
    if (weights) probe_weights(&probe, s, &kv, asked);
    arena_free(&arena);
}

static float scratch[1 << 20];

static void sequences(const AttentionShape *s, float *out) {
    size_t start[2] = {0, N};
    assert_true(attention_scratch_floats(1, N) <= sizeof scratch / sizeof *scratch);
    attention_sequences(NULL, &(AttentionTask){.shape = s,
                                               .sequences = {start, 1},
                                               .scratch = scratch,
                                               .q = q,
                                               .k = k,
                                               .v = v,
                                               .out = out});
}

/* Gradients of sum w * out over a few tokens, against differences of the oracle. */
static void gradients(const AttentionShape *s) {
    enum { FEW = 9 };
    static float dq[N * HEADS * DIM], dk[N * HEADS * DIM], dv[N * HEADS * DIM];
    static double out[N * HEADS * DIM];
    size_t start[2] = {0, FEW}, width = attention_q_width(s);
    attention_backward(NULL,
                       &(AttentionTask){s, {start, 1}, scratch, q, k, v, NULL, w, dq, dk, dv});
    for (size_t at = 0; at < 24; at++) {
        double *x = at % 3 == 0 ? qd : at % 3 == 1 ? kd : vd, value[2];
        size_t narrow = FEW * attention_k_width(s),
               i = rng_hash(8, at, 0) % (at % 3 == 0 ? FEW * width : narrow);
        const double old = x[i], h = 1e-5;
        for (int up = 0; up < 2; up++) {
            x[i] = old + (up ? h : -h), value[up] = 0;
            exact_rows(s, FEW, out);
            for (size_t j = 0; j < FEW * width; j++) value[up] += (double)w[j] * out[j];
        }
        x[i] = old;
        assert_near((at % 3 == 0   ? dq
                     : at % 3 == 1 ? dk
                                   : dv)[i],
                    (value[1] - value[0]) / (2 * h), 1e-4);
    }
}

static void run_form(Form form, const AttentionShape *s, float *out) {
    switch (form) {
    case TEXTBOOK: textbook(s, out); break;
    case ONLINE: online(s, false, out); break;
    case WEIGHTS: online(s, true, out); break;
    case SEQUENCES: sequences(s, out); break;
    default: gradients(s);
    }
}

static AttentionShape asked_shape;
static Form asked_form;
static void ask(void) {
    static float out[N * HEADS * DIM];
    run_form(asked_form, &asked_shape, out);
}

static void check_refused(Form form, const AttentionShape *s, const char *says) {
    asked_shape = *s, asked_form = form;
    check_abort(ask, says);
}

/* ------------------------------------------------------------------ the walk */

static void check_form(Form form, const AttentionShape *s, const char *first,
                       const char *second) {
    static float out[N * HEADS * DIM];
    static double want[N * HEADS * DIM];
    memset(out, 0, sizeof out);
    run_form(form, s, out);
    if (form == BACKWARD) return;
    exact_rows(s, N, want);
    for (size_t i = 0; i < (N - first_query(s)) * s->heads * attention_value_dim(s); i++)
        if (!(fabs((double)out[i] - want[i]) <= 2e-6))
            fail_msg("form %d, %s and %s: number %zu is %g, not %g", form, first, second, i,
                     (double)out[i], want[i]);
}

static void every_pair_acts(void **state) {
    static double before[N * HEADS * DIM], after[N * HEADS * DIM];
    (void)state;
    make_numbers();
    AttentionShape plain = base();
    exact_rows(&plain, N, before);
    for (int i = 0; i < ROWS; i++)
        for (int j = i; j < ROWS; j++) {
            AttentionShape s = base();
            rows[i].set(&s);
            if (i == j) exact_rows(&s, N, after), check_acts(rows[i].field, before, after, 900);
            rows[j].set(&s);
            for (Form form = 0; form < FORMS; form++) {
                if ((rows[i].refused | rows[j].refused) >> form & 1)
                    check_refused(form, &s, form == TEXTBOOK ? "textbook form" : "training");
                else if (s.mask.chunk && !s.mask.causal)
                    check_refused(form, &s, "without a causal mask");
                else
                    check_form(form, &s, rows[i].field, rows[j].field);
            }
        }
}

/* ------------------------------------------------------------------ values that are refused */

static void odd_heads(AttentionShape *s) { s->heads = 5; }
static void no_key_heads(AttentionShape *s) { s->kv_heads = 0; }
static void no_numbers(AttentionShape *s) { s->head_dim = 0; }
static void negative_cap(AttentionShape *s) { s->softcap = -1; }
static void nan_slope(AttentionShape *s) { s->max_bias = NAN; }
static void other_bias(AttentionShape *s) { set_relative(s), relative.heads = 3; }
static void no_table(AttentionShape *s) { set_relative(s), relative.table = NULL; }
static void few_words(AttentionShape *s) { set_chosen(s), s->chosen_words = 1; }

static const struct Odd {
    void (*set)(AttentionShape *);
    const char *says;
    unsigned forms;
} odd[] = {{odd_heads, "5 heads of 8 numbers share 2", FORWARD | TRAINING},
           {no_key_heads, "share 0 of keys", FORWARD | TRAINING},
           {no_numbers, "heads of 0 numbers", FORWARD | TRAINING},
           {negative_cap, "softcap -1", FORWARD | TRAINING},
           {nan_slope, "ALiBi nan", FORWARD | TRAINING},
           {other_bias, "a bias for 3 heads, not 4", FORWARD},
           {no_table, "a bias for 4 heads", FORWARD},
           {few_words, "no word for position 64", 1u << ONLINE | 1u << WEIGHTS}};

static void sizes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (Form form = 0; form < FORMS; form++) {
            AttentionShape s = base();
            odd[i].set(&s);
            if (odd[i].forms >> form & 1) check_refused(form, &s, odd[i].says);
        }
}

/* A cache that stores other heads, or forgets what the mask shows. */
static KvShape stored;
static bool of_no_source;
static void ask_cache(void) {
    static float x[8 * 8];
    Arena arena;
    KvCache kv;
    AttentionShape s = base();
    s.mask.window = 10, s.cross = of_no_source;
    kv_open(&kv, &arena, (KvConfig){.shapes = &stored, .layers = 1, .sequences = 1, .ctx = 64});
    assert_true(kv_extend(&kv, 0, 1));
    attention_online(
        NULL, &s, &kv, 0,
        &(Batch){.count = 1, .sequence = (int32_t[]){0}, .position = (int32_t[]){0}}, x, x);
    arena_free(&arena);
}

static void a_cache_of_another_shape_is_refused(void **state) {
    (void)state;
    const KvShape good = {.kv_heads = 2, .key_dim = 8, .value_dim = 8, .window = 10};
    for (int i = 0; i < 4; i++) {
        stored = good;
        if (i == 0) stored.kv_heads = 4;
        if (i == 1) stored.key_dim = 4;
        if (i == 2) stored.value_dim = 4;
        if (i == 3) stored.window = 9;
        check_abort(ask_cache, "other heads, or a shorter window");
    }
    stored = good;
    ask_cache();
    of_no_source = true;
    check_abort(ask_cache, "without a source");
}

RUN(TEST(every_pair_acts), TEST(sizes_that_do_not_fit_are_refused),
    TEST(a_cache_of_another_shape_is_refused))
