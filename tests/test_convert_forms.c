/* test_convert_forms.c - tokenizer.json's NFC, NFD, NFKC and NFKD, alone and in a Sequence, for all kinds of
 * vocabularies: the converted file tokenizes text in that form. */
#include "families.h"
#include "convert_unigram.h"
#include "converter.h"

#define FORM(name) "{\"type\": \"" name "\"}"
#define REPLACE \
    "{\"type\": \"Replace\", \"pattern\": {\"String\": \" \"}, \"content\": \"\u2581\"}"
#define MERGE         "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \" {2,}\"}, \"content\": \" \"}"
#define SEQUENCE(...) "{\"type\": \"Sequence\", \"normalizers\": [" __VA_ARGS__ "]}"

typedef struct FormCase {
    const char *normalizer;
    const char *form; /* NULL: refused, for `says` */
    const char *says;
} FormCase;

static void check_file(const FormCase *c) {
    Model b;
    Text form;
    open_at(&b, in_folder("out.gguf"));
    if (!gguf_string(gguf_find(&b.gguf, "tokenizer.ggml.normalizer.form"), &form) ||
        !text_equal(form, text_of(c->form)))
        fail_msg("%s: wanted the form %s", c->normalizer, c->form);
    model_close(&b);
}

/* Each case in place of the normalizer in a folder that the class and options make. */
static void check_forms(const char *class, const char *options, const char *old,
                        const FormCase *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char new[600];
        publish(class, options);
        snprintf(new, sizeof new, "\"normalizer\": %s%s", cases[i].normalizer,
                 strchr(old, '{') ? ", \"old\": {" : "");
        edit("tokenizer.json", old, new);
        if (!cases[i].form) {
            refuse_back(cases[i].normalizer, cases[i].says);
            continue;
        }
        convert_back(cases[i].normalizer, NULL);
        check_file(&cases[i]);
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void of_bytes(void **state) {
    (void)state;
    static const FormCase cases[] = {
        {FORM("NFC"), "nfc", NULL},
        {FORM("NFD"), "nfd", NULL},
        {FORM("NFKC"), "nfkc", NULL},
        {FORM("NFKD"), "nfkd", NULL},
        {SEQUENCE(FORM("NFC")), "nfc", NULL},
        {SEQUENCE(FORM("NFKD") ", " FORM("NFC")), "nfkc", NULL},
        {SEQUENCE(FORM("NFKC") ", " FORM("NFD")), "nfkd", NULL},
        {SEQUENCE(FORM("NFC") ", " FORM("NFD")), "nfd", NULL},
        {FORM("NFX"), NULL, "normalizer 'NFX'"},
        {SEQUENCE(REPLACE ", " FORM("NFKC")), NULL, "normalizer 'NFKC'"},
    };
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    check_forms("LlamaForCausalLM", "", "\"normalizer\": null", cases, COUNT(cases));
}

static void of_unigram(void **state) {
    (void)state;
    static const FormCase cases[] = {
        {FORM("NFKC"), "nfkc", NULL},
        {SEQUENCE(FORM("NFKC") ", " MERGE), "nfkc", NULL},
        {SEQUENCE(MERGE ", " FORM("NFC")), "nfc", NULL},
        {SEQUENCE(MERGE ", " FORM("NFKC")), NULL, "'NFKC' does what is not built in"},
    };
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    give_unigram(true, false);
    check_forms("LlamaForCausalLM", "--words json", "\"normalizer\": {", cases, COUNT(cases));
}

/* The kind itself drops control characters and splits ideographs, which BertNormalizer asks for. */
static void of_wordpiece(void **state) {
    (void)state;
#define BERT                                                                                \
    "{\"type\": \"BertNormalizer\", \"clean_text\": true, \"handle_chinese_chars\": true, " \
    "\"lowercase\": true}"
    static const FormCase cases[] = {
        {SEQUENCE(FORM("NFKC") ", " BERT), "nfkc", NULL},
        {SEQUENCE(FORM("NFD") ", " FORM("NFC") ", " BERT), "nfc", NULL},
        {SEQUENCE(BERT ", " FORM("NFC")), NULL, "the normalizer is 'Sequence'"},
        {FORM("NFKC"), NULL, "the normalizer is 'NFKC', wanted BertNormalizer"},
    };
    if (!has_python()) skip();
    write_model_of("bert", "wordpiece");
    check_forms("BertModel", "--words json", "\"normalizer\": {", cases, COUNT(cases));
}

/* A ligature has the tokens of its letters, and programs that do not know the key are told of. */
static void tokenizes_in_the_form(void **state) {
    (void)state;
    char notes[1000] = "";
    const Convert how = {.note = keep_notes, .context = notes};
    Model b;
    Fault fault;
    TokenList tokens = {0};
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    publish("LlamaForCausalLM", "");
    edit("tokenizer.json", "\"normalizer\": null", "\"normalizer\": " FORM("NFKC"));
    convert_with("NFKC", &how);
    assert_non_null(strstr(notes, "normalized to nfkc by a key of Strata's own"));
    open_at(&b, in_folder("out.gguf"));
    assert_true(tokenizer_encode(b.tokenizer, text_of("fi\uFB01"), false, &tokens, &fault));
    assert_int_equal(tokens.count % 2, 0);
    for (size_t i = 0; i < tokens.count / 2; i++)
        assert_int_equal(tokens.ids[i], tokens.ids[i + tokens.count / 2]);
    token_list_free(&tokens), model_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_bytes),
        cmocka_unit_test(of_unigram),
        cmocka_unit_test(of_wordpiece),
        cmocka_unit_test(tokenizes_in_the_form),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
