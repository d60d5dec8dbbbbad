/* attention_train.c - see attention_train.h.  A task is one key-value head of one sequence with
 * its query heads, so that one thread sums its dK and dV in a fixed order.  Queries are taken
 * in tiles of ROWS; keys beyond a tile's last visible one are skipped. */
#include "attention_train.h"

#include <math.h>
#include <string.h>

enum { ROWS = 64 };

typedef struct Task {
    const AttentionShape *shape;
    Sequences sequences;
    const float *q, *k, *v, *dout;
    float *out, *dq, *dk, *dv;
    float *scratch;
    size_t scratch_each, longest;
} Task;

static size_t longest_of(Sequences sequences) {
    size_t longest = 0;
    for (size_t s = 0; s < sequences.count; s++) {
        size_t length = sequences.start[s + 1] - sequences.start[s];
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* P and dP for a tile of rows, and packing space. */
static size_t scratch_each(size_t longest) {
    size_t product = matmul_scratch_floats(1, longest > 512 ? longest : 512);
    return 2 * ROWS * longest + (product + 15) / 16 * 16;
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

static QueryTile tile_at(const Task *t, int worker, size_t first, size_t length, size_t head) {
    QueryTile b = {.first = first, .length = length, .head = head};
    b.rows = length - first < ROWS ? length - first : ROWS;
    b.keys = mask_range(t->shape->mask, first + b.rows - 1, length).end;
    b.p = t->scratch + (size_t)worker * t->scratch_each;
    b.dp = b.p + ROWS * t->longest;
    b.packing = b.dp + ROWS * t->longest;
    return b;
}

static void forward_group(void *context, int worker, size_t begin, size_t end) {
    const Task *t = context;
    const AttentionShape *s = t->shape;
    size_t hd = s->head_dim, q_dim = s->heads * hd, kv_dim = s->kv_heads * hd,
           group = s->heads / s->kv_heads;
    for (size_t task = begin; task < end; task++) {
        size_t seq = task / s->kv_heads, kv_head = task % s->kv_heads,
               start = t->sequences.start[seq];
        size_t length = t->sequences.start[seq + 1] - start;
        Matrix k = {t->k + start * kv_dim + kv_head * hd, kv_dim, 1},
               v = {t->v + start * kv_dim + kv_head * hd, kv_dim, 1};
        for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++)
            for (size_t first = 0; first < length; first += ROWS) {
                QueryTile b = tile_at(t, worker, first, length, head);
                size_t at = (start + first) * q_dim + head * hd;
                probabilities(s, &b, (Matrix){t->q + at, q_dim, 1}, k);
                matmul_packed(NULL, b.rows, hd, b.keys, (Matrix){b.p, b.keys, 1}, v,
                              t->out + at, q_dim, false, b.packing);
            }
    }
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
static void backward_tile(const Task *t, const QueryTile *b, size_t start, size_t kv_head) {
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
    const Task *t = context;
    const AttentionShape *s = t->shape;
    size_t hd = s->head_dim, kv_dim = s->kv_heads * hd, group = s->heads / s->kv_heads;
    for (size_t task = begin; task < end; task++) {
        size_t seq = task / s->kv_heads, kv_head = task % s->kv_heads,
               start = t->sequences.start[seq];
        size_t length = t->sequences.start[seq + 1] - start;
        for (size_t i = start; i < start + length; i++) {
            memset(t->dk + i * kv_dim + kv_head * hd, 0, hd * sizeof *t->dk);
            memset(t->dv + i * kv_dim + kv_head * hd, 0, hd * sizeof *t->dv);
        }
        for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++)
            for (size_t first = 0; first < length; first += ROWS) {
                QueryTile b = tile_at(t, worker, first, length, head);
                backward_tile(t, &b, start, kv_head);
            }
    }
}

/* Fields of AttentionShape without gradients here. */
static void require_plain(const AttentionShape *s) {
    REQUIRE(!s->sinks && !s->relative && !s->cross && !s->chosen,
            "training does not support sinks, relative, cross and chosen");
    REQUIRE(attention_value_dim(s) == s->head_dim,
            "training needs values as wide as keys, not of %zu", s->value_dim);
}

void attention_sequences(Pool *pool, const AttentionShape *shape, Sequences sequences,
                         const float *q, const float *k, const float *v, float *out,
                         float *scratch) {
    require_plain(shape);
    Task task = {.shape = shape,
                 .sequences = sequences,
                 .q = q,
                 .k = k,
                 .v = v,
                 .out = out,
                 .scratch = scratch};
    task.longest = longest_of(sequences);
    task.scratch_each = scratch_each(task.longest);
    pool_for(pool, sequences.count * shape->kv_heads, 1, forward_group, &task);
}

void attention_backward(Pool *pool, const AttentionShape *shape, Sequences sequences,
                        const float *q, const float *k, const float *v, const float *dout,
                        float *dq, float *dk, float *dv, float *scratch) {
    require_plain(shape);
    REQUIRE(shape->softcap == 0, "attention_backward does not support softcap");
    Task task = {
        shape, sequences, q, k, v, dout, NULL, dq, dk, dv, scratch, 0, longest_of(sequences)};
    task.scratch_each = scratch_each(task.longest);
    pool_for(pool, sequences.count * shape->kv_heads, 1, backward_group, &task);
}
