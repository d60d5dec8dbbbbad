/* kind_data.c - opening the kinds of this folder.  See kind_data.h. */
#include "kind_data.h"
#include "normal_form.h"
#include "tokenizer/tokenizer_kinds.h"

#include <stdlib.h>

/* The kind's data, to be filled.  All these kinds may name a normal form. */
static KindData *kind_data_new(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    if (!normal_form_read(t, gguf, fault)) return NULL;
    KindData *data = t->data = calloc(1, sizeof *data);
    if (!data) fault_set(fault, "no memory for a tokenizer");
    return data;
}

void close_kind_data(Tokenizer *t) {
    KindData *data = t->data;
    if (!data) return;
    charsmap_free(&data->charsmap), prefix_tree_free(&data->words);
    free(data);
}

bool always_begins(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    t->add_bos = true;
    return normal_form_read(t, gguf, fault);
}

/* A trie of the tokens that text may become: all, or only ordinary ones. */
static bool add_words(Tokenizer *t, KindData *data, bool all, Fault *fault) {
    for (size_t i = 0; i < t->count; i++) {
        unsigned char type = t->types[i];
        bool part = all || type == TOKEN_NORMAL || type == TOKEN_UNDEFINED ||
                    type == TOKEN_USER || type == TOKEN_UNUSED;
        if (part && t->symbols[i].size &&
            !prefix_tree_add(&data->words, t->symbols[i], (int32_t)i, fault))
            return false;
    }
    return true;
}

/* An unknown character costs ten more than the least likely token. */
static double score_of_unknown(const Tokenizer *t) {
    double least = 0;
    for (size_t i = 0; i < t->count; i++) {
        bool normal = t->types[i] == TOKEN_NORMAL || t->types[i] == TOKEN_UNDEFINED;
        if (normal && t->scores[i] < least) least = t->scores[i];
    }
    return least - 10;
}

bool open_unigram(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    const GgufPair *map = gguf_find(gguf, "tokenizer.ggml.precompiled_charsmap");
    KindData *data = kind_data_new(t, gguf, fault);
    if (!data || !charsmap_read(&data->charsmap, map ? map->data : NULL,
                                map ? (size_t)map->count : 0, fault))
        return false;
    data->merge_spaces = key_flag(gguf, "tokenizer.ggml.remove_extra_whitespaces", false);
    data->unknown_score = score_of_unknown(t);
    return add_words(t, data, false, fault);
}

/* [CLS] begins every text, [SEP] ends it. */
bool open_wordpiece(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    KindData *data = kind_data_new(t, gguf, fault);
    if (!data) return false;
    data->lowercase = key_flag(gguf, "tokenizer.ggml.normalizer.lowercase", true);
    data->strip_accents =
        key_flag(gguf, "tokenizer.ggml.normalizer.strip_accents", data->lowercase);
    t->bos = key_token(gguf, "bos", t->count, key_token(gguf, "cls", t->count, t->kind->bos));
    t->add_bos = true, t->ending = t->separator;
    return add_words(t, data, true, fault);
}

bool open_longest(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    KindData *data = kind_data_new(t, gguf, fault);
    return data && add_words(t, data, true, fault);
}

bool open_between_space(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    KindData *data = kind_data_new(t, gguf, fault);
    if (data) data->lowercase = key_flag(gguf, "tokenizer.ggml.normalizer.lowercase", false);
    return data != NULL;
}
