/* activation_cache.h - everything inside a model for one text, kept for inspection.
 *
 *     places of the stream      0          1           2          3          4   ... 2 * layers
 *                            embedding  attention  feed-forward attention  ...
 *                                       `----- layer 0 ------'  `----- layer 1
 *
 * Every number comes from a probe of the ordinary forward pass.  Only the logit lens computes
 * more: what the model would predict if the stream at a place were its last.
 *
 * Invariant: a position holds what the session computed when it last evaluated it
 * [the_farthest_layer_by_the_lens].
 * Source   nostalgebraist 2020, "interpreting GPT: the logit lens". */
#ifndef STRATA_ACTIVATION_CACHE_H
#define STRATA_ACTIVATION_CACHE_H

#include "models.h"

typedef struct ActivationCache {
    Session *session; /* borrows */
    Probe probe;
    size_t ctx, layers, dim;
    size_t heads, hidden; /* of the widest layer */
    float *weights;       /* (layers, heads, ctx, ctx) */
    float *streams;       /* (places, ctx, dim) */
    float *neurons;       /* (layers, ctx, hidden) */
    float *row;           /* (ctx) */
    float *shares;        /* (vocab) */
    Arena arena;          /* owns all of the above */
} ActivationCache;

/* Memory for the first `ctx` positions of the session's sequence 0: the text must end there.
 *
 * Fails without memory. */
bool activation_open(ActivationCache *cache, Session *session, size_t ctx, Fault *fault);
void activation_close(ActivationCache *cache);

/* Start over; what the session evaluates from now on is kept, with these interventions.
 *
 *   acts   (count) borrowed
 *
 * Fails as session_probe does. */
bool activation_watch(ActivationCache *cache, const Act *acts, size_t count, Fault *fault);

size_t activation_places(const ActivationCache *cache);

/* Attention weights of a head at a position: (position + 1); 0 outside a window. */
const float *activation_weights(const ActivationCache *cache, size_t layer, size_t head,
                                size_t position);

/* (dim) the residual stream, and its root mean square. */
const float *activation_stream(const ActivationCache *cache, size_t place, size_t position);
float activation_size(const ActivationCache *cache, size_t place, size_t position);

/* (hidden) activations between up and down; zeros for layers with experts alone or without a
 * feed-forward network. */
const float *activation_neurons(const ActivationCache *cache, size_t layer, size_t position);

/* (vocab) probabilities of the next token if the stream at this place were the last; valid
 * until the next call. */
const float *activation_lens(ActivationCache *cache, size_t place, size_t position);

#endif
