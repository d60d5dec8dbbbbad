/* tiles.c - a large picture as squares, which the model reads one by one.  See picture.h. */
#include "picture.h"

#include "size.h"

#include <math.h>
#include <string.h>

/* The grid nearest to the picture's shape; of two equally near ones the larger, if the picture
 * has more than half as many pixels as that. */
static void nearest_grid(const Picture *p, size_t side, size_t min, size_t max,
                         size_t grid[2]) {
    const double shape = (double)p->width / (double)p->height,
                 area = (double)p->width * (double)p->height;
    double best = INFINITY;
    for (size_t n = min; n <= max; n++)
        for (size_t wide = 1; wide <= n; wide++) {
            const double off = fabs(shape - (double)wide / (double)(n / wide));
            if (n % wide || off > best) continue;
            if (off == best && area <= 0.5 * (double)(side * side * n)) continue;
            best = off, grid[0] = wide, grid[1] = n / wide;
        }
}

/* Round the long side up to whole squares, scale the other with it, and round that up, too. */
static void covering_grid(const Picture *p, size_t side, size_t grid[2]) {
    const bool wide = p->width >= p->height;
    const double shape = (double)p->width / (double)p->height;
    const size_t squares = div_up(wide ? p->width : p->height, side);
    const double length = (double)(squares * side);
    const size_t other = (size_t)(wide ? length / shape : length * shape);
    grid[0] = grid[1] = max_size(div_up(other, side), 1);
    grid[!wide] = squares;
}

/* How much a picture grows on a grid of so many squares; in single precision, as published. */
static float growth(const Picture *p, size_t side, size_t wide, size_t high) {
    return fminf((float)(wide * side) / (float)p->width,
                 (float)(high * side) / (float)p->height);
}

/* The grid on which the undistorted picture grows least; if none is large enough, shrinks
 * least.  Of grids on which it has the same size, the smallest. */
static void canvas_grid(const Picture *p, size_t side, size_t max, size_t grid[2]) {
    float best = growth(p, side, 1, 1);
    for (size_t wide = 1; wide <= max; wide++)
        for (size_t high = 1; wide * high <= max; high++) {
            const float grows = growth(p, side, wide, high);
            const bool better =
                grows >= 1 ? best < 1 || grows < best : grows > best && best < 1;
            if (!better && (grows != best || wide * high >= grid[0] * grid[1])) continue;
            best = grows, grid[0] = wide, grid[1] = high;
        }
}

/* The size in which the picture is painted: enlarged to fill one square, but no further. */
static void size_on_canvas(const Picture *p, size_t side, const size_t grid[2],
                           size_t size[2]) {
    const size_t wide = min_size(max_size(p->width, side), grid[0] * side),
                 high = min_size(max_size(p->height, side), grid[1] * side);
    const double x = (double)wide / (double)p->width, y = (double)high / (double)p->height;
    size[0] = x < y ? wide : min_size((size_t)((double)p->width * y), wide);
    size[1] = x < y ? min_size((size_t)((double)p->height * x), high) : high;
    for (int i = 0; i < 2; i++) size[i] = max_size(size[i], 1);
}

/* The picture in the upper left corner of a black grid. */
static bool paint_canvas(Picture *large, const Picture *p, PictureFilter filter, size_t side,
                         const size_t grid[2], Fault *fault) {
    Picture own;
    size_t size[2];
    size_on_canvas(p, side, grid, size);
    if (!picture_resize(&own, p, size[0], size[1], filter, fault)) return false;
    const bool ok = picture_init(large, grid[0] * side, grid[1] * side, fault);
    for (size_t y = 0; ok && y < size[1]; y++)
        memcpy(large->rgb + 3 * y * large->width, own.rgb + 3 * y * size[0], 3 * size[0]);
    picture_free(&own);
    return ok;
}

static void choose_grid(const Picture *p, PictureGrid rule, size_t side, size_t min, size_t max,
                        size_t grid[2]) {
    if (rule == GRID_COVER)
        covering_grid(p, side, grid);
    else if (rule == GRID_CANVAS)
        canvas_grid(p, side, max, grid);
    else
        nearest_grid(p, side, min, max, grid);
}

/* Copy tile (column, row) of a picture behind the `count` tiles of *out. */
static void copy_tile(const Picture *p, size_t side, size_t column, size_t row, size_t count,
                      Picture *out) {
    for (size_t y = 0; y < side; y++)
        memcpy(out->rgb + 3 * side * (count * side + y),
               p->rgb + 3 * ((row * side + y) * p->width + column * side), 3 * side);
}

bool picture_tiles(Picture *out, const Picture *p, PictureGrid rule, PictureFilter filter,
                   size_t side, size_t min, size_t max, Fault *fault) {
    Picture large, small = {0};
    size_t grid[2] = {1, 1};
    *out = (Picture){0};
    choose_grid(p, rule, side, min, max, grid);
    const size_t n = grid[0] * grid[1];
    if (!(rule == GRID_CANVAS
              ? paint_canvas(&large, p, filter, side, grid, fault)
              : picture_resize(&large, p, grid[0] * side, grid[1] * side, filter, fault)))
        return false;
    if (n == 1) return *out = large, true;
    bool ok =
        picture_init(out, side, (n + 1) * side, fault) &&
        picture_resize(&small, rule == GRID_COVER ? &large : p, side, side, filter, fault);
    for (size_t i = 0; ok && i < n; i++)
        copy_tile(&large, side, i % grid[0], i / grid[0], i, out);
    if (ok) copy_tile(&small, side, 0, 0, n, out);
    if (ok) out->columns = grid[0];
    if (!ok) picture_free(out);
    picture_free(&large), picture_free(&small);
    return ok;
}
