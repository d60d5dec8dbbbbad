/* kernels.c - see kernels.h.  This file is a table and a choice, nothing else. */
#include "kernels.h"
#include "cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* PANEL and TURN: the set whose version of these is used. */
#define TABLE(set, name, PANEL, TURN)                    \
    static const Kernels name = {#name,                  \
                                 dot_tile_f32_##set,     \
                                 dot_tile_f16_##set,     \
                                 dot_tile_bf16_##set,    \
                                 panel_product_##PANEL,  \
                                 panel_turn_##TURN,      \
                                 panel_unpack_##TURN,    \
                                 rows_product_##TURN,    \
                                 round_block_##TURN,     \
                                 weighted_sum_##set,     \
                                 weighted_sum_f16_##set, \
                                 vector_sum_##set,       \
                                 vector_max_##set,       \
                                 vector_exp_##set,       \
                                 scan_exp_##set,         \
                                 scan_moments_##set,     \
                                 scan_block_max_##set,   \
                                 scan_keep_##set,        \
                                 scan_below_##set,       \
                                 {MICRO_ROWS_##set, MICRO_COLS_##set, micro_##set}}

TABLE(scalar, scalar, scalar, scalar);
#if defined(__x86_64__)
TABLE(avx2, avx2, avx2, avx2);
TABLE(avx512, avx512, avx2, avx2);
TABLE(avx512, vnni, vnni, avx2);
#elif defined(__aarch64__)
TABLE(neon, neon, neon, scalar);
TABLE(neon, dotprod, dotprod, scalar);
#endif

int kernels_list(const Kernels *list[KERNELS_MOST]) {
    int count = 0;
    list[count++] = &scalar;
#if defined(__x86_64__)
    if (cpu_has_avx2()) list[count++] = &avx2;
    if (cpu_has_avx512()) list[count++] = &avx512;
    if (cpu_has_vnni()) list[count++] = &vnni;
#elif defined(__aarch64__)
    if (cpu_has_neon()) list[count++] = &neon;
    if (cpu_has_dotprod()) list[count++] = &dotprod;
#endif
    return count;
}

static _Atomic(const Kernels *) chosen;

bool kernels_select(const char *isa, Fault *fault) {
    const Kernels *list[KERNELS_MOST];
    int count = kernels_list(list);
    char names[64] = "";
    for (int i = 0; i < count; i++) {
        bool last = i == count - 1;
        if (strcmp(isa, list[i]->isa) == 0 || (last && strcmp(isa, "auto") == 0)) {
            atomic_store(&chosen, list[i]);
            return true;
        }
        strcat(strcat(names, i ? ", " : ""), list[i]->isa);
    }
    return fault_set(fault, "no instruction set '%.40s' on this machine: choose auto, %s", isa,
                     names);
}

/* A wrong STRATA_ISA must not silently mean something else, and there is no one to return a
 * fault to. */
const Kernels *kernels(void) {
    const Kernels *table = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (table) return table;
    const char *wanted = getenv("STRATA_ISA");
    Fault fault;
    bool ok = kernels_select(wanted && *wanted ? wanted : "auto", &fault);
    REQUIRE(ok, "STRATA_ISA: %s", fault.text);
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
