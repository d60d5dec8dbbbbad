/* pooling.h - one vector for a text, or its scores, from the hidden rows of its tokens.
 *
 *     row of every token, after the last block and the last norm       decoder.h
 *       mean    (h_1 + ... + h_n) / n
 *       cls     h_1             for encoders trained for it; a decoder's has read nothing yet
 *       last    h_n             for decoders, the only row that has read everything
 *       none    h_1, ..., h_n
 *       rank    head(one of these)           scores, one per label: how well two texts fit
 *                                            (text_head.h)
 *
 * Texts with similar meaning get vectors with similar direction, as far as the model was
 * trained for it; so vectors are compared by their cosine.
 *
 * Invariant: a vector is the same, to the bit, however the text was split into batches.  (A
 * bidirectional model reads it in one.) [pieces_change_nothing]
 *
 * Source   Reimers & Gurevych 2019, arXiv:1908.10084, section 3 (mean and cls); Neelakantan et
 *          al. 2022, arXiv:2201.10005, section 2.1 (last); Nogueira & Cho 2019,
 *          arXiv:1901.04085 (rank)
 * Tutorial docs/layer5/embeddings.md, docs/layer5/encoders.md */
#ifndef STRATA_POOLING_H
#define STRATA_POOLING_H

#include "families.h"

/* "none", "mean", "cls", "last" or "rank"; and back.
 *
 * Fails on another name, listing these. */
bool pooling_parse(const char *name, Pooling *pooling, Fault *fault);
const char *pooling_name(Pooling pooling);

/* What the file says; mean for a language model that was not made for this. */
Pooling pooling_of_model(const Model *model);

/* Length of a vector: dim; with POOLING_RANK the number of labels. */
size_t pooling_width(const Model *model, Pooling pooling);

/* A session configuration for pooling_run and texts of up to `longest` tokens. */
SessionConfig pooling_session(const Model *model, size_t longest);

/* Fails for a model without vectors, and with POOLING_RANK for one without a scoring head. */
bool pooling_check(const Model *model, Pooling pooling, Fault *fault);

/* Read a text as sequence 0 of the session, and pool its rows.
 *
 *   out      (width) the vector; (count, width) with POOLING_NONE
 *   tokens   (count)
 *   second   where the second of two texts begins; 0: only one
 *
 * Needs    count > 0.
 * Fails    as session_forward and pooling_check do: a token outside the vocabulary, a text
 *          longer than the context, a model without such vectors. */
bool pooling_run(Session *session, Pooling pooling, const int32_t *tokens, size_t count,
                 size_t second, float *out, Fault *fault);

/* Scale a vector x (n) to length 1; a zero vector stays. */
void pooling_normalize(float *x, size_t n);

/* sum(a b) / (|a| |b|), from -1 to 1; 0 if one is zero.  a, b (n). */
double pooling_cosine(const float *a, const float *b, size_t n);

#endif
