/* grid_fit.h - search for the points, signs and scales of least error: the writers of IQ1 to
 * IQ3. */
#ifndef STRATA_GRID_FIT_H
#define STRATA_GRID_FIT_H

#include "formats/quants.h"

/* How a format chooses numbers: groups share a scale, an odd multiple of the block's; points of
 * a grid give the levels of some numbers at once. */
typedef struct Grid {
    const uint16_t *points; /* (count) of grids.h */
    int count;
    int numbers, bits;       /* of a point; bits of each level */
    const int8_t *levels[2]; /* the values of the levels; two sets of them if sides > 1 */
    int offset;              /* ... each with this added */
    int top;                 /* the largest magnitude */
    int group, max_scale;    /* numbers that share a scale; 2 max_scale + 1 is the largest */
    float unit;              /* weight = unit d (2 scale + 1) level */
    bool has_signs, even; /* levels are magnitudes; with an even number of minuses in eight */
    bool group_side, any_side; /* each group, or each point, has one of the two sets */
} Grid;

/* A super-block. */
typedef struct GridBlock {
    uint16_t d, point[64];
    uint8_t scale[16], side[64], signs[32]; /* of each group, point and eight numbers */
} GridBlock;

/* The block of least error for 256 numbers.
 *
 *   importance   (256)   weights of the squared errors; NULL: all 1 */
void grid_fit(const Grid *grid, const float *x, const float *importance, GridBlock *out);

#endif
