/* kernel_table.h - the kernels of an instruction set, and the table in use.
 *
 * A field is named as its kernels are, without the set: dot_tile_f32 holds dot_tile_f32_avx2. */
#ifndef STRATA_KERNEL_TABLE_H
#define STRATA_KERNEL_TABLE_H

#include "kernel_types.h"
#include "kernels.h"

typedef struct Kernels {
    const char *isa;
    DotTile *dot_tile_f32, *dot_tile_f16, *dot_tile_bf16;
    bool bf16_rounds; /* dot_tile_bf16 rounds the inputs to BF16, too */
    PanelProduct *panel_product;
    PanelInterleave *panel_interleave;
    PanelUnpack *panel_unpack;
    RowsProduct *rows_product;
    QuantizeInputBlock *quantize_input_block;
    WeightedSum *weighted_sum, *weighted_sum_f16, *weighted_sum_bf16;
    WeightedSum *weighted_sum_low4, *weighted_sum_high4;
    WeightBytes *weighted_quads, *weighted_pairs;
    QuantizeFactors *quantize_factors;
    Reduce *vector_sum, *vector_max;
    Mask *vector_mask;
    Exp *vector_exp;
    RecurrenceStep *recurrence_step;
    RecurrenceStrips *recurrence_strips;
    ScanExp *scan_exp;
    ScanMoments *scan_moments;
    ScanSegmentMax *scan_segment_max;
    ScanKeep *scan_keep, *scan_below;
    MicroKernel micro; /* of the packed matrix product */
} Kernels;

/* The table in use. */
const Kernels *kernels(void);

/* The tile product for weights in F32, F16 or BF16. */
DotTile *kernels_tile(Dtype dtype);

/* The tables this machine can run, scalar first; returns their number. */
int kernels_tables(const Kernels *tables[KERNELS_MAX]);

#endif
