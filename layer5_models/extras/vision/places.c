/* places.c - where a patch is, as numbers that are added to its row.  See parts.h.
 *
 * Gemma 4 has a row for each column and one for each line.  Qwen 3 VL has one for each place of
 * a square, which is stretched over the picture, corner on corner: a patch is between four of
 * them.
 *
 *     square   A   B   C        picture, 5 across   A   (A+B)/2   B   (B+C)/2   C
 *
 * Source   the models' published code: the transformers library's modeling_gemma4.py and
 *          modeling_qwen3_vl.py */
#include "vision/parts.h"

static void add_place(Vision *v, float *row, size_t place, float weight) {
    const VisionTower *s = &v->model.extras->vision;
    embedding(v->place, &s->places, place);
    axpy(row, weight, v->place, v->model.sizes.dim);
}

/* Number i of `count` along a side of the square: it is behind place `at`, by a part. */
static size_t place_along(size_t i, size_t count, size_t side, float *part) {
    const size_t way = i * (side - 1), steps = max_size(count, 2) - 1;
    *part = (float)(way % steps) / (float)steps;
    return way / steps;
}

static void add_four_places(Vision *v, float *row, size_t i) {
    const size_t side = v->model.extras->vision.n_places;
    float down, right;
    const size_t y = place_along(i / v->across, v->down, side, &down),
                 x = place_along(i % v->across, v->across, side, &right),
                 below = min_size(y + 1, side - 1), beside = min_size(x + 1, side - 1);
    add_place(v, row, y * side + x, (1 - down) * (1 - right));
    add_place(v, row, y * side + beside, (1 - down) * right);
    add_place(v, row, below * side + x, down * (1 - right));
    add_place(v, row, below * side + beside, down * right);
}

void add_places(Vision *v, float *rows) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t dim = v->model.sizes.dim;
    for (size_t i = 0; i < v->down * v->across && s->n_places; i++) {
        float *row = rows + v->order[i] * dim;
        if (s->kind->stretched) {
            add_four_places(v, row, i);
            continue;
        }
        add_place(v, row, i % v->across, 1);
        add_place(v, row, s->n_places + i / v->across, 1);
    }
}
