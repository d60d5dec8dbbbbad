/* arena.c - see arena.h. */
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20 };

void arena_measure(Arena *arena) { *arena = (Arena){0}; }

bool arena_init(Arena *arena, size_t bytes, Fault *fault) {
    *arena = (Arena){0};
    if (bytes > SIZE_MAX - ARENA_ALIGN)
        return fault_set(fault, "%zu bytes of memory is beyond any machine", bytes);
    size_t rounded = (bytes + ARENA_ALIGN) & ~(size_t)(ARENA_ALIGN - 1);
    size_t available = memory_available();
    if (available && rounded > available)
        return fault_set(fault,
                         "this needs %.1f GB of memory and the machine has %.1f GB free: use a "
                         "smaller model or context",
                         (double)rounded / 1e9, (double)available / 1e9);
    void *base = memory_take(rounded);
    if (!base)
        return fault_set(fault, "no memory for %.1f GB: use a smaller model or context",
                         (double)rounded / 1e9);
    memset(base, 0, rounded);
    *arena = (Arena){.base = base, .size = rounded};
    return true;
}

void *arena_take(Arena *arena, size_t count, size_t size) {
    REQUIRE(size == 0 || count <= (SIZE_MAX / 2 - arena->used) / size,
            "a piece of %zu * %zu bytes overflows", count, size);
    size_t start = arena->used;
    arena->used += (count * size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (!arena->base) return NULL;
    REQUIRE(arena->used <= arena->size, "arena of %zu bytes asked for %zu", arena->size,
            arena->used);
    return arena->base + start;
}

void arena_free(Arena *arena) {
    free(arena->base);
    *arena = (Arena){0};
}

void *memory_take(size_t bytes) {
    size_t align = bytes < LARGE_PAGE ? ARENA_ALIGN : LARGE_PAGE;
    if (bytes > SIZE_MAX - align) return NULL;
    size_t rounded = (bytes + align - 1) / align * align;
    void *memory = aligned_alloc(align, rounded);
#if defined(__linux__)
    if (memory && align == LARGE_PAGE) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return memory;
}

/* Linux counts reclaimable caches as available; elsewhere the physical size is the best we
 * know. */
size_t memory_available(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    if (file) {
        char line[128];
        unsigned long kilobytes = 0;
        while (fgets(line, sizeof line, file))
            if (sscanf(line, "MemAvailable: %lu kB", &kilobytes) == 1) break;
        fclose(file);
        if (kilobytes) return (size_t)kilobytes * 1024;
    }
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
}
