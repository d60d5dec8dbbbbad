/* kernel_types.h - every kernel: first the types, then the list of all.
 *
 * A kernel is a function that each instruction set may have in a version of its own, named with
 * the set: dot_tile_f32_scalar in dot.c, dot_tile_f32_avx2 in dot_avx2.c.  The lists below
 * declare the versions, make the fields of the table in use (kernel_table.h), and fill the
 * table of each set (kernel_sets.h). */
#ifndef STRATA_KERNEL_TYPES_H
#define STRATA_KERNEL_TYPES_H

#include "../panel.h"
#include "recurrence.h"
#include "../simd/scan_lanes.h"
#include "vector.h"
#include "weighted_bytes.h"

/* A tile of a product: each of `rows` weight rows times each of `cols` inputs of n numbers,
 *
 *     y[c * y_stride + r] = dot(w row r, x + c * x_stride)
 *
 * A weight or an input, once loaded, serves several outputs. */
typedef struct DotTask {
    const void *w;
    const float *x;
    float *y;
    size_t w_stride;           /* bytes from one row to the next */
    size_t x_stride, y_stride; /* floats from one input, or its outputs, to the next */
    size_t rows, cols, n;
    const uint16_t *rounded; /* x in BF16 (RoundInputs), x_stride apart, too; NULL: not made */
} DotTask;
typedef void DotTile(const DotTask *t);

enum { DOT_PANEL_MIN = 32 }; /* fewer inputs do not pay for a panel, nor for being rounded */

/* out = x in BF16, for n numbers. */
typedef void RoundInputs(const float *x, size_t n, uint16_t *out);

typedef void WeightedSum(const WeightedTask *t);
typedef void WeightBytes(const WeightedBytes *t);
typedef float QuantizeFactors(const float *w, const uint16_t *scale, size_t n, int16_t *q);
typedef float Reduce(const float *x, size_t n);
typedef void Mask(float *x, const uint64_t *bits, size_t n);
typedef void RecurrenceStep(const Recurrence *t);
typedef void RecurrenceStrips(const StripRecurrence *t);
typedef void Exp(float *out, const float *x, float shift, size_t n);
typedef void ScanSegmentMax(const float *x, size_t n, float *out);
typedef size_t ScanKeep(const float *x, const int32_t *ids, size_t n, float threshold,
                        float *out, int32_t *out_ids);

/* The micro-kernel of matmul_packed: c (MR, NR; row-major, ldc) = or += sum_k a[k][0..MR) *
 * b[k][0..NR).  Each of the MR * NR outputs is one chain of multiply-adds along k. */
typedef void Micro(size_t k, const float *a, const float *b, float *c, size_t ldc, bool add);
typedef struct MicroKernel {
    size_t rows, cols; /* MR, NR */
    Micro *run;
} MicroKernel;

/* Pack its operand from `lanes` rows of k numbers: to[p * lanes + i] = from[i * step + p]. */
typedef void PackRows(const float *from, size_t step, size_t lanes, size_t k, float *to);

enum { MICRO_MAX_ROWS = 8, MICRO_MAX_COLS = 48 };

/* y[p * x.count + c][r] += the products of row r of panel p with input c; 1 or 2 panels. */
typedef void PanelProduct(const Panel *panels, size_t count, const QuantFormat *format,
                          const InputTile *x, float (*y)[PANEL_ROWS]);

/* Interleave the quants of 16 rows, as a panel has them. */
typedef void PanelInterleave(const Quants rows[PANEL_ROWS], PanelQuad q[PANEL_QUADS]);

/* q = x / d for 32 numbers, rounded to bytes; sum: of each 16 q; returns d. */
typedef float QuantizeInputBlock(const float *x, int8_t *q, int16_t *sum);

/* Unpack a tile of packed weights, 16 rows by 256, to a panel. */
typedef void PanelUnpack(const QuantFormat *format, const unsigned char *tile, Panel *panel);

/* y[s][r] = strips of 16 packed rows times one input, without a panel in between.  `tiles` has
 * all tiles of the first strip, then those of the next. */
typedef void RowsProduct(const QuantFormat *format, const unsigned char *tiles, size_t strips,
                         const Inputs *x, size_t index, float (*y)[PANEL_ROWS]);

/* ROW(type, name, isa) for the kernels on floats... */
#define FLOAT_KERNELS(ROW, isa)                                  \
    ROW(DotTile, dot_tile_f32, isa) /* dot.h */                  \
    ROW(DotTile, dot_tile_f16, isa)                              \
    ROW(WeightedSum, weighted_sum, isa) /* vector.h */           \
    ROW(WeightedSum, weighted_sum_f16, isa)                      \
    ROW(WeightedSum, weighted_sum_bf16, isa)                     \
    ROW(WeightedSum, weighted_sum_low4, isa)                     \
    ROW(WeightedSum, weighted_sum_high4, isa)                    \
    ROW(Reduce, vector_sum, isa)                                 \
    ROW(Reduce, vector_max, isa)                                 \
    ROW(Mask, vector_mask, isa)                                  \
    ROW(Exp, vector_exp, isa)                                    \
    ROW(RecurrenceStep, recurrence_step, isa) /* recurrence.h */ \
    ROW(RecurrenceStrips, recurrence_strips, isa)                \
    ROW(ExpLanesOf, exp_lanes, isa) /* scan.h */                 \
    ROW(MomentLanesOf, moment_lanes, isa)                        \
    ROW(ScanSegmentMax, scan_segment_max, isa)                   \
    ROW(ScanKeep, scan_keep, isa)                                \
    ROW(ScanKeep, scan_below, isa)

/* ... on bytes (weighted_bytes.h), ... */
#define BYTE_KERNELS(ROW, isa)            \
    ROW(WeightBytes, weighted_quads, isa) \
    ROW(WeightBytes, weighted_pairs, isa) \
    ROW(QuantizeFactors, quantize_factors, isa)

/* ... that make the operands of products (panel.h, matmul.h), ... */
#define PANEL_KERNELS(ROW, isa)                 \
    ROW(PackRows, pack_rows, isa)               \
    ROW(PanelInterleave, panel_interleave, isa) \
    ROW(QuantizeInputBlock, quantize_input_block, isa)

/* ... and those that a set may have of its own without the others. */
#define SINGLE_KERNELS(ROW, isa)          \
    ROW(DotTile, dot_tile_bf16, isa)      \
    ROW(PanelProduct, panel_product, isa) \
    ROW(PanelUnpack, panel_unpack, isa)   \
    ROW(RowsProduct, rows_product, isa)

#define DECLARE(type, name, isa) type name##_##isa;
#define DECLARE_KERNELS(isa)     \
    FLOAT_KERNELS(DECLARE, isa)  \
    BYTE_KERNELS(DECLARE, isa)   \
    PANEL_KERNELS(DECLARE, isa)  \
    SINGLE_KERNELS(DECLARE, isa) \
    Micro micro_##isa;

DECLARE_KERNELS(scalar)
enum { MICRO_ROWS_scalar = 4, MICRO_COLS_scalar = 4 };
#if defined(__x86_64__)
DECLARE_KERNELS(avx2)
enum { MICRO_ROWS_avx2 = 6, MICRO_COLS_avx2 = 16 };
#endif

#endif
