/* tokenizer_open.c - building a tokenizer from a model file.  See tokenizer_kinds.h. */
#include "tokenizer_kinds.h"

#include <stdlib.h>

static bool key_missing(Fault *fault, const char *key, const char *wanted) {
    return fault_set(fault,
                     "the file's key '%s' is missing or not %s: this model has no tokenizer "
                     "that can be used",
                     key, wanted);
}

static const TokenizerKind *kind_by_name(Text name) {
    for (const TokenizerKind *kind = tokenizer_kinds; kind->name; kind++)
        if (text_equal(name, text_of(kind->name))) return kind;
    return NULL;
}

static bool read_kind(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    Text model;
    const GgufPair *tokens = gguf_find(gguf, "tokenizer.ggml.tokens");
    if (!gguf_string(gguf_find(gguf, "tokenizer.ggml.model"), &model))
        return key_missing(fault, "tokenizer.ggml.model", "a string");
    if (!tokens || tokens->type != GGUF_ARRAY || tokens->item != GGUF_STRING ||
        tokens->count == 0 || tokens->count > INT32_MAX / 8)
        return key_missing(fault, "tokenizer.ggml.tokens", "an array of strings");
    t->kind = kind_by_name(model);
    if (!t->kind)
        return fault_set(fault, "tokenizer.ggml.model is '%.*s': %s",
                         (int)min_size(model.size, 40), model.data, tokenizer_kinds_known);
    t->count = (size_t)tokens->count;
    const char *needed = t->kind->needs;
    return !needed || gguf_find(gguf, needed) || key_missing(fault, needed, "an array");
}

static bool read_rule(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    static const PreRule none = {0};
    Text pre = text_of(t->kind->pre ? t->kind->pre : "default");
    t->unescape = t->kind->unescape, t->spaces = t->kind->spaces;
    t->rule = &none;
    if (!t->kind->splits) return true;
    if (!t->kind->pre) gguf_string(gguf_find(gguf, "tokenizer.ggml.pre"), &pre);
    const PreRule *rule = pre_rule_by_name(pre);
    if (!rule)
        return fault_set(fault,
                         "tokenizer.ggml.pre is '%.*s': the rule by which this model's text is "
                         "split into words is not built in%s",
                         (int)min_size(pre.size, 40), pre.data, pre_rules_elsewhere);
    t->rule = rule;
    for (const char *const *name = rule->names; *name; name++)
        if (text_equal(pre, text_of(*name))) t->pre = *name;
    if (rule->encode) t->unescape = NULL, t->spaces = true;
    return t->as_llama ? t->as_llama->split(&t->splitter, rule, fault)
                       : splitter_open(&t->splitter, rule->stages, &word_notation, fault);
}

static bool read_settings(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    const TokenizerKind *kind = t->kind;
    if (!read_rule(t, gguf, fault)) return false;
    bool begins = t->rule->add_bos || kind->add_bos;
    t->ignore_merges = t->rule->ignore_merges;
    t->drops_bytes = t->as_llama != NULL;
    t->bos = key_token(gguf, "bos", t->count, kind->bos);
    t->eos = key_token(gguf, "eos", t->count, kind->eos);
    t->unknown = key_token(gguf, "unknown", t->count, kind->unknown);
    /* the key's spelling */
    t->separator = key_token(gguf, "seperator", t->count, kind->separator);
    t->mask = key_token(gguf, "mask", t->count, -1);
    t->add_bos = key_flag(gguf, "tokenizer.ggml.add_bos_token", begins);
    t->ending = key_flag(gguf, "tokenizer.ggml.add_eos_token", kind->add_eos) ? t->eos : -1;
    /* between two texts */
    t->add_separator = key_flag(gguf, "tokenizer.ggml.add_sep_token", false);
    t->add_space_prefix = key_flag(gguf, "tokenizer.ggml.add_space_prefix", kind->space_prefix);
    return true;
}

Tokenizer *tokenizer_open(const Gguf *gguf, Fault *fault) {
    return tokenizer_read(gguf, NULL, fault);
}

Tokenizer *tokenizer_read(const Gguf *gguf, const LlamaStyle *as_llama, Fault *fault) {
    Tokenizer *t = calloc(1, sizeof *t);
    if (!t) {
        fault_set(fault, "no memory for a tokenizer");
        return NULL;
    }
    t->as_llama = as_llama;
    if (read_kind(t, gguf, fault) && keys_check(gguf, t->kind, t->count, fault) &&
        read_settings(t, gguf, fault) && tables_read(t, gguf, fault) &&
        (!t->kind->open || t->kind->open(t, gguf, fault)))
        return t;
    tokenizer_close(t);
    return NULL;
}

void tokenizer_close(Tokenizer *t) {
    if (!t) return;
    if (t->companion) t->close_companion(t->companion);
    if (t->kind && t->kind->close) t->kind->close(t);
    if (t->pieces != t->symbols) free(t->pieces);
    splitter_close(&t->splitter), prefix_tree_free(&t->specials);
    free(t->symbols), free(t->types), free(t->scores), free(t->bytes), free(t->joins);
    free(t->table), free(t->pairs), free(t->eats_space), free(t->is_end);
    free(t);
}
