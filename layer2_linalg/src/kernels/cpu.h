/* cpu.h - what this machine can do.  Only kernel_sets.c asks. */
#ifndef STRATA_CPU_H
#define STRATA_CPU_H

#include <stdbool.h>

bool cpu_has_avx2(void);    /* AVX2, FMA (so F16C, too); the system saves the registers */
bool cpu_has_avxvnni(void); /* AVX2 with VNNI, which some CPUs without AVX-512 have */
bool cpu_has_avx512(void);  /* F, BW, VL and DQ, likewise */
bool cpu_has_vnni(void);    /* AVX-512 with VNNI */
bool cpu_has_bf16(void);    /* AVX-512 with products of BF16 */
bool cpu_has_neon(void);    /* always on AArch64 */
bool cpu_has_dotprod(void);

#endif
