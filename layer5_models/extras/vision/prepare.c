/* prepare.c - any picture as the vision tower reads it, and how many rows that makes.  See
 * vision.h. */
#include "vision/parts.h"

size_t vision_rows(const Vision *v) { return vision_most_rows(&v->model.extras->vision); }

void vision_read_whole(Vision *v) { v->model.extras->vision.max_tiles = 1; }

size_t vision_width(const Vision *v) { return v->model.extras->vision.width; }

void vision_grid(const Vision *v, const Picture *p, size_t grid[2]) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t step = s->patch * s->side;
    grid[0] = p->height / step, grid[1] = p->width / step;
}

size_t vision_rows_of(const Vision *v, const Picture *p) {
    const VisionTower *s = &v->model.extras->vision;
    size_t grid[2];
    if (!vision_any_size(s)) return p->height / s->image * s->rows;
    vision_grid(v, p, grid);
    return grid[0] * grid[1] + (s->row_end ? grid[0] - 1 : 0);
}

/* The patch of row 0 is the second one: class rows as llama.cpp has them in LLaVA. */
static bool loses_first(const VisionTower *s) { return s->class_after && s->kind->skips_block; }

VisionArea vision_area(const Vision *v, const Picture *p, size_t row) {
    const VisionTower *s = &v->model.extras->vision;
    const bool any = vision_any_size(s);
    const size_t step = s->patch * s->side, wide = (any ? p->width : s->image) / step,
                 high = (any ? p->height : s->image) / step, line = wide + (s->row_end != NULL),
                 tile = any ? 0 : row / s->rows, in_tile = any ? row : row % s->rows,
                 i = in_tile - (s->row_end ? in_tile / line : 0) + loses_first(s);
    size_t at[2];
    if (in_tile % line == wide || i == wide * high) return (VisionArea){0};
    square_of_row(s, i, high, wide, at);
    return (VisionArea){at[1] * step, tile * s->image + at[0] * step, step, step};
}

/* Idefics 3's first size: the long side as given, the short one even. */
static bool shape_first(const Picture *p, size_t side, PictureFilter filter, Picture *out,
                        Fault *fault) {
    const bool wide = p->width >= p->height;
    const double ratio = (double)p->width / (double)p->height;
    size_t other = (size_t)(wide ? (double)side / ratio : (double)side * ratio);
    other = max_size(other + other % 2, 1);
    return picture_resize(out, p, wide ? side : other, wide ? other : side, filter, fault);
}

static bool shape_rectangle(const VisionTower *s, const Picture *p, Picture *out,
                            Fault *fault) {
    const bool side = s->kind->fit == FIT_SIDE;
    size_t size[2];
    return picture_rectangle(p, s->kind->fit, s->patch * s->side, s->min_pixels,
                             side ? s->image : s->max_pixels, size, fault) &&
           picture_resize(out, p, size[0], size[1], s->kind->filter, fault);
}

bool vision_shape(const Vision *v, const Picture *picture, bool crop, Picture *out,
                  Fault *fault) {
    const VisionTower *s = &v->model.extras->vision;
    const PictureFit fit = crop ? FIT_CROP : s->kind->fit;
    Picture first = {0};
    unsigned char colour[3];
    *out = (Picture){0};
    if (vision_any_size(s)) return shape_rectangle(s, picture, out, fault);
    for (int c = 0; c < 3; c++) colour[c] = (unsigned char)(255 * s->mean[c]);
    if (s->first_long && !crop) {
        if (!shape_first(picture, s->first_long, s->kind->filter, &first, fault)) return false;
        picture = &first;
    }
    const bool ok =
        (s->max_tiles > 1 || s->kind->grid == GRID_CANVAS) && !crop
            ? picture_tiles(out, picture, s->kind->grid, s->kind->filter, s->image,
                            s->min_tiles, s->max_tiles, fault)
            : picture_square(out, picture, fit, s->kind->filter, colour, s->image, fault);
    picture_free(&first);
    return ok;
}
