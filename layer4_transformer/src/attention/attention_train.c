/* attention_train.c - see attention_train.h.  A task is one key-value head of one sequence with
 * its query heads, so that one thread sums its dK and dV in a fixed order.  Queries are taken
 * in tiles of ROWS; keys beyond a tile's last visible one are skipped. */
#include "attention_train.h"

#include <math.h>
#include <string.h>

enum { ROWS = 64 };

size_t sequences_longest(Sequences sequences) {
    size_t longest = 0;
    for (size_t s = 0; s < sequences.count; s++)
        longest = max_size(longest, sequences.start[s + 1] - sequences.start[s]);
    return longest;
}

/* P and dP for a tile of rows, and packing space. */
static size_t scratch_each(size_t longest) {
    return 2 * ROWS * longest + round_up(matmul_scratch_floats(1, max_size(longest, 512)), 16);
}

size_t attention_scratch_floats(int threads, size_t longest) {
    return (size_t)threads * scratch_each(longest);
}

/* One tile of queries of one head. */
typedef struct QueryTile {
    /* first query, queries, sequence length, visible keys */
    size_t first, rows, length, keys;
    size_t head;
    float *p, *dp, *packing;
} QueryTile;

/* P (rows, keys): the probabilities of a tile of queries. */
static void probabilities(const AttentionShape *shape, const QueryTile *b, Matrix q, Matrix k) {
    matmul_packed(NULL, b->rows, b->keys, shape->head_dim, q, (Matrix){k.data, k.col, k.row},
                  b->p, b->keys, false, b->packing);
    float slope = attention_slope(shape, b->head);
    for (size_t i = 0; i < b->rows; i++) {
        float *row = b->p + i * b->keys;
        Range seen = mask_range(shape->mask, b->first + i, b->length);
        for (size_t j = seen.begin; j < seen.end; j++)
            row[j] = attention_score(shape, row[j] * shape->scale, slope, b->first + i, j);
        memset(row, 0, seen.begin * sizeof *row);
        softmax(row + seen.begin, row + seen.begin, seen.end - seen.begin);
        memset(row + seen.end, 0, (b->keys - seen.end) * sizeof *row);
    }
}

static QueryTile tile_at(const AttentionTask *t, int worker, size_t first, size_t length,
                         size_t head) {
    size_t longest = sequences_longest(t->sequences);
    QueryTile b = {.first = first, .length = length, .head = head};
    b.rows = min_size(ROWS, length - first);
    b.keys = mask_range(t->shape->mask, first + b.rows - 1, length).end;
    b.p = t->scratch + (size_t)worker * scratch_each(longest);
    b.dp = b.p + ROWS * longest;
    b.packing = b.dp + ROWS * longest;
    return b;
}

/* Call a function for each tile of a task: one key-value head of one sequence. */
typedef void OnTile(const AttentionTask *t, const QueryTile *tile, size_t start,
                    size_t kv_head);

static void each_tile(const AttentionTask *t, int worker, size_t task, OnTile *on_tile) {
    size_t group = t->shape->heads / t->shape->kv_heads, kv_head = task % t->shape->kv_heads;
    const size_t *start = t->sequences.start + task / t->shape->kv_heads;
    for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++)
        for (size_t first = 0; first < start[1] - start[0]; first += ROWS) {
            QueryTile tile = tile_at(t, worker, first, start[1] - start[0], head);
            on_tile(t, &tile, start[0], kv_head);
        }
}

static void forward_tile(const AttentionTask *t, const QueryTile *b, size_t start,
                         size_t kv_head) {
    size_t hd = t->shape->head_dim, q_dim = t->shape->heads * hd,
           kv_dim = t->shape->kv_heads * hd, at = (start + b->first) * q_dim + b->head * hd,
           at_kv = start * kv_dim + kv_head * hd;
    Matrix q = {t->q + at, q_dim, 1}, k = {t->k + at_kv, kv_dim, 1},
           v = {t->v + at_kv, kv_dim, 1};
    probabilities(t->shape, b, q, k);
    matmul_packed(NULL, b->rows, hd, b->keys, (Matrix){b->p, b->keys, 1}, v, t->out + at, q_dim,
                  false, b->packing);
}

static void forward_group(void *context, int worker, size_t begin, size_t end) {
    for (; begin < end; begin++) each_tile(context, worker, begin, forward_tile);
}

/* dP in b->dp becomes dS in place. */
static void score_gradients(const QueryTile *b, float scale) {
    for (size_t i = 0; i < b->rows; i++) {
        float *dp = b->dp + i * b->keys;
        softmax_backward(dp, b->p + i * b->keys, dp, b->keys);
        for (size_t j = 0; j < b->keys; j++) dp[j] *= scale;
    }
}

/* Gradients of one tile: writes its rows of dQ, adds to dK and dV of its visible keys, to which
 * other tiles and heads add, too. */
static void backward_tile(const AttentionTask *t, const QueryTile *b, size_t start,
                          size_t kv_head) {
    const AttentionShape *s = t->shape;
    size_t hd = s->head_dim, q_dim = s->heads * hd, kv_dim = s->kv_heads * hd;
    size_t at = (start + b->first) * q_dim + b->head * hd,
           at_kv = start * kv_dim + kv_head * hd;
    Matrix q = {t->q + at, q_dim, 1}, k = {t->k + at_kv, kv_dim, 1},
           dout = {t->dout + at, q_dim, 1};
    Matrix v_t = {t->v + at_kv, 1, kv_dim}, p_t = {b->p, 1, b->keys},
           ds_t = {b->dp, 1, b->keys};
    probabilities(s, b, q, k);
    matmul_packed(NULL, b->rows, b->keys, hd, dout, v_t, b->dp, b->keys, false, b->packing);
    matmul_packed(NULL, b->keys, hd, b->rows, p_t, dout, t->dv + at_kv, kv_dim, true,
                  b->packing);
    score_gradients(b, s->scale);
    matmul_packed(NULL, b->rows, hd, b->keys, (Matrix){b->dp, b->keys, 1}, k, t->dq + at, q_dim,
                  false, b->packing);
    matmul_packed(NULL, b->keys, hd, b->rows, ds_t, q, t->dk + at_kv, kv_dim, true, b->packing);
}

static void backward_group(void *context, int worker, size_t begin, size_t end) {
    const AttentionTask *t = context;
    size_t heads = t->shape->kv_heads, hd = t->shape->head_dim;
    for (; begin < end; begin++) {
        const size_t *start = t->sequences.start + begin / heads;
        for (size_t i = start[0]; i < start[1]; i++) {
            memset(t->dk + (i * heads + begin % heads) * hd, 0, hd * sizeof *t->dk);
            memset(t->dv + (i * heads + begin % heads) * hd, 0, hd * sizeof *t->dv);
        }
        each_tile(t, worker, begin, backward_tile);
    }
}

/* Fields of AttentionShape that training supports. */
static void require_plain(const AttentionShape *s) {
    attention_require(s);
    REQUIRE(!s->sinks && !s->relative && !s->cross && !s->chosen,
            "training does not support sinks, relative, cross and chosen");
    REQUIRE(attention_value_dim(s) == s->head_dim,
            "training needs values as wide as keys, not of %zu", s->value_dim);
}

void attention_sequences(Pool *pool, const AttentionTask *task) {
    require_plain(task->shape);
    pool_for(pool, task->sequences.count * task->shape->kv_heads, 1, forward_group,
             (void *)task);
}

void attention_backward(Pool *pool, const AttentionTask *task) {
    require_plain(task->shape);
    REQUIRE(!(task->shape->softcap > 0), "training has no gradient of softcap");
    pool_for(pool, task->sequences.count * task->shape->kv_heads, 1, backward_group,
             (void *)task);
}
