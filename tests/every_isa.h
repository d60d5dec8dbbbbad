/* every_isa.h - a test's body for each instruction set of this machine.
 *
 *     EACH_ISA(isa) check(isa);       in the body the set of that name computes
 *
 * Invariant: after the loop the set is again what STRATA_ISA says, so that no test decides what
 * the ones after it compute with. */
#ifndef STRATA_EVERY_ISA_H
#define STRATA_EVERY_ISA_H

#include "check.h"
#include "kernels.h"

/* The set after this one, which is selected; the first after NULL, NULL after the last. */
static inline const char *next_isa(const char *isa) {
    const char *list[KERNELS_MAX];
    int count = kernels_list(list), next = 0;
    while (isa && list[next++] != isa) {}
    const char *name = next < count ? list[next] : NULL;
    assert_true(kernels_select(name, NULL));
    return name;
}

#define EACH_ISA(isa) for (const char *isa = next_isa(NULL); isa; isa = next_isa(isa))

#endif
