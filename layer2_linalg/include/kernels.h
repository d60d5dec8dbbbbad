/* kernels.h - one table of fast versions for each instruction set, and the choice between them.
 *
 * Nothing else in the project asks what the CPU is.  The choice is made at the first use: the
 * widest set this machine has, or what STRATA_ISA or kernels_select (--isa) says.
 *
 * Invariant: every entry of every table is proved against the scalar one (tests/test_dot.c,
 * ...). */
#ifndef STRATA_KERNELS_H
#define STRATA_KERNELS_H

#include "../src/dot_tile.h"
#include "matmul.h"
#include "packed.h"
#include "scan.h"
#include "vector.h"

typedef struct Kernels {
    const char *isa;
    DotTile *tile_f32, *tile_f16, *tile_bf16;
    bool bf16_rounds; /* tile_bf16 rounds the inputs to BF16, too */
    PanelProduct *panel_product;
    PanelTurn *panel_turn;
    PanelUnpack *panel_unpack;
    RowsProduct *rows_product;
    RoundBlock *round_block;
    WeightedSum *weighted_sum;
    WeightedSumF16 *weighted_sum_f16;
    Reduce *sum, *max;
    Exp *exp;
    ScanExp *scan_exp;
    ScanMoments *scan_moments;
    ScanBlockMax *scan_block_max;
    ScanKeep *scan_keep, *scan_below;
    MicroKernel micro; /* of the packed matrix product */
} Kernels;

/* The table in use. */
const Kernels *kernels(void);

/* The tile product for weights in F32, F16 or BF16. */
DotTile *kernels_tile(Dtype dtype);

/* An input as a table's product with weights in F32, F16 or BF16 sees it. */
float kernels_input(const Kernels *table, Dtype dtype, float x);

/* Every set the project has a table for, on one machine or another. */
#define KERNELS_KNOWN "scalar, avx2, avxvnni, avx512, vnni, avx512bf16, neon, dotprod"

/* Use a named instruction set from now on: one of KERNELS_KNOWN, or "auto" for the widest that
 * this machine has.  NULL: what STRATA_ISA says, or auto; a program calls this first, because a
 * wrong STRATA_ISA is a broken contract once something computes.
 *
 * Fails when the name is unknown or the CPU lacks it; the fault lists what there is.
 * Call before other threads compute. */
bool kernels_select(const char *isa, Fault *fault);

enum { KERNELS_MOST = 6 };

/* The tables this machine can run, scalar first; returns their number. */
int kernels_list(const Kernels *list[KERNELS_MOST]);

#endif
