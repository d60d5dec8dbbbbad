/* the stages that look at the past, at other models or at their own memory; what a chain must
 * keep to */
#include "check.h"
#include "inference_extras.h"
#include "make_model.h"

enum { V = 12 };

static Arena arena;
static Candidates c;
static float logits[V];
static Step step;
static Model model; /* byte tokens: 'a' is one token */
static unsigned char *model_bytes;

static int prepare(void **state) {
    (void)state;
    Fault fault;
    size_t size;
    MakeModel m = make_model_defaults("llama");
    model_bytes = make_model(&m, &size);
    arena_measure(&arena);
    candidates_init(&c, MAKE_VOCAB, &arena);
    bool ok = arena_init(&arena, arena.used, NULL) &&
              model_open_memory(&model, model_bytes, size, &fault);
    candidates_init(&c, MAKE_VOCAB, &arena);
    return ok ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    model_close(&model), free(model_bytes);
    arena_free(&arena);
    return 0;
}

/* Logits 0, -1, -2, ... through a chain that must work; the chain is closed. */
static int32_t run(const char *spec) {
    Chain chain;
    Fault fault;
    int32_t token = -1;
    for (int i = 0; i < V; i++) logits[i] = (float)-i;
    c.vocab = V;
    if (!chain_parse(&chain, spec, step.tokenizer, &fault)) fail_msg("%s", fault.text);
    assert_true(candidates_load(&c, logits, &fault));
    if (!chain_run(&chain, &c, &step, &token, &fault)) fail_msg("%s: %s", spec, fault.text);
    chain_close(&chain);
    return token;
}

static double logit_of(int32_t token) {
    size_t entry = candidates_find(&c, token);
    return entry < c.count ? (double)c.logits[entry] : -INFINITY;
}

static void set_history(const int32_t *tokens, size_t n, size_t prompt) {
    step = (Step){.history = tokens, .history_count = n, .prompt_count = prompt, .position = n};
}

static void dry_grows_with_the_match(void **state) {
    (void)state;
    /*                               1 2 3 -> 4       2 3 -> 5   ends with 1 2 3 */
    static const int32_t history[] = {1, 2, 3, 4, 7, 2, 3, 5, 8, 1, 2, 3};
    set_history(history, 12, 0);
    run("dry:2:base=3:allowed=2");
    assert_near(logit_of(4), -4 - 2 * 3.0, 1e-5); /* a match of 3: base^1 */
    assert_near(logit_of(5), -5 - 2 * 1.0, 1e-5); /* of 2: base^0 */
    assert_near(logit_of(2), -2, 0);
    run("dry:2:allowed=3");
    assert_near(logit_of(5), -5, 0);
    assert_near(logit_of(4), -6, 1e-5);
    run("dry:2:last=7"); /* only 2 3 5 8 1 2 3 */
    assert_near(logit_of(4), -4, 0);
    assert_near(logit_of(5), -7, 1e-5);
    run("top_k:6,dry:2");
    assert_near(logit_of(4), -4 - 2 * 1.75, 1e-5);
    run("dry:off");
    assert_near(logit_of(4), -4, 0);
    int32_t loop[200];
    for (int i = 0; i < 200; i++) loop[i] = 6;
    set_history(loop, 200, 0);
    run("dry:1");
    assert_true(logit_of(6) < -1e12 && logit_of(6) > -1e29);
    run("dry:1:base=100"); /* no penalty is above 1e30 */
    assert_true(logit_of(6) == (double)(float)-1e30);
    /* a token outside the vocabulary has no mark */
    static const int32_t beyond[] = {1, 2, V, 1, 2, V, 1, 2};
    set_history(beyond, 8, 0);
    c.marks[V] = 3;
    run("dry:1");
    assert_int_equal(c.marks[V], 3);
    c.marks[V] = 0;
}

static void dry_does_not_cross_breakers(void **state) {
    (void)state;
    int32_t history[] = {'a', ':', 'b', 'x', 'a', ':'};
    static float wide[MAKE_VOCAB];
    Chain chain;
    Fault fault;
    int32_t token;
    c.vocab = MAKE_VOCAB;
    for (int breaks = 0; breaks < 2; breaks++) {
        set_history(history, 6, 0);
        step.tokenizer = breaks ? model.tokenizer : NULL;
        memset(wide, 0, sizeof wide);
        assert_true(chain_parse(&chain, "dry:1", NULL, &fault));
        assert_true(candidates_load(&c, wide, &fault));
        assert_true(chain_run(&chain, &c, &step, &token, &fault));
        assert_near(logit_of('b'), breaks ? 0 : -1, 1e-6);
        chain_close(&chain);
    }
}

/* a : b x a : --> b?   A text breaks where it ends, however many tokens spell it. */
static void dry_takes_breakers(void **state) {
    (void)state;
    int32_t history[] = {'a', ':', 'b', 'x', 'a', ':'};
    static const struct {
        const char *spec;
        float penalty;
    } cases[] = {{"dry:1", 0},
                 {"dry:1:break=x", 1},
                 {"dry:1:break=%3A", 0},
                 {"dry:1:break=a%3A", 0},
                 {"dry:1:break=x:break=xa%3A", 0},
                 {"dry:1:break=xx%3A:break=%3Ab", 0},
                 {"dry:1:break=%0Aa%3A:allowed=1", 1.75F}};
    static float wide[MAKE_VOCAB];
    Chain chain;
    Fault fault;
    int32_t token;
    c.vocab = MAKE_VOCAB;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_history(history, 6, 0);
        step.tokenizer = model.tokenizer;
        memset(wide, 0, sizeof wide);
        assert_true(chain_parse(&chain, cases[i].spec, NULL, &fault));
        assert_true(candidates_load(&c, wide, &fault));
        assert_true(chain_run(&chain, &c, &step, &token, &fault));
        assert_near(logit_of('b'), -cases[i].penalty, 1e-6);
        chain_close(&chain);
    }
    static const char *const wrong[] = {"dry:1:break=", "dry:1:break=%00", "dry:1:break=%zz",
                                        "dry:break=x", "dry:1:other=x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(chain_parse(&chain, wrong[i], NULL, &fault));
    assert_true(chain_parse(&chain, "dry:1:break=%0A:break=;:base=2", NULL, &fault));
    char *text = chain_print(&chain);
    assert_string_equal(text, "dry:break=%0A:break=;:mult=1:base=2,draw");
    free(text), chain_close(&chain);
}

static void n_grams_come_once(void **state) {
    (void)state;
    static const int32_t history[] = {1, 2, 3, 1, 2, 4, 1, 2};
    set_history(history, 8, 0);
    run("no_repeat:3");
    assert_true(isinf(logit_of(3)) && isinf(logit_of(4)) && !isinf(logit_of(1)));
    run("no_repeat:1");
    assert_true(isinf(logit_of(1)) && isinf(logit_of(4)) && logit_of(0) == 0);
    run("no_repeat:4");
    assert_true(!isinf(logit_of(3)));
    set_history(history, 1, 0);
    run("no_repeat:5");
    static const int32_t same[] = {6, 6, 6, 6};
    for (size_t n = 1; n <= 4;
         n++) { /* three tokens make one gram of three, which repeats itself */
        set_history(same, n, 0);
        run("no_repeat:3");
        assert_int_equal(isinf(logit_of(6)) != 0, n >= 3);
    }
}

static void lists_of_tokens(void **state) {
    (void)state;
    static const int32_t history[] = {9, 8, 7};
    set_history(history, 3, 3);
    run("bias:2=5:3=-1.5");
    assert_near(logit_of(2), 3, 0);
    assert_near(logit_of(3), -4.5, 0);
    run("bias:0=-inf");
    assert_true(isinf(logit_of(0)));
    assert_int_equal(run("allow:7:4,greedy"), 4);
    assert_int_equal(candidates_alive(&c), 1);
    run("allow:7:4");
    assert_int_equal(candidates_alive(&c), 2);
    assert_int_equal(run("suppress:0:1,greedy"), 2);
    assert_int_equal(run("suppress:0:first=1,greedy"), 1);
    set_history(history, 3, 2); /* one token of the answer is there */
    assert_int_equal(run("suppress:0:first=1,greedy"), 0);
    assert_int_equal(run("suppress:0:1,greedy"), 2);
    assert_int_equal(run("force:6:at=1,greedy"), 6);
    assert_int_equal(run("force:6,greedy"), 0);
}

static void texts_and_ends(void **state) {
    (void)state;
    static float wide[MAKE_VOCAB];
    int32_t history[] = {'x', 'f', 'o'}, token, end = -1;
    Chain chain;
    Fault fault;
    for (int32_t i = 0; i < MAKE_VOCAB && end < 0; i++)
        if (tokenizer_is_end(model.tokenizer, i)) end = i;
    assert_true(end >= 0);
    c.vocab = MAKE_VOCAB;
    static const struct {
        const char *spec;
        size_t history;
        int banned; /* token, or -1: end */
        bool is;
    } cases[] = {{"ban:fox", 3, 'x', true},     {"ban:fox", 2, 'x', false},
                 {"ban:fox", 2, 'o', false},    {"ban:fox:y%2C", 2, ',', false},
                 {"ban:o%2C", 3, ',', true},    {"min_tokens:3", 3, -1, true},
                 {"min_tokens:2", 3, -1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_history(history, cases[i].history, 1);
        step.tokenizer = model.tokenizer;
        memset(wide, 0, sizeof wide);
        if (!chain_parse(&chain, cases[i].spec, model.tokenizer, &fault))
            fail_msg("%s", fault.text);
        assert_true(candidates_load(&c, wide, &fault));
        assert_true(chain_run(&chain, &c, &step, &token, &fault));
        bool gone = isinf(logit_of(cases[i].banned < 0 ? end : cases[i].banned)) != 0;
        if (gone != cases[i].is) fail_msg("%s, case %zu", cases[i].spec, i);
        chain_close(&chain);
    }
    set_history(history, 3, 0);
    step.tokenizer = model.tokenizer;
    for (int i = 0; i < MAKE_VOCAB; i++) wide[i] = -2;
    assert_true(chain_parse(&chain, "length:1.5:start=1", NULL, &fault));
    assert_true(candidates_load(&c, wide, &fault));
    assert_true(chain_run(&chain, &c, &step, &token, &fault));
    assert_near(logit_of(end), -2 + 2 * (1.5 * 1.5 - 1), 1e-6);
    assert_near(logit_of('a'), -2, 0);
    chain_close(&chain);
    assert_false(chain_parse(&chain, "ban:fox", NULL, &fault));
    assert_contains(fault.text, "tokenizer");
}

/* N tokens of a thought, then its end is spelled, and then all is free again. */
static void thoughts_have_an_end(void **state) {
    (void)state;
    static float wide[MAKE_VOCAB];
    static const struct {
        const char *spec, *prompt, *answer;
        char only; /* 0: anything may come */
    } cases[] = {{"think:2", "<think>", "a", 0},
                 {"think:2", "<think>", "ab", '<'},
                 {"think:2", "<think>\n", "ab", '<'},
                 {"think:2", "<think>", "ab<", '/'},
                 {"think:2", "<think>", "ab</thin", 'k'},
                 {"think:2", "<think>", "ab</think>", 0},
                 {"think:2", "<think>", "a</think>xyz", 0},
                 {"think:9", "<think>", "<</think>", 0},
                 {"think:0", "<think>", "", '<'},
                 {"think:-1", "<think>", "abcdefgh", 0},
                 {"think:2", "Hi", "abcd", 0},
                 {"think:2", "Hi", " <think>ab", '<'},
                 {"think:2", "Hi", "x<think>ab", 0},
                 {"think:2", "<think> Hi", "ab", 0},
                 {"think:2", "think>", "ab", 0},
                 {"think:2", "Hi", "<thank>ab", 0},
                 {"think:2", "<think>", "ab</thonk>cdefgh", 0}};
    c.vocab = MAKE_VOCAB;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TokenList text = {0};
        Chain chain;
        Fault fault;
        int32_t token;
        assert_true(
            tokenizer_encode(model.tokenizer, text_of(cases[i].prompt), false, &text, &fault));
        size_t prompt = text.count;
        for (const char *at = cases[i].answer; *at; at++)
            token_list_add(&text, (unsigned char)*at);
        set_history(text.ids, text.count, prompt);
        step.tokenizer = model.tokenizer;
        memset(wide, 0, sizeof wide);
        assert_true(chain_parse(&chain, cases[i].spec, model.tokenizer, &fault));
        assert_true(candidates_load(&c, wide, &fault));
        assert_true(chain_run(&chain, &c, &step, &token, &fault));
        size_t left = 0;
        for (int32_t t = 0; t < MAKE_VOCAB; t++) left += !isinf(logit_of(t));
        bool fine = cases[i].only ? left == 1 && token == cases[i].only : left == MAKE_VOCAB;
        if (!fine) fail_msg("case %zu: %zu left, then %d", i, left, token);
        chain_close(&chain), token_list_free(&text);
    }
}

static bool look(void *context, const int32_t *tokens, size_t n, float *similarity) {
    (void)context;
    for (size_t i = 0; i < n; i++) similarity[i] = tokens[i] == 2 ? 0 : 1;
    return true;
}

static void other_models_have_a_say(void **state) {
    (void)state;
    float other[V];
    double z = 0, e = 0;
    for (int i = 0; i < V; i++) other[i] = (float)(i % 3), z += exp(i % 3);
    set_history(NULL, 0, 0);
    step.amateur = step.unconditional = other;
    run("contrast:0.1:beta=0.5"); /* keeps ln p >= max - 2.303: tokens 0, 1, 2 */
    assert_int_equal(c.count, 3);
    for (int i = 0; i < 3; i++) e += exp(-i);
    for (int i = 0; i < 3; i++)
        assert_near(logit_of(i), 1.5 * (-i - log(e)) - 0.5 * (i - log(z)), 1e-5);
    run("dola:0.1"); /* the same cut */
    assert_int_equal(c.count, 3);
    for (int i = 1; i < 3; i++) /* up to a constant: ln p - ln q */
        assert_near(logit_of(i) - logit_of(0), -i - i, 1e-5);
    run("cfg:2");
    e = 0;
    for (int i = 0; i < V; i++) e += exp(-i);
    for (int i = 0; i < V; i++) {
        double u = i % 3 - log(z), p = -i - log(e);
        assert_near(logit_of(i), u + 2 * (p - u), 1e-5);
    }
    step.look_ahead = look;
    assert_int_equal(run("contrastive_search:0.6:k=4"), 2);
    assert_int_equal(run("contrastive_search:0:k=4"), 0);
    assert_int_equal(run("contrastive_search:0.6:k=2"), 0);
    assert_int_equal(run("suppress:2,contrastive_search:0.9:k=12"), 0); /* unlike, but banned */
    Chain chain;
    Fault fault;
    int32_t token;
    static const char *const needy[][2] = {{"contrast:0.1", "--amateur"},
                                           {"dola", "--amateur"},
                                           {"ref:dola:0.2", "--amateur"},
                                           {"cfg:2", "without the prompt"},
                                           {"contrastive_search:0.5", "hidden states"},
                                           {"min_tokens:2", "tokenizer"}};
    for (size_t i = 0; i < sizeof needy / sizeof *needy; i++) {
        assert_true(chain_parse(&chain, needy[i][0], NULL, &fault));
        assert_true(candidates_load(&c, logits, &fault));
        assert_false(chain_run(&chain, &c, &(Step){0}, &token, &fault));
        assert_contains(fault.text, needy[i][1]);
        chain_close(&chain);
    }
}

/* A chain on logits that must not come through; the fault says all of `parts`. */
static void check_stopped(const char *spec, const float *x, size_t n, const Step *with,
                          const char *const parts[3]) {
    Chain chain;
    Fault fault;
    int32_t token;
    float copy[V];
    memcpy(copy, x, n * sizeof *x);
    c.vocab = n;
    if (!chain_parse(&chain, spec, NULL, &fault)) fail_msg("%s: %s", spec, fault.text);
    assert_true(candidates_load(&c, copy, &fault));
    if (chain_run(&chain, &c, with, &token, &fault)) fail_msg("%s came through", spec);
    for (int i = 0; i < 3; i++) assert_contains(fault.text, parts[i]);
    chain_close(&chain);
}

/* What a second model says is checked as what the first one says. */
static void companions_are_checked(void **state) {
    (void)state;
    static const struct {
        float value;
        bool all;
        const char *says;
    } bad[] = {
        {NAN, false, "token 2"}, {INFINITY, false, "token 2"}, {-INFINITY, true, "-inf"}};
    static const char *const specs[] = {"cfg:1.5", "contrast:0.1"};
    static const char *const names[] = {"the unconditional model", "the amateur"};
    float x[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            float other[4] = {1, 1, 1, 1};
            for (int t = 0; t < 4; t++)
                if (bad[i].all || t == 2) other[t] = bad[i].value;
            Step with = {.amateur = other, .unconditional = other};
            check_stopped(specs[k], x, 4, &with,
                          (const char *[]){names[k], bad[i].says, bad[i].all ? "dead" : "bad"});
            if (k == 0)
                check_stopped("top_k:2,cfg:2", x, 4, &with,
                              (const char *[]){names[k], bad[i].says, ""});
        }
    /* a stage that is off asks for nothing */
    set_history(NULL, 0, 0);
    float broken[V];
    for (int i = 0; i < V; i++) broken[i] = NAN;
    step.unconditional = step.amateur = broken;
    run("cfg:off,contrast:off,greedy");
}

static bool blind(void *context, const int32_t *tokens, size_t n, float *similarity) {
    (void)context, (void)tokens;
    for (size_t i = 0; i < n; i++) similarity[i] = NAN;
    return true;
}

static bool full(void *context, const int32_t *tokens, size_t n, float *similarity) {
    (void)context, (void)tokens, (void)n, (void)similarity;
    return false;
}

/* No stage outputs NaN or infinity. */
static void numbers_that_grow_too_large_are_named(void **state) {
    (void)state;
    float huge[3] = {2, 1e34f, 3}, largest[3] = {1, 0, 3.4e38f};
    static const int32_t history[] = {2};
    set_history(history, 1, 0);
    check_stopped("temp:1e-5", huge, 3, &step, (const char *[]){"temp", "token 1", "infinite"});
    check_stopped("top_k:2,temp:1e-5,greedy", huge, 3, &step,
                  (const char *[]){"temp", "token 1", "infinite"});
    check_stopped("penalties:rep=0.001", largest, 3, &step,
                  (const char *[]){"penalties", "token 2", "infinite"});
    check_stopped("top_p:0.99,penalties:rep=0.001", largest, 3, &step,
                  (const char *[]){"penalties", "token 2", "infinite"});
    step.look_ahead = blind;
    check_stopped("contrastive_search:0.5", huge, 3, &step,
                  (const char *[]){"contrastive_search", "selected no token", "no numbers"});
    step.look_ahead = full;
    check_stopped("contrastive_search:0.5", huge, 3, &step,
                  (const char *[]){"contrastive_search", "selected no token", "no room"});
}

/* The largest biases there are, one upon another, and what comes after them. */
static void biases_stay_finite(void **state) {
    (void)state;
    static const char *const specs[] = {"bias:0=1e30:0=-1e30",
                                        "bias:5=1e30,bias:5=-1e30",
                                        "bias:0=1e30,bias:0=-inf",
                                        "bias:0=1e30,typical:0.5",
                                        "bias:0=-1e30:1=1e30,quadratic:100:curve=3,top_p:0.9",
                                        "bias:3=1e30,cfg:100,min_p:0.1,xtc:1",
                                        "bias:3=1e30,contrast:0.1:beta=100,eta:0.1,gumbel"};
    float other[V] = {0};
    set_history(NULL, 0, 0);
    step.amateur = step.unconditional = other;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        int32_t token = run(specs[i]);
        assert_true(token >= 0 && token < V);
        assert_true(!isnan(candidates_log_prob(&c, token)));
    }
}

/* mu' = mu - eta (surprisal - tau), from 2 tau on; surprisal among what was left */
static void mirostat_follows_its_recurrence(void **state) {
    (void)state;
    static const char *const specs[] = {"mirostat:2:eta=0.3", "mirostat_v2:2:eta=0.3"};
    for (int version = 0; version < 2; version++) {
        Chain chain;
        Fault fault;
        double mu = 4;
        set_history(NULL, 0, 0);
        c.vocab = V;
        assert_true(chain_parse(&chain, specs[version], NULL, &fault));
        for (uint64_t t = 0; t < 200; t++) {
            int32_t token;
            double sum = 0, all = 0, t_sum = 0, b_sum = 0;
            size_t count = 0, want = 0;
            for (int i = 0; i < V; i++)
                logits[i] = (float)(3 * rng_unit(5, t, (uint64_t)i) - 0.4 * i);
            uint64_t keys[V];
            for (int i = 0; i < V; i++) keys[i] = order_key(logits[i], i);
            order_sort(keys, V);
            for (int i = 0; i < V; i++) all += exp((double)logits[i]);
            for (int i = 0; i + 1 < V; i++) {
                double w = log((i + 2.0) / (i + 1.0));
                b_sum += w * (double)(order_value(keys[i]) - order_value(keys[i + 1]));
                t_sum += w * w;
            }
            double s = b_sum / t_sum, eps = s - 1;
            double k = pow(eps * exp2(mu) / (1 - pow(V, -eps)), 1 / s);
            for (int i = 0; i < V; i++)
                want += version ? -log2(exp((double)logits[i]) / all) <= mu : i < (int)k;
            if (want == 0) want = 1;
            step.position = t;
            assert_true(candidates_load(&c, logits, &fault));
            assert_true(chain_run(&chain, &c, &step, &token, &fault));
            assert_near(stage_memory(&chain.stages[0])[0], mu, 1e-4);
            assert_int_equal(candidates_alive(&c), want);
            for (; count < c.count; count++) sum += exp((double)c.logits[count]);
            mu -= 0.3 * (-log2(exp((double)logit_of(token)) / sum) - 2);
            chain_accept(&chain, token);
        }
        chain_close(&chain);
    }
}

/* Each aim, and the logits it makes, by the formulas of adaptive_p.c in double precision. */
static void adaptive_p_aims_where_its_formula_does(void **state) {
    (void)state;
    Chain chain;
    Fault fault;
    double drawn = 0.4 / (1 - 0.75), weights = 1 / (1 - 0.75), sum = 0;
    c.vocab = V;
    for (int i = 0; i < V; i++) sum += exp(-i);
    assert_true(chain_parse(&chain, "adaptive_p:0.4:decay=0.75", NULL, &fault));
    for (uint64_t t = 0; t < 20; t++) {
        int32_t token;
        double aim = fmin(1, fmax(0, 2 * 0.4 - drawn / weights));
        for (int i = 0; i < V; i++) logits[i] = (float)-i;
        assert_true(candidates_load(&c, logits, &fault));
        assert_true(chain_run(&chain, &c, &(Step){.seed = 3, .position = t}, &token, &fault));
        for (int i = 0; i < V; i++) {
            double d = fabs(exp(-i) / sum - aim) / 0.3;
            assert_near(logit_of(i), 5 - 10 * d * d / (1 + d), 1e-4);
        }
        chain_accept(&chain, token);
        drawn = exp(-token) / sum + 0.75 * drawn, weights = 1 + 0.75 * weights;
    }
    chain_close(&chain);
}

/* A coin that is told where to fall falls there, where it may, and memory follows as if by
 * chance. */
static void a_coin_falls_where_it_is_told(void **state) {
    (void)state;
    static const char *const specs[] = {"draw", "mirostat:2", "mirostat_v2:1",
                                        "adaptive_p:0.4"};
    for (int s = 0; s < 4; s++)
        for (uint64_t seed = 1; seed < 30; seed++) {
            Chain told, chance;
            Fault fault;
            int32_t token, again;
            set_history(NULL, 0, 0);
            step.seed = seed, c.vocab = V;
            assert_true(chain_parse(&told, specs[s], NULL, &fault));
            assert_true(chain_parse(&chance, specs[s], NULL, &fault));
            for (int i = 0; i < V; i++) logits[i] = (float)-i;
            assert_true(candidates_load(&c, logits, &fault));
            assert_true(chain_run(&chance, &c, &step, &token, &fault));
            chain_accept(&chance, token);
            step.seed = 1000; /* another coin */
            for (int i = 0; i < V; i++) logits[i] = (float)-i;
            assert_true(candidates_load(&c, logits, &fault));
            c.given = token;
            assert_true(chain_run(&told, &c, &step, &again, &fault));
            assert_int_equal(again, token);
            chain_accept(&told, token);
            if (told.stages[0].kind->memory)
                assert_near(stage_memory(&told.stages[0])[0],
                            stage_memory(&chance.stages[0])[0], 1e-12);
            chain_close(&told), chain_close(&chance);
        }
    /* a token that was cut is none to fall on */
    Chain cut;
    Fault fault;
    int32_t token;
    assert_true(chain_parse(&cut, "top_k:2,draw", NULL, &fault));
    for (int i = 0; i < V; i++) logits[i] = (float)-i;
    assert_true(candidates_load(&c, logits, &fault));
    c.given = 5;
    assert_true(chain_run(&cut, &c, &step, &token, &fault));
    assert_true(token < 2);
    chain_close(&cut);
}

/* One step of a chain at a position; returns the token it took. */
static int32_t go_on(Chain *chain, uint64_t position) {
    Fault fault;
    int32_t token;
    for (int i = 0; i < V; i++) logits[i] = (float)(4 * rng_unit(9, position, (uint64_t)i));
    assert_true(candidates_load(&c, logits, &fault));
    assert_true(chain_run(chain, &c, &(Step){.seed = 2, .position = position}, &token, &fault));
    chain_accept(chain, token);
    return token;
}

/* copy then continue = continue; rewind n then redo = never having gone */
static void memory_copies_and_rewinds(void **state) {
    (void)state;
    static const char *const specs[] = {"mirostat:1.5", "mirostat_v2:1.5", "adaptive_p:0.4",
                                        "bias:2=1:3=-1,temp:0.9,mirostat_v2:2"};
    c.vocab = V;
    for (size_t i = 0; i < 4; i++) {
        Chain chain, copy;
        Fault fault;
        int32_t first[30];
        assert_true(chain_parse(&chain, specs[i], NULL, &fault));
        for (uint64_t t = 0; t < 20; t++) go_on(&chain, t);
        chain_copy(&copy, &chain);
        for (uint64_t t = 0; t < 30; t++) first[t] = go_on(&chain, 20 + t);
        for (uint64_t t = 0; t < 30; t++) assert_int_equal(go_on(&copy, 20 + t), first[t]);
        chain_rewind(&chain, 25);
        for (uint64_t t = 5; t < 30; t++) assert_int_equal(go_on(&chain, 20 + t), first[t]);
        assert_memory_equal(chain.stages[chain.count - 1].rows,
                            copy.stages[copy.count - 1].rows,
                            51 * chain.stages[chain.count - 1].kind->memory * sizeof(double));
        chain_close(&chain), chain_close(&copy);
    }
}

/* sum (seen - expected)^2 / expected; 11 degrees of freedom: above 31.3 once in 1,000 */
static double chi_square(const char *spec, const double *p) {
    double counts[V] = {0}, sum = 0;
    enum { DRAWS = 60000 };
    Chain chain;
    Fault fault;
    c.vocab = V;
    assert_true(chain_parse(&chain, spec, NULL, &fault));
    for (uint64_t i = 0; i < DRAWS; i++) {
        int32_t token;
        for (int k = 0; k < V; k++) logits[k] = (float)log(p[k]);
        assert_true(candidates_load(&c, logits, &fault));
        assert_true(chain_run(&chain, &c, &(Step){.seed = 1, .position = i}, &token, &fault));
        counts[token]++;
    }
    for (int k = 0; k < V; k++) sum += pow(counts[k] - DRAWS * p[k], 2) / (DRAWS * p[k]);
    chain_close(&chain);
    return sum;
}

static void draws_have_their_distribution(void **state) {
    (void)state;
    double p[V], sum = 0;
    for (int i = 0; i < V; i++) p[i] = 1.0 / (1 + i * i), sum += p[i];
    for (int i = 0; i < V; i++) p[i] /= sum;
    assert_true(chi_square("draw", p) < 31.3);
    assert_true(chi_square("gumbel", p) < 31.3);
    assert_true(chi_square("mirostat_v2:50", p) < 31.3); /* keeps all, then draws */
    assert_true(chi_square("skew:0.4", p) > 1000);       /* and this test can fail */
}

static void xtc_and_skew(void **state) {
    (void)state;
    set_history(NULL, 0, 0);
    int dropped = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        step.position = i;
        run("xtc:0.3:t=0.05");
        dropped += candidates_alive(&c) < V;
        if (candidates_alive(&c) < V)
            assert_int_equal(candidates_best(&c), 2); /* p: .63 .23 .086 .032 */
    }
    assert_near(dropped, 1200, 5 * sqrt(4000 * 0.3 * 0.7));
    run("xtc:1:t=0.6"); /* nothing can be above a half twice: off */
    assert_int_equal(candidates_alive(&c), V);
    run("xtc:1:t=0.01:keep=11");
    assert_int_equal(candidates_alive(&c), 11);
    double mean[2] = {0, 0};
    for (uint64_t i = 0; i < 2000; i++) {
        step.position = i;
        mean[0] += run("skew:-2"), mean[1] += run("skew:2");
    }
    assert_true(mean[0] < 200 && mean[1] > 4000);
}

static void watermarks_are_found(void **state) {
    (void)state;
    int32_t marked[400] = {0}, plain[400] = {0};
    Chain chain;
    Fault fault;
    Watermark mark = {15485863, 0.25}, other = {1, 0.25};
    static float flat[MAKE_VOCAB];
    c.vocab = MAKE_VOCAB;
    assert_true(chain_parse(&chain, "watermark:3", NULL, &fault));
    for (size_t i = 1; i < 400; i++)
        for (int with = 0; with < 2; with++) {
            int32_t *text = with ? marked : plain;
            memset(flat, 0, sizeof flat);
            chain.stages[0].value[0] = with ? 3 : 0;
            assert_true(candidates_load(&c, flat, &fault));
            assert_true(chain_run(
                &chain, &c,
                &(Step){.seed = 8, .position = i, .history = text, .history_count = i},
                &text[i], &fault));
        }
    chain_close(&chain);
    WatermarkFinding f = watermark_detect(&mark, marked, 400);
    assert_true(f.z > 10 && f.chance < 1e-9 && f.scored <= 399);
    assert_true(fabs(watermark_detect(&mark, plain, 400).z) < 4);
    assert_true(fabs(watermark_detect(&other, marked, 400).z) < 4);
    assert_int_equal(watermark_detect(&mark, marked, 1).scored, 0);
    int32_t same[50] = {0}; /* one pair, counted once */
    assert_int_equal(watermark_detect(&mark, same, 50).scored, 1);
}

/* The tail of the binomial distribution, term by term. */
static void watermarks_are_judged_by_coins(void **state) {
    (void)state;
    static const double gammas[] = {0.01, 0.05, 0.25, 0.5, 0.9};
    for (size_t g = 0; g < 5; g++)
        for (size_t n = 1; n <= 60; n += n < 6 ? 1 : 9) {
            double tail = 0;
            for (size_t green = n + 1; green-- > 0;) {
                double term = 1; /* C(n, green) gamma^green (1 - gamma)^(n - green) */
                for (size_t i = 0; i < n; i++)
                    term *= i < green ? gammas[g] * (double)(n - i) / (double)(green - i)
                                      : 1 - gammas[g];
                tail += term;
                assert_near(watermark_chance(n, green, gammas[g]), tail, 1e-11 * tail);
            }
        }
    /* of 30 pairs with 1 in 20 green, 8 are by chance ten times as rare as a normal tail
     * says */
    assert_near(watermark_chance(30, 7, 0.05), 6.0e-4, 0.3e-4);
    assert_true(watermark_chance(100000, 25000, 0.25) > 0.49);
    assert_true(watermark_chance(100000, 0, 0.25) == 1);
    assert_true(watermark_chance(100000, 100000, 0.25) == 0);
    assert_true(watermark_chance(100000, 20000, 0.25) > 1 - 1e-12);
    /* a long text takes no square of its length */
    enum { LONG = 300000 };
    int32_t *text = malloc(LONG * sizeof *text);
    assert_non_null(text);
    for (int i = 0; i < LONG; i++) text[i] = (int32_t)(rng_hash(1, 2, (uint64_t)i) % 100000);
    WatermarkFinding f = watermark_detect(&(Watermark){15485863, 0.25}, text, LONG);
    assert_true(f.scored > LONG - 20 && fabs(f.z) < 4);
    free(text);
}

/* Squares of such logits overflow a float. */
static void huge_logits_deviate(void **state) {
    (void)state;
    static const float huge[] = {1e19f, 9e18f, 5e18f, 3e18f, 0, -1e18f, -1e19f, -2e19f};
    Chain chain;
    Fault fault;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 8; k++) logits[k] = huge[k] * (i % 2 ? 1e17f : 1);
        logits[8] = i < 2 ? 3 * logits[7] : -INFINITY; /* no candidate, or one that is out */
        c.vocab = i < 2 ? 8 : 9;
        assert_true(chain_parse(&chain, "top_n_sigma:0.6", NULL, &fault));
        assert_true(candidates_load(&c, logits, &fault));
        chain.stages[0].kind->apply(&chain.stages[0], &c, &(Step){0});
        assert_int_equal(c.count, 3); /* sigma is 9.4e18 */
        chain_close(&chain);
    }
}

/* Logits that fall by 1/100, over all tokens of the model, through a chain. */
static int32_t run_wide(const char *spec) {
    static float wide[MAKE_VOCAB];
    Chain chain;
    Fault fault;
    int32_t token = -1;
    for (int i = 0; i < MAKE_VOCAB; i++) wide[i] = (float)-i / 100;
    c.vocab = MAKE_VOCAB, step.tokenizer = model.tokenizer;
    if (!chain_parse(&chain, spec, model.tokenizer, &fault)) fail_msg("%s", fault.text);
    assert_true(candidates_load(&c, wide, &fault));
    if (!chain_run(&chain, &c, &step, &token, &fault)) fail_msg("%s: %s", spec, fault.text);
    chain_close(&chain);
    return token;
}

static bool alike(void *context, const int32_t *tokens, size_t n, float *similarity) {
    (void)tokens;
    for (*(size_t *)context = n; n-- > 0;) similarity[n] = 0.5f;
    return true;
}

/* Chains that leave the logits 0, -1, ... alone: short histories, tokens that are gone, limits
 * that are not reached. */
static void stages_without_an_effect(void **state) {
    (void)state;
    static const char *const specs[] = {
        "dry:2:last=100", "no_repeat:5",     "penalties:rep=1",  "watermark:2",
        "xtc:1:t=0.6",    "penalties:rep=2", "penalties:freq=1", "penalties:pres=1"};
    static const int32_t beyond[] = {V, V + 7};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        set_history(beyond, i == 3 ? 0 : 2, 0);
        run(specs[i]);
        for (int k = 0; k < V; k++) assert_near(logit_of(k), -k, 0);
    }
    run("top_k:2,tfs:0.5"), assert_int_equal(c.count, 2);
    run("tfs:0.9999999999999999");
    assert_in_range(candidates_alive(&c), V - 2, V);
    run("top_k:1,temp:1:range=0.5");
    assert_near(logit_of(0), 0, 0);
    const int32_t end = tokenizer_eos(model.tokenizer);
    char spec[64];
    run_wide("top_k:2,length:2"), assert_int_equal(c.count, 2);
    run_wide("top_k:2,min_tokens:9"), assert_int_equal(c.count, 2);
    run_wide("top_k:2,ban:a"), assert_int_equal(c.count, 2);
    snprintf(spec, sizeof spec, "bias:%d=-inf,length:2", end);
    run_wide(spec), assert_true(isinf(logit_of(end)));
}

/* What another model rules out, what this one does; as many forks as there may be. */
static void impossible_tokens_stay_impossible(void **state) {
    (void)state;
    float other[V] = {0};
    size_t forks = 0;
    other[1] = -INFINITY;
    set_history(NULL, 0, 0);
    step.amateur = step.unconditional = other;
    run("cfg:2"), assert_true(isfinite(logit_of(1)) && logit_of(1) > 1e3);
    run("bias:3=-inf,contrast:0.1:keep=12"), assert_true(isinf(logit_of(3)));
    step.look_ahead = alike, step.look_ahead_context = &forks;
    assert_int_equal(run_wide("contrastive_search:0.6:k=64"), 0);
    assert_int_equal(forks, 64);
    Chain chain;
    Fault fault;
    assert_true(chain_parse(&chain, "allow:1:5000", NULL, &fault)); /* of no vocabulary yet */
    c.vocab = V;
    assert_true(candidates_load(&c, logits, &fault));
    chain.stages[0].kind->apply(&chain.stages[0], &c, &step);
    assert_true(logit_of(1) > -INFINITY && candidates_alive(&c) == 1);
    chain_close(&chain);
    assert_int_equal(candidates_find(&c, -1), c.count);
    assert_int_equal(candidates_find(&c, V), c.count);
}

/* The noise is a token's own, whatever was removed before. */
static void gumbel_is_the_same_for_fewer(void **state) {
    (void)state;
    set_history(NULL, 0, 0);
    for (step.seed = 0; step.seed < 100; step.seed++) {
        int32_t fewer = run("top_k:3,gumbel"), all = run("temp:1,gumbel");
        if (all < 3) assert_int_equal(fewer, all);
        assert_true(fewer < 3);
    }
}

/* Each green token is raised, the first one too, whether all are candidates or some. */
static void watermarks_raise_green_tokens(void **state) {
    (void)state;
    const Watermark mark = {15485863, 0.25};
    size_t green = 0;
    for (int32_t before = 0; before < 40; before++) {
        set_history(&before, 1, 0);
        for (int fewer = 0; fewer < 2; fewer++) {
            run(fewer ? "top_k:6,watermark:2" : "watermark:2");
            for (int k = 0; k < (fewer ? 6 : V); k++) {
                bool is_green = watermark_is_green(&mark, before, k);
                assert_near(logit_of(k), -k + 2 * is_green, 1e-6);
                green += is_green && k == 0;
            }
        }
    }
    assert_in_range(green, 1, 79);
}

/* A stage that did not select the token that came, learns nothing from it. */
static void foreign_tokens_teach_nothing(void **state) {
    (void)state;
    static const char *const specs[] = {"adaptive_p:0.3", "mirostat:5", "mirostat_v2:5"};
    set_history(NULL, 0, 0);
    for (size_t i = 0; i < 3; i++)
        for (int own = 0; own < 2; own++) {
            Chain chain;
            Fault fault;
            int32_t token;
            for (int k = 0; k < V; k++) logits[k] = (float)-k;
            c.vocab = V;
            assert_true(chain_parse(&chain, specs[i], NULL, &fault));
            assert_true(candidates_load(&c, logits, &fault));
            assert_true(chain_run(&chain, &c, &step, &token, &fault));
            double before = *stage_memory(&chain.stages[0]);
            chain_accept(&chain, own ? token : (token + 1) % V);
            assert_int_equal(*stage_memory(&chain.stages[0]) != before, own);
            chain_close(&chain);
        }
}

/* Stages that no text can satisfy together. */
static void chains_that_agree_on_no_text(void **state) {
    (void)state;
    static const struct {
        const char *spec, *says; /* NULL: they agree */
    } cases[] = {{"regex:ab,min_tokens:9", "wants at least 9 tokens"},
                 {"regex:ab,min_tokens:1", NULL},
                 {"regex:ab,min_tokens:off", NULL},
                 {"regex:a%2B,min_tokens:9", NULL},
                 {"regex:a,regex:b", "no text"},
                 {"regex:[ab],regex:b", NULL},
                 {"regex:a,top_k:2", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Chain chain;
        Fault fault = {""};
        const Step with = {.tokenizer = model.tokenizer};
        if (!chain_parse(&chain, cases[i].spec, model.tokenizer, &fault))
            fail_msg("%s", fault.text);
        assert_int_equal(chain_check(&chain, &with, &fault), !cases[i].says);
        if (cases[i].says) assert_contains(fault.text, cases[i].says);
        chain_close(&chain);
    }
}

/* Chains that cannot be read, and what is said of them. */
static void wrong_specs_are_named(void **state) {
    (void)state;
    static const char *const specs[][2] = {
        {"bias:+inf=1", "is no bias"},
        {"bias:1=inf", "is no bias"},
        {"bias:1=1e999", "is no bias"},
        {"bias:.=1", "is no bias"},
        {"allow:2.5", "is no token id"},
        {"allow:99999", "there is no token"},
        {"bias:=1", "bias"},
        {"bias:1=", "is no bias"},
        {"bias:1=0x10", "is no bias"},
        {"bias:1=nan", "is no bias"},
        {"bias:1=1e40", "is no bias"},
        {"bias:-1=1", "is no bias"},
        {"bias:1.5=1", "is no bias"},
        {"bias:3e9=1", "is no bias"},
        {"allow:1=2", "is no bias"},
        {"bias:1", "is no token id"},
        {"dry:1:break=%", "wanted a text"},
        {"dry:1:break=%4", "wanted a text"},
        {"dry:1:break=%zz", "wanted a text"},
        {"dry:1:break=%4z", "wanted a text"},
        {"dry:1:break=%00", "wanted a text"},
        {"dry:1:break=", "wanted a text"},
        {"ban:%", "is no text"},
        {"ban:", "is no text"},
        {"regex:a:b", "takes one text"},
        {"regex:%", "is no text"},
        {"regex:%00", "is no text"},
        {"temp:", "temp"},
        {"temp:x", "temp"},
        {"temp:1111111111111111111111111111111111111111111111111111111111111111", "temp"}};
    Chain chain;
    Fault fault;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        if (chain_parse(&chain, specs[i][0], model.tokenizer, &fault))
            fail_msg("%s", specs[i][0]);
        if (!strstr(fault.text, specs[i][1])) fail_msg("%s: %s", specs[i][0], fault.text);
    }
    char spec[2000], *at = spec;
    at += sprintf(at, "ban:");
    memset(at, 'a', 300), at[300] = 0;
    assert_false(chain_parse(&chain, spec, model.tokenizer, &fault));
    assert_contains(fault.text, "is no text of 1 to 254 bytes");
    at = spec + sprintf(spec, "dry:1:break=");
    memset(at, 'a', 300), at[300] = 0;
    assert_false(chain_parse(&chain, spec, NULL, &fault));
    assert_contains(fault.text, "wanted a text of 1 to");
    *(at = spec) = 0;
    for (int i = 0; i <= CHAIN_STAGES; i++) at += sprintf(at, "%stemp:2", i ? "," : "");
    assert_false(chain_parse(&chain, spec, NULL, &fault));
}

static void dead_ends_name_their_stage(void **state) {
    (void)state;
    static const char *const specs[][2] = {{"top_k:3,allow:9", "allow"},
                                           {"top_k:2,bias:0=-inf:1=-inf,temp:2", "bias"},
                                           {"top_k:2,no_repeat:1", "no_repeat"}};
    static const int32_t history[] = {0, 1};
    for (size_t i = 0; i < 3; i++) {
        Chain chain;
        Fault fault;
        int32_t token;
        for (int k = 0; k < V; k++) logits[k] = (float)-k;
        c.vocab = V;
        assert_true(chain_parse(&chain, specs[i][0], NULL, &fault));
        assert_true(candidates_load(&c, logits, &fault));
        assert_false(chain_run(&chain, &c, &(Step){.history = history, .history_count = 2},
                               &token, &fault));
        assert_contains(fault.text, "dead end");
        assert_contains(fault.text, specs[i][1]);
        chain_close(&chain);
    }
}

static void infinities(void **state) {
    (void)state;
    Fault fault;
    float some[6] = {1, INFINITY, -INFINITY, 2, INFINITY, 0};
    c.vocab = 6;
    assert_true(candidates_load(&c, some, &fault));
    assert_int_equal(c.count, 2); /* uniform over the infinite ones */
    assert_near(candidates_log_prob(&c, 1), log(0.5), 1e-7);
    assert_near(candidates_log_prob(&c, 4), log(0.5), 1e-7);
    assert_true(isinf(candidates_log_prob(&c, 0)));
    set_history(NULL, 0, 0);
    for (uint64_t i = 0; i < 50; i++) { /* -infinity is never drawn, by any stage that picks */
        static const char *const picks[] = {"draw",          "gumbel",         "mirostat:9",
                                            "mirostat_v2:9", "adaptive_p:0.1", "temp:100,draw"};
        for (size_t k = 0; k < 6; k++) {
            Chain chain;
            int32_t token;
            float holes[4] = {-INFINITY, 0, -INFINITY, 1};
            c.vocab = 4;
            assert_true(chain_parse(&chain, picks[k], NULL, &fault));
            assert_true(candidates_load(&c, holes, &fault));
            assert_true(chain_run(&chain, &c, &(Step){.seed = i}, &token, &fault));
            assert_true(token % 2 == 1);
            chain_close(&chain);
        }
    }
}

static void specs_round_trip(void **state) {
    (void)state;
    static const char *const specs[][2] = {
        {"top_k:0", "top_k:off,draw"},
        {"top_k:off,top_p:1,temp:1", "top_k:off,top_p:off,temp:off,draw"},
        {"bias:3=-inf:7=2.5,ban:a%2Cb:c", "bias:3=-inf:7=2.5,ban:a%2Cb:c,draw"},
        {"suppress:3:first=1:4", "suppress:3:4:first=1,draw"},
        {"suppress:3 :first=0", "suppress:3,draw"},
        {"ban:a :b ", "ban:a:b,draw"}, /* no space ends a text */
        {"hf", "temp:off,top_k:50,top_p:off,draw"},
        {"min_p:0.1,creative", "min_p:0.1,min_p:0.03,dry:0.8,xtc:0.5,temp:1.1,draw"},
        {"penalties", "penalties:off,draw"},
        {"edt:1:theta=0", "edt:1:theta=0,draw"}, /* off, but "edt:off" is refused */
        {"temp:1:range=0.5", "temp:1:range=0.5,draw"},
        {"p_less", "p_less,draw"},
        {"p_less:keep=3", "p_less:keep=3,draw"}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        Chain chain, again;
        Fault fault;
        if (!chain_parse(&chain, specs[i][0], model.tokenizer, &fault))
            fail_msg("%s", fault.text);
        char *text = chain_print(&chain);
        assert_string_equal(text, specs[i][1]);
        assert_true(chain_parse(&again, text, model.tokenizer, &fault));
        char *second = chain_print(&again);
        assert_string_equal(second, text);
        chain_close(&chain), chain_close(&again);
        free(text), free(second);
    }
    static const char *const wrong[][2] = {{"bias:3", "ID=B"},
                                           {"bias:3=inf", "from -1e30"},
                                           {"bias:258=1", "no token 258"},
                                           {"allow:3:900", "no token 900"},
                                           {"suppress:999999999", "0 to 257"},
                                           {"force:258", "no token 258"},
                                           {"bias", "needs a list"},
                                           {"allow:x", "token id"},
                                           {"allow:-1", "token id"},
                                           {"ban:%2", "%25"},
                                           {"greedy:off", "cannot be off"},
                                           {"top_h:0", "above 0"},
                                           {"xtc:0.5:t=0", "above 0"},
                                           {"gumbel,draw", "has selected the token"},
                                           {"llama:3", "is a preset"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Chain chain;
        Fault fault;
        assert_false(chain_parse(&chain, wrong[i][0], model.tokenizer, &fault));
        if (!strstr(fault.text, wrong[i][1])) fail_msg("%s: %s", wrong[i][0], fault.text);
    }
    /* every stage has an example that works, and can be described */
    const StageKind *const *list;
    const ChainPreset *presets;
    size_t count = stage_list(&list), n_presets = chain_presets(&presets);
    for (size_t i = 0; i < count + n_presets; i++) {
        Chain chain;
        Fault fault;
        const char *spec = i < count ? list[i]->example : presets[i - count].spec;
        if (!chain_parse(&chain, spec, model.tokenizer, &fault)) fail_msg("%s", fault.text);
        chain_close(&chain);
        if (i < count)
            assert_true(list[i]->gloss && list[i]->formula && list[i]->advice &&
                        list[i]->source);
    }
}

/* Everything is printed, however long the list. */
static void long_chains_print_whole(void **state) {
    (void)state;
    char spec[8000] = "bias", *again;
    Chain chain;
    Fault fault;
    for (int i = 0; i < 400; i++)
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), ":%d=-%d.5", i, i);
    strcat(spec, ",draw");
    assert_true(strlen(spec) > 4000);
    assert_true(chain_parse(&chain, spec, NULL, &fault));
    assert_string_equal(again = chain_print(&chain), spec);
    chain_close(&chain), free(again);
}

/* Two samples of two steps each with a trace of every byte token. */
static char *trace_bytes(const char *spec, size_t *size) {
    Chain chain;
    Trace trace;
    Fault fault;
    int32_t token;
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    static float wide[MAKE_VOCAB];
    c.vocab = MAKE_VOCAB;
    assert_true(chain_parse(&chain, spec, model.tokenizer, &fault));
    assert_true(trace_open(&trace, out, MAKE_VOCAB, model.tokenizer, &fault));
    trace_observe(&trace, &chain);
    for (int i = 0; i < 4; i++) {
        if (i % 2 == 0) chain_reset(&chain);
        memset(wide, 0, sizeof wide);
        assert_true(candidates_load(&c, wide, &fault));
        assert_true(
            chain_run(&chain, &c, &(Step){.tokenizer = model.tokenizer}, &token, &fault));
    }
    trace_close(&trace), fclose(out), chain_close(&chain);
    return text;
}

/* The fields of a line of CSV, with quotes around a field that may hold commas. */
static size_t count_fields(const char *line, size_t size) {
    size_t fields = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (line[i] == '"') quoted = !quoted;
        fields += line[i] == ',' && !quoted;
    }
    assert_false(quoted);
    return fields;
}

static void traces_can_be_read(void **state) {
    (void)state;
    size_t size, lines = 0;
    char *text = trace_bytes("suppress:9,suppress:8,greedy", &size);
    assert_int_equal(utf8_whole((Text){text, size}), size);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, lines++)
        assert_int_equal(count_fields(line, (size_t)(end - line)), 10);
    assert_int_equal(lines, 1 + 4 * (258 + 258 + 257 + 256));
    assert_contains(text, "sample,step,place,stage,rank,token,text,logit,prob,kept\n"
                          "1,0,0,model,1,0,\"\\x00\",0,0.00387596899,1\n");
    assert_contains(text, "\n1,1,1,suppress,258,9,\"\\x09\",0,0,0\n");
    assert_contains(text, "\n2,0,2,suppress,257,8,\"\\x08\",0,0,0\n");
    assert_contains(text, "\n2,1,3,greedy,1,0,");
    assert_contains(text, ",34,\"\"\"\",");   /* a quotation mark */
    assert_contains(text, ",92,\"\\x5c\",");  /* a backslash */
    assert_contains(text, ",200,\"\\xc8\","); /* half of a character */
    free(text);
}

static void traces_tell_what_happened(void **state) {
    (void)state;
    Chain chain;
    Trace trace;
    Fault fault;
    int32_t token;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    float some[4] = {0, 2, 1, -INFINITY};
    c.vocab = 4;
    assert_true(chain_parse(&chain, "top_k:2,greedy", NULL, &fault));
    assert_true(trace_open(&trace, out, 4, NULL, &fault));
    trace_observe(&trace, &chain);
    assert_true(candidates_load(&c, some, &fault));
    assert_true(chain_run(&chain, &c, &step, &token, &fault));
    trace_close(&trace), fclose(out), chain_close(&chain);
    assert_string_equal(text, "place,stage,rank,token,logit,prob,kept\n"
                              "0,model,1,1,2,0.665240956,1\n0,model,2,2,1,0.244728471,1\n"
                              "0,model,3,0,0,0.0900305732,1\n"
                              "1,top_k,1,1,2,0.731058579,1\n1,top_k,2,2,1,0.268941421,1\n"
                              "1,top_k,3,0,0,0,0\n"
                              "2,greedy,1,1,2,1,1\n2,greedy,2,2,1,0,0\n");
    free(text);
}

static void trace_too_many(void) {
    Chain chain;
    Trace trace;
    int32_t token;
    assert_true(chain_parse(&chain, "greedy", NULL, NULL));
    assert_true(trace_open(&trace, stderr, V - 1, NULL, NULL));
    trace_observe(&trace, &chain);
    c.vocab = V;
    assert_true(candidates_load(&c, logits, NULL));
    chain_run(&chain, &c, &step, &token, NULL);
}

static void traces_change_nothing(void **state) {
    (void)state;
    Chain chain[2];
    Trace trace;
    Fault fault;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    c.vocab = V;
    for (int k = 0; k < 2; k++)
        assert_true(chain_parse(&chain[k], "penalties:1.2,top_p:0.95,xtc:0.5:t=0.05,temp:1.3",
                                NULL, &fault));
    assert_true(trace_open(&trace, out, V, NULL, &fault));
    trace_observe(&trace, &chain[1]);
    for (uint64_t seed = 0; seed < 60; seed++) {
        int32_t token[2], history[] = {1, 2, (int32_t)(seed % V)};
        for (int k = 0; k < 2; k++) {
            float row[V];
            memcpy(row, logits, sizeof row);
            assert_true(candidates_load(&c, row, &fault));
            assert_true(chain_run(
                &chain[k], &c,
                &(Step){.seed = seed, .position = 3, .history = history, .history_count = 3},
                &token[k], &fault));
            chain_accept(&chain[k], token[k]);
        }
        assert_int_equal(token[0], token[1]);
    }
    trace_close(&trace), fclose(out);
    assert_true(size > 1000);
    chain_close(&chain[0]), chain_close(&chain[1]), free(text);
    check_abort(trace_too_many, "a trace of 11 tokens, not 12");
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(dry_grows_with_the_match),
                                       TEST(dry_does_not_cross_breakers),
                                       TEST(dry_takes_breakers),
                                       TEST(n_grams_come_once),
                                       TEST(lists_of_tokens),
                                       TEST(texts_and_ends),
                                       TEST(thoughts_have_an_end),
                                       TEST(other_models_have_a_say),
                                       TEST(companions_are_checked),
                                       TEST(numbers_that_grow_too_large_are_named),
                                       TEST(biases_stay_finite),
                                       TEST(mirostat_follows_its_recurrence),
                                       TEST(adaptive_p_aims_where_its_formula_does),
                                       TEST(a_coin_falls_where_it_is_told),
                                       TEST(memory_copies_and_rewinds),
                                       TEST(draws_have_their_distribution),
                                       TEST(xtc_and_skew),
                                       TEST(watermarks_are_found),
                                       TEST(watermarks_are_judged_by_coins),
                                       TEST(huge_logits_deviate),
                                       TEST(stages_without_an_effect),
                                       TEST(impossible_tokens_stay_impossible),
                                       TEST(foreign_tokens_teach_nothing),
                                       TEST(watermarks_raise_green_tokens),
                                       TEST(gumbel_is_the_same_for_fewer),
                                       TEST(chains_that_agree_on_no_text),
                                       TEST(wrong_specs_are_named),
                                       TEST(dead_ends_name_their_stage),
                                       TEST(infinities),
                                       TEST(specs_round_trip),
                                       TEST(long_chains_print_whole),
                                       TEST(traces_can_be_read),
                                       TEST(traces_tell_what_happened),
                                       TEST(traces_change_nothing)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
