/* vnni.h - the loops of the siblings that have VNNI: quantized_vnni.c and quantized_avxvnni.c. */
#ifndef STRATA_VNNI_H
#define STRATA_VNNI_H

#include "../panel.h"

#include <stdbool.h>

/* What a loop is written for: constants, wherever this is used. */
typedef struct Shape {
    int panels, cols, group;
    bool is_signed, min;
} Shape;

#define VNNI_PRODUCT(isa, name, group, is_signed, min)                                       \
    isa static void name(const Panel *panels, size_t count, const QuantFormat *f, size_t n,  \
                         const int8_t *q, const float *d, const int16_t *sums, size_t cols,  \
                         float(*y)[PANEL_ROWS]) {                                            \
        product((Shape){0, 0, group, is_signed, min}, panels, count, f, n, q, d, sums, cols, \
                y);                                                                          \
    }

/* The product of panels from `product`, which takes a shape.  No format with signed levels has a
 * min. */
#define VNNI_PRODUCTS(isa, sibling)                                                         \
    VNNI_PRODUCT(isa, product_32, 32, false, false)                                         \
    VNNI_PRODUCT(isa, product_32_min, 32, false, true)                                      \
    VNNI_PRODUCT(isa, product_32_signed, 32, true, false)                                   \
    VNNI_PRODUCT(isa, product_16, 16, false, false)                                         \
    VNNI_PRODUCT(isa, product_16_min, 16, false, true)                                      \
    VNNI_PRODUCT(isa, product_16_signed, 16, true, false)                                   \
    void panel_product_##sibling(const Panel *panels, size_t count, const QuantFormat *f,   \
                                 size_t n, const int8_t *q, const float *d,                 \
                                 const int16_t *sums, size_t cols, float(*y)[PANEL_ROWS]) { \
        PanelProduct *run = f->group == 32 ? (f->span == 0 ? product_32_signed              \
                                              : f->min     ? product_32_min                 \
                                                           : product_32)                        \
                                           : (f->span == 0 ? product_16_signed              \
                                              : f->min     ? product_16_min                 \
                                                           : product_16);                       \
        run(panels, count, f, n, q, d, sums, cols, y);                                      \
    }

#endif
