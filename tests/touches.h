/* touches.h - how often a function reads and writes each number of an array.
 *
 * The array lies on pages without rights.  An instruction that touches them raises SIGSEGV: the
 * handler counts it, opens the pages and lets the processor stop after that instruction (trap
 * flag), where SIGTRAP closes them again.  A vector load counts for its first number; touching
 * the same number twice in a row counts once. */
#ifndef STRATA_TOUCHES_H
#define STRATA_TOUCHES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__) && defined(__linux__)
#define TOUCHES_COUNTED 1
#include <ucontext.h>
#else
#define TOUCHES_COUNTED 0
#endif

enum { TOUCHED_ARRAYS = 3, TOUCHED_BYTES = 1 << 16 };

typedef struct Touched {
    float *data; /* TOUCHED_BYTES */
    size_t last; /* number that was touched, and how */
    uint32_t reads[TOUCHED_BYTES / 4], writes[TOUCHED_BYTES / 4];
} Touched;

static Touched touched[TOUCHED_ARRAYS];

static inline void touched_close(int rights) {
    for (int i = 0; i < TOUCHED_ARRAYS; i++)
        if (touched[i].data) mprotect(touched[i].data, TOUCHED_BYTES, rights);
}

#if TOUCHES_COUNTED
enum { TRAP_FLAG = 0x100, WROTE = 2 };

static inline void touched_fault(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    for (int i = 0; i < TOUCHED_ARRAYS; i++) {
        size_t at = (size_t)((char *)info->si_addr - (char *)touched[i].data);
        if (!touched[i].data || at >= TOUCHED_BYTES) continue;
        const bool wrote = registers[REG_ERR] & WROTE;
        uint32_t *counts = wrote ? touched[i].writes : touched[i].reads;
        counts[at / 4] += touched[i].last != at / 4 * 2 + wrote;
        touched[i].last = at / 4 * 2 + wrote;
        mprotect(touched[i].data, TOUCHED_BYTES, PROT_READ | PROT_WRITE);
        registers[REG_EFL] |= TRAP_FLAG;
        return;
    }
    signal(number, SIG_DFL); /* a fault of its own */
}

static inline void touched_step(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    touched_close(PROT_NONE);
}
#endif

/* Array number i, zeros, to be filled before touches_begin. */
static inline float *touched_array(int i) {
    touched[i].data =
        mmap(NULL, TOUCHED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return touched[i].data;
}

/* From here to touches_end all is counted. */
static inline void touches_begin(void) {
    for (int i = 0; i < TOUCHED_ARRAYS; i++)
        touched[i] = (Touched){.data = touched[i].data, .last = SIZE_MAX};
#if TOUCHES_COUNTED
    struct sigaction fault = {.sa_sigaction = touched_fault, .sa_flags = SA_SIGINFO},
                     step = {.sa_sigaction = touched_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &fault, NULL), sigaction(SIGTRAP, &step, NULL);
    touched_close(PROT_NONE);
#endif
}

/* Opens the arrays; those of touched_array are freed by touches_free. */
static inline void touches_end(void) {
    touched_close(PROT_READ | PROT_WRITE);
    signal(SIGSEGV, SIG_DFL), signal(SIGTRAP, SIG_DFL);
}

static inline void touches_free(void) {
    for (int i = 0; i < TOUCHED_ARRAYS; i++)
        if (touched[i].data) munmap(touched[i].data, TOUCHED_BYTES), touched[i].data = NULL;
}

/* Passes over an array: the most reads, or writes, that began at one number. */
static inline size_t touched_most(const uint32_t *counts) {
    size_t most = 0;
    for (size_t i = 0; i < TOUCHED_BYTES / 4; i++)
        if (counts[i] > most) most = counts[i];
    return most;
}
static inline size_t passes_read(int i) { return touched_most(touched[i].reads); }
static inline size_t passes_written(int i) { return touched_most(touched[i].writes); }

#endif
