/* reference_text.h - vectors and scores of texts, in double precision. */
#ifndef STRATA_REFERENCE_TEXT_H
#define STRATA_REFERENCE_TEXT_H

#include "reference.h"

/* rows (n, dim) of a text behind the last norm. */
static inline void reference_hidden(const Reference *r, const int32_t *tokens, int n,
                                    double *rows) {
    int dim = reference_size(r, "embedding_length", 0, 0);
    const char *norm =
        reference_weight(r, -1, "enc.output_norm") ? "enc.output_norm" : "output_norm";
    if (reference_says(r, "source")) { /* of an encoder by itself */
        double *read = reference_read(r, "enc", tokens, n, NULL, 0);
        memcpy(rows, read, sizeof *rows * (size_t)(n * dim));
        free(read);
        return;
    }
    double *x = reference_stream(r, tokens, n);
    for (int t = 0; t < n; t++) reference_norm(r, -1, norm, x + t * dim, dim, rows + t * dim);
    free(x);
}

/* out (dim) = the rows of a text as one.  kind: 1 mean, 2 the first, 3 the last. */
static inline void reference_pool(const Reference *r, const int32_t *tokens, int n, int kind,
                                  double *out) {
    int dim = reference_size(r, "embedding_length", 0, 0);
    double *rows = malloc(sizeof *rows * (size_t)(n * dim));
    reference_hidden(r, tokens, n, rows);
    for (int i = 0; i < dim; i++) {
        out[i] = rows[(kind == 3 ? n - 1 : 0) * dim + i];
        for (int t = 1; t < n && kind == 1; t++) out[i] += rows[t * dim + i];
        if (kind == 1) out[i] /= n;
    }
    free(rows);
}

/* The vector of a text (dim). */
static inline void reference_vector(const Reference *r, const int32_t *tokens, int n, int kind,
                                    double *out) {
    double wide[REFERENCE_WIDEST];
    int dim = reference_size(r, "embedding_length", 0, 0);
    const GgufTensor *t = reference_find(r, -1, "dense_2", "weight");
    reference_pool(r, tokens, n, kind, out);
    if (!t) return;
    reference_rows(r, -1, "dense_2", 0, (int)t->shape[0], out, wide);
    reference_rows(r, -1, "dense_3", 0, dim, wide, out);
}

/* Its scores, one for each label. */
static inline void reference_scores(const Reference *r, const int32_t *tokens, int n,
                                    int labels, double *scores) {
    double row[REFERENCE_WIDEST], sum = 0;
    int dim = reference_size(r, "embedding_length", 0, 0);
    bool output = reference_weight(r, -1, "cls.output");
    int kind = reference_says(r, "mean-score") ? 1 : reference_says(r, "bidirectional") ? 2 : 3;
    reference_pool(r, tokens, n, kind, row);
    if (reference_weight(r, -1, "cls")) {
        double in[REFERENCE_WIDEST];
        memcpy(in, row, sizeof in);
        reference_rows(r, -1, "cls", 0, output ? dim : labels, in, row);
        for (int i = 0; i < (output ? dim : labels); i++)
            row[i] =
                reference_says(r, "gelu-score") ? reference_activate(r, row[i]) : tanh(row[i]);
        if (output) reference_norm(r, -1, "cls.norm", row, dim, row);
    }
    if (output) reference_rows(r, -1, "cls.output", 0, labels, row, scores);
    for (int i = 0; i < labels; i++) scores[i] = output ? scores[i] : row[i];
    for (int i = 0; i < labels; i++) sum += exp(scores[i]);
    for (int i = 0; i < labels && reference_says(r, "share"); i++)
        scores[i] = exp(scores[i]) / sum;
}

#endif
