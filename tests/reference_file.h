/* reference_file.h - what a model file says, in double precision. */
#ifndef STRATA_REFERENCE_FILE_H
#define STRATA_REFERENCE_FILE_H

#include "tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lookups of the file before: a token asks the same again, and to look through all names
 * each time took a third of a test.  The key is a hash of the question, and no two of a file's few
 * hundred have the same 64 bits. */
typedef struct ReferenceMemo {
    uint64_t key;
    const void *answer;
} ReferenceMemo;

enum { REFERENCE_MEMOS = 1 << 14 };

typedef struct Reference {
    const Gguf *gguf;
    char arch[32];
    const char *family;   /* what it does, in words: reference_families.h */
    double *values[4096]; /* of each tensor */
    /* Inputs of BF16 weights have the 8 bits of BF16, as with some instruction sets: the caller says
     * so. */
    bool rounds_bf16;
    const float *lent;      /* (rows, 1 + deep, dim) of tokens behind the vocabulary */
    const int *until;       /* (positions) the last one that each sees; NULL: itself */
    const int (*places)[3]; /* (positions) time, row and column of each; NULL: the position */
    int second;             /* where the second of two texts begins; 0: there is one */
    ReferenceMemo *memo;
} Reference;

/* ------------------------------------------------------------------ questions */

static inline uint64_t reference_hash(uint64_t h, const char *text) {
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return (h ^ 256) * 0x100000001b3u;
}

/* The place of a question's answer; one with another key is to be filled. */
static inline ReferenceMemo *reference_asked(const Reference *r, uint64_t key) {
    size_t at = (size_t)(key >> 32);
    while (r->memo[at %= REFERENCE_MEMOS].key && r->memo[at].key != key) at++;
    return &r->memo[at];
}

/* ------------------------------------------------------------------ keys */

static inline const GgufPair *reference_key(const Reference *r, const char *key) {
    uint64_t hash = reference_hash(0xcbf29ce484222325u, key);
    ReferenceMemo *memo = reference_asked(r, hash);
    char name[128];
    if (memo->key) return memo->answer;
    snprintf(name, sizeof name, "%s.%s", r->arch, key);
    *memo = (ReferenceMemo){hash, gguf_find(r->gguf, name)};
    return memo->answer;
}

/* The number, or that of the layer when there is a list. */
static inline double reference_number_of(const Reference *r, const char *key, int layer,
                                         double fallback) {
    const GgufPair *pair = reference_key(r, key);
    double value = fallback;
    if (pair) gguf_float(pair, pair->type == GGUF_ARRAY ? (uint64_t)layer : 0, &value);
    return value;
}

static inline double reference_number(const Reference *r, const char *key, double fallback) {
    return reference_number_of(r, key, 0, fallback);
}

static inline int reference_size(const Reference *r, const char *key, int layer, int fallback) {
    return (int)reference_number_of(r, key, layer, fallback);
}

static inline bool reference_text_is(const Reference *r, const char *key, const char *text) {
    Text value;
    return gguf_string(reference_key(r, key), &value) && text_equal(value, text_of(text));
}

/* ------------------------------------------------------------------ tensors */

static inline const GgufTensor *reference_find(const Reference *r, int layer, const char *name,
                                               const char *suffix) {
    uint64_t hash =
        reference_hash(reference_hash((uint64_t)layer * 0x9e3779b97f4a7c15u, name), suffix);
    ReferenceMemo *memo = reference_asked(r, hash);
    char full[128];
    if (memo->key) return memo->answer;
    if (layer < 0)
        snprintf(full, sizeof full, "%s.%s", name, suffix);
    else
        snprintf(full, sizeof full, "blk.%d.%s.%s", layer, name, suffix);
    *memo = (ReferenceMemo){hash, gguf_find_tensor(r->gguf, full)};
    return memo->answer;
}

/* Its values; NULL: there is none. */
static inline double *reference_values(const Reference *r, const GgufTensor *tensor) {
    return tensor ? r->values[tensor - r->gguf->tensors] : NULL;
}

static inline double *reference_bias(const Reference *r, int layer, const char *name) {
    return reference_values(r, reference_find(r, layer, name, "bias"));
}

static inline double *reference_weight(const Reference *r, int layer, const char *name) {
    return reference_values(r, reference_find(r, layer, name, "weight"));
}

static inline double reference_half(const unsigned char *p) { /* by definition */
    int bits = p[0] | p[1] << 8, exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent ? ldexp(1 + fraction / 1024.0, exponent - 15) : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static inline double reference_element(const GgufTensor *t, size_t i) {
    float f;
    uint32_t bits;
    switch (t->dtype) {
    case DTYPE_F32: memcpy(&f, t->data + 4 * i, 4); return (double)f;
    case DTYPE_F16: return reference_half(t->data + 2 * i);
    case DTYPE_BF16:
        bits = (uint32_t)(t->data[2 * i] | t->data[2 * i + 1] << 8) << 16;
        memcpy(&f, &bits, 4);
        return (double)f;
    case DTYPE_Q8_0:
        return reference_half(t->data + i / 32 * 34) *
               (signed char)t->data[i / 32 * 34 + 2 + i % 32];
    default: return (double)NAN;
    }
}

static inline void reference_load(Reference *r, const Gguf *gguf) {
    Text arch;
    *r = (Reference){.gguf = gguf};
    r->memo = calloc(REFERENCE_MEMOS, sizeof *r->memo);
    gguf_string(gguf_find(gguf, "general.architecture"), &arch);
    memcpy(r->arch, arch.data, arch.size);
    REQUIRE(gguf->n_tensors <= sizeof r->values / sizeof *r->values, "%zu tensors",
            gguf->n_tensors);
    for (size_t i = 0; i < gguf->n_tensors; i++) {
        const GgufTensor *t = &gguf->tensors[i];
        size_t count = t->shape[0] * t->shape[1] * t->shape[2] * t->shape[3];
        r->values[i] = malloc(count * sizeof(double));
        for (size_t k = 0; k < count; k++) r->values[i][k] = reference_element(t, k);
    }
}

static inline void reference_close(Reference *r) {
    for (size_t i = 0; i < r->gguf->n_tensors; i++) free(r->values[i]);
    free(r->memo);
}

/* A tensor without a suffix: "blk.3.ssm_a" */
static inline const double *reference_bare(const Reference *r, int layer, const char *name) {
    char full[128];
    snprintf(full, sizeof full, "blk.%d.%s", layer, name);
    return reference_values(r, gguf_find_tensor(r->gguf, full));
}

/* ------------------------------------------------------------------ products */

static inline double reference_bf16(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(x, 8 - exponent)), exponent - 8);
}

/* Inputs of Q8_0 weights go in steps of a 127th of the largest of 32. */
static inline double reference_step(const double *x, int i, int n) {
    double most = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32 && k < n; k++) most = fmax(most, fabs(x[k]));
    return most > 0 ? nearbyint(x[i] / most * 127) * most / 127 : 0;
}

/* The scale of a map, or of the one in a stack whose rows begin at `first`; 1: it has none, or (Gemma 4)
 * a vector of this name. */
static inline double reference_scale(const Reference *r, int layer, const char *name,
                                     const GgufTensor *t, int first) {
    const GgufTensor *found = reference_find(r, layer, name, "scale");
    if (!found || found->shape[0] != (t->ndim < 3 ? 1 : t->shape[0])) return 1;
    if (t->ndim < 3) return reference_values(r, found)[0];
    return strcmp(name, "ffn_down_exps") == 0
               ? 1 /* reference_add_expert */
               : reference_values(r, found)[first / (int)t->shape[1]];
}

/* y = rows first .. first + rows - 1 of a map (a stack of maps is one below the other) times x. */
static inline void reference_rows(const Reference *r, int layer, const char *name, int first,
                                  int rows, const double *x, double *y) {
    const GgufTensor *t = reference_find(r, layer, name, "weight");
    const double *bias = reference_bias(r, layer, name);
    REQUIRE(t, "no %s in layer %d", name, layer);
    int n = (int)t->shape[t->ndim - 1];
    const double *w = reference_values(r, t) + (size_t)first * (size_t)n;
    double *in = malloc(sizeof *in * (size_t)n),
           scale = reference_scale(r, layer, name, t, first);
    for (int k = 0; k < n; k++) {
        in[k] = t->dtype == DTYPE_Q8_0 ? reference_step(x, k, n) : x[k];
        if (t->dtype == DTYPE_BF16 && r->rounds_bf16) in[k] = reference_bf16(x[k]);
    }
    /* Four rows side by side: one sum waits for each of its own additions, four do not.  Behind the
     * last row it stands again. */
    for (int i = 0; i < rows; i += 4) {
        const double *row[4];
        double sum[4], offset[4];
        for (int j = 0; j < 4; j++) {
            int at = i + j < rows ? i + j : rows - 1;
            row[j] = w + (size_t)at * (size_t)n, sum[j] = 0;
            offset[j] = bias ? bias[first + at] : 0;
        }
        for (int k = 0; k < n; k++)
            for (int j = 0; j < 4; j++) sum[j] += row[j][k] * in[k];
        for (int j = 0; j < 4 && i + j < rows; j++) y[i + j] = scale * sum[j] + offset[j];
    }
    free(in);
}

#endif
