/* sizes_vision.c - the keys of a vision tower's file: clip.*, clip.vision.*.  See
 * vision_tower.h.
 *
 * Source   llama.cpp (d8a24cc), tools/mtmd: clip.cpp, models/llava.cpp,
 *          legacy-models/convert_image_encoder_to_gguf.py */
#include "vision/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A key of the whole file: "clip.use_gelu". */
const GgufPair *vision_key(Binder *b, const char *key) {
    const GgufPair *pair = b->ok ? gguf_find(&b->model->gguf, key) : NULL;
    if (pair) b->used_keys[pair - b->model->gguf.pairs] = true;
    return pair;
}

bool vision_refuse(Binder *b, const char *key, const char *wanted, const char *why) {
    char got[96];
    fault_set(b->fault, "key '%s' is %s, wanted %s: %s", key,
              value_text(gguf_find(&b->model->gguf, key), got, sizeof got), wanted, why);
    return b->ok = false;
}

static bool flag(Binder *b, const char *key, bool fallback) {
    const GgufPair *pair = vision_key(b, key);
    if (!pair) return fallback;
    if (pair->type != GGUF_BOOL)
        vision_refuse(b, key, "true or false", "the file is badly written");
    return *pair->data == 1;
}

static void bind_eye_check_flag(Binder *b, const char *key, bool wanted, const char *why) {
    if (flag(b, key, wanted) != wanted && b->ok)
        vision_refuse(b, key, wanted ? "true" : "false", why);
}

/* An optional key with one supported value. */
static void check_text(Binder *b, const char *key, const char *wanted, const char *why) {
    const GgufPair *pair = vision_key(b, key);
    Text text;
    if (pair && !(gguf_string(pair, &text) && text_equal(text, text_of(wanted))))
        vision_refuse(b, key, wanted, why);
}

/* The row of the table that the file names; without the key, the first one. */
static const VisionKind *find_kind(Binder *b) {
    const char *key = "clip.projector_type", *mixed = "clip.vision.projector_type";
    if (b->ok && !gguf_find(&b->model->gguf, key)) key = mixed;
    const GgufPair *pair = vision_key(b, key);
    const VisionKind *k = vision_kind_at(0);
    char known[160] = "";
    Text name;
    if (!pair) return k;
    for (size_t i = 0; gguf_string(pair, &name) && (k = vision_kind_at(i)); i++) {
        if (text_equal(name, text_of(k->projector))) return k;
        const size_t at = strlen(known);
        snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", k->projector);
    }
    vision_refuse(b, key, known, "no other projector is built in");
    return NULL;
}

static void bind_eye_check_kind(Binder *b) {
    const char *tiles = "clip.vision.image_grid_pinpoints";
    bind_eye_check_flag(b, "clip.has_vision_encoder", true, "nothing else reads pictures");
    bind_eye_check_flag(b, "clip.has_text_encoder", false, "this program reads only pictures");
    check_text(b, "clip.vision.mm_projector_type", "mlp2x_gelu",
               "no other projector is built in");
    check_text(b, "clip.vision.image_aspect_ratio", "pad", "a picture is read whole, once");
    check_text(b, "clip.vision.mm_patch_merge_type", "flat", "a picture is read whole, once");
    if (b->ok && gguf_find(&b->model->gguf, tiles))
        vision_refuse(b, tiles, "none",
                      "LLaVA 1.6 cuts large pictures into tiles, which is not built in");
}

static Activation eye_act(Binder *b) {
    bool gelu = flag(b, "clip.use_gelu", false), swish = flag(b, "clip.use_silu", false);
    if (gelu && swish)
        vision_refuse(b, "clip.use_silu", "false", "clip.use_gelu says otherwise");
    if (gelu)
        return extras_of(b)->vision.class_last ? ACT_GELU_TANH
                                               : extras_of(b)->vision.kind->gelu;
    const VisionTower *s = &extras_of(b)->vision;
    if (!swish && s->kind->gelu_usual && !s->class_last) return s->kind->gelu;
    return swish ? ACT_SILU : ACT_GELU_QUICK;
}

static void read_colours(Binder *b, const char *key, double min, float out[3]) {
    const GgufPair *pair = find_key(b, key);
    double value;
    for (uint64_t c = 0; c < 3 && b->ok; c++) {
        if (pair && pair->type == GGUF_ARRAY && pair->count == 3 && pair->item != GGUF_BOOL &&
            gguf_float(pair, c, &value) && value >= min && value <= 1)
            out[c] = (float)value;
        else
            refuse_key(b, key,
                       min > 0 ? "three numbers from 0.001 to 1" : "three numbers from 0 to 1",
                       "the file is badly written");
    }
}

/* How many of `count` blocks are used: all, or the projector reads the input of the last one;
 * old files omit that block and have has_llava_projector, or name the block. */
static size_t blocks_used(Binder *b, size_t count) {
    const bool skips = extras_of(b)->vision.kind->skips_block;
    const GgufPair *named = skips ? find_key(b, "feature_layer") : NULL;
    int64_t layer = 0;
    if (!skips) return count;
    bool left_out = flag(b, "clip.has_llava_projector", false);
    if (!named) {
        if (left_out && !extras_of(b)->vision.class_last) return count;
        if (count == 1 && b->ok)
            refuse_key(b, "block_count", "at least 2",
                       "the projector reads the input of the last block");
        return count - 1;
    }
    if (named->type == GGUF_ARRAY && named->count == 1 && gguf_int(named, 0, &layer) &&
        layer > 0 && (size_t)layer <= count)
        return (size_t)layer;
    refuse_key(b, "feature_layer", "one block of block_count",
               "rows of several blocks side by side are not built in");
    return count;
}

/* The encoder of sound in the same file. */
static void leave_sound(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const Gguf *g = &b->model->gguf;
    const char *key = "clip.has_audio_encoder";
    if (!s->kind->hears_too)
        bind_eye_check_flag(b, key, false, "this program does not read audio");
    s->hears = s->kind->hears_too && flag(b, key, false);
    for (size_t i = 0; i < g->n_tensors && s->hears; i++)
        if (text_begins(g->tensors[i].name, text_of("a.")) ||
            text_begins(g->tensors[i].name, text_of("mm.a.")))
            b->used_tensors[i] = true;
}

/* Mark block `used` and later ones, and the last norm, as known but unused. */
static void mark_idle(Binder *b, size_t used) {
    const Gguf *g = &b->model->gguf;
    if (!extras_of(b)->vision.kind->skips_block) return;
    for (size_t i = 0; i < g->n_tensors; i++) {
        char name[64];
        unsigned long block = 0;
        snprintf(name, sizeof name, "%.*s", (int)min_size(g->tensors[i].name.size, 63),
                 g->tensors[i].name.data);
        if (sscanf(name, "v.blk.%lu.", &block) == 1 ? block >= used && block <= MODEL_LAYERS
                                                    : strncmp(name, "v.post_ln.", 10) == 0)
            b->used_tensors[i] = true;
    }
}

/* The most squares of patches of a picture for FIT_PIXELS.  They can cover more than
 * max_pixels: one that grows to min_pixels is rounded up, and one that shrinks keeps one square
 * across.  One side is at most 200 times the other: the sides of n squares sum to less than
 * 15 sqrt(n). */
static size_t bind_eye_most_squares(const VisionTower *s, size_t square) {
    const double least = (double)s->min_pixels / (double)square,
                 most = (double)s->max_pixels / (double)square;
    const double thin = fmax(least + 15 * sqrt(least) + 1, 15 * sqrt(most));
    return (size_t)fmax(most, thin);
}

/* The most patches of a picture of any size, and where its windows are. */
static bool read_any_size(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const VisionKind *k = s->kind;
    const size_t step = s->patch * s->side;
    size_t squares = 0;
    if (k->fit == FIT_PIXELS) {
        s->min_pixels = key_size(b, "image_min_pixels", k->min_pixels, 1, PICTURE_MAX);
        s->max_pixels = key_size(b, "image_max_pixels", k->max_pixels, 1, PICTURE_MAX);
        if (b->ok && s->max_pixels < max_size(s->min_pixels, step * step))
            refuse_key(b, "image_max_pixels", "image_min_pixels or more, and a whole patch",
                       "a picture has at least one row");
        squares = bind_eye_most_squares(s, step * step);
    } else if (k->fit == FIT_AREA) {
        squares = k->max_rows, s->max_pixels = squares * step * step;
    } else {
        squares = div_up(s->image, step) * div_up(s->image, step);
    }
    if (k->windows) {
        s->full_every = need_size(b, "n_wa_pattern", 1, MODEL_LAYERS);
        if (b->ok && VISION_WINDOW / step == 0)
            refuse_key(b, "patch_size", "56 or less", "a window is 112 pixels wide");
    }
    s->patches = squares * s->side * s->side;
    s->rows = squares + (k->row_end ? div_up(s->image, step) - 1 : 0);
    return b->ok;
}

/* Up to how many tiles a picture is cut into. */
static bool read_tiles(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const VisionKind *k = s->kind;
    size_t most = k->max_tiles;
    if (k->grid == GRID_COVER) {
        const size_t across = max_size(div_up(s->first_long, s->image), 1);
        if (b->ok && across > 8)
            return refuse_key(b, "preproc_image_size", "at most 8 times image_size",
                              "a picture is cut into at most 64 tiles");
        most = across * across;
    }
    s->max_tiles = s->min_tiles = 1;
    if (k->grid == GRID_NONE) return b->ok;
    s->max_tiles = key_size(b, "preproc_max_tiles", most, 1, 64);
    if (k->grid == GRID_NEAREST)
        s->min_tiles = key_size(b, "preproc_min_tiles", 1, 1, s->max_tiles);
    else if (b->ok && k->grid == GRID_COVER && s->max_tiles != 1 && s->max_tiles != most)
        return refuse_key(b, "preproc_max_tiles",
                          "1, or the square of preproc_image_size / "
                          "image_size, rounded up",
                          "each side is rounded up to whole tiles");
    return b->ok;
}

/* How many patches become a row, and to which side a picture is resized first. */
static bool read_merge(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const VisionKind *k = s->kind;
    const size_t across = s->image / s->patch;
    s->side = k->side;
    if (k->side_key) s->side = key_size(b, k->side_key, s->side, 1, across);
    if (k->twice) s->first_long = key_size(b, "preproc_image_size", 0, 1, 1 << 13);
    if (b->ok && vision_any_size(s)) return read_any_size(b);
    if (!read_tiles(b)) return false;
    if (b->ok && across % s->side)
        refuse_key(b, k->side_key, "a divisor of image_size / patch_size",
                   "every patch is part of a square that becomes a row");
    s->patches = across * across, s->rows = s->patches / (s->side * s->side);
    return b->ok;
}

/* The file's recipe as its kind changes it. */
static void change_recipe(Model *m) {
    VisionTower *s = &m->extras->vision;
    s->recipe = *m->recipe;
    if (s->kind->sandwich) {
        s->recipe.post_norms = true, s->recipe.head_norms = HEAD_NORMS_SHARED;
        s->recipe.act = s->kind->gelu;
    }
    if (s->kind->rms) s->recipe.norm = NORM_RMS;
    s->class_after = s->class_last || s->kind->class_behind;
    s->recipe.gated = s->kind->gated, s->axes = s->kind->rope != ROPE_NONE;
    m->recipe = &s->recipe;
}

bool read_vision(Binder *b) {
    ModelSizes *z = &b->model->sizes;
    VisionTower *s = &b->model->extras->vision;
    bind_eye_check_kind(b);
    if (!b->ok || !(s->kind = find_kind(b))) return false;
    leave_sound(b);
    change_recipe(b->model);
    s->act = eye_act(b);
    s->project_act = s->class_last ? ACT_GELU_TANH : ACT_GELU_ERF;
    s->patch = need_size(b, "patch_size", 1, 1024);
    s->image = need_size(b, "image_size", 1, 8192);
    /* CLIP's own projection; the tensors show the projector's */
    find_key(b, "projection_dim");
    read_colours(b, "image_mean", 0, s->mean);
    read_colours(b, "image_std", 1e-3, s->spread);
    for (int c = 0; c < 3 && s->kind->centred; c++) /* 2 x - 1 */
        s->spread[c] /= 2, s->mean[c] += s->spread[c];
    z->blocks = z->layers = blocks_used(b, z->layers);
    if (b->ok && s->image < s->patch)
        refuse_key(b, "image_size", "patch_size or more", "a picture has at least one patch");
    if (!b->ok || !read_merge(b)) return false;
    z->ctx = s->patches + s->kind->class_row;
    mark_idle(b, z->layers);
    return true;
}
