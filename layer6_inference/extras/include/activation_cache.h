/* activation_cache.h - all that happens to a text inside a model, kept to be looked at.
 *
 *     places of the stream      0          1           2          3          4    ...   2 * layers
 *                            embedding  attention  feed-forward attention  ...
 *                                       `----- layer 0 ------'  `----- layer 1
 *
 * Every number comes from a probe of the forward pass that also writes the text; nothing is computed
 * a second time, but the lens: what the model would say if the stream at a place were its last.
 *
 * Invariant: what is kept of a position is what was computed when the session read it last.
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

/* Memory for all positions of the session's sequence 0.
 *
 * Fails when the machine does not have it. */
bool activation_open(ActivationCache *cache, Session *session, Fault *fault);
void activation_close(ActivationCache *cache);

/* Forget the text; what the session reads from now on is kept, with these acts on it.
 *
 *   acts   (count) borrowed
 *
 * Fails as session_probe does. */
bool activation_watch(ActivationCache *cache, const Act *acts, size_t count, Fault *fault);

size_t activation_places(const ActivationCache *cache);

/* How much a head takes of positions 0 .. position: (position + 1); 0 where a window ends. */
const float *activation_weights(const ActivationCache *cache, size_t layer, size_t head,
                                size_t position);

/* (dim) the stream, and its root mean square. */
const float *activation_stream(const ActivationCache *cache, size_t place, size_t position);
float activation_size(const ActivationCache *cache, size_t place, size_t position);

/* (hidden) between up and down; zeros where a layer has experts, or nothing. */
const float *activation_neurons(const ActivationCache *cache, size_t layer, size_t position);

/* (vocab) the probabilities of the next token if the stream at this place were the last; good until
 * the next call. */
const float *activation_lens(ActivationCache *cache, size_t place, size_t position);

#endif
