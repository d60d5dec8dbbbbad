/* kernels.c - choose an instruction set; see kernels.h.  kernel_sets.c lists them. */
#include "kernel_table.h"

#include <stdlib.h>
#include <string.h>

_Atomic(const Kernels *) kernels_chosen;

int kernels_list(const char *isas[KERNELS_MAX]) {
    const Kernels *tables[KERNELS_MAX];
    int count = kernels_tables(tables);
    for (int i = 0; i < count; i++) isas[i] = tables[i]->isa;
    return count;
}

static const char *wanted_set(void) {
    const char *variable = getenv("STRATA_ISA");
    return variable && *variable ? variable : "auto";
}

bool kernels_select(const char *isa, Fault *fault) {
    const char *wanted = isa ? isa : wanted_set();
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    char names[64] = "", hint[80];
    for (int i = 0; i < count; i++) {
        bool last = i == count - 1;
        if (strcmp(wanted, list[i]->isa) == 0 || (last && strcmp(wanted, "auto") == 0)) {
            atomic_store(&kernels_chosen, list[i]);
            return true;
        }
        strcat(strcat(names, i ? ", " : ""), list[i]->isa);
    }
    return fault_set(fault,
                     "%sno instruction set '%.40s' on this machine or in this program: choose "
                     "auto, %s (known: " KERNELS_KNOWN ")%s",
                     isa ? "" : "STRATA_ISA: ", wanted, names,
                     nearest_hint(hint, sizeof hint, text_of(wanted), names));
}

/* A wrong STRATA_ISA must not be silently ignored, and there is no Fault to fill here. */
const Kernels *kernels_first(void) {
    Fault fault;
    bool ok = kernels_select(NULL, &fault);
    REQUIRE(ok, "%s", fault.text);
    return atomic_load(&kernels_chosen);
}

const char *kernels_isa(void) { return kernels()->isa; }

float kernels_input(Dtype dtype, float x) {
    return dtype == DTYPE_BF16 && kernels()->round_inputs ? bf16_to_f32(bf16_from_f32(x)) : x;
}
