/* kernel_sets.h - how the table of an instruction set is written; private to both kernel_sets.c. */
#ifndef STRATA_KERNEL_SETS_H
#define STRATA_KERNEL_SETS_H

#include "cpu.h"
#include "kernel_table.h"

/* A field and its kernel have one name: nothing can be put in another's place. */
#define USE(kernel, isa) .kernel = kernel##_##isa

#define FLOATS(isa)                                                                           \
    USE(dot_tile_f32, isa), USE(dot_tile_f16, isa), USE(weighted_sum, isa),                   \
        USE(weighted_sum_f16, isa), USE(weighted_sum_bf16, isa), USE(weighted_sum_low4, isa), \
        USE(weighted_sum_high4, isa), USE(vector_sum, isa), USE(vector_max, isa),             \
        USE(vector_mask, isa), USE(vector_exp, isa), USE(recurrence_step, isa),               \
        USE(recurrence_strips, isa), USE(scan_exp, isa), USE(scan_moments, isa),              \
        USE(scan_segment_max, isa), USE(scan_keep, isa), USE(scan_below, isa),                \
        .micro = {MICRO_ROWS_##isa, MICRO_COLS_##isa, micro_##isa}

#define BYTES(isa) USE(panel_interleave, isa), USE(quantize_input_block, isa)
#define SUMS(isa)  USE(weighted_quads, isa), USE(weighted_pairs, isa), USE(quantize_factors, isa)

/* A set without its own version of a kernel borrows another set's. */
#define KERNELS_SCALAR                                                                     \
    {                                                                                      \
        .isa = "scalar", FLOATS(scalar), BYTES(scalar), SUMS(scalar),                      \
        USE(dot_tile_bf16, scalar), USE(panel_product, scalar), USE(panel_unpack, scalar), \
        USE(rows_product, scalar)                                                          \
    }
#define KERNELS_AVX2                                                                    \
    {                                                                                   \
        .isa = "avx2", FLOATS(avx2), BYTES(avx2), SUMS(avx2), USE(dot_tile_bf16, avx2), \
        USE(panel_product, avx2), USE(panel_unpack, avx2), USE(rows_product, avx2)      \
    }

#endif
