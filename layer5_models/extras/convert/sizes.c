/* sizes.c - keys that follow from several keys of config.json, and defaults.  See parts.h. */
#include "parts.h"
#include "json.h"

#include <string.h>

static bool put_heads(Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    size_t dim = size_or(config, "hidden_size", size_or(config, "n_embd", 0));
    c->heads = size_or(config, "num_attention_heads", size_or(config, "n_head", 0));
    c->kv_heads = size_or(config, "num_key_value_heads", c->heads);
    if (!c->heads)
        return REFUSE(c, "config.json: num_attention_heads is %s",
                      json_get(config, "num_attention_heads") || json_get(config, "n_head")
                          ? "0, wanted 1 or more"
                          : "missing");
    c->head_dim = size_or(config, "head_dim", dim / c->heads);
    put_size(c, "attention.key_length", c->head_dim);
    put_size(c, "attention.value_length", c->head_dim);
    if (c->recipe->learned_positions) return true;
    double part = 1;
    json_number(json_get(config, "rotary_pct"), &part);
    json_number(json_get(config, "partial_rotary_factor"), &part);
    if (!(part > 0 && part <= 1))
        return REFUSE(c, "config.json: %g of a head cannot rotate", part);
    put_size(c, "rope.dimension_count", (size_t)((double)c->head_dim * part));
    return true;
}

/* The scale of scores is 1 / sqrt(query_pre_attn_scalar), and must be the family's. */
static bool check_scale(Conversion *c) {
    double scalar;
    bool by_dim = c->layers == c->recipe->scale_by_dim_layers;
    size_t dim = size_or(c->folder.sizes, "hidden_size", 0),
           wanted = by_dim ? dim / c->heads : c->head_dim;
    if (!json_number(json_get(c->folder.sizes, "query_pre_attn_scalar"), &scalar) ||
        scalar == (double)wanted)
        return true;
    return REFUSE(
        c, "config.json: query_pre_attn_scalar is %g, wanted %zu in a model of this size",
        scalar, wanted);
}

static bool check_layer_types(Conversion *c, bool windows) {
    const JsonValue *types = json_get(c->folder.sizes, "layer_types");
    if (!types || types->kind == JSON_NULL) return true;
    if (types->kind != JSON_ARRAY || types->count != c->layers)
        return REFUSE(c, "config.json: layer_types is not a list of %zu words", c->layers);
    for (size_t l = 0; l < types->count; l++) {
        const size_t pattern = c->recipe->window_pattern;
        bool window = windows &&
                      (c->recipe->window_everywhere || (pattern && l % pattern != pattern - 1));
        if (!json_is(&types->items[l], window ? "sliding_attention" : "full_attention"))
            return REFUSE(c,
                          "config.json: layer_types has another word for layer %zu than "
                          "'%s', which is what the family has here",
                          l, window ? "sliding_attention" : "full_attention");
    }
    return true;
}

static bool put_windows(Conversion *c) {
    const JsonValue *config = c->folder.sizes, *off = json_get(config, "use_sliding_window");
    size_t window = size_or(config, "sliding_window", 0), ctx = 0,
           pattern =
               size_or(config, "sliding_window_pattern",
                       size_or(config, "_sliding_window_pattern", c->recipe->window_pattern));
    json_size(json_get(config, "max_position_embeddings"), &ctx);
    if (off && off->kind == JSON_FALSE) window = 0;
    if (c->recipe->window_pattern && pattern != c->recipe->window_pattern)
        return REFUSE(c, "config.json: of %zu layers one has no window, wanted %zu", pattern,
                      c->recipe->window_pattern);
    if (!check_layer_types(c, window != 0)) return false;
    if (window == 0 || (!c->recipe->window_pattern && window >= ctx)) return true;
    put_size(c, "attention.sliding_window", window);
    return true;
}

static bool put_mamba(Conversion *c) {
    const JsonValue *config = c->folder.sizes, *limit = json_get(config, "time_step_limit");
    size_t heads = size_or(config, "num_heads", 0), each = size_or(config, "head_dim", 64),
           dim = size_or(config, "hidden_size", 0), expand = size_or(config, "expand", 2);
    double low = 0, high;
    c->groups = size_or(config, "n_groups", 0);
    if (!heads || heads * each != expand * dim)
        return REFUSE(c,
                      "config.json: num_heads %zu * head_dim %zu is not expand %zu * "
                      "hidden_size %zu",
                      heads, each, expand, dim);
    if (limit && limit->kind == JSON_ARRAY && limit->count == 2 &&
        (!json_number(&limit->items[0], &low) || low != 0 ||
         json_number(&limit->items[1], &high)))
        return REFUSE(c, "config.json: time_step_limit is not from 0 to infinity: clamping "
                         "steps is not built in");
    put_size(c, "ssm.inner_size", expand * dim);
    if (!json_get(config, "max_position_embeddings")) put_size(c, "context_length", 1 << 20);
    return true;
}

/* T5 has other names; its context is unlimited: by default what it was trained with. */
static bool put_t5(Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    if (!json_size(json_get(config, "d_kv"), &c->head_dim))
        return REFUSE(c, "config.json: d_kv is not an integer");
    put_size(c, "attention.key_length", c->head_dim);
    put_size(c, "attention.value_length", c->head_dim);
    if (!json_get(config, "n_positions")) put_size(c, "context_length", 512);
    return true;
}

/* GPT-2 and relatives omit it when it is four times the width. */
static void put_defaults(Conversion *c) {
    const JsonValue *inner = json_get(c->folder.sizes, "n_inner");
    if (strcmp(c->family->arch, "gpt2") == 0 && (!inner || inner->kind == JSON_NULL))
        put_size(c, "feed_forward_length", 4 * size_or(c->folder.sizes, "n_embd", 0));
}

/* Is there a value for one of these keys, "rotary_pct|partial_rotary_factor"? */
static bool says_one_of(const JsonValue *config, const char *keys) {
    for (const char *at = keys;; at++) {
        size_t n = strcspn(at, "|? ");
        const JsonValue *value = json_find(config, (Text){at, n});
        if (value && (value->kind != JSON_NULL || at[n] == '?')) return true;
        at += n;
        if (*at != '|') return false;
    }
}

/* Keys whose default differs between there and here. */
static bool check_needs(Conversion *c) {
    for (const char *at = c->family->needs; at && *at; at += strspn(at, " ")) {
        if (!says_one_of(c->folder.sizes, at))
            return REFUSE(c, "config.json: '%.*s' is missing, and a %s needs it",
                          (int)strcspn(at, "|? "), at, c->family->architecture);
        at += strcspn(at, " ");
    }
    return true;
}

bool put_sizes(Conversion *c) {
    if (!check_needs(c)) return false;
    put_defaults(c);
    if (quirks_of(c->recipe)->relative) return put_t5(c);
    if (quirks_of(c->recipe)->recurrent) return put_mamba(c);
    return put_heads(c) && check_scale(c) && put_windows(c) &&
           put_rope_scaling(c, json_get(c->folder.sizes, "rope_scaling"));
}
