/* quants.h - shared by the readers and writers of the formats. */
#ifndef STRATA_QUANTS_H
#define STRATA_QUANTS_H

#include "../quantized.h"

#include <math.h>
#include <string.h>

/* The number with the largest magnitude, signed; the first of equal ones. */
static inline float farthest(const float *x, int n) {
    float far = 0;
    for (int k = 0; k < n; k++)
        if (fabsf(x[k]) > fabsf(far)) far = x[k];
    return far;
}

static inline float smallest(const float *x, int n) {
    float low = x[0];
    for (int k = 1; k < n; k++)
        if (x[k] < low) low = x[k];
    return low;
}

static inline float largest(const float *x, int n) {
    float high = x[0];
    for (int k = 1; k < n; k++)
        if (x[k] > high) high = x[k];
    return high;
}

/* A quant from 0 to max; 0.5 has been added already, so truncation rounds. */
static inline int quant(float value, int max) {
    int q = (int)value;
    return q < 0 ? 0 : q > max ? max : q;
}

/* Round to the nearest integer, ties to even, for |value| < 2^22.  Adding 1.5 * 2^23 leaves no
 * bits for a fraction: the low bits of the sum are the integer. */
static inline int nearest(float value) {
    float shifted = value + 12582912.0f;
    int32_t bits;
    memcpy(&bits, &shifted, 4);
    return bits - 0x4B400000;
}

static inline int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

/* The low four bits of n bytes, then the high four bits. */
static inline void read_nibbles(const uint8_t *restrict bytes, int n, int8_t *restrict q) {
    for (int j = 0; j < n; j++) q[j] = (int8_t)(bytes[j] & 15);
    for (int j = 0; j < n; j++) q[n + j] = (int8_t)(bytes[j] >> 4);
}

/* Spread eight bits to eight bytes of 0 or 1 << shift: byte i keeps only bit i, and adding 128
 * minus that bit's value carries it to the top. */
static inline uint64_t spread_bits(uint8_t bits, int shift) {
    uint64_t alone = bits * 0x0101010101010101u & 0x8040201008040201u;
    uint64_t top = (alone + 0x00406070787C7E7Fu) >> 7 & 0x0101010101010101u;
    return top << shift;
}

/* q[j] += 1 << shift where bit j of 32 is set. */
static inline void add_bits(const uint8_t bits[4], int shift, int8_t *q) {
    for (int i = 0; i < 4; i++) {
        uint64_t eight;
        memcpy(&eight, q + 8 * i, 8);
        eight += spread_bits(bits[i], shift);
        memcpy(q + 8 * i, &eight, 8);
    }
}

/* The numbers to approximate. */
typedef struct Fit {
    const float *x;          /* (n) */
    const float *importance; /* (n) weight of each squared error; NULL: all the same */
    int n;                   /* at most 32 in a search for a scale */
    int low, high;           /* range of quants */
    const int8_t *codebook;  /* value of a quant, counted from low; NULL: the quant */
} Fit;

/* n of them, from `first` on. */
static inline Fit fit_slice(Fit f, size_t first, int n) {
    f.x += first, f.n = n;
    if (f.importance) f.importance += first;
    return f;
}

/* Find the scale, and quants, for which  scale * quant  is nearest to x.
 *
 *   q   (n)   written, counted from low
 *
 * Returns the scale.  Tries scales around the one that just fits the largest number; for the
 * quants that a scale gives, tries the best scale, sum x l / sum l^2 (least squares). */
float fit_scale(Fit f, int8_t *q);

/* The same for  scale * quant - min,  with quants from 0 on, scale and min >= 0. */
float fit_scale_min(Fit f, float *min, int8_t *q);

/* The scale d and offset low of d q + low, for 32 numbers: the smallest becomes 0, the largest
 * f.high; with importance fit_scale_min finds both. */
float fit_small(Fit f, float *low);

/* A group's scale and min as integer multiples, 0 .. max, of those of its super-block: the pair
 * of least error near the given one.  Writes the quants. */
typedef struct Pair {
    int scale, min;
} Pair;
Pair fit_pair(Fit f, float d, float dmin, int max, float scale, float min, int8_t *q);

/* The same for a scale alone, min .. max. */
int fit_multiple(Fit f, float d, int min, int max, float scale, int8_t *q);

/* The nearest quants for a given scale and min; returns the error. */
float fit_quants(Fit f, float scale, float min, int8_t *q);

#endif
