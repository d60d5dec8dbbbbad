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

bool put_layers(Conversion *c) {
    const bool hybrid = quirks_of(c->recipe)->recurrent && c->heads,
               /* networks of layers that share keys and values may be wider */
        shared = quirks_of(c->recipe)->keys_as_values;
    if (!put_lists(c)) return false;
    if ((!hybrid && !shared) || !c->layers) return true;
    if (c->layers > 65536) return REFUSE(c, "config.json: %zu layers", c->layers);
    int64_t *values = calloc(c->layers, sizeof *values);
    bool ok = values || REFUSE(c, "no memory for %zu layers", c->layers);
    if (ok && shared) put_networks(c, values);
    if (ok && hybrid) ok = put_hybrid(c, values);
    return free(values), ok;
}
