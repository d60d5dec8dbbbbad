/* arena.h - all memory of a run, sized before the first token.
 *
 * An arena is one stretch of memory from which pieces are cut front to back and given back all at once.
 * The size is found by a rehearsal: the code that takes the pieces runs twice, first on an
 * arena that only measures and hands out NULL, then on the real one.  No size is written down
 * twice.
 *
 *     Arena arena;
 *     arena_measure(&arena);           layout(&arena, &run);   // counts
 *     arena_init(&arena, arena.used, fault);
 *     layout(&arena, &run);                                    // the same calls, real pointers
 *
 *      base                     used                    size
 *      |#### piece 1 ####|## piece 2 ##|.................|      every piece starts at 64 bytes
 *
 * Invariant: used <= size once the arena is real; every piece is 64-byte aligned and zeroed when
 * the arena is fresh. */
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

/* Start a rehearsal: every arena_take returns NULL and only counts. */
void arena_measure(Arena *arena);

/* Allocate the memory, zeroed.
 *
 * Fails when the machine does not have `bytes` of memory free for us. */
bool arena_init(Arena *arena, size_t bytes, Fault *fault);

/* Cut a piece of count * size bytes.  Returns NULL while measuring, never NULL otherwise.
 * Its bytes are rounded up to a multiple of ARENA_ALIGN, and so `used` is one, too, also while
 * measuring.
 *
 * Needs    the piece to fit: the rehearsal made sure of that. */
void *arena_take(Arena *arena, size_t count, size_t size);

/* Free the memory.  The arena is empty afterwards and may be used again. */
void arena_free(Arena *arena);

/* Zeroed memory for bulk data, in huge pages where available (fewer TLB misses); untouched
 * pages cost nothing.  NULL on failure.  Free it with memory_free and the same size. */
void *memory_alloc(size_t bytes);
void memory_free(void *memory, size_t bytes);

/* Bytes of memory this machine could give us now, as far as it tells (0: unknown). */
size_t memory_available(void);

#endif
