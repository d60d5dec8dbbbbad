/* layers.c - keys that list something for each layer, as the tensors have it.  See parts.h. */
#include "parts.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Target *layers_tensor(const Conversion *c, size_t layer, const char *what) {
    char name[96];
    snprintf(name, sizeof name, "blk.%zu.%s.weight", layer, what);
    return target_of(c, name);
}

/* "attention" or "full_attention": attention's layers. */
static bool agrees(const JsonValue *types, size_t layer, bool attention) {
    return !types || types->kind != JSON_ARRAY || layer >= types->count ||
           attention == (json_is(&types->items[layer], "attention") ||
                         json_is(&types->items[layer], "full_attention"));
}

/* As many rows as each layer's network has. */
static void put_networks(Conversion *c, int64_t *values) {
    for (size_t l = 0; l < c->layers; l++) {
        const Target *up = layers_tensor(c, l, "ffn_up");
        values[l] = up ? (int64_t)up->shape[0] : 0;
    }
    put_each(c, "feed_forward_length", values);
}

/* Layers beside recurrent ones: 0 heads where there is no attention, and 0 rows of networks. */
static bool put_hybrid(Conversion *c, int64_t *values) {
    const JsonValue *types = json_get(c->folder.sizes, "layer_types");
    for (size_t l = 0; l < c->layers; l++) {
        const bool latents = quirks_of(c->recipe)->latents,
                   attention =
                       layers_tensor(c, l, latents ? "attn_kv_a_mqa" : "attn_k") != NULL;
        values[l] = !attention ? 0 : latents ? 1 : (int64_t)c->kv_heads;
        if (!agrees(types, l, attention))
            return REFUSE(c,
                          "config.json: layer_types has another word for layer %zu than its "
                          "tensors, which %s attention's",
                          l, attention ? "are" : "are not");
    }
    if (!config_size(c, "attention.head_count_kv", 0))
        put_each(c, "attention.head_count_kv", values);
    if (!config_size(c, "feed_forward_length", 0)) put_networks(c, values);
    return true;
}

/* A number of each layer, which is no tensor here: "blk.3.xielu.beta" becomes one of the list
 * "xielu.beta". */
static bool put_list(Conversion *c, const char *key) {
    char name[96];
    float number;
    if (c->layers > 65536) return REFUSE(c, "config.json: %zu layers", c->layers);
    double *values = calloc(c->layers, sizeof *values);
    bool ok = values || REFUSE(c, "no memory for %zu layers", c->layers);
    for (size_t l = 0; ok && l < c->layers; l++) {
        snprintf(name, sizeof name, "blk.%zu.%s", l, key);
        const Target *t = target_of(c, name);
        ok =
            (t && t->shape[0] == 1) || REFUSE(c, "'%s' is not one number in layer %zu", key, l);
        if (ok) target_row(c, t, 0, &number), values[l] = (double)number;
    }
    if (ok) gguf_put_floats(c->writer, key, GGUF_F32, values, c->layers);
    return free(values), ok;
}

static bool put_lists(Conversion *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->n_targets; i++)
        if (c->targets[i].change == LISTED && strncmp(c->targets[i].name, "blk.0.", 6) == 0 &&
            !put_list(c, c->targets[i].name + 6))
            return false;
    for (size_t i = 0; i < c->n_targets; i++) {
        const Target *t = &c->targets[i];
        if (t->change == LISTED)
            free(t->parts), free(t->scales);
        else
            c->targets[kept++] = *t;
    }
    return c->n_targets = kept, true;
}

/* With attention_k_eq_v values are keys in layers without a window, which have no map of
 * values; layers that share those of earlier ones may have any. */
static bool check_values(const Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    const bool said = json_true(config, "attention_k_eq_v");
    const size_t shared = min_size(c->layers, size_or(config, "num_kv_shared_layers", 0));
    for (size_t l = 0; l < c->layers - shared; l++)
        if (says_window(c, l) == 0 && (layers_tensor(c, l, "attn_v") == NULL) != said)
            return REFUSE(c,
                          "config.json: attention_k_eq_v is %s, and layer %zu has %s of values",
                          said ? "true" : "not true", l, said ? "a map" : "no map");
    return true;
}

/* What an object of block_configs may say beside these words: nothing that is on. */
static bool is_usual(const JsonValue *part, const char *known) {
    static const char *const on[][2] = {{"gated", "true"}, {"hidden_act", "silu"}};
    for (size_t i = 0; part && i < part->count; i++) {
        const JsonValue *value = &part->items[i];
        bool usual = value->kind == JSON_NULL || value->kind == JSON_FALSE ||
                     listed(known, part->keys[i]);
        for (size_t k = 0; k < sizeof on / sizeof *on; k++)
            usual = usual || (text_equal(part->keys[i], text_of(on[k][0])) &&
                              listed(on[k][1], config_plain(value)));
        if (!usual) return false;
    }
    return true;
}

/* Does config.json say the same of a layer as its tensors: `kv_heads` (0: no attention), a map
 * in its place, a network? */
static bool agrees_block(const Conversion *c, size_t l, size_t kv_heads, bool map,
                         bool network) {
    const JsonValue *blocks = json_get(c->folder.sizes, "block_configs"),
                    *kv = json_get(c->folder.sizes, "num_key_value_heads_per_layer");
    size_t said;
    if (kv && kv->kind == JSON_ARRAY)
        return l < kv->count && json_size(&kv->items[l], &said) && said == kv_heads;
    if (!blocks) return true;
    if (blocks->kind != JSON_ARRAY || l >= blocks->count) return false;
    const JsonValue *attention = json_get(&blocks->items[l], "attention"),
                    *ffn = json_get(&blocks->items[l], "ffn");
    const size_t group = size_or(attention, "n_heads_in_group", 0);
    double wide = 0;
    json_number(json_get(ffn, "ffn_mult"), &wide);
    return is_usual(attention, "n_heads_in_group no_op replace_with_linear") &&
           is_usual(ffn, "ffn_mult intermediate_size no_op") &&
           (group ? c->heads / group : 0) == kv_heads &&
           json_true(attention, "replace_with_linear") == map &&
           (wide > 0 || size_or(ffn, "intermediate_size", 0) > 0) == network;
}

/* Each layer has attention or a map or neither, a network or none. */
static bool put_optional(Conversion *c, int64_t *values) {
    for (int kv = 0; kv < 2; kv++) {
        for (size_t l = 0; l < c->layers; l++) {
            const Target *k = layers_tensor(c, l, "attn_k");
            const bool map = !k && layers_tensor(c, l, "attn_output"),
                       network = layers_tensor(c, l, "ffn_up");
            const size_t kv_heads = k ? k->shape[0] / c->head_dim : 0;
            values[l] = (int64_t)(kv ? kv_heads : k || map ? c->heads : 0);
            if (!agrees_block(c, l, kv_heads, map, network))
                return REFUSE(c,
                              "config.json: of layer %zu it does not say the same as the "
                              "tensors, or something that is not built in (block_configs, "
                              "num_key_value_heads_per_layer)",
                              l);
        }
        put_each(c, kv ? "attention.head_count_kv" : "attention.head_count", values);
    }
    return true;
}

typedef struct MapRank {
    const char *key, *tensor; /* NULL ends a list */
    size_t parts;
} MapRank;

static const MapRank ranks_of_rwkv6[] = {
    {"time_mix_extra_dim", "blk.0.time_mix_w1.weight", RWKV6_MIXES},
    {"time_decay_extra_dim", "blk.0.time_mix_decay_w1.weight", 1},
    {0}};
static const MapRank ranks_of_arwkv7[] = {
    {"attention.decay_lora_rank", "blk.0.time_mix_w1.weight", 1},
    {"attention.iclr_lora_rank", "blk.0.time_mix_a1.weight", 1},
    {"attention.value_residual_mix_lora_rank", "blk.1.time_mix_v1.weight", 1},
    {"attention.gate_lora_rank", "blk.0.time_mix_g1.weight", 1},
    {0}};

/* Ranks of RWKV's maps, which config.json does not say: rows of a tensor / parts.  Opening the
 * new file shows whether they fit. */
static void put_ranks(Conversion *c, const MapRank *ranks) {
    for (; ranks->key; ranks++) {
        const Target *t = target_of(c, ranks->tensor);
        if (t) put_size(c, ranks->key, t->shape[0] / ranks->parts);
    }
}

bool put_layers(Conversion *c) {
    const Quirks *q = quirks_of(c->recipe);
    const bool hybrid = q->recurrent && c->heads,
               /* networks of layers that share keys and values may be wider; in others only
                * the tensors show how wide they are */
        by_shape = q->optional_parts || listed("refact openelm", text_of(c->family->arch)),
               networks =
                   q->keys_as_values || (by_shape && !config_size(c, "feed_forward_length", 0));
    if (!put_lists(c)) return false;
    if (q->recurrent == RECURRENT_RWKV6) put_ranks(c, ranks_of_rwkv6);
    if (strcmp(c->family->arch, "arwkv7") == 0) put_ranks(c, ranks_of_arwkv7);
    if ((!hybrid && !networks && !q->optional_parts) || !c->layers) return true;
    if (c->layers > 65536) return REFUSE(c, "config.json: %zu layers", c->layers);
    int64_t *values = calloc(c->layers, sizeof *values);
    bool ok = values || REFUSE(c, "no memory for %zu layers", c->layers);
    if (ok && networks) put_networks(c, values);
    if (ok && q->keys_as_values) ok = check_values(c);
    if (ok && q->optional_parts) ok = put_optional(c, values);
    if (ok && hybrid) ok = put_hybrid(c, values);
    return free(values), ok;
}
