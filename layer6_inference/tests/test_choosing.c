/* the best of many samples, beside distributions that are counted out (counted.h): votes,
 * minimum Bayes risk, arithmetic codes */
#include "../extras/choose/chrf.h"
#include "counted.h"

/* ------------------------------------------------------------------ the choices themselves */

static void assert_answer(const char *text, const char *pattern, const char *answer) {
    Text found = choose_answer(text_of(text), pattern);
    if (!answer) assert_null(found.data);
    if (answer) assert_true(found.data && text_equal(found, text_of(answer)));
}

static void answers_are_found(void **state) {
    (void)state;
    assert_answer("  a fox\n", NULL, "a fox");
    assert_answer("so it is 12.\n", "is *.", "12");
    assert_answer("it is 12. No, it is 14.", "is *.", "14");
    assert_answer("it is 12. No, it is 14", "is *.", "12"); /* the last that is complete */
    assert_answer("it is 12\nor not", "is *", "12");
    assert_answer("it is 12", "is *", "12");
    assert_answer("12. and", "*.", "12");
    assert_answer("aaa", "a*a", "");
    assert_answer("nothing", "is *.", NULL);
    assert_answer("", "is *.", NULL);
    assert_answer("", NULL, "");
}

static void votes_are_counted(void **state) {
    (void)state;
    const char *said[] = {"4", "12", "7", "12", "", "7", "12"};
    Text answers[8];
    size_t votes[8], expected[] = {1, 3, 2, 3, 1, 2, 3, 0};
    for (size_t i = 0; i < 7; i++) answers[i] = text_of(said[i]);
    answers[7] = (Text){NULL, 0};
    for (size_t i = 0; i < 8; i++) choose_add_vote(answers, i, votes);
    assert_int_equal(choose_vote(votes, 8), 1);
    assert_memory_equal(votes, expected, sizeof expected);
    for (size_t i = 0; i < 2; i++) choose_add_vote(answers + 4, i, votes);
    assert_int_equal(choose_vote(votes, 2), 0); /* equals: the first */
}

/* The integral of x^a (1 - x)^b over [1/2, 1], as a share of [0, 1]. */
static double share_above_half(size_t a, size_t b) {
    double all = 0, above = 0;
    for (int i = 0; i < 20000; i++) {
        double x = (i + 0.5) / 20000, y = pow(x, (double)a) * pow(1 - x, (double)b);
        all += y;
        if (x > 0.5) above += y;
    }
    return above / all;
}

static void confidence_is_the_integral(void **state) {
    (void)state;
    for (size_t a = 0; a < 12; a++)
        for (size_t b = 0; b <= a; b++)
            assert_near(choose_confidence(a, b), share_above_half(a, b), 1e-6);
    assert_near(choose_confidence(400, 100), 1, 1e-9);
    assert_near(choose_confidence(5, 5), 0.5, 1e-12);
}

/* chrF by its definition, for plain ASCII without spaces. */
static double plain_chrf(const char *a, const char *b) {
    double precision = 0, recall = 0, orders = 0;
    for (size_t n = 1; n <= 6 && n <= strlen(a) && n <= strlen(b); n++) {
        bool used[64] = {false};
        double common = 0;
        for (size_t i = 0; i + n <= strlen(a); i++)
            for (size_t k = 0; k + n <= strlen(b); k++)
                if (!used[k] && strncmp(a + i, b + k, n) == 0) {
                    used[k] = true, common++;
                    break;
                }
        precision += common / (double)(strlen(a) - n + 1);
        recall += common / (double)(strlen(b) - n + 1), orders++;
    }
    precision /= orders, recall /= orders;
    return precision + recall > 0 ? 5 * precision * recall / (4 * precision + recall) : 0;
}

static void chrf_is_its_definition(void **state) {
    (void)state;
    char a[64], b[64];
    Rng rng = {.seed = 4};
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + rng_below(&rng, 40), m = 1 + rng_below(&rng, 40);
        for (size_t i = 0; i < n; i++) a[i] = (char)('a' + rng_below(&rng, 3));
        for (size_t i = 0; i < m; i++) b[i] = (char)('a' + rng_below(&rng, 3));
        a[n] = b[m] = 0;
        assert_near(choose_chrf(text_of(a), text_of(b)), plain_chrf(a, b), 1e-12);
    }
    assert_near(choose_chrf(text_of("the fox"), text_of("  the\nfox ")), 1, 0);
    assert_near(choose_chrf(text_of("sch\xC3\xB6n"), text_of("sch\xC3\xA4n")),
                plain_chrf("sch1n", "sch2n"), 1e-12); /* half a character counts for nothing */
    assert_near(choose_chrf(text_of(""), text_of("fox")), 0, 0);
    assert_near(choose_chrf(text_of(""), text_of(" ")), 1, 0);
}

static void the_middle_one_agrees_most(void **state) {
    (void)state;
    Text texts[] = {text_of("a red fox ran"), text_of("the red fox ran"),
                    text_of("the red fox"), text_of("some other owl")};
    double utility[4];
    size_t best;
    assert_true(choose_agreement(texts, 4, utility, &best));
    assert_int_equal(best, 1);
    for (size_t i = 0; i < 4; i++) {
        double sum = 0;
        for (size_t k = 0; k < 4; k++)
            if (k != i) sum += choose_chrf(texts[i], texts[k]);
        assert_near(utility[i], sum / 3, 1e-12);
    }
}

/* ------------------------------------------------------------------ samples */

static void draw_samples(Counted *w, const char *chain, BestOfOptions o, uint64_t seed,
                         BestOfResult *result) {
    Chain parsed;
    Fault fault;
    TokenList tokens = {0};
    assert_true(chain_parse(&parsed, chain, NULL, &fault));
    for (int i = 0; i < 5; i++) token_list_add(&tokens, prompt[i]);
    GenerateOptions each = o.each ? *o.each : (GenerateOptions){0};
    each.chain = &parsed, each.seed = seed, each.limits.max_tokens = LENGTH;
    o.each = &each;
    assert_true(best_of(&w->session, &tokens, &o, result, &fault));
    token_list_free(&tokens), chain_close(&parsed);
}

static const char drawn[] = "allow:97:101:111:116,draw",
                  coded[] = "allow:97:101:111:116,arithmetic";

/* The probability that a text wins a vote of three: all triples are counted; of three that
 * differ the first wins. */
static void count_winners(const Counted *w, double *wins) {
    for (int a = 0; a < TEXTS; a++)
        for (int b = 0; b < TEXTS; b++)
            for (int c = 0; c < TEXTS; c++) wins[b == c ? b : a] += w->q[a] * w->q[b] * w->q[c];
}

static void the_winner_of_a_vote(void **state) {
    (void)state;
    Counted w;
    double wins[TEXTS] = {0}, count[TEXTS] = {0};
    open_world(&w, 37);
    count_winners(&w, wins);
    for (uint64_t run = 0; run < 1500; run++) {
        BestOfResult r;
        draw_samples(&w, drawn, (BestOfOptions){.n = 3, .at_once = 3, .by = BY_VOTE}, 3 * run,
                     &r);
        count[text_number(&r.samples[r.chosen].tokens)]++;
        best_of_free(&r);
    }
    assert_distributed(count, wins, TEXTS, 1500);
    close_world(&w);
}

/* Ended early or not, one by one or many at once: the same samples count. */
static void a_vote_ends_early(void **state) {
    (void)state;
    Counted w;
    open_world(&w, 3);
    size_t early = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        BestOfOptions o = {.n = 16, .at_once = 1, .by = BY_VOTE, .answer = "*"};
        BestOfResult all, one, many;
        draw_samples(&w, drawn, o, seed, &all);
        o.confidence = 0.99;
        draw_samples(&w, drawn, o, seed, &one);
        o.at_once = 5;
        draw_samples(&w, drawn, o, seed, &many);
        assert_int_equal(all.count, 16);
        assert_int_equal(one.count, many.count);
        assert_int_equal(one.chosen, many.chosen);
        assert_true(one.tokens == one.count * LENGTH && many.tokens >= one.tokens);
        assert_true(one.count == 16 || one.confidence >= 0.99);
        early += one.count < 16;
        for (size_t i = 0; i < one.count; i++)
            assert_int_equal(text_number(&one.samples[i].tokens),
                             text_number(&all.samples[i].tokens));
        best_of_free(&all), best_of_free(&one), best_of_free(&many);
    }
    assert_true(early > 5);
    close_world(&w);
}

/* Each sample is distributed as draw's, and of n samples a text is n p of them, rounded up or
 * down: the codes are a lattice, and a text's interval is as long as its probability. */
static void codes_are_spread_evenly(void **state) {
    (void)state;
    enum { N = 12, RUNS = 400 };
    Counted w;
    double count[TEXTS] = {0};
    open_world(&w, 37);
    for (uint64_t run = 0; run < RUNS; run++) {
        double here[TEXTS] = {0};
        BestOfResult r;
        draw_samples(&w, coded,
                     (BestOfOptions){.n = N, .at_once = 1 + run % 4, .keep_all = true},
                     1000 * run, &r);
        for (size_t i = 0; i < N; i++) here[text_number(&r.samples[i].tokens)]++;
        for (int x = 0; x < TEXTS; x++) {
            assert_true(fabs(here[x] - N * w.q[x]) < 1 + 1e-4);
            count[x] += here[x] / N;
        }
        best_of_free(&r);
    }
    /* one sample per run: independent of the other runs */
    double single[TEXTS] = {0};
    for (uint64_t run = 0; run < 1500; run++) {
        BestOfResult r;
        draw_samples(&w, coded, (BestOfOptions){.n = 1, .at_once = 1}, 7 * run, &r);
        single[text_number(&r.samples[0].tokens)]++;
        best_of_free(&r);
    }
    assert_distributed(single, w.q, TEXTS, 1500);
    for (int x = 0; x < TEXTS; x++) assert_near(count[x] / RUNS, w.q[x], 0.012);
    close_world(&w);
}

/* A code has 53 bits; after 40 tokens it would be used up many times over. */
static void codes_do_not_run_out(void **state) {
    (void)state;
    float logits[2] = {0, (float)log(3)};
    Arena arena;
    Candidates c;
    Chain chain;
    Fault fault;
    double ones = 0, pairs = 0;
    assert_true(candidates_open(&c, 2, &arena, &fault));
    assert_true(chain_parse(&chain, "arithmetic:0.3", NULL, &fault));
    chain_reset(&chain);
    for (int32_t i = 0, token, before = 0; i < 20000; i++, before = token) {
        float row[2] = {logits[0], logits[1]};
        Step step = {.seed = 5, .position = (uint64_t)i};
        assert_true(candidates_load(&c, row, &fault));
        assert_true(chain_run(&chain, &c, &step, &token, &fault));
        chain_accept(&chain, token);
        ones += token, pairs += token && before;
    }
    assert_near(ones / 20000, 0.75, 5 * sqrt(0.75 * 0.25 / 20000));
    assert_near(pairs / 20000, 0.5625, 0.02);
    chain_close(&chain), arena_free(&arena);
}

/* The caller's end comes in the middle of the fourth sample, which then does not vote. */
static bool stop_later(void *context, const Choice *choice) {
    (void)choice;
    return --*(int *)context > 0;
}

static void a_cut_sample_does_not_vote(void **state) {
    (void)state;
    Counted w;
    BestOfResult r;
    int left = 3 * LENGTH + 2;
    open_world(&w, 37);
    GenerateOptions each = {.on_choice = stop_later, .context = &left};
    BestOfOptions o = {.n = 9, .at_once = 1, .by = BY_VOTE, .each = &each};
    draw_samples(&w, drawn, o, 5, &r);
    assert_int_equal(r.count, 4);
    assert_int_equal(r.samples[3].result.reason, STOP_CALLER);
    double votes = 0;
    for (size_t i = 0; i < r.count; i++) votes = fmax(votes, r.samples[i].utility);
    assert_true(r.samples[3].utility == 0 && votes >= 1 && r.chosen != 3);
    best_of_free(&r), close_world(&w);
}

RUN(TEST(answers_are_found), TEST(votes_are_counted), TEST(confidence_is_the_integral),
    TEST(chrf_is_its_definition), TEST(the_middle_one_agrees_most), TEST(the_winner_of_a_vote),
    TEST(a_vote_ends_early), TEST(a_cut_sample_does_not_vote), TEST(codes_are_spread_evenly),
    TEST(codes_do_not_run_out))
