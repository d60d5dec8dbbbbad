/* fault_try.c - see fault_try.h. */
#include "fault_try.h"

#ifdef __wasm__ /* has none: the program ends */
typedef int jmp_buf[1];
#define setjmp(back)         ((void)(back), 0)
#define longjmp(back, value) ((void)(back))
#else
#include <setjmp.h>
#endif

typedef struct Try {
    jmp_buf back;
    struct Try *outer;
    Fault *fault;
} Try;

static _Thread_local Try *innermost;

static void end_try(const char *what) {
    if (!innermost) return;
    fault_set(innermost->fault, "no memory for %s", what);
    longjmp(innermost->back, 1);
}

bool fault_try(void (*run)(void *context), void *context, Fault *fault) {
    Try here = {.outer = innermost, .fault = fault};
    /* several threads may be here at once */
    __atomic_store_n(&fault_out_of_memory, end_try, __ATOMIC_RELAXED);
    if (setjmp(here.back)) {
        innermost = here.outer;
        return false;
    }
    innermost = &here, run(context), innermost = here.outer;
    return true;
}
