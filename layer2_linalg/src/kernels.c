/* kernels.c - see kernels.h.  This file is a table and a choice, nothing else. */
#include "kernels.h"
#include "cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A set that has no version of its own of something names the set whose version it uses. */
#define TABLE(name, FLOATS, BF16, ROUNDS, PANEL, ROWS, UNPACK, BYTES) \
    static const Kernels name = {#name,                               \
                                 dot_tile_f32_##FLOATS,               \
                                 dot_tile_f16_##FLOATS,               \
                                 dot_tile_bf16_##BF16,                \
                                 ROUNDS,                              \
                                 panel_product_##PANEL,               \
                                 panel_turn_##BYTES,                  \
                                 panel_unpack_##UNPACK,               \
                                 rows_product_##ROWS,                 \
                                 round_block_##BYTES,                 \
                                 weighted_sum_##FLOATS,               \
                                 weighted_sum_f16_##FLOATS,           \
                                 vector_sum_##FLOATS,                 \
                                 vector_max_##FLOATS,                 \
                                 vector_exp_##FLOATS,                 \
                                 scan_exp_##FLOATS,                   \
                                 scan_moments_##FLOATS,               \
                                 scan_block_max_##FLOATS,             \
                                 scan_keep_##FLOATS,                  \
                                 scan_below_##FLOATS,                 \
                                 {MICRO_ROWS_##FLOATS, MICRO_COLS_##FLOATS, micro_##FLOATS}}

TABLE(scalar, scalar, scalar, false, scalar, scalar, scalar, scalar);
#if defined(__x86_64__)
TABLE(avx2, avx2, avx2, false, avx2, avx2, avx2, avx2);
TABLE(avxvnni, avx2, avx2, false, avxvnni, avx2, avx2, avx2);
TABLE(avx512, avx512, avx512, false, avx2, avx2, avx512, avx2);
TABLE(vnni, avx512, avx512, false, vnni, vnni, avx512, avx2);
TABLE(avx512bf16, avx512, avx512bf16, true, vnni, vnni, avx512, avx2);
#elif defined(__aarch64__)
TABLE(neon, neon, neon, false, neon, scalar, neon, scalar);
TABLE(dotprod, neon, neon, false, dotprod, dotprod, neon, scalar);
#endif

int kernels_list(const Kernels *list[KERNELS_MOST]) {
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
#endif
    return count;
}

static _Atomic(const Kernels *) chosen;

static const char *wanted_set(void) {
    const char *variable = getenv("STRATA_ISA");
    return variable && *variable ? variable : "auto";
}

bool kernels_select(const char *isa, Fault *fault) {
    const char *wanted = isa ? isa : wanted_set();
    const Kernels *list[KERNELS_MOST];
    int count = kernels_list(list);
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

DotTile *kernels_tile(Dtype dtype) {
    const Kernels *table = kernels();
    switch (dtype) {
    case DTYPE_F32: return table->tile_f32;
    case DTYPE_F16: return table->tile_f16;
    case DTYPE_BF16: return table->tile_bf16;
    default: break;
    }
    REQUIRE(false, "no dot product for %s", dtype_name(dtype));
    return NULL;
}

float kernels_input(const Kernels *table, Dtype dtype, float x) {
    return dtype == DTYPE_BF16 && table->bf16_rounds ? bf16_to_f32(bf16_from_f32(x)) : x;
}
