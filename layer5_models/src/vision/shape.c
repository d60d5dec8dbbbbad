/* shape.c - pictures of other shapes and sizes.  See picture.h. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copy width x height pixels. */
static void copy_part(Picture *to, size_t to_x, size_t to_y, const Picture *from, size_t x,
                      size_t y, size_t width, size_t height) {
    for (size_t i = 0; i < height; i++)
        memcpy(to->rgb + ((to_y + i) * to->width + to_x) * 3,
               from->rgb + ((y + i) * from->width + x) * 3, width * 3);
}

bool picture_square(Picture *out, const Picture *p, PictureFit fit,
                    const unsigned char colour[3], Fault *fault) {
    size_t w = p->width, h = p->height, longer = w > h ? w : h, shorter = w + h - longer;
    size_t side = fit == FIT_PAD ? longer : shorter;
    if (!picture_init(out, side, side, fault)) return false;
    if (fit == FIT_CROP) {
        copy_part(out, 0, 0, p, (w - side) / 2, (h - side) / 2, side, side);
        return true;
    }
    for (size_t i = 0; i < side * side; i++) memcpy(out->rgb + 3 * i, colour, 3);
    copy_part(out, (side - w) / 2, (side - h) / 2, p, 0, 0, w, h);
    return true;
}

/* ------------------------------------------------------------------ sizes */

/* Keys's cubic, a = -1/2: 1 at 0, and 0 at all other whole numbers. */
static double cubic(double t) {
    t = fabs(t);
    if (t < 1) return (1.5 * t - 2.5) * t * t + 1;
    return t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}

/* Which old pixels a new one is made of, and what each weighs; the weights sum to 1. */
typedef struct Taps {
    size_t first, count;
    double *weight; /* (most) */
} Taps;

/* New pixel i stands at (i + 1/2) * scale of the old line; where the line shrinks, the cubic is as much wider. */
static void find_taps(Taps *taps, size_t i, size_t from, size_t to) {
    double scale = (double)from / (double)to, wide = scale > 1 ? scale : 1,
           centre = ((double)i + 0.5) * scale, sum = 0;
    double begin = floor(centre - 2 * wide + 0.5), end = floor(centre + 2 * wide + 0.5);
    taps->first = begin > 0 ? (size_t)begin : 0;
    taps->count = (end < (double)from ? (size_t)end : from) - taps->first;
    for (size_t k = 0; k < taps->count; k++)
        sum += taps->weight[k] = cubic(((double)(taps->first + k) + 0.5 - centre) / wide);
    for (size_t k = 0; k < taps->count; k++) taps->weight[k] /= sum;
}

static unsigned char rounded(double x) {
    return x <= 0 ? 0 : x >= 255 ? 255 : (unsigned char)(x + 0.5);
}

/* Lines of `from` pixels that stand `step` bytes apart become lines of `to` pixels. */
typedef struct Lines {
    const unsigned char *in;
    unsigned char *out;
    size_t from, to, count;
    size_t in_step, out_step; /* bytes from pixel to pixel */
    size_t in_line, out_line; /* ... from line to line */
} Lines;

static bool resize_lines(const Lines *l, Fault *fault) {
    size_t most = 4 * (l->from / l->to + 2);
    Taps taps = {.weight = malloc(most * sizeof *taps.weight)};
    if (!taps.weight) return fault_set(fault, "no memory to resize a picture");
    for (size_t i = 0; i < l->to; i++) {
        find_taps(&taps, i, l->from, l->to);
        for (size_t line = 0; line < l->count; line++)
            for (size_t c = 0; c < 3; c++) {
                const unsigned char *at =
                    l->in + line * l->in_line + taps.first * l->in_step + c;
                double sum = 0;
                for (size_t k = 0; k < taps.count; k++, at += l->in_step)
                    sum += taps.weight[k] * *at;
                l->out[line * l->out_line + i * l->out_step + c] = rounded(sum);
            }
    }
    free(taps.weight);
    return true;
}

bool picture_resize(Picture *out, const Picture *p, size_t width, size_t height, Fault *fault) {
    Picture wide;
    *out = (Picture){0};
    if (!picture_init(&wide, width, p->height, fault)) return false;
    Lines rows = {p->rgb, wide.rgb, p->width, width, p->height, 3, 3, 3 * p->width, 3 * width};
    bool ok = resize_lines(&rows, fault) && picture_init(out, width, height, fault);
    Lines columns = {wide.rgb, out->rgb, p->height, height, width, 3 * width, 3 * width, 3, 3};
    if (ok && !(ok = resize_lines(&columns, fault))) picture_free(out);
    picture_free(&wide);
    return ok;
}
