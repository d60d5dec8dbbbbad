/* vnni_template.h - which loops a panel's product with VNNI is made of.  The siblings quantized_vnni.c and
 * quantized_avxvnni.c define before they use it
 *
 *     product(shape, panels, count, f, x, y)     PanelProduct for a shape that is a constant there */
#ifndef STRATA_VNNI_TEMPLATE_H
#define STRATA_VNNI_TEMPLATE_H

#include "kernel_types_extras.h"

#include <stdbool.h>

/* What a loop is written for: constants, wherever this is used. */
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

/* The kernel of a set.  No format with signed quants has a min. */
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
