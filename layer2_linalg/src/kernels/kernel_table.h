/* kernel_table.h - the table of kernels in use.
 *
 * A field is named as its kernels are, without the set: dot_tile_f32 points to
 * dot_tile_f32_avx2. */
#ifndef STRATA_KERNEL_TABLE_H
#define STRATA_KERNEL_TABLE_H

#include "kernel_types.h"
#include "kernels.h"

#include <stdatomic.h>

#define FIELD(type, name, isa) type *name;

typedef struct Kernels {
    const char *isa;
    FLOAT_KERNELS(FIELD, )
    BYTE_KERNELS(FIELD, )
    PANEL_KERNELS(FIELD, )
    SINGLE_KERNELS(FIELD, )
    MicroKernel micro;
    RoundInputs *round_inputs; /* dot_tile_bf16 rounds like this; NULL: it does not */
} Kernels;

/* Select as kernels_select(NULL, ...) does; abort with its message if that fails. */
const Kernels *kernels_first(void);

/* The table in use. */
extern _Atomic(const Kernels *) kernels_chosen;
static inline const Kernels *kernels(void) {
    const Kernels *table = atomic_load_explicit(&kernels_chosen, memory_order_relaxed);
    return table ? table : kernels_first();
}

/* The tables that this machine can run, scalar first; returns their number. */
int kernels_tables(const Kernels *tables[KERNELS_MAX]);

#endif
