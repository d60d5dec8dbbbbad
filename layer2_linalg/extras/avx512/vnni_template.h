/* vnni_template.h - the choice of a loop for a panel product with VNNI.  quantized_vnni.c and
 * quantized_avxvnni.c define, and then use it:
 *
 *     product(shape, panels, count, f, x, y)   PanelProduct; shape: a constant at each call */
#ifndef STRATA_VNNI_TEMPLATE_H
#define STRATA_VNNI_TEMPLATE_H

#include "kernel_types_extras.h"

#include <stdbool.h>

/* The constants that a loop is compiled for. */
typedef struct Shape {
    int panels, cols;    /* at a time */
    int group;           /* weights that share a scale */
    bool is_signed, min; /* of the quants; has a min */
} Shape;

#define VNNI_PRODUCT(isa, name, ...)                                              \
    isa static void name(const Panel *panels, size_t count, const QuantFormat *f, \
                         const InputTile *x, float(*y)[PANEL_ROWS]) {             \
        product((Shape){__VA_ARGS__}, panels, count, f, *x, y);                   \
    }

/* Formats with signed quants have no min. */
#define VNNI_PRODUCTS(isa, kernel)                                                           \
    VNNI_PRODUCT(isa, product_32, .group = 32)                                               \
    VNNI_PRODUCT(isa, product_32_min, .group = 32, .min = true)                              \
    VNNI_PRODUCT(isa, product_32_signed, .group = 32, .is_signed = true)                     \
    VNNI_PRODUCT(isa, product_16, .group = 16)                                               \
    VNNI_PRODUCT(isa, product_16_min, .group = 16, .min = true)                              \
    VNNI_PRODUCT(isa, product_16_signed, .group = 16, .is_signed = true)                     \
    void kernel(const Panel *panels, size_t count, const QuantFormat *f, const InputTile *x, \
                float(*y)[PANEL_ROWS]) {                                                     \
        static PanelProduct *const products[2][3] = {                                        \
            {product_16, product_16_min, product_16_signed},                                 \
            {product_32, product_32_min, product_32_signed},                                 \
        };                                                                                   \
        products[f->group == 32][f->span == 0 ? 2 : f->min](panels, count, f, x, y);         \
    }

#endif
