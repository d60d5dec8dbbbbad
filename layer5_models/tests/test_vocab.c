/* what a file says about its tokenizer: keys used or refused, merges of any length */
#include "vocab_file.h"

/* ------------------------------------------------------------------ keys */

typedef enum Put { INT, BOOL, FLOAT, STRING, STRINGS, INTS, FAR, FLOATS } Put;

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
    {T "eot_token_id", BOOL, 1, "is true, wanted the id of a token"},
    {T "eot_token_id", BOOL, 0, "is false, wanted the id of a token"},
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
    {T "suppress_tokens", INTS, 1, NULL},
    {T "suppress_tokens", INT, 1, "wanted an array of ids of tokens"},
    {T "suppress_tokens", FAR, 1, "wanted an array of ids of tokens"},
    {T "suppress_tokens", FAR, 2, "wanted an array of ids of tokens"},
    {T "suppress_tokens", STRINGS, 1, "wanted an array of ids of tokens"},
    {T "scores", INT, 1, "one finite number for each token"},
    {"tokenizer.chat_templates", STRING, 2, "chat_templates' is of the type string, wanted"},
    {"tokenizer.chat_templates", INTS, 2, "is an array of 2 i32, wanted"},
    {"tokenizer.chat_template.tool_use", INT, 2, "is unknown"},
    {"tokenizer.a_name_of_more_than_eighty_bytes_which_is_cut_where_the_message_names_it_so_"
     "that_"
     "it_stays_short",
     INT, 2, "the_message_names_' is unknown"},
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
    case FAR: gguf_put_ints(w, k->key, GGUF_I32, (int64_t[]){n == 1 ? -1 : 256}, 1); break;
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
    for (size_t i = 0; i < 7;
         i++) { /* right; a bad score, type; too few of each; none; no list */
        Fault fault = {0};
        GgufWriter *w = gguf_writer_open(NULL);
        gguf_put_string(w, T "model", text_of("llama"));
        gguf_put_string(w, T "pre", text_of("whatever")); /* has no meaning here */
        gguf_put_strings(w, T "tokens", tokens, 2);
        if (i == 6)
            gguf_put_int(w, T "token_type", GGUF_I32, 1);
        else
            gguf_put_ints(w, T "token_type", GGUF_I32, types[i == 2], 2 - (i == 3));
        if (i != 5) gguf_put_floats(w, T "scores", GGUF_F32, scores[i == 1], 2 - (i == 4));
        Tokenizer *t = open_file(w, &fault);
        assert_int_equal(t != NULL, i == 0);
        bool type = i == 2 || i == 3 || i == 6;
        if (i) assert_contains(fault.text, type ? "token_type" : "scores");
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
    /* a whole word that is a control token, or only a part of merges, is no shortcut */
    static const Extra control[] = {{"abc", TOKEN_CONTROL}};
    Text merge = text_of("a b");
    t = opened(bpe_file("llama-bpe", control, 1, &merge, 1));
    check_tokens(t, "abc", false, "a|b|c");
    check_tokens(t, "ab", false, "a|b");
    assert_true(vocab_find(t, text_of("ab")) >= 257); /* known to merges alone */
    assert_int_equal(tokenizer_find(t, "ab"), -1);
    assert_int_equal(tokenizer_find(t, "abc"), 256);
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
    bad = text_of("x");
    assert_null(open_file(bpe_file("gpt-2", NULL, 0, &bad, 1), &fault));
    assert_contains(fault.text, "merge 0, 'x', does not have two parts");
    bad = text_of("a_part_of_more_than_forty_bytes_without_a_space");
    assert_null(open_file(bpe_file("gpt-2", NULL, 0, &bad, 1), &fault));
    assert_contains(fault.text, "'a_part_of_more_than_forty_bytes_without_', does");
    static const Extra same[] = {
        {"ab", TOKEN_NORMAL}, {"ab", TOKEN_NORMAL}, {"abc", TOKEN_NORMAL}};
    Text parts[2] = {text_of("a b"), text_of("ab c")}; /* of two equal tokens the first one */
    t = opened(bpe_file("gpt-2", same, 3, parts, 2));
    assert_int_equal(vocab_pair(t, 'a', 'b')->merged, 256);
    assert_int_equal(vocab_pair(t, 256, 'c')->merged, 258);
    tokenizer_close(t);
    static const Extra both[] = {{"ab", TOKEN_NORMAL}, {"bc", TOKEN_NORMAL}};
    Text order[2] = {text_of("b c"), text_of("a b")}; /* the first learned goes first */
    t = opened(bpe_file("gpt-2", both, 2, order, 2));
    check_tokens(t, "abc", false, "a|bc");
    check_tokens(t, "abb", false, "ab|b");
    tokenizer_close(t);
    static const Extra chain[] = {{"bc", TOKEN_NORMAL}, {"abc", TOKEN_NORMAL}};
    Text leftward[2] = {text_of("b c"), text_of("a bc")}; /* with the neighbour before it */
    t = opened(bpe_file("gpt-2", chain, 2, leftward, 2));
    check_tokens(t, "aabca", false, "a|abc|a");
    tokenizer_close(t);
    Text twice[3] = {text_of("a b"), text_of("b c"), text_of("a b")}; /* the first rank stays */
    t = opened(bpe_file("gpt-2", NULL, 0, twice, 3));
    assert_int_equal(vocab_pair(t, 'a', 'b')->rank, 0);
    tokenizer_close(t);
}

/* <|end|> ends no text where calls and returns (or flushes) have marks of their own. */
static void ends_with_exceptions(void **state) {
    static const struct {
        const char *call, *back;
        bool ends;
    } cases[] = {{"<|call|>", "<|return|>", false}, {"<|calls|>", "<|flush|>", false},
                 {"<|call|>", "<|flush|>", false},  {"<|call|>", "x", true},
                 {"x", "<|return|>", true},         {"x", "y", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Extra words[3] = {{"<|end|>", TOKEN_CONTROL},
                          {cases[i].call, TOKEN_CONTROL},
                          {cases[i].back, TOKEN_CONTROL}};
        Tokenizer *t = opened(bpe_file("gpt-2", words, 3, NULL, 0));
        assert_int_equal(tokenizer_is_end(t, 256), cases[i].ends);
        tokenizer_close(t);
    }
}

static void bytes_are_named_in_hexadecimal(void **state) {
    static const struct {
        const char *name;
        int byte;
    } cases[] = {{"<0x00>", 0},  {"<0xFF>", 255}, {"<0x9A>", 154}, {"<0xGA>", -1},
                 {"<0xAG>", -1}, {"<0xaa>", -1},  {"<0x0>", -1},   {"<0x00]", -1},
                 {"[0x00>", -1}, {"<0x/0>", -1},  {"<0x:0>", -1},  {"<0x@0>", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(hex_byte(text_of(cases[i].name)), cases[i].byte);
}

/* Phi 3 by its name, in any case, if it is in the first 63 bytes. */
static void white_space_after_a_mark(void **state) {
    static const struct {
        const char *name;
        bool eaten;
    } cases[] = {
        {"Phi-3 mini", true},
        {"a PHI3", true},
        {"Phi 4", false},
        {"", false},
        {"a name of so many bytes that what it says comes after its end: Phi-3", false}};
    static const Extra words[] = {{"<|mark|>", TOKEN_CONTROL}, {"<s>", TOKEN_CONTROL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GgufWriter *w = bpe_file("gpt-2", words, 2, NULL, 0);
        gguf_put_string(w, "general.name", text_of(cases[i].name));
        Tokenizer *t = opened(w);
        check_tokens(t, "<|mark|> \n", true, cases[i].eaten ? "<|mark|>" : "<|mark|>| |\n");
        check_tokens(t, "<s> a", true, "<s>| |a");
        tokenizer_close(t);
    }
}

/* A vocabulary of some letters, of the kind gpt2. */
static GgufWriter *letters_file(const char *pre, const Text *letters, size_t count,
                                const Text *merges, size_t n_merges) {
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, T "model", text_of("gpt2"));
    gguf_put_string(w, T "pre", text_of(pre));
    gguf_put_strings(w, T "tokens", letters, count);
    gguf_put_strings(w, T "merges", merges, n_merges);
    return w;
}

static void tokens_are_a_list_of_strings(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        Fault fault = {0};
        GgufWriter *w = gguf_writer_open(NULL);
        gguf_put_string(w, T "model", text_of("gpt2"));
        if (i == 0) gguf_put_string(w, T "tokens", text_of("a"));
        if (i == 1) gguf_put_ints(w, T "tokens", GGUF_I32, (int64_t[]){1, 2}, 2);
        if (i == 2) gguf_put_strings(w, T "tokens", NULL, 0);
        assert_null(open_file(w, &fault));
        assert_contains(fault.text,
                        "tokenizer.ggml.tokens' is missing or not an array of strings");
    }
}

static void the_first_token_may_be_a_whole_word(void **state) {
    (void)state;
    const Text words[3] = {text_of("ab"), text_of("a"), text_of("b")};
    Tokenizer *t = opened(letters_file("llama-bpe", words, 3, NULL, 0));
    check_tokens(t, "ab", false, "ab");
    check_tokens(t, "ba", false, "b|a");
    tokenizer_close(t);
}

/* The file asks for a BOS token, and no key or default names one. */
static void without_a_bos_token_none_is_added(void **state) {
    (void)state;
    const Text letters[2] = {text_of("a"), text_of("b")};
    GgufWriter *w = letters_file("gpt-2", letters, 2, NULL, 0);
    gguf_put_int(w, T "add_bos_token", GGUF_BOOL, 1);
    Tokenizer *t = opened(w);
    TokenList list = {0};
    assert_true(t->add_bos);
    assert_int_equal(tokenizer_bos(t), -1);
    tokenizer_begin(t, &list);
    assert_int_equal(list.count, 0);
    tokenizer_close(t);
}

static void bytes_without_a_token_are_an_error(void **state) {
    (void)state;
    Text letters[3] = {text_of("a"), text_of("b"), text_of("?")};
    for (int known = 0; known < 2; known++) {
        GgufWriter *w = letters_file("gpt-2", letters, 3, NULL, 0);
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
    /* a symbol of merges is spelled in bytes, of which the first token may be one */
    Text merge = text_of("a b");
    GgufWriter *w = letters_file("gpt-2", letters, 3, &merge, 1);
    gguf_put_int(w, T "unknown_token_id", GGUF_U32, 2);
    Tokenizer *t = opened(w);
    check_tokens(t, "abc", false, "a|b|?");
    tokenizer_close(t);
}

RUN(TEST(every_key_is_used_or_refused), TEST(types_and_scores_are_checked),
    TEST(what_the_rule_says_stands_in_for_missing_keys), TEST(merges_may_be_of_any_length),
    TEST(ends_with_exceptions), TEST(bytes_are_named_in_hexadecimal),
    TEST(white_space_after_a_mark), TEST(bytes_without_a_token_are_an_error),
    TEST(tokens_are_a_list_of_strings), TEST(the_first_token_may_be_a_whole_word),
    TEST(without_a_bos_token_none_is_added))
