/* kernel_sets.h - how to write an instruction set's table; private to both kernel_sets.c.
 *
 * A group names the set whose kernels it takes: a set without its own version borrows
 * another's. */
#ifndef STRATA_KERNEL_SETS_H
#define STRATA_KERNEL_SETS_H

#include "cpu.h"
#include "kernel_table.h"

/* The field and the function have the same name, so a kernel cannot get into another's
 * field. */
#define USE(name, isa)           .name = name##_##isa
#define USE_ROW(type, name, isa) USE(name, isa),

#define FLOATS(isa) \
    FLOAT_KERNELS(USE_ROW, isa).micro = {MICRO_ROWS_##isa, MICRO_COLS_##isa, micro_##isa}
#define BYTES(isa) \
    USE(weighted_quads, isa), USE(weighted_pairs, isa), USE(quantize_factors, isa)
#define PANELS(isa) \
    USE(pack_rows, isa), USE(panel_interleave, isa), USE(quantize_input_block, isa)

/* A set that has every kernel. */
#define FULL_SET(set)                                                               \
    {                                                                               \
        .isa = #set, FLOATS(set), BYTES(set), PANELS(set), USE(dot_tile_bf16, set), \
        USE(panel_product, set), USE(panel_unpack, set), USE(rows_product, set)     \
    }

#endif
