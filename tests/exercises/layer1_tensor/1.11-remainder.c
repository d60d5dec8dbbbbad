/* right: what is missing to a multiple is added */
void *arena_take(Arena *arena, size_t count, size_t size) {
    size_t bytes = count * size, over = bytes % ARENA_ALIGN, start = arena->used;
    if (over) bytes += ARENA_ALIGN - over;
    arena->used += bytes;
    if (arena->base == NULL) return NULL;
    REQUIRE(arena->used <= arena->size, "no room");
    return &arena->base[start];
}
