/* pooling.h - one vector for a text, or its scores, made of the hidden rows of its tokens.
 *
 *     row of every token, as the last block left it and the last norm scaled it       decoder.h
 *       mean    (h_1 + ... + h_n) / n        every token has its say
 *       cls     h_1                          of an encoder, trained for it; a decoder's has read nothing yet
 *       last    h_n                          of a decoder the only one that has read all of it
 *       none    h_1, ..., h_n
 *       rank    head(one of these)           scores, one for each label: how well two texts fit (text_head.h)
 *
 * Texts of like meaning get vectors of like direction, as far as the model was trained for it; so
 * they are compared by their cosine.
 *
 * Invariant: a vector does not depend on the pieces in which the text was read.  To the bit.  A model
 * that looks both ways reads it in one.
 * Source   Reimers & Gurevych 2019, arXiv:1908.10084, section 3 (mean and cls); Neelakantan et al. 2022,
 *          arXiv:2201.10005, section 2.1 (last); Nogueira & Cho 2019, arXiv:1901.04085 (rank).
 * Tutorial docs/layer5/embeddings.md, docs/layer5/encoders.md. */
#ifndef STRATA_POOLING_H
#define STRATA_POOLING_H

#include "families.h"

/* "none", "mean", "cls", "last" or "rank"; and back.
 *
 * Fails on another name, listing these. */
bool pooling_parse(const char *name, Pooling *pooling, Fault *fault);
const char *pooling_name(Pooling pooling);

/* What the model's file says; the mean for one that writes and was not made for this. */
Pooling pooling_of_model(const Model *model);

/* Numbers of a vector: dim, with POOLING_RANK the labels. */
size_t pooling_width(const Model *model, Pooling pooling);

/* A session for texts of up to `longest` tokens, as pooling_run reads them. */
SessionConfig pooling_session(const Model *model, size_t longest);

/* Fails for a model that makes no vectors, and with POOLING_RANK for one without a head that scores. */
bool pooling_check(const Model *model, Pooling pooling, Fault *fault);

/* Read a text as sequence 0 of the session, and pool its rows.
 *
 *   out      (width) the vector; (count, width) with POOLING_NONE
 *   tokens   (count)
 *   second   where the second of two texts begins; 0: there is one
 *
 * Needs    count > 0.
 * Fails    as model_forward and pooling_check do: a token outside the vocabulary, a text longer than
 *          the context, a model that makes no such vectors. */
bool pooling_run(Session *session, Pooling pooling, const int32_t *tokens, size_t count,
                 size_t second, float *out, Fault *fault);

/* Rescale a vector to length 1; one of zeros stays.  x (n) is written. */
void pooling_normalize(float *x, size_t n);

/* sum(a b) / (|a| |b|), from -1 to 1; 0 when one of them has no direction.  a, b (n) are read. */
double pooling_cosine(const float *a, const float *b, size_t n);

#endif
