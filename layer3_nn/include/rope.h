/* rope.h - positions as rotations.
 *
 * A head's vector is split into pairs of numbers; pair i at position p is rotated by the angle
 * p * freq[i], freq[i] = theta^(-2i / rotary).  The dot product of a rotated query and a
 * rotated key then depends on their positions only through the distance.
 *
 *     interleaved:  pairs (0,1) (2,3) (4,5) ...            Llama as GGUF stores it
 *     half-split:   pairs (0,h) (1,h+1) (2,h+2) ...        h = rotary / 2: NeoX, Qwen, Gemma
 *
 * Partial rotary: only the first `rotary` numbers of a head are rotated, the rest pass through.
 *
 * Invariant: a rotation keeps lengths (times `magnitude`, 1 but for YaRN); rotating by -p
 * undoes rotating by p [only_distance_counts, pairs_turn_by_position].
 * Source   Su et al. 2021, arXiv:2104.09864, section 3.2. */
#ifndef STRATA_ROPE_H
#define STRATA_ROPE_H

#include "linalg.h"

typedef enum RopeStyle { ROPE_NONE, ROPE_INTERLEAVED, ROPE_HALF_SPLIT } RopeStyle;

/* How frequencies are scaled for contexts longer than in training. */
typedef enum RopeScaling {
    ROPE_SCALE_NONE,
    ROPE_SCALE_LINEAR, /* all angles divided by factor;   Chen et al. 2023, arXiv:2306.15595 */
    /* fast pairs kept, slow ones divided, a ramp between; Peng et al. 2023, arXiv:2309.00071 */
    ROPE_SCALE_YARN,
} RopeScaling;

typedef struct RopeConfig {
    RopeStyle style;
    size_t rotary; /* numbers of a head that are rotated; even */
    double theta;  /* 10000 in Llama 2, 500000 in Llama 3 */
    RopeScaling scaling;
    double factor;               /* how many times longer the context is */
    double trained_ctx;          /* YaRN: the context in training */
    double beta_fast, beta_slow; /* YaRN: turns within trained_ctx; 32 and 1 */
    double attn_factor;          /* YaRN: extra factor on the magnitude; 1 */
    /* (rotary / 2) a file's rope_freqs (Llama 3.1); NULL: none; borrowed */
    const float *divisors;
} RopeConfig;

typedef struct Rope {
    RopeStyle style;
    size_t rotary;
    double *freq;    /* (rotary / 2) radians per position; owned by the arena */
    float magnitude; /* factor on every rotated number */
    /* for pictures: pair i follows number axis[i] of a token's three places (rope_places) */
    const unsigned char *axis;  /* (rotary / 2) NULL: all tokens have one position */
    const int32_t (*places)[3]; /* of the tokens of a batch; NULL: as without axis */
} Rope;

/* Compute the frequencies of all pairs, and the magnitude: 1; for YaRN attn_factor *
 * (1 + 0.1 ln factor).
 *
 *   arena    allocates freq, which is NULL while it measures and for ROPE_NONE
 *
 * Needs    an even rotary, theta and factor above 0; for YaRN theta above 1 and its three
 *          numbers above 0. */
void rope_init(Rope *rope, const RopeConfig *config, Arena *arena);

/* Cosines and sines (rotary / 2) of all pairs at a position, times the magnitude.
 *
 * Needs    a style other than ROPE_NONE. */
void rope_angles(const Rope *rope, size_t position, float *cosine, float *sine);

/* The same for token i of a batch whose tokens have places: pair k is rotated by
 * places[i][axis[k]] [each_pair_follows_its_axis].
 *
 * Needs    axis and places. */
void rope_places(const Rope *rope, size_t i, float *cosine, float *sine);

/* Rotate one head's vector in place: pair i, as rope->style pairs them, by angle i.
 *
 *   cosine, sine   (rotary / 2)       of rope_angles, so the magnitude is in them already
 *   head           (rotary or more)   numbers from `rotary` on are unchanged */
void rope_rotate(const Rope *rope, const float *cosine, const float *sine, float *head);

/* In: the gradient of the rotated head, out: of the head.  Rotates by the opposite angles, with
 * the same magnitude. */
void rope_rotate_backward(const Rope *rope, const float *cosine, const float *sine,
                          float *head);

#endif
