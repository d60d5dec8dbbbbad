/* attention_online.c - see attention_online.h.  A task is one query with one key-value head and
 * the query heads that share it, so that each key is loaded once; they are split only when
 * there are more threads than tasks. */
#include "attention_online.h"

#include <math.h>
#include <string.h>

enum { GROUP = KV_QUERIES }; /* max query heads of a task */
_Static_assert(KV_PAGE == 64, "a word of AttentionShape.chosen is a page");

typedef struct Online {
    const AttentionShape *shape;
    const KvCache *kv;
    size_t layer;
    size_t together; /* max query heads of a task */
    const Batch *batch;
    float *q, *out;
} Online;

/* A task: the query heads head .. head + heads - 1 of a row, which share a key-value head. */
typedef struct QueryGroup {
    size_t row, head, heads, kv_head;
} QueryGroup;

/* The online softmax of one head so far. */
typedef struct OnlineSoftmax {
    float max, sum;
} OnlineSoftmax;

/* Turn n scores into weights.  A larger maximum rescales the sums so far; NaN reaches the
 * result. */
static void online_softmax_update(OnlineSoftmax *run, float *acc, size_t value_dim,
                                  float *scores, size_t n) {
    float max = vector_max(scores, n);
    if (max > run->max || isnan(max)) {
        float shrink = expf(run->max - max);
        run->sum *= shrink;
        for (size_t i = 0; i < value_dim; i++) acc[i] *= shrink;
        run->max = max;
    }
    vector_exp(scores, scores, run->max, n);
    run->sum += vector_sum(scores, n);
}

/* Scores of a span at their offsets in the page, for each head of a group.  Whole strips are
 * computed; scores outside the span are ignored. */
static void score_keys(const Online *t, const QueryGroup *g, KvHead at, KvSpan span,
                       const KvQuery *query, float (*scores)[KV_PAGE]) {
    const AttentionShape *s = t->shape;
    const size_t begin = span.first % KV_PAGE, from = begin / STRIP * STRIP,
                 to = round_up(begin + span.n, STRIP),
                 position = (size_t)t->batch->position[g->row];
    kv_scores(t->kv, at, (KvSpan){span.first - begin + from, to - from}, query, *scores + from,
              KV_PAGE);
    for (size_t h = 0; h < g->heads; h++) {
        float *score = scores[h] + begin;
        for (size_t j = from; j < to; j++) scores[h][j] *= s->scale;
        if (s->softcap > 0 || s->max_bias > 0) {
            float slope = attention_slope(s, g->head + h);
            for (size_t j = 0; j < span.n; j++)
                score[j] = attention_score(s, score[j], slope, position, span.first + j);
        }
        if (s->relative)
            relative_add(s->relative, g->head + h, position, span.first, span.n, score);
    }
}

/* The chosen ones of a span: bit 0 is its first position. */
static uint64_t chosen_of(const AttentionShape *s, size_t row, KvSpan span) {
    REQUIRE(span.first / 64 < s->chosen_words, "no word for position %zu", span.first);
    uint64_t all = span.n < 64 ? ((uint64_t)1 << span.n) - 1 : ~(uint64_t)0;
    return s->chosen[row * s->chosen_words + span.first / 64] >> span.first % 64 & all;
}

static void one_page(const Online *t, const QueryGroup *g, const KvQuery *query, KvSpan span,
                     OnlineSoftmax *run, float *out) {
    const AttentionShape *s = t->shape;
    const KvHead at = {t->layer, (size_t)t->batch->sequence[g->row], g->kv_head};
    const uint64_t chosen = s->chosen ? chosen_of(s, g->row, span) : 1;
    float scores[GROUP][KV_PAGE];
    if (!chosen) return;
    size_t begin = span.first % KV_PAGE, vd = attention_value_dim(s);
    score_keys(t, g, at, span, query, scores);
    for (size_t h = 0; h < g->heads; h++) {
        for (size_t j = 0; s->chosen && j < span.n; j++)
            if (!(chosen >> j & 1)) scores[h][begin + j] = -INFINITY;
        online_softmax_update(&run[h], out + h * vd, vd, scores[h] + begin, span.n);
    }
    kv_mix(t->kv, at, span, (KvRows){*scores + begin, KV_PAGE, g->heads}, out, vd);
}

Range attention_range(const AttentionShape *s, const KvCache *kv, size_t sequence,
                      size_t position) {
    size_t source = kv->source[sequence];
    REQUIRE(!s->cross || source, "cross attention to a sequence without a source");
    if (s->cross) return (Range){0, source};
    if (position < source) return mask_range(s->mask, position, source);
    Range seen = mask_range(s->mask, position - source, kv->length[sequence] - source);
    seen.begin += source, seen.end += source;
    for (const size_t(*g)[3] = kv->groups; g < kv->groups + kv->n_groups; g++)
        if ((*g)[0] == sequence && position >= (*g)[1] && position < (*g)[2])
            seen.end = (*g)[2];
    return seen;
}

/* A task: its pages in order, from the mask's first position to its last; then divide each
 * result (value_dim) by its sum. */
static void one_query(const Online *t, const QueryGroup *g) {
    const AttentionShape *s = t->shape;
    size_t vd = attention_value_dim(s), sequence = (size_t)t->batch->sequence[g->row];
    float *out = t->out + (g->row * s->heads + g->head) * vd;
    const float *q = t->q + (g->row * s->heads + g->head) * s->head_dim;
    OnlineSoftmax run[GROUP];
    KvQuery query;
    kv_query(t->kv, t->layer, (KvRows){q, s->head_dim, g->heads}, &query);
    for (size_t h = 0; h < g->heads; h++) /* a sink is a first score without a value */
        run[h] = s->sinks ? (OnlineSoftmax){s->sinks[g->head + h], 1}
                          : (OnlineSoftmax){-INFINITY, 0};
    memset(out, 0, g->heads * vd * sizeof *out);
    Range seen = attention_range(s, t->kv, sequence, (size_t)t->batch->position[g->row]);
    for (size_t first = seen.begin; first < seen.end;) {
        size_t end = min_size((first / KV_PAGE + 1) * KV_PAGE, seen.end);
        one_page(t, g, &query, (KvSpan){first, end - first}, run, out);
        first = end;
    }
    for (size_t h = 0; h < g->heads; h++)
        for (size_t i = 0; i < vd; i++) out[h * vd + i] /= run[h].sum;
}

static void attend_tasks(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Online *t = context;
    const AttentionShape *s = t->shape;
    size_t group = s->heads / s->kv_heads, parts = div_up(group, t->together),
           vd = attention_value_dim(s);
    for (size_t task = begin; task < end; task++) {
        size_t pair = task / parts, h = task % parts * t->together;
        QueryGroup g = {.row = pair / s->kv_heads, .kv_head = pair % s->kv_heads};
        g.head = g.kv_head * group + h;
        g.heads = min_size(group - h, t->together);
        size_t at = g.row * s->heads + g.head;
        bool rotated = t->kv->config.hadamard;
        if (rotated) kv_rotate(t->kv, t->q + at * s->head_dim, g.heads, s->head_dim);
        one_query(t, &g);
        if (rotated) kv_rotate(t->kv, t->out + at * vd, g.heads, vd);
    }
}

void attention_online(Pool *pool, const AttentionShape *shape, const KvCache *kv, size_t layer,
                      const Batch *batch, float *q, float *out) {
    PROFILE("attention");
    const KvShape *kept = &kv->shape[layer];
    attention_require(shape);
    REQUIRE(kept->kv_heads == shape->kv_heads && kept->key_dim == shape->head_dim &&
                kept->value_dim == attention_value_dim(shape) &&
                (!kept->window || (shape->mask.window && shape->mask.window <= kept->window)),
            "the cache's layer %zu has other heads, or a shorter window", layer);
    size_t group = shape->heads / shape->kv_heads, pairs = batch->count * shape->kv_heads,
           together = min_size(group, GROUP);
    while (together > 1 && pairs * div_up(group, together) < (size_t)pool_threads(pool))
        together = div_up(together, 2); /* keep all threads busy */
    Online task = {shape, kv, layer, together, batch, q, out};
    pool_for(pool, pairs * div_up(group, together), 1, attend_tasks, &task);
}
