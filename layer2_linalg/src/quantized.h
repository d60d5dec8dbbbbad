/* quantized.h - formats of quantized weights: small integers, the quants, and their scales.
 *
 *     weight = scale * quant + min            32 (or 16) weights share a scale and a min
 *
 * A format is a function that unpacks quants and scales; dequantizing (convert.h) and
 * multiplying (panel.h) need nothing else.
 *
 * Invariant: only a format's UnpackQuants knows its layout of bits. */
#ifndef STRATA_QUANTIZED_H
#define STRATA_QUANTIZED_H

#include "blocks.h"

enum {
    PANEL_COLS = 256,  /* weights unpacked at a time: the width of a panel (panel.h) */
    PANEL_GROUPS = 16, /* max scales among them */
};

/* Up to PANEL_COLS weights of a row.  Group g has the scale d[g], or (formats of 256)
 * d[0] * sub_scale[g]; the same for min. */
typedef struct Quants {
    int8_t q[PANEL_COLS]; /* quant + the format's offset */
    float d[PANEL_GROUPS], dmin[8];
    int8_t sub_scale[PANEL_GROUPS], sub_min[PANEL_GROUPS];
} Quants;

/* Unpack n weights, a multiple of the format's block and at most PANEL_COLS. */
typedef void UnpackQuants(const void *blocks, size_t n, Quants *out);

/* How a format's scales are stored in packed weights. */
typedef enum ScaleKind { SCALE_F16, SCALE_BF16, SCALE_SUPERBLOCK } ScaleKind;

/* A format: how its quants are stored. */
typedef struct QuantFormat {
    UnpackQuants *unpack;
    Quantize *quantize; /* NULL: cannot be written */
    int group;          /* weights that share a scale: 16 or 32 */
    int offset;         /* added to a quant to make it unsigned */
    int span;           /* the largest stored quant; 0: signed */
    bool min;           /* has a min */
    ScaleKind scales;
    const int8_t *codebook; /* (16) the quant for each four bits; NULL: the bits */
} QuantFormat;

/* By dtype; empty for formats that are not quantized or not linked. */
extern const QuantFormat quant_formats[DTYPE_COUNT];

/* NULL for formats that are not quantized. */
static inline const QuantFormat *quant_format(Dtype dtype) {
    return dtype < DTYPE_COUNT && quant_formats[dtype].unpack ? &quant_formats[dtype] : NULL;
}

UnpackQuants unpack_q4_0, unpack_q4_1, unpack_q5_0, unpack_q5_1, unpack_q8_0, unpack_q2_k,
    unpack_q3_k, unpack_q4_k, unpack_q5_k, unpack_q6_k;

/* The scale and the min of group g. */
static inline float quants_scale(const QuantFormat *f, const Quants *quants, size_t g) {
    return f->scales == SCALE_SUPERBLOCK ? quants->d[0] * (float)quants->sub_scale[g]
                                         : quants->d[g];
}

static inline float quants_min(const QuantFormat *f, const Quants *quants, size_t g) {
    return f->scales == SCALE_SUPERBLOCK ? quants->dmin[0] * (float)quants->sub_min[g]
                                         : quants->dmin[g];
}

#endif
