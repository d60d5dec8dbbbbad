/* towers.c - a vision tower's keys: the other part of a folder, with the projector (--vision).
 * See parts.h.
 *
 * Source   llama.cpp (d8a24cc), conversion/llava.py and llama4.py, for the keys. */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <string.h>

static bool put_colours(Conversion *c, const JsonValue *root, const char *theirs,
                        const char *ours) {
    const JsonValue *list = json_get(root, theirs);
    double values[3] = {0};
    for (size_t i = 0; i < 3; i++)
        if (!list || list->kind != JSON_ARRAY || list->count != 3 ||
            !json_number(&list->items[i], &values[i]))
            return REFUSE(c, "preprocessor_config.json: %s is not a list of three numbers",
                          theirs);
    return gguf_put_floats(c->writer, ours, GGUF_F32, values, 3), true;
}

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
    if (said && said->kind != JSON_NULL && !json_number(said, &layer))
        return REFUSE(c, "config.json: vision_feature_layer is not a number: rows of several "
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
    const JsonValue *act = json_get(c->folder.sizes, "hidden_act");
    const char *gelu = kind->gelu == ACT_GELU_ERF ? "gelu" : "gelu_pytorch_tanh";
    if (json_is(act, gelu))
        gguf_put_int(c->writer, "clip.use_gelu", GGUF_BOOL, 1);
    else if (json_is(act, "silu"))
        gguf_put_int(c->writer, "clip.use_silu", GGUF_BOOL, 1);
    else if (!json_is(act, "quick_gelu"))
        return REFUSE(c, "config.json: hidden_act is not %s, quick_gelu or silu", gelu);
    return true;
}

/* How many patches per side become one row, by the keys of four processors. */
static void put_merge(Conversion *c, const VisionKind *kind) {
    const JsonValue *sizes = c->folder.sizes;
    const double across = (double)config_size(c, "image_size", 0) /
                          (double)max_size(config_size(c, "patch_size", 1), 1);
    double n, side = 0;
    if (json_number(json_get(sizes, "mm_tokens_per_image"), &n)) side = across / sqrt(n);
    if (json_number(json_get(sizes, "scale_factor"), &n)) side = n;
    if (json_number(json_get(sizes, "downsample_ratio"), &n)) side = 1 / n;
    if (json_number(json_get(sizes, "pixel_shuffle_ratio"), &n)) side = 1 / n;
    if (kind->side_key && strcmp(kind->side_key, "projector.scale_factor") == 0)
        put_size(c, "projector.scale_factor", (size_t)(side + 0.5));
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

/* What patches rotate by, if config.json says it. */
static bool put_theta(Conversion *c, const VisionKind *kind) {
    const JsonValue *sizes = c->folder.sizes, *more = json_get(sizes, "rope_parameters"),
                    *type = json_get(more, "rope_type");
    const double theta = number_or(more, "rope_theta", number_or(sizes, "rope_theta", 0));
    if (type && !json_is(type, "default"))
        return REFUSE(c, "config.json: rope_type is not default, as patches are rotated");
    if (theta > 0 && kind->rope != ROPE_NONE)
        gguf_put_float(c->writer, "clip.rope.freq_base", GGUF_F32, theta);
    return true;
}

/* Heads are of the usual width; "full" strategies read the class row, too. */
static bool check_tower(Conversion *c, const VisionKind *kind) {
    const JsonValue *sizes = c->folder.sizes,
                    *rows = json_get(sizes, "vision_feature_select_strategy");
    const size_t each = size_or(sizes, "head_dim", 0);
    c->heads = c->kv_heads = config_size(c, "attention.head_count", 0);
    if (each && each * c->heads != size_or(sizes, "hidden_size", 0))
        return REFUSE(c, "config.json: head_dim is %zu, wanted hidden_size / heads", each);
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

/* A number that an object has, by another name. */
static bool put_found(Conversion *c, const JsonValue *object, const char *from,
                      const char *to) {
    double n;
    bool found = json_number(json_get(object, from), &n);
    if (found) put_size(c, to, (size_t)n);
    return found;
}

/* What preprocessor_config.json says of pictures. */
static bool put_preparation(Conversion *c, const VisionKind *kind, const JsonValue *root) {
    const JsonValue *size = json_get(root, "size");
    if (kind->fit == FIT_PIXELS) {
        if (!put_found(c, root, "min_pixels", "image_min_pixels"))
            put_found(c, size, "shortest_edge", "image_min_pixels");
        if (!put_found(c, root, "max_pixels", "image_max_pixels"))
            put_found(c, size, "longest_edge", "image_max_pixels");
    }
    const size_t image = config_size(c, "image_size", 0),
                 longest = size_or(size, "longest_edge", image);
    if (kind->fit == FIT_SIDE && longest != image)
        return REFUSE(c,
                      "preprocessor_config.json: longest_edge is %zu, wanted config.json's "
                      "image_size, %zu: a file has one of them",
                      longest, image);
    if (kind->grid == GRID_NEAREST || kind->grid == GRID_CANVAS) {
        put_found(c, root, "max_patches", "preproc_max_tiles");
        put_found(c, root, "min_patches", "preproc_min_tiles");
    }
    if (kind->twice) put_found(c, size, "longest_edge", "preproc_image_size");
    const JsonValue *splits = json_get(root, "do_image_splitting");
    if (kind->grid == GRID_COVER && splits && splits->kind == JSON_FALSE)
        put_size(c, "preproc_max_tiles", 1);
    if (json_true(root, "resize_to_max_canvas"))
        return REFUSE(c,
                      "preprocessor_config.json: resize_to_max_canvas is true, wanted false");
    return put_colours(c, root, "image_mean", "clip.vision.image_mean") &&
           put_colours(c, root, "image_std", "clip.vision.image_std");
}

bool put_vision(Conversion *c) {
    const VisionKind *kind = kind_of_tower(c);
    const JsonValue *text = json_get(json_root(c->folder.config), "text_config");
    Json *json = folder_json(&c->folder, "preprocessor_config.json", false, c->fault);
    bool ok = json && put_preparation(c, kind, json_root(json)) && put_eye_act(c, kind) &&
              put_feature_layer(c, kind) && put_theta(c, kind) && check_tower(c, kind);
    json_free(json);
    ok = ok && put_windows_pattern(c, kind) && find_break(c, kind);
    put_merge(c, kind), put_widths(c, text);
    gguf_put_string(c->writer, "general.type", text_of("mmproj"));
    gguf_put_int(c->writer, "clip.has_vision_encoder", GGUF_BOOL, 1);
    gguf_put_string(c->writer, "clip.projector_type", text_of(kind->projector));
    return ok;
}
