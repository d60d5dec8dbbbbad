/* arena.c
 *
 * Proves    arena_take gives pieces inside the arena, one behind the other, or refuses; what a
 *           rehearsal counts never wraps around, even near 2^63
 * Bound     arenas of 0 to 256 bytes, any count; sizes 1, 3, 8 and 64
 * Source    layer1_tensor/src/arena.c
 * Options   -eva-precision 3 -warn-unsigned-overflow -cpp-extra-args=-D__SANITIZE_ADDRESS__
 * Mutant    layer1_tensor/src/arena.c | arena->used <= arena->size, | arena->used <= arena->size + 64,
 * Mutant    layer1_tensor/src/arena.c | max - arena->used | SIZE_MAX / 2 - arena->used */
#include "arena.h"
#include "proof.h"

static unsigned char memory[256];

static const size_t sizes[] = {1, 3, 8, 64};

static void take(void) {
    size_t room = ANY_SIZE(0, 4) * ARENA_ALIGN, used = ANY_SIZE(0, 4) * ARENA_ALIGN,
           count = ANY_SIZE(0, SIZE_MAX), kind = ANY_SIZE(0, 3);
    //@ split room;
    //@ split used;
    //@ split kind;
    if (used > room) return;
    Arena arena = {memory + 256 - room, room, used};
    unsigned char *piece = arena_take(&arena, count, sizes[kind]);
    PROVE(piece == arena.base + used);
    PROVE(arena.used >= used && arena.used <= room && arena.used % ARENA_ALIGN == 0);
}

static void measure(void) {
    const size_t max = SIZE_MAX / 2 / ARENA_ALIGN, used[] = {0, 1, 64, max / 2, max - 1, max};
    size_t count = ANY_SIZE(0, SIZE_MAX), kind = ANY_SIZE(0, 3), at = ANY_SIZE(0, 5);
    //@ split kind;
    //@ split at;
    Arena arena = {.used = used[at] * ARENA_ALIGN};
    PROVE(arena_take(&arena, count, sizes[kind]) == NULL);
    PROVE(arena.used >= used[at] * ARENA_ALIGN && arena.used <= max * ARENA_ALIGN);
}

int main(void) {
    any_call = true;
    take();
    measure();
    END();
}
