/* towers.c - a vision tower's keys: the other part of a folder, with the projector (--vision).
 * See parts.h.
 *
 * Source   llama.cpp (d8a24cc), conversion/llava.py and llama4.py, for the keys. */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <string.h>

static const VisionKind *kind_of_tower(const Conversion *c) {
    const VisionKind *k = NULL;
    for (size_t i = 0; (k = vision_kind_at(i)); i++)
        if (strcmp(k->projector, c->family->projector) == 0) break;
    return k;
}

/* "vision_feature_layer": -2 is what goes into the last block, -1 what comes out of it; each
 * kind needs no key for one of them. */
static bool put_feature_layer(Conversion *c, const VisionKind *kind) {
    const JsonValue *said = json_get(json_root(c->folder.config), "vision_feature_layer");
    const int64_t blocks = (int64_t)config_size(c, "block_count", 0),
                  usual = blocks - kind->skips_block;
    double layer = kind->skips_block ? -2 : -1;
    if (said && said->kind != JSON_NULL &&
        (!json_number(said, &layer) || fabs(layer) > 65536 || layer != round(layer)))
        return REFUSE(c, "config.json: vision_feature_layer is not an integer: rows of several "
                         "blocks side by side are not built in");
    const int64_t block = layer < 0 ? blocks + 1 + (int64_t)layer : (int64_t)layer;
    if (block < 1 || block > blocks || (!kind->skips_block && block != usual))
        return REFUSE(c, "config.json: vision_feature_layer is %g, and there are %lld blocks",
                      layer, (long long)blocks);
    if (block != usual)
        gguf_put_ints(c->writer, "clip.vision.feature_layer", GGUF_I32, &block, 1);
    return true;
}

/* Its activation, by the same name as here. */
static bool put_eye_act(Conversion *c, const VisionKind *kind) {
    const JsonValue *sizes = c->folder.sizes, *gemma = json_get(sizes, "hidden_activation"),
                    *act = gemma ? gemma : json_get(sizes, "hidden_act");
    const char *gelu = kind->gelu == ACT_GELU_ERF ? "gelu" : "gelu_pytorch_tanh";
    if (json_is(act, gelu))
        gguf_put_int(c->writer, "clip.use_gelu", GGUF_BOOL, 1);
    else if (json_is(act, "silu"))
        gguf_put_int(c->writer, "clip.use_silu", GGUF_BOOL, 1);
    else if (!json_is(act, "quick_gelu"))
        return REFUSE(c, "config.json: %s is not %s, quick_gelu or silu",
                      gemma ? "hidden_activation" : "hidden_act", gelu);
    return true;
}

/* How many patches per side become one row, by the keys of five processors. */
static bool put_merge(Conversion *c, const VisionKind *kind) {
    static const char *const keys[] = {"mm_tokens_per_image", "scale_factor",
                                       "pooling_kernel_size", "downsample_ratio",
                                       "pixel_shuffle_ratio"};
    const double across = (double)config_size(c, "image_size", 0) /
                          (double)max_size(config_size(c, "patch_size", 1), 1);
    double side = 0, n = 0;
    if (!kind->side_key || strcmp(kind->side_key, "projector.scale_factor") != 0) return true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const JsonValue *value = json_get(c->folder.sizes, keys[i]);
        if (!value || value->kind == JSON_NULL) continue;
        if (json_number(value, &n)) n = i == 0 ? across / sqrt(n) : i < 3 ? n : 1 / n;
        if (!(n > 0.5 && n < 100 && fabs(n - round(n)) < 0.05 &&
              (side == 0 || round(n) == side)))
            return REFUSE(c,
                          "config.json: by %s the patches that become one row are not a "
                          "square, or another one than by another key",
                          keys[i]);
        side = round(n), n = 0;
    }
    return put_size(c, "projector.scale_factor", (size_t)side), true;
}

/* Widths: Qwen 2 VL's hidden_size is the language model's, and that of the tower embed_dim. */
static void put_widths(Conversion *c, const JsonValue *text) {
    const JsonValue *sizes = c->folder.sizes;
    const size_t hidden = size_or(sizes, "hidden_size", 0),
                 dim = size_or(sizes, "embed_dim", hidden);
    size_t out = size_or(text, "hidden_size", 0);
    put_size(c, "embedding_length", dim);
    if (json_get(sizes, "embed_dim")) {
        const double hidden_of_network = number_or(sizes, "mlp_ratio", 4) * (double)dim;
        put_size(c, "feed_forward_length", (size_t)hidden_of_network), out = hidden;
    }
    if (out && !json_get(sizes, "projection_dim") && !json_get(sizes, "out_hidden_size"))
        put_size(c, "projection_dim", out);
}

/* Each n-th block has no window. */
static bool put_windows_pattern(Conversion *c, const VisionKind *kind) {
    const JsonValue *list = json_get(c->folder.sizes, "fullatt_block_indexes");
    const size_t count = list && list->kind == JSON_ARRAY ? list->count : 0;
    size_t every = 0, block;
    if (!kind->windows) return true;
    for (size_t i = 0; i < count; i++) {
        if (!json_size(&list->items[i], &block) || (i && block + 1 != every * (i + 1)))
            return REFUSE(c, "config.json: fullatt_block_indexes is not each n-th block");
        if (i == 0) every = block + 1;
    }
    if (!every) return REFUSE(c, "config.json: fullatt_block_indexes has no blocks");
    return put_size(c, "n_wa_pattern", every), true;
}

/* What patches rotate by, if config.json says it.  Newer folders call the default "axial": half
 * of a head rotates by the line, half by the column. */
static bool put_theta(Conversion *c, const VisionKind *kind) {
    const JsonValue *sizes = c->folder.sizes, *more = json_get(sizes, "rope_parameters"),
                    *type = json_get(more, "rope_type"), *base = json_get(more, "rope_theta");
    double theta = 0;
    if (more && more->kind != JSON_OBJECT && more->kind != JSON_NULL)
        return REFUSE(c, "config.json: rope_parameters is not an object");
    if (!type) type = json_get(more, "type"); /* as older folders call it */
    if (type && !json_is(type, "default") && !json_is(type, "axial"))
        return REFUSE(c,
                      "config.json: rope_type is not default or axial, as patches are rotated");
    const JsonValue *other = json_get(sizes, "rope_theta");
    if (base && other && number_or(more, "rope_theta", 0) != number_or(sizes, "rope_theta", 0))
        return REFUSE(c, "config.json: rope_theta is %g, and %g in rope_parameters",
                      number_or(sizes, "rope_theta", 0), number_or(more, "rope_theta", 0));
    if (!base) base = other;
    if (kind->rope == ROPE_NONE || !base || base->kind == JSON_NULL) return true;
    if (!json_number(base, &theta) || theta <= 0)
        return REFUSE(c, "config.json: rope_theta is not a number above 0");
    return gguf_put_float(c->writer, "clip.rope.freq_base", GGUF_F32, theta), true;
}

/* Heads are of the usual width, and as many for keys. */
static bool check_heads(Conversion *c) {
    const JsonValue *sizes = c->folder.sizes;
    const size_t each = size_or(sizes, "head_dim", 0);
    c->heads = c->kv_heads = config_size(c, "attention.head_count", 0);
    if (each && each * c->heads != size_or(sizes, "hidden_size", 0))
        return REFUSE(c, "config.json: head_dim is %zu, wanted hidden_size / heads", each);
    if (size_or(sizes, "global_head_dim", each) != each ||
        size_or(sizes, "num_key_value_heads", c->heads) != c->heads)
        return REFUSE(c, "config.json: global_head_dim is not head_dim, or num_key_value_heads "
                         "not num_attention_heads: all heads of a vision tower are alike here");
    return true;
}

/* Tensors of the tower whose names end like this. */
static size_t count_ends(const Conversion *c, const char *end) {
    size_t count = 0, prefix;
    for (size_t i = 0; i < c->folder.n_tensors; i++) {
        const Text name = c->folder.tensors[i].name;
        count += begins_with_one_of(name, c->family->prefix, &prefix) &&
                 text_ends(name, text_of(end));
    }
    return count;
}

/* A flag of config.json is true where the folder has tensors whose names end like this: one for
 * each that ends with `each`, or, where that is NULL, one. */
static bool check_tensors(Conversion *c, const char *flag, const char *end, const char *each) {
    const bool said = json_true(c->folder.sizes, flag);
    const size_t found = count_ends(c, end), wanted = each ? count_ends(c, each) : 1;
    if ((found > 0) != said)
        return REFUSE(c,
                      "config.json: %s is %s, and the vision tower has %s whose "
                      "name ends with '%s'",
                      flag, said ? "true" : "not true", found ? "tensors" : "no tensor", end);
    return !said || found == wanted ||
           REFUSE(c, "the vision tower has %zu tensors whose names end with '%s', wanted %zu",
                  found, end, wanted);
}

/* Gemma 4's maps are held between bounds, all of them or none, and its rows standardized. */
static bool check_parts(Conversion *c, const VisionKind *kind) {
    static const char *const bounds[] = {".input_min", ".input_max", ".output_min",
                                         ".output_max"};
    for (int i = 0; i < 4 && kind->bounded; i++)
        if (!check_tensors(c, "use_clipped_linears", bounds[i], ".linear.weight")) return false;
    return !kind->standardized || (check_tensors(c, "standardize", "std_bias", NULL) &&
                                   check_tensors(c, "standardize", "std_scale", NULL));
}

/* What shows in the tensors, too; "full" strategies read the class row. */
static bool check_tower(Conversion *c, const VisionKind *kind) {
    const JsonValue *rows = json_get(c->folder.sizes, "vision_feature_select_strategy"),
                    *forced = json_get(c->folder.sizes, "force_image_size");
    const size_t image = config_size(c, "image_size", 0);
    size_t side = image;
    if (forced && forced->kind != JSON_NULL && (!json_size(forced, &side) || side != image))
        return REFUSE(c, "config.json: force_image_size is not image_size, %zu", image);
    if (!check_heads(c) || !check_parts(c, kind)) return false;
    if (rows && rows->kind != JSON_NULL && !json_is(rows, "default") &&
        (kind->class_row || !json_is(rows, "full")))
        return REFUSE(c, "config.json: vision_feature_select_strategy is not default");
    return true;
}

/* The token whose embedding ends a line of patches. */
static bool find_break(Conversion *c, const VisionKind *kind) {
    if (!kind->row_end) return true;
    Json *json = folder_json(&c->folder, "tokenizer.json", false, c->fault);
    const JsonValue *added = json ? json_get(json_root(json), "added_tokens") : NULL;
    bool found = false;
    for (size_t i = 0; added && i < added->count && !found; i++)
        found = json_is(json_get(&added->items[i], "content"), "[IMG_BREAK]") &&
                json_size(json_get(&added->items[i], "id"), &c->break_row);
    if (json && !found) REFUSE(c, "tokenizer.json: added_tokens has no [IMG_BREAK]");
    json_free(json);
    return found;
}

bool put_vision(Conversion *c) {
    const VisionKind *kind = kind_of_tower(c);
    const JsonValue *config = json_root(c->folder.config),
                    *text = json_get(config, "text_config"),
                    *audio = json_get(config, "audio_config");
    bool ok = put_preparation(c, kind) && put_eye_act(c, kind) && put_feature_layer(c, kind) &&
              put_theta(c, kind) && put_deep(c, kind) && check_tower(c, kind) &&
              put_windows_pattern(c, kind) && find_break(c, kind) && put_merge(c, kind);
    put_widths(c, text);
    if (audio && audio->kind == JSON_OBJECT)
        convert_note(c,
                     "the folder's encoder of sound is left out: this program reads pictures");
    gguf_put_string(c->writer, "general.type", text_of("mmproj"));
    gguf_put_int(c->writer, "clip.has_vision_encoder", GGUF_BOOL, 1);
    gguf_put_string(c->writer, "clip.projector_type", text_of(kind->projector));
    return ok;
}

bool check_tower_width(const Conversion *c) {
    const JsonValue *said = json_get(c->folder.sizes, "out_hidden_size");
    const VisionKind *kind = kind_of_tower(c);
    char name[60] = "";
    size_t width;
    for (int i = 0; i < 3 && kind->maps[i]; i++)
        snprintf(name, sizeof name, "%s.weight", kind->maps[i]);
    const Target *last = target_of(c, name);
    if (!said || said->kind == JSON_NULL || !last ||
        (json_size(said, &width) && width == last->shape[0]))
        return true;
    return REFUSE(c, "config.json: out_hidden_size is not %zu, as the vision tower's rows are",
                  last->shape[0]);
}
