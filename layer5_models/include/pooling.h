/* pooling.h - one vector for a text, made of the hidden rows of its tokens.
 *
 *     row of every token, as the last block left it and the last norm scaled it       decoder.h
 *       mean    (h_1 + ... + h_n) / n        every token has its say
 *       last    h_n                          of a decoder the only one that has read all of it
 *       cls     h_1                          of an encoder, trained for it; a decoder's has read nothing yet
 *       none    h_1, ..., h_n
 *
 * Texts of like meaning get vectors of like direction, as far as the model was trained for it; so
 * they are compared by their cosine.
 *
 * Invariant: a vector does not depend on the pieces in which the text was read.  To the bit.
 * Source   Reimers & Gurevych 2019, arXiv:1908.10084, section 3 (mean and cls); Neelakantan et al. 2022,
 *          arXiv:2201.10005, section 3 (last).
 * Tutorial docs/layer5/embeddings.md. */
#ifndef STRATA_POOLING_H
#define STRATA_POOLING_H

#include "decoder.h"

typedef enum Pooling { POOLING_NONE, POOLING_MEAN, POOLING_LAST, POOLING_CLS } Pooling;

/* "none", "mean", "last" or "cls".
 *
 * Fails on another name, listing these. */
bool pooling_parse(const char *name, Pooling *pooling, Fault *fault);

/* Read a text as sequence 0 of the session, and pool its rows.
 *
 *   out      (dim) the vector; (count, dim) with POOLING_NONE
 *   tokens   (count)
 *
 * Needs    count > 0.
 * Fails    as model_forward does: a token outside the vocabulary, a text longer than the context. */
bool pooling_run(Session *session, Pooling pooling, const int32_t *tokens, size_t count,
                 float *out, Fault *fault);

/* Rescale a vector to length 1; one of zeros stays.  x (n) is written. */
void pooling_normalize(float *x, size_t n);

/* sum(a b) / (|a| |b|), from -1 to 1; 0 when one of them has no direction.  a, b (n) are read. */
double pooling_cosine(const float *a, const float *b, size_t n);

#endif
