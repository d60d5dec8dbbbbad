/* make_eye.h - a small file that reads pictures for another model, with random weights.
 *
 *     gemma3, gemma4v, idefics3, internvl, qwen2vl, qwen2.5vl, qwen3vl, llama4, pixtral   of that kind, in place of LLaVA's
 *     deep:N               qwen3vl: rows of the first N blocks go into the model, too
 *     windows:N            qwen2.5vl: every N-th block sees the whole picture, in place of every second one
 *     plain                gemma4v: rows are not shifted and scaled, nor colours
 *     bounded              gemma4v: what maps read and give is held between bounds (`plain`: but for the projector's); sound: the file
 *                          has an encoder of sound, too
 *     break                pixtral: a row ends each line of patches
 *     merge:N                      patches per side that become a row
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

static inline const char *make_eye_kind(const MakeModel *m) {
    static const char *const kinds[][2] = {
        {"gemma3", "gemma3"},          {"gemma4v", "gemma4v"},
        {"idefics3", "idefics3"},      {"internvl", "internvl"},
        {"qwen2vl", "qwen2vl_merger"}, {"qwen2.5vl", "qwen2.5vl_merger"},
        {"qwen3vl", "qwen3vl_merger"}, {"llama4", "llama4"},
        {"pixtral", "pixtral"}};
    for (int i = 0; i < 9; i++)
        if (make_says(m, kinds[i][0])) return kinds[i][1];
    return "mlp";
}

static inline bool make_eye_is(const MakeModel *m, const char *kind) {
    return strcmp(make_eye_kind(m), kind) == 0;
}

static inline bool make_eye_qwen(const MakeModel *m) {
    return strncmp(make_eye_kind(m), "qwen", 4) == 0;
}

static inline bool make_eye_gated(const MakeModel *m) {
    return make_eye_is(m, "qwen2.5vl_merger") || make_eye_is(m, "pixtral") ||
           make_eye_is(m, "gemma4v");
}

static inline void make_eye_bounds(GgufWriter *w, const MakeModel *m, const char *name) {
    static const char *const ends[] = {"input_min", "input_max", "output_min", "output_max"};
    static const double at[] = {-0.9, 1.1, -1.3, 1.2};
    char full[96];
    for (int i = 0; i < 4 && make_says(m, "bounded"); i++)
        snprintf(full, sizeof full, "%s.%s", name, ends[i]), make_vector(w, m, full, 1, at[i]);
}

static inline void make_eye_map(GgufWriter *w, const MakeModel *m, const char *name, size_t out,
                                size_t in, double gain) {
    char full[96];
    snprintf(full, sizeof full, "%s.weight", name), make_matrix(w, m, full, out, in, gain);
    snprintf(full, sizeof full, "%s.bias", name);
    if (!make_says(m, "bounded")) make_vector(w, m, full, out, 0); /* before or after bounds? */
    make_eye_bounds(w, m, name);
}

static inline void make_eye_wide_norm(GgufWriter *w, const MakeModel *m, const char *name,
                                      size_t width) {
    char full[96];
    snprintf(full, sizeof full, "%s.weight", name), make_vector(w, m, full, width, 1);
    snprintf(full, sizeof full, "%s.bias", name);
    if (!make_eye_gated(m)) make_vector(w, m, full, width, 0); /* RMS has none */
}

static inline void make_eye_norm(GgufWriter *w, const MakeModel *m, const char *name) {
    make_eye_wide_norm(w, m, name, m->dim);
}

/* Qwen 3 VL's projectors of earlier blocks. */
static inline void make_eye_deep(GgufWriter *w, const MakeModel *m, size_t wide, size_t mid,
                                 size_t out) {
    char name[64];
    for (size_t l = 0; l < make_size(m, "deep", 0); l++) {
        snprintf(name, sizeof name, "v.deepstack.%zu.norm", l);
        make_eye_wide_norm(w, m, name, wide);
        snprintf(name, sizeof name, "v.deepstack.%zu.fc1", l);
        make_eye_map(w, m, name, mid, wide, 1.5);
        snprintf(name, sizeof name, "v.deepstack.%zu.fc2", l);
        make_eye_map(w, m, name, out, mid, 1.5);
    }
}

/* Gemma 4's norms of heads, and of what branches add. */
static inline void make_eye_sandwich(GgufWriter *w, const MakeModel *m, size_t l) {
    static const char *const norms[] = {"attn_q_norm", "attn_k_norm", "attn_post_norm",
                                        "ffn_post_norm"};
    char name[64];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "v.blk.%zu.%s.weight", l, norms[i]);
        make_vector(w, m, name, i < 2 ? m->dim / m->heads : m->dim, 1);
    }
}

static inline void make_eye_block(GgufWriter *w, const MakeModel *m, size_t l) {
    static const char *const maps[] = {"attn_q", "attn_k", "attn_v", "attn_out"};
    bool old = make_says(m, "old");
    char name[64];
    const bool fused = make_eye_is(m, "qwen3vl_merger");
    snprintf(name, sizeof name, "v.blk.%zu.attn_qkv", l);
    if (fused) make_eye_map(w, m, name, 3 * m->dim, m->dim, 1.5);
    for (int i = fused ? 3 : 0; i < 4; i++) {
        snprintf(name, sizeof name, "v.blk.%zu.%s", l, maps[i]);
        make_eye_map(w, m, name, m->dim, m->dim, 1.5);
    }
    snprintf(name, sizeof name, "v.blk.%zu.ln1", l), make_eye_norm(w, m, name);
    snprintf(name, sizeof name, "v.blk.%zu.ln2", l), make_eye_norm(w, m, name);
    for (int i = 1; i <= 2 && make_eye_is(m, "internvl"); i++) {
        snprintf(name, sizeof name, "v.blk.%zu.ls%d.weight", l, i);
        make_vector(w, m, name, m->dim, 0.5);
    }
    if (make_eye_is(m, "gemma4v")) make_eye_sandwich(w, m, l);
    snprintf(name, sizeof name, "v.blk.%zu.ffn_%s", l, old ? "down" : "up");
    make_eye_map(w, m, name, m->hidden, m->dim, 1.5);
    snprintf(name, sizeof name, "v.blk.%zu.ffn_gate", l);
    if (make_eye_gated(m)) make_eye_map(w, m, name, m->hidden, m->dim, 1.5);
    snprintf(name, sizeof name, "v.blk.%zu.ffn_%s", l, old ? "up" : "down");
    make_eye_map(w, m, name, m->dim, m->hidden, 1.5);
}

static inline void make_eye_keys(GgufWriter *w, const MakeModel *m, size_t blocks) {
    const bool plain = make_says(m, "plain");
    const double means[][3] = {{0.48, 0.46, 0.41}, {0, 0, 0}},
                 spreads[][3] = {{0.27, 0.26, 0.28}, {1, 1, 1}};
    const MakeModel vision = {.arch = "clip.vision"};
    gguf_put_string(w, "general.architecture", text_of("clip"));
    if (make_says(m, "old"))
        gguf_put_int(w, "clip.has_llava_projector", GGUF_BOOL, 1);
    else
        gguf_put_string(w, "general.type", text_of("mmproj"));
    gguf_put_int(w, "clip.has_vision_encoder", GGUF_BOOL, 1);
    if (make_says(m, "sound")) gguf_put_int(w, "clip.has_audio_encoder", GGUF_BOOL, 1);
    const bool gemma4 = make_eye_is(m, "gemma4v");
    gguf_put_string(w, gemma4 ? "clip.vision.projector_type" : "clip.projector_type",
                    text_of(make_eye_kind(m)));
    const bool qwen = make_eye_qwen(m), pixtral = make_eye_is(m, "pixtral");
    if (make_eye_is(m, "qwen2.5vl_merger"))
        gguf_put_int(w, "clip.use_silu", GGUF_BOOL, 1);
    else if (make_eye_is(m, "qwen3vl_merger") ||
             (!make_eye_is(m, "mlp") && !qwen && !gemma4 && !strstr(m->more, "use_")))
        gguf_put_int(w, "clip.use_gelu", GGUF_BOOL, 1);
    if (make_says(m, "merge"))
        make_key(w, &vision, qwen || pixtral ? "spatial_merge_size" : "projector.scale_factor",
                 (int64_t)make_size(m, "merge", 2));
    if (make_eye_is(m, "qwen2.5vl_merger"))
        make_key(w, &vision, "n_wa_pattern", (int64_t)make_size(m, "windows", 2));
    int64_t deep[64] = {0};
    for (size_t l = 0; l < make_size(m, "deep", 0); l++) deep[l] = 1;
    if (make_eye_is(m, "qwen3vl_merger"))
        gguf_put_ints(w, "clip.vision.is_deepstack_layers", GGUF_BOOL, deep, blocks);
    make_key(w, &vision, "image_size", (int64_t)make_size(m, "image", 28));
    make_key(w, &vision, "patch_size", (int64_t)make_size(m, "patch", 7));
    make_key(w, &vision, "embedding_length", (int64_t)m->dim);
    make_key(w, &vision, "feed_forward_length", (int64_t)m->hidden);
    make_key(w, &vision, "projection_dim", (int64_t)make_eye_width(m));
    make_key(w, &vision, "attention.head_count", (int64_t)m->heads);
    make_key(w, &vision, "block_count", (int64_t)blocks);
    make_number(w, &vision, "attention.layer_norm_epsilon", 1e-5);
    gguf_put_floats(w, "clip.vision.image_mean", GGUF_F32, means[plain], 3);
    gguf_put_floats(w, "clip.vision.image_std", GGUF_F32, spreads[plain], 3);
    if (make_says(m, "named"))
        gguf_put_ints(w, "clip.vision.feature_layer", GGUF_I32,
                      &(int64_t){(int64_t)make_says(m, "named")}, 1);
    make_words_keys(w, m, m->more, NULL);
}

static inline void make_eye_projector(GgufWriter *w, const MakeModel *m) {
    const size_t out = make_eye_width(m), mid = out + 8,
                 merge = make_size(m, "merge", make_eye_is(m, "pixtral") ? 1 : 2),
                 wide = merge * merge * m->dim;
    if (make_eye_is(m, "gemma3")) {
        make_vector(w, m, "mm.soft_emb_norm.weight", m->dim, 1);
        make_matrix(w, m, "mm.input_projection.weight", m->dim, out, 1.5);
    } else if (make_eye_is(m, "gemma4v")) {
        make_matrix(w, m, "mm.input_projection.weight", out, m->dim, 1.5);
        if (!make_says(m, "plain")) make_eye_bounds(w, m, "mm.input_projection");
        if (make_says(m, "sound")) make_vector(w, m, "a.blk.0.norm_conv.weight", 8, 0);
        if (!make_says(m, "plain")) make_vector(w, m, "v.std_bias", m->dim, 0);
        if (!make_says(m, "plain")) make_vector(w, m, "v.std_scale", m->dim, 0.5);
    } else if (make_eye_is(m, "idefics3")) {
        make_matrix(w, m, "mm.model.fc.weight", out, wide, 1.5);
    } else if (make_eye_is(m, "llama4")) {
        make_matrix(w, m, "mm.model.mlp.1.weight", mid, wide, 1.5);
        make_matrix(w, m, "mm.model.mlp.2.weight", mid + 8, mid, 1.5);
        make_matrix(w, m, "mm.model.fc.weight", out, mid + 8, 1.5);
    } else if (make_eye_is(m, "internvl")) {
        make_vector(w, m, "mm.model.mlp.0.weight", wide, 1);
        make_vector(w, m, "mm.model.mlp.0.bias", wide, 0);
        make_eye_map(w, m, "mm.model.mlp.1", mid, wide, 1.5);
        make_eye_map(w, m, "mm.model.mlp.3", out, mid, 1.5);
    } else if (make_eye_is(m, "pixtral")) {
        if (merge > 1) make_eye_norm(w, m, "mm.input_norm");
        if (merge > 1) make_matrix(w, m, "mm.patch_merger.weight", m->dim, wide, 1.5);
        make_eye_map(w, m, "mm.1", mid, m->dim, 1.5);
        make_eye_map(w, m, "mm.2", out, mid, 1.5);
        if (make_says(m, "break")) make_vector(w, m, "v.token_embd.img_break", out, 0);
    } else {
        make_eye_map(w, m, "mm.0", mid, make_eye_qwen(m) ? wide : m->dim, 1.5);
        make_eye_map(w, m, "mm.2", out, mid, 1.5);
        make_eye_deep(w, m, wide, mid, out);
    }
}

static inline void make_eye(GgufWriter *w, const MakeModel *m) {
    size_t blocks = m->layers - (make_says(m, "old") ? 1 : 0), patch = make_size(m, "patch", 7),
           side = make_size(m, "image", 28) / patch;
    const bool llama4 = make_eye_is(m, "llama4"),
               class_row = make_eye_is(m, "mlp") || make_eye_is(m, "internvl") || llama4;
    const size_t pixels[] = {m->dim, 3, patch, patch}, flat[] = {m->dim, 3 * patch * patch};
    make_eye_keys(w, m, blocks);
    make_tensor(w, m, "v.patch_embd.weight", llama4 ? 2 : 4, llama4 ? flat : pixels, 0, 0.15,
                DTYPE_F32);
    if (make_eye_qwen(m))
        make_tensor(w, m, "v.patch_embd.weight.1", 4, (size_t[]){m->dim, 3, patch, patch}, 0,
                    0.15, DTYPE_F32);
    if (make_says(m, "eye_bias") || make_eye_is(m, "qwen3vl_merger"))
        make_vector(w, m, "v.patch_embd.bias", m->dim, 0);
    if (class_row) make_vector(w, m, "v.class_embd", m->dim, 0);
    const bool pixtral = make_eye_is(m, "pixtral"),
               axes = pixtral || (make_eye_qwen(m) && !make_eye_is(m, "qwen3vl_merger"));
    if (make_eye_is(m, "gemma4v")) {
        const size_t shape[] = {2, 840, m->dim};
        make_tensor(w, m, "v.position_embd.weight", 3, shape, 0, 0.5, DTYPE_F32);
    } else if (!axes)
        make_tensor(w, m, "v.position_embd.weight", 2,
                    (size_t[]){side * side + class_row, m->dim}, 0, 0.5, DTYPE_F32);
    if (make_eye_is(m, "mlp") || pixtral || llama4) make_eye_norm(w, m, "v.pre_ln");
    for (size_t l = 0; l < blocks; l++) make_eye_block(w, m, l);
    if ((!class_row && !pixtral && !make_eye_is(m, "gemma4v")) || llama4 ||
        make_says(m, "left_norm"))
        make_eye_norm(w, m, "v.post_ln");
    make_eye_projector(w, m);
}

#endif
