/* make_beside.h - what blocks of a small model have beside their mixer and their network: inputs of their
 * own, a stream in parts, a short way, experts beside the network. */
#ifndef STRATA_MAKE_BESIDE_H
#define STRATA_MAKE_BESIDE_H

#include "make_tensors.h"

/* Tensors of the model. */
static inline void make_beside_ends(GgufWriter *w, const MakeModel *m) {
    size_t all = m->layers * make_size(m, "layer_inputs", 0),
           streams = make_size(m, "streams", 1), width = make_size(m, "layer_inputs", 0),
           stack[3] = {streams - 1, m->dim, m->dim};
    if (width) {
        make_matrix(w, m, "per_layer_token_embd.weight", MAKE_VOCAB, all, 1);
        make_matrix(w, m, "per_layer_model_proj.weight", all, m->dim, 1.5);
        make_vector(w, m, "per_layer_proj_norm.weight", width, 1);
    }
    if (streams < 2) return;
    make_tensor(w, m, "altup_proj.weight", 3, stack, 0, 0.2, m->dtype);
    make_tensor(w, m, "altup_unembd_proj.weight", 3, stack, 0, 0.2, m->dtype);
}

static inline void make_parts_of_stream(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t streams = make_size(m, "streams", 1);
    char name[96];
    make_tensor(w, m, block_tensor_name(name, sizeof name, l, "altup_router", "weight"), 2,
                (size_t[]){streams, m->dim}, 0, (double)m->dim / 16, DTYPE_F32);
    make_norm(w, m, l, "altup_router_norm", m->dim);
    make_matrix(w, m, block_tensor_name(name, sizeof name, l, "altup_predict_coef", "weight"),
                streams * streams, streams, 0.2);
    make_matrix(w, m, block_tensor_name(name, sizeof name, l, "altup_correct_coef", "weight"),
                streams, streams, 0.4);
    make_vector(w, m, block_tensor_name(name, sizeof name, l, "altup_correct_scale", "weight"),
                m->dim, 1);
}

/* Norms of a network and experts side by side. */
static inline void make_beside_norms(GgufWriter *w, const MakeModel *m, size_t l) {
    char name[96];
    make_norm(w, m, l, "pre_ffw_norm_2", m->dim);
    make_norm(w, m, l, "post_ffw_norm_1", m->dim);
    make_norm(w, m, l, "post_ffw_norm_2", m->dim);
    make_vector(w, m, block_tensor_name(name, sizeof name, l, "ffn_gate_inp.scale", NULL),
                m->dim, 4);
    make_vector(w, m, block_tensor_name(name, sizeof name, l, "ffn_down_exps.scale", NULL),
                m->experts, 1);
}

static inline void make_beside(GgufWriter *w, const MakeModel *m, size_t l) {
    size_t width = make_size(m, "layer_inputs", 0);
    char name[96];
    if (width) {
        make_map(w, m, l, "inp_gate", width, m->dim), make_map(w, m, l, "proj", m->dim, width);
        make_norm(w, m, l, "post_norm", m->dim);
    }
    if (make_says(m, "streams")) make_parts_of_stream(w, m, l);
    if (make_says(m, "laurel")) {
        make_map(w, m, l, "laurel_l", 64, m->dim), make_map(w, m, l, "laurel_r", m->dim, 64);
        make_norm(w, m, l, "laurel_post_norm", m->dim);
    }
    if (make_says(m, "end_scale"))
        make_vector(w, m,
                    block_tensor_name(name, sizeof name, l, "layer_output_scale", "weight"), 1,
                    0.8);
}

#endif
