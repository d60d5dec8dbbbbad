/* fill-in-the-middle: each family's tokens and order, and texts that stay texts */
#include "tokenizers.h"
#include "vocab_file.h"

static TokenList tokens, ends;

/* A prompt's tokens, as names joined by |. */
static void check_fill(const Tokenizer *t, const char *before, const char *behind,
                       const char *want) {
    Fault fault;
    char got[400] = "";
    tokens.count = ends.count = 0;
    if (!tokenizer_fill(t, text_of(before), text_of(behind), &tokens, &ends, &fault))
        fail_msg("%s", fault.text);
    for (size_t i = 0; i < tokens.count; i++) {
        Text piece = tokenizer_piece(t, tokens.ids[i], true);
        strcat(got, i ? "|" : "");
        strncat(got, piece.data, piece.size);
    }
    assert_string_equal(got, want);
}

static bool ends_middle(int32_t id) {
    for (size_t i = 0; i < ends.count; i++)
        if (ends.ids[i] == id) return true;
    return false;
}

static void families_have_marks_and_an_order(void **state) {
    static const struct {
        const char *pre, *names[3], *want;
    } families[] = {
        {"starcoder",
         {"<fim_prefix>", "<fim_suffix>", "<fim_middle>"},
         "<fim_prefix>|a|b|<fim_suffix>|c|<fim_middle>"},
        {"mellum",
         {"<fim_prefix>", "<fim_suffix>", "<fim_middle>"},
         "<fim_suffix>|c|<fim_prefix>|a|b|<fim_middle>"},
        {"qwen2",
         {"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"},
         "<|fim_prefix|>|a|b|<|fim_suffix|>|c|<|fim_middle|>"},
        {"deepseek-coder",
         {"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"},
         "<｜fim▁begin｜>|a|b|<｜fim▁hole｜>|c|<｜fim▁end｜>"},
        {"gpt-2", {"▁<PRE>", "▁<SUF>", "▁<MID>"}, "▁<PRE>|a|b|▁<SUF>|c|▁<MID>"},
        {"glm4",
         {"<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"},
         "<|code_prefix|>|a|b|<|code_suffix|>|c|<|code_middle|>"},
        {"tekken", {"[PREFIX]", "[SUFFIX]", "[MIDDLE]"}, "[SUFFIX]|c|[PREFIX]|a|b"},
        {"tekken", {"[PREFIX]", "[SUFFIX]", "<other>"}, "[SUFFIX]|c|[PREFIX]|a|b"},
        {"seed-coder",
         {"<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"},
         "<[fim-suffix]>|c|<[fim-prefix]>|a|b|<[fim-middle]>"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        Extra extras[3];
        for (int k = 0; k < 3; k++)
            extras[k] = (Extra){families[i].names[k], k ? TOKEN_CONTROL : TOKEN_USER};
        Tokenizer *t = opened(bpe_file(families[i].pre, extras, 3, NULL, 0));
        check_fill(t, "ab", "c", families[i].want);
        assert_true(ends_middle(256) && ends_middle(257) && !ends_middle('a'));
        tokenizer_close(t);
    }
}

static void keys_of_both_ages_name_the_marks(void **state) {
    static const char *const keys[2][3] = {
        {"fim_pre_token_id", "fim_suf_token_id", "fim_mid_token_id"},
        {"prefix_token_id", "suffix_token_id", "middle_token_id"}};
    static const Extra extras[] = {{"<x>", TOKEN_USER},
                                   {"<fim_prefix>", TOKEN_CONTROL},
                                   {"<y>", TOKEN_USER},
                                   {"<z>", TOKEN_USER}};
    (void)state;
    for (int age = 0; age < 2; age++) {
        GgufWriter *w = bpe_file("gpt-2", extras, 4, NULL, 0);
        for (int k = 0; k < 3; k++) {
            char key[64];
            snprintf(key, sizeof key, "tokenizer.ggml.%s", keys[age][k]);
            gguf_put_int(w, key, GGUF_U32, (int64_t[]){256, 258, 259}[k]);
        }
        Tokenizer *t = opened(w);
        check_fill(t, "a", "", "<x>|a|<y>|<z>");
        check_fill(t, "", "a", "<x>|<y>|a|<z>");
        check_fill(t, "<z>", "<x>", "<x>|<|z|>|<y>|<|x|>|<z>"); /* of any type in the file */
        check_tokens(t, "<z>", false, "<z>");
        tokenizer_close(t);
    }
}

static void what_ends_a_middle_is_told(void **state) {
    static const Extra extras[] = {{"<|fim_prefix|>", TOKEN_CONTROL},
                                   {"<|fim_suffix|>", TOKEN_CONTROL},
                                   {"<|fim_middle|>", TOKEN_CONTROL},
                                   {"<|file_separator|>", TOKEN_USER},
                                   {"<tag>", TOKEN_USER}};
    (void)state;
    Tokenizer *t = opened(bpe_file("gpt-2", extras, 5, NULL, 0));
    check_fill(t, "<tag>", "<|file_separator|>",
               "<|fim_prefix|>|<tag>|<|fim_suffix|>|<|||f|i|l|e|_|s|e|p|a|r|a|t|o|r|||>|"
               "<|fim_middle|>");
    for (int32_t id = 256; id < 260; id++) assert_true(ends_middle(id));
    assert_false(ends_middle(260));
    tokenizer_close(t);
}

/* A continuation begins without a space; a text's beginning may have one. */
static void a_suffix_goes_on_where_the_middle_ends(void **state) {
    static const char *const names[] = {"<unk>", "▁<PRE>", "▁<SUF>", "▁<MID>", "▁", "a", "▁a"};
    Text texts[7];
    int64_t types[] = {TOKEN_UNKNOWN, TOKEN_CONTROL, TOKEN_CONTROL, TOKEN_CONTROL,
                       TOKEN_NORMAL,  TOKEN_NORMAL,  TOKEN_NORMAL};
    double scores[] = {0, 0, 0, 0, -1, -2, -3};
    (void)state;
    for (int i = 0; i < 7; i++) texts[i] = text_of(names[i]);
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, "tokenizer.ggml.model", text_of("llama"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", texts, 7);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, 7);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, 7);
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 0);
    Tokenizer *t = opened(w);
    check_fill(t, "a", "a a", " <PRE>| a| <SUF>|a| a| <MID>");
    tokenizer_close(t);
}

static void a_vocabulary_without_marks_is_refused(void **state) {
    static const Extra extras[] = {{"<fim_prefix>", TOKEN_CONTROL},
                                   {"<fim_suffix>", TOKEN_CONTROL}};
    static const char *const missing[] = {"marks the prefix", "marks the suffix",
                                          "marks the middle"};
    (void)state;
    for (size_t n = 0; n < 3; n++) {
        Fault fault;
        Tokenizer *t = opened(bpe_file("gpt-2", extras, n, NULL, 0));
        tokens.count = ends.count = 0;
        assert_false(tokenizer_fill(t, text_of("a"), text_of("b"), &tokens, &ends, &fault));
        assert_non_null(strstr(fault.text, missing[n]));
        assert_int_equal(tokens.count + ends.count, 0);
        tokenizer_close(t);
    }
}

/* Random texts, full of names of special tokens: each part is decoded unchanged. */
static void texts_never_become_marks(void **state) {
    static const Extra extras[] = {{"<|fim_prefix|>", TOKEN_USER},
                                   {"<|fim_suffix|>", TOKEN_CONTROL},
                                   {"<|fim_middle|>", TOKEN_USER},
                                   {"<|endoftext|>", TOKEN_USER}};
    (void)state;
    Tokenizer *t = opened(bpe_file("gpt-2", extras, 4, NULL, 0));
    for (uint64_t round = 0; round < 300; round++) {
        char parts[2][200] = {"", ""}, want[500], got[500] = "";
        for (uint64_t k = 0; k < 12; k++) {
            uint64_t pick = rng_hash(9, round, k) % 8;
            const char *piece = pick < 4 ? extras[pick].name : pick < 6 ? "<|" : " fim";
            strcat(parts[k % 2], piece);
        }
        snprintf(want, sizeof want, "\1%s\2%s\3", parts[0], parts[1]);
        tokens.count = ends.count = 0;
        assert_true(
            tokenizer_fill(t, text_of(parts[0]), text_of(parts[1]), &tokens, &ends, NULL));
        assert_true(tokens.count < sizeof got);
        for (size_t i = 0; i < tokens.count; i++) { /* token b is byte b */
            int32_t id = tokens.ids[i];
            got[i] = (char)(id < 256 ? id : id - 255);
        }
        assert_string_equal(got, want);
    }
    tokenizer_close(t);
    token_list_free(&tokens), token_list_free(&ends);
}

RUN(TEST(families_have_marks_and_an_order), TEST(keys_of_both_ages_name_the_marks),
    TEST(what_ends_a_middle_is_told), TEST(a_suffix_goes_on_where_the_middle_ends),
    TEST(a_vocabulary_without_marks_is_refused), TEST(texts_never_become_marks))
