/* picture.h - images, and how they become a vision tower's input.
 *
 *     a file --read--> picture --square--> picture of the model's size --patches--> rows
 *
 * Portable pixmaps (PPM) are read here; other formats by programs, into the same struct.
 *
 * Invariant: a picture has 1 to PICTURE_MAX pixels, all of them in memory
 * [pixmaps_are_read_or_refused, fuzz/picture.sh]. */
#ifndef STRATA_PICTURE_H
#define STRATA_PICTURE_H

#include "fault.h"

enum { PICTURE_MAX = 1 << 26 /* pixels: 64 million, 192 MB */ };

typedef struct Picture {
    size_t width, height;
    unsigned char *rgb; /* (height, width, 3) rows from the top; owns */
    size_t columns;     /* of the grid that became squares one below another; 0: no squares */
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

/* How a picture becomes a square, or a rectangle of whole patches. */
typedef enum PictureFit {
    FIT_PAD,     /* all of it, with bars of one colour: LLaVA 1.5 */
    FIT_CROP,    /* the middle: CLIP */
    FIT_STRETCH, /* all of it, each side by itself: Gemma 3 */
    FIT_PIXELS,  /* a rectangle of about its shape, between two numbers of pixels: Qwen 2 VL */
    FIT_SIDE,    /* a rectangle whose long side has a maximum: Pixtral */
    FIT_AREA     /* the largest rectangle of about its shape: Gemma 4 */
} PictureFit;

/* How new pixels are made of old ones, t pixels away: w(t), 0 from the radius on.
 *
 *     linear    1 - |t|                                     |t| < 1
 *     cubic     1.5 |t|^3 - 2.5 |t|^2 + 1                   |t| < 1
 *               -0.5 |t|^3 + 2.5 |t|^2 - 4 |t| + 2          |t| < 2
 *     Lanczos   sinc(t) sinc(t / 3)                         |t| < 3
 *
 * Source   Keys 1981, Cubic convolution interpolation, with a = -1/2; Duchon 1979, Lanczos
 *          filtering.  Pillow's BILINEAR, BICUBIC and LANCZOS. */
typedef enum PictureFilter { FILTER_LINEAR, FILTER_CUBIC, FILTER_LANCZOS } PictureFilter;

/* The picture with another width and height.  When shrinking, each new pixel is a mean of all
 * old ones that it covers.  First the rows, then the columns, each rounded to an integer from 0
 * to 255.  A side of the right length is unchanged.
 *
 * Invariant: weights are multiples of 2^-22, so that sums are exact, and pixels are Pillow's
 * [filters_are_weighted_means].
 *
 * Fails when it is too large, or memory runs out. */
bool picture_resize(Picture *out, const Picture *picture, size_t width, size_t height,
                    PictureFilter filter, Fault *fault);

/* The picture as a square of size by size pixels: its middle, all of it between bars, or all of
 * it stretched; resized as by picture_resize.
 *
 *   colour   (3) of the bars
 *
 * A square of the right size is unchanged.
 *
 * Fails when it has more than PICTURE_MAX / size lines, or memory runs out.
 *
 * Source   Liu et al. 2024, arXiv:2310.03744 (pad); Radford et al. 2021, arXiv:2103.00020
 *          (crop). */
bool picture_square(Picture *out, const Picture *picture, PictureFit fit, PictureFilter filter,
                    const unsigned char colour[3], size_t size, Fault *fault);

/* Sides of the rectangle that a picture becomes, multiples of `step`, as the processors of
 * Qwen 2 VL (FIT_PIXELS), Pixtral (FIT_SIDE) and Gemma 4 (FIT_AREA) choose them.
 *
 *   min, max   pixels; FIT_SIDE: max of a side, before it is rounded up
 *   size       written: width, height
 *
 * Fails for FIT_PIXELS when one side is more than 200 times the other. */
bool picture_rectangle(const Picture *picture, PictureFit fit, size_t step, size_t min,
                       size_t max, size_t size[2], Fault *fault);

/* Which grid of squares a large picture is resized to. */
typedef enum PictureGrid {
    GRID_NONE,    /* a picture is read whole */
    GRID_NEAREST, /* min to max squares, nearest to its shape: InternVL */
    GRID_COVER,   /* its sides rounded up to whole squares: Idefics 3 */
    GRID_CANVAS   /* up to max squares with the picture in a corner, undistorted: Llama 4 */
} PictureGrid;

/* Squares one below another: the picture resized to a grid of squares, or on a black one, from
 * left to right and top to bottom, and last, if there is more than one, all of it in one square
 * (made of the resized picture for GRID_COVER, else of the original).
 *
 *   min, max   squares of GRID_NEAREST; max of GRID_CANVAS
 *
 * Fails when it is too large, or memory runs out.
 *
 * Source   Chen et al. 2024, arXiv:2404.16821, section 3.2 (InternVL 1.5); Laurencon et al.
 *          2024, arXiv:2408.12637, section 3.2 (Idefics 3); the published
 *          processors of Idefics 3 and Llama 4. */
bool picture_tiles(Picture *out, const Picture *picture, PictureGrid rule, PictureFilter filter,
                   size_t side, size_t min, size_t max, Fault *fault);

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
