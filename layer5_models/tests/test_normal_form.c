/* Unicode's normal forms: by hand, of invalid UTF-8, and as a key of a vocabulary.  All
 * characters and random texts are compared with Python's in tests/test_unicode_forms.c. */
#include "../extras/tokenizers/normal_form.h"
#include "hash.h"
#include "tokenizers.h"
#include "vocab_file.h"

static const char *const names[] = {"nfc", "nfd", "nfkc", "nfkd"};

static void check_form(const char *form, Text text, Text want) {
    char *got;
    size_t size;
    Fault fault;
    assert_true(normal_form_write(normal_form_find(text_of(form)), text, &got, &size, &fault));
    if (!text_equal((Text){got, size}, want))
        fail_msg("%s of '%.*s' is '%.*s', wanted '%.*s'", form, (int)text.size, text.data,
                 (int)size, got, (int)want.size, want.data);
    free(got);
}

/* The four forms of a text, in the order of names. */
typedef struct Case {
    const char *text, *forms[4];
} Case;

#define ACUTE   "\u0301"
#define CEDILLA "\u0327"
static const Case cases[] = {
    {"", {"", "", "", ""}},
    {"plain text", {"plain text", "plain text", "plain text", "plain text"}},
    {"\u00E9", {"\u00E9", "e" ACUTE, "\u00E9", "e" ACUTE}},
    {"e" ACUTE, {"\u00E9", "e" ACUTE, "\u00E9", "e" ACUTE}},
    {"\uFB01x\u00B2", {"\uFB01x\u00B2", "\uFB01x\u00B2", "fix2", "fix2"}},
    {"a\u00A0b", {"a\u00A0b", "a\u00A0b", "a b", "a b"}},
    /* below before above; an accent of the same class bars the way, one of another does not */
    {"c" ACUTE CEDILLA, {"\u1E09", "c" CEDILLA ACUTE, "\u1E09", "c" CEDILLA ACUTE}},
    {"q" ACUTE CEDILLA,
     {"q" CEDILLA ACUTE, "q" CEDILLA ACUTE, "q" CEDILLA ACUTE, "q" CEDILLA ACUTE}},
    {"e\u0302\u0302" ACUTE,
     {"\u00EA\u0302" ACUTE, "e\u0302\u0302" ACUTE, "\u00EA\u0302" ACUTE,
      "e\u0302\u0302" ACUTE}},
    {"e\u034F" ACUTE, {"e\u034F" ACUTE, "e\u034F" ACUTE, "e\u034F" ACUTE, "e\u034F" ACUTE}},
    {ACUTE "e", {ACUTE "e", ACUTE "e", ACUTE "e", ACUTE "e"}},
    /* \u1E9B has parts of parts; the ohm sign never comes back; \u0958 is never made */
    {"\u1E9B\u0323", {"\u1E9B\u0323", "\u017F\u0323\u0307", "\u1E69", "s\u0323\u0307"}},
    {"\u2126", {"\u03A9", "\u03A9", "\u03A9", "\u03A9"}},
    {"\u0958", {"\u0915\u093C", "\u0915\u093C", "\u0915\u093C", "\u0915\u093C"}},
    /* Hangul: LV, LVT, and a T that joins no LVT */
    {"\uD55C", {"\uD55C", "\u1112\u1161\u11AB", "\uD55C", "\u1112\u1161\u11AB"}},
    {"\u1112\u1161\u11AB\u11AB",
     {"\uD55C\u11AB", "\u1112\u1161\u11AB\u11AB", "\uD55C\u11AB", "\u1112\u1161\u11AB\u11AB"}},
    {"\u1112\u1161\u11A7",
     {"\uD558\u11A7", "\u1112\u1161\u11A7", "\uD558\u11A7", "\u1112\u1161\u11A7"}},
    /* bytes that are not text stay, and part an accent from its letter */
    {"e\xFF" ACUTE "\xC3",
     {"e\xFF" ACUTE "\xC3", "e\xFF" ACUTE "\xC3", "e\xFF" ACUTE "\xC3", "e\xFF" ACUTE "\xC3"}},
    {"\uFFFD", {"\uFFFD", "\uFFFD", "\uFFFD", "\uFFFD"}},
};

static void by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int f = 0; f < 4; f++)
            check_form(names[f], text_of(cases[i].text), text_of(cases[i].forms[f]));
    assert_null(normal_form_find(text_of("NFC")));
    assert_null(normal_form_find(text_of("nf")));
}

/* 30,000 accents in the wrong order after one letter are sorted in n log n. */
static void long_runs_are_sorted(void **state) {
    (void)state;
    enum { N = 30000 };
    char *text = malloc(4 * N + 1), *want = malloc(4 * N + 1);
    size_t size = 0;
    text[size++] = 'q';
    for (int i = 0; i < N; i++) memcpy(text + size, i % 2 ? CEDILLA : ACUTE, 2), size += 2;
    want[0] = 'q';
    for (int i = 0; i < N; i++) memcpy(want + 1 + 2 * i, i < N / 2 ? CEDILLA : ACUTE, 2);
    for (int f = 0; f < 4; f++) check_form(names[f], (Text){text, size}, (Text){want, size});
    free(text), free(want);
}

/* Pieces of a long text are cut where no accent follows. */
static void long_texts_are_normalized(void **state) {
    (void)state;
    for (size_t before = 4080; before < 4110; before++) {
        char text[8200], want[8200];
        memset(text, 'x', before), memset(want, 'x', before);
        memcpy(text + before, "e" ACUTE ACUTE " e" ACUTE, 10);
        memcpy(want + before, "\u00E9" ACUTE " \u00E9", 8);
        check_form("nfc", (Text){text, before + 9}, (Text){want, before + 7});
    }
}

static void a_vocabulary_names_its_form(void **state) {
    static const Extra words[] = {{"<tag>", TOKEN_USER}};
    (void)state;
    Fault fault;
    for (int f = 0; f < 4; f++) {
        GgufWriter *w = bpe_file("gpt-2", words, 1, NULL, 0);
        gguf_put_string(w, NORMAL_FORM_KEY, text_of(names[f]));
        Tokenizer *t = opened(w);
        check_tokens(t, "a\uFB01<tag>", false,
                     f < 2 ? "a|\xEF|\xAC|\x81|<tag>" : "a|f|i|<tag>");
        check_tokens(t, "e<tag>" ACUTE, false, "e|<tag>|\xCC|\x81"); /* parts are apart */
        check_tokens(t, "e" ACUTE, false, f % 2 ? "e|\xCC|\x81" : "\xC3|\xA9");
        tokenizer_close(t);
    }
    static const char *const bad[] = {"NFC", "", "nfq"};
    for (int i = 0; i < 3; i++) {
        GgufWriter *w = bpe_file("gpt-2", NULL, 0, NULL, 0);
        gguf_put_string(w, NORMAL_FORM_KEY, text_of(bad[i]));
        assert_null(open_file(w, &fault));
        assert_contains(fault.text, "wanted nfc, nfd, nfkc or nfkd");
    }
}

/* llama.cpp does not know the key. */
static void as_llama_leaves_text_alone(void **state) {
    (void)state;
    unsigned char *bytes;
    size_t size;
    Gguf gguf;
    Fault fault;
    GgufWriter *w = bpe_file("gpt-2", NULL, 0, NULL, 0);
    gguf_put_string(w, NORMAL_FORM_KEY, text_of("nfkc"));
    assert_true(gguf_write_memory(w, &bytes, &size, &fault));
    gguf_writer_close(w);
    assert_true(gguf_parse(&gguf, bytes, size, &fault));
    Tokenizer *t = tokenizer_open_as(&gguf, TOKENS_AS_LLAMA_CPP, &fault);
    check_tokens(t, "\uFB01", false, "\xEF|\xAC|\x81");
    tokenizer_close(t), gguf_free(&gguf), free(bytes);
}

RUN(TEST(by_hand), TEST(long_runs_are_sorted), TEST(long_texts_are_normalized),
    TEST(a_vocabulary_names_its_form), TEST(as_llama_leaves_text_alone))
