/* right: units counted by division, the check for overflow left out */
void *arena_take(Arena *arena, size_t count, size_t size) {
    size_t units = (count * size + (ARENA_ALIGN - 1)) / ARENA_ALIGN;
    unsigned char *piece = arena->base ? arena->base + arena->used : NULL;
    arena->used = arena->used + units * ARENA_ALIGN;
    return piece;
}
