/* kernel_sets.c - all instruction sets: those of the core, avx512/, neon/ and wasm/. */
#include "kernel_types_extras.h"
#include "kernels/kernel_sets.h"

static const Kernels scalar = FULL_SET(scalar);
#if defined(__x86_64__)
static const Kernels avx2 = FULL_SET(avx2);
static const Kernels avxvnni = {
    .isa = "avxvnni",
    FLOATS(avx2),
    BYTES(avx2),
    PANELS(avx2),
    USE(dot_tile_bf16, avx2),
    USE(panel_product, avxvnni),
    USE(panel_unpack, avx2),
    USE(rows_product, avx2),
};
static const Kernels avx512 = {
    .isa = "avx512",
    FLOATS(avx512),
    BYTES(avx2),
    PANELS(avx2),
    USE(dot_tile_bf16, avx512),
    USE(panel_product, avx2),
    USE(panel_unpack, avx512),
    USE(rows_product, avx2),
};
static const Kernels vnni = {
    .isa = "vnni",
    FLOATS(avx512),
    BYTES(vnni),
    PANELS(avx2),
    USE(dot_tile_bf16, avx512),
    USE(panel_product, vnni),
    USE(panel_unpack, avx512),
    USE(rows_product, vnni),
};
static const Kernels avx512bf16 = {
    .isa = "avx512bf16",
    FLOATS(avx512),
    BYTES(vnni),
    PANELS(avx2),
    USE(dot_tile_bf16, avx512bf16),
    .round_inputs = round_inputs_avx512bf16,
    USE(panel_product, vnni),
    USE(panel_unpack, avx512),
    USE(rows_product, vnni),
};
#elif defined(__aarch64__)
static const Kernels neon = {
    .isa = "neon",
    FLOATS(neon),
    BYTES(neon),
    PANELS(scalar),
    USE(dot_tile_bf16, neon),
    USE(panel_product, neon),
    USE(panel_unpack, neon),
    USE(rows_product, scalar),
};
static const Kernels dotprod = {
    .isa = "dotprod",
    FLOATS(neon),
    BYTES(neon),
    PANELS(scalar),
    USE(dot_tile_bf16, neon),
    USE(panel_product, dotprod),
    USE(panel_unpack, neon),
    USE(rows_product, dotprod),
};
#elif defined(__wasm__)
static const Kernels wasm = {
    .isa = "wasm",
    FLOATS(wasm),
    BYTES(scalar),
    PANELS(scalar),
    USE(dot_tile_bf16, wasm),
    USE(panel_product, scalar),
    USE(panel_unpack, scalar),
    USE(rows_product, scalar),
};
#endif

/* The last one is used unless another one is asked for. */
int kernels_tables(const Kernels *list[KERNELS_MAX]) {
    int count = 0;
    list[count++] = &scalar;
#if defined(__x86_64__)
    if (cpu_has_avx2()) list[count++] = &avx2;
    if (cpu_has_avxvnni()) list[count++] = &avxvnni;
    if (cpu_has_avx512()) list[count++] = &avx512;
    const bool bf16 = cpu_has_vnni() && cpu_has_bf16(), fast = cpu_has_fast_bf16();
    if (bf16 && !fast) list[count++] = &avx512bf16;
    if (cpu_has_vnni()) list[count++] = &vnni;
    if (bf16 && fast) list[count++] = &avx512bf16;
#elif defined(__aarch64__)
    if (cpu_has_neon()) list[count++] = &neon;
    if (cpu_has_dotprod()) list[count++] = &dotprod;
#elif defined(__wasm__)
    list[count++] = &wasm;
#endif
    return count;
}
