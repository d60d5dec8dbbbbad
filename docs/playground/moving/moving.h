/* moving.h - the numbers of the pictures that move on the pages of the site.
 *
 *     moving_sliders()               every picture's sliders and its text, as CSV
 *     moving_show(texts, a, b, c)    a picture's numbers at these values of its sliders, as CSV, or
 *                                    an error in one line; two texts, each with a NUL: its name,
 *                                    the reader's text
 *
 * A picture is a row of `moving_pictures` and a function here, and a function in NAME.js that
 * draws its rows (docs/assets/moving.js).  docs/examples/moving_frames.c prints first frames.
 *
 * Invariant: every number is computed by the library; a picture's script only places it. */
#ifndef STRATA_MOVING_H
#define STRATA_MOVING_H

#include "playground.h"

enum { MOVING_SLIDERS = 3 };

typedef struct MovingSlider {
    const char *name; /* NULL: none */
    double low, high, step, start;
} MovingSlider;

/* Write the rows at some values of the sliders.  False: see fault. */
typedef bool MovingRows(FILE *out, const double *at, const char *text, Fault *fault);

typedef struct Moving {
    const char *name;
    MovingSlider sliders[MOVING_SLIDERS];
    const char *text; /* that the reader may change; NULL: none */
    const char *head; /* the columns */
    MovingRows *rows;
} Moving;

extern const Moving moving_pictures[];
extern const size_t moving_count;

const char *moving_sliders(void);
const char *moving_show(const char *texts, double a, double b, double c);

/* The pictures, each in the file of its layer. */
MovingRows moving_q8, moving_softmax, moving_norm, moving_rope, moving_backward,
    moving_attention, moving_kv, moving_bpe, moving_train, moving_chain;

/* The row (dim) of a word in the embedding, and as the first block's norm leaves it. */
void moving_row(const Model *model, float *row, float *normed);

#endif
