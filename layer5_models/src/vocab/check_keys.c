/* check_keys.c - a file's keys "tokenizer.*": each is used, is information, or turns off what
 * is not supported.
 *
 * Source   the GGUF specification (github.com/ggml-org/ggml, docs/gguf.md); llama.cpp's
 *          llama-arch.cpp, which names the rest */
#include "tokenizer/tokenizer_kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum KeyKind {
    KEY_TEXT,
    KEY_TEXTS,
    KEY_WHOLE,       /* an integer */
    KEY_TOKEN,       /* the id of a token */
    KEY_FLAG,        /* true or false */
    KEY_NUMBER_EACH, /* a number for each token */
    KEY_TOKEN_EACH,
    KEY_TYPE_EACH, /* a type for each token */
    KEY_BYTES,
    KEY_OFF /* false, or an empty array: "true" is not supported */
} KeyKind;

static const struct {
    const char *key;
    KeyKind kind;
    bool own; /* used by the kinds that list it in own_keys; KEY_OFF for the others */
} keys[] = {
    {"ggml.model", KEY_TEXT, false},
    {"ggml.pre", KEY_TEXT, false}, /* gpt2 only: SentencePiece has no such rule */
    {"ggml.tokens", KEY_TEXTS, false},
    {"ggml.merges", KEY_TEXTS, false},
    {"ggml.scores", KEY_NUMBER_EACH, false},
    {"ggml.token_type", KEY_TYPE_EACH, false},
    {"ggml.bos_token_id", KEY_TOKEN, false},
    {"ggml.eos_token_id", KEY_TOKEN, false},
    {"ggml.eot_token_id", KEY_TOKEN, false},
    {"ggml.eom_token_id", KEY_TOKEN, false},
    {"ggml.unknown_token_id", KEY_TOKEN, false},
    {"ggml.fim_pre_token_id", KEY_TOKEN, false},
    {"ggml.fim_suf_token_id", KEY_TOKEN, false},
    {"ggml.fim_mid_token_id", KEY_TOKEN, false},
    {"ggml.fim_pad_token_id", KEY_TOKEN, false},
    {"ggml.fim_rep_token_id", KEY_TOKEN, false},
    {"ggml.fim_sep_token_id", KEY_TOKEN, false},
    {"ggml.prefix_token_id", KEY_TOKEN, false}, /* older names of fim_pre, fim_suf, fim_mid */
    {"ggml.suffix_token_id", KEY_TOKEN, false},
    {"ggml.middle_token_id", KEY_TOKEN, false},
    {"ggml.add_bos_token", KEY_FLAG, false},
    {"ggml.add_space_prefix", KEY_FLAG, true},
    /* information that encoding and decoding do not need (some files have a padding token
     * beyond the vocabulary) */
    {"ggml.padding_token_id", KEY_WHOLE, false},
    {"ggml.seperator_token_id", KEY_WHOLE, false},
    {"ggml.cls_token_id", KEY_WHOLE, false},
    {"ggml.mask_token_id", KEY_WHOLE, false},
    {"ggml.token_type_count", KEY_WHOLE, false},
    {"chat_template", KEY_TEXT, false},
    {"chat_templates", KEY_TEXTS, false}, /* the names of chat_template.NAME */
    {"huggingface.json", KEY_TEXT, false},
    {"rwkv.world", KEY_TEXT, false},
    {"ggml.add_eos_token", KEY_FLAG, false},
    {"ggml.add_sep_token", KEY_FLAG, false},
    {"ggml.remove_extra_whitespaces", KEY_FLAG, true},
    {"ggml.normalizer.lowercase", KEY_FLAG, true},
    {"ggml.normalizer.strip_accents", KEY_FLAG, true},
    {"ggml.normalizer.form", KEY_TEXT, true},
    {"ggml.precompiled_charsmap", KEY_BYTES, true},
    {"ggml.suppress_tokens", KEY_TOKEN_EACH, false}, /* the model's: it never predicts them */
};

static bool each_is_number(const GgufPair *pair) {
    double number;
    for (uint64_t i = 0; i < pair->count; i++)
        if (!gguf_float(pair, i, &number) || !isfinite(number)) return false;
    return true;
}

static bool each_is_type(const GgufPair *pair) {
    int64_t type;
    for (uint64_t i = 0; i < pair->count; i++)
        if (!gguf_int(pair, i, &type) || type < TOKEN_UNDEFINED || type > TOKEN_BYTE)
            return false;
    return true;
}

static bool each_is_token(const GgufPair *pair, size_t tokens) {
    int64_t id;
    for (uint64_t i = 0; i < pair->count; i++)
        if (!gguf_int(pair, i, &id) || id < 0 || (uint64_t)id >= tokens) return false;
    return true;
}

static bool key_fits(KeyKind kind, const GgufPair *pair, size_t tokens) {
    bool array = pair->type == GGUF_ARRAY;
    int64_t value = -1;
    bool whole = !array && gguf_int(pair, 0, &value) && pair->type != GGUF_BOOL;
    switch (kind) {
    case KEY_TEXT: return pair->type == GGUF_STRING;
    case KEY_TEXTS: return array && pair->item == GGUF_STRING;
    case KEY_WHOLE: return whole;
    case KEY_TOKEN: return whole && value >= 0 && (uint64_t)value < tokens;
    case KEY_FLAG: return pair->type == GGUF_BOOL;
    case KEY_NUMBER_EACH: return array && pair->count == tokens && each_is_number(pair);
    case KEY_TOKEN_EACH: return array && each_is_token(pair, tokens);
    case KEY_TYPE_EACH: return array && pair->count == tokens && each_is_type(pair);
    case KEY_BYTES: return array && (pair->item == GGUF_U8 || pair->item == GGUF_I8);
    case KEY_OFF: break;
    }
    return array ? pair->count == 0 : pair->type == GGUF_BOOL && value == 0;
}

static const char *key_wanted(KeyKind kind) {
    static const char *const wanted[] = {
        [KEY_TEXT] = "a string",
        [KEY_TEXTS] = "an array of strings",
        [KEY_WHOLE] = "an integer",
        [KEY_TOKEN] = "the id of a token",
        [KEY_FLAG] = "true or false",
        [KEY_NUMBER_EACH] = "an array with one finite number for each token",
        [KEY_TOKEN_EACH] = "an array of ids of tokens",
        [KEY_TYPE_EACH] = "an array with one type, 0 to 6, for each token",
        [KEY_BYTES] = "an array of bytes",
        [KEY_OFF] = "false (or an empty array): what it asks for is not built in",
    };
    return wanted[kind];
}

static const char *key_shown(const GgufPair *pair, char *out, size_t size) {
    int64_t value;
    if (pair->type == GGUF_ARRAY)
        snprintf(out, size, "an array of %llu %s", (unsigned long long)pair->count,
                 gguf_type_name(pair->item));
    else if (!gguf_int(pair, 0, &value))
        snprintf(out, size, "of the type %s", gguf_type_name(pair->type));
    else if (pair->type == GGUF_BOOL)
        snprintf(out, size, "%s", value ? "true" : "false");
    else
        snprintf(out, size, "%lld", (long long)value);
    return out;
}

static KeyKind kind_of_key(size_t key, const TokenizerKind *kind) {
    const char *name = keys[key].key + strlen("ggml.");
    bool used = !keys[key].own || strstr(kind->own_keys, name);
    return used ? keys[key].kind : KEY_OFF;
}

static bool key_check(const GgufPair *pair, const TokenizerKind *kind, size_t tokens,
                      Fault *fault) {
    char shown[64];
    Text name = {pair->key.data + 10, pair->key.size - 10}; /* after "tokenizer." */
    int size = (int)(pair->key.size < 80 ? pair->key.size : 80);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (text_equal(name, text_of(keys[i].key)))
            return key_fits(kind_of_key(i, kind), pair, tokens) ||
                   fault_set(fault,
                             "the key '%.*s' is %s, wanted %s (the vocabulary has %zu tokens)",
                             size, pair->key.data, key_shown(pair, shown, sizeof shown),
                             key_wanted(kind_of_key(i, kind)), tokens);
    if (text_begins(name, text_of("chat_template.")) && pair->type == GGUF_STRING) return true;
    return fault_set(fault, "the key '%.*s' is unknown: ignoring it could change the tokens",
                     size, pair->key.data);
}

bool keys_check(const Gguf *gguf, const TokenizerKind *kind, size_t tokens, Fault *fault) {
    for (size_t i = 0; i < gguf->n_pairs; i++)
        if (text_begins(gguf->pairs[i].key, text_of("tokenizer.")) &&
            !key_check(&gguf->pairs[i], kind, tokens, fault))
            return false;
    return true;
}

int32_t key_token(const Gguf *gguf, const char *which, size_t tokens, int32_t default_value) {
    char key[64];
    int64_t id;
    snprintf(key, sizeof key, "tokenizer.ggml.%s_token_id", which);
    if (!gguf_int(gguf_find(gguf, key), 0, &id)) id = default_value;
    return id >= 0 && (size_t)id < tokens ? (int32_t)id : -1;
}

bool key_flag(const Gguf *gguf, const char *key, bool default_value) {
    int64_t value;
    return gguf_int(gguf_find(gguf, key), 0, &value) ? value != 0 : default_value;
}
