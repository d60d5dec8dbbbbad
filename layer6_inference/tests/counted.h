/* counted.h - a small world whose distribution is counted out: four tokens are allowed, texts
 * have three. */
#ifndef STRATA_COUNTED_H
#define STRATA_COUNTED_H

#include "check.h"
#include "inference_extras.h"
#include "make_model.h"

#include <math.h>

enum { ALLOWED = 4, LENGTH = 3, TEXTS = 64 /* ALLOWED^LENGTH */, PREFIXES = 1 + 4 + 16 };
static const int32_t allowed[ALLOWED] = {'a', 'e', 'o', 't'};
static const int32_t prompt[] = {'h', 'e', 'l', 'l', 'o'};

typedef struct Counted {
    Model model;
    Session session;
    unsigned char *bytes;
    Chain rules;                    /* allow, draw */
    double step[PREFIXES][ALLOWED]; /* p(token | prompt, prefix) under the model */
    double p[TEXTS], all;           /* of each text under the model; all together */
    double q[TEXTS];                /* of each text under the chain */
} Counted;

/* The number of a text's first n tokens: digit i is token i. */
static int prefix_of(int x, int n) {
    static const int first[] = {0, 1, 5}, many[] = {1, 4, 16};
    return first[n] + x % many[n];
}

static inline int digit_of(int x, int i) { return x / (int[]){1, 4, 16}[i] % ALLOWED; }

/* Each text is evaluated from its beginning. */
static void count_out(Counted *w) {
    Fault fault;
    w->all = 0;
    for (int x = 0; x < TEXTS; x++) {
        w->p[x] = w->q[x] = 1;
        session_rewind(&w->session, 0, 0);
        assert_true(session_eval(&w->session, prompt, 5, false, &fault));
        for (int i = 0; i < LENGTH; i++) {
            double *p = w->step[prefix_of(x, i)], left = 0;
            const float *logits = w->session.logits;
            for (int k = 0; k < ALLOWED; k++) {
                p[k] = exp((double)logits[allowed[k]] - log_sum_exp(logits, MAKE_VOCAB));
                left += p[k];
            }
            w->p[x] *= p[digit_of(x, i)], w->q[x] *= p[digit_of(x, i)] / left;
            int32_t token = allowed[digit_of(x, i)];
            assert_true(session_eval(&w->session, &token, 1, false, &fault));
        }
        w->all += w->p[x];
    }
    session_rewind(&w->session, 0, 0);
}

static void open_world(Counted *w, uint64_t seed) {
    MakeModel m = make_model_defaults("llama");
    size_t size;
    Fault fault;
    m.ctx = 64, m.seed = seed;
    w->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&w->model, w->bytes, size, &fault));
    assert_true(session_open(
        &w->session, &w->model, NULL,
        (SessionConfig){.sequences = 32, .max_tokens = 32, .max_logits = 32, .rewind = 8},
        &fault));
    assert_true(chain_parse(&w->rules, "allow:97:101:111:116,draw", NULL, &fault));
    count_out(w);
}

/* Nothing may be left in the cache of a session that was used. */
static void close_world(Counted *w) {
    for (size_t i = 0; i < 32; i++) session_rewind(&w->session, i, 0);
    assert_int_equal(w->session.kv.pages.free_count, w->session.kv.pages.count);
    chain_close(&w->rules);
    session_close(&w->session), model_close(&w->model), free(w->bytes);
}

/* Which of the allowed tokens is it? */
static inline int digit(int32_t token) {
    int k = 0;
    while (k < ALLOWED && allowed[k] != token) k++;
    assert_true(k < ALLOWED);
    return k;
}

static int text_number(const TokenList *tokens) {
    int x = 0;
    assert_int_equal(tokens->count, LENGTH);
    for (int i = LENGTH - 1; i >= 0; i--) x = x * ALLOWED + digit(tokens->ids[i]);
    return x;
}

/* Do so many counts agree with these probabilities?  Cells that are expected less than five
 * times are taken together.  The limit is 5 standard deviations above the mean. */
static inline void assert_distributed(const double *count, const double *p, size_t n,
                                      double draws) {
    double square = 0, rare = 0, rare_p = 0, cells = 0;
    for (size_t i = 0; i < n; i++) {
        double expected = draws * p[i], off = count[i] - expected;
        if (expected < 5)
            rare += count[i], rare_p += p[i];
        else
            square += off * off / expected, cells++;
    }
    if (draws * rare_p >= 5) {
        double off = rare - draws * rare_p;
        square += off * off / (draws * rare_p), cells++;
    }
    print_message("chi-square %.1f of %g cells\n", square, cells);
    assert_true(cells > 3 && square < cells - 1 + 5 * sqrt(2 * (cells - 1)));
}

/* The text that generate draws from the chain with this seed. */
static inline void assert_drawn_by_generate(Counted *w, uint64_t seed, const TokenList *got) {
    TokenList tokens = {0};
    GenerateResult result;
    Fault fault;
    GenerateOptions plain = {.chain = &w->rules, .seed = seed, .limits.max_tokens = LENGTH};
    for (int i = 0; i < 5; i++) token_list_add(&tokens, prompt[i]);
    chain_reset(&w->rules);
    session_rewind(&w->session, 0, 0);
    assert_true(generate(&w->session, &tokens, &plain, &result, &fault));
    assert_int_equal(got->count, LENGTH);
    assert_memory_equal(tokens.ids + 5, got->ids, LENGTH * sizeof(int32_t));
    token_list_free(&tokens);
}

#endif
