/* vocab.c - building a tokenizer from a model file.  See vocab.h. */
#include "vocab.h"

#include <stdio.h>
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
static bool allocate(Tokenizer *t, Strings tokens, Strings merges, bool scores, Fault *fault) {
    bool spaces = t->spelling == SPELLED_SPACES;
    bool room = symbols_allocate(t, t->count + 3 * merges.count, merges.count);
    t->bytes = malloc(2 * (bytes_of(tokens) + bytes_of(merges)) + 1);
    t->types = malloc(t->count);
    t->is_end = calloc(t->count, 1);
    t->pieces = spaces ? calloc(t->count, sizeof *t->pieces) : t->symbols;
    if (spaces) t->joins = calloc(256, sizeof *t->joins);
    if (scores) t->scores = calloc(t->count, sizeof *t->scores);
    return (room && t->bytes && t->types && t->is_end && t->pieces && (t->joins || !spaces) &&
            (t->scores || !scores)) ||
           fault_set(fault, "no memory for a vocabulary of %zu tokens", t->count);
}

/* A token's name as text is looked up.  Special tokens keep theirs, and so do those with spaces as
 * U+2581: text is written like them. */
static size_t read_spelling(Spelling spelling, Text text, char *out) {
    if (spelling == SPELLED_VISIBLE) return unescape_visible(text, out);
    if (spelling == SPELLED_BACKSLASH) return unescape_backslashes(text, out);
    memcpy(out, text.data, text.size);
    return text.size;
}

/* Returns where the bytes behind them go, or NULL when memory is short. */
static char *add_tokens(Tokenizer *t, Strings tokens, char *out) {
    for (size_t i = 0; i < t->count; i++) {
        Text text = gguf_next_string(&tokens.cursor);
        bool special = t->types[i] == TOKEN_CONTROL || t->types[i] == TOKEN_USER;
        size_t size = read_spelling(special ? SPELLED_PLAIN : t->spelling, text, out);
        if (!vocab_add(t, (Text){out, size})) return NULL;
        out += size;
    }
    return out;
}

/* The byte that a token stands for by itself; -1: more than that. */
static int token_byte(const Tokenizer *t, size_t id) {
    Text text = t->symbols[id];
    bool normal = t->types[id] == TOKEN_NORMAL || t->types[id] == TOKEN_UNDEFINED;
    if (t->spelling == SPELLED_SPACES && t->kind->merges)
        return normal || t->types[id] == TOKEN_BYTE ? hex_byte(text) : -1;
    if (t->spelling == SPELLED_SPACES) return t->types[id] == TOKEN_BYTE ? hex_byte(text) : -1;
    return text.size == 1 && normal ? (unsigned char)text.data[0] : -1;
}

static void collect_bytes(Tokenizer *t) {
    for (int b = 0; b < 256; b++) t->byte_token[b] = -1;
    for (size_t i = 0; i < t->count; i++) {
        int byte = token_byte(t, i);
        if (byte >= 0 && t->byte_token[byte] < 0) t->byte_token[byte] = (int32_t)i;
    }
}

/* Does a U+2581 stand behind another character? */
static bool has_space_inside(Text text) {
    bool other = false;
    for (size_t k = 0; k < text.size; k++) {
        bool space = text.size - k >= 3 && memcmp(text.data + k, "\xE2\x96\x81", 3) == 0;
        if (space && other) return true;
        if (space) k += 2;
        other = !space;
    }
    return false;
}

/* What a token with U+2581 decodes to, and which bytes stand side by side in it. */
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

/* The tokens that a text may be made of, in a tree. */
static bool add_words(Tokenizer *t, Fault *fault) {
    double least = 0;
    bool all = t->kind->encode != encode_unigram;
    for (size_t i = 0; i < t->count; i++) {
        unsigned char type = t->types[i];
        bool normal = type == TOKEN_NORMAL || type == TOKEN_UNDEFINED;
        if (normal && t->scores && t->scores[i] < least) least = t->scores[i];
        bool part = all || normal || type == TOKEN_USER || type == TOKEN_UNUSED;
        if (part && t->symbols[i].size &&
            !prefix_tree_add(&t->words, t->symbols[i], (int32_t)i, fault))
            return false;
    }
    t->unknown_score = least - 10;
    return true;
}

/* The symbol of some bytes at *out; new ones stay there.  -1: memory is short.
 *
 *   guess   looked at first: mostly it is that one */
static int32_t symbol_of(Tokenizer *t, Text bytes, size_t guess, char **out) {
    if (!t->repeats && guess < t->count && text_equal(t->symbols[guess], bytes))
        return (int32_t)guess;
    int32_t id = vocab_find(t, bytes);
    if (id >= 0) return id;
    if (!vocab_add(t, bytes)) return -1;
    *out = (char *)bytes.data + bytes.size;
    return (int32_t)t->n_symbols - 1;
}

/* "Ġth e": the space that separates is the first one after the first character.  Both parts lie
 * side by side, so the whole does, too.
 *
 *   whole   read: what the merge before this made, which in most files is the token before this one's */
static bool add_merge(Tokenizer *t, Text merge, int32_t rank, size_t *whole, char **out,
                      Fault *fault) {
    const char *space = merge.size > 1 ? memchr(merge.data + 1, ' ', merge.size - 1) : NULL;
    if (!space)
        return fault_set(fault, "merge %d, '%.*s', has no two parts", rank,
                         (int)(merge.size < 40 ? merge.size : 40), merge.data);
    char *start = *out;
    Text left = {merge.data, (size_t)(space - merge.data)},
         right = {space + 1, merge.size - left.size - 1};
    left = (Text){start, read_spelling(t->spelling, left, start)};
    right = (Text){start + left.size, read_spelling(t->spelling, right, start + left.size)};
    int32_t l = symbol_of(t, left, SIZE_MAX, out), r = symbol_of(t, right, SIZE_MAX, out),
            m = symbol_of(t, (Text){start, left.size + right.size}, *whole + 1, out);
    if (l < 0 || r < 0 || m < 0) return fault_set(fault, "no memory for the merges");
    vocab_add_pair(t, (PairEntry){l, r, rank, m});
    *whole = (size_t)m;
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
        if (t->scores && gguf_float(scores, i, &score)) t->scores[i] = (float)score;
    }
}

static bool read_tables(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    Strings tokens = strings_of(gguf_find(gguf, "tokenizer.ggml.tokens")), merges = {NULL, 0};
    EncodeText *encode = t->kind->encode;
    bool tree =
        encode == encode_longest || encode == encode_unigram || encode == encode_wordpiece;
    if (t->kind->merges) merges = strings_of(gguf_find(gguf, "tokenizer.ggml.merges"));
    if (!allocate(t, tokens, merges, gguf_find(gguf, "tokenizer.ggml.scores"), fault))
        return false;
    read_numbers(t, gguf);
    char *out = add_tokens(t, tokens, t->bytes);
    if (!out) return fault_set(fault, "no memory for a vocabulary of %zu tokens", t->count);
    specials_by_name(t, gguf);
    collect_bytes(t);
    if (t->spelling == SPELLED_SPACES) out = add_pieces(t, out);
    size_t whole = 0;
    for (size_t i = 0; i < merges.count; i++)
        if (!add_merge(t, gguf_next_string(&merges.cursor), (int32_t)i, &whole, &out, fault))
            return false;
    return (!tree || add_words(t, fault)) && specials_collect(t, gguf, fault);
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
    t->kind = kind_by_name(model);
    if (!t->kind)
        return fault_set(
            fault,
            "tokenizer.ggml.model is '%.*s': gpt2, gemma4, llama, t5, bert, rwkv and "
            "whitespace are built in",
            (int)(model.size < 40 ? model.size : 40), model.data);
    t->count = (size_t)tokens->count;
    const char *needed = t->kind->needs;
    return !needed || gguf_find(gguf, needed) || missing(fault, needed, "an array");
}

static bool read_rule(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    static const PreRule none = {0};
    Text pre = {"default", 7};
    t->spelling = t->kind->spelling;
    t->rule = &none;
    if (t->kind->encode != encode_split_text) return true;
    if (t->kind->pre)
        pre = text_of(t->kind->pre);
    else
        gguf_string(gguf_find(gguf, "tokenizer.ggml.pre"), &pre);
    const PreRule *rule = pre_rule_by_name(pre);
    if (!rule)
        return fault_set(fault,
                         "tokenizer.ggml.pre is '%.*s': the rule by which this model's text is "
                         "split into words is not built in",
                         (int)(pre.size < 40 ? pre.size : 40), pre.data);
    t->rule = rule;
    if (rule->raw) t->spelling = SPELLED_SPACES;
    return splitter_open(&t->splitter, rule, t->as_llama, fault);
}

static bool read_charsmap(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    const GgufPair *map = gguf_find(gguf, "tokenizer.ggml.precompiled_charsmap");
    if (t->kind->encode != encode_unigram) return true;
    return charsmap_read(&t->charsmap, map ? map->data : NULL, map ? (size_t)map->count : 0,
                         fault);
}

static int32_t id_of(const Tokenizer *t, const Gguf *gguf, const char *key, int32_t otherwise) {
    char name[64];
    snprintf(name, sizeof name, "tokenizer.ggml.%s_token_id", key);
    return key_token(gguf, name, t->count, otherwise);
}

static bool read_settings(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    const Kind *kind = t->kind;
    if (!read_rule(t, gguf, fault) || !read_charsmap(t, gguf, fault)) return false;
    bool begins = t->rule->add_bos || kind->add_bos;
    t->ignore_merges = t->rule->ignore_merges;
    t->bos =
        id_of(t, gguf, "bos", id_of(t, gguf, kind->add_separator ? "cls" : "bos", kind->bos));
    t->eos = id_of(t, gguf, "eos", kind->eos);
    t->unknown = id_of(t, gguf, "unknown", kind->unknown);
    t->separator = id_of(t, gguf, "seperator", kind->separator); /* the key is spelled so */
    t->mask = id_of(t, gguf, "mask", -1);
    t->add_bos = key_flag(gguf, "tokenizer.ggml.add_bos_token", begins);
    if (kind->add_separator || kind->pre) t->add_bos = true;
    t->add_eos = key_flag(gguf, "tokenizer.ggml.add_eos_token", kind->add_eos);
    t->add_separator =
        key_flag(gguf, "tokenizer.ggml.add_sep_token", kind->add_separator); /* between two */
    t->add_space_prefix = key_flag(gguf, "tokenizer.ggml.add_space_prefix", kind->space_prefix);
    t->merge_spaces = key_flag(gguf, "tokenizer.ggml.remove_extra_whitespaces", false);
    t->lowercase = key_flag(gguf, "tokenizer.ggml.normalizer.lowercase", kind->lowercase);
    t->strip_accents = key_flag(gguf, "tokenizer.ggml.normalizer.strip_accents",
                                t->lowercase && kind->lowercase);
    return true;
}

Tokenizer *tokenizer_open(const Gguf *gguf, Fault *fault) {
    return tokenizer_open_as(gguf, TOKENS_AS_TRAINED, fault);
}

Tokenizer *tokenizer_open_as(const Gguf *gguf, TokenStyle style, Fault *fault) {
    Tokenizer *t = calloc(1, sizeof *t);
    Companion *companion = calloc(1, sizeof *companion);
    if (!t || !companion) {
        free(t), free(companion);
        fault_set(fault, "no memory for a tokenizer");
        return NULL;
    }
    pthread_mutex_init(&companion->lock, NULL);
    t->companion = companion;
    t->as_llama = style == TOKENS_AS_LLAMA_CPP;
    if (read_kind(t, gguf, fault) && keys_check(gguf, t->kind, t->count, fault) &&
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
    if (t->pieces != t->symbols) free(t->pieces);
    splitter_close(&t->splitter), charsmap_free(&t->charsmap);
    prefix_tree_free(&t->specials), prefix_tree_free(&t->words);
    free(t->symbols), free(t->types), free(t->scores), free(t->bytes), free(t->joins);
    free(t->table), free(t->pairs), free(t->eats_space), free(t->is_end);
    free(t);
}
