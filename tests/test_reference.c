/* the whole model against the double-precision reference; and bit-identity across threads,
 * chunks and batches */
#include "every_isa.h"
#include "inference.h"
#include "make_model.h"
#include "reference.h"

enum { TOKENS = 90 };

static int32_t tokens[TOKENS];

static void make_tokens(void) {
    for (int i = 0; i < TOKENS; i++)
        tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % MAKE_VOCAB);
}

/* Logits of all tokens in chunks of `chunk`, into out (TOKENS, vocab). */
static void run(const Model *model, int threads, size_t chunk, float *out) {
    Session session;
    Fault fault;
    Pool *pool = pool_open(threads, false, &fault);
    size_t vocab = model->sizes.vocab;
    assert_true(session_open(
        &session, model, pool,
        (SessionConfig){.sequences = 1, .most_tokens = TOKENS, .most_logits = TOKENS}, &fault));
    for (size_t at = 0; at < TOKENS; at += chunk) {
        size_t n = TOKENS - at < chunk ? TOKENS - at : chunk;
        assert_true(session_feed(&session, tokens + at, n, true, &fault));
        memcpy(out + at * vocab, session.logits, n * vocab * sizeof *out);
    }
    session_close(&session);
    pool_close(pool);
}

static void compare(MakeModel m) {
    Model model;
    Fault fault;
    Reference reference;
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    make_tokens();
    if (!model_open_memory(&model, bytes, size, &fault)) fail_msg("%s: %s", m.arch, fault.text);
    size_t count = TOKENS * model.sizes.vocab;
    float *got = malloc(count * sizeof *got);
    double *want = malloc(count * sizeof *want), error = 0, power = 0;
    run(&model, 2, TOKENS, got);
    reference_open(&reference, &model.gguf);
    bool rounds = m.dtype == DTYPE_BF16 && kernels()->bf16_rounds;
    reference_rounds_bf16 = rounds;
    reference_logits(&reference, tokens, TOKENS, want);
    for (size_t i = 0; i < count; i++)
        error += pow((double)got[i] - want[i], 2), power += want[i] * want[i];
    /* Where two roundings fall to different sides of a half, one input differs by a step: with
     * BF16 that is 2^-8 of one of 64 inputs, (2^-8)^2 / 64 = 2e-7 of an output's power, in one
     * input of some ten thousand.  Not rounding the reference's inputs gives 5e-5. */
    double bound = m.dtype == DTYPE_Q8_0 ? 1e-5 : rounds ? 1e-7 : 1e-11;
    if (!(error / power < bound)) fail_msg("%s: normalized error %g", m.arch, error / power);
    reference_close(&reference);
    model_close(&model);
    free(got), free(want), free(bytes);
}

static void every_family_and_variant(void **state) {
    (void)state;
    const Recipe *list;
    size_t count = recipe_list(&list);
    for (size_t i = 0; i < count; i++)
        if (!list[i].temperature) compare(make_model_defaults(list[i].arch));
    MakeModel m = make_model_defaults("llama");
    m.tied = m.biases = m.rope_freqs = true, m.seed = 2;
    compare(m);
    m = make_model_defaults("llama"), m.yarn = true, m.kv_heads = 1, m.head_dim = 32;
    compare(m);
    m = make_model_defaults("llama"), m.experts = 4;
    compare(m);
    m = make_model_defaults("qwen2"), m.fused_qkv = true, m.kv_heads = 4;
    compare(m);
}

static void every_format(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F16, DTYPE_BF16, DTYPE_Q8_0};
    for (int f = 0; f < 3; f++) {
        MakeModel m = make_model_defaults("llama");
        m.dtype = formats[f];
        compare(m);
    }
}

static void threads_and_chunks_change_no_bit(void **state) {
    (void)state;
    static const char *const archs[] = {"llama", "gemma2", "gpt2"};
    for (int a = 0; a < 3; a++) {
        MakeModel m = make_model_defaults(archs[a]);
        m.dtype = a == 0 ? DTYPE_F16 : DTYPE_Q8_0;
        Model model;
        Fault fault;
        size_t size;
        unsigned char *bytes = make_model(&m, &size);
        assert_true(model_open_memory(&model, bytes, size, &fault));
        make_tokens();
        size_t vocab = model.sizes.vocab, all = TOKENS * vocab * sizeof(float);
        float *one = malloc(all), *other = malloc(all);
        run(&model, 1, TOKENS, one);
        for (int threads = 2; threads <= 4; threads++) {
            run(&model, threads, TOKENS, other);
            assert_memory_equal(one, other, all);
        }
        static const size_t chunks[] = {1, 7, 64};
        for (int c = 0; c < 3; c++) {
            run(&model, 1 + c, chunks[c], other);
            assert_memory_equal(one, other, all);
        }
        model_close(&model);
        free(one), free(other), free(bytes);
    }
}

/* Three sequences of different texts, interleaved in every batch, and each as if alone. */
static void neighbours_change_no_bit(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    Model model;
    Session session;
    Fault fault;
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(model_open_memory(&model, bytes, size, &fault));
    make_tokens();
    size_t vocab = model.sizes.vocab;
    float *alone = malloc(TOKENS * vocab * sizeof *alone);
    run(&model, 1, TOKENS, alone);
    Pool *pool = pool_open(2, false, &fault);
    assert_true(session_open(
        &session, &model, pool,
        (SessionConfig){.sequences = 3, .most_tokens = 8, .most_logits = 8}, &fault));
    for (int i = 0; i < TOKENS; i++) {
        int32_t other = (int32_t)(rng_hash(9, 1, (uint64_t)i) % MAKE_VOCAB), place = i;
        Batch batch = {3, (int32_t[]){other, tokens[i], 5}, (int32_t[]){0, 2, 1},
                       (int32_t[]){place, place, place}, (bool[]){true, true, false}, NULL};
        assert_true(model_forward(&session, &batch, &fault));
        assert_memory_equal(session.logits + vocab, alone + (size_t)i * vocab,
                            vocab * sizeof(float));
    }
    session_rewind(&session, 2, 40); /* go back and take the same road again */
    Batch again = {1, &tokens[40], (int32_t[]){2}, (int32_t[]){40}, (bool[]){true}, NULL};
    assert_true(model_forward(&session, &again, &fault));
    assert_memory_equal(session.logits, alone + 40 * vocab, vocab * sizeof(float));
    session_close(&session);
    pool_close(pool);
    model_close(&model);
    free(alone), free(bytes);
}

static void instruction_sets_agree_within_rounding(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    EACH_ISA (isa) compare(m);
    m.dtype = DTYPE_BF16;
    EACH_ISA (isa) compare(m);
}

static void full_context_and_wrong_tokens_are_said(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    Model model;
    Session session;
    Fault fault;
    size_t size, cache, work;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(model_open_memory(&model, bytes, size, &fault));
    make_tokens();
    SessionConfig config = {.ctx = 64, .sequences = 1, .most_tokens = TOKENS, .most_logits = 1};
    session_plan(&model, config, &cache, &work);
    assert_true(session_open(&session, &model, NULL, config, &fault));
    assert_int_equal(session.arena.used, cache + work);
    assert_false(session_feed(&session, tokens, TOKENS, false, &fault));
    assert_contains(fault.text, "context is full");
    assert_int_equal(session_length(&session, 0), 0);
    assert_false(session_feed(&session, (int32_t[]){MAKE_VOCAB}, 1, false, &fault));
    assert_contains(fault.text, "vocabulary");
    session_close(&session);
    assert_false(session_open(
        &session, &model, NULL,
        (SessionConfig){
            .ctx = (size_t)1 << 40, .sequences = 1, .most_tokens = 1, .most_logits = 1},
        &fault));
    assert_contains(fault.text, "memory");
    model_close(&model);
    free(bytes);
}

RUN(TEST(every_family_and_variant), TEST(every_format), TEST(threads_and_chunks_change_no_bit),
    TEST(neighbours_change_no_bit), TEST(instruction_sets_agree_within_rounding),
    TEST(full_context_and_wrong_tokens_are_said))
