/* attention_online.c - see attention_online.h.  A task is one query with one key-value head and
 * the query heads that share it, so that each key is loaded once; they are split only when
 * there are more threads than tasks. */
#include "attention_online.h"

#include <math.h>
#include <string.h>

enum { GROUP = KV_QUERIES }; /* max query heads of a task */
_Static_assert(KV_PAGE == 64, "a word of AttentionShape.chosen is a page");

static size_t parts_of(size_t group, size_t together) {
    return (group + together - 1) / together;
}

typedef struct Online {
    const AttentionShape *shape;
    const KvCache *kv;
    size_t layer;
    size_t together; /* query heads of a task */
    const int32_t *sequence, *position;
    float *q, *out;
} Online;

/* The online softmax of one head so far. */
typedef struct Running {
    float max, sum;
} Running;

static void finish_scores(const AttentionShape *s, float *scores, size_t n, size_t head,
                          size_t query, size_t first) {
    float slope = attention_slope(s, head);
    bool adjusted = s->softcap != 0 || slope != 0;
    for (size_t j = 0; adjusted && j < n; j++)
        scores[j] = attention_score(s, scores[j], slope, query, first + j);
    if (s->relative) relative_add(s->relative, head, query, first, n, scores);
}

/* Turn n scores into weights.  A larger maximum rescales the sums so far; NaN reaches the
 * result. */
static void online_softmax_update(Running *run, float *mean, size_t value_dim, float *scores,
                                  size_t n) {
    float max = vector_max(scores, n);
    if (max > run->max || isnan(max)) {
        float shrink = expf(run->max - max);
        run->sum *= shrink;
        for (size_t i = 0; i < value_dim; i++) mean[i] *= shrink;
        run->max = max;
    }
    vector_exp(scores, scores, run->max, n);
    run->sum += vector_sum(scores, n);
}

/* Scores of n positions from `first` on, at their offsets in the page, for a task's queries.
 * Whole strips are computed; scores outside the range are ignored. */
static void score_keys(const Online *t, size_t sequence, size_t kv_head, size_t first, size_t n,
                       const KvQuery *query, float (*scores)[KV_PAGE]) {
    const AttentionShape *s = t->shape;
    const size_t begin = first % KV_PAGE, from = begin / STRIP * STRIP,
                 to = (begin + n + STRIP - 1) / STRIP * STRIP;
    const float scale = s->scale;
    kv_scores(t->kv, t->layer, sequence, kv_head, first - begin + from, to - from, query,
              *scores + from, KV_PAGE);
    for (size_t h = 0; h < query->rows.count; h++)
        for (size_t j = from; j < to; j++) scores[h][j] *= scale;
}

/* The chosen ones of n positions from `first` on, within a page: bit 0 is the first. */
static uint64_t chosen_of(const AttentionShape *s, size_t row, size_t first, size_t n) {
    uint64_t all = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    if (!s->chosen) return all;
    return s->chosen[row * s->chosen_words + first / 64] >> first % 64 & all;
}

/* Positions first .. first + n - 1, within a page, for the query heads from `head` on. */
static void one_page(const Online *t, size_t row, size_t head, const KvQuery *query,
                     size_t kv_head, size_t first, size_t n, Running *run, float *out) {
    const AttentionShape *s = t->shape;
    const uint64_t chosen = chosen_of(s, row, first, n);
    float scores[GROUP][KV_PAGE];
    if (!chosen) return;
    size_t sequence = (size_t)t->sequence[row], begin = first % KV_PAGE,
           heads = query->rows.count, vd = attention_value_dim(s);
    score_keys(t, sequence, kv_head, first, n, query, scores);
    for (size_t h = 0; h < heads; h++) {
        finish_scores(s, scores[h] + begin, n, head + h, (size_t)t->position[row], first);
        for (size_t j = 0; s->chosen && j < n; j++)
            if (!(chosen >> j & 1)) scores[h][begin + j] = -INFINITY;
        online_softmax_update(&run[h], out + h * vd, vd, scores[h] + begin, n);
    }
    kv_mix(t->kv, t->layer, sequence, kv_head, first, n,
           (KvRows){*scores + begin, KV_PAGE, heads}, out, vd);
}

/* A sink is a first score without a value. */
static void begin_running(const AttentionShape *s, size_t head, size_t heads, Running *run) {
    for (size_t h = 0; h < heads; h++)
        run[h] = s->sinks ? (Running){s->sinks[head + h], 1} : (Running){-INFINITY, 0};
}

Range attention_range(const AttentionShape *s, const KvCache *kv, size_t sequence,
                      size_t position) {
    size_t source = kv->source[sequence];
    if (s->cross) return (Range){0, source};
    if (position < source) return mask_range(s->mask, position, source);
    Range seen = mask_range(s->mask, position - source, kv->length[sequence] - source);
    return (Range){seen.begin + source, seen.end + source};
}

/* One query, `heads` of its heads from `head` on: begin_running, then the pages in order, from
 * the mask's first position to its last; then divide each result (value_dim) by its sum. */
static void one_query(const Online *t, size_t row, size_t head, size_t heads, size_t kv_head) {
    const AttentionShape *s = t->shape;
    size_t vd = attention_value_dim(s);
    float *out = t->out + (row * s->heads + head) * vd;
    const float *q = t->q + (row * s->heads + head) * s->head_dim;
    Running run[GROUP];
    KvQuery query;
    kv_query(t->kv, t->layer, (KvRows){q, s->head_dim, heads}, &query);
    begin_running(s, head, heads, run);
    memset(out, 0, heads * vd * sizeof *out);
    Range seen = attention_range(s, t->kv, (size_t)t->sequence[row], (size_t)t->position[row]);
    for (size_t first = seen.begin; first < seen.end;) {
        size_t end = (first / KV_PAGE + 1) * KV_PAGE;
        if (end > seen.end) end = seen.end;
        one_page(t, row, head, &query, kv_head, first, end - first, run, out);
        first = end;
    }
    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < vd; i++) out[h * vd + i] /= run[h].sum;
}

static void queries(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Online *t = context;
    size_t group = t->shape->heads / t->shape->kv_heads, parts = parts_of(group, t->together),
           hd = t->shape->head_dim, vd = attention_value_dim(t->shape);
    for (size_t task = begin; task < end; task++) {
        size_t row = task / parts / t->shape->kv_heads,
               kv_head = task / parts % t->shape->kv_heads, h = task % parts * t->together;
        size_t head = kv_head * group + h,
               heads = group - h < t->together ? group - h : t->together;
        kv_rotate(t->kv, t->q + (row * t->shape->heads + head) * hd, heads, hd);
        one_query(t, row, head, heads, kv_head);
        kv_rotate(t->kv, t->out + (row * t->shape->heads + head) * vd, heads, vd);
    }
}

void attention_online(Pool *pool, const AttentionShape *shape, const KvCache *kv, size_t layer,
                      size_t count, const int32_t *sequence, const int32_t *position, float *q,
                      float *out) {
    PROFILE("attention");
    size_t group = shape->heads / shape->kv_heads, pairs = count * shape->kv_heads,
           together = group < GROUP ? group : GROUP;
    while (together > 1 && pairs * parts_of(group, together) < (size_t)pool_threads(pool))
        together = (together + 1) / 2; /* keep all threads busy */
    Online task = {shape, kv, layer, together, sequence, position, q, out};
    pool_for(pool, pairs * parts_of(group, together), 1, queries, &task);
}
