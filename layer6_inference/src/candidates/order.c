/* order.c - see order.h.  Quicksort and quickselect (Hoare 1961, doi:10.1145/366622.366644),
 * and radix sort. */
#include "order.h"

#include <string.h>

static void order_swap(uint64_t *a, uint64_t *b) {
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

static uint64_t order_middle(uint64_t a, uint64_t b, uint64_t c) {
    if (a > b) order_swap(&a, &b);
    return c < a ? a : c > b ? b : c;
}

/* Keys below the pivot to the front; returns how many.  Both sides are smaller than n. */
static size_t order_partition(uint64_t *keys, size_t n) {
    uint64_t pivot = order_middle(keys[n / 4], keys[n / 2], keys[n / 4 * 3]);
    size_t low = 0, high = n - 1;
    for (;;) {
        while (keys[low] < pivot) low++;
        while (keys[high] > pivot) high--;
        if (low >= high) return low; /* not 0: the pivot is not the first */
        order_swap(&keys[low++], &keys[high--]);
    }
}

void order_sort(uint64_t *keys, size_t n) {
    while (n > 24) {
        size_t below = order_partition(keys, n), above = n - below;
        order_sort(below < above ? keys : keys + below, below < above ? below : above);
        if (below < above)
            keys += below, n = above;
        else
            n = below;
    }
    insertion_sort(keys, n);
}

enum {
    DIGITS = 3,
    DIGIT_BITS = 11,
    DIGIT_VALUES = 1 << DIGIT_BITS
}; /* of the float's 32 bits */

static size_t order_digit_of(uint64_t key, int digit) {
    return key >> (32 + DIGIT_BITS * digit) & (DIGIT_VALUES - 1);
}

/* place[d][v]: how many numbers have a d-th digit before v. */
static void find_places(const float *x, size_t n, uint32_t place[DIGITS][DIGIT_VALUES]) {
    memset(place, 0, DIGITS * sizeof *place);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++) place[d][order_digit_of(order_key(x[i], 0), d)]++;
    for (int d = 0; d < DIGITS; d++) {
        uint32_t before = 0;
        for (size_t v = 0; v < DIGIT_VALUES; v++) {
            uint32_t count = place[d][v];
            place[d][v] = before, before += count;
        }
    }
}

/* Radix sort from the lowest digit of the float.  Each pass is stable, so equal floats stay in
 * the order of their ids. */
void order_sort_many(const float *x, const int32_t *ids, size_t n, uint64_t *keys,
                     uint64_t *spare, float *sorted, int32_t *sorted_ids) {
    uint32_t place[DIGITS][DIGIT_VALUES];
    find_places(x, n, place);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = order_key(x[i], ids ? ids[i] : (int32_t)i);
        keys[place[0][order_digit_of(key, 0)]++] = key;
    }
    for (size_t i = 0; i < n; i++) spare[place[1][order_digit_of(keys[i], 1)]++] = keys[i];
    for (size_t i = 0; i < n; i++) {
        uint32_t at = place[2][order_digit_of(spare[i], 2)]++;
        sorted[at] = order_value(spare[i]), sorted_ids[at] = order_id(spare[i]);
    }
}

void order_select(uint64_t *keys, size_t n, size_t k) {
    while (k < n && n > 24) {
        size_t below = order_partition(keys, n);
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
