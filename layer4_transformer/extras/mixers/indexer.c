/* indexer.c - see indexer.h. */
#include "indexer.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 4,          /* rows per task */
    GROUP = KV_QUERIES /* heads at once */
};

void indexer_sizes_include(IndexerSizes *s, const Indexer *x) {
    if (!x->heads) return;
    s->dim = max_size(s->dim, x->k.w.shape[1]);
    s->q_latent = max_size(s->q_latent, x->q.w.shape[1]);
    s->heads = max_size(s->heads, x->heads), s->width = max_size(s->width, x->width);
    s->rotary = max_size(s->rotary, x->rope.rotary);
}

void indexer_run_init(IndexerRun *run, Pool *pool, size_t rows, const IndexerSizes *s,
                      Arena *arena) {
    size_t f = sizeof(float), pages = s->ctx / KV_PAGE + 1;
    *run = (IndexerRun){.ctx = s->ctx, .pages = pages};
    if (!s->heads) return;
    run->q = arena_take(arena, rows * s->heads * s->width, f);
    run->k = arena_take(arena, rows * s->width, f);
    run->w = arena_take(arena, rows * s->heads, f);
    run->cosine = arena_take(arena, rows * (s->rotary / 2 + 1), f);
    run->sine = arena_take(arena, rows * (s->rotary / 2 + 1), f);
    run->scores = arena_take(arena, (size_t)pool_threads(pool) * s->ctx, f);
    run->chosen = arena_take(arena, rows * pages, sizeof *run->chosen);
    run->scratch =
        arena_take(arena, linear_scratch_bytes(rows, max_size(s->dim, s->q_latent)), 1);
}

/* ------------------------------------------------------------------ the largest scores */

/* Integers in the order of the floats; -0 equals 0. */
static uint32_t ordered(float x) {
    uint32_t bits;
    x += 0.0f;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

static size_t count_from(const float *scores, size_t n, uint32_t least) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ordered(scores[i]) >= least;
    return count;
}

void choose_top(const float *scores, size_t n, size_t top, uint64_t *chosen) {
    uint32_t least = 0;
    memset(chosen, 0, (n / 64 + 1) * sizeof *chosen);
    for (int bit = 31; bit >= 0 && top < n; bit--)
        if (count_from(scores, n, least | 1u << bit) >= top) least |= 1u << bit;
    size_t above = 0, equal = 0;
    for (size_t i = 0; i < n; i++) above += ordered(scores[i]) > least;
    for (size_t i = 0; i < n; i++) {
        uint32_t score = ordered(scores[i]);
        if (top >= n || score > least || (score == least && above + equal++ < top))
            chosen[i / 64] |= (uint64_t)1 << i % 64;
    }
}

/* ------------------------------------------------------------------ rows of a batch */

typedef struct Rows {
    const Indexer *x;
    const IndexerRun *run;
    KvCache *kv;
    const Batch *batch;
} Rows;

/* A PoolTask: norm the key, rotate key and queries, store the key. */
static void place_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Indexer *x = t->x;
    const size_t half = x->rope.rotary / 2;
    const float share = 1 / sqrtf((float)(x->heads * x->width));
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        size_t position = (size_t)t->batch->position[i];
        float *q = t->run->q + i * x->heads * x->width, *k = t->run->k + i * x->width,
              *w = t->run->w + i * x->heads, *cosine = t->run->cosine + i * half,
              *sine = t->run->sine + i * half;
        norm_apply(&x->k_norm, k, k, x->width);
        rope_angles(&x->rope, position, cosine, sine);
        rope_rotate(&x->rope, cosine, sine, k);
        for (size_t h = 0; h < x->heads; h++) {
            rope_rotate(&x->rope, cosine, sine, q + h * x->width);
            w[h] *= share;
        }
        kv_store(t->kv, x->layer, (size_t)t->batch->sequence[i], position, k, k);
        kv_rotate(t->kv, q, x->heads, x->width);
    }
}

/* Scores of n positions from the start of a page. */
static void score_page(const Rows *t, size_t row, size_t first, size_t n, float *scores) {
    const Indexer *x = t->x;
    const size_t whole = round_up(n, STRIP);
    const float *w = t->run->w + row * x->heads;
    float part[GROUP][KV_PAGE];
    KvQuery query;
    memset(scores, 0, n * sizeof *scores);
    for (size_t h = 0; h < x->heads; h += GROUP) {
        const size_t count = min_size(GROUP, x->heads - h);
        const float *q = t->run->q + (row * x->heads + h) * x->width;
        kv_query(t->kv, x->layer, (KvRows){q, x->width, count}, &query);
        kv_scores(t->kv, (KvHead){x->layer, (size_t)t->batch->sequence[row], 0},
                  (KvSpan){first, whole}, &query, *part, KV_PAGE);
        for (size_t c = 0; c < count; c++)
            for (size_t j = 0; j < n; j++) scores[j] += w[h + c] * fmaxf(part[c][j], 0);
    }
}

/* A PoolTask: the best positions of each row. */
static void choose_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    float *scores = t->run->scores + (size_t)worker * t->run->ctx;
    for (size_t i = begin; i < end; i++) {
        size_t n = (size_t)t->batch->position[i] + 1;
        for (size_t first = 0; first < n && n > t->x->top; first += KV_PAGE)
            score_page(t, i, first, min_size(KV_PAGE, n - first), scores + first);
        choose_top(scores, n, t->x->top, t->run->chosen + i * t->run->pages);
    }
}

void indexer_choose(Pool *pool, const Indexer *x, IndexerRun *run, KvCache *kv,
                    const Batch *batch, const float *rows, const float *latent) {
    const size_t n = batch->count;
    Rows task = {x, run, kv, batch};
    linear(pool, &x->q, latent, n, run->q, run->scratch);
    linear(pool, &x->k, rows, n, run->k, run->scratch);
    linear(pool, &x->weigh, rows, n, run->w, run->scratch);
    pool_for(pool, n, ROWS, place_rows, &task);
    pool_for(pool, n, 1, choose_rows, &task);
}
