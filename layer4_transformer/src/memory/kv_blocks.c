/* kv_blocks.c - keys and values in blocks of 32 numbers with one scale.  Read kv_store.c first.
 *
 * A block has the parts of the file format's (convert.h), but apart, so that loops over strips
 * of 16 read contiguous bytes.  One head of one page:
 *
 *     keys      (strips of positions, blocks, rows, 16)   row r: number r of 16 positions; in
 *                                                         Q4_0 also 16 + r, in the high bits
 *     values    (blocks, halves, KV_PAGE, 16)             a half: 16 numbers of a position; in
 *                                                         Q4_0 both halves share a byte
 *     scales    of keys (blocks, KV_PAGE), then of values, F16
 *
 * In Q8_0 queries and weights become integers, too, and bytes lie as weighted_bytes.h needs
 * them: four rows of keys side by side, two positions of values.
 *
 * Invariant: storing a position writes only its own bytes, so threads may store rows in
 * parallel. */
#include "kv_pages.h"

#include <string.h>

enum { BLOCK = 32, MAX_ROWS = KV_QUERIES };

/* Bytes of a block without its scale. */
static size_t block_width(const KvCache *kv) {
    return kv->config.dtype == DTYPE_Q8_0 ? BLOCK : BLOCK / 2;
}

size_t kv_blocks_bytes(Dtype dtype, const KvShape *shape) {
    size_t blocks = div_up(shape->key_dim, BLOCK) + div_up(shape->value_dim, BLOCK);
    return KV_PAGE * dtype_row_bytes(dtype, blocks * BLOCK);
}

/* One head in the page of a position. */
typedef struct Blocks {
    uint8_t *keys, *values;
    uint16_t *key_scales, *value_scales;
    size_t key_blocks, value_blocks, width;
    /* rows of keys, and positions of values, side by side: 4 and 2 in Q8_0, else 1 */
    size_t quad, pair;
} Blocks;

static Blocks blocks_at(const KvCache *kv, KvHead at, size_t position) {
    const KvShape *s = &kv->shape[at.layer];
    Blocks b = {.key_blocks = div_up(s->key_dim, BLOCK),
                .value_blocks = div_up(s->value_dim, BLOCK),
                .width = block_width(kv),
                .quad = kv->config.dtype == DTYPE_Q8_0 ? 4 : 1,
                .pair = kv->config.dtype == DTYPE_Q8_0 ? 2 : 1};
    b.keys = (uint8_t *)page_bytes(&kv->pages,
                                   kv_table(kv, at.sequence, at.layer)[position / KV_PAGE]) +
             at.head * kv_blocks_bytes(kv->config.dtype, s);
    b.values = b.keys + KV_PAGE * b.key_blocks * b.width;
    b.key_scales = (uint16_t *)(void *)(b.values + KV_PAGE * b.value_blocks * b.width);
    b.value_scales = b.key_scales + KV_PAGE * b.key_blocks;
    return b;
}

/* The strip of keys that contains `place`, from block i on. */
static uint8_t *key_strip(const Blocks *b, size_t place, size_t i) {
    return b->keys + (place / STRIP * b->key_blocks + i) * b->width * STRIP;
}

/* Byte r of block i of the key at `place`. */
static uint8_t *key_byte(const Blocks *b, size_t place, size_t i, size_t r) {
    return key_strip(b, place, i) + (r / b->quad * STRIP + place % STRIP) * b->quad +
           r % b->quad;
}

/* The first half of block i of the value at `place`. */
static uint8_t *value_half(const Blocks *b, size_t place, size_t i) {
    return b->values + i * b->width * KV_PAGE + place / b->pair * b->pair * STRIP +
           place % b->pair;
}

/* ------------------------------------------------------------------ writing */

/* A block as in the file format: the scale, then `width` bytes. */
typedef struct Stored {
    uint16_t scale;
    uint8_t bytes[BLOCK];
} Stored;

/* Numbers quantized at a time: whole blocks of the format and of the rotation. */
enum { PIECE = HADAMARD_MAX };

/* Quantize up to PIECE numbers of a vector of n from `at` on, rotated if stored so; zeros fill
 * the last block.  Returns the number of blocks. */
static size_t quantize_piece(const KvCache *kv, const float *x, size_t n, size_t at,
                             Stored stored[PIECE / BLOCK]) {
    float numbers[PIECE] = {0};
    const size_t count = min_size(n - at, PIECE), blocks = div_up(count, BLOCK);
    memcpy(numbers, x + at, count * sizeof *x);
    if (kv->config.hadamard) hadamard(numbers, count, hadamard_block(n));
    for (size_t i = 0; i < blocks; i++)
        quantize_row(kv->config.dtype, numbers + i * BLOCK, NULL, &stored[i], BLOCK);
    return blocks;
}

static void store_key(const KvCache *kv, const Blocks *b, size_t place, const float *k,
                      size_t n) {
    Stored stored[PIECE / BLOCK];
    for (size_t at = 0; at < n; at += PIECE) {
        size_t blocks = quantize_piece(kv, k, n, at, stored);
        for (size_t s = 0; s < blocks; s++) {
            for (size_t r = 0; r < b->width; r++)
                *key_byte(b, place, at / BLOCK + s, r) = stored[s].bytes[r];
            b->key_scales[(at / BLOCK + s) * KV_PAGE + place] = stored[s].scale;
        }
    }
}

static void store_value(const KvCache *kv, const Blocks *b, size_t place, const float *v,
                        size_t n) {
    Stored stored[PIECE / BLOCK];
    for (size_t at = 0; at < n; at += PIECE) {
        size_t blocks = quantize_piece(kv, v, n, at, stored);
        for (size_t s = 0; s < blocks; s++) {
            uint8_t *to = value_half(b, place, at / BLOCK + s);
            for (size_t r = 0; r < b->width; r++)
                to[r / STRIP * KV_PAGE * STRIP + r % STRIP * b->pair] = stored[s].bytes[r];
            b->value_scales[(at / BLOCK + s) * KV_PAGE + place] = stored[s].scale;
        }
    }
}

void kv_blocks_store(KvCache *kv, size_t layer, size_t sequence, size_t position,
                     const float *k, const float *v) {
    const KvShape *s = &kv->shape[layer];
    for (size_t head = 0; head < s->kv_heads; head++, k += s->key_dim, v += s->value_dim) {
        Blocks b = blocks_at(kv, (KvHead){layer, sequence, head}, position);
        store_key(kv, &b, position % KV_PAGE, k, s->key_dim);
        store_value(kv, &b, position % KV_PAGE, v, s->value_dim);
    }
}

void kv_blocks_write_key(KvCache *kv, KvHead at, size_t position, const float *key) {
    Blocks b = blocks_at(kv, at, position);
    store_key(kv, &b, position % KV_PAGE, key, kv->shape[at.layer].key_dim);
}

/* ------------------------------------------------------------------ reading */

/* Up to PIECE numbers of the key at `place` from `at` on, rotated back; returns how many. */
static size_t load_piece(const KvCache *kv, const Blocks *b, size_t place, size_t n, size_t at,
                         float numbers[PIECE]) {
    const size_t count = min_size(n - at, PIECE);
    for (size_t s = 0; s < div_up(count, BLOCK); s++) {
        Stored stored = {.scale = b->key_scales[(at / BLOCK + s) * KV_PAGE + place]};
        for (size_t r = 0; r < b->width; r++)
            stored.bytes[r] = *key_byte(b, place, at / BLOCK + s, r);
        dequantize_row(kv->config.dtype, &stored, numbers + s * BLOCK, BLOCK);
    }
    if (kv->config.hadamard) hadamard(numbers, count, hadamard_block(n));
    return count;
}

void kv_blocks_read_key(const KvCache *kv, KvHead at, size_t position, float *key) {
    const size_t n = kv->shape[at.layer].key_dim;
    const Blocks b = blocks_at(kv, at, position);
    float numbers[PIECE];
    for (size_t i = 0; i < n; i += PIECE) {
        size_t count = load_piece(kv, &b, position % KV_PAGE, n, i, numbers);
        memcpy(key + i, numbers, count * sizeof *key);
    }
}

/* n scales as floats; n is a multiple of STRIP. */
static void widen_scales(const uint16_t *scales, float *out, size_t n) {
    const float one = 1;
    memset(out, 0, n * sizeof *out);
    weighted_sum(STRIP_F16, &(WeightedTask){.y = out,
                                            .y_step = n,
                                            .a = &one,
                                            .a_step = 1,
                                            .x = scales,
                                            .x_step = STRIP,
                                            .count = 1,
                                            .rows = 1,
                                            .n = n});
}

/* ------------------------------------------------------------------ eight bits */

/* Scores of whole strips: block by block, an integer sum times both scales. */
static void byte_scores(const Blocks *b, KvSpan span, const KvQuery *query, float *scores,
                        size_t step) {
    for (size_t i = 0; i < b->key_blocks; i++)
        weighted_quads(&(WeightedBytes){.y = scores,
                                        .y_step = step,
                                        .a = query->q + i * BLOCK,
                                        .a_step = query->blocks * BLOCK,
                                        .a_scale = query->scale + i,
                                        .a_sum = query->sum + i,
                                        .scale_step = query->blocks,
                                        .x = (const int8_t *)key_strip(b, span.first, i),
                                        .x_step = b->key_blocks * BLOCK * STRIP,
                                        .x_scale = b->key_scales + i * KV_PAGE + span.first,
                                        .count = query->rows.count,
                                        .rows = BLOCK,
                                        .n = span.n});
}

/* Weights times a block's scales as 15-bit integers, with a unit for each row; the page's other
 * positions get 0. */
static void byte_weights(const Blocks *b, size_t block, KvSpan span, const KvRows *weights,
                         int16_t q[][KV_PAGE], float *unit) {
    const uint16_t *scale = b->value_scales + block * KV_PAGE + span.first;
    for (size_t c = 0; c < weights->count; c++) {
        if (span.n < KV_PAGE) memset(q[c], 0, sizeof q[c]);
        unit[c] = quantize_factors(weights->rows + c * weights->step, scale, span.n,
                                   q[c] + span.first);
    }
}

/* y (count, 32) += one block of the results. */
static void byte_block(const Blocks *b, size_t block, KvSpan span, const KvRows *weights,
                       float *y, size_t step) {
    int16_t q[MAX_ROWS][KV_PAGE];
    float unit[MAX_ROWS];
    byte_weights(b, block, span, weights, q, unit);
    weighted_pairs(&(WeightedBytes){.y = y,
                                    .y_step = step,
                                    .a = q,
                                    .a_step = KV_PAGE,
                                    .a_scale = unit,
                                    .scale_step = 1,
                                    .x = (const int8_t *)value_half(b, 0, block),
                                    .x_step = KV_PAGE * STRIP,
                                    .count = weights->count,
                                    .rows = KV_PAGE,
                                    .n = BLOCK});
}

/* Results of `dim` numbers; a last block of fewer than 32 goes through a buffer. */
static void byte_mix(const Blocks *b, size_t dim, KvSpan span, const KvRows *weights,
                     float *out, size_t step) {
    const size_t whole = dim / BLOCK, left = dim % BLOCK;
    float y[MAX_ROWS][BLOCK] = {{0}};
    for (size_t i = 0; i < whole; i++) byte_block(b, i, span, weights, out + i * BLOCK, step);
    if (left == 0) return;
    for (size_t c = 0; c < weights->count; c++)
        memcpy(y[c], out + c * step + whole * BLOCK, left * sizeof *out);
    byte_block(b, whole, span, weights, *y, BLOCK);
    for (size_t c = 0; c < weights->count; c++)
        memcpy(out + c * step + whole * BLOCK, y[c], left * sizeof *out);
}

/* ------------------------------------------------------------------ four bits */

/* Sums over the first n numbers of a block, for whole strips of positions. */
static void score_block(const Blocks *b, size_t block, KvSpan span, size_t n, const KvRows *q,
                        float part[][KV_PAGE]) {
    WeightedTask task = {.y = part[0],
                         .y_step = KV_PAGE,
                         .a = q->rows + block * BLOCK,
                         .a_step = q->step,
                         .x = key_strip(b, span.first, block),
                         .x_step = b->key_blocks * b->width * STRIP,
                         .count = q->count,
                         .rows = min_size(n, STRIP),
                         .n = span.n};
    weighted_sum(STRIP_LOW4, &task);
    if (n <= STRIP) return;
    task.a += STRIP, task.rows = n - STRIP;
    weighted_sum(STRIP_HIGH4, &task);
}

static void nibble_scores(const Blocks *b, size_t dim, KvSpan span, const KvRows *q,
                          float *scores, size_t step) {
    float part[MAX_ROWS][KV_PAGE], scale[KV_PAGE];
    for (size_t i = 0; i < b->key_blocks; i++) {
        memset(part, 0, q->count * sizeof *part);
        score_block(b, i, span, min_size(dim - i * BLOCK, BLOCK), q, part);
        widen_scales(b->key_scales + i * KV_PAGE + span.first, scale, span.n);
        for (size_t c = 0; c < q->count; c++)
            for (size_t j = 0; j < span.n; j++) scores[c * step + j] += scale[j] * part[c][j];
    }
}

/* Weights times a block's scales, for the positions of span. */
static void scale_weights(const Blocks *b, size_t block, KvSpan span, const KvRows *weights,
                          float scaled[][KV_PAGE]) {
    float scale[2 * KV_PAGE];
    const size_t from = span.first / STRIP * STRIP;
    widen_scales(b->value_scales + block * KV_PAGE + from, scale, KV_PAGE - from);
    for (size_t c = 0; c < weights->count; c++)
        for (size_t j = 0; j < span.n; j++)
            scaled[c][j] = weights->rows[c * weights->step + j] * scale[span.first - from + j];
}

static void nibble_mix(const Blocks *b, size_t dim, KvSpan span, const KvRows *weights,
                       float *out, size_t step) {
    float scaled[MAX_ROWS][KV_PAGE];
    for (size_t i = 0; i < b->value_blocks; i++) {
        size_t left = min_size(dim - i * BLOCK, BLOCK);
        WeightedTask task = {.y = out + i * BLOCK,
                             .y_step = step,
                             .a = scaled[0],
                             .a_step = KV_PAGE,
                             .x = value_half(b, span.first, i),
                             .count = weights->count,
                             .rows = span.n,
                             .n = min_size(left, STRIP)};
        scale_weights(b, i, span, weights, scaled);
        weighted_sum(STRIP_LOW4, &task);
        if (left <= STRIP) continue;
        task.y += STRIP, task.n = left - STRIP;
        weighted_sum(STRIP_HIGH4, &task);
    }
}

/* ------------------------------------------------------------------ both */

void kv_blocks_scores(const KvCache *kv, KvHead at, KvSpan keys, const KvQuery *query,
                      float *scores, size_t step) {
    const Blocks b = blocks_at(kv, at, keys.first);
    keys.first %= KV_PAGE;
    REQUIRE(query->rows.count <= MAX_ROWS, "%zu queries at once", query->rows.count);
    if (b.width == BLOCK)
        byte_scores(&b, keys, query, scores, step);
    else
        nibble_scores(&b, kv->shape[at.layer].key_dim, keys, &query->rows, scores, step);
}

void kv_blocks_mix(const KvCache *kv, KvHead at, KvSpan values, KvRows weights, float *out,
                   size_t step) {
    const Blocks b = blocks_at(kv, at, values.first);
    values.first %= KV_PAGE;
    REQUIRE(weights.count <= MAX_ROWS, "%zu rows of weights at once", weights.count);
    (b.width == BLOCK ? byte_mix : nibble_mix)(&b, kv->shape[at.layer].value_dim, values,
                                               &weights, out, step);
}
