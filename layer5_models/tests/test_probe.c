/* the probe: it sees what is computed, intervenes as told, and changes nothing else */
#include "session_probe.h"
#include "check.h"
#include "make_model.h"
#include "models.h"

#include <math.h>

enum { COUNT = 37, MOST = 64 * 1024, EVERYTHING = (1u << PROBE_PARTS) - 1 };

typedef struct Case {
    Model model;
    Session session;
    unsigned char *bytes;
    int32_t tokens[COUNT], other[COUNT];
    float *logits; /* of the last token, without a probe */
} Case;

static void open_case(Case *c, const char *family, Pool *pool) {
    MakeModel make = make_model_defaults(family);
    size_t size;
    Fault fault;
    c->bytes = make_model(&make, &size);
    if (!model_open_memory(&c->model, c->bytes, size, &fault)) fail_msg("%s", fault.text);
    SessionConfig config = {.ctx = 128, .sequences = 1, .max_tokens = 64, .max_logits = 1};
    assert_true(session_open(&c->session, &c->model, pool, config, &fault));
    for (int i = 0; i < COUNT; i++)
        c->tokens[i] = 'a' + i * 7 % 26, c->other[i] = 'z' - i * 5 % 26;
    c->logits = malloc(c->model.sizes.vocab * sizeof(float));
    assert_true(session_eval(&c->session, c->tokens, COUNT, false, &fault));
    memcpy(c->logits, c->session.logits, c->model.sizes.vocab * sizeof(float));
}

static void close_case(Case *c) {
    session_close(&c->session), model_close(&c->model), free(c->bytes), free(c->logits);
}

/* Read the tokens again, with this probe. */
static void read_with(Case *c, Probe *probe, const int32_t *tokens) {
    Fault fault;
    session_reset(&c->session);
    if (!session_probe(&c->session, probe, &fault)) fail_msg("%s", fault.text);
    assert_true(session_eval(&c->session, tokens, COUNT, false, &fault));
}

static void assert_same_logits(const Case *c) {
    assert_memory_equal(c->session.logits, c->logits, c->model.sizes.vocab * sizeof(float));
}

/* What an observer recorded of one layer. */
typedef struct Watch {
    const Session *session;
    size_t layer, calls[PROBE_PARTS];
    double sum_low, sum_high; /* of attention rows */
    float before[MOST], mixed[MOST], after[MOST], heads[MOST];
    float made[MOST]; /* heads again, from weights and values */
} Watch;

static void add_values(Watch *w, const Seen *s) {
    const AttentionShape *a = &w->session->model->blocks[s->layer].attention.shape;
    size_t vd = attention_value_dim(a), kv_head = s->head / (a->heads / a->kv_heads);
    double sum = 0;
    for (size_t j = 0; j < s->width; j++) {
        const float *v = kv_value(&w->session->kv, (KvHead){s->layer, 0, kv_head}, s->from + j);
        for (size_t i = 0; i < vd; i++)
            w->made[(s->row * a->heads + s->head) * vd + i] +=
                s->rows[j] * v[i / STRIP * STRIP * KV_PAGE + i % STRIP];
        sum += (double)s->rows[j];
        assert_true(s->rows[j] >= 0);
    }
    assert_int_equal(s->from + s->width, (size_t)s->batch->position[s->row] + 1);
    w->sum_low = fmin(w->sum_low, sum), w->sum_high = fmax(w->sum_high, sum);
}

static void watch(void *context, const Seen *s) {
    Watch *w = context;
    w->calls[s->part]++;
    assert_true(s->count * s->width <= MOST);
    float *keep[PROBE_PARTS] = {[PROBE_EMBEDDED] = w->before,
                                [PROBE_HEADS] = w->heads,
                                [PROBE_MIXED] = w->mixed,
                                [PROBE_AFTER] = w->after};
    if (s->layer != w->layer) return;
    if (s->part == PROBE_WEIGHTS)
        add_values(w, s);
    else if (keep[s->part])
        memcpy(keep[s->part], s->rows, s->count * s->width * sizeof(float));
}

static Watch seen;
static float weights[128];

static Probe watching(const Case *c, const Act *acts, size_t count) {
    seen = (Watch){.session = &c->session, .sum_low = 2};
    return (Probe){.see = watch,
                   .context = &seen,
                   .wants = EVERYTHING,
                   .weights = weights,
                   .acts = acts,
                   .count = count};
}

static const char *const families[] = {"llama",   "gemma2",   "bloom", "phi2",
                                       "gpt-oss", "qwen3moe", "mamba", "jamba"};

static void looking_changes_nothing(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        Case c;
        open_case(&c, families[f], NULL);
        Probe probe = watching(&c, NULL, 0);
        read_with(&c, &probe, c.tokens);
        assert_same_logits(&c);
        assert_int_equal(seen.calls[PROBE_EMBEDDED], 1);
        assert_int_equal(seen.calls[PROBE_AFTER], c.model.sizes.layers);
        read_with(&c, NULL, c.tokens);
        assert_same_logits(&c);
        close_case(&c);
    }
}

/* The weights shown are those applied to the values. */
static void weights_make_what_heads_bring(void **state) {
    (void)state;
    static const char *const with_attention[] = {"llama", "gemma2", "bloom", "gpt-oss"};
    for (size_t f = 0; f < 4; f++) {
        Case c;
        open_case(&c, with_attention[f], NULL);
        const AttentionShape *a = &c.model.blocks[0].attention.shape;
        Probe probe = watching(&c, NULL, 0);
        read_with(&c, &probe, c.tokens);
        assert_int_equal(seen.calls[PROBE_WEIGHTS], c.model.sizes.layers * COUNT * a->heads);
        for (size_t i = 0; i < COUNT * a->heads * attention_value_dim(a); i++)
            assert_near(seen.made[i], seen.heads[i], 1e-5);
        assert_true(seen.sum_high < 1.00001);
        assert_true(a->sinks ? seen.sum_high < 1 : seen.sum_low > 0.99999);
        close_case(&c);
    }
}

static void ones_change_nothing(void **state) {
    (void)state;
    const Act acts[] = {{.kind = ACT_HEAD, .layer = ACT_ALL, .index = ACT_ALL, .value = 1},
                        {.kind = ACT_HEAT, .layer = 1, .index = 2, .value = 1},
                        {.kind = ACT_NEURON, .layer = 0, .index = 5, .value = 1},
                        {.kind = ACT_LAYER, .layer = ACT_ALL, .value = 1}};
    Case c;
    open_case(&c, "llama", NULL);
    Probe probe = {.acts = acts, .count = 4};
    read_with(&c, &probe, c.tokens);
    assert_same_logits(&c);
    close_case(&c);
}

static bool differ(const float *a, const float *b, size_t n) {
    return memcmp(a, b, n * sizeof *a) != 0;
}

/* A silenced head contributes nothing, a silenced layer adds nothing; one head silences only
 * itself. */
static void silence(void **state) {
    (void)state;
    Case c;
    open_case(&c, "llama", NULL);
    size_t dim = c.model.sizes.dim, hd = c.model.blocks[0].attention.shape.head_dim;
    Act act = {.kind = ACT_HEAD, .layer = 0, .index = ACT_ALL};
    Probe probe = watching(&c, &act, 1);
    read_with(&c, &probe, c.tokens);
    assert_memory_equal(seen.before, seen.mixed, COUNT * dim * sizeof(float));
    assert_true(differ(c.session.logits, c.logits, c.model.sizes.vocab));
    act = (Act){.kind = ACT_LAYER, .layer = 0};
    probe = watching(&c, &act, 1);
    read_with(&c, &probe, c.tokens);
    assert_memory_equal(seen.before, seen.after, COUNT * dim * sizeof(float));
    act = (Act){.kind = ACT_HEAD, .layer = 0, .index = 1};
    probe = watching(&c, &act, 1);
    read_with(&c, &probe, c.tokens);
    for (size_t i = 0; i < COUNT * dim; i++)
        if (i % dim / hd == 1)
            assert_true(seen.heads[i] == 0);
        else
            assert_near(seen.heads[i], seen.made[i], 1e-5);
    close_case(&c);
}

/* A neuron, doubled and halved, is itself; silenced, it is missed. */
static void neurons_are_scaled(void **state) {
    (void)state;
    Act acts[] = {{.kind = ACT_NEURON, .layer = 1, .index = 7, .value = 2},
                  {.kind = ACT_NEURON, .layer = 1, .index = 7, .value = 0.5f}};
    Case c;
    open_case(&c, "llama", NULL);
    Probe probe = {.acts = acts, .count = 2};
    read_with(&c, &probe, c.tokens);
    assert_same_logits(&c);
    acts[1].value = 0;
    read_with(&c, &probe, c.tokens);
    assert_true(differ(c.session.logits, c.logits, c.model.sizes.vocab));
    close_case(&c);
}

/* Very hot, a head attends evenly; very cold, to one position. */
static double first_weight, largest_weight;
static void keep_last_row(void *context, const Seen *s) {
    (void)context;
    if (s->layer || s->head || s->row != COUNT - 1) return;
    first_weight = (double)s->rows[0], largest_weight = (double)vector_max(s->rows, s->width);
}

static void heat_spreads_attention(void **state) {
    (void)state;
    Act act = {.kind = ACT_HEAT, .layer = ACT_ALL, .index = ACT_ALL, .value = 1e6f};
    Case c;
    open_case(&c, "llama", NULL);
    Probe probe = {.see = keep_last_row,
                   .wants = 1u << PROBE_WEIGHTS,
                   .weights = weights,
                   .acts = &act,
                   .count = 1};
    read_with(&c, &probe, c.tokens);
    assert_near(first_weight, 1.0 / COUNT, 1e-4);
    assert_near(largest_weight, 1.0 / COUNT, 1e-4);
    act.value = 1e-6f;
    read_with(&c, &probe, c.tokens);
    assert_true(largest_weight > 0.49);
    close_case(&c);
}

/* The last token's hidden state of another prompt, patched in after the last layer, gives its
 * logits. */
static void a_patch_carries_a_stream_over(void **state) {
    (void)state;
    Case c;
    open_case(&c, "llama", NULL);
    size_t dim = c.model.sizes.dim, last = c.model.sizes.layers - 1;
    Probe probe = watching(&c, NULL, 0);
    seen.layer = last;
    read_with(&c, &probe, c.other);
    float *rows = malloc(COUNT * dim * sizeof *rows), *said = malloc(c.model.sizes.vocab * 4);
    memcpy(rows, seen.after, COUNT * dim * sizeof *rows);
    memcpy(said, c.session.logits, c.model.sizes.vocab * sizeof *said);
    Act act = {ACT_PATCH, last, COUNT - 1, 0, rows + (COUNT - 1) * dim};
    probe = (Probe){.acts = &act, .count = 1};
    read_with(&c, &probe, c.tokens);
    assert_memory_equal(c.session.logits, said, c.model.sizes.vocab * sizeof *said);
    act.layer = 0;
    read_with(&c, &probe, c.tokens);
    assert_true(differ(c.session.logits, said, c.model.sizes.vocab));
    assert_true(differ(c.session.logits, c.logits, c.model.sizes.vocab));
    free(rows), free(said), close_case(&c);
}

static void threads_and_pieces_change_nothing(void **state) {
    (void)state;
    const Act acts[] = {{.kind = ACT_HEAD, .layer = 1, .index = 2, .value = -0.5f},
                        {.kind = ACT_HEAT, .layer = 0, .index = 1, .value = 2},
                        {.kind = ACT_NEURON, .layer = 0, .index = 3, .value = 3}};
    Probe probe = {.acts = acts, .count = 3};
    Case one, three;
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    assert_non_null(pool);
    open_case(&one, "llama", NULL), open_case(&three, "llama", pool);
    read_with(&one, &probe, one.tokens), read_with(&three, &probe, three.tokens);
    size_t bytes = one.model.sizes.vocab * sizeof(float);
    assert_true(differ(one.session.logits, one.logits, one.model.sizes.vocab));
    assert_memory_equal(one.session.logits, three.session.logits, bytes);
    session_reset(&three.session);
    for (int i = 0; i < COUNT; i++)
        assert_true(session_eval(&three.session, three.tokens + i, 1, false, &fault));
    assert_memory_equal(one.session.logits, three.session.logits, bytes);
    close_case(&one), close_case(&three), pool_close(pool);
}

static void refused(Case *c, Act act, const char *says) {
    Fault fault;
    Probe probe = {.acts = &act, .count = 1};
    assert_false(session_probe(&c->session, &probe, &fault));
    assert_contains(fault.text, says);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    Case c;
    open_case(&c, "llama", NULL);
    refused(&c, (Act){.kind = ACT_HEAD, .layer = 2, .index = 0}, "no layer 2");
    refused(&c, (Act){.kind = ACT_HEAD, .layer = 1, .index = 4}, "layer 1 has 4 heads");
    refused(&c, (Act){.kind = ACT_HEAD, .layer = ACT_ALL, .index = 4}, "no layer");
    refused(&c, (Act){.kind = ACT_NEURON, .layer = 0, .index = 1 << 20}, "neurons");
    refused(&c, (Act){.kind = ACT_HEAT, .layer = 0, .index = 0}, "wanted 1e-06 to 1e+06");
    refused(&c, (Act){.kind = ACT_LAYER, .layer = 0, .value = NAN}, "scale of nan: wanted");
    refused(&c, (Act){.kind = ACT_LAYER, .layer = 0, .value = -2e6f},
            "scale of -2e+06: wanted");
    close_case(&c);
    open_case(&c, "mamba", NULL);
    refused(&c, (Act){.kind = ACT_HEAD, .layer = 1, .index = 0}, "layer 1 has 0 heads");
    close_case(&c);
    open_case(&c, "qwen3moe", NULL);
    refused(&c, (Act){.kind = ACT_NEURON, .layer = 1, .index = 0}, "layer 1 has 0 neurons");
    close_case(&c);
}

RUN(TEST(looking_changes_nothing), TEST(weights_make_what_heads_bring),
    TEST(ones_change_nothing), TEST(silence), TEST(neurons_are_scaled),
    TEST(heat_spreads_attention), TEST(a_patch_carries_a_stream_over),
    TEST(threads_and_pieces_change_nothing), TEST(what_is_not_there_is_refused))
