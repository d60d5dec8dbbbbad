/* top_k.c
 *
 * Proves    pick_top_k touches only its arrays and writes all of the best
 * Bound     24 finite logits (so many are sorted by insertion), 1 to 24 of them wanted
 * Source    layer6_inference/src/candidates/pick_top_k.c layer6_inference/src/candidates/order.c
 * Options   -eva-precision 2 -eva-auto-loop-unroll 30 -eva-unroll-recursive-calls 2 -warn-special-float none
 * Mutant    layer6_inference/src/candidates/order.c | keys[k] = keys[k - 1]; | keys[k + 1] = keys[k];
 * Mutant    layer6_inference/src/candidates/pick_top_k.c | for (size_t i = 0; i < k; i++) | for (size_t i = 0; i <= k; i++) */
#include "order.h"
#include "pick.h"
#include "proof.h"

enum { N = 24 };

int main(void) {
    float logits[N], best[N];
    int32_t ids[N];
    uint64_t keys[N];
    size_t k = ANY_SIZE(1, N);
    //@ split k;
    for (int i = 0; i < N; i++) logits[i] = Frama_C_float_interval(-3e38f, 3e38f);
    pick_top_k(logits, NULL, N, k, best + N - k, ids + N - k, keys);
    for (size_t i = N - k; i < N; i++) (void)best[i], (void)ids[i];
    END();
}
