/* requantize.c - a file's matrices in other number formats.  See quant_preset.h. */
#include "quant_preset.h"

#include <float.h>
#include <math.h>
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

/* The mean squares of a matrix's inputs: of a mixture's experts each has its own. */
typedef struct Importance {
    const float *sums;   /* (matrices, cols), NULL: none */
    const float *counts; /* (matrices) tokens that were summed, NULL: of all the same number */
} Importance;

/* A tensor being converted. */
typedef struct Conversion {
    const GgufTensor *t;
    Dtype to;
    Importance importance;
    size_t rows_each; /* of one of a mixture's matrices */
    char *stored;
    float *rows;         /* (threads, 2, cols) */
    atomic_bool misfits; /* a number that the format cannot represent */
} Conversion;

/* The share of the mean that an input has at least: one that was always 0 in the sample may not
 * be tomorrow, and a block of such inputs would become zeros. */
#define LEAST_IMPORTANCE 1e-6

/* out (cols) = the importance of a matrix's inputs, 1 on average; false, which weights all
 * equally, for an expert that read no token. */
static bool importance_of(const Importance *all, size_t matrix, size_t cols, float *out) {
    const float *own = all->sums + matrix * cols;
    double mean = 0;
    for (size_t i = 0; i < cols; i++) mean += (double)own[i] / (double)cols;
    if (mean == 0 || (all->counts && all->counts[matrix] == 0)) return false;
    for (size_t i = 0; i < cols; i++)
        out[i] = (float)fmax((double)own[i] / mean, LEAST_IMPORTANCE);
    return true;
}

static void requantize_convert_rows(void *context, int worker, size_t begin, size_t end) {
    Conversion *c = context;
    size_t cols = c->t->shape[c->t->ndim - 1], each = c->rows_each;
    Dtype from = (Dtype)c->t->dtype;
    float *row = c->rows + 2 * (size_t)worker * cols, *importance = row + cols;
    bool weighted = false;
    for (size_t r = begin; r < end; r++) {
        if (c->importance.sums && (r == begin || r % each == 0))
            weighted = importance_of(&c->importance, r / each, cols, importance);
        dequantize_row(from, c->t->data + r * dtype_row_bytes(from, cols), row, cols);
        if (quantize_misfit(c->to, row, cols) < cols)
            c->misfits = true;
        else
            quantize_row(c->to, row, weighted ? importance : NULL,
                         c->stored + r * dtype_row_bytes(c->to, cols), cols);
    }
}

/* A tensor of the importance file as `matrices` rows of `cols` numbers; *numbers stays NULL if
 * the file has no such tensor. */
static bool importance_numbers(const Gguf *file, const char *name, size_t matrices, size_t cols,
                               const float **numbers, Fault *fault) {
    const GgufTensor *t = gguf_find_tensor(file, name);
    *numbers = NULL;
    if (!t) return true;
    size_t count = matrices * cols;
    if (t->dtype != DTYPE_F32 || t->bytes != count * sizeof(float) ||
        t->shape[t->ndim - 1] != cols || (uintptr_t)t->data % sizeof(float))
        return fault_set(fault,
                         "the importance file's '%s' is not %zu x %zu numbers in F32: is it of "
                         "another model?",
                         name, matrices, cols);
    *numbers = (const void *)t->data;
    for (size_t i = 0; i < count; i++)
        if (!((*numbers)[i] >= 0 && (*numbers)[i] <= FLT_MAX))
            return fault_set(
                fault,
                "the importance file's '%s' holds %g at %zu: wanted sums of squares "
                "and counts, which are finite and not below 0",
                name, (double)(*numbers)[i], i);
    return true;
}

/* The importance of a matrix, or of each of a mixture's, named as llama.cpp's imatrix files do.
 * They have none for the embedding. */
static bool find_importance(const Source *s, const char *name, const GgufTensor *t,
                            Importance *importance, Fault *fault) {
    char sums[160], counts[160];
    const Gguf *file = s->how->importance;
    size_t n = 1;
    *importance = (Importance){0};
    if (!file) return true;
    snprintf(sums, sizeof sums, "%s.in_sum2", name);
    snprintf(counts, sizeof counts, "%s.counts", name);
    for (int i = 0; i + 2 < t->ndim; i++) n *= t->shape[i];
    return importance_numbers(file, sums, n, t->shape[t->ndim - 1], &importance->sums, fault) &&
           (!importance->sums ||
            importance_numbers(file, counts, n, 1, &importance->counts, fault));
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
    c.rows_each = t->ndim > 1 ? t->shape[t->ndim - 2] : 1;
    c.stored = malloc(rows * dtype_row_bytes(to, cols));
    c.rows = malloc((size_t)pool_threads(s->pool) * 2 * cols * sizeof *c.rows);
    bool ok = (c.rows && c.stored) || fault_set(fault, "no memory to convert '%s'", name);
    ok = ok && find_importance(s, name, t, &c.importance, fault);
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

/* Importance that changes no matrix is the caller's mistake. */
static bool check_importance(const Source *s, Fault *fault) {
    size_t named = 0, heeded = 0;
    for (size_t i = 0; i < s->gguf->n_tensors; i++) {
        const GgufTensor *t = &s->gguf->tensors[i];
        Dtype to = format_for(s, t);
        char name[128];
        Importance importance;
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        if (to == (Dtype)t->dtype) continue;
        if (!find_importance(s, name, t, &importance, fault)) return false;
        if (importance.sums) named++, heeded += quant_preset_is_fitted(to);
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

/* ------------------------------------------------------------------ what it does to weights */

typedef struct Squares {
    double of_errors, of_weights;
} Squares;

static bool add_rows(const Source *s, const GgufTensor *t, Squares *sum, Fault *fault) {
    Dtype from = (Dtype)t->dtype, to = format_for(s, t);
    size_t cols = t->shape[t->ndim - 1], rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++) rows *= t->shape[i];
    size_t step = rows > 8 ? rows / 8 : 1;
    float *row = malloc(2 * cols * sizeof *row), *back = row + cols;
    char *stored = malloc(dtype_row_bytes(to, cols));
    bool ok = (row && stored) || fault_set(fault, "no memory for a row of %zu numbers", cols);
    for (size_t r = 0; ok && r < rows; r += step) {
        dequantize_row(from, t->data + r * dtype_row_bytes(from, cols), row, cols);
        if (quantize_misfit(to, row, cols) < cols) continue; /* requantize refuses it */
        quantize_row(to, row, NULL, stored, cols);
        dequantize_row(to, stored, back, cols);
        for (size_t i = 0; i < cols; i++) {
            double off = (double)back[i] - (double)row[i];
            sum->of_errors += off * off, sum->of_weights += (double)row[i] * (double)row[i];
        }
    }
    free(row), free(stored);
    return ok;
}

bool requantize_error(const Gguf *in, const Requantize *how, double *error, Fault *fault) {
    Source s = {.how = how, .gguf = in, .layers = layers_of(in)};
    Squares sum = {0, 0};
    for (size_t i = 0; i < in->n_tensors; i++)
        if (format_for(&s, &in->tensors[i]) != (Dtype)in->tensors[i].dtype &&
            !add_rows(&s, &in->tensors[i], &sum, fault))
            return false;
    *error = sum.of_weights > 0 ? sqrt(sum.of_errors / sum.of_weights) : 0;
    return true;
}
