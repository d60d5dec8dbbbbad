/* attention.c - see attention.h.  A task is one key-value head of one sequence with the query
 * heads that share it, so that the gradients of K and V are summed by one thread in a fixed
 * order. Queries are taken in blocks of ROWS, so that keys beyond the block's last one are
 * never touched. */
#include "attention.h"

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

static size_t
scratch_each(size_t longest) { /* P and dP for a block of rows, and packing space */
    size_t product = matmul_scratch_floats(1, longest > 512 ? longest : 512);
    return 2 * ROWS * longest + (product + 15) / 16 * 16;
}

size_t attention_scratch_floats(int threads, size_t longest) {
    return (size_t)threads * scratch_each(longest);
}

/* One block of queries of one head: pointers to its first row and the keys' first row. */
typedef struct Block {
    size_t first, rows, length, keys; /* first query, queries, sequence length, keys in reach */
    size_t head;
    float *p, *dp, *packing;
} Block;

static float score_of(const AttentionShape *shape, float score, float slope, size_t query,
                      size_t key) {
    if (shape->softcap > 0) score = shape->softcap * tanhf(score / shape->softcap);
    if (shape->max_bias > 0) score -= slope * fabsf((float)query - (float)key);
    return score;
}

/* P (rows, keys): the probabilities of a block of queries. */
static void probabilities(const AttentionShape *shape, const Block *b, Matrix q, Matrix k) {
    matmul_packed(NULL, b->rows, b->keys, shape->head_dim, q, (Matrix){k.data, k.col, k.row},
                  b->p, b->keys, false, b->packing);
    float slope = shape->max_bias > 0 ? alibi_slope(b->head, shape->heads, shape->max_bias) : 0;
    for (size_t i = 0; i < b->rows; i++) {
        float *row = b->p + i * b->keys;
        Range seen = mask_range(shape->mask, b->first + i, b->length);
        for (size_t j = seen.begin; j < seen.end; j++)
            row[j] = score_of(shape, row[j] * shape->scale, slope, b->first + i, j);
        memset(row, 0, seen.begin * sizeof *row);
        softmax(row + seen.begin, row + seen.begin, seen.end - seen.begin);
        memset(row + seen.end, 0, (b->keys - seen.end) * sizeof *row);
    }
}

static Block block_at(const Task *t, int worker, size_t first, size_t length, size_t head) {
    Block b = {.first = first, .length = length, .head = head};
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
    size_t hd = s->head_dim, wide = s->heads * hd, narrow = s->kv_heads * hd,
           group = s->heads / s->kv_heads;
    for (size_t task = begin; task < end; task++) {
        size_t seq = task / s->kv_heads, kv_head = task % s->kv_heads,
               start = t->sequences.start[seq];
        size_t length = t->sequences.start[seq + 1] - start;
        Matrix k = {t->k + start * narrow + kv_head * hd, narrow, 1},
               v = {t->v + start * narrow + kv_head * hd, narrow, 1};
        for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++)
            for (size_t first = 0; first < length; first += ROWS) {
                Block b = block_at(t, worker, first, length, head);
                size_t at = (start + first) * wide + head * hd;
                probabilities(s, &b, (Matrix){t->q + at, wide, 1}, k);
                matmul_packed(NULL, b.rows, hd, b.keys, (Matrix){b.p, b.keys, 1}, v,
                              t->out + at, wide, false, b.packing);
            }
    }
}

/* dP in b->dp becomes dS in place. */
static void score_gradients(const Block *b, float scale) {
    for (size_t i = 0; i < b->rows; i++) {
        float *dp = b->dp + i * b->keys;
        softmax_backward(dp, b->p + i * b->keys, dp, b->keys);
        for (size_t j = 0; j < b->keys; j++) dp[j] *= scale;
    }
}

static void backward_block(const Task *t, const Block *b, size_t start, size_t kv_head) {
    const AttentionShape *s = t->shape;
    size_t hd = s->head_dim, wide = s->heads * hd, narrow = s->kv_heads * hd;
    size_t at = (start + b->first) * wide + b->head * hd, at_kv = start * narrow + kv_head * hd;
    Matrix q = {t->q + at, wide, 1}, k = {t->k + at_kv, narrow, 1},
           dout = {t->dout + at, wide, 1};
    Matrix v_turned = {t->v + at_kv, 1, narrow}, p_turned = {b->p, 1, b->keys},
           ds_turned = {b->dp, 1, b->keys};
    probabilities(s, b, q, k);
    matmul_packed(NULL, b->rows, b->keys, hd, dout, v_turned, b->dp, b->keys, false,
                  b->packing);
    matmul_packed(NULL, b->keys, hd, b->rows, p_turned, dout, t->dv + at_kv, narrow, true,
                  b->packing);
    score_gradients(b, s->scale);
    matmul_packed(NULL, b->rows, hd, b->keys, (Matrix){b->dp, b->keys, 1}, k, t->dq + at, wide,
                  false, b->packing);
    matmul_packed(NULL, b->keys, hd, b->rows, ds_turned, q, t->dk + at_kv, narrow, true,
                  b->packing);
}

static void backward_group(void *context, int worker, size_t begin, size_t end) {
    const Task *t = context;
    const AttentionShape *s = t->shape;
    size_t hd = s->head_dim, narrow = s->kv_heads * hd, group = s->heads / s->kv_heads;
    for (size_t task = begin; task < end; task++) {
        size_t seq = task / s->kv_heads, kv_head = task % s->kv_heads,
               start = t->sequences.start[seq];
        size_t length = t->sequences.start[seq + 1] - start;
        for (size_t i = start; i < start + length; i++) {
            memset(t->dk + i * narrow + kv_head * hd, 0, hd * sizeof *t->dk);
            memset(t->dv + i * narrow + kv_head * hd, 0, hd * sizeof *t->dv);
        }
        for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++)
            for (size_t first = 0; first < length; first += ROWS) {
                Block b = block_at(t, worker, first, length, head);
                backward_block(t, &b, start, kv_head);
            }
    }
}

void attention(Pool *pool, const AttentionShape *shape, Sequences sequences, const float *q,
               const float *k, const float *v, float *out, float *scratch) {
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
    REQUIRE(shape->softcap == 0, "soft-capped scores are not trained here");
    Task task = {
        shape, sequences, q, k, v, dout, NULL, dq, dk, dv, scratch, 0, longest_of(sequences)};
    task.scratch_each = scratch_each(task.longest);
    pool_for(pool, sequences.count * shape->kv_heads, 1, backward_group, &task);
}
