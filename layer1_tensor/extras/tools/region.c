/* region.c - see region.h. */
#include "region.h"
#include "memory_limit.h"

#include <stdint.h>
#include <stdlib.h>

enum { REGION_BLOCK = 1 << 16, REGION_ALIGN = 16 };

typedef struct RegionBlock {
    struct RegionBlock *before;
    size_t used, size;
    _Alignas(REGION_ALIGN) unsigned char bytes[];
} RegionBlock;

void *region_alloc(Region *region, size_t size) {
    RegionBlock *block = region->last;
    size_t max = region->limit ? region->limit : SIZE_MAX / 2;
    if (size > max) return NULL;
    size = (size + REGION_ALIGN - 1) & ~(size_t)(REGION_ALIGN - 1);
    if (size > max - region->taken) return NULL;
    if (!block || block->size - block->used < size) {
        size_t room = size > REGION_BLOCK ? size : REGION_BLOCK;
        if (!memory_limit_take(sizeof *block + room)) return NULL;
        block = calloc(1, sizeof *block + room);
        if (!block) return memory_limit_give(sizeof *block + room), NULL;
        block->before = region->last;
        block->size = room;
        region->last = block;
    }
    void *out = block->bytes + block->used;
    block->used += size;
    region->taken += size;
    return out;
}

void region_free(Region *region) {
    for (RegionBlock *block = region->last, *before; block; block = before) {
        before = block->before;
        memory_limit_give(sizeof *block + block->size);
        free(block);
    }
    region->last = NULL;
    region->taken = 0;
}
