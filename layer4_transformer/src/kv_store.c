/* kv_store.c - what lies in a page, and where.  See kv.h. */
#include "kv_pages.h"

size_t kv_head_numbers(const KvShape *shape) {
    return KV_PAGE * (shape->key_dim + (shape->value_dim + STRIP - 1) / STRIP * STRIP);
}

/* The first key of a head in the page of a position. */
static size_t head_at(const KvCache *kv, size_t layer, size_t sequence, size_t head,
                      size_t position) {
    REQUIRE(position < kv->length[sequence], "position %zu of %zu", position,
            kv->length[sequence]);
    size_t page = (size_t)kv_table(kv, sequence, layer)[position / KV_PAGE];
    return page * (kv->pages.page_bytes / dtype_row_bytes(kv->config.dtype, 1)) +
           head * kv_head_numbers(&kv->shape[layer]);
}

static void *number(const KvCache *kv, size_t at) {
    return kv->pages.bytes + at * dtype_row_bytes(kv->config.dtype, 1);
}

void *kv_key(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position) {
    size_t place = position % KV_PAGE, strip = place / STRIP * STRIP;
    return number(kv, head_at(kv, layer, sequence, head, position) +
                          strip * kv->shape[layer].key_dim + place % STRIP);
}

void *kv_value(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position) {
    return number(kv, head_at(kv, layer, sequence, head, position) +
                          KV_PAGE * kv->shape[layer].key_dim + position % KV_PAGE * STRIP);
}

static void put(const KvCache *kv, void *numbers, size_t at, float x) {
    if (kv->config.dtype == DTYPE_F16)
        ((uint16_t *)numbers)[at] = f16_from_f32(x);
    else
        ((float *)numbers)[at] = x;
}

void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v) {
    const KvShape *s = &kv->shape[layer];
    for (size_t head = 0; head < s->kv_heads; head++, k += s->key_dim, v += s->value_dim) {
        void *key = kv_key(kv, layer, sequence, head, position),
             *value = kv_value(kv, layer, sequence, head, position);
        for (size_t i = 0; i < s->key_dim; i++) put(kv, key, STRIP * i, k[i]);
        for (size_t i = 0; i < s->value_dim; i++)
            put(kv, value, i / STRIP * STRIP * KV_PAGE + i % STRIP, v[i]);
    }
}

void kv_weighted_sum(const KvCache *kv, float *y, size_t y_step, const float *a, size_t a_step,
                     size_t count, const void *x, size_t x_step, size_t rows, size_t n) {
    if (kv->config.dtype == DTYPE_F16)
        weighted_sum_f16(y, y_step, a, a_step, count, x, x_step, rows, n);
    else
        weighted_sum(y, y_step, a, a_step, count, x, x_step, rows, n);
}
