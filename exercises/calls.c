/* calls.c - how often each function of the learner's was called.
 *
 * The learner's objects are compiled with -finstrument-functions: each function then tells
 * where it begins, by address.  At the program's end a line "ADDRESS COUNT" for each goes to
 * the file named in CALLS_TO, and one for calls_anchor, by whose address in the program's
 * symbol table (nm) the others are found. */
#include "calls.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Each thread counts for itself: counters that threads share would take longer than the work. */
enum { SLOTS = 1 << 12 };
typedef struct Counts {
    struct Counts *next;
    void *function[SLOTS];
    unsigned long long times[SLOTS];
} Counts;
static _Atomic(Counts *) all;
static _Thread_local Counts *own;

static void begin(void) {
    own = calloc(1, sizeof *own);
    if (!own) abort();
    own->next = atomic_load(&all);
    while (!atomic_compare_exchange_weak(&all, &own->next, own)) {}
}

void __cyg_profile_func_enter(void *function, void *from) {
    (void)from;
    if (!own) begin();
    size_t slot = (uintptr_t)function / 16 % SLOTS;
    while (own->function[slot] && own->function[slot] != function) slot = (slot + 1) % SLOTS;
    own->function[slot] = function;
    own->times[slot]++;
}

void __cyg_profile_func_exit(void *function, void *from) { (void)function, (void)from; }

void calls_anchor(void) {}

__attribute__((destructor)) static void calls_write(void) {
    const char *name = getenv("CALLS_TO");
    FILE *file = name ? fopen(name, "a") : NULL;
    if (!file) return;
    fprintf(file, "0x%llx 0\n", (unsigned long long)(uintptr_t)calls_anchor);
    for (const Counts *c = atomic_load(&all); c; c = c->next)
        for (size_t i = 0; i < SLOTS; i++)
            if (c->times[i])
                fprintf(file, "0x%llx %llu\n", (unsigned long long)(uintptr_t)c->function[i],
                        c->times[i]);
    fclose(file);
}
