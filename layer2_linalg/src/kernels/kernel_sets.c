/* kernel_sets.c - the instruction sets of the core: scalar and AVX2.
 *
 * Programs that link extras/kernel_sets.c get all sets. */
#include "kernel_sets.h"

static const Kernels scalar = FULL_SET(scalar);
#if defined(__x86_64__)
static const Kernels avx2 = FULL_SET(avx2);
#endif

int kernels_tables(const Kernels *list[KERNELS_MAX]) {
    int count = 0;
    list[count++] = &scalar;
#if defined(__x86_64__)
    if (cpu_has_avx2()) list[count++] = &avx2;
#endif
    return count;
}
