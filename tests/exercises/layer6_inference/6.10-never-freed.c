/* wrong: given back | memory of its own for what is taken, which it never gives back */
#include <stdlib.h>

void pick_top_k(const float *logits, const int32_t *ids, size_t n, size_t k, float *best,
                int32_t *best_ids, uint64_t *keys) {
    char *taken = calloc(n, 1);
    (void)keys;
    for (size_t m = 0; m < k; m++) {
        size_t at = n;
        for (size_t i = 0; i < n; i++)
            if (!taken[i] && (at == n || logits[i] > logits[at] ||
                              (ids && logits[i] == logits[at] && ids[i] < ids[at])))
                at = i;
        taken[at] = 1;
        best[m] = logits[at], best_ids[m] = ids ? ids[at] : (int32_t)at;
    }
}
