/* shape.c - any picture as squares, or a rectangle, that the model reads.  See picture.h. */
#include "picture.h"

#include "size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double triangle(double t) { return fabs(t) < 1 ? 1 - fabs(t) : 0; }

/* Keys's cubic, a = -1/2: 1 at 0, and 0 at all other integers. */
static double cubic(double t) {
    t = fabs(t);
    if (t < 1) return (1.5 * t - 2.5) * t * t + 1;
    return t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}

static double sinc(double t) { return t == 0 ? 1 : sin(t) / t; }

static double lanczos(double t) {
    const double pi = 3.14159265358979323846;
    return fabs(t) < 3 ? sinc(pi * t) * sinc(pi * t / 3) : 0;
}

static const struct {
    double (*weight)(double t);
    double radius;
} filters[] = {[FILTER_LINEAR] = {triangle, 1},
               [FILTER_CUBIC] = {cubic, 2},
               [FILTER_LANCZOS] = {lanczos, 3}};

/* The old pixels of a new one and their weights, which sum to about 1. */
typedef struct Taps {
    size_t first, count;
    double *weight; /* (most) */
    double bar;     /* total weight of pixels in bars */
} Taps;

/* New pixel i is at (i + 1/2) * scale of the old line; when shrinking, the filter is wider by
 * scale. */
static void find_taps(Taps *taps, size_t i, size_t from, size_t to, PictureFilter filter) {
    double scale = (double)from / (double)to, wide = scale > 1 ? scale : 1,
           centre = ((double)i + 0.5) * scale, reach = filters[filter].radius * wide, sum = 0;
    double begin = floor(centre - reach + 0.5), end = floor(centre + reach + 0.5);
    taps->first = begin > 0 ? (size_t)begin : 0;
    taps->count = (end < (double)from ? (size_t)end : from) - taps->first;
    for (size_t k = 0; k < taps->count; k++)
        sum += taps->weight[k] =
            filters[filter].weight(((double)(taps->first + k) + 0.5 - centre) / wide);
    for (size_t k = 0; k < taps->count; k++) {
        taps->weight[k] /= sum;
        taps->weight[k] = round(taps->weight[k] * 0x1p22) / 0x1p22; /* Pillow's integers */
    }
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
    PictureFilter filter;
} Lines;

static bool resize_lines(const Lines *l, Fault *fault) {
    size_t most = 6 * (l->from / l->to + 2);
    Taps taps = {.weight = malloc(most * sizeof *taps.weight)};
    if (!taps.weight) return fault_set(fault, "no memory to resize a picture");
    for (size_t i = 0; i < l->to; i++) {
        find_taps(&taps, i, l->from, l->to, l->filter);
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

/* The part x of each line becomes `width` pixels; then the part y of each column, `height`.
 * `side`: the length of the whole line, or column, of which it is a part. */
static bool resize_both(Picture *out, const Picture *p, Part x, size_t x_side, size_t width,
                        Part y, size_t y_side, size_t height, PictureFilter filter,
                        const unsigned char colour[3], Fault *fault) {
    Picture wide; /* new width, old height, no bars */
    *out = (Picture){0};
    if (!picture_init(&wide, width, y.count, fault)) return false;
    Lines rows = {.in = p->rgb + 3 * (y.skip * p->width + x.skip),
                  .bar = colour,
                  .out = wide.rgb,
                  .part = x,
                  .from = x_side,
                  .to = width,
                  .count = y.count,
                  .in_step = 3,
                  .out_step = 3,
                  .in_line = 3 * p->width,
                  .out_line = 3 * width,
                  .filter = filter};
    bool ok = resize_lines(&rows, fault) && picture_init(out, width, height, fault);
    Lines columns = {.in = wide.rgb,
                     .bar = colour,
                     .out = out->rgb,
                     .part = {y.before, 0, y.count},
                     .from = y_side,
                     .to = height,
                     .count = width,
                     .in_step = 3 * width,
                     .out_step = 3 * width,
                     .in_line = 3,
                     .out_line = 3,
                     .filter = filter};
    if (ok && !(ok = resize_lines(&columns, fault))) picture_free(out);
    picture_free(&wide);
    return ok;
}

bool picture_resize(Picture *out, const Picture *p, size_t width, size_t height,
                    PictureFilter filter, Fault *fault) {
    static const unsigned char black[3] = {0};
    return resize_both(out, p, (Part){0, 0, p->width}, p->width, width, (Part){0, 0, p->height},
                       p->height, height, filter, black, fault);
}

bool picture_square(Picture *out, const Picture *p, PictureFit fit, PictureFilter filter,
                    const unsigned char colour[3], size_t size, Fault *fault) {
    const size_t w = p->width, h = p->height, side = (fit == FIT_PAD) == (w > h) ? w : h;
    const Part x = shape_middle(w, side), y = shape_middle(h, side);
    const size_t lines = fit == FIT_STRETCH ? h : y.count;
    *out = (Picture){0};
    if (lines > PICTURE_MAX / size)
        return fault_set(fault, "a picture of %zu by %zu pixels: wanted at most %zu lines", w,
                         h, PICTURE_MAX / size);
    if (fit == FIT_STRETCH) return picture_resize(out, p, size, size, filter, fault);
    return resize_both(out, p, x, side, size, y, side, size, filter, colour, fault);
}

/* As many whole steps as `max` pixels hold; a side without one gets one, and the other as many
 * as fit it into the picture's shape. */
static void size_in_area(const double side[2], double unit, double max, size_t size[2]) {
    const double grow = sqrt(max / (side[0] * side[1]));
    for (int i = 0; i < 2; i++) size[i] = (size_t)(grow * side[i] / unit);
    for (int i = 0; i < 2; i++)
        if (!size[i])
            size[i] = 1,
            size[!i] = (size_t)fmin(floor(side[!i] / side[i]), max / (unit * unit));
}

bool picture_rectangle(const Picture *p, PictureFit fit, size_t step, size_t min, size_t max,
                       size_t size[2], Fault *fault) {
    const double side[2] = {(double)p->width, (double)p->height}, unit = (double)step,
                 all = side[0] * side[1], longest = fmax(side[0], side[1]);
    const double pixels = rint(side[0] / unit) * unit * rint(side[1] / unit) * unit;
    if (fit == FIT_PIXELS && longest > 200 * fmin(side[0], side[1]))
        return fault_set(fault,
                         "a picture of %zu by %zu pixels: one side is more than 200 times the "
                         "other, which this model was not trained on. Cut it",
                         p->width, p->height);
    for (int i = 0; i < 2; i++) {
        double steps = rint(side[i] / unit);
        if (fit == FIT_SIDE) {
            const double shrink = longest / (double)max;
            steps = ceil((shrink > 1 ? floor(side[i] / shrink) : side[i]) / unit);
        } else if (pixels > (double)max) {
            steps = floor(side[i] / sqrt(all / (double)max) / unit);
        } else if (pixels < (double)min) {
            steps = ceil(side[i] * sqrt((double)min / all) / unit);
        }
        size[i] = max_size((size_t)steps, 1) * step;
    }
    if (fit == FIT_AREA) size_in_area(side, unit, (double)max, size);
    for (int i = 0; i < 2 && fit == FIT_AREA; i++) size[i] *= step;
    return true;
}
