/* every_plan.h - one loop for each way of storing weights.  For the siblings of packed_one_avx2.c, which define before they
 * include it
 *
 *     multiply     packed weights times one column, for a plan that is a constant there */
#ifndef STRATA_EVERY_PLAN_H
#define STRATA_EVERY_PLAN_H

#include "unpack.h"

/*            bits, group, scales, min, look_up, most */
#define EVERY_PLAN(TRY)                                              \
    TRY(4, 32, SCALE_F16, false, false, 15)   /* Q4_0 */             \
    TRY(4, 32, SCALE_F16, true, false, 15)    /* Q4_1 */             \
    TRY(4, 32, SCALE_TIMES, false, false, 15) /* TQ1_0, TQ2_0 */     \
    TRY(4, 32, SCALE_TIMES, true, false, 15)  /* Q4_K */             \
    TRY(4, 16, SCALE_TIMES, false, false, 15) /* Q3_K */             \
    TRY(4, 16, SCALE_TIMES, true, false, 15)  /* Q2_K */             \
    TRY(4, 32, SCALE_F16, false, true, 0)     /* IQ4_NL */           \
    TRY(4, 32, SCALE_BF16, false, true, 31)   /* MXFP4 */            \
    TRY(4, 32, SCALE_TIMES, false, true, 0)   /* IQ4_XS */           \
    TRY(4, 32, SCALE_TIMES, false, true, 31)  /* IQ3_S */            \
    TRY(4, 32, SCALE_TIMES, false, true, 127) /* IQ2_XXS, IQ3_XXS */ \
    TRY(4, 16, SCALE_TIMES, false, true, 127) /* IQ2_XS, IQ2_S */    \
    TRY(5, 32, SCALE_F16, false, false, 31)   /* Q5_0 */             \
    TRY(5, 32, SCALE_F16, true, false, 31)    /* Q5_1 */             \
    TRY(5, 32, SCALE_TIMES, false, false, 31) /* IQ1_S */            \
    TRY(5, 32, SCALE_TIMES, true, false, 31)  /* Q5_K */             \
    TRY(5, 16, SCALE_TIMES, false, false, 31) /* IQ1_M */            \
    TRY(6, 16, SCALE_TIMES, false, false, 63) /* Q6_K */             \
    TRY(8, 32, SCALE_F16, false, false, 0)    /* Q8_0 */

static inline bool is_plan(const QuantFormat *f, Plan p) {
    Plan q = plan_of(f);
    return q.bits == p.bits && q.group == p.group && q.scales == p.scales && q.min == p.min &&
           q.look_up == p.look_up && q.most == p.most;
}

/* In a function with the parameters of RowsProduct. */
#define MULTIPLY(...)                                          \
    if (is_plan(f, (Plan){__VA_ARGS__})) {                     \
        multiply((Plan){__VA_ARGS__}, f, piece, x, column, y); \
        return;                                                \
    }

#endif
