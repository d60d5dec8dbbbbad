/* kv_blocks.c - keys and values in blocks of 32 numbers that share a scale.  Read kv_store.c first.
 *
 * A block is what the file format has (convert.h), but its parts lie apart, so that loops over
 * strips of 16 find what they need side by side.  Of one head in one page:
 *
 *     keys      (strips of positions, blocks, rows, 16)   bytes; row r holds number r of 16 positions, and with four
 *                                                         bits number 16 + r, too
 *     values    (blocks, halves, KV_PAGE, 16)             bytes; a half holds 16 numbers of a position, and with four
 *                                                         bits both halves are one
 *     scales    of keys (blocks, KV_PAGE), then of values, F16
 *
 * Invariant: what a position writes are its own bytes and no other's: rows of a batch are stored side by side by
 * several threads. */
#include "kv_pages.h"

#include <string.h>

enum { BLOCK = 32, MOST_ROWS = 16 /* queries at once */ };

static size_t blocks_of(size_t numbers) { return (numbers + BLOCK - 1) / BLOCK; }

/* Bytes of a block without its scale. */
static size_t block_width(const KvCache *kv) {
    return kv->config.dtype == DTYPE_Q8_0 ? BLOCK : BLOCK / 2;
}

bool kv_has_blocks(Dtype dtype) { return dtype == DTYPE_Q8_0 || dtype == DTYPE_Q4_0; }

size_t kv_blocks_bytes(Dtype dtype, const KvShape *shape) {
    size_t blocks = blocks_of(shape->key_dim) + blocks_of(shape->value_dim);
    return KV_PAGE * dtype_row_bytes(dtype, blocks * BLOCK);
}

/* The parts of a head in the page of a position. */
typedef struct Blocks {
    uint8_t *keys, *values;
    uint16_t *key_scales, *value_scales;
    size_t key_blocks, value_blocks, width;
} Blocks;

static Blocks blocks_at(const KvCache *kv, size_t layer, size_t sequence, size_t head,
                        size_t position) {
    const KvShape *s = &kv->shape[layer];
    Blocks b = {.key_blocks = blocks_of(s->key_dim),
                .value_blocks = blocks_of(s->value_dim),
                .width = block_width(kv)};
    b.keys =
        (uint8_t *)page_bytes(&kv->pages, kv_table(kv, sequence, layer)[position / KV_PAGE]) +
        head * kv_blocks_bytes(kv->config.dtype, s);
    b.values = b.keys + KV_PAGE * b.key_blocks * b.width;
    b.key_scales = (uint16_t *)(void *)(b.values + KV_PAGE * b.value_blocks * b.width);
    b.value_scales = b.key_scales + KV_PAGE * b.key_blocks;
    return b;
}

/* The strip of keys that `place` lies in, from block i on. */
static uint8_t *key_strip(const Blocks *b, size_t place, size_t i) {
    return b->keys + (place / STRIP * b->key_blocks + i) * b->width * STRIP;
}

/* The first half of block i of the value at `place`. */
static uint8_t *value_half(const Blocks *b, size_t place, size_t i) {
    return b->values + i * b->width * KV_PAGE + place * STRIP;
}

/* ------------------------------------------------------------------ writing */

/* A block as the file format has it: the scale, then `width` bytes. */
typedef struct Stored {
    uint16_t scale;
    uint8_t bytes[BLOCK];
} Stored;

/* What is quantized at once: whole blocks, and whole blocks of the rotation. */
enum { PIECE = HADAMARD_MOST };

/* Numbers from `at` on of a vector of n, rotated where they are kept so, as blocks; the last block is filled up with
 * zeros.  Returns how many blocks. */
static size_t quantize_piece(const KvCache *kv, const float *x, size_t n, size_t at,
                             Stored stored[PIECE / BLOCK]) {
    float numbers[PIECE] = {0};
    const size_t count = min_size(n - at, PIECE), blocks = blocks_of(count);
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
            uint8_t *to = key_strip(b, place, at / BLOCK + s) + place % STRIP;
            for (size_t r = 0; r < b->width; r++) to[STRIP * r] = stored[s].bytes[r];
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
            for (size_t half = 0; half * STRIP < b->width; half++)
                memcpy(to + half * KV_PAGE * STRIP, stored[s].bytes + half * STRIP, STRIP);
            b->value_scales[(at / BLOCK + s) * KV_PAGE + place] = stored[s].scale;
        }
    }
}

void kv_blocks_store(KvCache *kv, size_t layer, size_t sequence, size_t position,
                     const float *k, const float *v) {
    const KvShape *s = &kv->shape[layer];
    for (size_t head = 0; head < s->kv_heads; head++, k += s->key_dim, v += s->value_dim) {
        Blocks b = blocks_at(kv, layer, sequence, head, position);
        store_key(kv, &b, position % KV_PAGE, k, s->key_dim);
        store_value(kv, &b, position % KV_PAGE, v, s->value_dim);
    }
}

void kv_blocks_write_key(KvCache *kv, size_t layer, size_t sequence, size_t head,
                         size_t position, const float *key) {
    Blocks b = blocks_at(kv, layer, sequence, head, position);
    store_key(kv, &b, position % KV_PAGE, key, kv->shape[layer].key_dim);
}

/* ------------------------------------------------------------------ reading */

/* Numbers from `at` on of the key at `place`, as many as are rotated at once; returns how many. */
static size_t load_piece(const KvCache *kv, const Blocks *b, size_t place, size_t n, size_t at,
                         float numbers[PIECE]) {
    const size_t count = min_size(n - at, PIECE);
    for (size_t s = 0; s < blocks_of(count); s++) {
        const uint8_t *from = key_strip(b, place, at / BLOCK + s) + place % STRIP;
        Stored stored = {.scale = b->key_scales[(at / BLOCK + s) * KV_PAGE + place]};
        for (size_t r = 0; r < b->width; r++) stored.bytes[r] = from[STRIP * r];
        dequantize_row(kv->config.dtype, &stored, numbers + s * BLOCK, BLOCK);
    }
    if (kv->config.hadamard) hadamard(numbers, count, hadamard_block(n));
    return count;
}

void kv_blocks_read_key(const KvCache *kv, size_t layer, size_t sequence, size_t head,
                        size_t position, float *key) {
    const size_t n = kv->shape[layer].key_dim;
    const Blocks b = blocks_at(kv, layer, sequence, head, position);
    float numbers[PIECE];
    for (size_t at = 0; at < n; at += PIECE) {
        size_t count = load_piece(kv, &b, position % KV_PAGE, n, at, numbers);
        memcpy(key + at, numbers, count * sizeof *key);
    }
}

/* n scales as floats; n is a multiple of STRIP. */
static void widen(const uint16_t *scales, float *out, size_t n) {
    const float one = 1;
    memset(out, 0, n * sizeof *out);
    weighted_sum(STRIP_F16, out, n, &one, 1, 1, scales, STRIP, 1, n);
}

/* Sums over the numbers of a block, n of the 32, for whole strips of positions. */
static void score_block(const Blocks *b, size_t block, KvSpan span, size_t n, const KvRows *q,
                        float part[][KV_PAGE]) {
    const size_t step = b->key_blocks * b->width * STRIP, low = n < STRIP ? n : STRIP;
    const uint8_t *x = key_strip(b, span.place, block);
    const float *a = q->rows + block * BLOCK;
    if (b->width == BLOCK) {
        weighted_sum(STRIP_I8, part[0], KV_PAGE, a, q->step, q->count, x, step, n, span.n);
        return;
    }
    weighted_sum(STRIP_LOW4, part[0], KV_PAGE, a, q->step, q->count, x, step, low, span.n);
    if (n > low)
        weighted_sum(STRIP_HIGH4, part[0], KV_PAGE, a + STRIP, q->step, q->count, x, step,
                     n - low, span.n);
}

void kv_blocks_scores(const KvCache *kv, size_t layer, size_t sequence, size_t head,
                      size_t first, size_t n, KvRows q, float *scores, size_t step) {
    const size_t dim = kv->shape[layer].key_dim;
    const Blocks b = blocks_at(kv, layer, sequence, head, first);
    const KvSpan span = {first % KV_PAGE, n};
    float part[MOST_ROWS][KV_PAGE], scale[KV_PAGE];
    REQUIRE(q.count <= MOST_ROWS, "%zu queries at once", q.count);
    for (size_t i = 0; i < b.key_blocks; i++) {
        size_t left = dim - i * BLOCK;
        memset(part, 0, q.count * sizeof *part);
        score_block(&b, i, span, left < BLOCK ? left : BLOCK, &q, part);
        widen(b.key_scales + i * KV_PAGE + span.place, scale, n);
        for (size_t c = 0; c < q.count; c++)
            for (size_t j = 0; j < n; j++) scores[c * step + j] += scale[j] * part[c][j];
    }
}

/* Weights times the scales of a block, for n positions from `place` on. */
static void scale_weights(const Blocks *b, size_t block, KvSpan span, const KvRows *weights,
                          float scaled[][KV_PAGE]) {
    float scale[2 * KV_PAGE];
    const size_t from = span.place / STRIP * STRIP;
    widen(b->value_scales + block * KV_PAGE + from, scale, KV_PAGE - from);
    for (size_t c = 0; c < weights->count; c++)
        for (size_t j = 0; j < span.n; j++)
            scaled[c][j] = weights->rows[c * weights->step + j] * scale[span.place - from + j];
}

void kv_blocks_mix(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t first,
                   size_t n, KvRows weights, float *out, size_t step) {
    const size_t dim = kv->shape[layer].value_dim, count = weights.count;
    const Blocks b = blocks_at(kv, layer, sequence, head, first);
    const KvSpan span = {first % KV_PAGE, n};
    float scaled[MOST_ROWS][KV_PAGE];
    REQUIRE(count <= MOST_ROWS, "%zu rows of weights at once", count);
    for (size_t i = 0; i < b.value_blocks; i++) {
        size_t left = dim - i * BLOCK, all = left < BLOCK ? left : BLOCK,
               low = all < STRIP ? all : STRIP;
        const uint8_t *x = value_half(&b, span.place, i);
        float *y = out + i * BLOCK;
        scale_weights(&b, i, span, &weights, scaled);
        if (b.width == BLOCK) {
            weighted_sum(STRIP_I8, y, step, scaled[0], KV_PAGE, count, x, KV_PAGE * STRIP, n,
                         all);
            continue;
        }
        weighted_sum(STRIP_LOW4, y, step, scaled[0], KV_PAGE, count, x, 0, n, low);
        if (all > low)
            weighted_sum(STRIP_HIGH4, y + STRIP, step, scaled[0], KV_PAGE, count, x, 0, n,
                         all - low);
    }
}
