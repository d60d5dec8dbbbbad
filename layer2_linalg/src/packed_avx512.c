/* packed_avx512.c - packed weights to panels, 64 bytes at a time.  Read packed.c first. */
#include "packed.h"

#if defined(__x86_64__)
#include "unpack_avx512.h"
#include "unroll.h"

INLINE void unpack_all(int bits, const unsigned char *block, const int8_t *entries, int8_t *q) {
    const size_t bytes = bits == 5 ? 320 : bits == 6 ? 384 : 256;
    __m512i table = sixteen(entries);
    for (size_t g = 0; g < 8; g++, block += bytes, q += 512) {
        ask_ahead(block, bytes);
        UNROLL for (int quad = 0; quad < 8; quad++) _mm512_storeu_si512(
            q + 64 * quad, quad_of(bits, block, quad, table, entries != NULL));
    }
}

INLINE void unpack_numbers_avx512(const QuantFormat *f, const unsigned char *from,
                                  size_t groups, float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++) _mm512_storeu_ps(out[g], scales_of(f->scales, from, g));
}

AVX512 void panel_unpack_avx512(const QuantFormat *f, const unsigned char *piece,
                                Panel *panel) {
    PieceLayout at = piece_layout(f);
    const unsigned char *blocks = piece + at.blocks;
    int8_t *q = panel->own[0][0];
    panel->q = (const int8_t(*)[PANEL_ROWS][4])(at.bits == 8 ? (const int8_t *)blocks : q);
    ask_ahead(piece, at.blocks);
    unpack_numbers_avx512(f, piece, at.groups, panel->scale);
    if (f->min) unpack_numbers_avx512(f, piece + at.min, at.groups, panel->min);
    if (f->entries)
        unpack_all(4, blocks, f->entries, q);
    else if (at.bits == 4)
        unpack_all(4, blocks, NULL, q);
    else if (at.bits == 5)
        unpack_all(5, blocks, NULL, q);
    else if (at.bits == 6)
        unpack_all(6, blocks, NULL, q);
    else
        ask_ahead(blocks, sizeof panel->own);
}
#endif
