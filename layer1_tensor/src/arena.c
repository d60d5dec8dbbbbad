/* arena.c - see arena.h. */
#include "arena.h"
#include "size.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* Not under AddressSanitizer, which checks only memory from malloc. */
#if (defined(__linux__) || defined(__APPLE__)) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#define MAPPED 1
#else
#define MAPPED 0
#endif

enum { LARGE_PAGE = 2 << 20 };

void arena_measure(Arena *arena) { *arena = (Arena){0}; }

bool arena_init(Arena *arena, size_t bytes, Fault *fault) {
    *arena = (Arena){0};
    if (bytes > SIZE_MAX - ARENA_ALIGN)
        return fault_set(fault, "%zu bytes of memory is beyond any machine", bytes);
    size_t rounded = round_up(bytes + 1, ARENA_ALIGN); /* not empty */
    size_t available = memory_available();
    if (available && rounded > available)
        return fault_set(fault,
                         "this needs %.1f GB of memory and the machine has %.1f GB free: use a "
                         "smaller model or context",
                         (double)rounded / 1e9, (double)available / 1e9);
    void *base = memory_alloc(rounded);
    if (!base)
        return fault_set(fault, "no memory for %.1f MB: use a smaller model or context",
                         (double)rounded / 1e6);
    *arena = (Arena){.base = base, .size = rounded};
    return true;
}

void *arena_take(Arena *arena, size_t count, size_t size) {
    const size_t max = SIZE_MAX / 2 / ARENA_ALIGN * ARENA_ALIGN;
    REQUIRE(size == 0 || count <= (max - arena->used) / size,
            "a piece of %zu * %zu bytes overflows", count, size);
    size_t start = arena->used;
    arena->used += (count * size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (!arena->base) return NULL;
    REQUIRE(arena->used <= arena->size, "arena of %zu bytes asked for %zu", arena->size,
            arena->used);
    return arena->base + start;
}

void arena_free(Arena *arena) {
    memory_free(arena->base, arena->size);
    *arena = (Arena){0};
}

/* Small blocks: aligned_alloc and memset. */
static void *alloc_small(size_t bytes) {
    size_t rounded = round_up(bytes, ARENA_ALIGN);
    void *memory = rounded < bytes ? NULL : aligned_alloc(ARENA_ALIGN, rounded);
    if (memory) memset(memory, 0, rounded);
    return memory;
}

/* Large blocks: mmap, zeroed on first touch; trim the unaligned ends. */
#if MAPPED
static void *alloc_large(size_t bytes) {
    size_t all = bytes + LARGE_PAGE;
    unsigned char *memory = all < bytes ? MAP_FAILED
                                        : mmap(NULL, all, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = LARGE_PAGE - (uintptr_t)memory % LARGE_PAGE,
           end = before + round_up(bytes, (size_t)getpagesize());
    munmap(memory, before);
    if (end < all) munmap(memory + end, all - end);
#if defined(__linux__)
    madvise(memory + before, bytes, MADV_HUGEPAGE);
#endif
    return memory + before;
}
#endif

void *memory_alloc(size_t bytes) {
#if MAPPED
    if (bytes >= LARGE_PAGE) return alloc_large(bytes);
#endif
    return alloc_small(bytes);
}

void memory_free(void *memory, size_t bytes) {
#if MAPPED
    if (memory && bytes >= LARGE_PAGE) {
        munmap(memory, round_up(bytes, (size_t)getpagesize()));
        return;
    }
#else
    (void)bytes;
#endif
    free(memory);
}

/* Linux counts reclaimable caches as available; elsewhere we only know the physical size. */
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
