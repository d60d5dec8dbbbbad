/* aligned texts beside the distribution that they tend to, which is counted out (counted.h) */
#include "dead_end.h"

static void draw(Counted *w, AlignedOptions o, AlignedResult *r) {
    Fault fault;
    o.text.limits.max_tokens = LENGTH, o.text.rules = &w->rules;
    assert_true(aligned_draw(&w->session, prompt, 5, &o, r, &fault));
    assert_int_equal(r->reason, STOP_LIMIT);
    assert_int_equal(r->texts, o.texts);
    assert_int_equal(r->cut, o.texts);
}

/* The last of `texts` draws, `runs` times. */
static void compare(Counted *w, size_t texts, const double *exact, double runs) {
    double count[TEXTS] = {0};
    for (uint64_t seed = 0; seed < (uint64_t)runs; seed++) {
        AlignedResult r;
        draw(w, (AlignedOptions){.texts = texts, .seed = 1000 * seed}, &r);
        count[text_number(&r.tokens)]++;
        token_list_free(&r.tokens);
    }
    assert_distributed(count, exact, TEXTS, runs);
}

static void the_first_has_the_masks_odds_and_the_last_the_models(void **state) {
    (void)state;
    Counted w;
    double exact[TEXTS], far = 0;
    open_world(&w, 37);
    for (int x = 0; x < TEXTS; x++) exact[x] = w.p[x] / w.all;
    for (int x = 0; x < TEXTS; x++) far += w.q[x] * log(w.q[x] / exact[x]);
    print_message("KL of the mask: %.4f nats\n", far);
    assert_true(far > 0.5);
    compare(&w, 1, w.q, 2000);
    compare(&w, 120, exact, 700);
    close_world(&w);
}

/* The bound that is expected after a text, by the definition: over all prefixes at once, from
 * the longest to the prompt. */
static double expected_bound(const Counted *w, const bool *seen, int n, int first) {
    double sum = 0;
    int many = n == 0 ? 1 : n == 1 ? 4 : 16;
    if (n == LENGTH || !seen[prefix_of(first, n)]) return 1;
    for (int k = 0; k < ALLOWED; k++)
        sum += w->step[prefix_of(first, n)][k] *
               expected_bound(w, seen, n + 1, first % many + many * k);
    return sum;
}

typedef struct Watch {
    double bound, sum; /* of the draw before; of weights */
    size_t count;
} Watch;

static void watch(void *context, const AlignedText *text) {
    Watch *s = context;
    assert_int_equal(text->number, ++s->count);
    assert_int_equal(text->tokens, LENGTH);
    assert_true(text->log_bound <= s->bound);
    s->bound = text->log_bound, s->sum += exp(text->log_weight);
}

/* Draw i of a run is the last of a run of i + 1: so the texts of one are known. */
static void the_bound_falls_to_p(void **state) {
    (void)state;
    Counted w;
    bool seen[PREFIXES] = {false};
    open_world(&w, 37);
    for (size_t n = 1; n <= 100; n++) {
        AlignedResult r;
        Watch s = {0};
        draw(&w, (AlignedOptions){.texts = n, .on_text = watch, .context = &s}, &r);
        int x = text_number(&r.tokens);
        for (int i = 0; i < LENGTH; i++) seen[prefix_of(x, i)] = true;
        assert_near(r.log_bound, log(expected_bound(&w, seen, 0, 0)), 1e-4);
        assert_true(r.log_bound > log(w.all) - 1e-4);
        assert_near(r.log_share, log(s.sum / (double)n), 1e-6);
        assert_true(s.count == n && s.bound <= r.log_bound && r.drawn == n * LENGTH);
        token_list_free(&r.tokens);
    }
    close_world(&w);
}

/* Mean weights are unbiased for P from the first draw on. */
static void weights_are_unbiased(void **state) {
    (void)state;
    Counted w;
    double sum = 0, squares = 0, runs = 800;
    open_world(&w, 3);
    for (uint64_t seed = 0; seed < (uint64_t)runs; seed++) {
        AlignedResult r;
        draw(&w, (AlignedOptions){.texts = 6, .seed = 1000 * seed}, &r);
        double mean = exp(r.log_share);
        sum += mean, squares += mean * mean;
        token_list_free(&r.tokens);
    }
    double mean = sum / runs;
    assert_near(mean, w.all, 5 * sqrt((squares / runs - mean * mean) / runs));
    close_world(&w);
}

/* A full trie takes no more prefixes, and what it knows stays a bound. */
static void a_trie_is_bounded(void **state) {
    (void)state;
    Counted w;
    AlignedResult r;
    double before = 0;
    open_world(&w, 37);
    for (size_t prefixes = 1; prefixes <= PREFIXES; prefixes += 5) {
        draw(&w, (AlignedOptions){.texts = 400, .prefixes = prefixes}, &r);
        assert_int_equal(r.prefixes, prefixes);
        assert_true(r.log_bound > log(w.all) - 1e-4 && r.log_bound < before + 0.01);
        before = r.log_bound;
        token_list_free(&r.tokens);
    }
    assert_near(before, log(w.all), 1e-3); /* all 21 prefixes are known */
    close_world(&w);
}

/* The first text is generate's; a text does not depend on the threads. */
static void texts_are_the_same_again(void **state) {
    (void)state;
    Counted w;
    AlignedResult r, again;
    Fault fault;
    open_world(&w, 5);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        draw(&w, (AlignedOptions){.texts = 1, .seed = seed}, &r);
        assert_drawn_by_generate(&w, seed, &r.tokens);
        token_list_free(&r.tokens);
    }
    draw(&w, (AlignedOptions){.texts = 50}, &r);
    session_close(&w.session);
    Pool *pool = pool_open(3, false, &fault);
    assert_true(
        pool &&
        session_open(
            &w.session, &w.model, pool,
            (SessionConfig){.sequences = 32, .max_tokens = 32, .max_logits = 32, .rewind = 8},
            &fault));
    draw(&w, (AlignedOptions){.texts = 50}, &again);
    assert_memory_equal(again.tokens.ids, r.tokens.ids, LENGTH * sizeof(int32_t));
    assert_memory_equal(&again.log_bound, &r.log_bound, sizeof(double));
    assert_memory_equal(&again.log_share, &r.log_share, sizeof(double));
    token_list_free(&r.tokens), token_list_free(&again.tokens);
    close_world(&w);
    pool_close(pool);
}

/* ------------------------------------------------------------------ dead ends */

/* 'a' ends a text: "a" and three texts of a token before it obey.  A dead end is not drawn
 * twice, so 9 of them, then only texts that obey, with their exact odds. */
static void dead_ends_are_avoided(void **state) {
    (void)state;
    Counted w;
    AlignedResult r;
    Fault fault;
    double exact[ALLOWED], count[ALLOWED] = {0}, sum = 0;
    size_t ended = 0;
    open_dead_end(&w, 3);
    AlignedOptions o = {.text.rules = &w.rules, .text.limits = {.max_tokens = 9}, .texts = 20};
    assert_false(aligned_draw(&w.session, prompt, 5, &o, &r, &fault)); /* 16, and no text */
    assert_contains(fault.text, "dead end");
    token_list_free(&r.tokens);
    o.text.limits.stop_ids = allowed, o.text.limits.n_stop_ids = 1, o.texts = 300;
    sum = exact[0] = w.step[0][0];
    for (int k = 1; k < ALLOWED; k++)
        sum += exact[k] = w.step[0][k] * w.step[prefix_of(k, 1)][0];
    for (int k = 0; k < ALLOWED; k++) exact[k] /= sum;
    for (int run = 0; run < 500; run++) {
        o.seed = 1000 * (uint64_t)run;
        assert_true(aligned_draw(&w.session, prompt, 5, &o, &r, &fault));
        assert_true(r.dead_ends <= 9 && r.reason == STOP_ID && r.tokens.count <= 1);
        count[r.tokens.count ? digit(r.tokens.ids[0]) : 0]++;
        if (r.dead_ends == 9) assert_near(r.log_bound, log(sum), 1e-4);
        assert_true(r.log_bound > log(sum) - 1e-4 && r.cut == 0);
        token_list_free(&r.tokens);
    }
    for (int k = 0; k < ALLOWED; k++)
        assert_near(count[k], 500 * exact[k], 5 * sqrt(500 * exact[k] * (1 - exact[k])));
    for (o.seed = 0, o.texts = 2; o.seed < 50; o.seed++) { /* a dead end is no result */
        if (aligned_draw(&w.session, prompt, 5, &o, &r, &fault))
            assert_true(r.reason == STOP_ID && r.tokens.count <= 1 && r.dead_ends < 2);
        else
            assert_contains(fault.text, "dead end");
        ended += r.dead_ends == 1, token_list_free(&r.tokens);
    }
    assert_true(ended > 0);
    dead_end_why = ": it knows no more";
    assert_false(aligned_draw(&w.session, prompt, 5, &o, &r, &fault));
    assert_contains(fault.text, "it knows no more");
    token_list_free(&r.tokens);
    close_world(&w);
}

static bool stop_at(void *context, size_t steps) { return steps < *(size_t *)context; }

static void runs_end(void **state) {
    (void)state;
    Counted w;
    AlignedResult r;
    Fault fault;
    size_t steps = 2;
    open_world(&w, 5);
    AlignedOptions o = {.text.rules = &w.rules,
                        .text.limits.max_tokens = LENGTH,
                        .texts = 9,
                        .text.on_step = stop_at,
                        .text.context = &steps};
    assert_true(aligned_draw(&w.session, prompt, 5, &o, &r, &fault)); /* in the first text */
    assert_true(r.reason == STOP_CALLER && r.texts == 0 && r.tokens.count == 2);
    token_list_free(&r.tokens);
    steps = 5;
    assert_true(aligned_draw(&w.session, prompt, 5, &o, &r, &fault)); /* in the second one */
    assert_true(r.reason == STOP_CALLER && r.texts == 1 && r.tokens.count == LENGTH);
    token_list_free(&r.tokens);
    o.text.on_step = NULL, o.text.limits.max_tokens = 0;
    assert_true(aligned_draw(&w.session, prompt, 5, &o, &r, &fault));
    assert_true(r.reason == STOP_LIMIT && r.tokens.count == 0 && r.log_bound == 0);
    token_list_free(&r.tokens);
    assert_false(aligned_draw(&w.session, prompt, 0, &o, &r, &fault));
    assert_contains(fault.text, "0 tokens");
    o.texts = 0;
    assert_false(aligned_draw(&w.session, prompt, 5, &o, &r, &fault));
    assert_contains(fault.text, "wanted 1 or more");
    close_world(&w);
}

RUN(TEST(the_first_has_the_masks_odds_and_the_last_the_models), TEST(the_bound_falls_to_p),
    TEST(weights_are_unbiased), TEST(a_trie_is_bounded), TEST(texts_are_the_same_again),
    TEST(dead_ends_are_avoided), TEST(runs_end))
