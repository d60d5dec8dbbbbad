/* vocab.c - building a tokenizer from a model file.  See vocab.h. */
#include "vocab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        read_settings(t, gguf, fault) && tables_read(t, gguf, fault))
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
