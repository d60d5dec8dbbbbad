/* quantized_s8_avx2.h - what quantized_avx2.c calls for signed quants and many inputs. */
#ifndef STRATA_QUANTIZED_S8_AVX2_H
#define STRATA_QUANTIZED_S8_AVX2_H

#include "../panel.h"

/* PanelProduct for signed quants in groups of 32.  Returns how many of the first inputs it
 * took: 0 when they are too few to pay for the widening. */
size_t panel_product_s8_avx2(const Panel *panels, size_t count, const InputTile *x,
                             float (*y)[PANEL_ROWS]);

#endif
