/* make_tensors.h - random tensors of a small model, by name. */
#ifndef STRATA_MAKE_TENSORS_H
#define STRATA_MAKE_TENSORS_H

#include "make_keys.h"

/* The first `count` normal numbers of a stream.  Tests make hundreds of models whose tensors have
 * the same names, and so the same numbers: these are kept until the program ends. */
static inline const double *make_normals(uint64_t seed, uint64_t stream, size_t count) {
    static struct {
        uint64_t seed, stream;
        size_t count;
        double *values;
    } kept[1024];
    size_t at = (size_t)(rng_hash(seed, stream, 0) % 1024);
    if (kept[at].count < count || kept[at].seed != seed || kept[at].stream != stream) {
        Rng rng = {seed, stream, 0};
        kept[at].values = realloc(kept[at].values, count * sizeof(double));
        kept[at].seed = seed, kept[at].stream = stream, kept[at].count = count;
        for (size_t i = 0; i < count; i++) kept[at].values[i] = rng_normal(&rng);
    }
    return kept[at].values;
}

static inline void make_tensor(GgufWriter *w, const MakeModel *m, const char *name, int ndim,
                               const size_t *shape, double mean, double deviation,
                               Dtype dtype) {
    size_t count = 1, row = shape[ndim - 1];
    for (int i = 0; i < ndim; i++) count *= shape[i];
    float *values = malloc(count * sizeof *values);
    void *stored = malloc(count * sizeof *values);
    uint64_t stream = 0;
    for (const char *c = name; *c; c++) stream = stream * 131 + (unsigned char)*c;
    const double *normal = make_normals(m->seed, stream, count);
    for (size_t i = 0; i < count; i++) values[i] = (float)(mean + deviation * normal[i]);
    if (row % dtype_info(dtype)->block) dtype = DTYPE_F16;
    quantize_row(dtype, values, NULL, stored, count);
    Tensor t = tensor_view(dtype, ndim, shape, stored);
    gguf_put_tensor(w, name, &t);
    free(values), free(stored);
}

/* "x.scale" and "x.input_scale" of a map, or of a stack of n: about 1, and nothing reads the second.  Routers
 * have none. */
static inline void make_scales(GgufWriter *w, const MakeModel *m, const char *weight,
                               size_t n) {
    const int stem = (int)(strlen(weight) - strlen("weight"));
    char name[120];
    if (!make_says(m, "map_scales") ||
        (strncmp(weight, "blk.", 4) != 0 && strcmp(weight, "output.weight") != 0) ||
        strstr(weight, "ffn_gate_inp") ||
        (make_says(m, "beside") && strstr(weight, "ffn_down_exps"))) /* has its own */
        return;
    snprintf(name, sizeof name, "%.*sscale", stem, weight);
    make_tensor(w, m, name, 1, &n, 1, 0.15, DTYPE_F32);
    snprintf(name, sizeof name, "%.*sinput_scale", stem, weight);
    make_tensor(w, m, name, 1, &n, 1, 0.15, DTYPE_F32);
}

static inline void make_matrix(GgufWriter *w, const MakeModel *m, const char *name, size_t out,
                               size_t in, double gain) {
    make_tensor(w, m, name, 2, (size_t[]){out, in}, 0, gain / sqrt((double)in), m->dtype);
    make_scales(w, m, name, 1);
}

static inline void make_vector(GgufWriter *w, const MakeModel *m, const char *name, size_t n,
                               double mean) {
    make_tensor(w, m, name, 1, &n, mean, 0.15, DTYPE_F32);
}

/* Have all maps biases, those of attention, or those of queries, keys and values? */
static inline bool make_biased(const MakeModel *m, const char *what) {
    bool attention = strncmp(what, "attn_", 5) == 0;
    if (make_says(m, "biases")) return true;
    if (make_says(m, "attn_biases")) return attention;
    return make_says(m, "qkv_biases") && attention && strlen(what) < strlen("attn_output");
}

static inline void make_linear(GgufWriter *w, const MakeModel *m, size_t layer,
                               const char *what, size_t out, size_t in, double gain) {
    char name[96];
    snprintf(name, sizeof name, "blk.%zu.%s.weight", layer, what);
    make_matrix(w, m, name, out, in, gain);
    snprintf(name, sizeof name, "blk.%zu.%s.bias", layer, what);
    if (make_biased(m, what)) make_vector(w, m, name, out, 0);
}

/* A map for each expert. */
static inline void make_stack(GgufWriter *w, const MakeModel *m, size_t layer, const char *what,
                              size_t out, size_t in) {
    char name[96];
    snprintf(name, sizeof name, "blk.%zu.%s.weight", layer, what);
    make_tensor(w, m, name, 3, (size_t[]){m->experts, out, in}, 0, 0.2, m->dtype);
    make_scales(w, m, name, m->experts);
    snprintf(name, sizeof name, "blk.%zu.%s.bias", layer, what);
    if (make_says(m, "expert_biases"))
        make_tensor(w, m, name, 2, (size_t[]){m->experts, out}, 0, 0.15, DTYPE_F32);
}

/* Of a block, or, with a name of its own, of the model. */
static inline void make_norm_of(GgufWriter *w, const MakeModel *m, const char *name, int ndim,
                                const size_t *shape) {
    char full[120];
    snprintf(full, sizeof full, "%s.weight", name);
    make_tensor(w, m, full, ndim, shape, 1, 0.15, DTYPE_F32);
    snprintf(full, sizeof full, "%s.bias", name);
    if (make_says(m, "norm_biases")) make_tensor(w, m, full, ndim, shape, 0, 0.15, DTYPE_F32);
}

static inline void make_norm(GgufWriter *w, const MakeModel *m, size_t layer, const char *what,
                             size_t n) {
    char name[96];
    snprintf(name, sizeof name, "blk.%zu.%s", layer, what);
    make_norm_of(w, m, name, 1, &n);
}

static inline void make_map(GgufWriter *w, const MakeModel *m, size_t l, const char *what,
                            size_t out, size_t in) {
    char name[96];
    make_matrix(w, m, block_tensor_name(name, sizeof name, l, what, "weight"), out, in, 1.5);
}

#endif
