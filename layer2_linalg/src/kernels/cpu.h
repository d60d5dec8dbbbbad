/* cpu.h - instruction sets of this CPU.  Only kernel_sets.c asks. */
#ifndef STRATA_CPU_H
#define STRATA_CPU_H

#include <stdbool.h>

bool cpu_has_avx2(void);      /* with FMA, and so F16C; the OS saves the registers */
bool cpu_has_avxvnni(void);   /* VNNI with AVX2 registers */
bool cpu_has_avx512(void);    /* F, BW, VL and DQ; the OS saves the registers */
bool cpu_has_vnni(void);      /* VNNI of AVX-512 */
bool cpu_has_bf16(void);      /* BF16 products of AVX-512 */
bool cpu_has_fast_bf16(void); /* more of them in a cycle than of F32 */
bool cpu_has_neon(void);      /* always on AArch64 */
bool cpu_has_dotprod(void);

#endif
