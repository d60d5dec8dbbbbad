/* picture.h - images, and how they become a vision tower's input.
 *
 *     a file --read--> picture --square--> picture of the model's size --patches--> rows
 *
 * Portable pixmaps (PPM) are read here; other formats by programs, into the same struct.
 *
 * Invariant: a picture has 1 to PICTURE_MAX pixels, all of them in memory. */
#ifndef STRATA_PICTURE_H
#define STRATA_PICTURE_H

#include "fault.h"

enum { PICTURE_MAX = 1 << 26 /* pixels: 64 million, 192 MB */ };

typedef struct Picture {
    size_t width, height;
    unsigned char *rgb; /* (height, width, 3) rows from the top; owns */
} Picture;

/* Allocate a picture, all black.
 *
 * Fails when a side is 0, there are more than PICTURE_MAX pixels, or memory runs out. */
bool picture_init(Picture *picture, size_t width, size_t height, Fault *fault);
void picture_free(Picture *picture);

/* Read a portable pixmap: "P6", width, height and 255, separated by white space or lines that
 * begin with #, then one white space and the pixels; after them only white space.
 *
 *   bytes   (size)
 *
 * Fails when the format is another one, or pixels are missing. */
bool picture_read_ppm(Picture *picture, const void *bytes, size_t size, Fault *fault);

/* How a picture becomes square. */
typedef enum PictureFit {
    FIT_PAD, /* all of it, with bars of one colour: LLaVA 1.5 */
    FIT_CROP /* the middle: CLIP */
} PictureFit;

/* The picture as a square of size by size pixels: its middle, or all of it between bars, by
 * cubic interpolation; when shrinking, each new pixel is a mean of all old ones that it covers.
 * First the rows, then the columns, each rounded to an integer from 0 to 255.
 *
 *     w(t) = 1.5 |t|^3 - 2.5 |t|^2 + 1                   |t| < 1
 *          = -0.5 |t|^3 + 2.5 |t|^2 - 4 |t| + 2          |t| < 2; else 0
 *
 *   colour   (3) of the bars
 *
 * A square of the right size is unchanged.
 *
 * Fails when it has more than PICTURE_MAX / size lines, or memory runs out.
 *
 * Source   Keys 1981, Cubic convolution interpolation, with a = -1/2: what Pillow calls
 *          BICUBIC; Liu et al. 2024, arXiv:2310.03744 (pad); Radford et al. 2021,
 *          arXiv:2103.00020 (crop). */
bool picture_square(Picture *out, const Picture *picture, PictureFit fit,
                    const unsigned char colour[3], size_t size, Fault *fault);

/* Cut a picture into patches, each a row of numbers: its red, green and blue values, each from
 * left to right and top to bottom.
 *
 *     row[c][y][x] = (colour c of the pixel / 255 - mean[c]) / spread[c]
 *
 *   rows           (height / patch * width / patch, 3 * patch * patch)  written; patches from
 *                  left to right and top to bottom
 *   mean, spread   (3)
 *
 * Needs    sides that are multiples of patch.
 * Source   Dosovitskiy et al. 2021, arXiv:2010.11929, section 3.1. */
void picture_patches(float *rows, const Picture *picture, size_t patch, const float mean[3],
                     const float spread[3]);

#endif
