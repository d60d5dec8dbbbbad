/* quantized.h - products of quantized weights, in whole numbers.
 *
 *     weight = scale * level + min            32 (or 16) weights share a scale and a min
 *     x      = d * q                          32 inputs share d; q is -127 .. 127
 *
 *     sum_k w[k] x[k]  =  sum over blocks of  scale d (sum level q)  +  min d (sum q)
 *                                                      whole numbers         known beforehand
 *
 * The sums of a block are exact, so it does not matter in which order they are taken; and the
 * blocks are added up one after the other, each by one fused multiply-add.
 *
 * Invariant: every version of every kernel gives the same bits: scalar, SIMD, one column or many.
 *
 * What is lost is the rounding of the inputs: half of d, which is 1/254 of the largest of 32 numbers. */
#ifndef STRATA_QUANTIZED_H
#define STRATA_QUANTIZED_H

#include "blocks.h"

enum {
    LEVELS_CHUNK = 256,             /* weights of a row that are unpacked at a time */
    LEVELS_GROUPS = 16,             /* the most scales among them */
    PANEL_ROWS = 16,                /* rows that are multiplied side by side */
    PANEL_QUADS = LEVELS_CHUNK / 4, /* of a row's levels: what a 32-bit lane holds */
};

/* Up to LEVELS_CHUNK weights of a row.  Group g has the scale d[g], or (formats of 256) d[0] * times[g]; the same
 * for min. */
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
    const int8_t *entries; /* the sixteen levels that four bits choose from; NULL: any */
} QuantFormat;

extern const int8_t iq4_entries[16], mxfp4_doubled[16];

/* NULL for formats that are not quantized. */
const QuantFormat *quant_format(Dtype dtype);

ReadLevels levels_q4_0, levels_q4_1, levels_q5_0, levels_q5_1, levels_q8_0, levels_mxfp4,
    levels_iq4_nl, levels_iq4_xs, levels_q2_k, levels_q3_k, levels_q4_k, levels_q5_k,
    levels_q6_k, levels_tq1_0, levels_tq2_0, levels_iq1_s, levels_iq1_m, levels_iq2_xxs,
    levels_iq2_xs, levels_iq2_s, levels_iq3_xxs, levels_iq3_s;

/* The scale and the min of group g. */
float levels_scale(const QuantFormat *format, const Levels *levels, size_t g);
float levels_min(const QuantFormat *format, const Levels *levels, size_t g);

/* Sixteen rows, turned so that one 32-bit lane holds four levels of one row:
 *
 *     q[0]    row0 k0..3 | row1 k0..3 | ... | row15 k0..3
 *     q[1]    row0 k4..7 | ...
 *
 * Multiplying a lane's four bytes with k0..3 of an input adds to the sum of that lane's row: sixteen
 * sums at once, and no sum ever runs across lanes. */
typedef struct Panel {
    const int8_t (
        *q)[PANEL_ROWS][4]; /* (PANEL_QUADS): own, or where packed weights already lie so */
    int8_t own[PANEL_QUADS][PANEL_ROWS][4];
    float scale[LEVELS_GROUPS][PANEL_ROWS], min[LEVELS_GROUPS][PANEL_ROWS];
} Panel;

/* n columns of k numbers (a multiple of 32) rounded to bytes, in pieces of 256: first that of every column, then the
 * next. */
typedef struct Columns {
    size_t n, k;
    int8_t *q;    /* (pieces, n, 256) */
    float *d;     /* (pieces, n, 8)    of 32 each */
    int16_t *sum; /* (pieces, n, 16)   of 16 q each */
} Columns;

/* The bytes that they take, and one column into its place among them.  A column with a
 * number that is not finite becomes NaN there. */
size_t columns_bytes(size_t n, size_t k);
Columns columns_in(void *memory, size_t n, size_t k);
void columns_round(const Columns *columns, size_t column, const float *x);

/* The panel of 16 rows of n weights; rows lie `stride` bytes apart, and when there are fewer than
 * 16 the last one is repeated. */
void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n);

/* Weights in the order in which panels want them, for those who read them many times: 16 rows by 256 weights after
 * one another, each as
 *
 *     | scales (and mins) of 16 rows | four bits of every level | one or two more bits, where the format has them |
 *
 * with signed levels as whole bytes.  About as large as in the file.  Reading such a piece takes a few
 * shifts; reading it from the file takes turning 16 rows as well. */
typedef struct PackedWeights {
    const QuantFormat *format;
    size_t rows, cols, piece_bytes; /* of 16 rows by 256 weights */
    unsigned char *data;            /* borrows: packed_bytes */
} PackedWeights;

size_t packed_bytes(Dtype dtype, size_t rows, size_t cols);
void packed_fill(Pool *pool, PackedWeights *packed, const Tensor *w, void *data);

/* y[r] += the products of piece `piece` of 16 rows from `row` on with n numbers of one column. */
void packed_product(const PackedWeights *packed, size_t row, size_t piece, size_t n,
                    const int8_t *q, const float *d, const int16_t *sum, float y[PANEL_ROWS]);

/* The panel of piece `piece` of 16 rows from `row` on. */
void packed_panel(const PackedWeights *packed, size_t row, size_t piece, Panel *panel);

/* y[c][r] += the products of a panel's 16 rows with n numbers of `cols` columns that lie one after the other. */
typedef void PanelProduct(const Panel *panel, const QuantFormat *format, size_t n,
                          const int8_t *q, const float *d, const int16_t *sum, size_t cols,
                          float (*y)[PANEL_ROWS]);

/* Turn the levels of 16 rows into a panel's order. */
typedef void PanelTurn(const Levels levels[PANEL_ROWS], int8_t q[PANEL_QUADS][PANEL_ROWS][4]);

/* A piece of packed weights as a panel. */
typedef void PanelUnpack(const QuantFormat *format, const unsigned char *piece, Panel *panel);

/* A piece of packed weights times one column, without a panel in between. */
typedef void PieceProduct(const QuantFormat *format, const unsigned char *piece, size_t n,
                          const int8_t *q, const float *d, const int16_t *sum,
                          float y[PANEL_ROWS]);

/* 32 numbers as bytes, and the sums of each 16: q = x / d; returns d. */
typedef float RoundBlock(const float *x, int8_t *q, int16_t *sum);

PanelProduct panel_product_scalar;
PanelTurn panel_turn_scalar;
PanelUnpack panel_unpack_scalar;
PieceProduct piece_product_scalar;
RoundBlock round_block_scalar;
#if defined(__x86_64__)
PanelProduct panel_product_avx2, panel_product_vnni;
PanelTurn panel_turn_avx2;
PanelUnpack panel_unpack_avx2;
PieceProduct piece_product_avx2;
RoundBlock round_block_avx2;
#elif defined(__aarch64__)
PanelProduct panel_product_neon, panel_product_dotprod;
#endif

#endif
