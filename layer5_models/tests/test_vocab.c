/* what a file says about its tokenizer: keys used or refused, merges of any length */
#include "vocab_file.h"

/* ------------------------------------------------------------------ keys */

typedef enum Put { INT, BOOL, FLOAT, STRING, STRINGS, INTS, FLOATS } Put;

typedef struct Key {
    const char *key;
    Put put;
    int64_t value;     /* arrays: how many */
    const char *fault; /* NULL: the file opens */
} Key;

#define T "tokenizer.ggml."

static const Key keys[] = {
    {T "bos_token_id", INT, 255, NULL},
    {T "bos_token_id", INT, 256, "is 256, wanted the id of a token"},
    {T "bos_token_id", INT, -1, "the id of a token (the vocabulary has 256 tokens)"},
    {T "bos_token_id", STRING, 0, "the id of a token"},
    {T "eos_token_id", FLOAT, 1, "is of the type f32, wanted the id"},
    {T "eot_token_id", BOOL, 1, "the id of a token"},
    {T "eom_token_id", INTS, 1, "is an array of 1 i32"},
    {T "unknown_token_id", INT, 1000, "the id of a token"},
    {T "fim_pad_token_id", INT, 1000, "the id of a token"},
    {T "middle_token_id", INT, 1000, "the id of a token"},
    {T "add_bos_token", BOOL, 1, NULL},
    {T "add_bos_token", STRING, 0, "wanted true or false"},
    {T "add_bos_token", INT, 1, "is 1, wanted true or false"},
    {T "add_space_prefix", BOOL, 0, NULL},
    {T "add_space_prefix", BOOL, 1, "add_space_prefix' is true, wanted false"},
    {T "scores", FLOATS, 256, NULL}, /* some converters write them for BPE, too */
    {T "scores", FLOATS, 255, "one finite number for each token"},
    {T "scores", STRINGS, 256, "one finite number for each token"},
    /* information */
    {T "padding_token_id", INT, 5000, NULL},
    {T "padding_token_id", STRING, 0, "wanted an integer"},
    {T "seperator_token_id", INT, 5, NULL},
    {T "cls_token_id", INT, 5, NULL},
    {T "mask_token_id", INT, 5, NULL},
    {T "token_type_count", INT, 2, NULL},
    {"tokenizer.chat_template", STRING, 0, NULL},
    {"tokenizer.chat_template", INT, 0, "wanted a string"},
    {"tokenizer.chat_template.tool_use", STRING, 0, NULL},
    {"tokenizer.chat_templates", STRINGS, 2, NULL},
    {"tokenizer.huggingface.json", STRING, 0, NULL},
    {"general.tokenizer", INT, 1, NULL}, /* not ours */
    /* what is not built in may be switched off, and not on */
    {T "add_eos_token", BOOL, 0, NULL},
    {T "add_eos_token", BOOL, 1, NULL},
    {T "add_eos_token", INT, 1, "wanted true or false"},
    {T "add_sep_token", BOOL, 1, NULL},
    {T "remove_extra_whitespaces", BOOL, 0, NULL},
    {T "remove_extra_whitespaces", BOOL, 1, "not built in"},
    {T "remove_extra_whitespaces", STRING, 0, "wanted false"},
    {T "normalizer.lowercase", BOOL, 1, "not built in"},
    {T "precompiled_charsmap", INTS, 0, NULL},
    {T "precompiled_charsmap", INTS, 4, "is an array of 4 i32, wanted false (or an empty"},
    {T "suppress_tokens", INTS, 1, "not built in"},
    {T "sauce", INT, 1, "'tokenizer.ggml.sauce' is unknown"},
    {"tokenizer.", INT, 1, "is unknown"},
};

static void put_key(GgufWriter *w, const Key *k) {
    static const int64_t ints[4] = {1, 2, 3, 4};
    static const double floats[256] = {0};
    static Text texts[256];
    for (size_t i = 0; i < 256; i++) texts[i] = text_of("x");
    size_t n = (size_t)k->value;
    switch (k->put) {
    case INT: gguf_put_int(w, k->key, GGUF_I32, k->value); break;
    case BOOL: gguf_put_int(w, k->key, GGUF_BOOL, k->value); break;
    case FLOAT: gguf_put_float(w, k->key, GGUF_F32, 1); break;
    case STRING: gguf_put_string(w, k->key, text_of("true")); break;
    case STRINGS: gguf_put_strings(w, k->key, texts, n); break;
    case INTS: gguf_put_ints(w, k->key, GGUF_I32, ints, n); break;
    case FLOATS: gguf_put_floats(w, k->key, GGUF_F32, floats, n); break;
    }
}

static void every_key_is_used_or_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        Fault fault = {0};
        GgufWriter *w = bpe_file("gpt-2", NULL, 0, NULL, 0);
        put_key(w, &keys[i]);
        Tokenizer *t = open_file(w, &fault);
        if (!t != !!keys[i].fault)
            fail_msg("row %zu, %s: %s", i, keys[i].key, t ? "opened" : fault.text);
        if (keys[i].fault) assert_contains(fault.text, keys[i].fault);
        tokenizer_close(t);
    }
}

static void types_and_scores_are_checked(void **state) {
    static const double scores[2][2] = {{-1, -2}, {-1, INFINITY}};
    static const int64_t types[2][2] = {{TOKEN_NORMAL, TOKEN_NORMAL}, {TOKEN_NORMAL, 7}};
    Text tokens[2] = {text_of("a"), text_of("b")};
    (void)state;
    for (size_t i = 0; i < 6; i++) { /* right; a bad score; a bad type; too few of each; none */
        Fault fault = {0};
        GgufWriter *w = gguf_writer_open(NULL);
        gguf_put_string(w, T "model", text_of("llama"));
        gguf_put_string(w, T "pre", text_of("whatever")); /* has no meaning here */
        gguf_put_strings(w, T "tokens", tokens, 2);
        gguf_put_ints(w, T "token_type", GGUF_I32, types[i == 2], 2 - (i == 3));
        if (i != 5) gguf_put_floats(w, T "scores", GGUF_F32, scores[i == 1], 2 - (i == 4));
        Tokenizer *t = open_file(w, &fault);
        assert_int_equal(t != NULL, i == 0);
        if (i) assert_contains(fault.text, i == 2 || i == 3 ? "token_type" : "scores");
        tokenizer_close(t);
    }
}

static void what_the_rule_says_stands_in_for_missing_keys(void **state) {
    static const Extra words[] = {{"abc", TOKEN_NORMAL}, {"<|eot_id|>", TOKEN_CONTROL}};
    (void)state;
    Fault fault;
    Tokenizer *t = opened(bpe_file(NULL, NULL, 0, NULL, 0)); /* no pre: the default rule */
    assert_ptr_equal(t->rule, pre_rule_by_name(text_of("default")));
    assert_false(t->add_bos);
    tokenizer_close(t);
    t = opened(bpe_file("llama-bpe", words, 2, NULL, 0));
    assert_true(t->add_bos);
    check_tokens(t, "abc abc<|eot_id|>", false, "abc| |a|b|c|<|||e|o|t|_|i|d|||>");
    tokenizer_close(t);
    t = opened(bpe_file("gpt-2", words, 2, NULL, 0));
    assert_false(t->add_bos);
    check_tokens(t, "abc", false, "a|b|c");
    tokenizer_close(t);
    assert_null(open_file(bpe_file("deepseek-mm", NULL, 0, NULL, 0), &fault));
    assert_contains(fault.text, "deepseek-mm");
}

/* ------------------------------------------------------------------ merges */

static void merges_may_be_of_any_length(void **state) {
    enum { HALF = 3000 };
    static char merge[2 * HALF + 2], whole[2 * HALF + 1];
    (void)state;
    memset(merge, 'x', sizeof merge - 1);
    memset(whole, 'x', sizeof whole - 1);
    merge[HALF] = ' ';
    Extra extras[1] = {{whole, TOKEN_NORMAL}};
    Text merges[13] = {{0}};
    static char doubling[12][2 * HALF + 2];
    size_t n = 0;
    for (size_t size = 1; size < HALF; size *= 2, n++) { /* x x, xx xx, ... */
        memset(doubling[n], 'x', 2 * size + 1);
        doubling[n][size] = ' ';
        merges[n] = (Text){doubling[n], 2 * size + 1};
    }
    merges[n++] = (Text){merge, 2 * HALF + 1};
    Tokenizer *t = opened(bpe_file("gpt-2", extras, 1, merges, n));
    int32_t half = vocab_find(t, (Text){whole, HALF});
    assert_true(half >= 257); /* no token, and known to merges */
    const PairEntry *pair = vocab_pair(t, half, half);
    assert_non_null(pair);
    assert_int_equal(pair->merged, 256);
    tokenizer_close(t);
    Fault fault;
    Text bad = text_of("nospace");
    assert_null(open_file(bpe_file("gpt-2", NULL, 0, &bad, 1), &fault));
    assert_contains(fault.text, "does not have two parts");
}

static void bytes_without_a_token_are_an_error(void **state) {
    (void)state;
    Text letters[3] = {text_of("a"), text_of("b"), text_of("?")};
    for (int known = 0; known < 2; known++) {
        GgufWriter *w = gguf_writer_open(NULL);
        gguf_put_string(w, T "model", text_of("gpt2"));
        gguf_put_string(w, T "pre", text_of("gpt-2"));
        gguf_put_strings(w, T "tokens", letters, 3);
        gguf_put_strings(w, T "merges", NULL, 0);
        if (known) gguf_put_int(w, T "unknown_token_id", GGUF_U32, 2);
        Tokenizer *t = opened(w);
        TokenList list = {0};
        Fault fault;
        token_list_add(&list, 1);
        assert_int_equal(tokenizer_encode(t, text_of("abc"), false, &list, &fault), known);
        assert_int_equal(list.count, known ? 4 : 1); /* nothing, when it fails */
        if (!known) assert_contains(fault.text, "no token for the byte 0x63");
        token_list_free(&list);
        tokenizer_close(t);
    }
}

RUN(TEST(every_key_is_used_or_refused), TEST(types_and_scores_are_checked),
    TEST(what_the_rule_says_stands_in_for_missing_keys), TEST(merges_may_be_of_any_length),
    TEST(bytes_without_a_token_are_an_error))
