/* isas.c - strata bench isas: the instruction sets that have kernels. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static bool isas_is_here(const char *isa, size_t length) {
    const char *list[KERNELS_MAX];
    int count = kernels_list(list);
    for (int i = 0; i < count; i++)
        if (strlen(list[i]) == length && memcmp(list[i], isa, length) == 0) return true;
    return false;
}

bool bench_isas(BenchJob *job, Fault *fault) {
    if (job->compute.isa && !kernels_select(job->compute.isa, fault)) return wrong_value();
    const char *chosen = kernels_isa();
    for (const char *isa = KERNELS_KNOWN; *isa;) {
        size_t length = strcspn(isa, ",");
        bool used = strlen(chosen) == length && memcmp(chosen, isa, length) == 0;
        printf("%-12.*s %s%s\n", (int)length, isa,
               isas_is_here(isa, length) ? "available" : "not on this machine",
               used ? ", in use" : "");
        isa += length + strspn(isa + length, ", ");
    }
    return true;
}
