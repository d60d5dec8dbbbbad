/* early_layers.h - an early layer of the model as the amateur of dola and contrast.
 *
 *     layer 0 --> layer 1 --> ... --> last layer --> norm, head --> logits
 *        |           |
 *        '-----------'--> norm, head --> what each would predict (logit lens)
 *                            the one farthest from the logits is the amateur of this token
 *
 * The early layers' states are copied in the ordinary pass; each costs one more product with
 * the head per token.
 *
 * Invariant: the model's own logits keep their bits [the_farthest_layer_by_the_lens].
 * Source   Chuang et al. 2023, arXiv:2309.03883. */
#ifndef STRATA_EARLY_LAYERS_H
#define STRATA_EARLY_LAYERS_H

#include "generate.h"

typedef struct EarlyLayers {
    Session *session;                 /* borrows */
    size_t count;                     /* of layers */
    size_t before[MODEL_LAYERS];      /* (count) the states enter these layers */
    float *rows;                      /* (max_tokens, count, dim) of the last batch */
    float *kept_logits, *kept_hidden; /* (vocab), (dim) the session's, while a layer is read */
    Arena arena;                      /* owns the above */
} EarlyLayers;

/* Copy the states after these layers in every forward pass of the session from now on.
 *
 *   text   layers, counted from 0, e.g. "0,2": each once, and not the last
 *
 * Fails for another text, a model whose layers pass on several streams or read two texts, or
 * when memory runs out.  Close before the session. */
bool early_layers_open(EarlyLayers *early, Session *session, const char *text, Fault *fault);
void early_layers_close(EarlyLayers *early);

/* Give the chain's stages an early layer's logits as the amateur's: of several layers, for each
 * token the one of the largest divergence.  Texts of an engine may share `early`, which is of
 * the engine's session.  The text does not begin if an extra chooses its tokens (drafts). */
void with_early_layers(GenerateOptions *options, EarlyLayers *early);

/* Jensen-Shannon divergence of two softmaxes in nats, 0 to ln 2:
 * (KL(p | m) + KL(q | m)) / 2,  m = (p + q) / 2.
 *
 *   a, b   (n) their logits */
double jensen_shannon(const float *a, const float *b, size_t n);

#endif
