/* kernels.h - which instruction set computes.
 *
 * Nothing else in the project asks what the CPU is.  The choice is made at the first use: the
 * widest set that this machine has and this program links, or the one that STRATA_ISA or
 * kernels_select (--isa) names.
 *
 * Invariant: every kernel of every set is proved against the scalar one (tests/test_dot.c,
 * ...). */
#ifndef STRATA_KERNELS_H
#define STRATA_KERNELS_H

#include "tensor.h"

/* The set in use: "scalar", "avx2", "vnni", "neon", ... */
const char *kernels_isa(void);

/* Every set the project has a table for, on one machine or another. */
#define KERNELS_KNOWN "scalar, avx2, avxvnni, avx512, vnni, avx512bf16, neon, dotprod, wasm"

/* Use a named instruction set from now on: one of KERNELS_KNOWN, or "auto" for the widest that
 * this machine has.  NULL: what STRATA_ISA says, or auto; a program calls this first, because a
 * wrong STRATA_ISA is a broken contract once something computes.
 *
 * Fails when the name is unknown or the CPU lacks it; the fault lists what there is.
 * Call before other threads compute. */
bool kernels_select(const char *isa, Fault *fault);

enum { KERNELS_MAX = 6 };

/* The sets this machine can run, scalar first; returns their number. */
int kernels_list(const char *isas[KERNELS_MAX]);

/* An input as the set in use sees it in a product with weights in F32, F16 or BF16. */
float kernels_input(Dtype dtype, float x);

#endif
