/* one vector for a text: against its hidden rows, in double precision */
#include "check.h"
#include "make_model.h"
#include "models.h"
#include "pooling.h"

#include <math.h>

enum { DIM = 64, COUNT = 37 };

typedef struct Case {
    Model model;
    Session whole, pieces; /* room for all rows at once, and for five */
    unsigned char *bytes;
    int32_t tokens[COUNT];
} Case;

static void open_case(Case *c) {
    MakeModel make = make_model_defaults("llama");
    size_t size;
    Fault fault;
    assert_int_equal(make.dim, DIM);
    c->bytes = make_model(&make, &size);
    assert_true(model_open_memory(&c->model, c->bytes, size, &fault));
    SessionConfig config = {.sequences = 1, .max_tokens = 64, .max_logits = 64};
    assert_true(session_open(&c->whole, &c->model, NULL, config, &fault));
    config.max_logits = 5;
    assert_true(session_open(&c->pieces, &c->model, NULL, config, &fault));
    for (int i = 0; i < COUNT; i++) c->tokens[i] = 'a' + i * 7 % 26;
}

static void close_case(Case *c) {
    session_close(&c->whole), session_close(&c->pieces);
    model_close(&c->model), free(c->bytes);
}

static void vectors_are_made_of_rows(void **state) {
    (void)state;
    static float rows[COUNT * DIM], none[COUNT * DIM], mean[DIM], last[DIM], cls[DIM];
    Case c;
    Fault fault;
    open_case(&c);
    assert_true(session_eval(&c.whole, c.tokens, COUNT, true, &fault));
    memcpy(rows, c.whole.hidden, sizeof rows);
    assert_true(pooling_run(&c.whole, POOLING_NONE, c.tokens, COUNT, 0, none, &fault));
    assert_true(pooling_run(&c.whole, POOLING_MEAN, c.tokens, COUNT, 0, mean, &fault));
    assert_true(pooling_run(&c.whole, POOLING_LAST, c.tokens, COUNT, 0, last, &fault));
    assert_true(pooling_run(&c.whole, POOLING_CLS, c.tokens, COUNT, 0, cls, &fault));
    assert_memory_equal(none, rows, sizeof rows);
    assert_memory_equal(cls, rows, sizeof cls);
    assert_memory_equal(last, rows + (COUNT - 1) * DIM, sizeof last);
    for (size_t k = 0; k < DIM; k++) {
        double sum = 0, size = 0, u = ldexp(1, -24);
        for (size_t i = 0; i < COUNT; i++)
            sum += (double)rows[i * DIM + k], size += fabs((double)rows[i * DIM + k]);
        assert_true(fabs((double)mean[k] - sum / COUNT) <= (COUNT + 1) * u * size / COUNT);
    }
    assert_false(c.whole.hidden_only); /* the next batch gets logits */
    close_case(&c);
}

static void pieces_change_nothing(void **state) {
    (void)state;
    static const Pooling all[] = {POOLING_NONE, POOLING_MEAN, POOLING_LAST, POOLING_CLS};
    static float a[COUNT * DIM], b[COUNT * DIM];
    Case c;
    Fault fault;
    open_case(&c);
    for (size_t i = 0; i < 4; i++)
        for (size_t n = 1; n <= COUNT; n += 9) {
            memset(a, 0, sizeof a), memset(b, 0, sizeof b);
            assert_true(pooling_run(&c.whole, all[i], c.tokens, n, 0, a, &fault));
            assert_true(pooling_run(&c.pieces, all[i], c.tokens, n, 0, b, &fault));
            assert_memory_equal(a, b, sizeof a);
        }
    c.tokens[3] = MAKE_VOCAB;
    assert_false(pooling_run(&c.whole, POOLING_MEAN, c.tokens, 5, 0, a, &fault));
    assert_contains(fault.text, "not in the vocabulary");
    assert_false(c.whole.hidden_only);
    close_case(&c);
}

static void lengths_and_angles(void **state) {
    (void)state;
    float a[] = {3, 4, 0}, b[] = {0, 5, 0}, zero[3] = {0}, c[] = {-3, -4, 0};
    assert_near(pooling_cosine(a, b, 3), 0.8, 1e-15);
    assert_near(pooling_cosine(a, c, 3), -1, 1e-15);
    assert_near(pooling_cosine(a, zero, 3), 0, 0);
    pooling_normalize(a, 3), pooling_normalize(zero, 3);
    assert_near(a[0], 0.6, 1e-7);
    assert_near(a[1], 0.8, 1e-7);
    assert_true(zero[0] == 0 && zero[1] == 0);
}

static void poolings_have_names(void **state) {
    (void)state;
    Pooling pooling = POOLING_NONE;
    Fault fault;
    assert_true(pooling_parse("cls", &pooling, &fault) && pooling == POOLING_CLS);
    assert_true(pooling_parse("mean", &pooling, &fault) && pooling == POOLING_MEAN);
    assert_true(pooling_parse("rank", &pooling, &fault) && pooling == POOLING_RANK);
    assert_false(pooling_parse("max", &pooling, &fault));
    assert_contains(fault.text, "'max'");
}

RUN(TEST(vectors_are_made_of_rows), TEST(pieces_change_nothing), TEST(lengths_and_angles),
    TEST(poolings_have_names))
