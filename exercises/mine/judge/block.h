/* block.h - the judge's own block, in double precision and as slow as the formulas; flags turn
 * it into the classic mistakes.  Arrays have room for the largest; only n rows of dim are used. */
#ifndef STRATA_JUDGE_BLOCK_H
#define STRATA_JUDGE_BLOCK_H

#include "chapters.h"

enum {
    NO_MASK = 1 << 0,
    NO_SCALE = 1 << 1,
    FULL_SCALE = 1 << 2, /* by all columns instead of a head's */
    BLIND = 1 << 3,      /* does not see itself */
    ONE_HEAD = 1 << 4,
    LATE_MASK = 1 << 5, /* zeros after softmax */
    NO_EPSILON = 1 << 6,
    HALVES = 1 << 7,
    TURN_BACK = 1 << 8,
    TURN_VALUES = 1 << 9,
    SWAPPED = 1 << 10,
    NO_FIRST_NORM = 1 << 11,
    NO_SECOND_NORM = 1 << 12,
    NO_PATH = 1 << 13, /* x = attention instead of x += attention */
    PARALLEL = 1 << 14,
    RELU = 1 << 15,
    NO_GAIN = 1 << 16,
    MEAN_TAKEN = 1 << 17,
    KEYS_ONLY = 1 << 18,
    WHOLE_ROW = 1 << 19, /* speeds by the place in the row, not in the head */
    TRANSPOSED = 1 << 20,
    OVERWRITTEN = 1 << 21, /* the second of a pair turns with the first as it is by then */
    HALF_SPEED = 1 << 22, /* k instead of 2k; with two heads, a row's width for a head's size */
    RISING = 1 << 23,     /* later pairs turn faster */
    QUERIES_ONLY = 1 << 24,
    NO_TURN = KEYS_ONLY | QUERIES_ONLY,
    NO_SECOND_PATH = 1 << 25, /* x = feed_forward instead of x += feed_forward */
    OLD_ROW = 1 << 26,        /* feed_forward is added to what went in */
    SAME_GAIN = 1 << 27,
    WHOLE_SUM = 1 << 28, /* the norm's sum is not divided by the width */
    SIGMOID = 1 << 29,   /* the gate without the number itself */
    NO_OUT = 1 << 30,    /* what attention mixed is added as it is */
};
enum {
    SHORT = 8,
    ROWS = 72,
    DIM = 16,
    HIDDEN = 24,
    MOST = 2 * DIM + 4 * DIM * DIM + 3 * DIM * HIDDEN
};

typedef struct Sizes {
    int n, dim, heads, hidden;
} Sizes;

/* x becomes what the block makes of it.  w: gain1, q, k, v, out, gain2, gate, up, down. */
void block_way(int way, Sizes s, const double *w, double x[ROWS][DIM]);
int weights_of(Sizes s);

/* n rows, random sizes and weights, written as the program will read them. */
Sizes random_block(FILE *in, int n, double *w, double x[ROWS][DIM]);

/* Say where the two are farthest apart, and end. */
void compare(const char *what, const double *got, const double *want, int n, int cols);

#endif
