/* The grader of patches: a picture as rows of numbers. */
#include "near.h"
#include "models.h"
#include "picture.h"

enum { MOST_PATCH = 8, MOST_SIDE = 40, ROW = 3 * MOST_PATCH * MOST_PATCH };

typedef enum Slip {
    NO_SLIP,
    COLOURS_TOGETHER,
    COLOURS_BACK,
    BYTES_BACK,
    COLUMNS_FIRST,
    PATCHES_DOWN,
    SAME_PATCH,
    TURNED_OVER,
    NARROW_LINES,
    NO_SCALE,
    NO_MEAN,
    NO_SPREAD,
    TIMES_SPREAD,
    ONE_COLOUR,
    SLIPS
} Slip;

static const char *const slip_hints[SLIPS] = {
    [COLOURS_TOGETHER] =
        "first all reds of a patch, then its greens, then its blues: the colours "
        "of a pixel do not stay together",
    [COLOURS_BACK] = "red comes first, then green, then blue",
    [BYTES_BACK] = "red comes first, then green, then blue",
    [COLUMNS_FIRST] =
        "the pixels of a patch from left to right, then the line below: x runs fastest",
    [PATCHES_DOWN] = "patches from left to right, then those below",
    [SAME_PATCH] = "every row is that of the first patch: where does the next one begin?",
    [TURNED_OVER] = "patches and lines from the top down",
    [NARROW_LINES] =
        "the pixel below is one line of the picture further on, not one of the patch",
    [NO_SCALE] = "a colour is from 0 to 255 in the picture, and from 0 to 1 before the mean is "
                 "subtracted",
    [NO_MEAN] = "subtract the mean of the colour",
    [NO_SPREAD] = "after the mean, divide each colour by its spread",
    [TIMES_SPREAD] = "divided by the spread, not multiplied",
    [ONE_COLOUR] = "each colour has a mean and a spread of its own",
};

static double number(const Picture *p, size_t x, size_t y, size_t c, const float *mean,
                     const float *spread, Slip slip) {
    size_t byte = slip == BYTES_BACK ? 2 - c : c;
    double colour = p->rgb[(y * p->width + x) * 3 + byte] / (slip == NO_SCALE ? 1.0 : 255.0),
           m = (double)mean[slip == ONE_COLOUR ? 0 : c],
           s = (double)spread[slip == ONE_COLOUR ? 0 : c];
    if (slip == NO_MEAN) m = 0;
    if (slip == NO_SPREAD) s = 1;
    return slip == TIMES_SPREAD ? (colour - m) * s : (colour - m) / s;
}

/* Number i of row r, from its place in the picture. */
static double wanted(const Picture *p, size_t patch, size_t r, size_t i, const float *mean,
                     const float *spread, Slip slip) {
    size_t across = p->width / patch, down = p->height / patch, area = patch * patch,
           c = slip == COLOURS_TOGETHER ? i % 3 : i / area,
           at = slip == COLOURS_TOGETHER ? i / 3 : i % area, x = at % patch, y = at / patch,
           left = r % across * patch, top = r / across * patch;
    if (slip == COLOURS_BACK) c = 2 - c;
    if (slip == COLUMNS_FIRST) x = at / patch, y = at % patch;
    if (slip == PATCHES_DOWN) left = r / down * patch, top = r % down * patch;
    if (slip == SAME_PATCH) left = top = 0;
    x += left, y += top;
    if (slip == TURNED_OVER) y = p->height - 1 - y;
    if (slip == NARROW_LINES) {
        size_t pixel = top * p->width + left + (y - top) * patch + x - left;
        x = pixel % p->width, y = pixel / p->width;
    }
    return number(p, x, y, c, mean, spread, slip);
}

static void all_wanted(const Picture *p, size_t patch, size_t rows, const float *mean,
                       const float *spread, Slip slip, double *want) {
    size_t width = 3 * patch * patch;
    for (size_t i = 0; i < rows * width; i++)
        want[i] = wanted(p, patch, i / width, i % width, mean, spread, slip);
}

static void cut_and_compare(size_t across, size_t down, size_t patch) {
    static float got[MOST_SIDE * MOST_SIDE * 3 + 1];
    static double want[MOST_SIDE * MOST_SIDE * 3];
    float mean[3], spread[3];
    Picture p;
    NEED(picture_init(&p, across * patch, down * patch, NULL));
    fresh_floats(mean, 3, 0.2, 0.7), fresh_floats(spread, 3, 0.1, 0.6);
    for (size_t i = 0; i < 3 * p.width * p.height; i++)
        p.rgb[i] = (unsigned char)fresh_below(256);
    size_t rows = across * down, n = rows * 3 * patch * patch;
    got[n] = -7;
    picture_patches(got, &p, patch, mean, spread);
    HINT(got[n] == -7, "picture_patches writes past the last of %zu rows of %zu numbers", rows,
         3 * patch * patch);
    all_wanted(&p, patch, rows, mean, spread, NO_SLIP, want);
    bool right = all_near(got, want, n, 1e-5);
    for (Slip slip = 1; slip < SLIPS && !right; slip++) {
        all_wanted(&p, patch, rows, mean, spread, slip, want);
        HINT(!all_near(got, want, n, 1e-5), "%s", slip_hints[slip]);
    }
    all_wanted(&p, patch, rows, mean, spread, NO_SLIP, want);
    for (size_t i = 0; i < n && !right; i++)
        HINT(near((double)got[i], want[i], 1e-5),
             "a picture of %zu by %zu patches of %zu: row %zu, number %zu (from 0): expected "
             "%.6g, got %.6g",
             across, down, patch, i / (3 * patch * patch), i % (3 * patch * patch), want[i],
             (double)got[i]);
    picture_free(&p);
}

GRADE(patches) {
    cut_and_compare(3, 2, 3);
    cut_and_compare(2, 3, 4);
    for (int round = 0; round < 30; round++) {
        size_t patch = 1 + fresh_below(MOST_PATCH);
        cut_and_compare(1 + fresh_below(MOST_SIDE / patch), 1 + fresh_below(MOST_SIDE / patch),
                        patch);
    }
}

GRADES({"5.25", patches})
