/* kernel_sets.c - the instruction sets of the core: the scalar one and one to read beside it.
 *
 * extras/kernel_sets.c, with all sets, replaces this file in programs that link it. */
#include "kernel_sets.h"

static const Kernels scalar = KERNELS_SCALAR;
#if defined(__x86_64__)
static const Kernels avx2 = KERNELS_AVX2;
#endif

int kernels_tables(const Kernels *list[KERNELS_MAX]) {
    int count = 0;
    list[count++] = &scalar;
#if defined(__x86_64__)
    if (cpu_has_avx2()) list[count++] = &avx2;
#endif
    return count;
}
