/* kernel_types.h - what an instruction set may supply: the types of its kernels, and the core's
 * versions.  Which set supplies what stands in kernel_sets.c. */
#ifndef STRATA_KERNEL_TYPES_H
#define STRATA_KERNEL_TYPES_H

#include "../panel.h"
#include "recurrence.h"
#include "scan.h"
#include "vector.h"
#include "weighted_bytes.h"

/* A tile of a product: every one of `rows` weight rows with every one of `cols` inputs of n numbers,
 *
 *     y[c * y_stride + r] = dot(w row r, x + c * x_stride)
 *
 * With several outputs at once, a weight or an input that has been loaded is used several times. */
typedef struct DotTask {
    const void *w;
    const float *x;
    float *y;
    size_t w_stride;           /* bytes from one row to the next */
    size_t x_stride, y_stride; /* floats from one input, or its outputs, to the next */
    size_t rows, cols, n;
} DotTask;
typedef void DotTile(const DotTask *t);

/* The functions of vector.h, recurrence.h and scan.h.  The names are those of weighted_sum; x holds numbers of a
 * StripFormat. */
typedef struct WeightedTask {
    float *y;
    const float *a;
    const void *x;
    size_t y_step, a_step, x_step;
    size_t count, rows, n;
} WeightedTask;
typedef void WeightedSum(const WeightedTask *t);
/* strip_number_bytes, where it has to be a constant. */
#define FORMAT_BYTES(format) \
    ((size_t)((format) == STRIP_F32 ? 4 : (format) <= STRIP_BF16 ? 2 : 1))
/* The functions of weighted_bytes.h. */
typedef void WeightBytes(const WeightedBytes *t);
typedef float QuantizeFactors(const float *w, const uint16_t *scale, size_t n, int16_t *q);
typedef float Reduce(const float *x, size_t n);
typedef void Mask(float *x, const uint64_t *bits, size_t n);
typedef void RecurrenceStep(const Recurrence *t);
typedef void RecurrenceStrips(const StripRecurrence *t);
typedef void Exp(float *out, const float *x, float shift, size_t n);
typedef ExpSums ScanExp(const float *x, size_t n, float shift);
typedef Moments ScanMoments(const float *x, size_t n, float shift);
typedef void ScanSegmentMax(const float *x, size_t n, float *out);
typedef size_t ScanKeep(const float *x, const int32_t *ids, size_t n, float threshold,
                        float *out, int32_t *out_ids);

/* The kernel in the middle: c (MR, NR; row-major, ldc) = or += sum_k a[k][0..MR) * b[k][0..NR).
 * Each of the MR * NR outputs is one chain of multiply-adds along k. */
typedef void Micro(size_t k, const float *a, const float *b, float *c, size_t ldc, bool add);
typedef struct MicroKernel {
    size_t rows, cols; /* MR, NR */
    Micro *run;
} MicroKernel;

enum { MICRO_MAX_ROWS = 8, MICRO_MAX_COLS = 48 };

/* y[p * x.count + c][r] += the products of row r of panel p with input c. */
typedef void PanelProduct(const Panel *panels, size_t count, const QuantFormat *format,
                          const InputTile *x, float (*y)[PANEL_ROWS]);

/* The quants of 16 rows in a panel's order. */
typedef void PanelInterleave(const Quants rows[PANEL_ROWS], PanelQuad q[PANEL_QUADS]);

/* 32 numbers as bytes, and the sums of each 16: q = x / d; returns d. */
typedef float QuantizeInputBlock(const float *x, int8_t *q, int16_t *sum);

/* A tile of packed weights, 16 rows by 256, as a panel. */
typedef void PanelUnpack(const QuantFormat *format, const unsigned char *tile, Panel *panel);

/* y[s][r] = strips of 16 rows times one of the inputs, without a panel in between.  The tiles of a strip lie one after
 * the other, and then come those of the next. */
typedef void RowsProduct(const QuantFormat *format, const unsigned char *tiles, size_t strips,
                         const Inputs *x, size_t index, float (*y)[PANEL_ROWS]);

/* What every set with registers of its own has of its own. */
#define DECLARE_FLOAT_KERNELS(isa)                                       \
    DotTile dot_tile_f32_##isa, dot_tile_f16_##isa, dot_tile_bf16_##isa; \
    WeightedSum weighted_sum_##isa, weighted_sum_f16_##isa;              \
    WeightedSum weighted_sum_bf16_##isa;                                 \
    WeightedSum weighted_sum_low4_##isa, weighted_sum_high4_##isa;       \
    Reduce vector_sum_##isa, vector_max_##isa;                           \
    Mask vector_mask_##isa;                                              \
    Exp vector_exp_##isa;                                                \
    RecurrenceStep recurrence_step_##isa;                                \
    RecurrenceStrips recurrence_strips_##isa;                            \
    ScanExp scan_exp_##isa;                                              \
    ScanMoments scan_moments_##isa;                                      \
    ScanSegmentMax scan_segment_max_##isa;                               \
    ScanKeep scan_keep_##isa, scan_below_##isa;                          \
    Micro micro_##isa

#define DECLARE_BYTE_KERNELS(isa)                           \
    WeightBytes weighted_quads_##isa, weighted_pairs_##isa; \
    QuantizeFactors quantize_factors_##isa

DECLARE_FLOAT_KERNELS(scalar);
DECLARE_BYTE_KERNELS(scalar);
PanelProduct panel_product_scalar;
PanelInterleave panel_interleave_scalar;
QuantizeInputBlock quantize_input_block_scalar;
PanelUnpack panel_unpack_scalar;
RowsProduct rows_product_scalar;
enum { MICRO_ROWS_scalar = 4, MICRO_COLS_scalar = 4 };
#if defined(__x86_64__)
DECLARE_FLOAT_KERNELS(avx2);
DECLARE_BYTE_KERNELS(avx2);
PanelProduct panel_product_avx2;
PanelInterleave panel_interleave_avx2;
QuantizeInputBlock quantize_input_block_avx2;
PanelUnpack panel_unpack_avx2;
RowsProduct rows_product_avx2;
enum { MICRO_ROWS_avx2 = 6, MICRO_COLS_avx2 = 16 };
#endif

#endif
