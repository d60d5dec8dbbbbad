/* pieces.h - memory for many small things that are given back together.
 *
 * A tree that is read, a program that is run: nobody knows beforehand how much they need (what an arena
 * asks for), and nobody wants to free them one by one.  Pieces grow:
 *
 *     last ──▶ |####·····|──▶ |########|──▶ |########|        one malloc for many small takes
 *
 * Invariant: what was taken stays where it is until pieces_free; taken <= limit, where there is one. */
#ifndef STRATA_PIECES_H
#define STRATA_PIECES_H

#include <stddef.h>

typedef struct Pieces {
    struct Piece *last; /* owns, and through it all before */
    size_t taken;       /* bytes handed out */
    size_t limit;       /* bytes that may be; 0: no limit */
} Pieces;

/* `size` bytes, zeroed, at a multiple of 16.  NULL beyond the limit or when memory is short. */
void *pieces_take(Pieces *pieces, size_t size);

/* Free all that was taken. */
void pieces_free(Pieces *pieces);

#endif
