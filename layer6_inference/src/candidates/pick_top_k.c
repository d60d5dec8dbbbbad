/* pick_top_k.c - the k best candidates, in order.  See pick.h; a logit and an id become one
 * sortable integer: order.h. */
#include "order.h"
#include "pick.h"

void pick_top_k(const float *logits, const int32_t *ids, size_t n, size_t k, float *best,
                int32_t *best_ids, uint64_t *keys) {
    for (size_t i = 0; i < n; i++) keys[i] = order_key(logits[i], ids ? ids[i] : (int32_t)i);
    order_select(keys, n, k);
    order_sort(keys, k);
    for (size_t i = 0; i < k; i++)
        best[i] = order_value(keys[i]), best_ids[i] = order_id(keys[i]);
}
