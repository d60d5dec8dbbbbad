/* delta_train.h - the delta rule for whole sequences, and its gradients: the training form.
 *
 * The backward column undoes the forward one (mixer_delta.h) from its last line to its first:
 *
 *     forward                 backward         G: gradient of S from all later tokens
 *     F = S D                 G  <- G + do q^T           dq = S^T do     with the new S
 *     u = beta (v - F k)      du = G k                   dv = beta du    dbeta = du . (v - F k)
 *     S = F + u k^T           dk = G^T u - F^T dv
 *     o = S q                 G  <- (G - dv k^T) D       dg = column sums of G * old S, D = e^g
 *
 * In one line, G <- (G + do q^T) (1 - beta k k^T) D: the gradient passes through the same two
 * factors as the state.  Little of it reaches what was forgotten, none what was replaced.
 *
 * The backward pass needs the state before every token, and recomputes it, one head at a time.
 *
 * Invariant: one thread sums each gradient, in a fixed order [threads_change_no_bit].
 * Source   the chain rule, on Yang et al. 2024, arXiv:2412.06464, eq. 10; recomputation: Chen
 *          et al. 2016, arXiv:1604.06174.
 * Tutorial docs/layer4/look-back.md */
#ifndef STRATA_DELTA_TRAIN_H
#define STRATA_DELTA_TRAIN_H

#include "attention_train.h"
#include "mixer_delta.h"

/* What a head reads of one token. */
typedef struct DeltaToken {
    const float *decay; /* (d) */
    float beta;         /* 0 to 1 */
    const float *q, *k; /* (d) of length 1 */
    const float *v;     /* (d) */
} DeltaToken;

/* Gradients by a DeltaToken. */
typedef struct DeltaTokenGradients {
    float *q, *k; /* (d) added to: several value heads share them */
    float *v;     /* (d) written */
    float *decay; /* (d) written: by log(decay) */
    float beta;   /* written */
} DeltaTokenGradients;

/* One token of one head, backward.
 *
 *   memory          in: the gradient of the state after the token, out: of the one before.  In
 *                   strips, (d / 16 rounded up, d, 16): row j, number i at
 *                   j / 16 * 16 d + 16 i + j % 16; lanes past row d hold anything
 *   after, before   the state that delta_step left and found, in strips
 *   dout            (d) gradient of delta_step's out
 *
 * Needs    d <= DELTA_DIM.
 * Flops    20 d a row, three times delta_step. */
void delta_step_backward(float *memory, const float *after, const float *before, size_t d,
                         const DeltaToken *token, const float *dout, DeltaTokenGradients *grad);

/* Heads of a Gated DeltaNet; value head h uses key head h % keys. */
typedef struct DeltaShape {
    size_t heads, keys, d;
} DeltaShape;

/* What all heads read of n tokens, or the gradients by it. */
typedef struct DeltaRows {
    float *qkv;  /* (n, (2 keys + heads) * d): q, k and v of a token */
    float *beta; /* (n, heads) */
    float *rate; /* (n, heads): log(decay) */
} DeltaRows;

/* out (n, heads * d) = o / sqrt(d) within each sequence, from an empty state.
 *
 *   scratch   delta_scratch_floats(threads, d, longest) floats */
void delta_sequences(Pool *pool, const DeltaShape *shape, Sequences sequences,
                     const DeltaRows *rows, float *out, float *scratch);

/* Its gradients; grad: written. */
void delta_backward(Pool *pool, const DeltaShape *shape, Sequences sequences,
                    const DeltaRows *rows, const float *dout, const DeltaRows *grad,
                    float *scratch);

size_t delta_scratch_floats(int threads, size_t d, size_t longest);

#endif
