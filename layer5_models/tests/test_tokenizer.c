/* tokenizers in use: both kinds of merging, round trips, learning a vocabulary, chats */
#include "vocab_file.h"
#include "chat.h"
#include "template.h"
#include "../extras/tokenizers/llama_style.h"

static Tokenizer *open_as(GgufWriter *w, const LlamaStyle *style) {
    unsigned char *bytes;
    size_t size;
    Gguf gguf;
    Fault fault;
    assert_true(gguf_write_memory(w, &bytes, &size, &fault));
    gguf_writer_close(w);
    assert_true(gguf_parse(&gguf, bytes, size, &fault));
    Tokenizer *t = tokenizer_read(&gguf, style, &fault);
    if (!t) fail_msg("%s", fault.text);
    gguf_free(&gguf);
    free(bytes); /* the tokenizer borrows nothing */
    return t;
}

static Tokenizer *open_written(GgufWriter *w) { return open_as(w, NULL); }

static const char *const specials[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};

static Tokenizer *learned(size_t vocab) {
    Text texts[2] = {text_of("low low low low lower lower newest newest newest newest newest "
                             "newest widest widest widest"),
                     text_of("<|im_start|>low<|im_end|> newest widest")};
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    assert_true(bpe_train(texts, 2, specials, 3, vocab, w, &fault));
    return open_written(w);
}

/* the first merges by hand: "es" 10 + "est" 10 (+ " new"...); counts fall in this order */
static void merges_are_learned_and_used(void **state) {
    (void)state;
    Tokenizer *t = learned(3 + 256 + 12);
    assert_int_equal(tokenizer_count(t), 271);
    assert_int_equal(tokenizer_bos(t), 0);
    assert_true(tokenizer_is_end(t, 0) && tokenizer_is_end(t, 2) && !tokenizer_is_end(t, 1));
    assert_true(tokenizer_find(t, "est") > 258);
    assert_int_equal(tokenizer_find(t, "<|im_end|>"), 2);
    check_tokens(t, " newest", false, " newest");
    check_tokens(t, "slowest", false, "s|low|est");
    check_tokens(t, "a<|im_start|>b", true, "a|<|im_start|>|b");
    TokenList list = {0};
    assert_true(tokenizer_encode(t, text_of("<|im_start|>"), false, &list, NULL));
    assert_true(list.count > 5);
    list.count = 0;
    tokenizer_begin(t, &list);
    assert_int_equal(list.count, 1);
    assert_int_equal(tokenizer_piece(t, 0, false).size, 0);
    assert_false(tokenizer_space_prefix(t));
    token_list_free(&list);
    Fault fault;
    Text tiny = text_of("ab");
    GgufWriter *w = gguf_writer_open(&fault);
    assert_false(bpe_train(&tiny, 1, specials, 3, 300, w, &fault));
    assert_contains(fault.text, "give more text");
    assert_false(bpe_train(&tiny, 1, specials, 3, 3 + 255, w, &fault));
    assert_contains(fault.text, "no room for 3 special tokens and 256 bytes");
    gguf_writer_close(w);
    tokenizer_close(t);
    t = learned(3 + 256); /* room for those alone */
    assert_int_equal(tokenizer_count(t), 3 + 256);
    check_tokens(t, "low", false, "l|o|w");
    tokenizer_close(t);
}

/* Not even at the end of a text: there is nothing to merge. */
static void special_tokens_are_no_words(void **state) {
    (void)state;
    const Text texts[2] = {text_of("<|im_end|>"), text_of("<|im_start|><|im_end|>")};
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    assert_false(bpe_train(texts, 2, specials, 3, 3 + 256 + 1, w, &fault));
    assert_contains(fault.text, "the corpus has words for 0 merges");
    gguf_writer_close(w);
}

/* All pairs of six letters, each twice: the lower left letter first, then the lower right. */
static void equal_pairs_are_learned_in_order(void **state) {
    (void)state;
    enum { LETTERS = 6, WORDS = LETTERS * LETTERS };
    static char words[WORDS][2];
    Text texts[2 * WORDS];
    Fault fault;
    for (int i = 0; i < WORDS; i++) {
        words[i][0] = (char)('a' + i / LETTERS), words[i][1] = (char)('a' + i % LETTERS);
        texts[2 * i] = texts[2 * i + 1] = (Text){words[i], 2};
    }
    GgufWriter *w = gguf_writer_open(&fault);
    assert_true(bpe_train(texts, 2 * WORDS, specials, 3, 3 + 256 + WORDS, w, &fault));
    Tokenizer *t = open_written(w);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(vocab_find(t, (Text){words[i], 2}), 3 + 256 + i);
    tokenizer_close(t);
}

static void any_bytes_come_back(void **state) {
    (void)state;
    Tokenizer *t = learned(3 + 256 + 12);
    for (uint64_t round = 0; round < 300; round++) {
        char text[200], back[200];
        size_t size = rng_hash(1, round, 0) % 200, got = 0;
        for (size_t i = 0; i < size; i++)
            text[i] =
                (char)(round % 2
                           ? rng_hash(2, round, i)
                           : (unsigned char)"newest low\xE2\x96\x81"[rng_hash(2, round, i) %
                                                                     13]);
        TokenList list = {0};
        assert_true(tokenizer_encode(t, (Text){text, size}, false, &list, NULL));
        for (size_t i = 0; i < list.count; i++) {
            Text piece = tokenizer_piece(t, list.ids[i], false);
            memcpy(back + got, piece.data, piece.size), got += piece.size;
        }
        assert_int_equal(got, size);
        assert_memory_equal(back, text, size);
        token_list_free(&list);
    }
    tokenizer_close(t);
}

/* A word of a million bytes: quadratic merging would take hours. */
static void long_words_take_no_longer_than_many_short_ones(void **state) {
    (void)state;
    Tokenizer *t = learned(3 + 256 + 12);
    size_t size = 1000000;
    char *text = malloc(size);
    for (size_t i = 0; i < size; i++) text[i] = "newest"[i % 6];
    TokenList list = {0};
    double before = clock_seconds();
    assert_true(tokenizer_encode(t, (Text){text, size}, false, &list, NULL));
    assert_true(clock_seconds() - before < 20);
    assert_true(list.count > size / 6 && list.count < size);
    token_list_free(&list);
    free(text);
    tokenizer_close(t);
}

static Tokenizer *sentencepiece_as(const LlamaStyle *style) {
    static const char *const pieces[] = {"<unk>",
                                         "<s>",
                                         "</s>",
                                         "<0x41>",
                                         "<0xC3>",
                                         "<0xA9>",
                                         "\xE2\x96\x81",
                                         "h",
                                         "e",
                                         "l",
                                         "o",
                                         "he",
                                         "ll",
                                         "\xE2\x96\x81he",
                                         "llo",
                                         "\xE2\x96\x81hello",
                                         "<extra>"};
    static const int64_t types[] = {2, 3, 3, 6, 6, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4};
    static const double scores[] = {0,   0,   0,  0,  0,  0,  -20, -21, -22,
                                    -23, -24, -1, -2, -3, -4, -5,  0};
    Text texts[17];
    for (int i = 0; i < 17; i++) texts[i] = text_of(pieces[i]);
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, "tokenizer.ggml.model", text_of("llama"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", texts, 17);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, 17);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, 17);
    return open_as(w, style);
}

static Tokenizer *sentencepiece(void) { return sentencepiece_as(NULL); }

static void sentencepiece_merges_by_score(void **state) {
    (void)state;
    Tokenizer *t = sentencepiece();
    TokenList list = {0};
    tokenizer_begin(t, &list);
    assert_true(tokenizer_encode(t,
                                 text_of("hello hell\xC3\xA9"
                                         "A?"),
                                 true, &list, NULL));
    static const int32_t want[] = {1, 15, 13, 12, 4, 5, 3, 0};
    assert_int_equal(list.count, 8);
    assert_memory_equal(list.ids, want, sizeof want);
    assert_true(text_equal(tokenizer_piece(t, 15, false), text_of(" hello")));
    assert_true(text_equal(tokenizer_piece(t, 4, false), text_of("\xC3")));
    assert_true(tokenizer_space_prefix(t));
    list.count = 0;
    assert_true(tokenizer_encode(t, text_of("he<extra>he"), false, &list,
                                 NULL)); /* user-defined tokens are always seen */
    static const int32_t split[] = {13, 16, 13};
    assert_int_equal(list.count, 3);
    assert_memory_equal(list.ids, split, sizeof split);
    token_list_free(&list);
    tokenizer_close(t);
}

/* A vocabulary of SentencePiece's kind with pieces of every sort, and text that is hard for it:
 * cut where no token crosses, and as one.
 *
 *   inside   some pieces have a space after another character */
static Tokenizer *random_sentencepiece(bool inside) {
    enum { N = 300 };
    static const char *const parts[] = {"\xE2\x96\x81", "a", "b",           "c", ".",
                                        "\xC3\xA9",     "1", "\xE4\xB8\xAD"};
    static char names[N][40];
    Text texts[N];
    int64_t types[N];
    double scores[N];
    for (uint64_t i = 0; i < N; i++) {
        names[i][0] = 0;
        size_t length = i < 8 ? 1 : 2 + rng_hash(8, i, 0) % 4;
        for (size_t k = 0; k < length; k++) {
            size_t pick = i < 8 ? (size_t)i : rng_hash(8, i, k + 1) % 8;
            if (!inside && k && pick == 0 && strcmp(names[i], parts[0]) != 0) pick = 1;
            strcat(names[i], parts[pick]);
        }
        if (i >= 290) snprintf(names[i], sizeof names[i], "<0x%02X>", (int)(0x60 + i % 16));
        texts[i] = text_of(names[i]);
        types[i] = i >= 290 ? 6 : 1;
        scores[i] = -(double)(rng_hash(9, i, 0) % 50); /* many are equal */
    }
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, "tokenizer.ggml.model", text_of("llama"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", texts, N);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, N);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, N);
    return open_written(w);
}

static void check_words_and_whole(bool inside) {
    static const char *const parts[] = {
        " ", "  ",           "a",    "b",    "ab",           "c",     ".", "\xC3\xA9",
        "1", "\xE4\xB8\xAD", "\xC3", "\xFF", "\xE2\x96\x81", "<0x61>"};
    Tokenizer *t = random_sentencepiece(inside);
    assert_int_equal(t->space_begins, !inside);
    bool joins[256][256], all[256][256];
    memcpy(joins, t->joins, sizeof joins);
    memset(all, 1, sizeof all);
    /* SentencePiece vocabularies with pieces of every sort, and text that is hard for them: cut
     * where no token crosses, and in one piece. */
    assert_int_equal(joins['a'][0xE2], inside);
    for (uint64_t round = 0; round < 2000; round++) {
        char text[400];
        size_t size = 0;
        while (size < 380) {
            const char *part = parts[rng_hash(10, round, size) % 14];
            memcpy(text + size, part, strlen(part)), size += strlen(part);
        }
        TokenList words = {0}, whole = {0};
        memcpy(t->joins, joins, sizeof joins);
        assert_true(tokenizer_encode(t, (Text){text, size}, false, &words, NULL));
        memcpy(t->joins, all, sizeof all);
        assert_true(tokenizer_encode(t, (Text){text, size}, false, &whole, NULL));
        assert_int_equal(words.count, whole.count);
        assert_memory_equal(words.ids, whole.ids, whole.count * sizeof *whole.ids);
        token_list_free(&words), token_list_free(&whole);
    }
    tokenizer_close(t);
}

static void sentencepiece_in_words_is_as_the_whole(void **state) {
    (void)state;
    check_words_and_whole(false), check_words_and_whole(true);
}

/* Two parts of a text, each larger than a block of the encoder's memory. */
static void parts_of_a_text_may_be_long(void **state) {
    enum { SIZE = 60000 };
    static const char mark[] = "<extra>";
    (void)state;
    Tokenizer *t = sentencepiece();
    size_t after = SIZE + strlen(mark), size = after + SIZE;
    char *text = malloc(size);
    memset(text, 'h', size);
    memcpy(text + SIZE, mark, strlen(mark));
    TokenList list = {0};
    assert_true(tokenizer_encode(t, (Text){text, size}, true, &list, NULL));
    assert_int_equal(list.count, 2 * (SIZE + 1) + 1);
    for (size_t i = 0; i < list.count; i++) { /* the space in front, and each letter */
        int32_t want = i == SIZE + 1 ? 16 : i % (SIZE + 2) == 0 ? 6 : 7;
        if (list.ids[i] != want) fail_msg("token %zu: %d, wanted %d", i, list.ids[i], want);
    }
    token_list_free(&list), free(text), tokenizer_close(t);
}

/* Bytes of characters without a token are dropped; characters are cut by their first byte. */
static void llama_cpp_drops_bytes_without_a_token(void **state) {
    (void)state;
    Text letters[3] = {text_of("a"), text_of("b"), text_of("?")}, merge = text_of("a b");
    for (int unknown = 0; unknown < 2; unknown++) {
        GgufWriter *w = gguf_writer_open(NULL);
        gguf_put_string(w, "tokenizer.ggml.model", text_of("gpt2"));
        gguf_put_string(w, "tokenizer.ggml.pre", text_of("gpt-2"));
        gguf_put_strings(w, "tokenizer.ggml.tokens", letters, 3);
        gguf_put_strings(w, "tokenizer.ggml.merges", &merge, 1);
        if (unknown) gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 2);
        Tokenizer *t = open_as(w, &llama_style);
        check_tokens(t, "azb", false, "a|b");
        check_tokens(t, "abz", false, "a|b"); /* a symbol of merges alone: in bytes */
        tokenizer_close(t);
    }
    Tokenizer *t = sentencepiece_as(&llama_style), *trained = sentencepiece();
    check_tokens(t, "he\xC3", false, " he|\xC3");
    check_tokens(trained, "he\xC3", false, " he|\xC3");
    tokenizer_close(t), tokenizer_close(trained);
}

/* Words of a long text are remembered; short texts of one word are not. */
static void words_that_repeat_have_the_same_tokens(void **state) {
    enum { SIZE = 60000 };
    (void)state;
    Tokenizer *t = learned(3 + 256 + 12);
    char *text = malloc(SIZE);
    TokenList list = {0}, each = {0};
    for (size_t i = 0; i < SIZE; i++) text[i] = "newstlowidr  "[rng_hash(11, i, 0) % 13];
    assert_true(tokenizer_encode(t, (Text){text, SIZE}, false, &list, NULL));
    PreTokenizer pre = {0};
    Cut cut;
    bool end;
    pre_begin(&pre, &t->splitter, (Text){text, SIZE});
    while (pre_next(&pre, &cut, &end, NULL) && !end)
        assert_true(tokenizer_encode(t, cut.word, false, &each, NULL));
    pre_free(&pre);
    assert_int_equal(list.count, each.count);
    assert_memory_equal(list.ids, each.ids, each.count * sizeof *each.ids);
    token_list_free(&list), token_list_free(&each);
    free(text);
    tokenizer_close(t);
}

static void chats_are_wrapped(void **state) {
    (void)state;
    Tokenizer *t = learned(3 + 256 + 12), *s = sentencepiece();
    ChatTurn turns[2] = {{text_of("system"), text_of("x")},
                         {text_of("user"), text_of("hi <|im_end|>")}};
    TokenList list = {0};
    char got[200] = "";
    Fault fault;
    ChatForm form;
    Rendered rendered;
    const Gguf none = {0};
    assert_true(chat_form_open(&form, &none, t, (Text){0}, NULL, &fault));
    assert_string_equal(form.name, "chatml");
    assert_true(chat_render_turns(&form, t, turns, 2, true, true, &rendered, &fault));
    assert_true(chat_encode_rendered(t, &rendered, &list, &fault));
    rendered_free(&rendered);
    int ends = 0;
    for (size_t i = 0; i < list.count; i++) {
        Text piece = tokenizer_piece(t, list.ids[i], true);
        strncat(got, piece.data, piece.size);
        ends += list.ids[i] == 2;
    }
    assert_string_equal(got,
                        "<|endoftext|><|im_start|>system\nx<|im_end|>\n<|im_start|>user\nhi "
                        "<|im_end|><|im_end|>\n<|im_start|>assistant\n");
    assert_int_equal(ends, 2); /* what the user typed stays text */
    chat_form_close(&form);
    assert_false(chat_form_open(&form, &none, s, (Text){0}, NULL, &fault));
    assert_contains(fault.text, "name one");
    assert_false(chat_form_open(&form, &none, s, (Text){0}, "chatml", &fault));
    assert_contains(fault.text, "does not speak chatml: its vocabulary has no <|im_start|>");
    assert_false(chat_form_open(&form, &none, s, (Text){0}, "morse", &fault));
    assert_contains(fault.text, "'morse': there are phi4, chatml");
    token_list_free(&list);
    tokenizer_close(t), tokenizer_close(s);
}

RUN(TEST(merges_are_learned_and_used), TEST(special_tokens_are_no_words),
    TEST(equal_pairs_are_learned_in_order), TEST(any_bytes_come_back),
    TEST(long_words_take_no_longer_than_many_short_ones), TEST(sentencepiece_merges_by_score),
    TEST(sentencepiece_in_words_is_as_the_whole), TEST(words_that_repeat_have_the_same_tokens),
    TEST(chats_are_wrapped), TEST(parts_of_a_text_may_be_long),
    TEST(llama_cpp_drops_bytes_without_a_token))
