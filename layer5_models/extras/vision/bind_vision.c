/* bind_vision.c - the tensors of a vision tower's file: v.*, mm.*.  See vision_tower.h.
 *
 * Source   llama.cpp (d8a24cc), tools/mtmd: clip.cpp, models/llava.cpp,
 *          legacy-models/convert_image_encoder_to_gguf.py */
#include "vision/parts.h"

#include <math.h>
#include <stdio.h>

static const char sides[] = "clip.vision.image_size and patch_size";

/* The width of a map that the file alone determines. */
size_t width_in_file(Binder *b, const char *name, bool turned) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name);
    const GgufTensor *t = gguf_find_tensor(&b->model->gguf, full);
    return t && t->ndim == 2 ? t->shape[turned] : 1;
}

/* A map without a bias that the file has as (in, out). */
static Linear bind_turned(Binder *b, const char *name, size_t out, size_t in,
                          const char *from) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name);
    return (Linear){.w = bind_tensor(b, full, true, 2, (size_t[]){in, out}, from)};
}

static void bind_projector(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const VisionKind *k = s->kind;
    const size_t squared = k->merge == MERGE_MEAN ? 1 : s->side * s->side;
    size_t in = squared * b->model->sizes.dim;
    const char *from = "clip.vision.embedding_length and the patches of a row";
    if (k->norm) {
        s->projector.norm = bind_norm(b, k->norm, true, 1, in, from);
        s->projector.norm.kind = k->norm_kind;
        if (k->norm_eps > 0) s->projector.norm.eps = k->norm_eps;
    }
    if (k->standardized) {
        s->shift = bind_vector(b, "v.std_bias", false, in, from);
        if (s->shift) s->scale = bind_vector(b, "v.std_scale", true, in, from);
        s->projector.norm = (Norm){.kind = NORM_RMS, .width = in, .eps = b->model->eps};
    }
    if (k->row_end)
        s->row_end =
            bind_vector(b, k->row_end, false, width_in_file(b, k->maps[1], false), k->maps[1]);
    if (k->merger && s->side > 1) {
        s->projector.merger = bind_map(b, k->merger, true, b->model->sizes.dim, in, from);
        in = b->model->sizes.dim;
    }
    for (int i = 0; i < 3 && k->maps[i]; i++) {
        const bool turned = k->turned && i == 0;
        const size_t out = width_in_file(b, k->maps[i], turned);
        Linear *map = &s->projector.maps[i];
        *map = turned ? bind_turned(b, k->maps[i], out, in, from)
                      : bind_map(b, k->maps[i], true, out, in, from);
        if (k->bounded) bind_bounds(b, k->maps[i], map);
        s->text = s->width = in = out, from = k->maps[i];
    }
    if (k->deep) bind_deep(b);
}

static void bind_patches(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const size_t dim = b->model->sizes.dim, p = s->patch, pixels[4] = {dim, 3, p, p},
                 flat[2] = {dim, 3 * p * p};
    static const char *const names[] = {"v.patch_embd.weight", "v.patch_embd.weight.1"};
    for (int i = 0; i < (s->kind->two_frames ? 2 : 1); i++) {
        const bool matrix = s->kind->flat_embed;
        Tensor eye =
            bind_tensor(b, names[i], true, matrix ? 2 : 4, matrix ? flat : pixels, sides);
        s->embed[i].w = eye.data ? tensor_view(eye.dtype, 2, flat, eye.data) : eye;
    }
    s->embed[0].bias =
        bind_vector(b, "v.patch_embd.bias", false, dim, "clip.vision.embedding_length");
}

/* Half of a head's pairs rotate by a patch's row, half by its column. */
static void bind_axes(Binder *b) {
    Model *m = b->model;
    const VisionKind *k = m->extras->vision.kind;
    const size_t rotary = m->layers->head_dim, quarter = rotary / 4;
    RopeConfig c = {.style = k->rope,
                    .rotary = rotary,
                    .theta = k->theta > 0 ? k->theta : 10000,
                    .factor = 1};
    if (rotary % 4) {
        refuse_key(b, "attention.head_count", "heads of a multiple of 4 numbers",
                   "a quarter of them rotates by a patch's row, a quarter by its column");
        return;
    }
    const char *key = "clip.rope.freq_base";
    const GgufPair *theta = vision_key(b, key);
    if (theta && !(gguf_float(theta, 0, &c.theta) && c.theta >= 2 && c.theta <= 1e12)) {
        vision_refuse(b, key, "2 to 1e12", "it is what frequencies are powers of");
        return;
    }
    rope_init(&m->ropes[0], &c, &m->arena);
    unsigned char *axis = arena_take(&m->arena, rotary / 2, 1);
    for (size_t i = 0; axis && m->ropes[0].freq && i < rotary / 2; i++) {
        const bool column = (i >= quarter) != k->columns_first;
        axis[i] = column ? 2 : 1;
        m->ropes[0].freq[i] =
            pow(c.theta, -((double)(i % quarter) + (column && k->rope_shifted ? 0.5 : 0)) /
                             (double)quarter);
    }
    m->ropes[0].axis = axis;
}

/* Rows for columns and lines: as many as the longest picture has. */
static void bind_places(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const char *name = "v.position_embd.weight";
    const GgufTensor *t = gguf_find_tensor(&b->model->gguf, name);
    const size_t least = s->kind->max_rows * s->side, dim = b->model->sizes.dim;
    s->n_places = t && t->ndim == 3 ? max_size(t->shape[1], least) : least;
    const Tensor rows = bind_tensor(b, name, true, 3, (size_t[]){2, s->n_places, dim},
                                    "the longest picture and embedding_length");
    if (rows.data)
        s->places = tensor_view(rows.dtype, 2, (size_t[]){2 * s->n_places, dim}, rows.data);
}

/* Rows for each place of a square. */
static void bind_square(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    s->n_places = s->image / s->patch;
    s->places = bind_tensor(b, "v.position_embd.weight", true, 2,
                            (size_t[]){s->n_places * s->n_places, b->model->sizes.dim}, sides);
}

void bind_vision(Binder *b) {
    Model *m = b->model;
    VisionTower *s = &m->extras->vision;
    const VisionKind *k = s->kind;
    const size_t dim = m->sizes.dim, places[2] = {m->sizes.ctx, dim};
    const char *width = "clip.vision.embedding_length";
    bind_patches(b);
    if (k->class_row) s->class_row = bind_vector(b, "v.class_embd", true, dim, width);
    if (s->axes) bind_axes(b);
    if (k->table_places)
        bind_places(b);
    else if (k->stretched)
        bind_square(b);
    else if (!s->axes || k->learned_too)
        m->positions = bind_tensor(b, "v.position_embd.weight", true, 2, places, sides);
    if (k->pre_norm) m->extras->embedding_norm = bind_norm(b, "v.pre_ln", true, 1, dim, width);
    const bool last = k->post_norm && (!k->merger || s->side > 1);
    if (last || (s->class_last && !s->axes))
        m->out_norm =
            bind_norm(b, k->post_norm ? k->post_norm : "v.post_ln", last, 1, dim, width);
    bind_projector(b);
}

/* Its rope, and the gains of its branches. */
void bind_vision_block(Binder *b, Block *block, size_t layer) {
    const char *width = "clip.vision.embedding_length";
    char name[96];
    if (extras_of(b)->vision.axes) block->attention.rope = &b->model->ropes[0];
    if (extras_of(b)->vision.kind->bounded) bind_block_bounds(b, block, layer);
    if (extras_of(b)->vision.kind->sandwich) {
        const LayerSizes *z = &b->model->layers[layer];
        block->attention.shape.scale = 1;
        block->attention.v_norm =
            (Norm){.kind = NORM_RMS, .width = z->value_dim, .eps = b->model->eps};
    }
    if (!extras_of(b)->vision.kind->layer_scale) return;
    block->wiring = &scaled_wiring;
    for (int i = 0; i < 2; i++) {
        block_name(b, name, sizeof name, layer, i ? "ls2" : "ls1", "weight");
        block->extras->branch_gains[i] = bind_vector(b, name, true, b->model->sizes.dim, width);
    }
}

#define VISION_KIND \
    { "mmproj", "a vision tower (mmproj)", "give the mmproj file of the model", false }
const FileKind vision_kinds[2] = {[CLASS_FIRST] = VISION_KIND, [CLASS_LAST] = VISION_KIND};

bool model_open_vision(Model *m, const void *bytes, size_t size, ClassPlace place,
                       Fault *fault) {
    return model_open_kind(m, bytes, size, &vision_kinds[place], fault);
}
