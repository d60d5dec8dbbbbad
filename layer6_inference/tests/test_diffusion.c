/* texts that come in any order: which tokens stay, when, and that all else stays as it was */
#include "families.h"
#include "check.h"
#include "inference.h"
#include "make_model.h"
#include "diffusion.h"

#include <math.h>

enum { PLACES = 40, PROMPT = 6, OPEN = 20 };

static void how_sure_a_row_is(void **state) {
    (void)state;
    const float row[] = {logf(0.1f), logf(0.5f), -INFINITY, logf(0.4f)};
    double entropy = 0.1 * log(0.1) + 0.5 * log(0.5) + 0.4 * log(0.4);
    assert_near(diffusion_confidence(REMASK_CONFIDENCE, row, 4, 3), 0.4, 1e-6);
    assert_near(diffusion_confidence(REMASK_MARGIN, row, 4, 3), 0.1, 1e-6);
    assert_near(diffusion_confidence(REMASK_ENTROPY, row, 4, 3), entropy, 1e-6);
    const float sure[] = {-INFINITY, 1000, -INFINITY};
    assert_near(diffusion_confidence(REMASK_CONFIDENCE, sure, 3, 1), 1, 0);
    assert_near(diffusion_confidence(REMASK_MARGIN, sure, 3, 1), 1, 0);
    assert_near(diffusion_confidence(REMASK_ENTROPY, sure, 3, 1), 0, 0);
}

static void steps_share_the_places(void **state) {
    (void)state;
    for (size_t open = 1; open < 20; open++)
        for (size_t steps = 1; steps <= open; steps++) {
            size_t left = open, first = diffusion_share(open, steps), last = first;
            for (size_t s = steps; s > 0; s--) {
                last = diffusion_share(left, s);
                assert_in_range(last, 1, left);
                left -= last;
            }
            assert_int_equal(left, 0);
            assert_in_range(first - last, 0, 1);
        }
}

static void the_surest_stay(void **state) {
    (void)state;
    const double sure[] = {0.2, -INFINITY, 0.7, 0.2, 0.9};
    bool stays[5];
    diffusion_keep_surest(sure, 5, 3, stays);
    assert_memory_equal(stays, ((bool[]){true, false, true, false, true}), sizeof stays);
    diffusion_keep_surest(sure, 5, 5, stays);
    assert_memory_equal(stays, ((bool[]){true, false, true, true, true}), sizeof stays);
    diffusion_keep_surest(sure, 5, 0, stays);
    assert_memory_equal(stays, ((bool[]){false, false, false, false, false}), sizeof stays);
}

/* ------------------------------------------------------------------ a model */

typedef struct Desk {
    unsigned char *bytes;
    Model model;
    Pool *pool;
    Session session;
    Chain chain;
    int32_t masked[PLACES];
} Desk;

static void open_desk(Desk *d, const char *arch, int threads, const char *chain) {
    MakeModel m = make_model_defaults(arch);
    Fault fault;
    size_t size;
    d->bytes = make_model(&m, &size);
    if (!model_open_memory(&d->model, d->bytes, size, &fault)) fail_msg("%s", fault.text);
    d->pool = pool_open(threads, false, &fault);
    assert_true(diffusion_session(&d->session, &d->model, d->pool, PLACES, PLACES,
                                  (KvFormat){DTYPE_F32, false}, &fault));
    assert_true(chain_parse(&d->chain, chain, d->model.tokenizer, &fault));
    for (int i = 0; i < PLACES; i++)
        d->masked[i] = i >= PROMPT && i < PROMPT + OPEN ? MAKE_MASK : 3 + i;
}

static void close_desk(Desk *d) {
    chain_close(&d->chain);
    session_close(&d->session);
    pool_close(d->pool);
    model_close(&d->model);
    free(d->bytes);
}

static void fill(Desk *d, DiffusionOptions options, int32_t *tokens, int32_t *step_of) {
    Diffusion text;
    Fault fault;
    if (!diffusion_open(&text, &d->session, &d->chain, d->masked, PLACES, options, &fault))
        fail_msg("%s", fault.text);
    while (!diffusion_is_done(&text)) assert_true(diffusion_step(&text, &fault));
    assert_in_range(text.step, 1, options.steps);
    memcpy(tokens, text.tokens, sizeof d->masked);
    memcpy(step_of, text.step_of, sizeof d->masked);
    diffusion_close(&text);
}

/* The same by hand: read, take the likeliest token of each open place, keep the surest. */
static void fill_by_hand(Desk *d, size_t steps, int32_t *tokens) {
    size_t vocab = d->model.sizes.vocab;
    memcpy(tokens, d->masked, sizeof d->masked);
    for (size_t left = OPEN; left > 0; steps--) {
        double best[PLACES];
        int32_t token[PLACES];
        assert_true(session_eval(&d->session, tokens, PLACES, true, NULL));
        for (size_t i = 0; i < PLACES; i++) {
            const float *row = d->session.logits +
                               (i - (model_extras(&d->model)->shift_logits && i > 0)) * vocab;
            double sum = 0;
            token[i] = -1, best[i] = -1;
            for (size_t t = 0; t < vocab; t++) {
                if (t == MAKE_MASK) continue;
                sum += exp((double)row[t]);
                if (token[i] < 0 || row[t] > row[token[i]]) token[i] = (int32_t)t;
            }
            if (tokens[i] == MAKE_MASK) best[i] = exp((double)row[token[i]]) / sum;
        }
        for (size_t n = (left + steps - 1) / steps; n > 0; n--, left--) {
            size_t at = 0;
            for (size_t i = 0; i < PLACES; i++) at = best[i] > best[at] ? i : at;
            tokens[at] = token[at], best[at] = -1;
        }
    }
}

static void the_surest_come_first(void **state) {
    (void)state;
    static const char *const archs[] = {"llada", "dream"};
    int32_t got[PLACES], want[PLACES], step_of[PLACES];
    for (int a = 0; a < 2; a++)
        for (size_t steps = 1; steps <= OPEN; steps += 6) {
            Desk d;
            open_desk(&d, archs[a], 2, "greedy");
            fill(&d, (DiffusionOptions){.steps = steps}, got, step_of);
            fill_by_hand(&d, steps, want);
            assert_memory_equal(got, want, sizeof got);
            for (int i = 0; i < PLACES; i++)
                assert_int_equal(step_of[i] > 0, d.masked[i] == MAKE_MASK);
            close_desk(&d);
        }
}

static void threads_change_nothing(void **state) {
    (void)state;
    int32_t one[PLACES], other[PLACES], step_of[PLACES];
    for (int rule = 0; rule < 4; rule++) {
        DiffusionOptions o = {.steps = 7, .remask = (Remask)rule, .seed = 5};
        for (int threads = 1; threads <= 3; threads++) {
            Desk d;
            open_desk(&d, "llada-moe", threads, "top_k:20,temp:0.7");
            fill(&d, o, threads == 1 ? one : other, step_of);
            if (threads > 1) assert_memory_equal(one, other, sizeof one);
            close_desk(&d);
        }
    }
}

static void blocks_come_in_order(void **state) {
    (void)state;
    int32_t tokens[PLACES], step_of[PLACES];
    for (size_t block = 1; block <= OPEN; block += 3) {
        Desk d;
        open_desk(&d, "rnd1", 1, "greedy");
        fill(&d, (DiffusionOptions){.steps = OPEN, .block = block}, tokens, step_of);
        for (size_t i = PROMPT; i < PROMPT + OPEN; i++)
            for (size_t k = PROMPT; k < i; k++)
                if ((k - PROMPT) / block < (i - PROMPT) / block)
                    assert_true(step_of[k] < step_of[i]);
        close_desk(&d);
    }
}

/* A masked sequence whose last positions are open ends at its end token: what follows is not
 * filled in. */
static void a_text_may_end(void **state) {
    (void)state;
    Desk d;
    Diffusion text;
    Fault fault;
    char chain[40];
    open_desk(&d, "dream", 1, "greedy");
    chain_close(&d.chain);
    snprintf(chain, sizeof chain, "allow:%d,greedy", tokenizer_eos(d.model.tokenizer));
    assert_true(chain_parse(&d.chain, chain, d.model.tokenizer, &fault));
    for (int i = PROMPT; i < PLACES; i++) d.masked[i] = MAKE_MASK;
    DiffusionOptions o = {.steps = 17, .block = 2};
    assert_true(diffusion_open(&text, &d.session, &d.chain, d.masked, PLACES, o, &fault));
    assert_int_equal(diffusion_end(&text), PLACES);
    assert_true(diffusion_step(&text, &fault));
    assert_true(diffusion_is_done(&text));
    assert_int_equal(diffusion_end(&text), PROMPT);
    diffusion_close(&text);
    close_desk(&d);
}

/* ------------------------------------------------------------------ what is refused */

static void refuse(Desk *d, size_t count, DiffusionOptions o, const char *words) {
    Diffusion text;
    Fault fault = {""};
    assert_false(diffusion_open(&text, &d->session, &d->chain, d->masked, count, o, &fault));
    assert_contains(fault.text, words);
    diffusion_close(&text);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    Desk d;
    Fault fault;
    Remask rule;
    Session session;
    open_desk(&d, "dream", 1, "greedy");
    refuse(&d, PLACES, (DiffusionOptions){.steps = 0}, "0 steps for 20 positions");
    refuse(&d, PLACES, (DiffusionOptions){.steps = 21}, "21 steps for 20 positions");
    refuse(&d, PLACES, (DiffusionOptions){.steps = 4, .block = 4}, "in 5 blocks");
    refuse(&d, PROMPT, (DiffusionOptions){.steps = 1}, "no position is masked");
    refuse(&d, PLACES + 1, (DiffusionOptions){.steps = 1}, "there is room for 40");
    chain_close(&d.chain);
    assert_true(chain_parse(&d.chain, "dry:0.8,greedy", d.model.tokenizer, &fault));
    refuse(&d, PLACES, (DiffusionOptions){.steps = 1}, "stage 'dry' needs left-to-right text");
    assert_false(remask_read("surest", &rule, &fault));
    assert_contains(fault.text, "confidence, margin, entropy, random");
    SessionConfig left_to_right = {.sequences = 1, .max_tokens = 8, .max_logits = 8};
    assert_false(session_open(&session, &d.model, NULL, left_to_right, &fault));
    assert_contains(fault.text, "does not write from left to right");
    assert_false(diffusion_session(&session, &d.model, NULL, 1000, 1, (KvFormat){0}, &fault));
    assert_contains(fault.text, "context has 256");
    close_desk(&d);
    MakeModel m = make_model_defaults("llama");
    size_t size;
    Model model;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(model_open_memory(&model, bytes, size, &fault));
    assert_false(diffusion_session(&session, &model, NULL, 8, 8, (KvFormat){0}, &fault));
    assert_contains(fault.text, "from left to right (strata generate)");
    model_close(&model), free(bytes);
}

RUN(TEST(how_sure_a_row_is), TEST(steps_share_the_places), TEST(the_surest_stay),
    TEST(the_surest_come_first), TEST(threads_change_nothing), TEST(blocks_come_in_order),
    TEST(a_text_may_end), TEST(what_cannot_be_is_refused))
