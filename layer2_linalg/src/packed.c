/* packed.c - weights in the order of panels; see packed.h and simd/packed_layout.h. */
#include "kernels/kernel_table.h"
#include "size.h"
#include "simd/packed_layout.h"

#include <string.h>

size_t packed_bytes(Dtype dtype, size_t rows, size_t cols) {
    return div_up(rows, PANEL_ROWS) * div_up(cols, PANEL_COLS) *
           tile_layout(packed_layout(quant_format(dtype))).bytes;
}

/* The scales; the mins, at `at.min`, likewise:
 *
 *    f16 or bf16   group 0: 16 rows | group 1: 16 rows | ...                     2 bytes each
 *    superblock    d of 16 rows (floats, 64 bytes) | group 0: 16 rows | ...      1 byte each */
static void pack_scales(const QuantFormat *f, const Quants *quants, unsigned char *tile) {
    TileLayout at = tile_layout(packed_layout(f));
    for (size_t r = 0; r < PANEL_ROWS; r++) {
        if (f->scales == SCALE_SUPERBLOCK) {
            memcpy(tile + 4 * r, &quants[r].d[0], 4);
            if (f->min) memcpy(tile + at.min + 4 * r, &quants[r].dmin[0], 4);
        }
        for (size_t g = 0; g < at.groups; g++) {
            size_t i = g * PANEL_ROWS + r;
            if (f->scales == SCALE_SUPERBLOCK) {
                tile[64 + i] = (unsigned char)quants[r].sub_scale[g];
                if (f->min) tile[at.min + 64 + i] = (unsigned char)quants[r].sub_min[g];
                continue;
            }
            uint16_t d = f->scales == SCALE_F16 ? f16_from_f32(quants[r].d[g])
                                                : bf16_from_f32(quants[r].d[g]),
                     m = f->min ? f16_from_f32(quants[r].dmin[g]) : 0;
            memcpy(tile + 2 * i, &d, 2);
            if (f->min) memcpy(tile + at.min + 2 * i, &m, 2);
        }
    }
}

/* Replace quants by their indices in the codebook. */
static void codebook_index(const int8_t *codebook, uint8_t *q, size_t n) {
    uint8_t index[256] = {0};
    for (int i = 15; i >= 0; i--) index[(uint8_t)codebook[i]] = (uint8_t)i;
    for (size_t i = 0; i < n; i++) q[i] = index[q[i]];
}

/* A block's eight quads of 64 bytes.  First the low four bits of all:
 *
 *     byte b       | quad b / 64 + 4 : high nibble | quad b / 64 : low nibble |      b < 256
 *
 * then, with 5 bits, byte b has bit 4 of each of the 8 quads; with 6, two bits of each of 4
 * quads. */
static void pack_block(int bits, const uint8_t *restrict q, unsigned char *restrict low) {
    unsigned char *restrict high = low + 256;
    for (size_t b = 0; b < 256; b++) low[b] = (unsigned char)((q[b] & 15) | q[256 + b] << 4);
    for (size_t i = 0; bits == 5 && i < 8; i++)
        for (size_t b = 0; b < 64; b++) high[b] |= (unsigned char)((q[64 * i + b] >> 4) << i);
    for (size_t i = 0; bits == 6 && i < 8; i++)
        for (size_t b = 0; b < 64; b++)
            high[64 * (i / 4) + b] |= (unsigned char)((q[64 * i + b] >> 4) << (2 * (i % 4)));
}

static void pack_quants(const QuantFormat *f, uint8_t *q, unsigned char *tile) {
    TileLayout at = tile_layout(packed_layout(f));
    memset(tile + at.blocks, 0, at.bytes - at.blocks);
    if (at.bits == 8) {
        memcpy(tile + at.blocks, q, sizeof(PanelQuad[PANEL_QUADS]));
        return;
    }
    if (f->codebook) codebook_index(f->codebook, q, sizeof(PanelQuad[PANEL_QUADS]));
    for (size_t g = 0; g < 8; g++)
        pack_block(at.bits, q + 512 * g, tile + at.blocks + at.block * g);
}

typedef struct PackTask {
    PackedWeights *packed;
    const Tensor *w;
} PackTask;

/* Pack tile `at` of the 16 rows from `row` on; missing rows repeat the last. */
static void pack_tile(const PackTask *t, size_t row, size_t at) {
    const PackedWeights *p = t->packed;
    size_t rows = min_size(PANEL_ROWS, p->rows - row), k = at * PANEL_COLS;
    unsigned char *tile = packed_tile_at(p, row, at);
    PanelQuad interleaved[PANEL_QUADS];
    Quants quants[PANEL_ROWS];
    memset(quants, 0, sizeof quants); /* past the last column */
    for (size_t r = 0; r < PANEL_ROWS; r++)
        p->format->unpack((const char *)tensor_row(t->w, min_size(row + r, row + rows - 1)) +
                              dtype_row_bytes(t->w->dtype, k),
                          min_size(PANEL_COLS, p->cols - k), &quants[r]);
    kernels()->panel_interleave((const Quants *)quants, interleaved);
    pack_scales(p->format, quants, tile);
    pack_quants(p->format, (uint8_t *)interleaved, tile);
}

static void pack_strips(void *context, int worker, size_t begin, size_t end) {
    const PackTask *t = context;
    (void)worker;
    for (size_t strip = begin; strip < end; strip++)
        for (size_t at = 0; at < div_up(t->packed->cols, PANEL_COLS); at++)
            pack_tile(t, strip * PANEL_ROWS, at);
}

void packed_fill(Pool *pool, PackedWeights *packed, const Tensor *w, void *data) {
    *packed = (PackedWeights){.format = quant_format(w->dtype),
                              .rows = w->shape[0],
                              .cols = w->shape[1],
                              .data = data};
    packed->tile_bytes = tile_layout(packed_layout(packed->format)).bytes;
    PackTask task = {packed, w};
    pool_for(pool, div_up(packed->rows, PANEL_ROWS), 4, pack_strips, &task);
}

/* The inverse of pack_scales: scales or mins as floats. */
static void unpack_numbers(const QuantFormat *f, const unsigned char *from, size_t groups,
                           float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++)
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            if (f->scales == SCALE_SUPERBLOCK) {
                out[g][r] = ((const float *)(const void *)from)[r] *
                            (float)((const int8_t *)from)[64 + PANEL_ROWS * g + r];
            } else {
                uint16_t half = ((const uint16_t *)(const void *)from)[PANEL_ROWS * g + r];
                out[g][r] = f->scales == SCALE_F16 ? f16_to_f32(half) : bf16_to_f32(half);
            }
        }
}

/* The inverse of pack_block. */
static void unpack_block(int bits, const unsigned char *restrict low, uint8_t *restrict q) {
    const unsigned char *restrict high = low + 256;
    for (size_t b = 0; b < 256; b++) q[b] = low[b] & 15;
    for (size_t b = 0; b < 256; b++) q[256 + b] = (uint8_t)(low[b] >> 4);
    for (size_t i = 0; bits == 5 && i < 8; i++)
        for (size_t b = 0; b < 64; b++) q[64 * i + b] |= (uint8_t)((high[b] >> i & 1) << 4);
    for (size_t i = 0; bits == 6 && i < 8; i++)
        for (size_t b = 0; b < 64; b++)
            q[64 * i + b] |= (uint8_t)((high[64 * (i / 4) + b] >> (2 * (i % 4)) & 3) << 4);
}

void panel_unpack_scalar(const QuantFormat *f, const unsigned char *tile, Panel *panel) {
    TileLayout at = tile_layout(packed_layout(f));
    uint8_t *q = (uint8_t *)panel->own;
    unpack_numbers(f, tile, at.groups, panel->scale);
    if (f->min) unpack_numbers(f, tile + at.min, at.groups, panel->min);
    panel->q = (const PanelQuad *)(at.bits == 8 ? tile + at.blocks : q);
    for (size_t g = 0; at.bits < 8 && g < 8; g++)
        unpack_block(at.bits, tile + at.blocks + at.block * g, q + 512 * g);
    for (size_t i = 0; f->codebook && i < sizeof panel->own; i++)
        q[i] = (uint8_t)f->codebook[q[i]];
}

/* Through panels and the kernels in use, for sets without a version of their own. */
void rows_product_scalar(const QuantFormat *f, const unsigned char *tiles, size_t strips,
                         const Inputs *x, size_t index, float (*y)[PANEL_ROWS]) {
    const size_t bytes = tile_layout(packed_layout(f)).bytes;
    Panel panel;
    memset(y, 0, strips * sizeof *y);
    for (size_t s = 0; s < strips; s++)
        for (size_t k = 0; k < x->k; k += PANEL_COLS, tiles += bytes) {
            const InputTile in = input_tile(x, index, 1, k);
            kernels()->panel_unpack(f, tiles, &panel);
            kernels()->panel_product(&panel, 1, f, &in, &y[s]);
        }
}
