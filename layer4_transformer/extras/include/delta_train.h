/* delta_train.h - the delta rule for whole sequences, and its gradients: the form to train with.
 *
 * A step of the memory, read from right to left (mixer_delta.h has it from left to right):
 *
 *     forward                 backward           G: the gradient by S, as all later tokens have left it
 *     F = S D                 G  <- G + do q^T           dq = S^T do        of the new S
 *     u = beta (v - F k)      du = G k                   dv = beta du       dbeta = du . (v - F k)
 *     S = F + u k^T           dk = G^T u - F^T dv
 *     o = S q                 G  <- (G - dv k^T) D       dg = column sums of G * the old S, with D = e^g
 *
 * In one line, G <- (G + do q^T) (1 - beta k k^T) D.  The gradient goes back through the same two factors that the
 * memory went forward through: little of it reaches what was forgotten, and none what was replaced, for that made no
 * difference.
 *
 * The backward pass needs the memory before every token.  It is not kept but computed again, a head at a time.
 *
 * Invariant: gradients are summed by one thread in a fixed order.
 * Source   the chain rule, on Yang et al. 2024, arXiv:2412.06464, eq. 10; computing again what is not kept: Chen et al.
 *          2016, arXiv:1604.06174.
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

/* Gradients by them. */
typedef struct DeltaTokenGradients {
    float *q, *k; /* (d) added to: heads of values share them */
    float *v;     /* (d) written */
    float *decay; /* (d) written: by the logarithm of decay */
    float beta;   /* written */
} DeltaTokenGradients;

/* One token of one head, backwards.
 *
 *   memory          (d / 16 rounded up, d, 16) the gradient by the memory after the token in, by the one before it out:
 *                   row j, number i at j / 16 * 16 d + 16 i + j % 16; of the lanes behind row d nothing is said
 *   after, before   the memory, as delta_step left it and found it, in strips as well
 *   dout            (d) gradient by what delta_step answered
 *
 * Needs    d <= DELTA_DIM.
 * Cost     20 d flops a row, three times delta_step. */
void delta_step_backward(float *memory, const float *after, const float *before, size_t d,
                         const DeltaToken *token, const float *dout, DeltaTokenGradients *grad);

/* Heads of a Gated DeltaNet; head h of values goes with head h % keys of keys. */
typedef struct DeltaShape {
    size_t heads, keys, d;
} DeltaShape;

/* What all heads read of n tokens, or the gradients by it. */
typedef struct DeltaRows {
    float *qkv;  /* (n, (2 keys + heads) * d): q, k and v of a token */
    float *beta; /* (n, heads) */
    float *rate; /* (n, heads): the logarithm of what stays */
} DeltaRows;

/* out (n, heads * d) = o / sqrt(d) within each sequence, which begins with an empty memory.
 *
 *   scratch   delta_scratch_floats(threads, d, longest) floats */
void delta_sequences(Pool *pool, const DeltaShape *shape, Sequences sequences,
                     const DeltaRows *rows, float *out, float *scratch);

/* The gradients through it; grad: written. */
void delta_backward(Pool *pool, const DeltaShape *shape, Sequences sequences,
                    const DeltaRows *rows, const float *dout, const DeltaRows *grad,
                    float *scratch);

size_t delta_scratch_floats(int threads, size_t d, size_t longest);

#endif
