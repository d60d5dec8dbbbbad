/* sizes.c - keys that follow from several keys of config.json, and defaults.  See parts.h. */
#include "parts.h"
#include "json.h"

#include <stdio.h>
#include <string.h>

/* Falcon's key heads: by new_decoder_architecture as they stand, else one or all. */
static size_t falcon_kv_heads(const Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    if (json_true(config, "new_decoder_architecture"))
        return size_or(config, "num_kv_heads", size_or(config, "n_head_kv", c->heads));
    return json_true(config, "multi_query") ? 1 : c->heads;
}

/* The part of a head that rotates.  ChatGLM's own class does not say that it is a half. */
static double rotary_part(const Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    double part = strncmp(c->family->classes, "ChatGLM", 7) == 0 ? 0.5 : 1;
    json_number(json_get(config, "rotary_pct"), &part);
    json_number(json_get(config, "rope_pct"), &part);
    json_number(json_get(config, "rotary_emb_fraction"), &part);
    json_number(json_get(json_get(config, "rope_parameters"), "partial_rotary_factor"), &part);
    json_number(json_get(config, "partial_rotary_factor"), &part);
    return part;
}

/* Of Gemma 4 the part is that of layers with a window. */
static bool put_rotary(Conversion *c) {
    const double part = rotary_part(c);
    if (c->recipe->rope == ROPE_NONE || config_size(c, "rope.dimension_count", 0)) return true;
    if (!(part > 0 && part <= 1))
        return REFUSE(c, "config.json: %g of a head cannot rotate", part);
    put_size(c, "rope.dimension_count",
             quirks_of(c->recipe)->window_heads ? c->head_dim
                                                : (size_t)((double)c->head_dim * part));
    return true;
}

/* Heads of layers with a window, where they differ from the others': Gemma 4's are shorter, and
 * MiMo's and Step's fewer or more. */
static bool put_kinds_of_heads(Conversion *c) {
    const JsonValue *config = c->folder.sizes,
                    *other = json_get(config, "attention_other_setting");
    c->window_kv_heads = size_or(config, "swa_num_key_value_heads",
                                 size_or(other, "num_attention_groups", c->kv_heads));
    if (quirks_of(c->recipe)->window_heads) {
        put_size(c, "attention.key_length_swa", c->head_dim);
        put_size(c, "attention.value_length_swa", c->head_dim);
        put_size(c, "rope.dimension_count_swa", (size_t)((double)c->head_dim * rotary_part(c)));
        if (!read_full_heads(c)) return false;
    }
    if (size_or(config, "swa_num_attention_heads", c->heads) != c->heads)
        return REFUSE(c, "config.json: swa_num_attention_heads is not num_attention_heads");
    if (size_or(config, "swa_head_dim", c->head_dim) != c->head_dim ||
        size_or(other, "head_dim", c->head_dim) != c->head_dim ||
        size_or(config, "swa_v_head_dim", 0) != size_or(config, "v_head_dim", 0))
        return REFUSE(c,
                      "config.json: heads of layers with a window are of another length than "
                      "the others, which is not built in for this family");
    return true;
}

static bool put_heads(Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    size_t dim = config_size(c, "embedding_length", 0);
    bool falcon = strcmp(c->family->arch, "falcon") == 0;
    c->heads = config_size(c, "attention.head_count", 0);
    const size_t shared = max_size(1, size_or(config, "n_shared_head", 1));
    if (c->heads % shared)
        return REFUSE(c, "config.json: %zu heads do not divide by n_shared_head, %zu", c->heads,
                      shared);
    c->kv_heads = config_size(c, "attention.head_count_kv",
                              size_or(config, "num_key_value_heads", c->heads / shared));
    if (falcon) c->kv_heads = falcon_kv_heads(c);
    if (!c->heads)
        return REFUSE(c, "config.json: num_attention_heads is %s",
                      json_get(config, "num_attention_heads") || json_get(config, "n_head")
                          ? "0, wanted 1 or more"
                          : "missing");
    if (falcon) put_size(c, "attention.head_count_kv", c->kv_heads);
    c->head_dim = size_or(
        config, "head_dim",
        size_or(config, "attention_head_dim", size_or(config, "kv_channels", dim / c->heads)));
    if (quirks_of(c->recipe)->latents) /* the class's formulas say the rest */
        return c->key_dim = size_or(config, "qk_nope_head_dim", 0), true;
    if (quirks_of(c->recipe)->window_listed && !put_kinds_of_heads(c)) return false;
    put_size(c, "attention.key_length", c->head_dim);
    put_size(c, "attention.value_length", size_or(config, "v_head_dim", c->head_dim));
    return put_rotary(c);
}

/* The scale of scores is 1 / sqrt(query_pre_attn_scalar), and must be the family's. */
static bool check_scale(Conversion *c) {
    double scalar;
    bool by_dim = c->layers == c->recipe->scale_by_dim_layers;
    size_t dim = config_size(c, "embedding_length", 0),
           wanted = by_dim ? dim / c->heads : c->head_dim;
    if (!json_number(json_get(c->folder.sizes, "query_pre_attn_scalar"), &scalar) ||
        scalar == (double)wanted)
        return true;
    return REFUSE(
        c, "config.json: query_pre_attn_scalar is %g, wanted %zu in a model of this size",
        scalar, wanted);
}

/* Layers with a window: all, all but every n-th, or all but the first of every n. */
static bool sizes_has_window(const Conversion *c, size_t l) {
    const size_t pattern = c->recipe->window_pattern, chunk = quirks_of(c->recipe)->chunk,
                 every = chunk ? (size_t)c->recipe->no_rope_every : pattern;
    if (!every) return c->recipe->window_everywhere;
    return l % every != (quirks_of(c->recipe)->window_after ? 0 : every - 1);
}

static bool check_layer_types(Conversion *c, bool windows) {
    const JsonValue *types = json_get(c->folder.sizes, "layer_types");
    if (!types || types->kind == JSON_NULL || quirks_of(c->recipe)->recurrent) return true;
    if (types->kind != JSON_ARRAY || types->count != c->layers - c->drafts)
        return REFUSE(c, "config.json: layer_types is not a list of %zu words",
                      c->layers - c->drafts);
    const char *narrow =
        quirks_of(c->recipe)->chunk ? "chunked_attention" : "sliding_attention";
    for (size_t l = 0; l < types->count; l++) {
        const char *word = windows && sizes_has_window(c, l) ? narrow : "full_attention";
        if (!json_is(&types->items[l], word))
            return REFUSE(c,
                          "config.json: layer_types has another word for layer %zu than "
                          "'%s', which is what the family has here",
                          l, word);
    }
    return true;
}

/* Layers without positions: 0 in a list.  Every fourth is the family's. */
static bool check_no_rope(Conversion *c) {
    const JsonValue *list = json_get(c->folder.sizes, "no_rope_layers");
    size_t every = (size_t)c->recipe->no_rope_every, turns;
    bool usual = list && list->kind == JSON_ARRAY && list->count == 0;
    if (!every || !list || usual || list->kind == JSON_NULL) return true;
    if (list->kind != JSON_ARRAY || list->count != c->layers)
        return REFUSE(c, "config.json: no_rope_layers is not a list of %zu numbers", c->layers);
    for (size_t l = 0; l < c->layers; l++)
        if (!json_size(&list->items[l], &turns) || turns != (l % every != every - 1))
            return REFUSE(c,
                          "config.json: no_rope_layers has another number for layer %zu than "
                          "%d: only every layer of number %zu has no positions here",
                          l, l % every != every - 1, every);
    return true;
}

/* A list of 0 and 1: is it 1 in layers with a window alone, or `all` in each? */
static bool layout_is(const Conversion *c, const char *key, bool by_window, size_t all) {
    const JsonValue *list = json_get(c->folder.sizes, key);
    size_t one;
    bool same = list && list->kind == JSON_ARRAY && list->count == c->layers;
    for (size_t l = 0; same && l < c->layers; l++)
        same = json_size(&list->items[l], &one) &&
               one == (by_window ? sizes_has_window(c, l) : all);
    return same;
}

/* SmallThinker */
static bool put_layouts(Conversion *c) {
    static const char windows[] = "sliding_window_layout", turns[] = "rope_layout";
    if (!config_key(c, text_of(windows))) return true;
    if (layout_is(c, windows, false, 0) && layout_is(c, turns, false, 1)) return true;
    if (!layout_is(c, windows, true, 0) || !layout_is(c, turns, true, 0))
        return REFUSE(c,
                      "config.json: by %s and %s a layer has a window and no positions, or the "
                      "windows are not those of all layers but the first of %zu: neither is "
                      "built in",
                      windows, turns, c->recipe->window_pattern);
    put_size(c, "attention.sliding_window",
             size_or(c->folder.sizes, "sliding_window_size", 4096));
    return true;
}

/* Families whose files list the layers with a window. */
static bool lists_windows(const Conversion *c) {
    return quirks_of(c->recipe)->window_listed ||
           listed("mellum gemma3n", text_of(c->family->arch));
}

static bool put_windows(Conversion *c) {
    const JsonValue *config = c->folder.sizes, *off = json_get(config, "use_sliding_window");
    size_t window = size_or(config, "sliding_window", 0), ctx = 0,
           pattern =
               size_or(config, "sliding_window_pattern",
                       size_or(config, "_sliding_window_pattern", c->recipe->window_pattern));
    ctx = config_size(c, "context_length", 0);
    if (off && off->kind == JSON_FALSE) window = 0;
    if (lists_windows(c)) {
        if (window) put_size(c, "attention.sliding_window", window);
        return put_window_list(c);
    }
    if (c->recipe->window_pattern && pattern != c->recipe->window_pattern)
        return REFUSE(c, "config.json: of %zu layers one has no window, wanted %zu", pattern,
                      c->recipe->window_pattern);
    if (!check_layer_types(c, window != 0 || quirks_of(c->recipe)->chunk)) return false;
    if (window == 0 || (!c->recipe->window_pattern && window >= ctx)) return true;
    put_size(c, "attention.sliding_window", window);
    return true;
}

/* Steps of Mamba 2 are not clamped. */
static bool check_steps(Conversion *c) {
    const JsonValue *limit = json_get(c->folder.sizes, "time_step_limit");
    double low = 0, high;
    if (limit && limit->kind == JSON_ARRAY && limit->count == 2 &&
        (!json_number(&limit->items[0], &low) || low != 0 ||
         json_number(&limit->items[1], &high)))
        return REFUSE(c, "config.json: time_step_limit is not from 0 to infinity: clamping "
                         "steps is not built in");
    return true;
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
            return REFUSE(c, "config.json: '%.*s' is missing, and a %.*s needs it",
                          (int)strcspn(at, "|? "), at, CLASS(c));
        at += strcspn(at, " ");
    }
    return true;
}

/* How DeepSeek and relatives choose experts: "sigmoid" or "softmax"; of n_group groups. */
static bool put_router(Conversion *c) {
    const JsonValue *config = c->folder.sizes, *said = json_get(config, "scoring_func");
    const JsonValue *method = json_get(config, "topk_method");
    const size_t groups = size_or(config, "n_group", 1);
    const ConfigKey *key = config_key(c, text_of("scoring_func"));
    const JsonValue *soft = json_get(config, "moe_primary_router_apply_softmax");
    if (soft) put_size(c, "expert_gating_func", soft->kind == JSON_TRUE ? 1 : 2);
    if (!quirks_of(c->recipe)->router_by_key || !key || key->use != READ) return true;
    if (said && !json_is(said, "sigmoid") && !json_is(said, "softmax"))
        return REFUSE(c, "config.json: scoring_func is neither sigmoid nor softmax");
    if (said) put_size(c, "expert_gating_func", json_is(said, "sigmoid") ? 2 : 1);
    if (groups > 1 && !json_is(method, "greedy")) {
        put_size(c, "expert_group_count", groups);
        put_size(c, "expert_group_used_count", size_or(config, "topk_group", groups));
    }
    return true;
}

/* Llama 4 has norms of unit gain, but not with 128 experts. */
static bool check_unit_norms(Conversion *c) {
    const JsonValue *said = json_get(c->folder.sizes, "use_qk_norm");
    bool wanted = config_size(c, "expert_count", 0) != 128;
    if (!quirks_of(c->recipe)->head_norms_unit || !said || (said->kind == JSON_TRUE) == wanted)
        return true;
    return REFUSE(c, "config.json: use_qk_norm is not %s, as in this family",
                  wanted ? "true" : "false, with 128 experts");
}

/* rope.scaling.finetuned: does attention of this file rotate at all? */
static void put_rotates(Conversion *c) {
    const JsonValue *said = json_get(c->folder.sizes, "position_embedding_type");
    char key[96];
    snprintf(key, sizeof key, "%s.rope.scaling.finetuned", c->family->arch);
    if (quirks_of(c->recipe)->rope_by_key && said)
        gguf_put_int(c->writer, key, GGUF_BOOL, !json_is(said, "nope"));
}

/* Falcon Mamba's norms inside mixers have a bound of their own, which GGUF files cannot say. */
static void note_mixer_eps(const Conversion *c) {
    double inside, all;
    if (json_number(json_get(c->folder.sizes, "mixer_rms_eps"), &inside) &&
        json_number(json_get(c->folder.sizes, "layer_norm_epsilon"), &all) && inside != all)
        convert_note(c,
                     "norms inside mixers are computed with layer_norm_epsilon, %g: GGUF files "
                     "cannot say that it is %g there",
                     all, inside);
}

bool put_sizes(Conversion *c) {
    const Quirks *q = quirks_of(c->recipe);
    bool heads = json_get(c->folder.sizes, "num_attention_heads") || !q->recurrent;
    if (!check_needs(c) || !check_read_numbers(c) || !check_steps(c)) return false;
    c->groups = config_size(c, "ssm.group_count", 0);
    c->value_heads = config_size(c, "ssm.time_step_rank", 0);
    put_formulas(c), put_rotates(c), note_mixer_eps(c);
    if (q->is_vision_tower) return put_vision(c);
    if (q->is_draft_head && !put_draft_head(c)) return false;
    if (q->assists && !put_assistant(c)) return false;
    if (q->recurrent == RECURRENT_RWKV || q->recurrent == RECURRENT_RWKV6) heads = false;
    if (q->relative || !heads) return true; /* the class's formulas say the rest */
    if (!put_heads(c)) return false;
    if (q->recurrent == RECURRENT_DELTA || q->recurrent == RECURRENT_DELTA_TILED)
        c->key_dim = config_size(c, "ssm.state_size", 0);
    return put_deep_layers(c) && check_scale(c) && check_no_rope(c) && check_unit_norms(c) &&
           put_windows(c) && put_layouts(c) && put_router(c) && put_number_lists(c) &&
           put_rope_scaling(c, json_get(c->folder.sizes, "rope_scaling"));
}
