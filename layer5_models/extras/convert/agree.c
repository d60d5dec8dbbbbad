/* agree.c - redundant facts of a folder must agree: config.json and the tensors.  See parts.h.
 *
 * Without these checks a folder with a missing part would become a model that runs and is
 * wrong. */
#include "parts.h"
#include "json.h"

#include <stdio.h>
#include <string.h>

const Target *target_of(const Conversion *c, const char *name) {
    for (size_t i = 0; i < c->n_targets; i++)
        if (strcmp(c->targets[i].name, name) == 0) return &c->targets[i];
    return NULL;
}

/* ------------------------------------------------------------------ biases */

/* "blk.#.STEM.SUFFIX" of a layer; "v.blk.#" of a vision tower's. */
static const Target *of_layer(const Conversion *c, size_t layer, Text stem,
                              const char *suffix) {
    char name[128];
    snprintf(name, sizeof name, "%sblk.%zu.%.*s.%s", c->family->projector ? "v." : "", layer,
             (int)stem.size, stem.data, suffix);
    return target_of(c, name);
}

/* "attn_q" of "blk.3.attn_q.bias" and "v.blk.3.attn_q.bias"; size 0: no bias of a layer. */
static Text stem_of_bias(const Target *t) {
    const char *name = t->name + (strncmp(t->name, "v.", 2) == 0 ? 2 : 0),
               *begin = strncmp(name, "blk.", 4) == 0 ? strchr(name + 4, '.') : NULL,
               *end = strrchr(t->name, '.');
    if (!begin || end == begin || strcmp(end, ".bias") != 0) return (Text){"", 0};
    return (Text){begin + 1, (size_t)(end - begin - 1)};
}

/* Biases must be in all layers or in none. */
static bool check_layers(const Conversion *c, const Target *bias) {
    Text stem = stem_of_bias(bias);
    for (size_t l = 0; stem.size && l < c->layers; l++)
        if (of_layer(c, l, stem, "weight") && !of_layer(c, l, stem, "bias"))
            return REFUSE(
                c,
                "'%s' has nothing like it in layer %zu: wanted a bias in all layers or in none",
                bias->name, l);
    return true;
}

/* Maps of the first layer whose names begin like this: those with a bias, and all. */
static void count_biases(const Conversion *c, const char *begin, size_t *biases, size_t *maps) {
    *biases = *maps = 0;
    for (size_t i = 0; i < c->n_targets; i++) {
        const char *name = c->targets[i].name, *end = strrchr(name, '.');
        if (strncmp(name, begin, strlen(begin)) != 0 || strstr(name, "norm") || !end) continue;
        *biases += strcmp(end, ".bias") == 0, *maps += strcmp(end, ".weight") == 0;
    }
}

/* A key about biases of some maps; `always`: they have one when the key is missing. */
static bool agree_check_flag(const Conversion *c, const char *key, const char *begin,
                             bool always) {
    const JsonValue *said = json_get(c->folder.sizes, key);
    bool told = said && (said->kind == JSON_TRUE || said->kind == JSON_FALSE),
         wanted = told ? said->kind == JSON_TRUE : always;
    size_t biases, maps;
    count_biases(c, begin, &biases, &maps);
    if (wanted && maps > 0 && biases == 0)
        return REFUSE(
            c, "config.json: by '%s' the maps %s... add a bias%s, and the folder has none", key,
            begin, told ? "" : " in this family");
    if (told && !wanted && biases > 0)
        return REFUSE(c, "config.json: '%s' is false, and the folder has %zu biases of %s...",
                      key, biases, begin);
    return true;
}

static bool is_qwen2(const Conversion *c) {
    return strncmp(c->family->classes, "Qwen2", 5) == 0;
}

bool check_layer_biases(const Conversion *c) {
    for (size_t i = 0; i < c->n_targets; i++)
        if (!check_layers(c, &c->targets[i])) return false;
    return true;
}

static bool check_biases(const Conversion *c) {
    static const char *const with[] = {"gpt2", "starcoder2", "bert", "phi2"};
    bool all = false;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        all = all || strcmp(c->family->arch, with[i]) == 0;
    return agree_check_flag(c, "attention_bias", "blk.0.attn_", false) &&
           agree_check_flag(c, "qkv_bias", "blk.0.attn_q", is_qwen2(c)) &&
           agree_check_flag(c, "use_qkv_bias", "blk.0.attn_q", false) &&
           agree_check_flag(c, "attention_out_bias", "blk.0.attn_output", false) &&
           agree_check_flag(c, "mlp_bias", "blk.0.ffn_", false) &&
           (quirks_of(c->recipe)->recurrent ||
            (agree_check_flag(c, "use_bias", "blk.0.attn_", all) &&
             agree_check_flag(c, "use_bias", "blk.0.ffn_", all)));
}

/* "use_qk_norm" and "qk_layernorm": norms of the heads, or none (which is the default). */
static bool check_head_norms(const Conversion *c) {
    static const char *const keys[] = {"use_qk_norm", "qk_layernorm"};
    bool has = target_of(c, "blk.0.attn_q_norm.weight") != NULL;
    for (size_t i = 0; i < 2; i++) {
        const ConfigKey *key = config_key(c, text_of(keys[i]));
        if (key && key->use == READ && !quirks_of(c->recipe)->head_norms_unit &&
            json_true(c->folder.sizes, keys[i]) != has)
            return REFUSE(c, "config.json: '%s' is %s, and the folder has %s of heads", keys[i],
                          has ? "not true" : "true", has ? "norms" : "no norms");
    }
    return true;
}

/* ------------------------------------------------------------------ words */

static bool check_vocab(const Conversion *c, size_t rows) {
    size_t vocab = rows;
    const JsonValue *tie = json_get(c->folder.sizes, tie_key(c)),
                    *said = json_get(c->folder.sizes, "vocab_size");
    if (said && said->kind != JSON_NULL && !json_size(said, &vocab))
        return key_refuse(c, "config.json", text_of("vocab_size"), said, "an integer");
    if (vocab != rows)
        return REFUSE(c, "config.json: vocab_size is %zu, and the embedding has %zu rows",
                      vocab, rows);
    if (tie && tie->kind != JSON_TRUE && tie->kind != JSON_FALSE && tie->kind != JSON_NULL)
        return key_refuse(c, "config.json", text_of(tie_key(c)), tie, "true or false");
    bool untied = tie && tie->kind == JSON_FALSE;
    if (untied && always_tied(c))
        return REFUSE(c, "config.json: %s is false, and the head of a %.*s is its embedding",
                      tie_key(c), CLASS(c));
    if (untied && !quirks_of(c->recipe)->vectors && !target_of(c, "output.weight"))
        return REFUSE(c,
                      "config.json: %s is false, and the folder has no head: a file may be "
                      "missing",
                      tie_key(c));
    if (c->family->times && !target_of(c, "output.weight") &&
        factor_of(c, "output.weight") != factor_of(c, "token_embd.weight"))
        return REFUSE(c,
                      "config.json: the head is the embedding, and lm_head_multiplier is not "
                      "embedding_multiplier: GGUF files have one matrix for both");
    bool by_itself = always_tied(c) || listed("gpt2 starcoder2 t5", text_of(c->family->arch));
    if (!tie && !by_itself && !quirks_of(c->recipe)->vectors && !target_of(c, "output.weight"))
        convert_note(c, "the folder has no head, and config.json does not say "
                        "tie_word_embeddings: the embedding is taken for it");
    return true;
}

static bool check_types(const Conversion *c) {
    const Target *t = target_of(c, "token_types.weight");
    size_t types, rows = t ? t->shape[0] : 0;
    if (!json_size(json_get(c->folder.sizes, "type_vocab_size"), &types) || types == rows)
        return true;
    return REFUSE(c,
                  "config.json: type_vocab_size is %zu, and token_type_embeddings has %zu rows",
                  types, rows);
}

/* A number, or a list of some; -1: none. */
static bool check_ids(const Conversion *c, const char *key, size_t rows) {
    const JsonValue *said = json_get(c->folder.sizes, key);
    size_t count = !said ? 0 : said->kind == JSON_ARRAY ? said->count : 1, id;
    for (size_t i = 0; i < count; i++) {
        const JsonValue *item = said->kind == JSON_ARRAY ? &said->items[i] : said;
        const bool is_id = json_size(item, &id);
        if (!is_id && item->kind != JSON_NULL && !text_equal(item->text, text_of("-1")))
            return key_refuse(c, "config.json", text_of(key), said, "the id of a token");
        if (is_id && id >= rows)
            return REFUSE(c, "config.json: %s is %zu, and there are %zu tokens", key, id, rows);
    }
    return true;
}

/* T5's feed_forward_proj says whether there is a gate. */
static bool check_gates(const Conversion *c) {
    const JsonValue *said = json_get(c->folder.sizes, "feed_forward_proj");
    bool gated = target_of(c, "enc.blk.0.ffn_gate.weight") != NULL,
         plain = !said || said->kind == JSON_NULL || json_is(said, "relu");
    if (!quirks_of(c->recipe)->relative || (gated ? json_is(said, "gated-gelu") : plain))
        return true;
    return REFUSE(c, "config.json: feed_forward_proj is not '%s', as the tensors have it",
                  gated ? "gated-gelu" : "relu");
}

bool check_agreement(const Conversion *c, size_t rows) {
    return check_biases(c) && check_head_norms(c) && check_vocab(c, rows) && check_types(c) &&
           check_gates(c) && check_ids(c, "bos_token_id", rows) &&
           check_ids(c, "eos_token_id", rows);
}
