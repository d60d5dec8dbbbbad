/* ffn.h - the feed-forward network of a block: each token by itself.
 *
 *     plain    out = down( act(up x) )
 *     gated    out = down( act(gate x) * up x )
 *
 * Source   Vaswani et al. 2017, arXiv:1706.03762, sec. 3.3 (plain); Shazeer 2020,
 *          arXiv:2002.05202 (gated). */
#ifndef STRATA_FFN_H
#define STRATA_FFN_H

#include "probe.h"

/* The maps of one network: gate and up (hidden, dim), down (dim, hidden); experts (moe.h) stack
 * them. */
typedef struct Network {
    Linear gate, up, down;
} Network;

typedef struct FeedForward {
    Activation act;
    bool gated;
    Network net;
    Norm sub_norm; /* before `down`; or none */
    float limit;   /* > 0: act(gate) <= limit, |up| <= limit */
    /* > 0: gate = max(0, gate - mean - cut * std) over each row, so that most are 0.  Gemma 3n,
     * Spark Transformer: arXiv:2506.06644 */
    float cut;
    Xielu xielu; /* of ACT_XIELU */
} FeedForward;

/* The largest sizes among a model's networks. */
typedef struct FfnSizes {
    size_t dim, hidden;
} FfnSizes;

/* Grow sizes to fit this network. */
void ffn_sizes_include(FfnSizes *sizes, const Network *net);

/* Working memory for a batch. */
typedef struct FfnRun {
    float *a, *b;  /* (rows, hidden) */
    void *scratch; /* for the products */
    Probe *probe;  /* NULL: none */
} FfnRun;

void ffn_run_init(FfnRun *run, size_t rows, const FfnSizes *sizes, Arena *arena);

/* out (n, dim) = one network applied to each row of x (n, dim): up and gate, activate_rows with
 * ffn->limit, ffn->sub_norm if any, down.  out may be x. */
void dense_forward(Pool *pool, const FeedForward *ffn, const Network *net, const float *x,
                   size_t n, float *out, FfnRun *run);

/* The activation between up, gate and down, for n rows: run->a = act(a) * b, or act(b) without
 * a gate. ffn->cut is applied to the gates first.
 *
 *   limit   > 0: act(a) <= limit, |b| <= limit */
void activate_rows(Pool *pool, const FeedForward *ffn, float limit, size_t n, size_t hidden,
                   FfnRun *run);

#endif
