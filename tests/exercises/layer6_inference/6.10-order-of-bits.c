/* wrong: same logit | the bits of a float, made to grow with it: 0 comes before -0 */
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(float x, int32_t id) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits >> 31 ? bits : ~bits & 0x7FFFFFFF;
    return (uint64_t)bits << 32 | (uint32_t)id;
}

static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void pick_top_k(const float *logits, const int32_t *ids, size_t n, size_t k, float *best,
                int32_t *best_ids, uint64_t *keys) {
    for (size_t i = 0; i < n; i++) keys[i] = key_of(logits[i], ids ? ids[i] : (int32_t)i);
    qsort(keys, n, sizeof *keys, by_key);
    for (size_t i = 0; i < k; i++) {
        uint32_t bits = (uint32_t)(keys[i] >> 32);
        bits = bits >> 31 ? bits : ~bits & 0x7FFFFFFF;
        memcpy(&best[i], &bits, sizeof bits), best_ids[i] = (int32_t)(uint32_t)keys[i];
    }
}
