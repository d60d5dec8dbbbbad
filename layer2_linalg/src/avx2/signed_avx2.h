/* signed_avx2.h - signed levels and many columns: what quantized_avx2.c asks of signed_avx2.c. */
#ifndef STRATA_SIGNED_AVX2_H
#define STRATA_SIGNED_AVX2_H

#include "../panel.h"

/* PanelProduct for signed levels in groups of 32.  Returns how many columns it has taken, from the
 * first on: none when they are too few to pay for the widening. */
size_t signed_product_avx2(const Panel *panels, size_t count, size_t n, const int8_t *q,
                           const float *d, size_t cols, float (*y)[PANEL_ROWS]);

#endif
