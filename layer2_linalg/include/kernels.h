/* kernels.h - choose the instruction set that computes.
 *
 * The choice is made at the first use: the fastest set that this machine has and this program
 * links, or the one that STRATA_ISA or kernels_select (--isa) names.  Nothing else depends on
 * the CPU.
 *
 *     dot_f32()                 dot.h: what callers call
 *      `-> kernels()            the table in use, chosen once (src/kernels/kernels.c)
 *           `-> dot_tile_f32    a field of it (src/kernels/kernel_types.h lists all)
 *                `-> dot_tile_f32_scalar, _avx2, _avx512, _neon, _wasm
 *
 * Invariant: every kernel of every set is compared with the scalar one
 * [every_length_and_format, products, every_set_gives_the_same_bits,
 * exp_is_the_same_everywhere]. */
#ifndef STRATA_KERNELS_H
#define STRATA_KERNELS_H

#include "tensor.h"

/* The set in use: "scalar", "avx2", "vnni", "neon", ... */
const char *kernels_isa(void);

/* Every set there is, on any machine. */
#define KERNELS_KNOWN "scalar, avx2, avxvnni, avx512, vnni, avx512bf16, neon, dotprod, wasm"

/* Use a set from now on: one of KERNELS_KNOWN, or "auto" for the fastest.  NULL: what
 * STRATA_ISA says, or auto; programs call this first, because a wrong STRATA_ISA aborts at the
 * first computation.
 *
 * Needs    no other thread to be computing.
 * Fails when the name is unknown or the CPU lacks the set; the fault lists the available
 * ones. */
bool kernels_select(const char *isa, Fault *fault);

enum { KERNELS_MAX = 6 };

/* The sets that this machine can run, scalar first; returns their number. */
int kernels_list(const char *isas[KERNELS_MAX]);

/* An input as the set in use rounds it before it multiplies weights of this format. */
float kernels_input(Dtype dtype, float x);

#endif
