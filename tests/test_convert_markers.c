/* test_convert_markers.c - the tokens that a folder's files write around a text, and between two. */
#include "convert_unigram.h"
#include "converter.h"

#define TOKEN(name) "{\"SpecialToken\": {\"id\": \"" name "\"}}"
#define TEXT        "{\"Sequence\": {\"id\": \"A\"}}"
#define TEMPLATE    "\"type\": \"TemplateProcessing\", \"single\": ["
#define IDS(name, ids) \
    "], \"special_tokens\": {\"" name "\": {\"id\": \"" name "\", \"ids\": [" ids "]}}"

/* In place of the post_processor that was published. */
static void give_processor(const char *processor) {
    char new[800];
    snprintf(new, sizeof new, "\"post_processor\": {%s}, \"another\": {", processor);
    edit("tokenizer.json", "\"post_processor\": {", new);
}

/* "he" is 4, "llo" 5, "he" inside of a word 6 and "<tag>" 7; bos_token is 1, eos_token and sep_token 2. */
static const struct {
    const char *processor;
    int32_t ids[7]; /* of two texts; 0 ends them */
} processors[] = {
    {"\"type\": \"RobertaProcessing\", \"cls\": [\"<s>\", 1], \"sep\": [\"</s>\", 2]",
     {1, 4, 2, 2, 4, 2}},
    {"\"type\": \"RobertaProcessing\", \"cls\": [\"llo\", 5], \"sep\": [\"he\", 6]",
     {5, 4, 6, 6, 4, 6}},
    {"\"type\": \"BertProcessing\", \"cls\": [\"llo\", 5], \"sep\": [\"he\", 6]",
     {5, 4, 6, 4, 6}},
    {TEMPLATE TEXT ", " TOKEN("<tag>") "], \"pair\": [" TEXT
                                       ", " TOKEN("<tag>") ", " TEXT ", " TOKEN("<tag>") "]",
     {4, 7, 4, 7}},
    {TEMPLATE TOKEN("<tag>") ", " TEXT "], \"pair\": [" TOKEN("<tag>") ", " TEXT ", " TOKEN(
         "he") ", " TEXT "]",
     {7, 4, 6, 4}},
    {TEMPLATE TEXT ", " TOKEN("<s>") "], \"pair\": [" IDS("<s>", "5"), {4, 5, 4, 5}},
};

/* The token that it names, whatever tokenizer_config.json calls its like: with and without a sep_token there. */
static void processors_name_tokens(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_as("bert", ENCODER " scores:2 scores_hidden pooling_type=4");
    give_unigram(true, true);
    for (size_t i = 0; i < 2 * (sizeof processors / sizeof *processors); i++) {
        Model b;
        Fault fault;
        TokenList tokens = {0};
        size_t begin, n = 0;
        const int32_t *want = processors[i / 2].ids;
        publish("XLMRobertaForSequenceClassification", "--words pairs");
        give_processor(processors[i / 2].processor);
        if (i % 2) edit("tokenizer_config.json", "\"sep_token\"", "\"no_token\"");
        convert_back(processors[i / 2].processor, NULL);
        open_at(&b, in_folder("out.gguf"));
        assert_true(tokenizer_encode_pair(b.tokenizer, text_of("he"), text_of("he"), &tokens,
                                          &begin, &fault));
        while (want[n]) n++;
        assert_int_equal(tokens.count, n);
        assert_memory_equal(tokens.ids, want, n * sizeof *want);
        token_list_free(&tokens), model_close(&b);
    }
}

static const struct {
    const char *processor, *says;
} bad_processors[] = {
    {TEMPLATE TEXT ", " TOKEN("<nil>") "]", "writes '<nil>', wanted one token"},
    {TEMPLATE TEXT ", " TOKEN("<s>") IDS("<s>", "1, 2"), "writes '<s>', wanted one token"},
    {TEMPLATE TEXT ", " TOKEN("<s>") IDS("<s>", "999"), "writes '<s>', wanted one token"},
    {TEMPLATE TOKEN("<s>") ", " TOKEN("<s>") ", " TEXT "]", "something else than a token"},
    {TEMPLATE TEXT ", " TOKEN("<s>") "], \"pair\": [" TEXT ", " TEXT "]", "joins two texts"},
    {"\"type\": \"BertProcessing\", \"cls\": [\"<s>\", 1], \"sep\": [\"x\", 999]",
     "sep of the post_processor is not a pair"},
};

static void refuses_processors(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_as("bert", ENCODER " scores:2 scores_hidden pooling_type=4");
    give_unigram(true, true);
    for (size_t i = 0; i < sizeof bad_processors / sizeof *bad_processors; i++) {
        publish("XLMRobertaForSequenceClassification", "--words pairs");
        give_processor(bad_processors[i].processor);
        refuse_back(bad_processors[i].processor, bad_processors[i].says);
    }
}

static void keep_note(void *context, const char *text) {
    size_t used = strlen(context);
    snprintf((char *)context + used, 1000 - used, "%s\n", text);
}

/* A text that begins with another token than bos_token, and ends with another than eos_token, which goes on to end an
 * answer. */
static void another_end(void **state) {
    (void)state;
    if (!has_python()) skip();
    char note[1000] = "";
    const Convert how = {.note = keep_note, .context = note};
    Model b;
    write_model_of("llama", NULL);
    give_unigram(true, true);
    publish("LlamaForCausalLM", "--words ends");
    give_processor(TEMPLATE TOKEN("he") ", " TEXT ", " TOKEN("<tag>") "]");
    convert_with("another end", &how);
    assert_non_null(
        strstr(note, "begins with 'he', as tokenizer.json has it, and not with the bos"));
    assert_non_null(strstr(note, "ends with '<tag>', as tokenizer.json has it, and not with"));
    open_at(&b, in_folder("out.gguf"));
    TokenList tokens = {0};
    tokenizer_end(b.tokenizer, &tokens);
    assert_int_equal(tokens.count, 1);
    assert_int_equal(tokens.ids[0], 7);
    assert_true(tokenizer_is_end(b.tokenizer, 7) && tokenizer_is_end(b.tokenizer, 2));
    token_list_free(&tokens), model_close(&b);
}

/* What tokenizer_config.json leaves open, special_tokens_map.json says; both name tokens that there are. */
static void special_tokens_map(void **state) {
    (void)state;
    static const char *const maps[] = {"{\"bos_token\": {\"content\": \"<tag>\"}}",
                                       "{\"bos_token\": \"<nil>\"}"};
    if (!has_python()) skip();
    const Convert how = {0};
    write_model_of("llama", NULL);
    give_unigram(true, true);
    for (int i = 0; i < 2; i++) {
        Fault fault = {""};
        Model b;
        publish("LlamaForCausalLM", "--words ends");
        edit("tokenizer_config.json", "\"bos_token\"", "\"no_token\"");
        add_file("special_tokens_map.json", maps[i]);
        bool ok =
            convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault);
        assert_int_equal(ok, i == 0);
        if (i) assert_non_null(strstr(fault.text, "special_tokens_map.json: bos_token is '<n"));
        if (i) continue;
        open_at(&b, in_folder("out.gguf"));
        assert_int_equal(tokenizer_bos(b.tokenizer), 7);
        model_close(&b);
    }
}

/* generation_config.json's tokens that are never said. */
static void suppressed_tokens_are_kept(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    publish("LlamaForCausalLM", "");
    add_file("generation_config.json", "{\"suppress_tokens\": [5, 7]}");
    convert_back("suppressed", NULL);
    Model b;
    int64_t id = 0;
    open_at(&b, in_folder("out.gguf"));
    const GgufPair *pair = gguf_find(&b.gguf, "tokenizer.ggml.suppress_tokens");
    assert_true(pair && pair->count == 2 && gguf_int(pair, 1, &id) && id == 7);
    model_close(&b);
    add_file("generation_config.json", "{\"suppress_tokens\": [5, 9999]}");
    refuse_back("suppressed", "suppress_tokens is not a list");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suppressed_tokens_are_kept), cmocka_unit_test(processors_name_tokens),
        cmocka_unit_test(refuses_processors),         cmocka_unit_test(another_end),
        cmocka_unit_test(special_tokens_map),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
