/* make_eye.h - a small file that reads pictures for another model, with random weights.
 *
 *     image:N, patch:N     sides in pixels, in place of 28 and 7;  width:N: numbers of a row that comes out, else dim
 *     old                  as old converters wrote it: one block fewer, ffn_up and ffn_down exchanged
 *     left_norm            the norm behind the last block is there, which plays no part
 *     named:N              the block whose rows are taken is named
 *     eye_bias             of the map of patches */
#ifndef STRATA_MAKE_EYE_H
#define STRATA_MAKE_EYE_H

#include "make_tensors.h"

static inline size_t make_eye_width(const MakeModel *m) {
    return make_size(m, "width", m->dim);
}

static inline void make_eye_map(GgufWriter *w, const MakeModel *m, const char *name, size_t out,
                                size_t in, double gain) {
    char full[96];
    snprintf(full, sizeof full, "%s.weight", name), make_matrix(w, m, full, out, in, gain);
    snprintf(full, sizeof full, "%s.bias", name), make_vector(w, m, full, out, 0);
}

static inline void make_eye_norm(GgufWriter *w, const MakeModel *m, const char *name) {
    char full[96];
    snprintf(full, sizeof full, "%s.weight", name), make_vector(w, m, full, m->dim, 1);
    snprintf(full, sizeof full, "%s.bias", name), make_vector(w, m, full, m->dim, 0);
}

static inline void make_eye_block(GgufWriter *w, const MakeModel *m, size_t l) {
    static const char *const maps[] = {"attn_q", "attn_k", "attn_v", "attn_out"};
    bool old = make_says(m, "old");
    char name[64];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "v.blk.%zu.%s", l, maps[i]);
        make_eye_map(w, m, name, m->dim, m->dim, 1.5);
    }
    snprintf(name, sizeof name, "v.blk.%zu.ln1", l), make_eye_norm(w, m, name);
    snprintf(name, sizeof name, "v.blk.%zu.ln2", l), make_eye_norm(w, m, name);
    snprintf(name, sizeof name, "v.blk.%zu.ffn_%s", l, old ? "down" : "up");
    make_eye_map(w, m, name, m->hidden, m->dim, 1.5);
    snprintf(name, sizeof name, "v.blk.%zu.ffn_%s", l, old ? "up" : "down");
    make_eye_map(w, m, name, m->dim, m->hidden, 1.5);
}

static inline void make_eye_keys(GgufWriter *w, const MakeModel *m, size_t blocks) {
    const double mean[3] = {0.48, 0.46, 0.41}, spread[3] = {0.27, 0.26, 0.28};
    const MakeModel vision = {.arch = "clip.vision"};
    gguf_put_string(w, "general.architecture", text_of("clip"));
    if (make_says(m, "old"))
        gguf_put_int(w, "clip.has_llava_projector", GGUF_BOOL, 1);
    else
        gguf_put_string(w, "general.type", text_of("mmproj"));
    gguf_put_int(w, "clip.has_vision_encoder", GGUF_BOOL, 1);
    gguf_put_string(w, "clip.projector_type", text_of("mlp"));
    make_key(w, &vision, "image_size", (int64_t)make_size(m, "image", 28));
    make_key(w, &vision, "patch_size", (int64_t)make_size(m, "patch", 7));
    make_key(w, &vision, "embedding_length", (int64_t)m->dim);
    make_key(w, &vision, "feed_forward_length", (int64_t)m->hidden);
    make_key(w, &vision, "projection_dim", (int64_t)make_eye_width(m));
    make_key(w, &vision, "attention.head_count", (int64_t)m->heads);
    make_key(w, &vision, "block_count", (int64_t)blocks);
    make_number(w, &vision, "attention.layer_norm_epsilon", 1e-5);
    gguf_put_floats(w, "clip.vision.image_mean", GGUF_F32, mean, 3);
    gguf_put_floats(w, "clip.vision.image_std", GGUF_F32, spread, 3);
    if (make_says(m, "named"))
        gguf_put_ints(w, "clip.vision.feature_layer", GGUF_I32,
                      &(int64_t){(int64_t)make_says(m, "named")}, 1);
    make_words_keys(w, m, m->more, NULL);
}

static inline void make_eye(GgufWriter *w, const MakeModel *m) {
    size_t blocks = m->layers - (make_says(m, "old") ? 1 : 0), patch = make_size(m, "patch", 7),
           side = make_size(m, "image", 28) / patch, mid = make_eye_width(m) + 8;
    make_eye_keys(w, m, blocks);
    make_tensor(w, m, "v.patch_embd.weight", 4, (size_t[]){m->dim, 3, patch, patch}, 0, 0.15,
                DTYPE_F32);
    if (make_says(m, "eye_bias")) make_vector(w, m, "v.patch_embd.bias", m->dim, 0);
    make_vector(w, m, "v.class_embd", m->dim, 0);
    make_tensor(w, m, "v.position_embd.weight", 2, (size_t[]){side * side + 1, m->dim}, 0, 0.5,
                DTYPE_F32);
    make_eye_norm(w, m, "v.pre_ln");
    for (size_t l = 0; l < blocks; l++) make_eye_block(w, m, l);
    if (make_says(m, "left_norm")) make_eye_norm(w, m, "v.post_ln");
    make_eye_map(w, m, "mm.0", mid, m->dim, 1.5);
    make_eye_map(w, m, "mm.2", make_eye_width(m), mid, 1.5);
}

#endif
