/* panel.c - see panel.h: products in whole numbers, as they are read first. */
#include "panel.h"
#include "kernel_table.h"
#include "simd/prefetch.h"

#include <math.h>
#include <string.h>

void panel_interleave_scalar(const Quants rows[PANEL_ROWS], PanelQuad q[PANEL_QUADS]) {
    for (size_t quad = 0; quad < PANEL_QUADS; quad++)
        for (size_t r = 0; r < PANEL_ROWS; r++) memcpy(q[quad][r], rows[r].q + 4 * quad, 4);
}

/* The quants of 16 rows; where there are fewer, the last one again.  The processor does not see that
 * each row goes on when 16 of them are read a little at a time, so what comes next is prefetched. */
static void unpack_rows(const QuantFormat *format, const void *w, size_t stride, size_t rows,
                        size_t n, Quants quants[PANEL_ROWS]) {
    for (size_t r = 0; r < PANEL_ROWS; r++) {
        const char *row = (const char *)w + (r < rows ? r : rows - 1) * stride;
        prefetch(row + 256, 320);
        format->unpack(row, n, &quants[r]);
    }
}

void panel_read(Panel *panel, const QuantFormat *format, const void *w, size_t stride,
                size_t rows, size_t n) {
    Quants quants[PANEL_ROWS];
    unpack_rows(format, w, stride, rows, n, quants);
    kernels()->panel_interleave((const Quants *)quants, panel->own);
    panel->q = (const PanelQuad *)panel->own;
    for (size_t g = 0; g < n / (size_t)format->group; g++)
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            panel->scale[g][r] = quants_scale(format, &quants[r], g);
            if (format->min) panel->min[g][r] = quants_min(format, &quants[r], g);
        }
}

/* One group of one row with one input: 16 or 32 products. */
static int group_product(const Panel *panel, const int8_t *q, size_t first, size_t count,
                         size_t row) {
    int sum = 0;
    for (size_t k = first; k < first + count; k++) sum += panel->q[k / 4][row][k % 4] * q[k];
    return sum;
}

/* y[r] += 16 rows times the first input of a tile. */
static void add_product(const Panel *panel, const QuantFormat *f, InputTile x,
                        float y[PANEL_ROWS]) {
    size_t group = (size_t)f->group;
    for (size_t g = 0; g < x.n / group; g++) {
        int inputs = group == 16 ? x.sum[g] : x.sum[2 * g] + x.sum[2 * g + 1];
        float d = x.d[g * group / 32];
        for (size_t r = 0; r < PANEL_ROWS; r++) {
            int product = group_product(panel, x.q, g * group, group, r) - f->offset * inputs;
            y[r] = fmaf((float)product, panel->scale[g][r] * d, y[r]);
            if (f->min) y[r] = fmaf((float)inputs * d, panel->min[g][r], y[r]);
        }
    }
}

void panel_product_scalar(const Panel *panels, size_t count, const QuantFormat *f,
                          const InputTile *x, float (*y)[PANEL_ROWS]) {
    for (size_t p = 0; p < count; p++)
        for (size_t c = 0; c < x->count; c++)
            add_product(panels + p, f, input_tile_after(*x, c), y[p * x->count + c]);
}
