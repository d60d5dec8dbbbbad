/* pieces.c - see pieces.h. */
#include "pieces.h"

#include <stdlib.h>

enum { PIECE_SIZE = 1 << 16, PIECE_ALIGN = 16 };

typedef struct Piece {
    struct Piece *before;
    size_t used, size;
    _Alignas(PIECE_ALIGN) unsigned char bytes[];
} Piece;

void *pieces_take(Pieces *pieces, size_t size) {
    Piece *piece = pieces->last;
    size_t most = pieces->limit ? pieces->limit : (size_t)-1 / 2;
    if (size > most) return NULL;
    size = (size + PIECE_ALIGN - 1) & ~(size_t)(PIECE_ALIGN - 1);
    if (size > most - pieces->taken) return NULL;
    if (!piece || piece->size - piece->used < size) {
        size_t room = size > PIECE_SIZE ? size : PIECE_SIZE;
        piece = calloc(1, sizeof *piece + room);
        if (!piece) return NULL;
        piece->before = pieces->last;
        piece->size = room;
        pieces->last = piece;
    }
    void *out = piece->bytes + piece->used;
    piece->used += size;
    pieces->taken += size;
    return out;
}

void pieces_free(Pieces *pieces) {
    for (Piece *piece = pieces->last, *before; piece; piece = before) {
        before = piece->before;
        free(piece);
    }
    pieces->last = NULL;
    pieces->taken = 0;
}
