/* refused: what the contracts of layer 1 forbid */
#include "check.h"
#include "tensor.h"

/* the first piece takes all that can be counted */
static void take_two_huge_pieces(void) {
    Arena arena;
    arena_measure(&arena);
    arena_take(&arena, SIZE_MAX / 2 / ARENA_ALIGN, ARENA_ALIGN);
    arena_take(&arena, SIZE_MAX / 2 + 2, 1);
}

static void one_huge_piece(void) {
    Arena arena;
    arena_measure(&arena);
    arena_take(&arena, SIZE_MAX / 2, 1);
}

static void arena_counts_without_wrapping(void **state) {
    (void)state;
    check_abort(take_two_huge_pieces, "overflows");
    check_abort(one_huge_piece, "overflows");
}

RUN(TEST(arena_counts_without_wrapping))
