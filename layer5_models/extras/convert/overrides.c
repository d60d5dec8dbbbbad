/* overrides.c - heads of Gemma 4's layers without a window.  See parts.h.
 *
 *     {"head_dim": 256, "num_key_value_heads": 16, "attention_k_eq_v": true,
 *      "global_head_dim": 512, "num_global_key_value_heads": 4, ...}
 *     {..., "per_layer_config": {"05": {"head_dim": 512, "num_key_value_heads": 4}, ...}}
 *
 * The second is how newer folders say it, for any layer.  A GGUF file has one number for all
 * layers without a window, and one for the others.
 *
 * Source   the transformers library's configuration_gemma4.py: global_head_dim is 512 where
 *          neither is said, and num_global_key_value_heads counts with attention_k_eq_v */
#include "parts.h"
#include "json.h"

/* Does this key, a number with or without zeros in front, mean the layer? */
static bool means_layer(Text key, size_t layer) {
    size_t number = 0;
    for (size_t i = 0; i < key.size; i++) {
        if (key.data[i] < '0' || key.data[i] > '9' || number > 65536) return false;
        number = number * 10 + (size_t)(key.data[i] - '0');
    }
    return key.size && number == layer;
}

static const JsonValue *override_of(const JsonValue *all, size_t layer) {
    for (size_t i = 0; i < all->count; i++)
        if (means_layer(all->keys[i], layer)) return &all->items[i];
    return NULL;
}

/* Is nothing else said of the layer? */
static bool check_override(const Conversion *c, const JsonValue *own, size_t layer) {
    if (own->kind != JSON_OBJECT)
        return REFUSE(c, "config.json: per_layer_config of layer %zu is not an object", layer);
    for (size_t i = 0, size; i < own->count; i++) {
        if (!listed("head_dim num_key_value_heads", own->keys[i]))
            return REFUSE(c,
                          "config.json: per_layer_config of layer %zu has '%.*s', wanted "
                          "head_dim and num_key_value_heads alone",
                          layer, (int)min_size(60, own->keys[i].size), own->keys[i].data);
        if (!json_size(&own->items[i], &size) || !size)
            return REFUSE(c, "config.json: '%.*s' of layer %zu is not an integer above 0",
                          (int)own->keys[i].size, own->keys[i].data, layer);
    }
    return true;
}

/* Layers of one kind have the same; `full`: there was one without a window before. */
static bool read_override(Conversion *c, const JsonValue *own, size_t layer,
                          const size_t usual[2], bool *full) {
    const size_t dim = size_or(own, "head_dim", usual[0]),
                 heads = size_or(own, "num_key_value_heads", usual[1]);
    const bool windowed = says_window(c, layer) == 1;
    const size_t wanted[2] = {windowed ? usual[0] : c->head_dim,
                              windowed ? usual[1] : c->kv_heads};
    if (own && !check_override(c, own, layer)) return false;
    if ((windowed || *full) && (dim != wanted[0] || heads != wanted[1]))
        return REFUSE(c,
                      "config.json: per_layer_config says something else of layer %zu than of "
                      "other layers of its kind, with a window or without",
                      layer);
    if (!windowed) c->head_dim = dim, c->kv_heads = heads, *full = true;
    return true;
}

static bool read_overrides(Conversion *c, const JsonValue *all) {
    const size_t usual[2] = {c->head_dim, c->kv_heads};
    size_t used = 0;
    bool full = false;
    if (all->kind != JSON_OBJECT)
        return REFUSE(c, "config.json: per_layer_config is not an object");
    if (c->layers > 65536) return REFUSE(c, "config.json: %zu layers", c->layers);
    for (size_t l = 0; l < c->layers; l++) {
        const JsonValue *own = override_of(all, l);
        used += own != NULL;
        if (!read_override(c, own, l, usual, &full)) return false;
    }
    if (used != all->count)
        return REFUSE(c, "config.json: per_layer_config names a layer beyond the model's %zu",
                      c->layers);
    const size_t said = size_or(c->folder.sizes, "global_head_dim", c->head_dim);
    return said == c->head_dim ||
           REFUSE(c, "config.json: global_head_dim is %zu, and per_layer_config says %zu", said,
                  c->head_dim);
}

bool read_full_heads(Conversion *c) {
    const JsonValue *config = c->folder.sizes, *all = json_get(config, "per_layer_config");
    if (all && all->kind != JSON_NULL) {
        if (!read_overrides(c, all)) return false;
    } else {
        c->head_dim = size_or(config, "global_head_dim", 512);
        if (json_true(config, "attention_k_eq_v"))
            c->kv_heads = size_or(config, "num_global_key_value_heads", c->kv_heads);
    }
    return max_size(c->head_dim, c->kv_heads) <= 65536 ||
           REFUSE(c,
                  "config.json: %zu heads of %zu numbers in layers without a window, wanted "
                  "65536 at most of either",
                  c->kv_heads, c->head_dim);
}
