/* test_convert_words.c - vocabularies that are published and converted back: Unigram and WordPiece. */
#include "convert_case.h"

/* A table that writes a tab as a space: the root's way is 256, each entry's way leads to its replacement. */
static size_t make_charsmap(int64_t out[2100]) {
    uint32_t entries[512] = {256u << 10};
    entries[256 ^ '\t'] = '\t' | 1 << 8 | 3u << 10;
    entries[256 ^ '\t' ^ 3] = 0x80000000u;
    size_t size = 0;
    for (size_t k = 0; k < 4; k++) out[size++] = sizeof entries >> 8 * k & 255;
    for (size_t i = 0; i < 4 * 512; i++) out[size++] = entries[i / 4] >> 8 * (i % 4) & 255;
    return out[size++] = ' ', out[size++] = 0, size;
}

/* The model of in.gguf with other words: letters, a few pieces, as many as it has rows. */
static void give_unigram(bool map, bool merge) {
    static char names[MAKE_VOCAB][24];
    static int64_t bytes[2100];
    static const char *const first[] = {"<unk>",    "<s>", "</s>", "\u2581",
                                        "\u2581he", "llo", "he",   "<tag>"};
    Text tokens[MAKE_VOCAB];
    int64_t types[MAKE_VOCAB];
    double scores[MAKE_VOCAB];
    Model in;
    Fault fault;
    open_at(&in, in_folder("in.gguf"));
    GgufWriter *w = gguf_writer_open(&fault);
    for (size_t i = 0; i < in.gguf.n_pairs; i++)
        if (memmem(in.gguf.pairs[i].key.data, 10, "tokenizer.", 10) == NULL)
            gguf_put_pair(w, &in.gguf.pairs[i]);
    for (size_t i = 0; i < MAKE_VOCAB; i++) {
        bool letter = i >= 8 && i < 34;
        snprintf(names[i], sizeof *names,
                 i < 8    ? "%s"
                 : letter ? "%s%c"
                          : "%s%c%zu",
                 i < 8 ? first[i] : "", letter ? (int)('a' + i - 8) : 'x', i);
        tokens[i] = text_of(names[i]);
        types[i] = i == 0 ? TOKEN_UNKNOWN : i < 3 ? TOKEN_CONTROL : i == 7 ? TOKEN_USER : 1;
        scores[i] = i < 3 ? 0 : -1 - (double)i / 8;
    }
    gguf_put_string(w, "tokenizer.ggml.model", text_of("t5"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", tokens, MAKE_VOCAB);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, MAKE_VOCAB);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, MAKE_VOCAB);
    if (map)
        gguf_put_ints(w, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, bytes,
                      make_charsmap(bytes));
    gguf_put_int(w, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, 1);
    gguf_put_int(w, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL, merge);
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 0);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 1);
    gguf_put_int(w, "tokenizer.ggml.eos_token_id", GGUF_U32, 2);
    gguf_put_int(w, "tokenizer.ggml.add_bos_token", GGUF_BOOL, 0);
    for (size_t i = 0; i < in.gguf.n_tensors; i++) {
        const GgufTensor *t = &in.gguf.tensors[i];
        char name[100];
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        const Tensor tensor = gguf_tensor_view(t);
        gguf_put_tensor(w, name, &tensor);
    }
    assert_true(gguf_write_file(w, in_folder("words.gguf"), &fault));
    gguf_writer_close(w);
    model_close(&in);
    assert_int_equal(rename(in_folder("words.gguf"), in_folder("in.gguf")), 0);
}

/* Every key of the words of the one in the other, byte by byte. */
static void same_words(const char *how) {
    Model a, b;
    open_at(&a, in_folder("in.gguf")), open_at(&b, in_folder("out.gguf"));
    for (size_t i = 0; i < a.gguf.n_pairs; i++) {
        const GgufPair *x = &a.gguf.pairs[i], *y;
        char key[100];
        snprintf(key, sizeof key, "%.*s", (int)x->key.size, x->key.data);
        if (strncmp(key, "tokenizer.", 10) != 0) continue;
        y = gguf_find(&b.gguf, key);
        if (!y || y->type != x->type || y->item != x->item || y->count != x->count ||
            memcmp(x->data, y->data, min_size(x->count, 200)) != 0)
            fail_msg("%s: %s is %s", how, key, y ? "another" : "missing");
    }
    const char *text = "hello\thello  z <tag>\xC3\xA9";
    TokenList x = {0}, y = {0};
    Fault fault;
    assert_true(tokenizer_encode(a.tokenizer, text_of(text), true, &x, &fault));
    assert_true(tokenizer_encode(b.tokenizer, text_of(text), true, &y, &fault));
    assert_int_equal(x.count, y.count);
    assert_memory_equal(x.ids, y.ids, x.count * sizeof *x.ids);
    token_list_free(&x), token_list_free(&y);
    model_close(&a), model_close(&b);
}

static void unigram_words(void **state) {
    (void)state;
    static const char *const words[] = {"--words json", "--words model"};
    if (!has_python()) skip();
    MakeModel m = make_model_of("llama", NULL);
    for (int i = 0; i < 6; i++) {
        bool map = i / 2 != 1, merge = i / 2 == 2;
        write_model(&m);
        give_unigram(map, merge);
        publish("LlamaForCausalLM", words[i % 2]);
        convert_back(words[i % 2], NULL);
        same_words(words[i % 2]), same_results(words[i % 2]);
    }
}

static const struct {
    const char *old, *new, *says;
} word_edits[] = {
    {"\"byte_fallback\": false", "\"byte_fallback\": true", "byte_fallback"},
    {"\"byte_fallback\": false", "\"byte_fallback\": 1", "byte_fallback"},
    {"\"unk_id\": 0", "\"unk_id\": null", "without an unk_id"},
    {"\"unk_id\": 0", "\"unk_id\": 258", "unk_id is 258"},
    {"[\"<unk>\", ", "[\"<unk>\", 1, ", "piece 0 is no pair"},
    {"\"Metaspace\"", "\"Metaspase\"", "'Metaspase'"},
    {"\"type\": \"Precompiled\"", "\"type\": \"NFKC\"", "'NFKC'"},
    {"\"precompiled_charsmap\": \"", "\"precompiled_charsmap\": \"=A==", "no base64"},
    {"\"precompiled_charsmap\": \"AAgA", "\"precompiled_charsmap\": \"////",
     "cut short or no such table"},
    {"{\"type\": \"Precompiled\"", "{\"type\": \"Sequence\"", "'Sequence'"},
    {"\"prepend_scheme\": \"always\"", "\"prepend_scheme\": \"never\"",
     "WhitespaceSplit without"},
};

static void refuses_words(void **state) {
    (void)state;
    const Convert how = {0};
    if (!has_python()) skip();
    MakeModel m = make_model_of("llama", NULL);
    write_model(&m);
    give_unigram(true, true);
    for (size_t i = 0; i < sizeof word_edits / sizeof *word_edits; i++) {
        Fault fault = {""};
        publish("LlamaForCausalLM", "--words json");
        edit("tokenizer.json", word_edits[i].old, word_edits[i].new);
        if (convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault))
            fail_msg("%s: taken", word_edits[i].new);
        if (!strstr(fault.text, word_edits[i].says))
            fail_msg("%s: %s", word_edits[i].new, fault.text);
    }
}

/* ------------------------------------------------------------------ WordPiece */

/* A model of random numbers with letters as WordPiece has them. */
static void write_bert(void) {
    MakeModel m = make_model_of("bert", "wordpiece");
    write_model(&m);
}

static void wordpiece_words(void **state) {
    (void)state;
    static const char *const words[] = {"--words json", "--words list"};
    if (!has_python()) skip();
    for (int i = 0; i < 2; i++) {
        write_bert();
        publish("BertForMaskedLM", words[i]);
        convert_back(words[i], NULL);
        same_words(words[i]), same_results(words[i]);
    }
}

/* XLM-R: positions that begin behind the padding token, and two separators between two texts. */
static void unigram_of_an_encoder(void **state) {
    (void)state;
    static const char *const classes[] = {"XLMRobertaModel", "XLMRobertaForMaskedLM",
                                          "XLMRobertaForSequenceClassification"};
    if (!has_python()) skip();
    for (int i = 0; i < 3; i++) {
        MakeModel m = make_model_of("bert", NULL);
        m.more = NULL;
        m.family = i == 2 ? ENCODER " scores:2 scores_hidden pooling_type=4"
                          : ENCODER " pooling_type=2";
        write_model(&m);
        give_unigram(true, true);
        publish(classes[i], "--words pairs");
        convert_back(classes[i], NULL);
        same_tensors(classes[i]), same_results(classes[i]);
        Model b;
        Fault fault;
        TokenList tokens = {0};
        size_t begin;
        open_at(&b, in_folder("out.gguf"));
        assert_true(tokenizer_encode_pair(b.tokenizer, text_of("he"), text_of("he"), &tokens,
                                          &begin, &fault));
        const int32_t want[] = {1, 4, 2, 2, 4, 2};
        assert_int_equal(tokens.count, 6);
        assert_memory_equal(tokens.ids, want, sizeof want);
        assert_int_equal(begin, 4);
        token_list_free(&tokens), model_close(&b);
    }
}

/* T5: a source ends with its token, and nothing begins it; from tokenizer.json and from SentencePiece's own file. */
static void unigram_of_t5(void **state) {
    (void)state;
    static const char *const words[] = {"--words ends", "--words model"};
    if (!has_python()) skip();
    for (int i = 0; i < 2; i++) {
        MakeModel m = make_model_of("t5", "written:2 decoder_block_count=2");
        write_model(&m);
        give_unigram(true, true);
        publish("T5ForConditionalGeneration", words[i]);
        convert_back(words[i], NULL);
        same_tensors(words[i]), same_results(words[i]);
        Model b;
        TokenList tokens = {0};
        open_at(&b, in_folder("out.gguf"));
        tokenizer_begin(b.tokenizer, &tokens);
        assert_true(tokenizer_encode(b.tokenizer, text_of("he"), false, &tokens, NULL));
        model_end_prompt(&b, &tokens);
        const int32_t want[] = {4, 2, 255};
        assert_int_equal(tokens.count, 3);
        assert_memory_equal(tokens.ids, want, sizeof want);
        token_list_free(&tokens), model_close(&b);
    }
}

/* As the vocabulary of a folder of its own says, and not by the defaults. */
static void wordpiece_keeps_capitals(void **state) {
    (void)state;
    static const char *const edits[][4] = {
        {"json", "tokenizer.json", "\"lowercase\": true", "\"lowercase\": false"},
        {"list", "tokenizer_config.json", "\"do_lower_case\": true",
         "\"do_lower_case\": false"}};
    if (!has_python()) skip();
    write_bert();
    for (int i = 0; i < 2; i++) {
        Model b;
        Fault fault;
        TokenList tokens = {0};
        char options[40];
        snprintf(options, sizeof options, "--words %s", edits[i][0]);
        publish("BertModel", options);
        edit(edits[i][1], edits[i][2], edits[i][3]);
        convert_back(options, NULL);
        open_at(&b, in_folder("out.gguf"));
        assert_true(tokenizer_encode(b.tokenizer, text_of("ab AB"), true, &tokens, &fault));
        assert_int_equal(tokens.count, 3);
        assert_int_equal(tokens.ids[2], 1); /* [UNK]: no capital letter has a token */
        token_list_free(&tokens), model_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unigram_words),   cmocka_unit_test(refuses_words),
        cmocka_unit_test(wordpiece_words), cmocka_unit_test(unigram_of_an_encoder),
        cmocka_unit_test(unigram_of_t5),   cmocka_unit_test(wordpiece_keeps_capitals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
