/* requantize.c - a file's matrices in other number formats.  See quant_preset.h. */
#include "quant_preset.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inputs of a conversion besides the tensor. */
typedef struct Source {
    const Requantize *how;
    const Gguf *gguf;
    Pool *pool;
    size_t layers;
} Source;

static size_t layers_of(const Gguf *gguf) {
    Text arch;
    int64_t layers = 0;
    char key[96];
    if (gguf_string(gguf_find(gguf, "general.architecture"), &arch)) {
        snprintf(key, sizeof key, "%.*s.block_count", (int)(arch.size < 60 ? arch.size : 60),
                 arch.data);
        gguf_int(gguf_find(gguf, key), 0, &layers);
    }
    return layers > 0 ? (size_t)layers : 1;
}

static bool is_output(const GgufTensor *t) {
    return text_equal(t->name, text_of("output.weight")) ||
           text_equal(t->name, text_of("token_embd.weight"));
}

static bool stays(const GgufTensor *t) {
    return !dtype_is_computable(t->dtype) || quant_preset_keeps(t->name, t->ndim);
}

static Dtype format_of_row(const Source *s, const GgufTensor *t, size_t row) {
    const Requantize *how = s->how;
    bool tied = text_equal(t->name, text_of("token_embd.weight")) &&
                !gguf_find_tensor(s->gguf, "output.weight");
    if (stays(t)) return (Dtype)t->dtype;
    if (is_output(t) && how->output_preset)
        return quant_preset_dtype(how->output_preset, t->name, s->layers, row, true);
    return quant_preset_dtype(how->preset, tied ? text_of("output.weight") : t->name, s->layers,
                              row, how->pure);
}

static Dtype format_for(const Source *s, const GgufTensor *t) {
    return format_of_row(s, t, t->ndim ? t->shape[t->ndim - 1] : 1);
}

size_t requantize_misfits(const Gguf *in, const Requantize *how) {
    Source s = {.how = how, .gguf = in, .layers = layers_of(in)};
    size_t n = 0;
    for (size_t i = 0; i < in->n_tensors; i++) /* 0 rows divide into no blocks */
        n += format_for(&s, &in->tensors[i]) != format_of_row(&s, &in->tensors[i], 0);
    return n;
}

/* A tensor being converted. */
typedef struct Conversion {
    const GgufTensor *t;
    Dtype to;
    const float *importance; /* (cols), NULL: none */
    char *stored;
    float *rows;         /* (threads, cols) */
    atomic_bool misfits; /* a number that the format cannot represent */
} Conversion;

static void requantize_convert_rows(void *context, int worker, size_t begin, size_t end) {
    Conversion *c = context;
    size_t cols = c->t->shape[c->t->ndim - 1];
    Dtype from = (Dtype)c->t->dtype;
    float *row = c->rows + (size_t)worker * cols;
    for (size_t r = begin; r < end; r++) {
        dequantize_row(from, c->t->data + r * dtype_row_bytes(from, cols), row, cols);
        if (quantize_misfit(c->to, row, cols) < cols)
            c->misfits = true;
        else
            quantize_row(c->to, row, c->importance,
                         c->stored + r * dtype_row_bytes(c->to, cols), cols);
    }
}

/* The mean squares of a matrix's inputs, as llama.cpp's imatrix files name them. */
static bool find_importance(const Source *s, const char *name, size_t cols,
                            const float **importance, Fault *fault) {
    char wanted[160];
    *importance = NULL;
    if (!s->how->importance) return true;
    snprintf(wanted, sizeof wanted, "%s.in_sum2", name);
    const GgufTensor *t = gguf_find_tensor(s->how->importance, wanted);
    if (!t) return true; /* importance files have none for the embedding */
    if (t->dtype != DTYPE_F32 || t->shape[t->ndim - 1] != cols ||
        (uintptr_t)t->data % sizeof(float))
        return fault_set(
            fault,
            "the importance file's '%s' is not %zu numbers in F32: is it of another model?",
            wanted, cols);
    *importance = (const void *)t->data;
    return true;
}

static bool convert(const Source *s, const GgufTensor *t, Dtype to, GgufWriter *writer,
                    Fault *fault) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
    if (to == (Dtype)t->dtype) {
        Tensor same = gguf_tensor_view(t);
        gguf_put_tensor(writer, name, &same);
        return true;
    }
    size_t cols = t->shape[t->ndim - 1], rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++) rows *= t->shape[i];
    Conversion c = {.t = t, .to = to};
    c.stored = malloc(rows * dtype_row_bytes(to, cols));
    c.rows = malloc((size_t)pool_threads(s->pool) * cols * sizeof *c.rows);
    bool ok = (c.rows && c.stored) || fault_set(fault, "no memory to convert '%s'", name);
    ok = ok && find_importance(s, name, cols, &c.importance, fault);
    if (ok) {
        pool_for(s->pool, rows, 8, requantize_convert_rows, &c);
        if (c.misfits) ok = quant_preset_misfit(name, to, fault);
    }
    if (ok) {
        Tensor view = tensor_view(to, t->ndim, t->shape, c.stored);
        gguf_put_tensor(writer, name, &view);
    }
    free(c.rows), free(c.stored);
    return ok;
}

/* Other formats scale by the largest number, or have no scale. */
static bool heeds_importance(Dtype dtype) {
    return dtype_is_quantized(dtype) && dtype != DTYPE_Q8_0 && dtype != DTYPE_MXFP4 &&
           dtype != DTYPE_TQ1_0 && dtype != DTYPE_TQ2_0;
}

/* Importance that changes no matrix is the caller's mistake. */
static bool check_importance(const Source *s, Fault *fault) {
    size_t named = 0, heeded = 0;
    for (size_t i = 0; i < s->gguf->n_tensors; i++) {
        const GgufTensor *t = &s->gguf->tensors[i];
        Dtype to = format_for(s, t);
        char name[128];
        const float *importance;
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        if (to == (Dtype)t->dtype) continue;
        if (!find_importance(s, name, t->shape[t->ndim - 1], &importance, fault)) return false;
        if (importance) named++, heeded += heeds_importance(to);
    }
    if (!named)
        return fault_set(fault, "the importance file names none of the matrices that are "
                                "converted: is it of another model?");
    return heeded || fault_set(fault,
                               "importance changes nothing in %s: leave --importance out, or "
                               "choose a format of fewer bits",
                               s->how->preset->name);
}

bool requantize(const Gguf *in, const Requantize *how, Pool *pool, GgufWriter *out,
                void (*progress)(void *, double), void *context, Fault *fault) {
    Source s = {.how = how, .gguf = in, .pool = pool, .layers = layers_of(in)};
    double done = 0;
    if (how->importance && !check_importance(&s, fault)) return false;
    for (size_t i = 0; i < in->n_pairs; i++)
        if (!text_equal(in->pairs[i].key, text_of("general.file_type")) &&
            !text_equal(in->pairs[i].key, text_of("general.alignment")))
            gguf_put_pair(out, &in->pairs[i]);
    gguf_put_int(out, "general.file_type", GGUF_U32, how->preset->file_type);
    for (size_t i = 0; i < in->n_tensors; i++) {
        const GgufTensor *t = &in->tensors[i];
        if (!convert(&s, t, format_for(&s, t), out, fault)) return false;
        if (progress) progress(context, done += (double)t->bytes);
    }
    return true;
}
