/* pick_best.c - the best of some candidates.  See pick.h. */
#include "pick.h"

size_t pick_best(const float *logits, const int32_t *ids, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (logits[i] > logits[best] ||
            (ids && logits[i] == logits[best] && ids[i] < ids[best]))
            best = i;
    return best;
}
