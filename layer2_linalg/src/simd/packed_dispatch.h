/* packed_dispatch.h - all layouts of packed weights; for each a loop is compiled in which its
 * layout is a constant. */
#ifndef STRATA_PACKED_DISPATCH_H
#define STRATA_PACKED_DISPATCH_H

#include "packed_layout.h"

/*            bits, group, scales, min, codebook, max */
#define PACKED_LAYOUTS(TRY)                                               \
    TRY(4, 32, SCALE_F16, false, false, 15)        /* Q4_0, Q1_0 */       \
    TRY(4, 32, SCALE_F16, true, false, 15)         /* Q4_1 */             \
    TRY(4, 32, SCALE_SUPERBLOCK, false, false, 15) /* TQ1_0, TQ2_0 */     \
    TRY(4, 32, SCALE_SUPERBLOCK, true, false, 15)  /* Q4_K */             \
    TRY(4, 16, SCALE_SUPERBLOCK, false, false, 15) /* Q3_K */             \
    TRY(4, 16, SCALE_SUPERBLOCK, true, false, 15)  /* Q2_K */             \
    TRY(4, 32, SCALE_F16, false, true, 0)          /* IQ4_NL */           \
    TRY(4, 32, SCALE_BF16, false, true, 31)        /* MXFP4 */            \
    TRY(4, 16, SCALE_F16, false, true, 31)         /* NVFP4 */            \
    TRY(4, 32, SCALE_SUPERBLOCK, false, true, 0)   /* IQ4_XS */           \
    TRY(4, 32, SCALE_SUPERBLOCK, false, true, 31)  /* IQ1_S, IQ3_S */     \
    TRY(4, 32, SCALE_SUPERBLOCK, false, true, 127) /* IQ2_XXS, IQ3_XXS */ \
    TRY(4, 16, SCALE_SUPERBLOCK, false, true, 31)  /* IQ1_M */            \
    TRY(4, 16, SCALE_SUPERBLOCK, false, true, 127) /* IQ2_XS, IQ2_S */    \
    TRY(5, 32, SCALE_F16, false, false, 31)        /* Q5_0 */             \
    TRY(5, 32, SCALE_F16, true, false, 31)         /* Q5_1 */             \
    TRY(5, 32, SCALE_SUPERBLOCK, true, false, 31)  /* Q5_K */             \
    TRY(6, 16, SCALE_SUPERBLOCK, false, false, 63) /* Q6_K */             \
    TRY(8, 32, SCALE_F16, false, false, 0)         /* Q8_0 */

/* A layout as one number, for a switch: comparing nineteen layouts would cost about 1 % of a
 * product of 16 rows. */
#define LAYOUT_NUMBER(bits, group, scales, min, codebook, max) \
    ((bits) | (group) << 4 | (scales) << 10 | (min) << 12 | (codebook) << 13 | (max) << 14)

static inline int layout_number(PackedLayout p) {
    return LAYOUT_NUMBER(p.bits, p.group, (int)p.scales, p.min, p.codebook, p.max);
}

#endif
