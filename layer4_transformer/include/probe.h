/* probe.h - a look inside a forward pass, and a hand in it.
 *
 *     embedding --> | attention         + --> | feed-forward  + --> ... --> logits
 *         |         |  |       |        |     |  |            |
 *      EMBEDDED     WEIGHTS  HEADS    MIXED   NEURONS       AFTER          what an observer is shown
 *                   heat     scale              scale         patch         what an act changes
 *                   `--- scale of a layer: what both of them add ---'
 *
 * A probe belongs to a session, or to none: then each of these places is one test of
 * a pointer.  What keys and values were read under other acts stays as it is; so acts are chosen
 * before a text is read.
 *
 * Invariant: observing changes no bit of the results; neither does a scale or a heat of 1, nor the
 * patch of a row with itself.  Acts and observers run on the thread that runs the forward pass, in the
 * order of the layers: the number of threads changes nothing.
 * Source   Michel et al. 2019, arXiv:1905.10650 (silencing heads); Vig et al. 2020, arXiv:2004.12265, and
 *          Meng et al. 2022, arXiv:2202.05262 (patching). */
#ifndef STRATA_PROBE_H
#define STRATA_PROBE_H

#include "attention.h"
#include "batch.h"
#include "kv.h"

typedef enum ProbePart {
    PROBE_EMBEDDED, /* (count, dim) the stream before the first layer */
    PROBE_WEIGHTS, /* (n) how much one head of one row takes of positions from .. from + n - 1 */
    PROBE_HEADS,   /* (count, heads * value_dim) what the heads bring, side by side */
    PROBE_MIXED,   /* (count, dim) the stream after attention, or what mixes in its place */
    PROBE_NEURONS, /* (count, hidden) of a feed-forward without experts: after the activation */
    PROBE_AFTER,   /* (count, dim) the stream after the layer */
    PROBE_PARTS
} ProbePart;

/* What an observer is shown; good until it returns. */
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
    ACT_HEAD,   /* what a head brings, times value; 0 silences it */
    ACT_LAYER,  /* what a layer adds to the stream, times value */
    ACT_NEURON, /* a number between up and down, times value */
    ACT_HEAT, /* scores of a head divided by value before softmax: more than 1 looks everywhere */
    ACT_PATCH, /* the stream of a position after a layer becomes row */
} ActKind;

#define ACT_ALL ((size_t)-1)

typedef struct Act {
    ActKind kind;
    size_t layer, index; /* index: head, neuron or position; layer and head may be ACT_ALL */
    float value;         /* heat: more than 0 */
    const float *row;    /* (dim) of a patch */
} Act;

typedef struct Probe {
    OnSeen *see;    /* or NULL */
    void *context;  /* of see */
    unsigned wants; /* parts to be shown: 1u << PROBE_HEADS | ... */
    float *weights; /* (ctx) working memory, when PROBE_WEIGHTS is wanted */
    const Act *acts;
    size_t count; /* of acts */
    /* where the forward pass is */
    size_t layer;
    /* the layer whose keys and values attention reads: this one, or an earlier one */
    size_t kept;
    const Batch *batch;
} Probe;

/* A forward pass calls these where the picture shows it; what they are given they may change. */
void probe_enter(Probe *probe, size_t layer, const Batch *batch);
void probe_stream(Probe *probe, ProbePart part, float *x, size_t dim);
void probe_queries(Probe *probe, const AttentionShape *shape, float *q);
void probe_weights(Probe *probe, const AttentionShape *shape, const KvCache *kv,
                   const float *q);
void probe_heads(Probe *probe, const AttentionShape *shape, float *mixed);
void probe_neurons(Probe *probe, float *a, size_t hidden);
float probe_branch_scale(const Probe *probe);

#endif
