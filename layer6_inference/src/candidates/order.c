/* order.c - see order.h.  Quicksort and quickselect (Hoare 1961, doi:10.1145/366622.366642), and
 * sorting by digits, as punched cards were sorted. */
#include "order.h"

#include <string.h>

/* As integers, positive floats already stand in order and negative ones in reverse. */
static uint32_t rising(float value) {
    uint32_t bits;
    value += 0.0f; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

uint64_t order_key(float value, int32_t id) {
    return (uint64_t)~rising(value) << 32 | (uint32_t)id;
}

float order_value(uint64_t key) {
    uint32_t bits = ~(uint32_t)(key >> 32);
    float value;
    bits = bits & 0x80000000u ? bits & 0x7FFFFFFFu : ~bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void swap(uint64_t *a, uint64_t *b) {
    uint64_t t = *a;
    *a = *b, *b = t;
}

static void insertion_sort(uint64_t *keys, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t k = i;
        for (; k && keys[k - 1] > key; k--) keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

static uint64_t middle(uint64_t a, uint64_t b, uint64_t c) {
    if (a > b) swap(&a, &b);
    return c < a ? a : c > b ? b : c;
}

/* Keys below the pivot to the front; returns how many.  Both parts are smaller than n. */
static size_t partition(uint64_t *keys, size_t n) {
    uint64_t pivot = middle(keys[n / 4], keys[n / 2], keys[n / 4 * 3]);
    size_t low = 0, high = n - 1;
    for (;;) {
        while (keys[low] < pivot) low++;
        while (keys[high] > pivot) high--;
        if (low >= high) return low ? low : 1;
        swap(&keys[low++], &keys[high--]);
    }
}

void order_sort(uint64_t *keys, size_t n) {
    while (n > 24) {
        size_t below = partition(keys, n), above = n - below;
        order_sort(below < above ? keys : keys + below, below < above ? below : above);
        if (below < above)
            keys += below, n = above;
        else
            n = below;
    }
    insertion_sort(keys, n);
}

/* One byte at a time, the lowest of the float first: what has equal bytes stays in order, so after
 * the fourth the floats are sorted, and equal floats still stand in the order of their ids. */
void order_sort_many(uint64_t *keys, uint64_t *aside, size_t n) {
    for (int byte = 4; byte < 8; byte++) {
        size_t place[256] = {0}, before = 0;
        for (size_t i = 0; i < n; i++) place[keys[i] >> 8 * byte & 255]++;
        for (size_t digit = 0; digit < 256; digit++) {
            size_t count = place[digit];
            place[digit] = before, before += count;
        }
        for (size_t i = 0; i < n; i++) aside[place[keys[i] >> 8 * byte & 255]++] = keys[i];
        uint64_t *sorted = aside;
        aside = keys, keys = sorted;
    }
}

void order_select(uint64_t *keys, size_t n, size_t k) {
    while (k < n && n > 24) {
        size_t below = partition(keys, n);
        if (below == k) return;
        if (below > k)
            n = below;
        else
            keys += below, n -= below, k -= below;
    }
    if (k < n) insertion_sort(keys, n);
}

float order_kth_largest(float *x, size_t n, size_t k) {
    size_t begin = 0, end = n, want = k - 1;
    while (end - begin > 1) {
        float pivot = x[begin + (end - begin) / 2];
        size_t above = begin, equal = begin, below = end; /* [above) equal [equal) ? [below) */
        while (equal < below) {
            float v = x[equal];
            if (v > pivot)
                x[equal++] = x[above], x[above++] = v;
            else if (v < pivot)
                x[equal] = x[--below], x[below] = v;
            else
                equal++;
        }
        if (want < above)
            end = above;
        else if (want < equal)
            return pivot;
        else
            begin = equal;
    }
    return x[begin];
}
