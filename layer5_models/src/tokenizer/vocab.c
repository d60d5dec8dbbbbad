/* vocab.c - building a tokenizer's tables from a model file.  See vocab.h. */
#include "vocab.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t vocab_hash(Text text) {
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

/* The slot of a string: where it is, or the empty one where it would go. */
static size_t slot_of(const Tokenizer *t, Text bytes) {
    size_t slot = vocab_hash(bytes) & (t->table_size - 1);
    while (t->table[slot] >= 0 && !text_equal(t->symbols[t->table[slot]], bytes))
        slot = (slot + 1) & (t->table_size - 1);
    return slot;
}

int32_t vocab_find(const Tokenizer *tokenizer, Text bytes) {
    return tokenizer->table[slot_of(tokenizer, bytes)];
}

static size_t pair_slot(const Tokenizer *t, int32_t left, int32_t right) {
    size_t slot =
        rng_hash((uint64_t)(uint32_t)left, (uint64_t)(uint32_t)right, 0) & (t->pairs_size - 1);
    while (t->pairs[slot].left >= 0 &&
           (t->pairs[slot].left != left || t->pairs[slot].right != right))
        slot = (slot + 1) & (t->pairs_size - 1);
    return slot;
}

const PairEntry *vocab_pair(const Tokenizer *tokenizer, int32_t left, int32_t right) {
    if (!tokenizer->pairs_size) return NULL;
    const PairEntry *entry = &tokenizer->pairs[pair_slot(tokenizer, left, right)];
    return entry->left >= 0 ? entry : NULL;
}

static bool missing(Fault *fault, const char *key, const char *wanted) {
    return fault_set(fault,
                     "the file's key '%s' is missing or not %s: this model has no tokenizer "
                     "that can be used",
                     key, wanted);
}

/* Tables for `most` symbols in `bytes` bytes. */
static bool allocate(Tokenizer *t, size_t most, size_t bytes, size_t merges, Fault *fault) {
    t->table_size = t->pairs_size = 16;
    while (t->table_size < 2 * most) t->table_size *= 2;
    while (t->pairs_size < 2 * merges) t->pairs_size *= 2;
    t->symbols = calloc(most + 1, sizeof *t->symbols);
    t->bytes = malloc(bytes + 1);
    t->table = malloc(t->table_size * sizeof *t->table);
    t->pairs = malloc(t->pairs_size * sizeof *t->pairs);
    t->types = malloc(t->count + 1);
    t->is_end = calloc(t->count + 1, 1);
    t->scores = calloc(t->count + 1, sizeof *t->scores);
    t->specials = calloc(t->count + 1, sizeof *t->specials);
    if (!t->symbols || !t->bytes || !t->table || !t->pairs || !t->types || !t->is_end ||
        !t->scores || !t->specials)
        return fault_set(fault, "no memory for a vocabulary of %zu tokens", t->count);
    for (size_t i = 0; i < t->table_size; i++) t->table[i] = -1;
    for (size_t i = 0; i < t->pairs_size; i++) t->pairs[i].left = -1;
    return true;
}

/* Visible characters back to bytes; other characters (in special tokens) stay.  Returns the
 * size. */
static size_t unescape_visible(Text text, char *out) {
    size_t size = 0, taken;
    for (size_t at = 0; at < text.size; at += taken) {
        uint32_t code = utf8_decode(text.data + at, text.size - at, &taken);
        int byte = visible_to_byte(code);
        if (byte >= 0)
            out[size++] = (char)byte;
        else
            memcpy(out + size, text.data + at, taken), size += taken;
    }
    return size;
}

static int hex_byte(Text text) { /* "<0x0A>" */
    unsigned value;
    char name[8] = "";
    if (text.size != 6) return -1;
    memcpy(name, text.data, 6);
    return sscanf(name, "<0x%2X>", &value) == 1 ? (int)value : -1;
}

/* U+2581 back to spaces. */
static size_t unescape_spaces(Text text, char *out) {
    size_t size = 0;
    for (size_t at = 0; at < text.size; at++) {
        bool space = text.size - at >= 3 && memcmp(text.data + at, "\xe2\x96\x81", 3) == 0;
        out[size++] = space ? ' ' : text.data[at];
        if (space) at += 2;
    }
    return size;
}

static void add_symbol(Tokenizer *t, Text bytes) {
    size_t slot = slot_of(t, bytes);
    t->symbols[t->n_symbols] = bytes;
    if (t->table[slot] < 0)
        t->table[slot] = (int32_t)t->n_symbols; /* the first of equal tokens is the one found */
    t->n_symbols++;
}

/* Keys are looked up in escaped form while encoding SentencePiece, so there the table is built
 * over the file's own strings and the pieces are unescaped after. */
static char *add_tokens(Tokenizer *t, const GgufPair *tokens, char *out) {
    const unsigned char *cursor = tokens->data;
    for (size_t i = 0; i < t->count; i++) {
        Text text = gguf_next_string(&cursor);
        bool special = t->types[i] == TOKEN_CONTROL || t->types[i] == TOKEN_USER;
        size_t size = text.size;
        if (t->sentencepiece || special)
            memcpy(out, text.data, text.size);
        else
            size = unescape_visible(text, out);
        add_symbol(t, (Text){out, size});
        out += size;
    }
    return out;
}

static int compare_longest(const void *a, const void *b, const Tokenizer *t) {
    size_t left = t->symbols[*(const int32_t *)a].size,
           right = t->symbols[*(const int32_t *)b].size;
    return left > right ? -1 : left < right ? 1 : *(const int32_t *)a - *(const int32_t *)b;
}

static void collect_specials(Tokenizer *t) {
    for (size_t i = 0; i < t->count; i++) {
        if (t->types[i] != TOKEN_CONTROL && t->types[i] != TOKEN_USER) continue;
        if (t->symbols[i].size == 0) continue;
        size_t at = t->n_specials++; /* insertion keeps the list longest first */
        int32_t id = (int32_t)i;
        for (; at > 0 && compare_longest(&id, &t->specials[at - 1], t) < 0; at--)
            t->specials[at] = t->specials[at - 1];
        t->specials[at] = id;
    }
}

static void collect_bytes(Tokenizer *t) {
    for (int b = 0; b < 256; b++) t->byte_token[b] = -1;
    for (size_t i = 0; i < t->count; i++) {
        Text text = t->symbols[i];
        int byte = t->sentencepiece ? (t->types[i] == TOKEN_BYTE ? hex_byte(text) : -1)
                                    : (text.size == 1 && t->types[i] == TOKEN_NORMAL
                                           ? (unsigned char)text.data[0]
                                           : -1);
        if (byte >= 0 && t->byte_token[byte] < 0) t->byte_token[byte] = (int32_t)i;
    }
}

/* After the tables stand, a SentencePiece token's piece is what it decodes to. */
static void unescape_pieces(Tokenizer *t, char *out) {
    for (size_t i = 0; i < t->count; i++) {
        Text text = t->symbols[i];
        int byte = t->types[i] == TOKEN_BYTE ? hex_byte(text) : -1;
        size_t size = byte >= 0 ? 1 : unescape_spaces(text, out);
        if (byte >= 0) out[0] = (char)byte;
        t->symbols[t->count + i] = (Text){out, size};
        out += size;
    }
}

static int32_t symbol_id(Tokenizer *t, Text visible, char **out) {
    Text bytes = {*out, unescape_visible(visible, *out)};
    int32_t id = vocab_find(t, bytes);
    if (id >= 0) return id;
    add_symbol(t, bytes);
    *out += bytes.size;
    return (int32_t)t->n_symbols - 1;
}

/* "Ġth e": the space that separates is the first one after the first character. */
static bool add_merge(Tokenizer *t, Text merge, int32_t rank, char **out, Fault *fault) {
    const char *space = merge.size > 1 ? memchr(merge.data + 1, ' ', merge.size - 1) : NULL;
    if (!space)
        return fault_set(fault, "merge %d, '%.*s', has no two parts", rank,
                         (int)(merge.size < 40 ? merge.size : 40), merge.data);
    Text left = {merge.data, (size_t)(space - merge.data)},
         right = {space + 1, merge.size - left.size - 1};
    char joined[1024];
    if (merge.size > sizeof joined)
        return fault_set(fault, "merge %d is %zu bytes long", rank, merge.size);
    memcpy(joined, left.data, left.size);
    memcpy(joined + left.size, right.data, right.size);
    int32_t l = symbol_id(t, left, out), r = symbol_id(t, right, out);
    int32_t m = symbol_id(t, (Text){joined, left.size + right.size}, out);
    PairEntry *entry = &t->pairs[pair_slot(t, l, r)];
    if (entry->left < 0) *entry = (PairEntry){l, r, rank, m};
    return true;
}

static bool read_types(Tokenizer *t, const Gguf *gguf) {
    const GgufPair *types = gguf_find(gguf, "tokenizer.ggml.token_type");
    for (size_t i = 0; i < t->count; i++) {
        int64_t type = TOKEN_NORMAL;
        if (types && !gguf_int(types, i, &type)) return false;
        t->types[i] = (unsigned char)type;
    }
    return true;
}

static bool read_tables(Tokenizer *t, const Gguf *gguf, const GgufPair *tokens, Fault *fault) {
    const GgufPair *merges = gguf_find(gguf, "tokenizer.ggml.merges"),
                   *scores = gguf_find(gguf, "tokenizer.ggml.scores");
    size_t n_merges = 0, bytes = 0;
    if (!t->sentencepiece) {
        if (!merges || merges->item != GGUF_STRING || merges->type != GGUF_ARRAY)
            return missing(fault, "tokenizer.ggml.merges", "an array of strings");
        n_merges = (size_t)merges->count;
    }
    const unsigned char *cursor = tokens->data;
    for (size_t i = 0; i < t->count; i++) bytes += 2 * gguf_next_string(&cursor).size + 8;
    cursor = n_merges ? merges->data : NULL;
    for (size_t i = 0; i < n_merges; i++) bytes += 2 * gguf_next_string(&cursor).size;
    if (!allocate(t, 2 * t->count + 3 * n_merges + 1, bytes, n_merges, fault)) return false;
    if (!read_types(t, gguf))
        return missing(fault, "tokenizer.ggml.token_type", "one number for each token");
    char *out = add_tokens(t, tokens, t->bytes);
    for (size_t i = 0; t->sentencepiece && i < t->count; i++) {
        double score;
        if (!gguf_float(scores, i, &score))
            return missing(fault, "tokenizer.ggml.scores", "one number for each token");
        t->scores[i] = (float)score;
    }
    collect_specials(t);
    collect_bytes(t);
    if (t->sentencepiece) unescape_pieces(t, out);
    cursor = n_merges ? merges->data : NULL;
    for (size_t i = 0; i < n_merges; i++)
        if (!add_merge(t, gguf_next_string(&cursor), (int32_t)i, &out, fault)) return false;
    return true;
}

static int32_t token_key(const Tokenizer *t, const Gguf *gguf, const char *key,
                         int32_t fallback) {
    int64_t id;
    if (!gguf_int(gguf_find(gguf, key), 0, &id)) id = fallback;
    return id >= 0 && (size_t)id < t->count ? (int32_t)id : -1;
}

static bool flag_key(const Gguf *gguf, const char *key, bool fallback) {
    int64_t value;
    return gguf_int(gguf_find(gguf, key), 0, &value) ? value != 0 : fallback;
}

/* Tokens that end a generation: the file's EOS, EOT and EOM, and special tokens known by
 * name. */
static void collect_ends(Tokenizer *t, const Gguf *gguf) {
    static const char *const keys[] = {"tokenizer.ggml.eos_token_id",
                                       "tokenizer.ggml.eot_token_id",
                                       "tokenizer.ggml.eom_token_id"};
    static const char *const names[] = {"<|im_end|>",    "<|eot_id|>", "<|endoftext|>",
                                        "<end_of_turn>", "<|end|>",    "<|end_of_text|>",
                                        "<|eom_id|>"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int32_t id = token_key(t, gguf, keys[i], -1);
        if (id >= 0) t->is_end[id] = 1;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int32_t id = tokenizer_find(t, names[i]);
        if (id >= 0 && (t->types[id] == TOKEN_CONTROL || t->types[id] == TOKEN_USER))
            t->is_end[id] = 1;
    }
}

static void read_settings(Tokenizer *t, const Gguf *gguf) {
    bool spm = t->sentencepiece;
    t->bos = token_key(t, gguf, "tokenizer.ggml.bos_token_id", spm ? 1 : 11);
    t->eos = token_key(t, gguf, "tokenizer.ggml.eos_token_id", spm ? 2 : 11);
    t->unknown = token_key(t, gguf, "tokenizer.ggml.unknown_token_id", 0);
    t->add_space_prefix = flag_key(gguf, "tokenizer.ggml.add_space_prefix", spm);
    bool llama3 = !spm && !t->split.gpt2 && t->split.digits == 3;
    t->add_bos = flag_key(gguf, "tokenizer.ggml.add_bos_token", spm || llama3);
    collect_ends(t, gguf);
}

static bool read_split(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    Text pre = {"default", 7};
    gguf_string(gguf_find(gguf, "tokenizer.ggml.pre"), &pre);
    if (t->sentencepiece || split_rule_by_name(pre.data, pre.size, &t->split)) return true;
    return fault_set(fault,
                     "tokenizer.ggml.pre is '%.*s': of the rules that split words gpt-2, "
                     "llama-bpe, qwen2 and tekken are built in",
                     (int)(pre.size < 40 ? pre.size : 40), pre.data);
}

static bool read_vocab(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    Text model;
    const GgufPair *tokens = gguf_find(gguf, "tokenizer.ggml.tokens");
    if (!gguf_string(gguf_find(gguf, "tokenizer.ggml.model"), &model))
        return missing(fault, "tokenizer.ggml.model", "a string");
    if (!tokens || tokens->type != GGUF_ARRAY || tokens->item != GGUF_STRING ||
        tokens->count == 0 || tokens->count > INT32_MAX / 8)
        return missing(fault, "tokenizer.ggml.tokens", "an array of strings");
    t->sentencepiece = text_equal(model, text_of("llama"));
    if (!t->sentencepiece && !text_equal(model, text_of("gpt2")))
        return fault_set(fault,
                         "tokenizer.ggml.model is '%.*s': gpt2 (byte-level BPE) and llama "
                         "(SentencePiece) are built in",
                         (int)(model.size < 40 ? model.size : 40), model.data);
    t->count = (size_t)tokens->count;
    if (!read_split(t, gguf, fault) || !read_tables(t, gguf, tokens, fault)) return false;
    read_settings(t, gguf);
    return true;
}

Tokenizer *tokenizer_open(const Gguf *gguf, Fault *fault) {
    Tokenizer *tokenizer = calloc(1, sizeof *tokenizer);
    if (!tokenizer) {
        fault_set(fault, "no memory for a tokenizer");
        return NULL;
    }
    if (read_vocab(tokenizer, gguf, fault)) return tokenizer;
    tokenizer_close(tokenizer);
    return NULL;
}

void tokenizer_close(Tokenizer *t) {
    if (!t) return;
    free(t->symbols), free(t->types), free(t->scores), free(t->bytes);
    free(t->table), free(t->pairs), free(t->specials), free(t->is_end);
    free(t);
}
