/* bind_vision.c - a vision tower's file: keys clip.*, clip.vision.*; tensors v.*, mm.*.  See
 * vision_tower.h.
 *
 * Source   llama.cpp (d8a24cc), tools/mtmd: clip.cpp, models/llava.cpp,
 *          legacy-models/convert_image_encoder_to_gguf.py */
#include "families/parts.h"

#include <stdio.h>
#include <string.h>

static const char sides[] = "clip.vision.image_size and patch_size";

/* A key of the whole file: "clip.use_gelu". */
static const GgufPair *find_whole(Binder *b, const char *key) {
    const GgufPair *pair = b->ok ? gguf_find(&b->model->gguf, key) : NULL;
    if (pair) b->used_keys[pair - b->model->gguf.pairs] = true;
    return pair;
}

static bool refuse_whole(Binder *b, const char *key, const char *wanted, const char *why) {
    char got[96];
    fault_set(b->fault, "key '%s' is %s, wanted %s: %s", key,
              value_text(gguf_find(&b->model->gguf, key), got, sizeof got), wanted, why);
    return b->ok = false;
}

static bool flag(Binder *b, const char *key, bool fallback) {
    const GgufPair *pair = find_whole(b, key);
    if (!pair) return fallback;
    if (pair->type != GGUF_BOOL)
        refuse_whole(b, key, "true or false", "the file is badly written");
    return *pair->data == 1;
}

static void bind_eye_check_flag(Binder *b, const char *key, bool wanted, const char *why) {
    if (flag(b, key, wanted) != wanted && b->ok)
        refuse_whole(b, key, wanted ? "true" : "false", why);
}

/* An optional key with one supported value. */
static void check_text(Binder *b, const char *key, const char *wanted, const char *why) {
    const GgufPair *pair = find_whole(b, key);
    Text text;
    if (pair && !(gguf_string(pair, &text) && text_equal(text, text_of(wanted))))
        refuse_whole(b, key, wanted, why);
}

static void bind_eye_check_kind(Binder *b) {
    const char *tiles = "clip.vision.image_grid_pinpoints";
    bind_eye_check_flag(b, "clip.has_vision_encoder", true, "nothing else reads pictures");
    bind_eye_check_flag(b, "clip.has_text_encoder", false, "this program reads only pictures");
    bind_eye_check_flag(b, "clip.has_audio_encoder", false, "this program does not read audio");
    check_text(b, "clip.projector_type", "mlp", "no other projector is built in");
    check_text(b, "clip.vision.mm_projector_type", "mlp2x_gelu",
               "no other projector is built in");
    check_text(b, "clip.vision.image_aspect_ratio", "pad", "a picture is read whole, once");
    check_text(b, "clip.vision.mm_patch_merge_type", "flat", "a picture is read whole, once");
    if (b->ok && gguf_find(&b->model->gguf, tiles))
        refuse_whole(b, tiles, "none",
                     "LLaVA 1.6 cuts large pictures into tiles, which is not built in");
}

static Activation eye_act(Binder *b) {
    bool gelu = flag(b, "clip.use_gelu", false), swish = flag(b, "clip.use_silu", false);
    if (gelu && swish)
        refuse_whole(b, "clip.use_silu", "false", "clip.use_gelu says otherwise");
    if (gelu) return extras_of(b)->vision.class_last ? ACT_GELU_TANH : ACT_GELU_ERF;
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
            refuse_key(b, key, "three numbers from 0 to 1", "the file is badly written");
    }
}

/* How many of `count` blocks are used.  The projector reads the input of the last block; old
 * files omit that block and have has_llava_projector, or name the block. */
static size_t blocks_used(Binder *b, size_t count) {
    const GgufPair *named = find_key(b, "feature_layer");
    int64_t layer = 0;
    bool left_out = flag(b, "clip.has_llava_projector", false);
    if (!named) {
        if (left_out && !extras_of(b)->vision.class_last) return count;
        if (count == 1 && b->ok)
            refuse_key(b, "block_count", "at least 2",
                       "what goes into the last one is taken, and that is none");
        return count - 1;
    }
    if (named->type == GGUF_ARRAY && named->count == 1 && gguf_int(named, 0, &layer) &&
        layer > 0 && (size_t)layer <= count)
        return (size_t)layer;
    refuse_key(b, "feature_layer", "one block of block_count",
               "rows of several blocks side by side are not built in");
    return count;
}

/* Mark block `used` and later ones, and the last norm, as known but unused. */
static void mark_idle(Binder *b, size_t used) {
    const Gguf *g = &b->model->gguf;
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

bool read_vision(Binder *b) {
    ModelSizes *z = &b->model->sizes;
    VisionTower *s = &b->model->extras->vision;
    bind_eye_check_kind(b);
    s->act = eye_act(b);
    s->project_act = s->class_last ? ACT_GELU_TANH : ACT_GELU_ERF;
    s->patch = need_size(b, "patch_size", 1, 1024);
    s->image = need_size(b, "image_size", 1, 8192);
    /* CLIP's own projection; the tensors show the projector's */
    find_key(b, "projection_dim");
    read_colours(b, "image_mean", 0, s->mean);
    read_colours(b, "image_std", 1e-3, s->spread);
    z->layers = blocks_used(b, z->layers);
    if (b->ok && s->image % s->patch)
        refuse_key(b, "image_size", "a multiple of patch_size", "patches fill the picture");
    if (!b->ok) return false;
    s->patches = (s->image / s->patch) * (s->image / s->patch);
    z->ctx = s->patches + 1;
    mark_idle(b, z->layers);
    return true;
}

void bind_vision(Binder *b) {
    Model *m = b->model;
    VisionTower *s = &m->extras->vision;
    const size_t dim = m->sizes.dim, p = s->patch, pixels[4] = {dim, 3, p, p},
                 flat[2] = {dim, 3 * p * p}, places[2] = {m->sizes.ctx, dim};
    const char *width = "clip.vision.embedding_length";
    Tensor eye = bind_tensor(b, "v.patch_embd.weight", true, 4, pixels, sides);
    s->embed.w = eye.data ? tensor_view(eye.dtype, 2, flat, eye.data) : eye;
    s->embed.bias = bind_vector(b, "v.patch_embd.bias", false, dim, width);
    s->class_row = bind_vector(b, "v.class_embd", true, dim, width);
    m->positions = bind_tensor(b, "v.position_embd.weight", true, 2, places, sides);
    m->extras->embedding_norm = bind_norm(b, "v.pre_ln", true, 1, dim, width);
    if (s->class_last) m->out_norm = bind_norm(b, "v.post_ln", false, 1, dim, width);
    const GgufTensor *first = gguf_find_tensor(&m->gguf, "mm.0.weight"),
                     *second = gguf_find_tensor(&m->gguf, "mm.2.weight");
    size_t mid = first && first->ndim == 2 ? first->shape[0] : 1,
           out = second && second->ndim == 2 ? second->shape[0] : 1;
    s->project[0] = bind_map(b, "mm.0", true, mid, dim, width);
    s->project[1] = bind_map(b, "mm.2", true, out, mid, "the rows of mm.0");
}

#define VISION_KIND \
    { "mmproj", "a vision tower (mmproj)", "give the mmproj file of the model", false }
const FileKind vision_kinds[2] = {[CLASS_FIRST] = VISION_KIND, [CLASS_LAST] = VISION_KIND};

bool model_open_vision(Model *m, const void *bytes, size_t size, ClassPlace place,
                       Fault *fault) {
    return model_open_kind(m, bytes, size, &vision_kinds[place], fault);
}
