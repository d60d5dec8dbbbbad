/* encoder-decoder models: session_source.c */
#include "families.h"
#include "session_probe.h"
#include "check.h"
#include "make_model.h"
#include "pooling.h"

enum { SEQUENCES = 4, SOURCE = 70, TEXT = 20, ALL = SOURCE + TEXT, VOCAB = MAKE_VOCAB };

typedef struct Run {
    unsigned char *bytes;
    Model model;
    Session session;
    int32_t tokens[ALL]; /* a source, and from SOURCE on what is written */
    float alone[TEXT * VOCAB];
} Run;

static void fill(Run *r, uint64_t seed) {
    for (int i = 0; i < ALL; i++)
        r->tokens[i] = (int32_t)(rng_hash(seed, 0, (uint64_t)i) % 250);
    r->tokens[SOURCE] = model_extras(&r->model)->start;
}

/* Sessions of several sequences; `alone` is what the text gets by itself, in one batch. */
static Run *run_open(void) {
    Run *r = calloc(1, sizeof *r);
    MakeModel m = make_model_defaults("t5");
    size_t size;
    SessionConfig config = {.sequences = SEQUENCES, .max_tokens = 2 * ALL, .max_logits = 64};
    r->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&r->model, r->bytes, size, NULL));
    assert_true(session_open(&r->session, &r->model, NULL, config, NULL));
    fill(r, 1);
    assert_true(session_eval(&r->session, r->tokens, ALL, true, NULL));
    memcpy(r->alone, r->session.logits, sizeof r->alone);
    session_reset(&r->session);
    return r;
}

static void run_close(Run *r) {
    session_close(&r->session), model_close(&r->model);
    free(r->bytes), free(r);
}

/* Token `at` of sequence `id`, wanted: its logits are those of the text alone. */
static void check_next(Run *r, int32_t id, int32_t at) {
    Batch batch = {1, &r->tokens[at], &id, &at, (bool[]){true}, NULL};
    assert_true(session_forward(&r->session, &batch, NULL));
    assert_memory_equal(r->session.logits, r->alone + (at - SOURCE) * VOCAB,
                        VOCAB * sizeof(float));
}

/* Sources of two lengths, their rows alternating, and a third text that continues, all in one
 * batch. */
static void several_texts_in_one_batch(void **state) {
    (void)state;
    Run *r = run_open();
    int32_t token[2 * ALL], sequence[2 * ALL], position[2 * ALL], length[3] = {0};
    bool wanted[2 * ALL];
    size_t n = 0;
    for (int i = 0; i <= SOURCE; i++) /* sequence 2 is there already */
        token[i] = r->tokens[i % 30], sequence[i] = 2, position[i] = i, wanted[i] = i == SOURCE;
    token[SOURCE] = model_extras(&r->model)->start;
    Batch first = {SOURCE + 1, token, sequence, position, wanted, NULL};
    assert_true(session_forward(&r->session, &first, NULL));
    length[2] = SOURCE + 1;
    for (int i = 0; i <= SOURCE; i++)
        for (int32_t s = 0; s < 3; s++) {
            if ((s == 0 && i > 11) || (s == 2 && i % 10)) continue;
            token[n] = s == 1              ? r->tokens[i]
                       : s == 0 && i == 10 ? model_extras(&r->model)->start
                                           : 7;
            sequence[n] = s, position[n] = length[s]++;
            wanted[n++] = s == 1 && i == SOURCE;
        }
    Batch batch = {n, token, sequence, position, wanted, NULL};
    assert_true(session_forward(&r->session, &batch, NULL));
    assert_memory_equal(r->session.logits, r->alone, VOCAB * sizeof(float));
    assert_int_equal(r->session.kv.source[0], 10);
    for (int32_t at = SOURCE + 1; at < ALL; at++) check_next(r, 1, at);
    run_close(r);
}

/* A source is shared by forks, whole or not at all, and outlives the first text. */
static void forks_share_a_source(void **state) {
    (void)state;
    Run *r = run_open();
    KvCache *kv = &r->session.kv;
    assert_true(session_eval(&r->session, r->tokens, SOURCE + 5, false, NULL));
    const size_t before = kv->pages.free_count;
    kv_fork(kv, 3, 0);
    assert_int_equal(kv->pages.free_count, before); /* not a page of its own */
    session_rewind(&r->session, 0, 0);
    assert_int_equal(kv->source[0], 0);
    for (int32_t at = SOURCE + 5; at < ALL; at++) check_next(r, 3, at);
    assert_int_equal(session_rewind(&r->session, 3, SOURCE), SOURCE);
    for (int32_t at = SOURCE; at < ALL; at++) check_next(r, 3, at);
    assert_int_equal(session_rewind(&r->session, 3, SOURCE - 1), 0);
    assert_int_equal(kv->source[3], 0);
    run_close(r);
}

/* The source by itself, then the start token. */
static void a_source_may_come_before_the_text(void **state) {
    (void)state;
    Run *r = run_open();
    int32_t position[SOURCE], sequence[SOURCE] = {0};
    bool wanted[SOURCE] = {false};
    for (int i = 0; i < SOURCE; i++) position[i] = i;
    Batch source = {SOURCE, r->tokens, sequence, position, wanted, NULL};
    assert_true(session_forward(&r->session, &source, NULL));
    for (int32_t at = SOURCE; at < ALL; at++) check_next(r, 0, at);
    run_close(r);
}

/* A word of the source far from the end changes the output, and one behind the query does
 * not. */
static void every_row_of_a_source_is_seen(void **state) {
    (void)state;
    Run *r = run_open();
    r->tokens[0] = 7, r->tokens[ALL - 1] = 9;
    assert_true(session_eval(&r->session, r->tokens, ALL, true, NULL));
    assert_memory_not_equal(r->session.logits, r->alone, VOCAB * sizeof(float));
    session_reset(&r->session), fill(r, 1);
    r->tokens[ALL - 1] = 9;
    assert_true(session_eval(&r->session, r->tokens, ALL, true, NULL));
    assert_memory_equal(r->session.logits, r->alone, (TEXT - 1) * VOCAB * sizeof(float));
    run_close(r);
}

static void refused(Run *r, const int32_t *tokens, size_t n, const char *says) {
    Fault fault = {""};
    session_reset(&r->session);
    assert_false(session_eval(&r->session, tokens, n, true, &fault));
    assert_contains(fault.text, says);
    assert_int_equal(session_length(&r->session, 0), 0);
}

static void what_is_no_source_is_refused(void **state) {
    (void)state;
    Run *r = run_open();
    Fault fault = {""};
    float row[64] = {0}, vector[64];
    Batch batch = {1, NULL, (int32_t[]){0}, (int32_t[]){0}, (bool[]){true}, row};
    refused(r, r->tokens, SOURCE, "token 255, which begins what it writes, does not follow");
    refused(r, r->tokens + SOURCE, 2, "the source is empty");
    assert_false(session_forward(&r->session, &batch, &fault));
    assert_contains(fault.text, "rows cannot replace them");
    batch.input = NULL, batch.token = r->tokens, batch.wanted = (bool[]){false};
    assert_true(session_forward(&r->session, &batch, &fault)); /* a source of one token */
    batch.position = (int32_t[]){1};
    assert_false(session_forward(&r->session, &batch, &fault));
    assert_contains(fault.text, "behind the first 1 token 255 has to follow");
    assert_false(session_can_shift(&r->session, &fault));
    assert_contains(fault.text, "a source, which is not cut");
    assert_false(session_probe(&r->session, &(Probe){.acts = NULL}, &fault));
    assert_contains(fault.text, "is not built");
    assert_false(pooling_run(&r->session, POOLING_MEAN, r->tokens, SOURCE, 0, vector, &fault));
    assert_contains(fault.text, "makes no vectors");
    run_close(r);
}

/* A tied head reads shorter rows. */
static void a_tied_head_is_scaled(void **state) {
    (void)state;
    MakeModel m = make_model_of("t5", "tied");
    Model model;
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(model_open_memory(&model, bytes, size, NULL));
    assert_near(model_extras(&model)->logit_scale, 1.0f / 8, 0); /* of 64 numbers */
    model_close(&model), free(bytes);
}

RUN(TEST(several_texts_in_one_batch), TEST(forks_share_a_source),
    TEST(a_source_may_come_before_the_text), TEST(every_row_of_a_source_is_seen),
    TEST(what_is_no_source_is_refused), TEST(a_tied_head_is_scaled))
