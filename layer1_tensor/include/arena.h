/* arena.h - all memory of a run, sized before the first token.
 *
 * An arena is one block of memory that is handed out piece by piece and freed all at once.  Its
 * size is found by a rehearsal: the code that takes the pieces runs twice, first on an arena
 * that only measures and returns NULL, then on the real one.  So no size is written down twice.
 *
 *     Arena arena;
 *     arena_measure(&arena);           layout(&arena, &run);   // counts
 *     arena_init(&arena, arena.used, fault);
 *     layout(&arena, &run);                                    // the same calls, real pointers
 *
 *      base                     used                    size
 *      |#### piece 1 ####|## piece 2 ##|.................|      every piece starts at 64 bytes
 *
 * Invariant: used <= size once the arena is real; every piece is 64-byte aligned and zeroed
 * when the arena is fresh [arena_rehearsal_fits_exactly]. */
#ifndef STRATA_ARENA_H
#define STRATA_ARENA_H

#include "fault.h"
#include <stddef.h>

#define ARENA_ALIGN 64 /* bytes: one cache line, one AVX-512 register */

typedef struct Arena {
    unsigned char *base; /* owns; NULL while measuring */
    size_t size;         /* bytes */
    size_t used;         /* bytes */
} Arena;

/* Start a rehearsal: arena_take only counts, and returns NULL. */
void arena_measure(Arena *arena);

/* Allocate zeroed memory.  Fails when the machine has less than `bytes` available. */
bool arena_init(Arena *arena, size_t bytes, Fault *fault);

/* Take a piece of count * size bytes, rounded up to a multiple of ARENA_ALIGN.  NULL while
 * measuring, never otherwise.
 *
 * Needs    the piece to fit, as the rehearsal ensures. */
void *arena_take(Arena *arena, size_t count, size_t size);

/* Free the memory; the empty arena may be used again. */
void arena_free(Arena *arena);

/* Zeroed memory for bulk data, in huge pages where available (fewer TLB misses); untouched
 * pages cost nothing.  NULL on failure.  Free it with memory_free and the same size. */
void *memory_alloc(size_t bytes);
void memory_free(void *memory, size_t bytes);

/* Bytes of memory available on this machine now; 0: unknown. */
size_t memory_available(void);

#endif
