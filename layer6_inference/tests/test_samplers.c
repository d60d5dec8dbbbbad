/* candidates, every stage, chains: values worked out by hand, ties, off-values, errors, round
 * trips */
#include "check.h"
#include "inference.h"

enum { V = 8 };

static Arena arena;
static Candidates c;

static int prepare(void **state) {
    (void)state;
    arena_measure(&arena);
    candidates_init(&c, 5000, &arena);
    bool ok = arena_init(&arena, arena.used, NULL);
    candidates_init(&c, 5000, &arena);
    return ok ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

/* probabilities as logits, through a chain; returns the token */
static int32_t run(const char *spec, const double *p, size_t n, const int32_t *history,
                   size_t n_history, uint64_t seed) {
    Chain chain;
    Fault fault;
    static float logits[3000];
    for (size_t i = 0; i < n; i++) logits[i] = p[i] > 0 ? (float)log(p[i]) : -INFINITY;
    int32_t token = -1;
    if (!chain_parse(&chain, spec, NULL, &fault)) fail_msg("%s", fault.text);
    c.vocab = n;
    assert_true(candidates_load(&c, logits, &fault));
    Step step = {.seed = seed, .position = 3, .history = history, .history_count = n_history};
    if (!chain_run(&chain, &c, &step, &token, &fault)) fail_msg("%s", fault.text);
    chain_close(&chain);
    return token;
}

/* the ids that survive a spec, in order of entry, as text */
static void check_kept(const char *spec, const double *p, size_t n, const char *want) {
    char got[100] = "", one[16];
    run(spec, p, n, NULL, 0, 1);
    for (size_t i = 0; i < c.count; i++) {
        snprintf(one, sizeof one, i ? " %d" : "%d", candidates_id(&c, i));
        strcat(got, one);
    }
    assert_string_equal(got, want);
}

static const double P[6] = {0.05, 0.4, 0.1, 0.1, 0.3, 0.05};

static void truncation_by_hand(void **state) {
    (void)state;
    check_kept("top_k:3", P, 6, "1 4 2"); /* of 2 and 3, equal, the lower id */
    check_kept("top_k:0", P, 6, "0 1 2 3 4 5");
    check_kept("top_k:100", P, 6, "0 1 2 3 4 5");
    check_kept("top_p:0.65", P, 6, "1 4");
    check_kept("top_p:0.75", P, 6, "1 4 2");
    check_kept("top_p:1", P, 6, "0 1 2 3 4 5");
    check_kept("top_p:0", P, 6, "1");
    check_kept("top_p:0.1:keep=3", P, 6, "1 4 2");
    check_kept("min_p:0.5", P, 6, "1 4");
    check_kept("min_p:0.24", P, 6, "1 2 3 4");
    check_kept("min_p:0", P, 6, "0 1 2 3 4 5");
    check_kept("min_p:1:keep=2", P, 6, "1 4");
    check_kept("min_p:1.05", P, 6, "1");
    check_kept("top_k:4,min_p:0.5", P, 6, "1 4");
    check_kept("min_p:0.24,top_p:0.7", P, 6, "1 4");
    /* second differences 0.1 0.2 0.05 0.05, so far 0.25, 0.75, 0.875, 1 of their sum */
    check_kept("tfs:0.2", P, 6, "1");
    check_kept("tfs:0.3", P, 6, "1 4");
    check_kept("tfs:0.8", P, 6, "1 4 2");
    check_kept("tfs:0.9", P, 6, "1 4 2 3");
}

static void large_vocabularies_are_cut_alike(void **state) {
    (void)state;
    static float logits[5000];
    Fault fault;
    for (size_t i = 0; i < 5000; i++) logits[i] = (float)(rng_hash(1, 2, i) % 2000) / 100;
    for (size_t k = 1; k < 5000; k = k * 3 + 1) {
        c.vocab = 5000;
        assert_true(candidates_load(&c, logits, &fault));
        candidates_keep_best(&c, k);
        for (size_t i = 1; i < c.count; i++)
            assert_true(c.logits[i - 1] > c.logits[i] ||
                        (c.logits[i - 1] == c.logits[i] && c.ids[i - 1] < c.ids[i]));
        size_t above = 0;
        for (size_t i = 0; i < 5000; i++) above += logits[i] > c.logits[k - 1];
        assert_true(above < k && c.count == k);
    }
    /* a flat distribution needs nearly all for 0.9 of the mass */
    for (size_t i = 0; i < 5000; i++) logits[i] = 1;
    assert_true(candidates_load(&c, logits, &fault));
    candidates_keep_mass(&c, 0.9, 1);
    assert_near(c.count, 4500, 1);
    assert_int_equal(c.ids[0], 0);
    assert_near(candidates_log_sum(&c), 1 + log((double)c.count), 1e-6);
}

/* How many tokens of sorted probabilities tail-free sampling keeps, by its formula. */
static size_t tail_free_count(const double *p, size_t n, double z) {
    double total = 0, so_far = 0;
    size_t kept = 1;
    for (size_t i = 0; i + 2 < n; i++) total += fabs(p[i] - 2 * p[i + 1] + p[i + 2]);
    for (size_t i = 0; i + 2 < n; i++, kept++)
        if ((so_far += fabs(p[i] - 2 * p[i + 1] + p[i + 2])) > z * total) break;
    return kept;
}

static void tails_of_large_vocabularies_are_cut(void **state) {
    (void)state;
    static double p[3000];
    for (int i = 0; i < 3000; i++)
        p[i] = (i ? p[i - 1] : 1) * (1 - 0.01 * rng_unit(5, (uint64_t)i, 0));
    for (int tenths = 1; tenths < 10; tenths++) {
        char spec[32];
        snprintf(spec, sizeof spec, "tfs:0.%d", tenths);
        run(spec, p, 3000, NULL, 0, 1);
        assert_near(c.count, tail_free_count(p, 3000, tenths / 10.0), 1);
    }
}

static void temperature_divides(void **state) {
    (void)state;
    run("temp:2", P, 6, NULL, 0, 1);
    assert_near(c.logits[1], log(0.4) / 2, 1e-6);
    run("temp:1", P, 6, NULL, 0, 1);
    assert_true(c.logits[1] == (float)log(0.4));
    assert_int_equal(run("greedy", P, 6, NULL, 0, 1), 1);
    run("top_k:1,temp:2:range=1", P, 6, NULL, 0, 1); /* one token has no entropy: T alone */
    assert_near(c.logits[0], log(0.4) / 2, 1e-6);
    const double a = 4.0 / 7, b = 3.0 / 7, share = -(a * log(a) + b * log(b)) / log(2);
    run("top_k:2,temp:2:range=1", P, 6, NULL, 0, 1);
    assert_near(c.logits[0], log(0.4) / (1 + 2 * share), 1e-6);
    double tie[3] = {0.2, 0.4, 0.4};
    assert_int_equal(run("greedy", tie, 3, NULL, 0, 1), 1);
}

/* A temperature of 0 or below is greedy, with a range as well. */
static void no_temperature_is_greedy(void **state) {
    (void)state;
    check_kept("temp:0", P, 6, "1");
    check_kept("temp:-1", P, 6, "1");
    check_kept("temp:0:range=5", P, 6, "1");
    check_kept("temp:-1:range=5", P, 6, "1");
    check_kept("temp:0.1:range=5", P, 6, "0 1 2 3 4 5");
}

/* Logits through stages, without the draw; those of tokens 0, 1, ... come back. */
static void bend(const char *spec, float *x, size_t n) {
    Chain chain;
    Fault fault;
    static float copy[V];
    if (!chain_parse(&chain, spec, NULL, &fault)) fail_msg("%s", fault.text);
    c.vocab = n;
    memcpy(copy, x, n * sizeof *x);
    assert_true(candidates_load(&c, copy, &fault));
    for (size_t i = 0; i + 1 < chain.count; i++)
        chain.stages[i].kind->apply(&chain.stages[i], &c, &(Step){0});
    for (size_t i = 0; i < n; i++) {
        size_t entry = candidates_find(&c, (int32_t)i);
        x[i] = entry < c.count ? c.logits[entry] : -INFINITY;
    }
    chain_close(&chain);
}

static void quadratic_keeps_the_order(void **state) {
    (void)state;
    static const char *const specs[] = {"quadratic:0.3", "quadratic:100:curve=3",
                                        "quadratic:1:curve=1.7"};
    for (size_t i = 0; i < 3; i++) {
        float x[8] = {5, 4, -1e6f, -0.99e12f, -1.01e12f, -3e12f, -1e25f, -3e38f};
        bend(specs[i], x, 8);
        assert_true(x[0] == 5);
        for (int k = 1; k < 8; k++)
            if (!(x[k] <= x[k - 1])) fail_msg("%s turns %d and %d round", specs[i], k - 1, k);
    }
}

/* Two logits that become equal stand in the order of their ids, or are not called sorted. */
static void sorted_means_sorted(void **state) {
    (void)state;
    static const char *const specs[] = {"top_k:3,temp:3", "top_k:3,temp:7",
                                        "top_k:3,quadratic:1e-9", "top_k:3,temp:1.7"};
    for (size_t i = 0; i < 4; i++)
        for (int step = 1; step < 40; step++) {
            float x[4] = {1, 1, 0, -1};
            for (int k = 0; k < step; k++) x[1] = nextafterf(x[1], 2);
            bend(specs[i], x, 4);
            for (size_t k = 1; c.sorted && k < c.count; k++)
                assert_true(c.logits[k - 1] > c.logits[k] ||
                            (c.logits[k - 1] == c.logits[k] && c.ids[k - 1] < c.ids[k]));
        }
}

static void penalties_by_hand(void **state) {
    (void)state;
    double big[3] = {exp(2), exp(-1), exp(1)};
    static const int32_t history[5] = {2, 0, 1, 0, 0};
    run("penalties:rep=2:freq=0.5:pres=0.25", big, 3, history, 5, 1);
    assert_near(c.logits[0], 2 / 2.0 - 3 * 0.5 - 0.25, 1e-6);
    assert_near(c.logits[1], -1 * 2.0 - 0.5 - 0.25, 1e-6);
    assert_near(c.logits[2], 1 / 2.0 - 0.5 - 0.25, 1e-6);
    run("penalties:rep=2:last=2", big, 3, history, 5, 1); /* only token 0 is recent */
    assert_near(c.logits[0], 1, 1e-6);
    assert_near(c.logits[2], 1, 1e-6);
    run("penalties:last=0:rep=2", big, 3, history, 5, 1);
    assert_near(c.logits[0], 2, 1e-6);
    run("top_k:2,penalties:rep=4:last=-1", big, 3, history, 5, 1); /* after a cut, too */
    assert_near(c.logits[0], 0.5, 1e-6);
    assert_int_equal(c.count, 2);
}

static void draws_follow_probabilities(void **state) {
    (void)state;
    int counts[6] = {0};
    for (uint64_t seed = 0; seed < 20000; seed++) counts[run("draw", P, 6, NULL, 0, seed)]++;
    for (int i = 0; i < 6; i++) assert_near(counts[i], P[i] * 20000, 5 * sqrt(P[i] * 20000));
    double some[4] = {0, 0.5, 0, 0.5};
    for (uint64_t seed = 0; seed < 200; seed++)
        assert_true(run("draw", some, 4, NULL, 0, seed) % 2 == 1);
    assert_int_equal(run("draw", P, 6, NULL, 0, 9), run("draw", P, 6, NULL, 0, 9));
    static double many[3000]; /* more than are summed at once; all alike */
    for (int i = 0; i < 3000; i++) many[i] = 1.0 / 3000;
    for (uint64_t seed = 0; seed < 300; seed++)
        assert_near(run("draw", many, 3000, NULL, 0, seed), floor(3000 * rng_unit(seed, 3, 0)),
                    1);
}

static void bad_logits_are_named(void **state) {
    (void)state;
    Fault fault;
    float logits[3] = {1, NAN, 2};
    c.vocab = 3;
    assert_false(candidates_load(&c, logits, &fault));
    assert_contains(fault.text, "token 1");
    for (int i = 0; i < 3; i++) logits[i] = -INFINITY;
    assert_false(candidates_load(&c, logits, &fault));
    assert_contains(fault.text, "dead end");
}

static void check_print(const char *spec, const char *want) {
    Chain chain, again;
    Fault fault;
    if (!chain_parse(&chain, spec, NULL, &fault)) fail_msg("%s: %s", spec, fault.text);
    char *text = chain_print(&chain);
    assert_string_equal(text, want);
    assert_true(chain_parse(&again, text, NULL, &fault));
    char *second = chain_print(&again);
    assert_string_equal(second, want);
    chain_close(&chain), chain_close(&again);
    free(text), free(second);
}

static void check_refused(const char *spec, const char *part) {
    Chain chain;
    Fault fault;
    assert_false(chain_parse(&chain, spec, NULL, &fault));
    assert_contains(fault.text, part);
}

static void chains_read_and_print(void **state) {
    (void)state;
    check_print("penalties:rep=1.1:last=64,top_k:40,top_p:0.95,min_p:0.05,temp:0.8",
                "penalties:rep=1.1,top_k:40,top_p:0.95,min_p:0.05,temp:0.8,draw");
    check_print("greedy", "greedy");
    check_print("top_k:k=5:keep=2,draw", "top_k:5:keep=2,draw");
    check_print("penalties:1.3:pres=0.5", "penalties:rep=1.3:pres=0.5,draw");
    check_print("temp:1e-1", "temp:0.1,draw");
    check_print(" top_k: 2 , temp : t = 0.5 ", "top_k:2,temp:0.5,draw");
    check_print("temp: off ,draw", "temp:off,draw");
    check_refused("", "empty");
    check_refused("topk:3", "did you mean top_k?");
    check_refused("xyzzy:3", "top_k, top_p");
    check_refused("top_k", "needs a value");
    check_refused("top_k:x", "integer from 0");
    check_refused("top_k:2.5", "integer");
    check_refused("top_k:-1", "from 0");
    check_refused("top_p:1.5", "from 0 to 1");
    check_refused("temp:nan", "from -100 to 100");
    check_refused("temp:0.8:0.9", "no parameter '0.9'");
    check_refused("temp:0.8:t=0.9", "twice");
    check_refused("top_k:3:colour=2", "it has k, keep");
    check_refused("greedy:1", "it has none");
    check_refused("greedy,temp:1", "has selected the token");
    check_refused("temp:1,,draw", "beside a comma");
    check_refused("top_k:5,", "beside a comma");
    check_refused(" ", "empty");
    check_refused("llama:3", "llama is a preset, penalties:last=64,top_k:40");
    check_refused("bias:5=1e300", "from -1e30 to 1e30");
    check_refused("bias:5=inf", "from -1e30 to 1e30");
    const StageKind *const *list;
    size_t count = stage_list(&list);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(stage_find(text_of(list[i]->name)), list[i]);
    assert_null(stage_find(text_of("tem")));
    Chain chain;
    assert_true(chain_parse(&chain, chain_default, NULL, NULL));
    chain_close(&chain);
}

static void load(size_t n, float of_even, float of_odd) {
    static float logits[5000];
    for (size_t i = 0; i < n; i++) logits[i] = i % 2 ? of_odd : of_even;
    c.vocab = n;
    assert_true(candidates_load(&c, logits, NULL));
}

static bool sorted_by_logit_and_id(void) {
    for (size_t i = 1; i < c.count; i++)
        if (c.logits[i] > c.logits[i - 1] ||
            (c.logits[i] == c.logits[i - 1] && c.ids[i] < c.ids[i - 1]))
            return false;
    return true;
}

/* Candidates out of the order of their ids: few and many (radix sort). */
static void order_is_found_again(void **state) {
    (void)state;
    static const size_t sizes[] = {30, 2000};
    static const float factors[] = {2, -1, 0};
    for (int s = 0; s < 2; s++)
        for (int f = 0; f < 3; f++) {
            load(sizes[s], 1, 3);
            candidates_sort(&c);
            assert_true(c.ids[0] == 1 && sorted_by_logit_and_id());
            candidates_scale(&c, factors[f]);
            assert_int_equal(c.sorted, f == 0);
            size_t best = candidates_best(&c);
            assert_int_equal(candidates_id(&c, best), f == 0); /* of equal ones the lower id */
            candidates_sort(&c), candidates_sort(&c);
            assert_true(sorted_by_logit_and_id());
            assert_int_equal(c.ids[0], f == 0);
        }
    candidates_keep_best(&c, 0);
    assert_int_equal(c.count, 1);
}

/* NaN that a stage wrote reaches the largest logit, where the chain looks for it. */
static void nan_is_the_largest(void **state) {
    (void)state;
    load(100, 1, 3);
    candidates_set(&c, 70, NAN);
    assert_true(isnan(candidates_max(&c)));
    load(100, 1, 3);
    candidates_set(&c, 70, 9), assert_true(candidates_max(&c) == 9);
    candidates_set(&c, 70, 2), assert_true(candidates_max(&c) == 3);
    candidates_set(&c, 70, 2), assert_int_equal(candidates_best(&c), 1);
}

/* As far as the probabilities go, and no further. */
static void impossible_tokens_fill_no_mass(void **state) {
    (void)state;
    static const double two[6] = {0, 0.5, 0, 0.5, 0, 0};
    check_kept("top_p:0.9999999999", two, 6, "1 3");
    check_kept("temp:1:range=0,top_p:0.9999999999:keep=4", two, 6, "1 3 0 2");
    int32_t token = run("gumbel", two, 6, NULL, 0, 1);
    assert_true(token == 1 || token == 3);
    static const float chunks[] = {0, -1};
    Chain chain;
    assert_true(chain_parse(&chain, "gumbel", NULL, NULL)); /* over several chunks */
    for (uint64_t seed = 0; seed < 200; seed++) {
        load(5000, chunks[0], -INFINITY);
        assert_true(chain_run(&chain, &c, &(Step){.seed = seed}, &token, NULL));
        assert_int_equal(token % 2, 0);
    }
    chain_close(&chain);
}

static void names_that_are_meant(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"TOP-K", "top_k:"},
        {"Min_P", "min_p:"},
        {"argmax", "greedy"},
        {"tempp", "temp:"},
        {"greedi", "greedy"},
        {"llamma", "llama"},
        {"zzzzzzzzz", NULL},
        {"biass", "bias:"},
        {"a-name-of-more-than-sixty-four-bytes-which-is-cut-so-that-it-fits-into-the-room",
         NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64] = "";
        bool found = chain_meant(text_of(cases[i][0]), out, sizeof out);
        if (found != (cases[i][1] != NULL)) fail_msg("%s: '%s'", cases[i][0], out);
        if (found) assert_string_equal(out, cases[i][1]);
    }
    assert_null(chain_needs(NULL, NEEDS_GUIDE));
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(truncation_by_hand),
                                       TEST(large_vocabularies_are_cut_alike),
                                       TEST(tails_of_large_vocabularies_are_cut),
                                       TEST(temperature_divides),
                                       TEST(no_temperature_is_greedy),
                                       TEST(quadratic_keeps_the_order),
                                       TEST(sorted_means_sorted),
                                       TEST(penalties_by_hand),
                                       TEST(draws_follow_probabilities),
                                       TEST(bad_logits_are_named),
                                       TEST(chains_read_and_print),
                                       TEST(order_is_found_again),
                                       TEST(nan_is_the_largest),
                                       TEST(impossible_tokens_fill_no_mass),
                                       TEST(names_that_are_meant)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
