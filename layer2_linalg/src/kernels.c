/* kernels.c - see kernels.h.  This file is a table for each set and a choice, nothing else. */
#include "kernel_table.h"
#include "cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

/* A set that has no version of its own of something uses another's. */
static const Kernels scalar = {
    .isa = "scalar",
    FLOATS(scalar),
    BYTES(scalar),
    SUMS(scalar),
    USE(dot_tile_bf16, scalar),
    USE(panel_product, scalar),
    USE(panel_unpack, scalar),
    USE(rows_product, scalar),
};
#if defined(__x86_64__)
static const Kernels avx2 = {
    .isa = "avx2",
    FLOATS(avx2),
    BYTES(avx2),
    SUMS(avx2),
    USE(dot_tile_bf16, avx2),
    USE(panel_product, avx2),
    USE(panel_unpack, avx2),
    USE(rows_product, avx2),
};
static const Kernels avxvnni = {
    .isa = "avxvnni",
    FLOATS(avx2),
    BYTES(avx2),
    SUMS(avx2),
    USE(dot_tile_bf16, avx2),
    USE(panel_product, avxvnni),
    USE(panel_unpack, avx2),
    USE(rows_product, avx2),
};
static const Kernels avx512 = {
    .isa = "avx512",
    FLOATS(avx512),
    BYTES(avx2),
    SUMS(avx2),
    USE(dot_tile_bf16, avx512),
    USE(panel_product, avx2),
    USE(panel_unpack, avx512),
    USE(rows_product, avx2),
};
static const Kernels vnni = {
    .isa = "vnni",
    FLOATS(avx512),
    BYTES(avx2),
    SUMS(vnni),
    USE(dot_tile_bf16, avx512),
    USE(panel_product, vnni),
    USE(panel_unpack, avx512),
    USE(rows_product, vnni),
};
static const Kernels avx512bf16 = {
    .isa = "avx512bf16",
    FLOATS(avx512),
    BYTES(avx2),
    SUMS(vnni),
    USE(dot_tile_bf16, avx512bf16),
    .bf16_rounds = true,
    USE(panel_product, vnni),
    USE(panel_unpack, avx512),
    USE(rows_product, vnni),
};
#elif defined(__aarch64__)
static const Kernels neon = {
    .isa = "neon",
    FLOATS(neon),
    BYTES(scalar),
    SUMS(neon),
    USE(dot_tile_bf16, neon),
    USE(panel_product, neon),
    USE(panel_unpack, neon),
    USE(rows_product, scalar),
};
static const Kernels dotprod = {
    .isa = "dotprod",
    FLOATS(neon),
    BYTES(scalar),
    SUMS(neon),
    USE(dot_tile_bf16, neon),
    USE(panel_product, dotprod),
    USE(panel_unpack, neon),
    USE(rows_product, dotprod),
};
#elif defined(__wasm__)
static const Kernels wasm = {
    .isa = "wasm",
    USE(dot_tile_f32, wasm),
    USE(dot_tile_f16, wasm),
    USE(dot_tile_bf16, wasm),
    USE(weighted_sum, wasm),
    USE(weighted_sum_f16, wasm),
    USE(weighted_sum_bf16, wasm),
    USE(weighted_sum_low4, wasm),
    USE(weighted_sum_high4, wasm),
    USE(vector_sum, wasm),
    USE(vector_max, wasm),
    USE(vector_mask, scalar),
    USE(vector_exp, wasm),
    USE(recurrence_step, scalar),
    USE(recurrence_strips, scalar),
    USE(scan_exp, wasm),
    USE(scan_moments, wasm),
    USE(scan_segment_max, wasm),
    USE(scan_keep, wasm),
    USE(scan_below, scalar),
    .micro = {MICRO_ROWS_wasm, MICRO_COLS_wasm, micro_wasm},
    BYTES(scalar),
    SUMS(scalar),
    USE(panel_product, scalar),
    USE(panel_unpack, scalar),
    USE(rows_product, scalar),
};
#endif

int kernels_tables(const Kernels *list[KERNELS_MAX]) {
    int count = 0;
    list[count++] = &scalar;
#if defined(__x86_64__)
    if (cpu_has_avx2()) list[count++] = &avx2;
    if (cpu_has_avxvnni()) list[count++] = &avxvnni;
    if (cpu_has_avx512()) list[count++] = &avx512;
    if (cpu_has_vnni()) list[count++] = &vnni;
    if (cpu_has_vnni() && cpu_has_bf16()) list[count++] = &avx512bf16;
#elif defined(__aarch64__)
    if (cpu_has_neon()) list[count++] = &neon;
    if (cpu_has_dotprod()) list[count++] = &dotprod;
#elif defined(__wasm__)
    list[count++] = &wasm;
#endif
    return count;
}

int kernels_list(const char *isas[KERNELS_MAX]) {
    const Kernels *tables[KERNELS_MAX];
    int count = kernels_tables(tables);
    for (int i = 0; i < count; i++) isas[i] = tables[i]->isa;
    return count;
}

static _Atomic(const Kernels *) chosen;

static const char *wanted_set(void) {
    const char *variable = getenv("STRATA_ISA");
    return variable && *variable ? variable : "auto";
}

bool kernels_select(const char *isa, Fault *fault) {
    const char *wanted = isa ? isa : wanted_set();
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    char names[64] = "";
    for (int i = 0; i < count; i++) {
        bool last = i == count - 1;
        if (strcmp(wanted, list[i]->isa) == 0 || (last && strcmp(wanted, "auto") == 0)) {
            atomic_store(&chosen, list[i]);
            return true;
        }
        strcat(strcat(names, i ? ", " : ""), list[i]->isa);
    }
    return fault_set(fault,
                     "%sno instruction set '%.40s' on this machine: choose auto, %s "
                     "(of all there are: " KERNELS_KNOWN ")",
                     isa ? "" : "STRATA_ISA: ", wanted, names);
}

/* A wrong STRATA_ISA must not silently mean something else, and here is no one to return a fault
 * to. */
const Kernels *kernels(void) {
    const Kernels *table = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (table) return table;
    Fault fault;
    bool ok = kernels_select(NULL, &fault);
    REQUIRE(ok, "%s", fault.text);
    return atomic_load(&chosen);
}

const char *kernels_isa(void) { return kernels()->isa; }

DotTile *kernels_tile(Dtype dtype) {
    const Kernels *table = kernels();
    switch (dtype) {
    case DTYPE_F32: return table->dot_tile_f32;
    case DTYPE_F16: return table->dot_tile_f16;
    case DTYPE_BF16: return table->dot_tile_bf16;
    default: break;
    }
    REQUIRE(false, "no dot product for %s", dtype_name(dtype));
    return NULL;
}

float kernels_input(Dtype dtype, float x) {
    return dtype == DTYPE_BF16 && kernels()->bf16_rounds ? bf16_to_f32(bf16_from_f32(x)) : x;
}
