/* loss.h - cross-entropy: how surprised the model was. */
#ifndef STRATA_LOSS_H
#define STRATA_LOSS_H

#include "linalg.h"

/* log(sum exp(x)), without overflow, for n scores. */
double log_sum_exp(const float *x, size_t n);

/* The surprisal of a token, in nats:  -log softmax(logits)[target].  Needs target < vocab. */
double cross_entropy(const float *logits, size_t vocab, size_t target);

/* The same, turning the logits into the gradient of scale * loss in place:
 *     dlogits[i] = scale * (softmax(logits)[i] - [i == target]) */
double cross_entropy_backward(float *logits, size_t vocab, size_t target, float scale);

#endif
