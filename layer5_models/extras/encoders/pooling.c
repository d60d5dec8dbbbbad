/* pooling.c - see pooling.h. */
#include "pooling.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"none", "mean", "cls", "last", "rank"};

bool pooling_parse(const char *name, Pooling *pooling, Fault *fault) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return *pooling = (Pooling)i, true;
    return fault_set(fault, "there is no pooling '%.40s': wanted mean, last, cls, none or rank",
                     name);
}

const char *pooling_name(Pooling pooling) { return names[pooling]; }

Pooling pooling_of_model(const Model *m) {
    return model_writes(m) ? POOLING_MEAN : model_extras(m)->text_head.pooling;
}

size_t pooling_width(const Model *m, Pooling pooling) {
    return pooling == POOLING_RANK ? model_extras(m)->text_head.labels : m->sizes.dim;
}

SessionConfig pooling_session(const Model *m, size_t longest) {
    size_t batch =
        model_extras(m)->quirks->bidirectional ? longest : min_size(longest, PREFILL_BATCH);
    return (SessionConfig){.vectors = true,
                           .ctx = longest,
                           .sequences = 1,
                           .max_tokens = batch,
                           .max_logits = batch};
}

/* Add the row of token `at` of `count` to the result. */
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

/* Tokens per batch: every one of them needs a row. */
static size_t piece_of(const Session *s, size_t left) {
    size_t most = min_size(s->max_logits, s->max_tokens);
    return model_extras(s->model)->quirks->bidirectional
               ? left
               : min_size(left, min_size(most, PREFILL_BATCH));
}

static bool pool_rows(Session *s, Pooling pooling, const int32_t *tokens, size_t count,
                      float *out, Fault *fault) {
    size_t dim = s->model->sizes.dim;
    for (size_t at = 0, n; at < count; at += n) {
        n = piece_of(s, count - at);
        if (!session_eval(s, tokens + at, n, true, fault)) return false;
        for (size_t i = 0; i < n; i++)
            pool_row(pooling, s->hidden + i * dim, at + i, count, out, dim);
    }
    return true;
}

static void map_row(Session *s, const Linear *map, const float *x, float *y) {
    if (map->w.data) linear(s->pool, map, x, 1, y, s->extras->wide_scratch);
}

static void dense(Session *s, float *row) {
    const TextHead *h = &model_extras(s->model)->text_head;
    if (!h->dense[0].w.data) return;
    map_row(s, &h->dense[0], row, s->extras->wide);
    map_row(s, &h->dense[1], s->extras->wide, row);
}

/* The scores of a text (labels) from its row (dim), which is overwritten. */
static void score_row(Session *s, float *row, float *scores) {
    const TextHead *h = &model_extras(s->model)->text_head;
    size_t n = h->scores.w.data ? s->model->sizes.dim : h->labels;
    map_row(s, &h->hidden, row, s->extras->wide);
    if (h->hidden.w.data && h->gelu) gelu_tanh(s->extras->wide, s->extras->wide, n);
    for (size_t i = 0; h->hidden.w.data && !h->gelu && i < n; i++)
        s->extras->wide[i] = tanhf(s->extras->wide[i]);
    if (h->hidden.w.data) norm_apply(&h->norm, row, s->extras->wide, n);
    if (h->scores.w.data)
        map_row(s, &h->scores, row, scores);
    else
        memcpy(scores, row, n * sizeof *scores);
    if (h->softmax) softmax(scores, scores, h->labels);
}

bool pooling_check(const Model *m, Pooling pooling, Fault *fault) {
    if (model_extras(m)->encoder)
        return fault_set(fault,
                         "a %s model makes no vectors: convert its encoder alone "
                         "(t5encoder), which does",
                         m->recipe->arch);
    return pooling != POOLING_RANK || model_extras(m)->text_head.labels ||
           fault_set(fault, "the model has no head that scores texts (cls.output)");
}

bool pooling_run(Session *s, Pooling pooling, const int32_t *tokens, size_t count,
                 size_t second, float *out, Fault *fault) {
    REQUIRE(count > 0, "a text without tokens has no vector");
    if (!pooling_check(s->model, pooling, fault)) return false;
    const TextHead *h = &model_extras(s->model)->text_head;
    bool rank = pooling == POOLING_RANK, only = s->hidden_only;
    size_t dim = s->model->sizes.dim, rows = pooling == POOLING_NONE ? count : 1;
    session_rewind(s, 0, 0);
    s->hidden_only = true, s->extras->second = second;
    float *to = rank ? s->extras->pooled : out;
    bool ok = pool_rows(s, rank ? h->rank_row : pooling, tokens, count, to, fault);
    s->hidden_only = only, s->extras->second = 0;
    if (ok && rank) score_row(s, s->extras->pooled, out);
    for (size_t i = 0; ok && !rank && i < rows; i++) dense(s, out + i * dim);
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
