/* patches.c - a picture as rows of numbers.  See picture.h.
 *
 *     a picture of 4 by 4 pixels, patch 2          row 0   r r r r | g g g g | b b b b     of patch 0
 *         0 0 1 1                                  row 1   ...                              of patch 1
 *         0 0 1 1
 *         2 2 3 3
 *         2 2 3 3 */
#include "picture.h"

#include <stddef.h>

/* The patch whose first pixel is (left, top). */
static void patch_row(float *row, const Picture *p, size_t left, size_t top, size_t patch,
                      const float mean[3], const float spread[3]) {
    for (size_t c = 0; c < 3; c++)
        for (size_t y = 0; y < patch; y++)
            for (size_t x = 0; x < patch; x++) {
                unsigned char colour = p->rgb[((top + y) * p->width + left + x) * 3 + c];
                *row++ = ((float)colour / 255 - mean[c]) / spread[c];
            }
}

void picture_patches(float *rows, const Picture *p, size_t patch, const float mean[3],
                     const float spread[3]) {
    REQUIRE(patch && p->width % patch == 0 && p->height % patch == 0,
            "patches of %zu by %zu in a picture of %zu by %zu", patch, patch, p->width,
            p->height);
    for (size_t top = 0; top < p->height; top += patch)
        for (size_t left = 0; left < p->width; left += patch, rows += 3 * patch * patch)
            patch_row(rows, p, left, top, patch, mean, spread);
}
