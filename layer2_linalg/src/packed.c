/* packed.c - weights in the order in which panels want them.  See packed.h for the picture. */
#include "kernel_table.h"
#include "simd/smaller.h"
#include "simd/unpack.h"

#include <string.h>

static size_t pieces_of(size_t cols) { return (cols + LEVELS_CHUNK - 1) / LEVELS_CHUNK; }

size_t packed_bytes(Dtype dtype, size_t rows, size_t cols) {
    return (rows + PANEL_ROWS - 1) / PANEL_ROWS * pieces_of(cols) *
           piece_layout(quant_format(dtype)).bytes;
}

static void pack_scales(const QuantFormat *f, const Levels *levels, unsigned char *piece) {
    PieceLayout at = piece_layout(f);
    for (size_t r = 0; r < PANEL_ROWS; r++) {
        if (f->scales == SCALE_TIMES) {
            memcpy(piece + 4 * r, &levels[r].d[0], 4);
            if (f->min) memcpy(piece + at.min + 4 * r, &levels[r].dmin[0], 4);
        }
        for (size_t g = 0; g < at.groups; g++) {
            size_t i = g * PANEL_ROWS + r;
            if (f->scales == SCALE_TIMES) {
                piece[64 + i] = (unsigned char)levels[r].times[g];
                if (f->min) piece[at.min + 64 + i] = (unsigned char)levels[r].min_times[g];
                continue;
            }
            uint16_t d = f->scales == SCALE_F16 ? f16_from_f32(levels[r].d[g])
                                                : bf16_from_f32(levels[r].d[g]),
                     m = f->min ? f16_from_f32(levels[r].dmin[g]) : 0;
            memcpy(piece + 2 * i, &d, 2);
            if (f->min) memcpy(piece + at.min + 2 * i, &m, 2);
        }
    }
}

/* Levels become the places where they stand among the sixteen entries. */
static void look_back(const int8_t *entries, uint8_t *q, size_t n) {
    uint8_t place[256] = {0};
    for (int i = 15; i >= 0; i--) place[(uint8_t)entries[i]] = (uint8_t)i;
    for (size_t i = 0; i < n; i++) q[i] = place[q[i]];
}

/* A block's eight quads, 64 bytes each: four low bits of all, then what there is above. */
static void pack_block(int bits, const uint8_t *restrict q, unsigned char *restrict low) {
    unsigned char *restrict high = low + 256;
    for (size_t b = 0; b < 256; b++) low[b] = (unsigned char)((q[b] & 15) | q[256 + b] << 4);
    for (size_t i = 0; bits == 5 && i < 8; i++)
        for (size_t b = 0; b < 64; b++) high[b] |= (unsigned char)((q[64 * i + b] >> 4) << i);
    for (size_t i = 0; bits == 6 && i < 8; i++)
        for (size_t b = 0; b < 64; b++)
            high[64 * (i / 4) + b] |= (unsigned char)((q[64 * i + b] >> 4) << (2 * (i % 4)));
}

static void pack_levels(const QuantFormat *f, uint8_t *q, unsigned char *piece) {
    PieceLayout at = piece_layout(f);
    memset(piece + at.blocks, 0, at.bytes - at.blocks);
    if (at.bits == 8) {
        memcpy(piece + at.blocks, q, sizeof(int8_t[PANEL_QUADS][PANEL_ROWS][4]));
        return;
    }
    if (f->entries) look_back(f->entries, q, sizeof(int8_t[PANEL_QUADS][PANEL_ROWS][4]));
    for (size_t g = 0; g < 8; g++)
        pack_block(at.bits, q + 512 * g, piece + at.blocks + at.block * g);
}

typedef struct PackTask {
    PackedWeights *packed;
    const Tensor *w;
} PackTask;

/* The tiles begin .. end-1 of 16 rows. */
static void pack_tiles(void *context, int worker, size_t begin, size_t end) {
    const PackTask *t = context;
    const PackedWeights *p = t->packed;
    size_t step = dtype_row_bytes(t->w->dtype, LEVELS_CHUNK);
    int8_t turned[PANEL_QUADS][PANEL_ROWS][4];
    Levels levels[PANEL_ROWS];
    (void)worker;
    for (size_t tile = begin; tile < end; tile++)
        for (size_t i = 0; i < pieces_of(p->cols); i++) {
            size_t row = tile * PANEL_ROWS, left = p->cols - i * LEVELS_CHUNK,
                   rows = p->rows - row < PANEL_ROWS ? p->rows - row : PANEL_ROWS;
            unsigned char *piece = p->data + (tile * pieces_of(p->cols) + i) * p->piece_bytes;
            memset(levels, 0, sizeof levels);
            for (size_t r = 0; r < PANEL_ROWS; r++)
                p->format->read(
                    (const char *)tensor_row(t->w, row + (r < rows ? r : rows - 1)) + i * step,
                    left < LEVELS_CHUNK ? left : LEVELS_CHUNK, &levels[r]);
            kernels()->panel_turn(levels, turned);
            pack_scales(p->format, levels, piece);
            pack_levels(p->format, (uint8_t *)turned, piece);
        }
}

void packed_fill(Pool *pool, PackedWeights *packed, const Tensor *w, void *data) {
    *packed = (PackedWeights){.format = quant_format(w->dtype),
                              .rows = w->shape[0],
                              .cols = w->shape[1],
                              .data = data};
    packed->piece_bytes = piece_layout(packed->format).bytes;
    PackTask task = {packed, w};
    pool_for(pool, (packed->rows + PANEL_ROWS - 1) / PANEL_ROWS, 4, pack_tiles, &task);
}

static const unsigned char *piece_at(const PackedWeights *p, size_t row, size_t piece) {
    return p->data + (row / PANEL_ROWS * pieces_of(p->cols) + piece) * p->piece_bytes;
}

void packed_panel(const PackedWeights *p, size_t row, size_t piece, Panel *panel) {
    kernels()->panel_unpack(p->format, piece_at(p, row, piece), panel);
}

void packed_product(const PackedWeights *p, size_t row, const Columns *x, size_t column,
                    float y[PANEL_ROWS]) {
    kernels()->rows_product(p->format, piece_at(p, row, 0), x, column, y);
}

/* A group's sixteen scales at a time. */
static void unpack_numbers(const QuantFormat *f, const unsigned char *from, size_t groups,
                           float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++)
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            if (f->scales == SCALE_TIMES) {
                out[g][r] = ((const float *)(const void *)from)[r] *
                            (float)((const int8_t *)from)[64 + PANEL_ROWS * g + r];
            } else {
                uint16_t half = ((const uint16_t *)(const void *)from)[PANEL_ROWS * g + r];
                out[g][r] = f->scales == SCALE_F16 ? f16_to_f32(half) : bf16_to_f32(half);
            }
        }
}

/* pack_block undone. */
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

void panel_unpack_scalar(const QuantFormat *f, const unsigned char *piece, Panel *panel) {
    PieceLayout at = piece_layout(f);
    uint8_t *q = (uint8_t *)panel->own;
    unpack_numbers(f, piece, at.groups, panel->scale);
    if (f->min) unpack_numbers(f, piece + at.min, at.groups, panel->min);
    panel->q = (const int8_t(*)[PANEL_ROWS][4])(at.bits == 8 ? piece + at.blocks : q);
    for (size_t g = 0; at.bits < 8 && g < 8; g++)
        unpack_block(at.bits, piece + at.blocks + at.block * g, q + 512 * g);
    for (size_t i = 0; f->entries && i < sizeof panel->own; i++)
        q[i] = (uint8_t)f->entries[q[i]];
}

/* By way of panels, with the kernels in use: for sets that have no version of their own. */
void rows_product_scalar(const QuantFormat *f, const unsigned char *pieces, const Columns *x,
                         size_t column, float y[PANEL_ROWS]) {
    Panel panel;
    memset(y, 0, PANEL_ROWS * sizeof *y);
    for (size_t k = 0; k < x->k; k += LEVELS_CHUNK, pieces += piece_layout(f).bytes) {
        size_t at = columns_at(x, column, k);
        kernels()->panel_unpack(f, pieces, &panel);
        kernels()->panel_product(&panel, 1, f, smaller(x->k - k, LEVELS_CHUNK), x->q + at,
                                 x->d + at / 32, x->sum + at / 16, 1, (float(*)[PANEL_ROWS])y);
    }
}
