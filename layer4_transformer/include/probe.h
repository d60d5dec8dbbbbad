/* probe.h - observe a forward pass, and intervene in it.
 *
 *     embedding --> | attention         + --> | feed-forward  + --> ... --> logits
 *         |         |  |       |        |     |  |            |
 *      EMBEDDED     WEIGHTS  HEADS    MIXED   NEURONS       AFTER       what an observer sees
 *                   heat     scale              scale         patch      what an act changes
 *                   `--- scale of a layer: what both of them add ---'
 *
 * Without a probe each of these points costs one test of a pointer.  Acts do not change keys
 * and values that are already cached, so set them before the prompt is evaluated.
 *
 * Invariant: observing changes no bit; neither does a scale or heat of 1, nor patching a row
 * with itself.  Acts and observers run on the thread of the forward pass, in layer order,
 * whatever the number of threads [looking_changes_nothing, ones_change_nothing].
 * Source   Michel et al. 2019, arXiv:1905.10650 (head ablation); Vig et al. 2020,
 *          arXiv:2004.12265, and Meng et al. 2022, arXiv:2202.05262 (activation patching). */
#ifndef STRATA_PROBE_H
#define STRATA_PROBE_H

#include "attention.h"
#include "batch.h"
#include "kv.h"

typedef enum ProbePart {
    PROBE_EMBEDDED, /* (count, dim) residual stream before the first layer */
    /* (n) attention weights of one head of one row, of positions from .. from + n - 1 */
    PROBE_WEIGHTS,
    PROBE_HEADS,   /* (count, heads * value_dim) outputs of the heads */
    PROBE_MIXED,   /* (count, dim) residual stream after the mixer */
    PROBE_NEURONS, /* (count, hidden) after the activation; networks without experts */
    PROBE_AFTER,   /* (count, dim) residual stream after the layer */
    PROBE_PARTS
} ProbePart;

/* What an observer sees; valid until it returns. */
typedef struct Seen {
    ProbePart part;
    size_t layer;
    const Batch *batch;
    const float *rows;      /* (count, width) */
    size_t count, width;    /* of WEIGHTS: 1, n */
    size_t row, head, from; /* of WEIGHTS */
} Seen;

typedef void OnSeen(void *context, const Seen *seen);

typedef enum ActKind {
    ACT_HEAD,   /* head output times value; 0 ablates it */
    ACT_LAYER,  /* what a layer adds to the stream, times value */
    ACT_NEURON, /* a hidden number of the network, times value */
    ACT_HEAT,   /* scores of a head / value before softmax; > 1 flattens */
    ACT_PATCH,  /* the stream of a position after a layer becomes row */
} ActKind;

#define ACT_ALL ((size_t)-1)

typedef struct Act {
    ActKind kind;
    size_t layer, index; /* index: head, neuron or position; layer and head may be ACT_ALL */
    float value;         /* heat: > 0 */
    const float *row;    /* (dim) for a patch */
} Act;

typedef struct Probe {
    OnSeen *see;    /* or NULL */
    void *context;  /* of see */
    unsigned wants; /* parts to observe: 1u << PROBE_HEADS | ... */
    float *weights; /* (ctx) scratch for PROBE_WEIGHTS */
    const Act *acts;
    size_t count; /* of acts */
    /* the current layer of the forward pass */
    size_t layer;
    /* the cache layer that attention reads: this one, or an earlier one */
    size_t kv_layer;
    const Batch *batch;
} Probe;

/* Called by the forward pass at the points of the picture; acts change the data in place. */
void probe_enter(Probe *probe, size_t layer, const Batch *batch);
void probe_stream(Probe *probe, ProbePart part, float *x, size_t dim);
void probe_queries(Probe *probe, const AttentionShape *shape, float *q);
void probe_weights(Probe *probe, const AttentionShape *shape, const KvCache *kv,
                   const float *q);
void probe_heads(Probe *probe, const AttentionShape *shape, float *mixed);
void probe_neurons(Probe *probe, float *a, size_t hidden);
float probe_branch_scale(const Probe *probe);

#endif
