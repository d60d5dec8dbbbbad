/* test_convert_words.c - vocabularies that are published and converted back: Unigram and WordPiece. */
#include "families.h"
#include "convert_unigram.h"
#include "converter.h"

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
    for (int i = 0; i < 6; i++) {
        bool map = i / 2 != 1, merge = i / 2 == 2;
        write_model_of("llama", NULL);
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
    {"[\"<unk>\", ", "[\"<unk>\", 1, ", "piece 0 is not a pair"},
    {"\"Metaspace\"", "\"Metaspase\"", "'Metaspase'"},
    {"\"type\": \"Precompiled\"", "\"type\": \"NFKC\"", "WhitespaceSplit without"},
    {"\"precompiled_charsmap\": \"", "\"precompiled_charsmap\": \"=A==", "not base64"},
    {"\"precompiled_charsmap\": \"AAgA", "\"precompiled_charsmap\": \"////",
     "cut short or no such table"},
    {"{\"type\": \"Precompiled\"", "{\"type\": \"Sequence\"", "'Sequence'"},
    {"\"prepend_scheme\": \"always\"", "\"prepend_scheme\": \"never\"",
     "WhitespaceSplit without"},
    {"\"prepend_scheme\": \"always\"", "\"prepend_scheme\": \"first\"",
     "WhitespaceSplit without"},
};

static void refuses_words(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    give_unigram(true, true);
    for (size_t i = 0; i < sizeof word_edits / sizeof *word_edits; i++) {
        publish("LlamaForCausalLM", "--words json");
        edit("tokenizer.json", word_edits[i].old, word_edits[i].new);
        refuse_back(word_edits[i].new, word_edits[i].says);
    }
}

/* ------------------------------------------------------------------ WordPiece */

/* A model of random numbers with letters as WordPiece has them. */
static void write_bert(void) { write_model_of("bert", "wordpiece"); }

/* Positions that begin behind the padding token need its id. */
static void refuses_odd_padding(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_as("bert", ENCODER " pooling_type=2");
    give_unigram(true, true);
    publish("XLMRobertaModel", "--words pairs");
    edit("config.json", "\"pad_token_id\": 1", "\"pad_token_id\": -1");
    refuse_back("padding of -1", "'pad_token_id' is -1, wanted the id of a token");
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
        write_model_as("bert", i == 2 ? ENCODER " scores:2 scores_hidden pooling_type=4"
                                      : ENCODER " pooling_type=2");
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
        write_model_of("t5", "written:2 decoder_block_count=2");
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

/* Of a token that stands in two lines of vocab.txt the last counts. */
static void last_line_counts(void **state) {
    (void)state;
    if (!has_python()) skip();
    Model b;
    Fault fault;
    TokenList tokens = {0};
    write_bert();
    publish("BertModel", "--words list");
    edit("vocab.txt", "\n##[unused100]\n", "\na\n");
    convert_back("a line twice", NULL);
    open_at(&b, in_folder("out.gguf"));
    assert_true(tokenizer_encode(b.tokenizer, text_of("a"), true, &tokens, &fault));
    assert_int_equal(tokens.count, 1);
    assert_int_equal(tokens.ids[0], 100);
    token_list_free(&tokens), model_close(&b);
}

/* The ids of a text in the file that was written. */
static void same_ids(const char *text, const int32_t *ids, size_t count) {
    Model b;
    Fault fault;
    TokenList tokens = {0};
    open_at(&b, in_folder("out.gguf"));
    if (!tokenizer_encode(b.tokenizer, text_of(text), true, &tokens, &fault))
        fail_msg("%s", fault.text);
    assert_int_equal(tokens.count, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(tokens.ids[i], ids[i]);
    token_list_free(&tokens), model_close(&b);
}

/* Ranks become pairs: "th", "th e", " the" of a space and "the"; "heth", of no pair that ranks
 * lower, and " the" before a byte that no text ends with. */
static void ranks_become_pairs(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("kimi-linear", NULL);
    publish("KimiLinearForCausalLM", "--words tiktoken");
    convert_back("tiktoken", NULL);
    same_ids("the the th<|im_end|>", (int32_t[]){201, 202, ' ', 200, 257}, 5);
    same_ids("heth\n", (int32_t[]){'h', 'e', 200, '\n'}, 4);
    Gguf gguf;
    FileMap file;
    parse_at(&gguf, &file, in_folder("out.gguf"));
    const GgufPair *merges = gguf_find(&gguf, "tokenizer.ggml.merges");
    const unsigned char *cursor = merges->data;
    static const char *const wanted[] = {"t h", "th e", "\u0120 the", "\u0120the \u00e4"};
    assert_int_equal(merges->count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(text_equal(gguf_next_string(&cursor), text_of(wanted[i])));
    gguf_free(&gguf), file_close(&file);
    edit("tiktoken.model", "dGhl 201", "dGh! 201");
    refuse_back("no base64", "tiktoken.model: line 202");
}

/* Qwen 1's special tokens stand behind the others, and in no file. */
static void qwen_specials(void **state) {
    (void)state;
    char from[500], to[500];
    if (!has_python()) skip();
    write_model_of("qwen", NULL);
    publish("QWenLMHeadModel", "--words tiktoken");
    snprintf(from, sizeof from, "%s/tiktoken.model", in_folder("published"));
    snprintf(to, sizeof to, "%s/qwen.tiktoken", in_folder("published"));
    assert_int_equal(rename(from, to), 0);
    snprintf(from, sizeof from, "%s/tokenizer_config.json", in_folder("published"));
    assert_int_equal(remove(from), 0);
    convert_back("qwen.tiktoken", NULL);
    same_ids("<|im_start|>the<|endoftext|>", (int32_t[]){257, 201, 256}, 3);
}

/* RWKV's own list of tokens. */
static void world_words(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("rwkv7", NULL);
    publish("RWKV7ForCausalLM", "--words world");
    convert_back("world", NULL);
    same_ids("it's \u4f60\n\u200b'\\", (int32_t[]){256, ' ' + 1, 257, '\'' + 1, '\\' + 1}, 5);
    same_ids("\u00e9<|end|>", (int32_t[]){0xC3 + 1, 0xA9 + 1, 0}, 3);
    edit("rwkv_vocab_v20230424.txt", "256 \"it's\" 4", "256 \"it's\" 5");
    refuse_back("another size", "the token of line 256 has 4 bytes, and the line says 5");
}

/* What the sentence-transformers library does to a text before: done here too, or said. */
static void sentence_settings(void **state) {
    (void)state;
    if (!has_python()) skip();
    char notes[1000] = "";
    const Convert how = {.note = keep_notes, .context = notes};
    Fault fault = {""};
    Model b;
    TokenList tokens = {0};
    write_bert();
    publish("BertModel", "--words json");
    edit("tokenizer.json", "\"lowercase\": true", "\"lowercase\": false");
    add_file("sentence_bert_config.json",
             "{\"max_seq_length\": 5, \"do_lower_case\": true, \"nil\": null, \"task\": \"x\", "
             "\"mode\": {}}");
    add_file("config_sentence_transformers.json",
             "{\"prompts\": {\"query\": \"query: \"}, \"default_prompt_name\": \"query\"}");
    convert_with("settings", &how);
    assert_non_null(strstr(notes, "cuts texts after 5 tokens"));
    assert_non_null(strstr(notes, "says task, mode, which nothing here reads"));
    assert_non_null(strstr(notes, "the prompt 'query: ' in front"));
    open_at(&b, in_folder("out.gguf"));
    assert_true(tokenizer_encode(b.tokenizer, text_of("ab AB"), true, &tokens, &fault));
    assert_int_equal(tokens.count, 4);
    assert_memory_equal(tokens.ids, tokens.ids + 2, 2 * sizeof *tokens.ids);
    token_list_free(&tokens), model_close(&b);
    edit("config_sentence_transformers.json", "name\": \"query", "name\": \"nil");
    refuse_back("a prompt that is none", "default_prompt_name is 'nil', and prompts has none");
}

#define REPLACE \
    "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \" {2,}\"}, \"content\": \" \"}"
#define STRIP "{\"type\": \"Strip\", \"strip_left\": false, \"strip_right\": true}"

/* Spaces at the ends of a text, where GGUF files cannot say what tokenizer.json does with them. */
static void unigram_edges(void **state) {
    (void)state;
    static const struct {
        const char *steps, *scheme, *says;
    } cases[] = {{NULL, "always", "begins with a space gets one more"},
                 {NULL, "never", NULL},
                 {REPLACE, "always", "a space at the end of a text is dropped"},
                 {REPLACE, "never", "runs of spaces as one without a space in front"},
                 {STRIP ", " REPLACE, "always", "a line's end is not white space"}};
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    give_unigram(true, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char notes[1000] = "", new[400];
        const Convert how = {.note = keep_notes, .context = notes};
        Fault fault = {""};
        publish("LlamaForCausalLM", "--words json");
        snprintf(new, sizeof new, "\"prepend_scheme\": \"%s\"", cases[i].scheme);
        edit("tokenizer.json", "\"prepend_scheme\": \"always\"", new);
        snprintf(new, sizeof new,
                 "\"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [%s]}, \"old\": {",
                 cases[i].steps ? cases[i].steps : "");
        edit("tokenizer.json", "\"normalizer\": {", new);
        convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault);
        keep_notes(notes, fault.text);
        if (cases[i].says ? !strstr(notes, cases[i].says) : *notes != '\n')
            fail_msg("%zu: %s", i, notes);
    }
}

/* Where capital letters cannot be made small. */
static void refuses_lower_case(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    publish("LlamaForCausalLM", "");
    add_file("sentence_bert_config.json", "{\"do_lower_case\": true}");
    refuse_back("lower case", "do_lower_case is true, which is built in for WordPiece");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unigram_words),      cmocka_unit_test(refuses_words),
        cmocka_unit_test(wordpiece_words),    cmocka_unit_test(unigram_of_an_encoder),
        cmocka_unit_test(unigram_of_t5),      cmocka_unit_test(wordpiece_keeps_capitals),
        cmocka_unit_test(sentence_settings),  cmocka_unit_test(refuses_lower_case),
        cmocka_unit_test(unigram_edges),      cmocka_unit_test(last_line_counts),
        cmocka_unit_test(ranks_become_pairs), cmocka_unit_test(qwen_specials),
        cmocka_unit_test(world_words),        cmocka_unit_test(refuses_odd_padding),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
