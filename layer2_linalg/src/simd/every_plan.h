/* every_plan.h - one loop for each way of storing weights.  For the siblings of packed_one_avx2.c,
 * which define before they include it
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
    TRY(4, 32, SCALE_TIMES, false, true, 31)  /* IQ1_S, IQ3_S */     \
    TRY(4, 32, SCALE_TIMES, false, true, 127) /* IQ2_XXS, IQ3_XXS */ \
    TRY(4, 16, SCALE_TIMES, false, true, 31)  /* IQ1_M */            \
    TRY(4, 16, SCALE_TIMES, false, true, 127) /* IQ2_XS, IQ2_S */    \
    TRY(5, 32, SCALE_F16, false, false, 31)   /* Q5_0 */             \
    TRY(5, 32, SCALE_F16, true, false, 31)    /* Q5_1 */             \
    TRY(5, 32, SCALE_TIMES, true, false, 31)  /* Q5_K */             \
    TRY(6, 16, SCALE_TIMES, false, false, 63) /* Q6_K */             \
    TRY(8, 32, SCALE_F16, false, false, 0)    /* Q8_0 */

/* A plan as one number, for a switch: trying eighteen plans in turn costs about a hundredth of a
 * product of 16 rows. */
#define PLAN_NUMBER(bits, group, scales, min, look_up, most) \
    ((bits) | (group) << 4 | (scales) << 10 | (min) << 12 | (look_up) << 13 | (most) << 14)

static inline int plan_number(Plan p) {
    return PLAN_NUMBER(p.bits, p.group, (int)p.scales, p.min, p.look_up, p.most);
}

/* In a function with the parameters of RowsProduct. */
#define MULTIPLY(...)                                          \
    case PLAN_NUMBER(__VA_ARGS__):                             \
        multiply((Plan){__VA_ARGS__}, f, piece, x, column, y); \
        return;

#define MULTIPLY_AS_PLANNED                                                           \
    switch (plan_number(plan_of(f))) {                                                \
        EVERY_PLAN(MULTIPLY)                                                          \
    default: REQUIRE(false, "weights stored in a way that EVERY_PLAN does not name"); \
    }

#endif
