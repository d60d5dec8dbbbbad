/* vocab.c - building a tokenizer from a model file.  See vocab.h. */
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

/* A file's strings, to be walked. */
typedef struct Strings {
    const unsigned char *cursor;
    size_t count;
} Strings;

static Strings strings_of(const GgufPair *pair) {
    return pair ? (Strings){pair->data, (size_t)pair->count} : (Strings){NULL, 0};
}

static size_t bytes_of(Strings strings) {
    size_t bytes = 0;
    for (size_t i = 0; i < strings.count; i++) bytes += gguf_next_string(&strings.cursor).size;
    return bytes;
}

/* Every string is written at most twice: as a symbol, and as a piece or a part of a merge. */
static bool allocate(Tokenizer *t, Strings tokens, Strings merges, Fault *fault) {
    bool room = symbols_allocate(t, t->count + 3 * merges.count, merges.count);
    t->bytes = malloc(2 * (bytes_of(tokens) + bytes_of(merges)) + 1);
    t->types = malloc(t->count);
    t->is_end = calloc(t->count, 1);
    if (t->sentencepiece) {
        t->pieces = calloc(t->count, sizeof *t->pieces);
        t->scores = calloc(t->count, sizeof *t->scores);
        t->joins = calloc(256, sizeof *t->joins);
        room = room && t->pieces && t->scores && t->joins;
    } else {
        t->pieces = t->symbols;
    }
    return (room && t->bytes && t->types && t->is_end) ||
           fault_set(fault, "no memory for a vocabulary of %zu tokens", t->count);
}

/* Special tokens keep their names; of the others BPE's are bytes.  SentencePiece looks tokens
 * up in escaped form, as the file has them. */
static char *add_tokens(Tokenizer *t, Strings tokens, char *out) {
    for (size_t i = 0; i < t->count; i++) {
        Text text = gguf_next_string(&tokens.cursor);
        bool special = t->types[i] == TOKEN_CONTROL || t->types[i] == TOKEN_USER;
        size_t size = text.size;
        if (t->sentencepiece || special)
            memcpy(out, text.data, text.size);
        else
            size = unescape_visible(text, out);
        vocab_add(t, (Text){out, size});
        out += size;
    }
    return out;
}

/* The byte that a token stands for by itself; -1: more than that. */
static int token_byte(const Tokenizer *t, size_t id) {
    Text text = t->symbols[id];
    if (t->sentencepiece) return t->types[id] == TOKEN_BYTE ? hex_byte(text) : -1;
    bool normal = t->types[id] == TOKEN_NORMAL || t->types[id] == TOKEN_UNDEFINED;
    return text.size == 1 && normal ? (unsigned char)text.data[0] : -1;
}

static void collect_bytes(Tokenizer *t) {
    for (int b = 0; b < 256; b++) t->byte_token[b] = -1;
    for (size_t i = 0; i < t->count; i++) {
        int byte = token_byte(t, i);
        if (byte >= 0 && t->byte_token[byte] < 0) t->byte_token[byte] = (int32_t)i;
    }
}

/* What a SentencePiece token decodes to, and which bytes stand side by side in it. */
static void add_pieces(Tokenizer *t, char *out) {
    for (size_t i = 0; i < t->count; i++) {
        Text text = t->symbols[i];
        int byte = token_byte(t, i);
        size_t size = byte >= 0 ? 1 : unescape_spaces(text, out);
        if (byte >= 0) out[0] = (char)byte;
        t->pieces[i] = (Text){out, size};
        out += size;
        for (size_t k = 1; k < text.size; k++)
            t->joins[(unsigned char)text.data[k - 1]][(unsigned char)text.data[k]] = true;
    }
}

/* The symbol of some bytes at *out; new ones stay there. */
static int32_t symbol_of(Tokenizer *t, Text bytes, char **out) {
    int32_t id = vocab_find(t, bytes);
    if (id >= 0) return id;
    vocab_add(t, bytes);
    *out = (char *)bytes.data + bytes.size;
    return (int32_t)t->n_symbols - 1;
}

/* "Ġth e": the space that separates is the first one after the first character.  Both parts lie
 * side by side, so the whole does, too. */
static bool add_merge(Tokenizer *t, Text merge, int32_t rank, char **out, Fault *fault) {
    const char *space = merge.size > 1 ? memchr(merge.data + 1, ' ', merge.size - 1) : NULL;
    if (!space)
        return fault_set(fault, "merge %d, '%.*s', has no two parts", rank,
                         (int)(merge.size < 40 ? merge.size : 40), merge.data);
    char *start = *out;
    Text left = {merge.data, (size_t)(space - merge.data)},
         right = {space + 1, merge.size - left.size - 1};
    left = (Text){start, unescape_visible(left, start)};
    right = (Text){start + left.size, unescape_visible(right, start + left.size)};
    int32_t l = symbol_of(t, left, out), r = symbol_of(t, right, out),
            m = symbol_of(t, (Text){start, left.size + right.size}, out);
    vocab_add_pair(t, (PairEntry){l, r, rank, m});
    return true;
}

static void read_numbers(Tokenizer *t, const Gguf *gguf) {
    const GgufPair *types = gguf_find(gguf, "tokenizer.ggml.token_type"),
                   *scores = gguf_find(gguf, "tokenizer.ggml.scores");
    for (size_t i = 0; i < t->count; i++) {
        int64_t type = TOKEN_NORMAL;
        double score = 0;
        gguf_int(types, i, &type);
        t->types[i] = (unsigned char)type;
        if (t->sentencepiece && gguf_float(scores, i, &score)) t->scores[i] = (float)score;
    }
}

static bool read_tables(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    Strings tokens = strings_of(gguf_find(gguf, "tokenizer.ggml.tokens")), merges = {NULL, 0};
    if (!t->sentencepiece) merges = strings_of(gguf_find(gguf, "tokenizer.ggml.merges"));
    if (!allocate(t, tokens, merges, fault)) return false;
    read_numbers(t, gguf);
    char *out = add_tokens(t, tokens, t->bytes);
    specials_by_name(t, gguf);
    collect_bytes(t);
    if (t->sentencepiece) add_pieces(t, out);
    for (size_t i = 0; i < merges.count; i++)
        if (!add_merge(t, gguf_next_string(&merges.cursor), (int32_t)i, &out, fault))
            return false;
    return specials_collect(t, fault);
}

/* ------------------------------------------------------------------ settings */

static bool missing(Fault *fault, const char *key, const char *wanted) {
    return fault_set(fault,
                     "the file's key '%s' is missing or not %s: this model has no tokenizer "
                     "that can be used",
                     key, wanted);
}

static bool read_kind(Tokenizer *t, const Gguf *gguf, Fault *fault) {
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
    const char *needed = t->sentencepiece ? "tokenizer.ggml.scores" : "tokenizer.ggml.merges";
    return gguf_find(gguf, needed) || missing(fault, needed, "an array");
}

static bool read_pre(const Tokenizer *t, const Gguf *gguf, PreRule *rule, Fault *fault) {
    Text pre = {"default", 7};
    *rule = (PreRule){.add_bos = true};
    if (t->sentencepiece) return true;
    gguf_string(gguf_find(gguf, "tokenizer.ggml.pre"), &pre);
    const PreRule *known = pre_rule_by_name(pre);
    if (known) *rule = *known;
    return known || fault_set(fault,
                              "tokenizer.ggml.pre is '%.*s': the rule by which this model's "
                              "text is split into words is not built in",
                              (int)(pre.size < 40 ? pre.size : 40), pre.data);
}

/* Where the file names no token the ids are those of Llama 2 and GPT-2's early conversions. */
static bool read_settings(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    bool spm = t->sentencepiece;
    PreRule rule;
    if (!read_pre(t, gguf, &rule, fault)) return false;
    t->split = rule.split;
    t->ignore_merges = rule.ignore_merges;
    t->bos = key_token(gguf, "tokenizer.ggml.bos_token_id", t->count, spm ? 1 : 11);
    t->eos = key_token(gguf, "tokenizer.ggml.eos_token_id", t->count, spm ? 2 : 11);
    t->unknown = key_token(gguf, "tokenizer.ggml.unknown_token_id", t->count, spm ? 0 : -1);
    t->add_bos = key_flag(gguf, "tokenizer.ggml.add_bos_token", rule.add_bos);
    t->add_space_prefix = key_flag(gguf, "tokenizer.ggml.add_space_prefix", spm);
    if (t->add_space_prefix && !spm)
        return fault_set(fault, "tokenizer.ggml.add_space_prefix is true: with a tokenizer of "
                                "the kind gpt2 that is not built in");
    return true;
}

Tokenizer *tokenizer_open(const Gguf *gguf, Fault *fault) {
    Tokenizer *t = calloc(1, sizeof *t);
    Companion *companion = calloc(1, sizeof *companion);
    if (!t || !companion) {
        free(t), free(companion);
        fault_set(fault, "no memory for a tokenizer");
        return NULL;
    }
    pthread_mutex_init(&companion->lock, NULL);
    t->companion = companion;
    if (read_kind(t, gguf, fault) && keys_check(gguf, t->count, fault) &&
        read_settings(t, gguf, fault) && read_tables(t, gguf, fault))
        return t;
    tokenizer_close(t);
    return NULL;
}

static void close_companion(Companion *c) {
    if (!c) return;
    if (c->object) c->close(c->object);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void *tokenizer_companion(const Tokenizer *tokenizer,
                          void *(*make)(const Tokenizer *tokenizer, Fault *fault),
                          void (*close)(void *companion), Fault *fault) {
    Companion *c = tokenizer->companion;
    pthread_mutex_lock(&c->lock);
    if (!c->object) c->object = make(tokenizer, fault), c->close = close;
    void *object = c->object;
    pthread_mutex_unlock(&c->lock);
    return object;
}

void tokenizer_close(Tokenizer *t) {
    if (!t) return;
    close_companion(t->companion);
    if (t->sentencepiece) free(t->pieces);
    free(t->symbols), free(t->types), free(t->scores), free(t->bytes), free(t->joins);
    free(t->table), free(t->pairs), free(t->specials), free(t->is_end);
    free(t);
}
