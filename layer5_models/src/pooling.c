/* pooling.c - see pooling.h. */
#include "pooling.h"

#include <math.h>
#include <string.h>

bool pooling_parse(const char *name, Pooling *pooling, Fault *fault) {
    static const char *const names[] = {"none", "mean", "last", "cls"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return *pooling = (Pooling)i, true;
    return fault_set(fault, "there is no pooling '%.40s': wanted mean, last, cls or none",
                     name);
}

/* The row of token `at` of `count` takes its part in the result. */
static void pool_row(Pooling pooling, const float *row, size_t at, size_t count, float *out,
                     size_t dim) {
    size_t size = dim * sizeof *row;
    if (pooling == POOLING_NONE) memcpy(out + at * dim, row, size);
    if (pooling == POOLING_CLS && at == 0) memcpy(out, row, size);
    if (pooling == POOLING_LAST && at + 1 == count) memcpy(out, row, size);
    if (pooling != POOLING_MEAN) return;
    for (size_t i = 0; i < dim; i++) out[i] = at ? out[i] + row[i] : row[i];
    for (size_t i = 0; at + 1 == count && i < dim; i++) out[i] /= (float)count;
}

bool pooling_run(Session *s, Pooling pooling, const int32_t *tokens, size_t count, float *out,
                 Fault *fault) {
    REQUIRE(count > 0, "a text without tokens has no vector");
    size_t dim = s->model->sizes.dim,
           most = s->max_logits < s->max_tokens ? s->max_logits : s->max_tokens;
    if (most > PREFILL_BATCH) most = PREFILL_BATCH;
    bool ok = true;
    session_rewind(s, 0, 0);
    s->hidden_only = true;
    for (size_t at = 0, n; ok && at < count; at += n) {
        n = count - at < most ? count - at : most;
        ok = session_eval(s, tokens + at, n, true, fault);
        for (size_t i = 0; ok && i < n; i++)
            pool_row(pooling, s->hidden + i * dim, at + i, count, out, dim);
    }
    s->hidden_only = false;
    return ok;
}

static double dot(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

void pooling_normalize(float *x, size_t n) {
    double length = sqrt(dot(x, x, n));
    for (size_t i = 0; length > 0 && i < n; i++) x[i] = (float)((double)x[i] / length);
}

double pooling_cosine(const float *a, const float *b, size_t n) {
    double lengths = sqrt(dot(a, a, n)) * sqrt(dot(b, b, n));
    return lengths > 0 ? dot(a, b, n) / lengths : 0;
}
