/* special tokens: which they are, by type and by name, and finding them in text */
#include "vocab_file.h"

static void tokens_that_end_a_text_are_so_by_name(void **state) {
    static const Extra names[] = {{"</s>", TOKEN_USER},           {"<|end|>", TOKEN_NORMAL},
                                  {"<|fim_prefix|>", TOKEN_USER}, {"<tag>", TOKEN_USER},
                                  {"<|file_sep|>", TOKEN_USER},   {"<unk>", TOKEN_UNKNOWN},
                                  {"<spare>", TOKEN_UNUSED}};
    (void)state;
    Tokenizer *t = opened(bpe_file("gpt-2", names, 7, NULL, 0));
    check_tokens(t, "a</s>", false, "a|<|/|s|>");
    check_tokens(t, "a</s>", true, "a|</s>");
    check_tokens(t, "<tag><|end|>", false, "<tag>|<|||e|n|d|||>");
    check_tokens(t, "<tag><|end|><unk>", true, "<tag>|<|end|>|<unk>");
    check_tokens(t, "<unk>", false, "<|u|n|k|>");
    assert_true(tokenizer_is_end(t, 256) && tokenizer_is_end(t, 257));
    assert_true(tokenizer_is_end(t, 260)); /* the next file begins */
    assert_false(tokenizer_is_end(t, 258) || tokenizer_is_end(t, 259));
    assert_int_equal(t->types[258], TOKEN_CONTROL);
    assert_int_equal(tokenizer_piece(t, 256, false).size, 0);
    assert_int_equal(tokenizer_piece(t, 262, false).size, 0); /* hidden, too */
    assert_int_equal(tokenizer_piece(t, 262, true).size, 7);
    assert_int_equal(tokenizer_piece(t, 263, true).size, 0); /* an image patch has no text */
    tokenizer_close(t);
}

/* Of bytes that a user wrote, only tokens that any text may name are special. */
static void what_a_user_wrote_names_no_control_token(void **state) {
    static const Extra names[] = {{"<a>", TOKEN_CONTROL}, {"<a>b", TOKEN_CONTROL},
                                  {"<c", TOKEN_CONTROL},  {"<c>", TOKEN_USER},
                                  {"<d", TOKEN_USER},     {"<d>", TOKEN_CONTROL}};
    static const struct {
        const char *text, *user; /* u: the user's byte */
        int32_t id;              /* -1: no special token */
    } cases[] = {{"<a>b", "....", 257}, {"<a>b", "...u", 256}, {"<a>b", "..u.", -1},
                 {"<a>b", "uuuu", -1},  {"<c>", "..u", 259},   {"<c>", "uuu", 259},
                 {"<d>.", "...u", 261}, {"<d>.", "..uu", 260}};
    (void)state;
    Tokenizer *t = opened(bpe_file("gpt-2", names, 6, NULL, 0));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TokenList list = {0};
        unsigned char user[8] = {0};
        for (size_t k = 0; cases[i].user[k]; k++) user[k] = cases[i].user[k] == 'u';
        assert_true(tokenizer_encode_marked(t, text_of(cases[i].text), user, &list, NULL));
        int32_t first = list.ids[0] < 256 ? -1 : list.ids[0];
        if (first != cases[i].id)
            fail_msg("%s, %s: %d, wanted %d", cases[i].text, cases[i].user, first, cases[i].id);
        token_list_free(&list);
    }
    tokenizer_close(t);
}

static void a_key_goes_before_a_name(void **state) {
    static const Extra names[] = {{"<PRE>", TOKEN_USER}, {"<other>", TOKEN_USER}};
    (void)state;
    GgufWriter *w = bpe_file("gpt-2", names, 2, NULL, 0);
    gguf_put_int(w, "tokenizer.ggml.fim_pre_token_id", GGUF_U32, 257);
    gguf_put_int(w, "tokenizer.ggml.eot_token_id", GGUF_U32, 65);
    Tokenizer *t = opened(w);
    assert_int_equal(t->types[256], TOKEN_USER);
    assert_int_equal(t->types[257], TOKEN_USER);
    assert_true(tokenizer_is_end(t, 65));
    tokenizer_close(t);
}

static void some_names_mean_something_else_beside_others(void **state) {
    static const Extra harmony[] = {{"<|end|>", TOKEN_CONTROL},
                                    {"<|return|>", TOKEN_CONTROL},
                                    {"<|call|>", TOKEN_CONTROL},
                                    {"<|channel|>", TOKEN_CONTROL}};
    static const Extra gemma[] = {{"</s>", TOKEN_CONTROL}, {"<|tool_response>", TOKEN_CONTROL}};
    (void)state;
    Tokenizer *t = opened(bpe_file("gpt-2", harmony, 4, NULL, 0));
    assert_false(tokenizer_is_end(t, 256));
    assert_true(tokenizer_is_end(t, 257) && tokenizer_is_end(t, 258));
    check_tokens(t, "<|end|><|channel|>", false, "<|end|>|<|channel|>");
    tokenizer_close(t);
    t = opened(bpe_file("gpt-2", gemma, 2, NULL, 0));
    assert_false(tokenizer_is_end(t, 256));
    assert_int_equal(t->types[256], TOKEN_NORMAL);
    tokenizer_close(t);
}

/* Random names of a few letters, compared with trying every one. */
static void the_longest_special_token_is_found(void **state) {
    static char names[200][8];
    Extra extras[200];
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        size_t size = 1 + rng_hash(5, i, 0) % 6;
        for (size_t k = 0; k < size; k++) names[i][k] = "ab\xFF"[rng_hash(5, i, k + 1) % 3];
        extras[i] = (Extra){names[i], i % 2 ? TOKEN_USER : TOKEN_CONTROL};
        for (uint64_t j = 0; j < i; j++) /* of equal names the first one is found */
            if (strcmp(names[j], names[i]) == 0) names[i][0] = 0;
    }
    Tokenizer *t = opened(bpe_file("gpt-2", extras, 200, NULL, 0));
    for (uint64_t round = 0; round < 4000; round++) {
        char text[9] = "";
        for (size_t k = 0; k < 8; k++) text[k] = "ab\xFF"[rng_hash(6, round, k) % 3];
        Text rest = {text, 1 + round % 8};
        bool control = round & 8;
        int32_t want = -1;
        size_t longest = 0;
        for (int32_t i = 0; i < 200; i++) {
            size_t size = strlen(names[i]);
            if (size > longest && size <= rest.size && memcmp(names[i], text, size) == 0 &&
                (control || i % 2))
                want = 256 + i, longest = size;
        }
        assert_int_equal(special_at(t, rest, control), want);
    }
    tokenizer_close(t);
}

/* Trying every special token at every byte would take minutes. */
static void many_special_tokens_cost_nothing(void **state) {
    enum { N = 20000, SIZE = 1 << 20 };
    static char names[N][16];
    static Extra extras[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "the %d>", (i * 7919) % N);
        extras[i] = (Extra){names[i], TOKEN_USER};
    }
    char *text = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++) text[i] = "the 12 "[i % 7];
    double start = clock_seconds();
    Tokenizer *t = opened(bpe_file("gpt-2", extras, N, NULL, 0));
    TokenList list = {0};
    assert_true(tokenizer_encode(t, (Text){text, SIZE}, false, &list, NULL));
    assert_true(clock_seconds() - start < 20);
    assert_int_equal(list.count, SIZE);
    check_tokens(t, "the 19999>the 5>the", false, "the 19999>|the 5>|t|h|e");
    token_list_free(&list);
    free(text);
    tokenizer_close(t);
}

RUN(TEST(tokens_that_end_a_text_are_so_by_name), TEST(what_a_user_wrote_names_no_control_token),
    TEST(a_key_goes_before_a_name), TEST(some_names_mean_something_else_beside_others),
    TEST(the_longest_special_token_is_found), TEST(many_special_tokens_cost_nothing))
