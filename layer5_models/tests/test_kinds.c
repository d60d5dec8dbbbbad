/* the kinds of tokenizers beside byte-level BPE and SentencePiece's, with small vocabularies */
#include "../extras/tokenizers/charsmap.h"
#include "tokenizers.h"
#include "vocab_file.h"

typedef struct Entry {
    const char *name;
    int type;
    double score;
} Entry;

static GgufWriter *kind_file(const char *kind, const Entry *entries, size_t n) {
    Text names[64];
    int64_t types[64];
    double scores[64];
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++)
        names[i] = text_of(entries[i].name), types[i] = entries[i].type,
        scores[i] = entries[i].score;
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, "tokenizer.ggml.model", text_of(kind));
    gguf_put_strings(w, "tokenizer.ggml.tokens", names, n);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, n);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, n);
    return w;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define S            "\xE2\x96\x81"

static const Entry pieces[] = {
    {"<pad>", 3, 0},  {"</s>", 3, 0},   {"<unk>", 2, 0}, {S, 1, -2},   {S "he", 1, -3},
    {"hello", 1, -4}, {"llo", 1, -2.5}, {"l", 1, -3},    {"o", 1, -3}, {"he", 1, -3},
    {"e", 1, -9},     {"h", 1, -9},     {"<tag>", 4, 0}, {"fi", 1, -3}};

/* _he|llo costs 5.5, _|hello 6, _he|l|l|o 12 */
static void unigram_takes_the_best_path(void **state) {
    (void)state;
    Fault fault;
    GgufWriter *w = kind_file("t5", pieces, COUNT(pieces));
    gguf_put_int(w, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, 1);
    gguf_put_int(w, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL, 1);
    Tokenizer *t = opened(w);
    check_tokens(t, "hello", false, " he|llo");
    check_tokens(t, "  hello   hello ", false, " he|llo| he|llo");
    check_tokens(t, "lo", false, " |l|o");
    check_tokens(t, "xyz", false, " |<unk>"); /* consecutive unknown tokens are joined */
    check_tokens(t, "he<tag>he", false, " he|<tag>| he");
    check_tokens(t, "", false, "");
    TokenList list = {0};
    tokenizer_begin(t, &list);
    assert_int_equal(list.count, 0);
    tokenizer_end(t, &list);
    assert_true(list.count == 1 && list.ids[0] == 1);
    assert_true(tokenizer_encode(t, text_of("hello"), false, &list, &fault));
    token_list_free(&list);
    tokenizer_close(t);
    t = opened(kind_file("t5", pieces, COUNT(pieces)));
    check_tokens(t, "hello  he", false, "hello| | he");
    check_tokens(t, "xyhe<tag>he", false,
                 "<unk>|he|<tag>|he"); /* he is copied from where it is */
    tokenizer_close(t);
}

/* A table by hand: the ligature U+FB01 (EF AC 81) is written "fi", and a tab a space. */
static size_t write_map(unsigned char *out) {
    uint32_t entries[512] = {0};
    /* children: the root's base is 256, then each byte's entry has the next base */
    uint32_t root = 256;
    entries[0] = root << 10;
    uint32_t a = root ^ 0xEF, b_way = 0x40, b = a ^ b_way ^ 0xAC, c_way, c;
    entries[a] = 0xEF | b_way << 10;
    c_way = 0x60, c = b ^ c_way ^ 0x81;
    entries[b] = 0xAC | c_way << 10;
    entries[c] = 0x81 | 1 << 8 | 0x100u << 10; /* a string ends: its replacement */
    entries[c ^ 0x100] = 0x80000000u | 0;
    uint32_t tab = root ^ '\t';
    entries[tab] = '\t' | 1 << 8 | 0x3u << 10;
    entries[tab ^ 3] = 0x80000000u | 3;
    size_t table = sizeof entries, size = 4;
    for (size_t i = 0; i < 4; i++) out[i] = (unsigned char)(table >> 8 * i);
    for (size_t i = 0; i < 512; i++)
        for (size_t k = 0; k < 4; k++) out[size++] = (unsigned char)(entries[i] >> 8 * k);
    memcpy(out + size, "fi\0 \0", 5);
    return size + 5;
}

static void characters_are_written_plainer(void **state) {
    static unsigned char map[4096];
    static int64_t bytes[4096];
    size_t size = write_map(map);
    (void)state;
    for (size_t i = 0; i < size; i++) bytes[i] = map[i];
    const char *key = "tokenizer.ggml.precompiled_charsmap";
    Charsmap parts;
    Fault fault;
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        GgufWriter *w = kind_file("t5", pieces, COUNT(pieces));
        gguf_put_ints(w, key, is_signed ? GGUF_I8 : GGUF_U8, bytes, size);
        Tokenizer *t = opened(w);
        check_tokens(t, "\xEF\xAC\x81\the", false, "fi| he");
        check_tokens(t, "\xEF\xAC\x82", false, "<unk>");
        tokenizer_close(t);
    }
    for (int list = 0; list < 2; list++) {
        GgufWriter *w = kind_file("t5", pieces, COUNT(pieces));
        list ? gguf_put_ints(w, key, GGUF_I32, bytes, 4) : gguf_put_int(w, key, GGUF_U8, 1);
        assert_null(open_file(w, &fault));
        assert_contains(fault.text, "wanted an array of bytes");
    }
    for (size_t cut = 1; cut < size;
         cut += 7) /* cut short: refused, or read within its bounds */
        if (charsmap_read(&parts, map, cut, &fault)) {
            size_t taken;
            charsmap_replace(&parts, text_of("\xEF\xAC\x81\t"), &taken);
            charsmap_free(&parts);
        }
    for (uint64_t round = 0; round < 3000; round++) { /* any bytes */
        size_t taken;
        for (size_t i = 4; i < size; i++) map[i] = (unsigned char)rng_hash(21, round, i);
        assert_true(charsmap_read(&parts, map, size, &fault));
        charsmap_replace(&parts, text_of("abc\xEF\xAC\x81\t"), &taken);
        charsmap_free(&parts);
    }
    map[0] = 1;
    assert_false(charsmap_read(&parts, map, size, &fault));
    assert_contains(fault.text, "precompiled_charsmap");
}

static void wordpiece_takes_the_longest_from_the_left(void **state) {
    static const Entry words[] = {{"[PAD]", 3, 0}, {"[UNK]", 3, 0},          {"[CLS]", 3, 0},
                                  {"[SEP]", 3, 0}, {S "un", 1, 0},           {S "unaff", 1, 0},
                                  {"aff", 1, 0},   {"able", 1, 0},           {S "cafe", 1, 0},
                                  {S "!", 1, 0},   {S "\xE4\xB8\xAD", 1, 0}, {S "u", 1, 0}};
    (void)state;
    for (int lower = 0; lower < 2; lower++) {
        GgufWriter *w = kind_file("bert", words, COUNT(words));
        gguf_put_int(w, "tokenizer.ggml.cls_token_id", GGUF_U32, 2);
        gguf_put_int(w, "tokenizer.ggml.seperator_token_id", GGUF_U32, 3);
        gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 1);
        if (!lower) gguf_put_int(w, "tokenizer.ggml.normalizer.lowercase", GGUF_BOOL, 0);
        Tokenizer *t = opened(w);
        check_tokens(t, "unaffable unable", false, " unaff|able| un|able");
        check_tokens(t, "unx cafe", false, "[UNK]| cafe"); /* all of the word is unknown */
        check_tokens(t, "un!able", false, " un| !|[UNK]");
        check_tokens(t, "\xE4\xB8\xADun\xE4\xB8\xAD", false, " \xE4\xB8\xAD| un| \xE4\xB8\xAD");
        char word[2 + 25 * 4 + 8 + 1] = "un"; /* 102 characters, and none of them unknown */
        for (int i = 0; i < 25; i++) strcat(word, "able");
        check_tokens(t, word, false, "[UNK]");
        word[98] = 0; /* as long as a word may be */
        TokenList longest = {0};
        Fault fault;
        assert_true(tokenizer_encode(t, text_of(word), false, &longest, &fault));
        assert_int_equal(longest.count, 25);
        token_list_free(&longest);
        check_tokens(t, "UN CAF\xC3\x89 u\xCC\x81\x01n", false,
                     lower ? " un| cafe| un" : "[UNK]|[UNK]|[UNK]");
        TokenList list = {0};
        tokenizer_begin(t, &list), tokenizer_end(t, &list);
        assert_true(list.count == 2 && list.ids[0] == 2 && list.ids[1] == 3);
        token_list_free(&list);
        tokenizer_close(t);
    }
}

static void rwkv_takes_the_longest_again_and_again(void **state) {
    static const Entry words[] = {
        {"<s>", 3, 0},   {"a", 1, 0},     {"ab", 1, 0},   {"abcd", 1, 0}, {"\\n", 1, 0},
        {"\\x00", 1, 0}, {"\\xe4", 1, 0}, {"\\\\", 1, 0}, {"b", 1, 0},    {"c", 1, 0}};
    (void)state;
    Fault fault;
    TokenList list = {0};
    Tokenizer *t = opened(kind_file("rwkv", words, COUNT(words)));
    check_tokens(t, "abcab\\\n", false, "ab|c|ab|\\|\n");
    check_tokens(t, "abcd\xE4", false, "abcd|\xE4");
    assert_true(tokenizer_encode(t, (Text){"\0", 1}, false, &list, &fault));
    assert_true(list.count == 1 && list.ids[0] == 5);
    assert_false(tokenizer_encode(t, text_of("az"), false, &list, &fault));
    assert_contains(fault.text, "0x7A");
    assert_int_equal(list.count, 1);
    token_list_free(&list);
    tokenizer_close(t);
}

static GgufWriter *merging(const char *kind, const Entry *entries, size_t n) {
    static const char *const merges[] = {"h e", "l l", S " he", "he ll"};
    Text texts[4];
    for (size_t i = 0; i < 4; i++) texts[i] = text_of(merges[i]);
    GgufWriter *w = kind_file(kind, entries, n);
    gguf_put_strings(w, "tokenizer.ggml.merges", texts, 4);
    return w;
}

static void characters_are_merged(void **state) {
    static const Entry words[] = {
        {"<pad>", 3, 0},  {"<unk>", 2, 0}, {"h", 1, 0},     {"e", 1, 0},    {"l", 1, 0},
        {"he", 1, 0},     {"ll", 1, 0},    {S, 1, 0},       {S "he", 1, 0}, {"<0xC3>", 6, 0},
        {"<0xA9>", 6, 0}, {"\n\n", 1, 0},  {"<bos>", 3, 0}, {"hell", 1, 0}};
    (void)state;
    GgufWriter *w = merging("gemma4", words, COUNT(words));
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 1);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 12);
    Tokenizer *t = opened(w);
    check_tokens(t, "hell hell", false, "hell| he|ll");
    check_tokens(t, "\xC3\xA9\n\n", false, "\xC3|\xA9|\n\n");
    check_tokens(t, "\xE4\xB8\xAD", false, "<unk>"); /* no tokens for its bytes: one */
    TokenList list = {0};
    tokenizer_begin(t, &list);
    assert_true(list.count == 1 && list.ids[0] == 12);
    token_list_free(&list);
    tokenizer_close(t);
    w = merging("whitespace", words, COUNT(words));
    gguf_put_int(w, "tokenizer.ggml.normalizer.lowercase", GGUF_BOOL, 1);
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 1);
    t = opened(w);
    check_tokens(t, " HELL\t\n hel ", false, "hell|he|l");
    tokenizer_close(t);
}

static void phi_3_drops_space_behind_special_tokens(void **state) {
    static const Entry words[] = {{"<unk>", 2, 0},   {"<s>", 3, 0}, {"</s>", 3, 0},
                                  {"<|end|>", 3, 0}, {"a", 1, 0},   {S, 1, 0}};
    (void)state;
    for (int phi = 0; phi < 2; phi++) {
        GgufWriter *w = kind_file("llama", words, COUNT(words));
        gguf_put_string(w, "general.name", text_of(phi ? "My Phi-3 mini" : "My model"));
        Tokenizer *t = opened(w);
        check_tokens(t, "<|end|> \n a", true, phi ? "<|end|>| |a" : "<|end|>| | |<unk>| |a");
        check_tokens(t, "<s> a", true, "<s>| | |a"); /* not after this one */
        tokenizer_close(t);
    }
}

/* Invalid UTF-8 keeps its bytes; in llama.cpp's style it is U+FFFD. */
static void bytes_that_are_no_text(void **state) {
    (void)state;
    for (int llama = 0; llama < 2; llama++) {
        unsigned char *bytes;
        size_t size;
        Gguf gguf;
        GgufWriter *w = bpe_file("gpt-2", NULL, 0, NULL, 0);
        assert_true(gguf_write_memory(w, &bytes, &size, NULL));
        gguf_writer_close(w);
        assert_true(gguf_parse(&gguf, bytes, size, NULL));
        Tokenizer *t =
            tokenizer_open_as(&gguf, llama ? TOKENS_AS_LLAMA_CPP : TOKENS_AS_TRAINED, NULL);
        assert_non_null(t);
        check_tokens(t, "a\xFF", false, llama ? "a|\xEF|\xBF|\xBD" : "a|\xFF");
        check_tokens(t, "\xC1\x81\xF5\x80", false,
                     llama ? "A|\xEF|\xBF|\xBD|\xEF|\xBF|\xBD" : "\xC1|\x81|\xF5|\x80");
        tokenizer_close(t), gguf_free(&gguf), free(bytes);
    }
}

static void write_event(void *context, const TokenEvent *e) {
    char *out = context;
    size_t n = strlen(out);
    if (e->kind == EVENT_WORD)
        sprintf(out + n, "[%.*s] %d %.*s;", (int)e->text.size, e->text.data, e->stage,
                (int)e->rule.size, e->rule.data);
    else if (e->kind == EVENT_MERGE)
        sprintf(out + n, "%.*s of %zu at %zu, %g;", (int)e->text.size, e->text.data,
                e->n_pieces, e->changed, e->priority);
    else
        sprintf(out + n, "%s %.*s;", e->kind == EVENT_SPECIAL ? "!" : "=", (int)e->text.size,
                e->text.data);
}

static void tokens_are_explained(void **state) {
    static const Extra extras[] = {
        {"ab", TOKEN_NORMAL}, {"abc", TOKEN_NORMAL}, {"<x>", TOKEN_USER}};
    char told[500] = "";
    Text merges[2] = {text_of("a b"), text_of("ab c")};
    TokenList list = {0}, plain = {0};
    (void)state;
    Tokenizer *t = opened(bpe_file("gpt-2", extras, 3, merges, 2));
    Text text = text_of("abc ab<x>");
    assert_true(tokenizer_explain(t, text, false, write_event, told, &list, NULL));
    assert_string_equal(told, "[abc] 0  ?\\p{L}+;ab of 2 at 0, 0;abc of 1 at 0, 1;= abc;"
                              "[ ab] 0  ?\\p{L}+;ab of 2 at 1, 0;=  ;= ab;! <x>;");
    assert_true(tokenizer_encode(t, text, false, &plain, NULL));
    assert_int_equal(list.count, plain.count);
    assert_memory_equal(list.ids, plain.ids, plain.count * sizeof *plain.ids);
    token_list_free(&list), token_list_free(&plain);
    tokenizer_close(t);
    t = opened(bpe_file("default", NULL, 0, NULL, 0));
    told[0] = 0;
    assert_true(tokenizer_explain(t, text_of("a-"), false, write_event, told, &list, NULL));
    assert_string_equal(told, "[a] 1  ?\\p{L}+;= a;[-] 0 [\\p{P}\\$\\+<=>\\^~\\|]+;= -;");
    token_list_free(&list);
    tokenizer_close(t);
}

static void kinds_that_are_not_built_in_are_refused(void **state) {
    (void)state;
    Fault fault;
    static const Entry words[] = {{"a", 1, 0}};
    assert_null(open_file(kind_file("plamo2", words, 1), &fault));
    assert_contains(fault.text, "plamo2");
    GgufWriter *w = kind_file("bert", words, 1);
    gguf_put_int(w, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL, 1);
    assert_null(open_file(w, &fault));
    assert_contains(fault.text, "remove_extra_whitespaces");
}

RUN(TEST(unigram_takes_the_best_path), TEST(characters_are_written_plainer),
    TEST(wordpiece_takes_the_longest_from_the_left),
    TEST(rwkv_takes_the_longest_again_and_again), TEST(characters_are_merged),
    TEST(phi_3_drops_space_behind_special_tokens), TEST(bytes_that_are_no_text),
    TEST(tokens_are_explained), TEST(kinds_that_are_not_built_in_are_refused))
