/* quantized.h - the formats of quantized weights: whole numbers, and what they are multiplied with.
 *
 *     weight = scale * level + min            32 (or 16) weights share a scale and a min
 *
 * A format is a way to read its levels and scales.  Turning them into floats (convert.h) and
 * multiplying with them (panel.h) follow from that.
 *
 * Invariant: levels are read the same way by everybody; nothing but ReadLevels knows where a format
 * keeps its bits. */
#ifndef STRATA_QUANTIZED_H
#define STRATA_QUANTIZED_H

#include "blocks.h"

enum {
    LEVELS_CHUNK = 256, /* weights of a row that are unpacked at a time */
    LEVELS_GROUPS = 16, /* the most scales among them */
};

/* Up to LEVELS_CHUNK weights of a row.  Group g has the scale d[g], or (formats of 256)
 * d[0] * times[g]; the same for min. */
typedef struct Levels {
    int8_t q[LEVELS_CHUNK]; /* level + the format's offset */
    float d[8], dmin[8];
    int8_t times[LEVELS_GROUPS], min_times[LEVELS_GROUPS];
} Levels;

/* Unpack n weights, a multiple of the format's block and at most LEVELS_CHUNK. */
typedef void ReadLevels(const void *blocks, size_t n, Levels *out);

/* How a format's scales are stored in packed weights. */
typedef enum ScaleKind { SCALE_F16, SCALE_BF16, SCALE_TIMES } ScaleKind;

/* How a format's levels are stored. */
typedef struct QuantFormat {
    ReadLevels *read;
    int group;  /* weights that share a scale: 16 or 32 */
    int offset; /* added to a level to make it unsigned */
    int span;   /* the largest stored level; 0: they are signed */
    bool min;   /* has a min */
    ScaleKind scales;
    const int8_t *entries; /* the stored levels that four bits choose from; NULL: any */
} QuantFormat;

extern const int8_t iq4_entries[16], mxfp4_entries[16], iq1_entries[16], iq2_entries[16],
    iq3_xxs_entries[16], iq3_s_entries[16];

/* NULL for formats that are not quantized. */
const QuantFormat *quant_format(Dtype dtype);

ReadLevels levels_q4_0, levels_q4_1, levels_q5_0, levels_q5_1, levels_q8_0, levels_mxfp4,
    levels_iq4_nl, levels_iq4_xs, levels_q2_k, levels_q3_k, levels_q4_k, levels_q5_k,
    levels_q6_k, levels_tq1_0, levels_tq2_0, levels_iq1_s, levels_iq1_m, levels_iq2_xxs,
    levels_iq2_xs, levels_iq2_s, levels_iq3_xxs, levels_iq3_s;

/* The scale and the min of group g. */
float levels_scale(const QuantFormat *format, const Levels *levels, size_t g);
float levels_min(const QuantFormat *format, const Levels *levels, size_t g);

#endif
