/* tables.c - a vocabulary's symbols, pieces and merges, from a file's lists of strings.
 *
 * A table of 150,000 tokens does not fit the nearest cache, and opening one is bound by memory
 * latency, so hash slots are prefetched (vocab_expect). */
#include "tokenizer/tokenizer_kinds.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 16 }; /* lookups in flight */

/* A file's strings, read in order. */
typedef struct Strings {
    const unsigned char *cursor;
    size_t count;
} Strings;

static Strings strings_of(const GgufPair *pair) {
    return (Strings){pair->data, (size_t)pair->count};
}

static size_t strings_size(Strings strings) {
    size_t bytes = 0;
    for (size_t i = 0; i < strings.count; i++) bytes += gguf_next_string(&strings.cursor).size;
    return bytes;
}

/* Every string is stored at most twice: as a symbol, and as a piece or part of a merge. */
static bool tables_allocate(Tokenizer *t, Strings tokens, Strings merges, bool scores,
                            Fault *fault) {
    bool room = symbols_allocate(t, t->count + 3 * merges.count, merges.count);
    t->bytes = malloc(2 * (strings_size(tokens) + strings_size(merges)) + 1);
    t->types = malloc(t->count);
    t->is_end = calloc(t->count, 1);
    t->pieces = t->spaces ? calloc(t->count, sizeof *t->pieces) : t->symbols;
    if (t->spaces) t->joins = calloc(256, sizeof *t->joins);
    if (scores) t->scores = calloc(t->count, sizeof *t->scores);
    return (room && t->bytes && t->types && t->is_end && t->pieces &&
            (t->joins || !t->spaces) && (t->scores || !scores)) ||
           fault_set(fault, "no memory for a vocabulary of %zu tokens", t->count);
}

/* A token's name in the form in which text is looked up.  Special tokens keep theirs, and so do
 * those with U+2581 for spaces. */
static size_t read_name(Unescape *unescape, Text text, char *out) {
    if (unescape) return unescape(text, out);
    memcpy(out, text.data, text.size);
    return text.size;
}

/* Returns the end of what it wrote, or NULL when memory is short. */
static char *add_tokens(Tokenizer *t, Strings tokens, char *out) {
    for (size_t i = 0; i < t->count; i++) {
        Text text = gguf_next_string(&tokens.cursor);
        bool special = t->types[i] == TOKEN_CONTROL || t->types[i] == TOKEN_USER;
        size_t size = read_name(special ? NULL : t->unescape, text, out);
        t->symbols[i] = (Text){out, size};
        out += size;
    }
    for (size_t i = 0; i < t->count; i++) {
        if (i + AHEAD < t->count) vocab_expect(t, t->symbols[i + AHEAD]);
        if (!vocab_add(t, t->symbols[i])) return NULL;
    }
    return out;
}

/* The byte a token stands for; -1: it is longer. */
static int token_byte(const Tokenizer *t, size_t id) {
    Text text = t->symbols[id];
    bool normal = t->types[id] == TOKEN_NORMAL || t->types[id] == TOKEN_UNDEFINED;
    if (!t->spaces) return text.size == 1 && normal ? (unsigned char)text.data[0] : -1;
    bool byte = t->types[id] == TOKEN_BYTE || (normal && t->kind->merges);
    return byte ? hex_byte(text) : -1;
}

static void collect_bytes(Tokenizer *t) {
    for (int b = 0; b < 256; b++) t->byte_token[b] = -1;
    for (size_t i = 0; i < t->count; i++) {
        int byte = token_byte(t, i);
        if (byte >= 0 && t->byte_token[byte] < 0) t->byte_token[byte] = (int32_t)i;
    }
}

/* Is there a U+2581 after another character? */
static bool has_space_inside(Text text) {
    bool other = false;
    for (size_t k = 0; k < text.size; k++) {
        bool space = is_escaped_space(text, k);
        if (space && other) return true;
        if (space) k += 2;
        other = !space;
    }
    return false;
}

/* What each token decodes to, and which bytes are neighbours in it. */
static char *add_pieces(Tokenizer *t, char *out) {
    t->space_begins = true;
    for (size_t i = 0; i < t->count; i++) {
        Text text = t->symbols[i];
        int byte = token_byte(t, i);
        size_t size = byte >= 0 ? 1 : unescape_spaces(text, out);
        if (byte >= 0) out[0] = (char)byte;
        t->pieces[i] = (Text){out, size};
        out += size;
        for (size_t k = 1; k < text.size; k++)
            t->joins[(unsigned char)text.data[k - 1]][(unsigned char)text.data[k]] = true;
        if (has_space_inside(text)) t->space_begins = false;
    }
    return out;
}

/* ------------------------------------------------------------------ merges */

/* Left and right are adjacent in memory, so together they are the merged string. */
typedef struct Merge {
    Text left, right;
    PairEntry pair;
} Merge;

/* The symbol with these bytes, added (and its bytes borrowed) if new; -1: memory is short.
 *
 *   guess   tried first */
static int32_t symbol_of(Tokenizer *t, Text bytes, size_t guess) {
    if (!t->repeats && guess < t->count && text_equal(t->symbols[guess], bytes))
        return (int32_t)guess;
    int32_t id = vocab_find(t, bytes);
    if (id >= 0) return id;
    return vocab_add(t, bytes) ? (int32_t)t->n_symbols - 1 : -1;
}

/* "Ġth e": the separator is the first space after the first character. */
static bool tables_read_merge(Tokenizer *t, Text text, Merge *merge, char *out, Fault *fault) {
    const char *space = text.size > 1 ? memchr(text.data + 1, ' ', text.size - 1) : NULL;
    if (!space)
        return fault_set(fault, "merge %d, '%.*s', does not have two parts", merge->pair.rank,
                         (int)(text.size < 40 ? text.size : 40), text.data);
    Text left = {text.data, (size_t)(space - text.data)},
         right = {space + 1, text.size - left.size - 1};
    merge->left = (Text){out, read_name(t->unescape, left, out)};
    out += merge->left.size;
    merge->right = (Text){out, read_name(t->unescape, right, out)};
    vocab_expect(t, merge->left), vocab_expect(t, merge->right);
    return true;
}

/* The symbols of a merge.
 *
 *   whole   the previous merge's result: in most files the token before this one's */
static bool find_merge(Tokenizer *t, Merge *merge, size_t *whole, Fault *fault) {
    PairEntry *pair = &merge->pair;
    Text both = {merge->left.data, merge->left.size + merge->right.size};
    pair->left = symbol_of(t, merge->left, SIZE_MAX);
    pair->right = symbol_of(t, merge->right, SIZE_MAX);
    pair->merged = symbol_of(t, both, *whole + 1);
    if (pair->left < 0 || pair->right < 0 || pair->merged < 0)
        return fault_set(fault, "no memory for the merges");
    vocab_expect_pair(t, pair->left, pair->right);
    *whole = (size_t)pair->merged;
    return true;
}

/* AHEAD merges at a time: read all, find all, add all, so that the prefetches help.
 *
 *   out   receives their bytes, which are kept if they are a new symbol */
static bool add_merges(Tokenizer *t, Strings merges, char *out, Fault *fault) {
    Merge some[AHEAD];
    size_t whole = 0;
    for (size_t first = 0, n; first < merges.count; first += n) {
        size_t symbols = t->n_symbols;
        char *end = out;
        n = merges.count - first < AHEAD ? merges.count - first : AHEAD;
        for (size_t i = 0; i < n; i++) {
            some[i].pair.rank = (int32_t)(first + i);
            if (!tables_read_merge(t, gguf_next_string(&merges.cursor), &some[i], end, fault))
                return false;
            end += some[i].left.size + some[i].right.size;
        }
        for (size_t i = 0; i < n; i++)
            if (!find_merge(t, &some[i], &whole, fault)) return false;
        for (size_t i = 0; i < n; i++) vocab_add_pair(t, some[i].pair);
        if (t->n_symbols > symbols) out = end;
    }
    return true;
}

/* ------------------------------------------------------------------ all of it */

static void tables_read_numbers(Tokenizer *t, const Gguf *gguf) {
    const GgufPair *types = gguf_find(gguf, "tokenizer.ggml.token_type"),
                   *scores = gguf_find(gguf, "tokenizer.ggml.scores");
    for (size_t i = 0; i < t->count; i++) {
        int64_t type = TOKEN_NORMAL;
        double score = 0;
        gguf_int(types, i, &type);
        t->types[i] = (unsigned char)type;
        if (t->scores) gguf_float(scores, i, &score), t->scores[i] = (float)score;
    }
}

bool tables_read(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    Strings tokens = strings_of(gguf_find(gguf, "tokenizer.ggml.tokens")), merges = {NULL, 0};
    if (t->kind->merges) merges = strings_of(gguf_find(gguf, "tokenizer.ggml.merges"));
    if (!tables_allocate(t, tokens, merges, gguf_find(gguf, "tokenizer.ggml.scores"), fault))
        return false;
    tables_read_numbers(t, gguf);
    char *out = add_tokens(t, tokens, t->bytes);
    if (!out) return fault_set(fault, "no memory for a vocabulary of %zu tokens", t->count);
    specials_by_name(t, gguf);
    collect_bytes(t);
    if (t->spaces) out = add_pieces(t, out);
    return add_merges(t, merges, out, fault) && specials_collect(t, gguf, fault);
}
