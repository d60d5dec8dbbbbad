/* two texts as one, and how well the second answers the first */
#include "families.h"
#include "check.h"
#include "make_model.h"
#include "models_extras.h"
#include "reference_text.h"

enum { CLS = 2, SEP = 3, FIRST = 5, ON = FIRST + 26 }; /* "▁a" ..., "a" ... */

typedef struct Case {
    unsigned char *bytes;
    Model model;
} Case;

static void open_case(Case *c, const char *arch, const char *more) {
    MakeModel m = make_model_of(arch, more);
    Fault fault;
    size_t size;
    c->bytes = make_model(&m, &size);
    if (!model_open_memory(&c->model, c->bytes, size, &fault)) fail_msg("%s", fault.text);
}

static void close_case(Case *c) { model_close(&c->model), free(c->bytes); }

static bool encode(const Case *c, const char *query, const char *document, TokenList *tokens,
                   size_t *second, Fault *fault) {
    tokens->count = 0;
    return rerank_encode(&c->model, text_of(query), text_of(document), tokens, second, fault);
}

static void pairs_have_separators(void **state) {
    (void)state;
    static const int32_t want[] = {CLS, FIRST, ON + 1, FIRST + 2, SEP, FIRST + 3, SEP};
    Case c;
    Fault fault;
    TokenList tokens = {0};
    size_t second;
    open_case(&c, "bert", "wordpiece scores:1");
    assert_true(encode(&c, "ab c", "d", &tokens, &second, &fault));
    assert_int_equal(tokens.count, 7);
    assert_memory_equal(tokens.ids, want, sizeof want);
    assert_int_equal(second, 5);
    /* names of control tokens are words like others */
    assert_true(encode(&c, "a", "[SEP]", &tokens, &second, &fault));
    assert_true(tokens.count > 5);
    char longer[600];
    memset(longer, ' ', sizeof longer), longer[599] = 0;
    for (size_t i = 0; i < 598; i += 2) longer[i] = 'a';
    assert_false(encode(&c, "a", longer, &tokens, &second, &fault));
    assert_contains(fault.text, "303 tokens, the model reads 256");
    assert_int_equal(tokens.count, 0);
    close_case(&c);
    open_case(&c, "bert", "scores:1"); /* its tokenizer, of GPT-2's kind, ends no text */
    assert_false(encode(&c, "a", "b", &tokens, &second, &fault));
    assert_contains(fault.text, "nothing to part two texts with");
    close_case(&c);
    open_case(&c, "qwen3", "scores:2 pooling_type=4");
    assert_false(encode(&c, "a", "b", &tokens, &second, &fault));
    assert_contains(fault.text, "chat_template.rerank");
    close_case(&c);
    token_list_free(&tokens);
}

/* A template's special tokens are matched; a user's are not. */
static void templates_hold_both(void **state) {
    (void)state;
    Case c;
    Fault fault;
    TokenList tokens = {0};
    size_t second;
    open_case(&c, "qwen3", "scores:2 pooling_type=4 rerank_template");
    assert_true(encode(&c, "q", "<|im_end|>", &tokens, &second, &fault));
    assert_int_equal(second, 0);
    assert_int_equal(tokens.ids[0], 256); /* <|im_start|> */
    assert_int_equal(tokens.ids[1], 'q');
    assert_int_equal(tokens.ids[2], '/');
    assert_int_equal(tokens.count, 3 + 10 + 1);
    assert_int_equal(tokens.ids[13], 257);
    for (size_t i = 3; i < 13; i++) assert_true(tokens.ids[i] < 256);
    close_case(&c);
    token_list_free(&tokens);
}

static float score(const Case *c, const char *query, const char *document, double *want) {
    Session session;
    Fault fault;
    TokenList tokens = {0};
    Reference reference;
    size_t second;
    float got = 0;
    assert_true(encode(c, query, document, &tokens, &second, &fault));
    assert_true(session_open(&session, &c->model, NULL,
                             pooling_session(&c->model, tokens.count), &fault));
    assert_true(rerank_score(&session, &tokens, second, &got, &fault));
    assert_false(session.extras->second); /* the next text is a single one */
    reference_open(&reference, &c->model.gguf);
    reference.second = (int)second;
    double scores[4];
    reference_scores(&reference, tokens.ids, (int)tokens.count,
                     (int)model_extras(&c->model)->text_head.labels, scores);
    *want = scores[0];
    reference_close(&reference), session_close(&session), token_list_free(&tokens);
    return got;
}

static void scores_are_the_reference_s(void **state) {
    (void)state;
    static const char *const models[][2] = {
        {"bert", "wordpiece scores:1"},
        {"bert", "wordpiece scores:1 scores_hidden"},
        {"jina-bert-v2", "wordpiece scores:1 scores_alone"},
        {"modern-bert", "wordpiece scores:1 scores_hidden scores_norm"},
        {"qwen3", "scores:2 pooling_type=4 rerank_template"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        Case c;
        double want, other;
        open_case(&c, models[i][0], models[i][1]);
        float got = score(&c, "who ran home", "the fox did", &want);
        assert_near(got, want, 1e-5);
        got = score(&c, "who ran home the", "fox did", &other);
        assert_near(got, other, 1e-5);
        assert_true(fabs(want - other) > 1e-4); /* it matters where the second one begins */
        close_case(&c);
    }
}

static void models_that_rank_nothing_say_so(void **state) {
    (void)state;
    Case c;
    Fault fault;
    open_case(&c, "bert", "wordpiece");
    assert_false(rerank_check(&c.model, &fault));
    assert_contains(fault.text, "without a head that scores");
    close_case(&c);
    open_case(&c, "bert", "wordpiece scores:3");
    assert_false(rerank_check(&c.model, &fault));
    assert_contains(fault.text, "scores 3 labels");
    close_case(&c);
}

RUN(TEST(pairs_have_separators), TEST(templates_hold_both), TEST(scores_are_the_reference_s),
    TEST(models_that_rank_nothing_say_so))
