/* stochastic beams and power sampling, beside distributions that are counted out (counted.h) */
#include "counted.h"

/* ------------------------------------------------------------------ without replacement */

/* k texts are different; the first is a sample; two are drawn one after the other without
 * replacement; weights are unbiased. */
static void texts_without_replacement(void **state) {
    (void)state;
    enum { RUNS = 2000 };
    Counted w;
    open_world(&w, 37);
    double first[TEXTS] = {0}, among[TEXTS] = {0}, weight[TEXTS] = {0}, square[TEXTS] = {0};
    DistinctOptions o = {.texts = 2, .text.limits.max_tokens = LENGTH, .text.rules = &w.rules};
    for (o.seed = 0; o.seed < RUNS; o.seed++) {
        DistinctText out[2];
        size_t count, tokens;
        Fault fault;
        assert_true(distinct_draw(&w.session, prompt, 5, &o, out, &count, &tokens, &fault));
        assert_true(count == 2 && out[0].score > out[1].score);
        int x[2] = {text_number(&out[0].tokens), text_number(&out[1].tokens)};
        assert_true(x[0] != x[1]);
        first[x[0]]++;
        for (int i = 0; i < 2; i++) {
            assert_near(out[i].log_prob, log(w.q[x[i]]), 1e-3);
            among[x[i]]++, weight[x[i]] += out[i].weight;
            square[x[i]] += out[i].weight * out[i].weight;
        }
        distinct_free(out, count);
    }
    assert_distributed(first, w.q, TEXTS, RUNS);
    for (int x = 0; x < TEXTS; x++) {
        double exact = w.q[x], mean = weight[x] / RUNS;
        for (int y = 0; y < TEXTS; y++)
            if (y != x) exact += w.q[y] * w.q[x] / (1 - w.q[y]);
        assert_near(among[x] / RUNS, exact, 5 * sqrt(exact / RUNS));
        assert_near(mean, w.q[x], 5 * sqrt(fmax(square[x], 0.1 * RUNS * w.q[x])) / RUNS);
    }
    close_world(&w);
}

/* There are sixteen texts of two tokens: asked for thirty, all of them come, as heavy as they
 * are likely.  Their scores are ln p + Gumbel noise, independent of one another: exp(-noise) is
 * exponentially distributed. */
static void all_texts_there_are(void **state) {
    (void)state;
    enum { RUNS = 300, TWO = 16 };
    Counted w;
    double mean = 0, square = 0, product = 0;
    size_t count, tokens;
    DistinctText out[30];
    Fault fault;
    open_world(&w, 37);
    DistinctOptions o = {.texts = 30, .text.limits.max_tokens = 2, .text.rules = &w.rules};
    for (o.seed = 0; o.seed < RUNS; o.seed++) {
        double sum = 0, e[TWO] = {0};
        assert_true(distinct_draw(&w.session, prompt, 5, &o, out, &count, &tokens, &fault));
        assert_int_equal(count, TWO);
        for (size_t i = 0; i < TWO; i++) {
            int x = prefix_of(digit(out[i].tokens.ids[0]) + 4 * digit(out[i].tokens.ids[1]), 2);
            assert_near(out[i].weight, exp(out[i].log_prob), 1e-12);
            sum += out[i].weight, e[x - 5] = exp(out[i].log_prob - out[i].score);
        }
        assert_near(sum, 1, 1e-5);
        for (size_t i = 0; i < TWO; i++) {
            mean += e[i] / (RUNS * TWO), square += e[i] * e[i] / (RUNS * TWO);
            product += e[i] * e[(i + 1) % TWO] / (RUNS * TWO);
        }
        distinct_free(out, count);
    }
    print_message("exp(-noise): %.3f, squared %.3f, neighbours %.3f\n", mean, square, product);
    assert_near(mean, 1, 5 / sqrt(RUNS * TWO));
    assert_near(square, 2, 5 * sqrt(20.0 / (RUNS * TWO)));
    assert_near(product, 1, 5 * sqrt(3 * 3.0 / (RUNS * TWO)));
    o.texts = 32;
    assert_false(distinct_draw(&w.session, prompt, 5, &o, out, &count, &tokens, &fault));
    assert_contains(fault.text, "wanted 1 to 31");
    close_world(&w);
}

/* ------------------------------------------------------------------ power sampling */

static void draw_power(Counted *w, PowerOptions o, PowerResult *r) {
    Fault fault;
    o.text.limits.max_tokens = LENGTH, o.text.rules = &w->rules;
    assert_true(power_draw(&w->session, prompt, 5, &o, r, &fault));
}

static void compare_power(Counted *w, PowerOptions o, double runs) {
    double exact[TEXTS], sum = 0, count[TEXTS] = {0};
    for (int x = 0; x < TEXTS; x++) sum += exact[x] = pow(w->p[x], o.power);
    for (int x = 0; x < TEXTS; x++) exact[x] /= sum;
    for (o.seed = 0; o.seed < (uint64_t)runs; o.seed++) {
        PowerResult r;
        draw_power(w, o, &r);
        int x = text_number(&r.tokens);
        count[x]++;
        assert_near(r.log_prob, log(w->p[x]), 1e-3);
        assert_true(r.reason == STOP_LIMIT && r.accepted <= r.proposed);
        token_list_free(&r.tokens);
    }
    assert_distributed(count, exact, TEXTS, runs);
}

static void whole_texts_are_sharpened(void **state) {
    (void)state;
    Counted w;
    open_world(&w, 37);
    compare_power(&w, (PowerOptions){.power = 2, .moves = 25}, 1500);
    compare_power(&w, (PowerOptions){.power = 1, .moves = 25}, 1500); /* what a mask distorts */
    compare_power(&w, (PowerOptions){.power = 0.5, .moves = 20, .block = 2}, 1500);
    close_world(&w);
}

/* Texts of different lengths: a stop token ends them.  40 texts: 1 + 3 + 9 that it ends, and 27
 * that the limit does; numbered as above, with the stop token and nothing behind it. */
static void lengths_may_differ(void **state) {
    (void)state;
    Counted w;
    open_world(&w, 37);
    double exact[TEXTS] = {0}, count[TEXTS] = {0}, sum = 0;
    PowerOptions o = {
        .power = 0.2,
        .moves = 25,
        .text.rules = &w.rules,
        .text.limits = {.max_tokens = LENGTH, .stop_ids = allowed, .n_stop_ids = 1}};
    for (int x = 0; x < TEXTS; x++) {
        double p = 1;
        int n = 0;
        while (n < LENGTH && digit_of(x, n)) p *= w.step[prefix_of(x, n)][digit_of(x, n)], n++;
        if (n < LENGTH && x >= 1 << 2 * (n + 1)) continue; /* something behind the end */
        if (n < LENGTH) p *= w.step[prefix_of(x, n)][0];
        sum += exact[x] = pow(p, o.power);
    }
    for (int x = 0; x < TEXTS; x++) exact[x] /= sum;
    for (o.seed = 0; o.seed < 1500; o.seed++) {
        PowerResult r;
        Fault fault;
        int x = 0;
        assert_true(power_draw(&w.session, prompt, 5, &o, &r, &fault));
        assert_int_equal(r.reason, r.tokens.count < LENGTH ? STOP_ID : STOP_LIMIT);
        for (size_t i = r.tokens.count; i-- > 0;) x = x * ALLOWED + digit(r.tokens.ids[i]);
        count[x]++;
        token_list_free(&r.tokens);
    }
    assert_distributed(count, exact, TEXTS, 1500);
    close_world(&w);
}

static bool three_steps(void *context, size_t steps) { return (void)context, steps < 3; }

/* Without moves it is the text that generate draws; the caller may end it; what cannot be is
 * refused. */
static void a_walk_ends(void **state) {
    (void)state;
    Counted w;
    PowerResult r;
    Fault fault;
    open_world(&w, 5);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        draw_power(&w, (PowerOptions){.power = 1, .seed = seed}, &r);
        assert_drawn_by_generate(&w, seed, &r.tokens);
        assert_int_equal(r.drawn, LENGTH);
        token_list_free(&r.tokens);
    }
    draw_power(&w, (PowerOptions){.power = 2, .moves = 5, .text.on_step = three_steps}, &r);
    assert_true(r.reason == STOP_CALLER && r.tokens.count == LENGTH && r.accepted == 0);
    token_list_free(&r.tokens);
    PowerOptions o = {.power = 0, .text.rules = &w.rules};
    assert_false(power_draw(&w.session, prompt, 5, &o, &r, &fault));
    assert_contains(fault.text, "wanted more than 0");
    o.power = 1;
    assert_false(power_draw(&w.session, prompt, 0, &o, &r, &fault));
    assert_contains(fault.text, "0 tokens");
    close_world(&w);
}

RUN(TEST(texts_without_replacement), TEST(all_texts_there_are), TEST(whole_texts_are_sharpened),
    TEST(lengths_may_differ), TEST(a_walk_ends))
