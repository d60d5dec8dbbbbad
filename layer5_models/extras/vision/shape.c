/* shape.c - any picture as a square of the model's size.  See picture.h. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

/* Keys's cubic, a = -1/2: 1 at 0, and 0 at all other integers. */
static double cubic(double t) {
    t = fabs(t);
    if (t < 1) return (1.5 * t - 2.5) * t * t + 1;
    return t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}

/* The old pixels of a new one and their weights, which sum to 1. */
typedef struct Taps {
    size_t first, count;
    double *weight; /* (most) */
    double bar;     /* total weight of pixels in bars */
} Taps;

/* New pixel i is at (i + 1/2) * scale of the old line; when shrinking, the cubic is wider by
 * scale. */
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

/* A line's part that is picture: `count` pixels from its pixel `skip` on, after `before` bar
 * pixels. */
typedef struct Part {
    size_t before, skip, count;
} Part;

static Part shape_middle(size_t length, size_t side) {
    if (length < side) return (Part){(side - length) / 2, 0, length};
    return (Part){0, (length - side) / 2, side};
}

/* Keep only the picture's old pixels, counted from its first one. */
static void leave_out_bars(Taps *taps, Part part) {
    size_t n = 0, first = 0;
    taps->bar = 0;
    for (size_t k = 0; k < taps->count; k++) {
        size_t at = taps->first + k - part.before; /* wraps around in the bar before */
        if (at >= part.count) {
            taps->bar += taps->weight[k];
        } else {
            if (n == 0) first = at;
            taps->weight[n++] = taps->weight[k];
        }
    }
    taps->first = first, taps->count = n;
}

static unsigned char rounded(double x) {
    return x <= 0 ? 0 : x >= 255 ? 255 : (unsigned char)(x + 0.5);
}

/* Resample lines of `from` pixels to lines of `to` pixels. */
typedef struct Lines {
    const unsigned char *in, *bar; /* the first pixel of the picture; (3) */
    unsigned char *out;
    Part part;
    size_t from, to, count;
    size_t in_step, out_step; /* bytes between pixels */
    size_t in_line, out_line; /* ... between lines */
} Lines;

static bool resize_lines(const Lines *l, Fault *fault) {
    size_t most = 4 * (l->from / l->to + 2);
    Taps taps = {.weight = malloc(most * sizeof *taps.weight)};
    if (!taps.weight) return fault_set(fault, "no memory to resize a picture");
    for (size_t i = 0; i < l->to; i++) {
        find_taps(&taps, i, l->from, l->to);
        leave_out_bars(&taps, l->part);
        for (size_t line = 0; line < l->count; line++)
            for (size_t c = 0; c < 3; c++) {
                const unsigned char *at =
                    l->in + line * l->in_line + taps.first * l->in_step + c;
                double sum = taps.bar * l->bar[c];
                for (size_t k = 0; k < taps.count; k++, at += l->in_step)
                    sum += taps.weight[k] * *at;
                l->out[line * l->out_line + i * l->out_step + c] = rounded(sum);
            }
    }
    free(taps.weight);
    return true;
}

bool picture_square(Picture *out, const Picture *p, PictureFit fit,
                    const unsigned char colour[3], size_t size, Fault *fault) {
    const size_t w = p->width, h = p->height, side = (fit == FIT_PAD) == (w > h) ? w : h;
    const Part x = shape_middle(w, side), y = shape_middle(h, side);
    Picture wide; /* new width, old height, no bars */
    *out = (Picture){0};
    if (y.count > PICTURE_MAX / size)
        return fault_set(fault, "a picture of %zu by %zu pixels: wanted at most %zu lines", w,
                         h, PICTURE_MAX / size);
    if (!picture_init(&wide, size, y.count, fault)) return false;
    Lines rows = {p->rgb + 3 * (y.skip * w + x.skip),
                  colour,
                  wide.rgb,
                  x,
                  side,
                  size,
                  y.count,
                  3,
                  3,
                  3 * w,
                  3 * size};
    bool ok = resize_lines(&rows, fault) && picture_init(out, size, size, fault);
    Lines columns = {wide.rgb, colour, out->rgb, {y.before, 0, y.count},
                     side,     size,   size,     3 * size,
                     3 * size, 3,      3};
    if (ok && !(ok = resize_lines(&columns, fault))) picture_free(out);
    picture_free(&wide);
    return ok;
}
