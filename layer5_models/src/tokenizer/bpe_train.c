/* bpe_train.c - a byte-level BPE vocabulary from texts: count the words, spell them in bytes,
 * learn the merges (bpe_learn.c), write them into a GGUF file. */
#include "bpe_train.h"
#include "vocab/escape.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

static WordCount *word_slot(WordCount *words, size_t capacity, Text bytes) {
    size_t slot = vocab_hash(bytes) & (capacity - 1);
    while (words[slot].bytes.size && !text_equal(words[slot].bytes, bytes))
        slot = (slot + 1) & (capacity - 1);
    return &words[slot];
}

static void words_widen(BpeTrainer *t) {
    size_t capacity = t->capacity ? 2 * t->capacity : 4096;
    WordCount *words = calloc(capacity, sizeof *words);
    if (!words) {
        t->ok = false;
        return;
    }
    for (size_t i = 0; i < t->capacity; i++)
        if (t->words[i].bytes.size)
            *word_slot(words, capacity, t->words[i].bytes) = t->words[i];
    free(t->words);
    t->words = words;
    t->capacity = capacity;
}

/* GPT-2's rule and the text it splits. */
typedef struct Cutting {
    Splitter splitter;
    PreTokenizer pre;
} Cutting;

static void count_words(BpeTrainer *t, Cutting *c, Text text) {
    Cut cut;
    bool end = false;
    pre_begin(&c->pre, &c->splitter, text);
    while (t->ok && pre_next(&c->pre, &cut, &end, NULL) && !end) {
        if (2 * t->used >= t->capacity) words_widen(t);
        if (!t->ok) return;
        WordCount *entry = word_slot(t->words, t->capacity, cut.word);
        if (!entry->bytes.size) entry->bytes = cut.word, t->used++;
        entry->count++;
    }
    t->ok = t->ok && end;
}

/* Cut the text at special tokens, which are never part of a word. */
static void count_text(BpeTrainer *t, Cutting *c, Text text, const char *const *specials,
                       size_t n) {
    size_t from = 0;
    for (size_t at = 0; at < text.size; at++)
        for (size_t i = 0; i < n; i++) {
            size_t size = strlen(specials[i]);
            if (size > text.size - at || memcmp(text.data + at, specials[i], size) != 0)
                continue;
            count_words(t, c, (Text){text.data + from, at - from});
            at = from = at + size;
            at--;
            break;
        }
    count_words(t, c, (Text){text.data + from, text.size - from});
}

static void spell_words(BpeTrainer *t) {
    size_t total = 0;
    for (size_t i = 0; i < t->capacity && t->ok; i++) {
        WordCount *word = &t->words[i];
        if (!word->bytes.size) continue;
        word->n = word->bytes.size;
        word->symbols = malloc(word->n * sizeof *word->symbols);
        t->ok = word->symbols != NULL;
        for (size_t k = 0; t->ok && k < word->n; k++)
            word->symbols[k] = (unsigned char)word->bytes.data[k];
        total += word->n;
    }
    for (t->pair_capacity = 1024; t->pair_capacity < 2 * total;)
        t->pair_capacity *= 2; /* no more pairs than symbols */
    t->pairs = calloc(t->pair_capacity, sizeof *t->pairs);
    t->ok = t->ok && t->pairs;
}

/* Bytes as visible characters, in a new string. */
static Text visible(Text bytes) {
    char *out = malloc(2 * bytes.size);
    size_t size = 0;
    NEED_MEMORY(out, "a token");
    for (size_t i = 0; i < bytes.size; i++)
        size += utf8_encode(byte_to_visible((unsigned char)bytes.data[i]), out + size);
    return (Text){out, size};
}

static void write_merges(const BpeTrainer *t, const Text *names, GgufWriter *out) {
    size_t n = t->n_symbols - 256;
    Text *merges = calloc(n + 1, sizeof *merges);
    NEED_MEMORY(merges, "%zu merges", n);
    for (size_t i = 0; i < n; i++) {
        Text left = names[t->merges[i][0]], right = names[t->merges[i][1]];
        char *joined = malloc(left.size + right.size + 1);
        NEED_MEMORY(joined, "a merge");
        memcpy(joined, left.data, left.size);
        joined[left.size] = ' ';
        memcpy(joined + left.size + 1, right.data, right.size);
        merges[i] = (Text){joined, left.size + right.size + 1};
    }
    gguf_put_strings(out, "tokenizer.ggml.merges", merges, n);
    for (size_t i = 0; i < n; i++) free((char *)merges[i].data);
    free(merges);
}

static void write_vocab(const BpeTrainer *t, const char *const *specials, size_t n_specials,
                        GgufWriter *out) {
    size_t count = n_specials + t->n_symbols;
    Text *names = calloc(count, sizeof *names);
    int64_t *types = calloc(count, sizeof *types);
    NEED_MEMORY(names && types, "%zu tokens", count);
    for (size_t i = 0; i < count; i++) {
        names[i] = i < n_specials ? text_of(specials[i]) : visible(t->symbols[i - n_specials]);
        types[i] = i < n_specials ? TOKEN_CONTROL : TOKEN_NORMAL;
    }
    gguf_put_string(out, "tokenizer.ggml.model", text_of("gpt2"));
    gguf_put_string(out, "tokenizer.ggml.pre", text_of("gpt-2"));
    gguf_put_strings(out, "tokenizer.ggml.tokens", names, count);
    gguf_put_ints(out, "tokenizer.ggml.token_type", GGUF_I32, types, count);
    write_merges(t, names + n_specials, out);
    gguf_put_int(out, "tokenizer.ggml.bos_token_id", GGUF_U32, 0);
    gguf_put_int(out, "tokenizer.ggml.eos_token_id", GGUF_U32, 0);
    gguf_put_int(out, "tokenizer.ggml.add_bos_token", GGUF_BOOL, 1);
    for (size_t i = n_specials; i < count; i++) free((char *)names[i].data);
    free(names);
    free(types);
}

static void release(BpeTrainer *t) {
    for (size_t i = 0; i < t->capacity; i++) free(t->words[i].symbols);
    for (size_t i = 256; t->symbols && i < t->n_symbols; i++) free((char *)t->symbols[i].data);
    free(t->words), free(t->symbols), free(t->merges), free(t->pairs);
}

bool bpe_train(const Text *texts, size_t n_texts, const char *const *specials,
               size_t n_specials, size_t vocab, GgufWriter *out, Fault *fault) {
    char single[256];
    if (vocab < n_specials + 256)
        return fault_set(fault,
                         "a vocabulary of %zu has no room for %zu special tokens and 256 bytes",
                         vocab, n_specials);
    BpeTrainer t = {.n_symbols = 256, .max_symbols = vocab - n_specials, .ok = true};
    t.symbols = calloc(vocab, sizeof *t.symbols);
    t.merges = calloc(vocab, sizeof *t.merges);
    Cutting cutting = {0};
    t.ok = t.symbols && t.merges &&
           splitter_open(&cutting.splitter, pre_rule_by_name(text_of("gpt-2"))->stages,
                         &word_notation, NULL);
    for (int i = 0; t.ok && i < 256; i++)
        single[i] = (char)i, t.symbols[i] = (Text){single + i, 1};
    for (size_t i = 0; t.ok && i < n_texts; i++)
        count_text(&t, &cutting, texts[i], specials, n_specials);
    pre_free(&cutting.pre), splitter_close(&cutting.splitter);
    if (t.ok) spell_words(&t);
    bool ok = t.ok ? bpe_learn(&t, fault) : fault_set(fault, "no memory to learn a vocabulary");
    if (ok) write_vocab(&t, specials, n_specials, out);
    release(&t);
    return ok;
}
