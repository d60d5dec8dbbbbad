/* vocabulary.c - a synthetic vocabulary, shaped like a large model's.  See grammar_bench.h.
 *
 * Invariant: every token but the bytes and the end token is an earlier token plus one byte,
 * with a merge for it; so all prefixes of a token are tokens. */
#include "grammar_bench.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tokens in order of creation, as a tree: token = parent, then a byte. */
typedef struct Words {
    uint32_t *parent, *hash_next, *buckets;
    uint8_t *byte, *length;
    size_t count, room;
} Words;

enum { BUCKETS = 1 << 17, LONGEST = 100 };

static size_t vocabulary_bucket_of(uint32_t parent, uint8_t byte) {
    return (parent * 2654435761u ^ byte * 40503u) % BUCKETS;
}

/* The token for a text; creates it and its missing prefixes. */
static void vocabulary_add_text(Words *w, const char *text, size_t size) {
    uint32_t at = (uint8_t)text[0];
    for (size_t i = 1; i < size && i < LONGEST; i++) {
        uint8_t byte = (uint8_t)text[i];
        uint32_t *bucket = &w->buckets[vocabulary_bucket_of(at, byte)], next = *bucket;
        while (next && (w->parent[next] != at || w->byte[next] != byte))
            next = w->hash_next[next];
        if (!next) {
            if (w->count == w->room) return;
            next = (uint32_t)w->count++;
            w->parent[next] = at, w->byte[next] = byte;
            w->length[next] = (uint8_t)(i + 1);
            w->hash_next[next] = *bucket;
            *bucket = next;
        }
        at = next;
    }
}

static void vocabulary_add(Words *w, const char *text) {
    vocabulary_add_text(w, text, strlen(text));
}

/* ------------------------------------------------------------------ what is in it */

static void add_numbers(Words *w) {
    char text[8];
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof text, "%03d", i), vocabulary_add(w, text);
        if (i < 100) snprintf(text, sizeof text, "%02d", i), vocabulary_add(w, text);
    }
}

static void add_runs(Words *w) {
    static const char *const json[] = {
        "\":\"", "\":{\"", "\":[{\"", "\":[\"", "\",\"", "\"},{\"", "\"},\"", "\"}]",
        "\"}}",  "},\"",   "],\"",    "\"],\"", "\"]}",  "\":-",    "{\"",    "[{\"",
        "\":[[", "}}}",    "]}",      " {\"",   " [\"",  " \"",     " [{\"",  "\"\"",
        "\":\"", "\",\n",  "},\n",    "],\n",   "{\n",   "[\n",     "\"\n",   " [],",
        " {},",  "\\\"",   "\\n",     "\\\\",   "://",   "...",     "---",    "===",
        "***",   "//",     "\r\n",    "\\u00e", "\\u20"};
    static const char marks[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    for (size_t i = 0; i < sizeof json / sizeof *json; i++) vocabulary_add(w, json[i]);
    for (size_t i = 0; i + 1 < sizeof marks; i++)
        for (size_t k = 0; k + 1 < sizeof marks; k++) {
            char run[5] = {' ', marks[i], marks[k], marks[(7 * i + k) % 32], 0};
            vocabulary_add(w, run + 1), vocabulary_add_text(w, run, 3);
        }
    char blanks[66];
    memset(blanks, ' ', 65), blanks[0] = '\n';
    vocabulary_add_text(w, blanks + 1, 64), vocabulary_add_text(w, blanks, 65);
    memset(blanks, '\t', 65), blanks[0] = '\n';
    vocabulary_add_text(w, blanks + 1, 32), vocabulary_add_text(w, blanks, 16);
    memset(blanks, '\n', 65), vocabulary_add_text(w, blanks, 16);
}

static void add_scripts(Words *w) {
    for (uint32_t c = 0xA0; c < 0x600; c++) {
        char text[4];
        vocabulary_add_text(w, text, utf8_encode(c, text));
        char pair[5] = {' ', text[0], text[1], text[0], (char)(0x80 | (c * 7 & 63))};
        vocabulary_add_text(w, pair, 5);
    }
    for (uint32_t c = 0x3040; c < 0x7000; c++) {
        char text[4];
        vocabulary_add_text(w, text, utf8_encode(c, text));
    }
}

/* All words of a text, with and without a leading space, lower case and capitalized. */
static void add_words_of(Words *w, const char *text) {
    while (*text) {
        char word[LONGEST] = " ";
        size_t n = 1;
        for (; ((*text | 32) >= 'a' && (*text | 32) <= 'z') && n < 40; text++)
            word[n++] = *text;
        if (n > 1) vocabulary_add_text(w, word + 1, n - 1), vocabulary_add_text(w, word, n);
        word[1] &= ~32;
        if (n > 1) vocabulary_add_text(w, word + 1, n - 1), vocabulary_add_text(w, word, n);
        if (n == 1) text++;
    }
}

/* Words of random syllables, short ones more often. */
static void add_made_up(Words *w, Rng *rng) {
    static const char *const begin[] = {"b",  "c",  "d",  "f",  "g",  "h",  "l",  "m",  "n",
                                        "p",  "r",  "s",  "t",  "v",  "w",  "st", "tr", "pr",
                                        "ch", "sh", "th", "br", "pl", "gr", "",   "j",  "k"};
    static const char *const middle[] = {"a", "e", "i", "o", "u", "ea", "ou", "io", "ai"};
    static const char *const end[] = {"", "n", "r", "s", "t", "l", "m", "nd", "ng", "st", "ck"};
    char word[LONGEST] = " ";
    for (uint64_t k = 1 + rng_below(rng, 2) + rng_below(rng, 3); k > 0; k--) {
        strcat(word, begin[rng_below(rng, 27)]);
        strcat(word, middle[rng_below(rng, 9)]);
        strcat(word, end[rng_below(rng, 11)]);
    }
    uint64_t style = rng_below(rng, 8);
    if (style == 0) word[1] &= ~32;
    vocabulary_add(w, style < 2 || style > 5 ? word : word + 1);
}

static void vocabulary_fill(Words *w) {
    Rng rng = {1, 1, 0};
    add_numbers(w), add_runs(w), add_scripts(w);
    for (size_t i = 0; i < bench_n_calls; i++)
        add_words_of(w, bench_calls[i].name), add_words_of(w, bench_calls[i].properties),
            add_words_of(w, bench_calls[i].arguments);
    while (w->count < w->room) add_made_up(w, &rng);
}

/* ------------------------------------------------------------------ as a tokenizer */

static Text vocabulary_name_of(const Words *w, uint32_t token) {
    size_t n = w->length[token], size = 0;
    uint8_t bytes[LONGEST];
    for (size_t i = n; i-- > 0; token = w->parent[token]) bytes[i] = w->byte[token];
    char *name = malloc(2 * n);
    NEED_MEMORY(name, "a vocabulary");
    for (size_t i = 0; i < n; i++) size += utf8_encode(byte_to_visible(bytes[i]), name + size);
    return (Text){name, size};
}

/* "parent byte" */
static Text merge_of(const Words *w, const Text *names, uint32_t token) {
    Text left = names[w->parent[token]], right = names[w->byte[token]];
    char *merge = malloc(left.size + 1 + right.size);
    NEED_MEMORY(merge, "a vocabulary");
    memcpy(merge, left.data, left.size);
    merge[left.size] = ' ';
    memcpy(merge + left.size + 1, right.data, right.size);
    return (Text){merge, left.size + 1 + right.size};
}

/* The last token ends texts. */
static bool write_words(const Words *w, Text *names, Text *merges, unsigned char **bytes,
                        size_t *size, Fault *fault) {
    GgufWriter *out = gguf_writer_open(fault);
    if (!out) return false;
    for (uint32_t i = 0; i < w->count; i++) names[i] = vocabulary_name_of(w, i);
    for (uint32_t i = 256; i < w->count; i++) merges[i - 256] = merge_of(w, names, i);
    names[w->count] = text_of("<|end_of_text|>");
    gguf_put_string(out, "general.architecture", text_of("llama"));
    gguf_put_string(out, "tokenizer.ggml.model", text_of("gpt2"));
    gguf_put_string(out, "tokenizer.ggml.pre", text_of("llama-bpe"));
    gguf_put_strings(out, "tokenizer.ggml.tokens", names, w->count + 1);
    gguf_put_strings(out, "tokenizer.ggml.merges", merges, w->count - 256);
    gguf_put_int(out, "tokenizer.ggml.bos_token_id", GGUF_U32, (int64_t)w->count);
    gguf_put_int(out, "tokenizer.ggml.eos_token_id", GGUF_U32, (int64_t)w->count);
    bool ok = gguf_write_memory(out, bytes, size, fault);
    gguf_writer_close(out);
    for (uint32_t i = 0; i < w->count; i++) free((char *)names[i].data);
    for (uint32_t i = 256; i < w->count; i++) free((char *)merges[i - 256].data);
    return ok;
}

bool bench_vocabulary_file(size_t tokens, unsigned char **bytes, size_t *size, Fault *fault) {
    Words w = {.count = 256, .room = tokens - 1};
    REQUIRE(tokens > 1000, "a vocabulary of %zu tokens has no room for some words", tokens);
    w.parent = calloc(tokens, sizeof *w.parent);
    w.hash_next = calloc(tokens, sizeof *w.hash_next);
    w.buckets = calloc(BUCKETS, sizeof *w.buckets);
    w.byte = calloc(tokens, 1), w.length = calloc(tokens, 1);
    Text *names = calloc(tokens, sizeof *names), *merges = calloc(tokens, sizeof *merges);
    bool ok = w.parent && w.hash_next && w.buckets && w.byte && w.length && names && merges;
    if (ok) {
        for (int b = 0; b < 256; b++) w.byte[b] = (uint8_t)b, w.length[b] = 1;
        vocabulary_fill(&w);
        ok = write_words(&w, names, merges, bytes, size, fault);
    } else {
        fault_set(fault, "no memory for %zu tokens", tokens);
    }
    free(w.parent), free(w.hash_next), free(w.buckets), free(w.byte), free(w.length);
    free(names), free(merges);
    return ok;
}

Tokenizer *bench_vocabulary(size_t tokens, Fault *fault) {
    unsigned char *bytes = NULL;
    size_t size;
    Gguf gguf;
    Tokenizer *tokenizer = NULL;
    if (bench_vocabulary_file(tokens, &bytes, &size, fault) &&
        gguf_parse(&gguf, bytes, size, fault)) {
        tokenizer = tokenizer_open(&gguf, fault);
        gguf_free(&gguf);
    }
    free(bytes);
    return tokenizer;
}
