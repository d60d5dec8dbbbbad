/* early layers as the amateur: each text of a batch gets the logits that the logit lens reads
 * from its own last token, of the layer that is farthest by the definition, and the model's own
 * logits keep their bits */
#include "check.h"
#include "inference_extras.h"
#include "make_model.h"

enum { TEXTS = 3, TOKENS = 6, LAYERS = 5 };

/* A text, and the rows of logits its chain saw at each step. */
typedef struct EarlyTold {
    TokenList tokens;
    Chain chain;
    Sequence *sequence;
    float raw[TOKENS][MAKE_VOCAB], early[TOKENS][MAKE_VOCAB];
} EarlyTold;

static const SessionConfig together = {.sequences = TEXTS,
                                       .max_tokens = 16,
                                       .max_logits = TEXTS},
                           single = {.sequences = 1, .max_tokens = 64, .max_logits = 1};
static Model model;
static unsigned char *bytes;

static void open_model(const char *family, size_t layers) {
    MakeModel m = make_model_defaults(family);
    size_t size;
    Fault fault;
    m.layers = layers, m.ctx = 64;
    bytes = make_model(&m, &size);
    if (!model_open_memory(&model, bytes, size, &fault)) fail_msg("%s", fault.text);
}

static void close_model(void) { model_close(&model), free(bytes); }

static bool note(void *context, const Choice *choice) {
    EarlyTold *t = context;
    memcpy(t->raw[choice->step], choice->raw, sizeof *t->raw);
    memcpy(t->early[choice->step], t->sequence->step.amateur, sizeof *t->early);
    return true;
}

/* Three texts of different lengths in one engine. */
static void tell(EarlyTold *texts, Session *session, EarlyLayers *early) {
    Engine engine;
    Fault fault;
    assert_true(engine_open(&engine, session, &fault));
    for (size_t i = 0; i < TEXTS; i++) {
        EarlyTold *t = &texts[i];
        for (size_t k = 0; k < 3 + 8 * i; k++)
            token_list_add(&t->tokens, (int32_t)(97 + (7 * k + i) % 26));
        assert_true(chain_parse(&t->chain, "dola:0.1,temp:1.5", NULL, &fault));
        GenerateOptions o = {.chain = &t->chain,
                             .seed = i,
                             .limits.max_tokens = TOKENS,
                             .limits.only_bos_ends = true,
                             .on_choice = note,
                             .want_raw = true,
                             .context = t};
        with_early_layers(&o, early);
        t->sequence = engine_add(&engine, &t->tokens, &o, &fault);
        if (!t->sequence) fail_msg("%s", fault.text);
    }
    do
        if (!engine_step(&engine, &fault)) fail_msg("%s", fault.text);
    while (engine.live);
    for (size_t i = 0; i < TEXTS; i++)
        if (texts[i].sequence->failed) fail_msg("%s", texts[i].sequence->fault.text);
    engine_close(&engine);
}

/* (KL(p | m) + KL(q | m)) / 2 */
static double divergence(const float *a, const float *b) {
    double p[MAKE_VOCAB], q[MAKE_VOCAB], sum_p = 0, sum_q = 0, kl = 0;
    for (int i = 0; i < MAKE_VOCAB; i++)
        sum_p += p[i] = exp((double)a[i]), sum_q += q[i] = exp((double)b[i]);
    for (int i = 0; i < MAKE_VOCAB; i++) {
        double x = p[i] / sum_p, y = q[i] / sum_q, m = (x + y) / 2;
        kl += x * log(x / m) + y * log(y / m);
    }
    return kl / 2;
}

/* The text read alone in a session without early layers, with the lens beside it.  Returns the
 * number of steps at which the second of the layers was chosen. */
static size_t check_rows(const EarlyTold *t, ActivationCache *cache, const size_t *layers,
                         size_t count) {
    size_t second = 0;
    Fault fault;
    for (size_t step = 0; step < TOKENS; step++) {
        size_t n = t->tokens.count - TOKENS + step, farthest = 0;
        float row[2][MAKE_VOCAB];
        double far[2];
        session_reset(cache->session);
        assert_true(session_eval(cache->session, t->tokens.ids, n, false, &fault));
        assert_memory_equal(t->raw[step], cache->session->logits, sizeof *t->raw);
        for (size_t k = 0; k < count; k++) {
            activation_lens(cache, 2 * (layers[k] + 1), n - 1);
            memcpy(row[k], cache->session->logits, sizeof row[k]);
            far[k] = divergence(t->raw[step], row[k]);
            assert_near(jensen_shannon(t->raw[step], row[k], MAKE_VOCAB), far[k], 1e-6);
            if (far[k] > far[farthest]) farthest = k;
        }
        assert_memory_equal(t->early[step], row[farthest], sizeof *t->early);
        second += farthest;
    }
    return second;
}

static size_t check_family(const char *family, const char *text, const size_t *layers,
                           size_t count) {
    static EarlyTold texts[TEXTS];
    Session session, alone;
    EarlyLayers early;
    ActivationCache cache;
    Fault fault;
    size_t second = 0;
    memset(texts, 0, sizeof texts);
    open_model(family, LAYERS);
    assert_true(session_open(&session, &model, NULL, together, &fault));
    assert_true(session_open(&alone, &model, NULL, single, &fault));
    if (!early_layers_open(&early, &session, text, &fault)) fail_msg("%s", fault.text);
    tell(texts, &session, &early);
    assert_true(activation_open(&cache, &alone, session_ctx(&alone), &fault));
    assert_true(activation_watch(&cache, NULL, 0, &fault));
    for (size_t i = 0; i < TEXTS; i++) {
        assert_int_equal(texts[i].tokens.count, 3 + 8 * i + TOKENS);
        second += check_rows(&texts[i], &cache, layers, count);
        token_list_free(&texts[i].tokens), chain_close(&texts[i].chain);
    }
    activation_close(&cache), early_layers_close(&early);
    session_close(&alone), session_close(&session), close_model();
    return second;
}

static void the_farthest_layer_by_the_lens(void **state) {
    (void)state;
    static const char *const families[] = {"llama", "gemma2", "mamba2"};
    size_t second = 0;
    for (size_t f = 0; f < 3; f++) {
        second += check_family(families[f], "0,1", (size_t[]){0, 1}, 2);
        check_family(families[f], "2", (size_t[]){2}, 1);
    }
    print_message("%zu of %d rows from the second layer\n", second, 3 * TEXTS * TOKENS);
    assert_in_range(second, 1, 3 * TEXTS * TOKENS - 1); /* both are chosen */
}

static void divergence_by_hand(void **state) {
    (void)state;
    const float p[] = {0, 0}, q[] = {0, (float)log(3)}, a[] = {0, -INFINITY},
                b[] = {-INFINITY, 0};
    assert_near(jensen_shannon(p, p, 2), 0, 1e-12);
    assert_near(jensen_shannon(p, q, 2), 0.033822, 1e-6); /* (1/2, 1/2) and (1/4, 3/4) */
    assert_near(jensen_shannon(a, b, 2), log(2), 1e-12);
}

static void refused(const char *family, size_t layers, const char *text, const char *why) {
    Session session;
    EarlyLayers early;
    Fault fault;
    open_model(family, layers);
    assert_true(session_open(&session, &model, NULL, single, &fault));
    assert_false(early_layers_open(&early, &session, text, &fault));
    assert_contains(fault.text, why);
    early_layers_close(&early), session_close(&session), close_model();
}

static void layers_that_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"", "4", "99", "1,1", "0,", ",0", "0 1", "-1", "0,x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused("llama", LAYERS, wrong[i], "wanted layers from 0 to 3");
    refused("llama", 1, "0", "has one layer");
    refused("gemma3n", LAYERS, "0", "several streams");
    refused("t5", 2, "0", "in an encoder");
}

/* A draft's tokens would have to be chosen by rows that no layer was read for. */
static void no_drafts(void **state) {
    (void)state;
    Session session;
    EarlyLayers early;
    Chain chain;
    Fault fault;
    TokenList tokens = {0};
    GenerateResult result;
    Speculation lookup = {.length = 2};
    open_model("llama", LAYERS);
    assert_true(session_open(&session, &model, NULL, together, &fault));
    assert_true(early_layers_open(&early, &session, "1", &fault));
    assert_true(chain_parse(&chain, "dola:0.1,draw", NULL, &fault));
    GenerateOptions o = {.chain = &chain, .limits.max_tokens = 3};
    token_list_add(&tokens, 97);
    with_draft(&o, &lookup), with_early_layers(&o, &early);
    assert_false(generate(&session, &tokens, &o, &result, &fault));
    assert_contains(fault.text, "no drafts");
    chain_close(&chain), token_list_free(&tokens);
    early_layers_close(&early), session_close(&session), close_model();
}

/* Arctic: each layer has a network, and experts beside it. */
static void neurons_beside_experts_are_kept(void **state) {
    (void)state;
    const MakeModel m = make_model_of("arctic", NULL);
    const int32_t tokens[] = {3, 5, 7};
    size_t size;
    Fault fault;
    Session session;
    ActivationCache cache;
    bytes = make_model(&m, &size);
    if (!model_open_memory(&model, bytes, size, &fault)) fail_msg("%s", fault.text);
    assert_true(session_open(&session, &model, NULL, single, &fault));
    assert_true(activation_open(&cache, &session, session_ctx(&session), &fault));
    assert_true(activation_watch(&cache, NULL, 0, &fault));
    assert_true(session_eval(&session, tokens, 3, true, &fault));
    assert_int_equal(cache.hidden, model.sizes.dim);
    for (size_t l = 0; l < cache.layers; l++)
        assert_true(activation_neurons(&cache, l, 2)[cache.hidden - 1] != 0);
    activation_close(&cache), session_close(&session), close_model();
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(the_farthest_layer_by_the_lens),
                                       TEST(divergence_by_hand), TEST(layers_that_are_refused),
                                       TEST(no_drafts), TEST(neurons_beside_experts_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
