/* lists.c - lists of config.json with an item for each layer, as keys.  See parts.h. */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void put_each(Conversion *c, const char *name, const int64_t *values) {
    bool same = true;
    char key[96];
    for (size_t l = 1; l < c->layers; l++) same = same && values[l] == values[0];
    snprintf(key, sizeof key, "%s.%s", c->family->arch, name);
    if (same)
        put_size(c, name, (size_t)values[0]);
    else
        gguf_put_ints(c->writer, key, GGUF_U32, values, c->layers);
}

/* ------------------------------------------------------------------ windows */

int says_window(const Conversion *c, size_t layer) {
    const JsonValue *words = json_get(c->folder.sizes, "layer_types"),
                    *flags = json_get(c->folder.sizes, "hybrid_layer_pattern");
    size_t flag;
    if (words && words->kind == JSON_ARRAY && layer < words->count) {
        if (json_is(&words->items[layer], "sliding_attention")) return 1;
        return json_is(&words->items[layer], "full_attention") ? 0 : -1;
    }
    bool said = flags && flags->kind == JSON_ARRAY && layer < flags->count &&
                json_size(&flags->items[layer], &flag) && flag < 2;
    return said ? (int)flag : -1;
}

/* One number for layers with a window, another for those without. */
static void put_by_window(Conversion *c, const char *name, size_t windowed, size_t full,
                          int64_t *values) {
    for (size_t l = 0; l < c->layers; l++)
        values[l] = (int64_t)(windowed && says_window(c, l) ? windowed : full);
    put_each(c, name, values);
}

bool put_window_list(Conversion *c) {
    char key[96];
    const JsonValue *config = c->folder.sizes,
                    *other = json_get(config, "attention_other_setting");
    if (c->layers > 65536) return REFUSE(c, "config.json: %zu layers", c->layers);
    int64_t *values = calloc(c->layers + 1, sizeof *values);
    bool ok = values || REFUSE(c, "no memory for %zu layers", c->layers);
    for (size_t l = 0; ok && l < c->layers; l++) {
        values[l] = says_window(c, l);
        ok = values[l] >= 0 ||
             REFUSE(c,
                    "config.json: for layer %zu nothing says whether it has a window: wanted "
                    "sliding_attention or full_attention in layer_types",
                    l);
    }
    snprintf(key, sizeof key, "%s.attention.sliding_window_pattern", c->family->arch);
    if (ok) gguf_put_ints(c->writer, key, GGUF_BOOL, values, c->layers);
    if (ok && quirks_of(c->recipe)->window_listed) {
        put_by_window(c, "attention.head_count", size_or(other, "num_attention_heads", 0),
                      c->heads, values);
        put_by_window(c, "attention.head_count_kv", c->window_kv_heads, c->kv_heads, values);
    }
    return free(values), ok;
}

/* ------------------------------------------------------------------ numbers */

/* The number below which this part of a normal distribution lies: by halving an interval. */
static double normal_below(double part) {
    double low = -10, high = 10;
    if (part <= 0) return -INFINITY;
    for (int i = 0; i < 100; i++) {
        const double at = (low + high) / 2;
        if (0.5 * erfc(-at / sqrt(2)) < part)
            low = at;
        else
            high = at;
    }
    return (low + high) / 2;
}

static double as_it_is(double number) { return number; }

/* One list; null in it is 0, and layers behind its end (draft heads) have 0, too. */
static bool put_numbers(Conversion *c, const char *theirs, const char *ours,
                        double (*change)(double)) {
    const JsonValue *list = json_get(c->folder.sizes, theirs);
    char key[96];
    if (!list || list->kind == JSON_NULL) return true;
    if (list->kind != JSON_ARRAY || list->count + c->drafts < c->layers || c->layers > 65536)
        return REFUSE(c, "config.json: %s is not a list of %zu numbers", theirs, c->layers);
    double *values = calloc(c->layers + 1, sizeof *values);
    bool ok = values || REFUSE(c, "no memory for %zu layers", c->layers);
    for (size_t l = 0; ok && l < c->layers; l++) {
        const JsonValue *item = l < list->count ? &list->items[l] : NULL;
        ok = !item || item->kind == JSON_NULL || json_number(item, &values[l]) ||
             REFUSE(c, "config.json: %s has no number for layer %zu", theirs, l);
        values[l] = change(values[l]);
    }
    snprintf(key, sizeof key, "%s.%s", c->family->arch, ours);
    if (ok) gguf_put_floats(c->writer, key, GGUF_F32, values, c->layers);
    return free(values), ok;
}

bool put_number_lists(Conversion *c) {
    return put_numbers(c, "swiglu_limits", "swiglu_clamp_exp", as_it_is) &&
           put_numbers(c, "swiglu_limits_shared", "swiglu_clamp_shexp", as_it_is) &&
           put_numbers(c, "activation_sparsity_pattern", "activation_sparsity_scale",
                       normal_below);
}
