/* kv_store.c - the layout of a page.  See kv.h. */
#include "kv_pages.h"

#include <string.h>

/* Numbers of one head in a page: keys, then values in whole strips. */
static inline size_t head_numbers(const KvShape *shape) {
    return KV_PAGE * (shape->key_dim + round_up(shape->value_dim, STRIP));
}

size_t kv_head_bytes(Dtype dtype, const KvShape *shape) {
    return kv_has_blocks(dtype) ? kv_blocks_bytes(dtype, shape)
                                : dtype_row_bytes(dtype, head_numbers(shape));
}

double kv_bytes_moved(const KvCache *kv, size_t length) {
    double bytes = 0;
    for (size_t l = 0; l < kv->config.layers; l++) {
        const KvShape *s = &kv->shape[l];
        size_t seen = s->window ? min_size(length, s->window) : length,
               page = s->kv_heads * kv_head_bytes(kv->config.dtype, s);
        bytes += (double)(seen * page) / KV_PAGE + 2.0 * (double)(s->state * sizeof(float));
    }
    return bytes;
}

/* A head's first key in the page of a position. */
static char *head_bytes_at(const KvCache *kv, KvHead at, size_t position) {
    REQUIRE(position < kv->length[at.sequence], "position %zu of %zu", position,
            kv->length[at.sequence]);
    int32_t page = kv_table(kv, at.sequence, at.layer)[position / KV_PAGE];
    return (char *)page_bytes(&kv->pages, page) +
           at.head * head_numbers(&kv->shape[at.layer]) * kv->number_bytes;
}

void *kv_key(const KvCache *kv, KvHead at, size_t position) {
    size_t place = position % KV_PAGE, strip = place / STRIP * STRIP;
    return head_bytes_at(kv, at, position) +
           kv->number_bytes * (strip * kv->shape[at.layer].key_dim + place % STRIP);
}

void *kv_value(const KvCache *kv, KvHead at, size_t position) {
    size_t number = KV_PAGE * kv->shape[at.layer].key_dim + position % KV_PAGE * STRIP;
    return head_bytes_at(kv, at, position) + kv->number_bytes * number;
}

static void put(const KvCache *kv, void *numbers, size_t at, float x) {
    switch (kv->config.dtype) {
    case DTYPE_F16: ((uint16_t *)numbers)[at] = f16_from_f32(x); return;
    case DTYPE_BF16: ((uint16_t *)numbers)[at] = bf16_from_f32(x); return;
    default: ((float *)numbers)[at] = x;
    }
}

static float get(const KvCache *kv, const void *numbers, size_t at) {
    switch (kv->config.dtype) {
    case DTYPE_F16: return f16_to_f32(((const uint16_t *)numbers)[at]);
    case DTYPE_BF16: return bf16_to_f32(((const uint16_t *)numbers)[at]);
    default: return ((const float *)numbers)[at];
    }
}

void kv_read_key(const KvCache *kv, KvHead at, size_t position, float *key) {
    if (kv_has_blocks(kv->config.dtype)) {
        kv_blocks_read_key(kv, at, position, key);
        return;
    }
    const void *numbers = kv_key(kv, at, position);
    for (size_t i = 0; i < kv->shape[at.layer].key_dim; i++)
        key[i] = get(kv, numbers, STRIP * i);
}

void kv_write_key(KvCache *kv, KvHead at, size_t position, const float *key) {
    if (kv_has_blocks(kv->config.dtype)) {
        kv_blocks_write_key(kv, at, position, key);
        return;
    }
    void *numbers = kv_key(kv, at, position);
    for (size_t i = 0; i < kv->shape[at.layer].key_dim; i++)
        put(kv, numbers, STRIP * i, key[i]);
}

void kv_rotate(const KvCache *kv, float *x, size_t heads, size_t dim) {
    if (kv->config.hadamard) hadamard(x, heads * dim, hadamard_block(dim));
}

void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v) {
    const KvShape *s = &kv->shape[layer];
    if (kv_has_blocks(kv->config.dtype)) {
        kv_blocks_store(kv, layer, sequence, position, k, v);
        return;
    }
    for (size_t head = 0; head < s->kv_heads; head++, k += s->key_dim, v += s->value_dim) {
        const KvHead at = {layer, sequence, head};
        void *key = kv_key(kv, at, position), *value = kv_value(kv, at, position);
        for (size_t i = 0; i < s->key_dim; i++) put(kv, key, STRIP * i, k[i]);
        for (size_t i = 0; i < s->value_dim; i++)
            put(kv, value, i / STRIP * STRIP * KV_PAGE + i % STRIP, v[i]);
    }
}

void kv_query(const KvCache *kv, size_t layer, KvRows rows, KvQuery *query) {
    const size_t dim = kv->shape[layer].key_dim, blocks = div_up(dim, 32);
    query->rows = rows, query->blocks = blocks;
    if (kv->config.dtype != DTYPE_Q8_0) return;
    REQUIRE(rows.count <= KV_QUERIES && dim <= KV_BYTE_KEY, "%zu queries of %zu", rows.count,
            dim);
    for (size_t c = 0; c < rows.count; c++)
        quantize_bytes(rows.rows + c * rows.step, dim, query->q + c * 32 * blocks,
                       query->scale + c * blocks, query->sum + c * blocks);
}

void kv_scores(const KvCache *kv, KvHead at, KvSpan keys, const KvQuery *query, float *scores,
               size_t step) {
    const KvRows q = query->rows;
    const size_t dim = kv->shape[at.layer].key_dim;
    for (size_t c = 0; c < q.count; c++) memset(scores + c * step, 0, keys.n * sizeof *scores);
    if (kv_has_blocks(kv->config.dtype)) {
        kv_blocks_scores(kv, at, keys, query, scores, step);
        return;
    }
    weighted_sum(kv->strips, &(WeightedTask){.y = scores,
                                             .y_step = step,
                                             .a = q.rows,
                                             .a_step = q.step,
                                             .x = kv_key(kv, at, keys.first),
                                             .x_step = STRIP * dim,
                                             .count = q.count,
                                             .rows = dim,
                                             .n = keys.n});
}

void kv_mix(const KvCache *kv, KvHead at, KvSpan values, KvRows weights, float *out,
            size_t step) {
    if (kv_has_blocks(kv->config.dtype)) {
        kv_blocks_mix(kv, at, values, weights, out, step);
        return;
    }
    weighted_sum(kv->strips, &(WeightedTask){.y = out,
                                             .y_step = step,
                                             .a = weights.rows,
                                             .a_step = weights.step,
                                             .x = kv_value(kv, at, values.first),
                                             .x_step = STRIP * KV_PAGE,
                                             .count = weights.count,
                                             .rows = values.n,
                                             .n = kv->shape[at.layer].value_dim});
}
