/* dot_tile.h - what an instruction set supplies for each format: a tile of dot products.  With several outputs at once,
 * a weight or an input that has been loaded is used several times. */
#ifndef STRATA_DOT_TILE_H
#define STRATA_DOT_TILE_H

#include "tensor.h"

/* Every one of `rows` weight rows with every one of `cols` inputs of n numbers:
 *
 *     y[c * y_stride + r] = dot(w row r, x + c * x_stride) */
typedef struct DotTask {
    const void *w;
    const float *x;
    float *y;
    size_t w_stride;           /* bytes from one row to the next */
    size_t x_stride, y_stride; /* floats from one input, or its outputs, to the next */
    size_t rows, cols, n;
} DotTask;

typedef void DotTile(DotTask t);

#define DOT_TILES(isa) DotTile dot_tile_f32_##isa, dot_tile_f16_##isa, dot_tile_bf16_##isa

DOT_TILES(scalar);
#if defined(__x86_64__)
DOT_TILES(avx2);
DOT_TILES(avx512);
DotTile dot_tile_bf16_avx512bf16;
#elif defined(__aarch64__)
DOT_TILES(neon);
#endif

#endif
