/* every_plan.h - one loop for each way of storing weights.  For the siblings of packed_one_avx2.c, which define before they
 * include it
 *
 *     multiply     packed weights times one column, for a plan that is a constant there */
#ifndef STRATA_EVERY_PLAN_H
#define STRATA_EVERY_PLAN_H

#include "unpack.h"

/*            bits, group, scales, min, look_up */
#define EVERY_PLAN(TRY)                                                 \
    TRY(4, 32, SCALE_F16, false, false)   /* Q4_0 */                    \
    TRY(4, 32, SCALE_F16, true, false)    /* Q4_1 */                    \
    TRY(4, 32, SCALE_TIMES, false, false) /* TQ1_0, TQ2_0 */            \
    TRY(4, 32, SCALE_TIMES, true, false)  /* Q4_K */                    \
    TRY(4, 16, SCALE_TIMES, false, false) /* Q3_K */                    \
    TRY(4, 16, SCALE_TIMES, true, false)  /* Q2_K */                    \
    TRY(4, 32, SCALE_F16, false, true)    /* IQ4_NL */                  \
    TRY(4, 32, SCALE_BF16, false, true)   /* MXFP4 */                   \
    TRY(4, 32, SCALE_TIMES, false, true)  /* IQ4_XS */                  \
    TRY(5, 32, SCALE_F16, false, false)   /* Q5_0 */                    \
    TRY(5, 32, SCALE_F16, true, false)    /* Q5_1 */                    \
    TRY(5, 32, SCALE_TIMES, false, false) /* IQ1_S */                   \
    TRY(5, 32, SCALE_TIMES, true, false)  /* Q5_K */                    \
    TRY(5, 16, SCALE_TIMES, false, false) /* IQ1_M */                   \
    TRY(6, 16, SCALE_TIMES, false, false) /* Q6_K */                    \
    TRY(8, 32, SCALE_F16, false, false)   /* Q8_0 */                    \
    TRY(8, 32, SCALE_TIMES, false, false) /* IQ2_XXS, IQ3_XXS, IQ3_S */ \
    TRY(8, 16, SCALE_TIMES, false, false) /* IQ2_XS, IQ2_S */

static inline bool is_plan(const QuantFormat *f, Plan p) {
    Plan q = plan_of(f);
    return q.bits == p.bits && q.group == p.group && q.scales == p.scales && q.min == p.min &&
           q.look_up == p.look_up;
}

/* In a function with the parameters of RowsProduct. */
#define MULTIPLY(...)                                          \
    if (is_plan(f, (Plan){__VA_ARGS__})) {                     \
        multiply((Plan){__VA_ARGS__}, f, piece, x, column, y); \
        return;                                                \
    }

#endif
