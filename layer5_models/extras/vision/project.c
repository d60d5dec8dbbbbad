/* project.c - the rows of patches as rows for the language model.  See vision.h. */
#include "vision/parts.h"

#include <math.h>
#include <string.h>

size_t merged_width(const Vision *v) {
    const VisionTower *s = &v->model.extras->vision;
    return v->model.sizes.dim * (s->kind->merge == MERGE_MEAN ? 1 : s->side * s->side);
}

size_t projector_mid(const VisionTower *s) {
    size_t mid = 0;
    for (int i = 0; i < 2 && s->kind->maps[i + 1]; i++)
        mid = max_size(mid, s->projector.maps[i].w.shape[0]);
    for (size_t k = 0; k < s->n_deep; k++) mid = max_size(mid, s->deep[k].maps[0].w.shape[0]);
    return mid;
}

/* Make one row of a square of patches, `side` on a side. */
static void merge_square(const Vision *v, const float *rows, size_t stride, size_t top,
                         size_t left, float *out) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t dim = v->model.sizes.dim, side = s->side, all = side * side;
    const VisionMerge merge = s->kind->merge;
    memset(out, 0, merged_width(v) * sizeof *out);
    for (size_t i = 0; i < all; i++) {
        const float *row =
            rows + v->order[(top + i / side) * v->across + left + i % side] * stride;
        if (merge == MERGE_MIX)
            for (size_t k = 0; k < dim; k++) out[k * all + i] = row[k];
        else
            axpy(out, merge == MERGE_MEAN ? 1 / (float)all : 1, row, dim);
        if (merge == MERGE_STACK) out += dim;
    }
}

void square_of_row(const VisionTower *s, size_t i, size_t high, size_t wide, size_t at[2]) {
    const bool by_column = s->class_last && s->kind->class_behind; /* llama.cpp's Llama 4 */
    at[0] = by_column ? i % high : i / wide;
    at[1] = by_column ? i / high : i % wide;
}

/* The rows of all patches as v->merged. */
static void merge_patches(const Vision *v, const float *rows, size_t stride) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t side = s->side, wide = v->across / side, high = v->down / side;
    for (size_t i = 0, at[2]; i < high * wide; i++) {
        square_of_row(s, i, high, wide, at);
        merge_square(v, rows, stride, at[0] * side, at[1] * side,
                     v->merged + i * merged_width(v));
    }
}

/* Put the row that ends a line behind each line of rows but the last. */
static void end_lines(const Vision *v, float *out) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t width = s->width, wide = v->across / s->side, high = v->down / s->side;
    for (size_t y = high; y-- > 0 && s->row_end;) {
        float *line = out + y * (wide + 1) * width;
        memmove(line, out + y * wide * width, wide * width * sizeof *out);
        if (y + 1 < high) memcpy(line + wide * width, s->row_end, width * sizeof *out);
    }
}

/* x = (x sqrt(dim) - shift) scale. */
static void standardize(const VisionTower *s, float *x, size_t dim) {
    const float root = sqrtf((float)dim);
    for (size_t i = 0; i < dim; i++)
        x[i] = (x[i] * root - (s->shift ? s->shift[i] : 0)) * (s->scale ? s->scale[i] : 1);
}

void project_patches(Vision *v, const VisionProjector *p, const float *rows, size_t stride,
                     float *out) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t n = v->down * v->across / (s->side * s->side);
    Pool *pool = v->session.pool;
    float *in = v->merged;
    merge_patches(v, rows, stride);
    for (size_t i = 0; i < n && s->kind->standardized; i++)
        standardize(s, in + i * merged_width(v), merged_width(v));
    norm_apply_rows(pool, &p->norm, in, in, n, merged_width(v));
    if (p->merger.w.data) linear(pool, &p->merger, in, n, v->input, v->scratch), in = v->input;
    for (int i = 0; i < 3 && p->maps[i].w.data; i++) {
        const bool last = i == 2 || !p->maps[i + 1].w.data;
        float *to = last ? out : i ? v->merged : v->mid;
        linear(pool, &p->maps[i], in, n, to, v->scratch), in = to;
        if (!last) activate(s->project_act, to, to, n * p->maps[i].w.shape[0]);
    }
}

void vision_project(Vision *v, float *out) {
    const VisionTower *s = &v->model.extras->vision;
    project_patches(v, &s->projector, v->session.hidden, v->model.sizes.dim, out);
    end_lines(v, out);
    if (s->n_deep) deep_project(v, out);
}
