/* cpu.c - see cpu.h.  The compiler's builtins also check that the OS saves the registers. */
#include "cpu.h"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
#include <cpuid.h>

bool cpu_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
bool cpu_has_avxvnni(void) { /* not all compilers know this name */
    unsigned eax = 0, ebx, ecx, edx;
    return cpu_has_avx2() && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && eax >> 4 & 1;
}
bool cpu_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           cpu_has_avx2();
}
bool cpu_has_vnni(void) { return cpu_has_avx512() && __builtin_cpu_supports("avx512vnni"); }
bool cpu_has_bf16(void) { return cpu_has_avx512() && __builtin_cpu_supports("avx512bf16"); }
/* Intel's (Sapphire Rapids) begin one in two cycles: half as many products a cycle as F32's. */
bool cpu_has_fast_bf16(void) { return cpu_has_bf16() && __builtin_cpu_is("amd"); }
#else
bool cpu_has_avx2(void) { return false; }
bool cpu_has_avxvnni(void) { return false; }
bool cpu_has_avx512(void) { return false; }
bool cpu_has_vnni(void) { return false; }
bool cpu_has_bf16(void) { return false; }
bool cpu_has_fast_bf16(void) { return false; }
#endif

#if defined(__aarch64__)
bool cpu_has_neon(void) { return true; }
#if defined(__linux__)
bool cpu_has_dotprod(void) { return getauxval(AT_HWCAP) & HWCAP_ASIMDDP; }
#else
bool cpu_has_dotprod(void) { return true; } /* every Apple chip since 2019 */
#endif
#else
bool cpu_has_neon(void) { return false; }
bool cpu_has_dotprod(void) { return false; }
#endif
