/* every_isa.h - a test's body for each instruction set of this machine.
 *
 *     EACH_ISA(isa) check(isa->tile_f32);       kernels() is that set's table in the body, too
 *
 * Invariant: after the loop kernels() is again what STRATA_ISA says, so that no test decides what
 * the ones after it compute with. */
#ifndef STRATA_EVERY_ISA_H
#define STRATA_EVERY_ISA_H

#include "check.h"
#include "kernels.h"

/* The set after this one, which is selected; the first after NULL, NULL after the last. */
static inline const Kernels *next_isa(const Kernels *isa) {
    const Kernels *list[KERNELS_MOST];
    int count = kernels_list(list), next = 0;
    while (isa && list[next++] != isa) {}
    const char *name = next < count ? list[next]->isa : NULL;
    assert_true(kernels_select(name, NULL));
    return name ? list[next] : NULL;
}

#define EACH_ISA(isa) for (const Kernels *isa = next_isa(NULL); isa; isa = next_isa(isa))

#endif
