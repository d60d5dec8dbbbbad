/* mixer_cross.h - cross attention: the text attends to a source that an encoder has read.
 *
 *     source     the encoder's final rows:  --> k, v --> cache         once for each source
 *     text       x --> norm --> q ---------------------------> attention --> o    each token
 *
 * Queries come from one text, keys and values from another.  There is no mask, because the
 * whole source is known, and no rotation, because positions in two texts have no distance.
 *
 * A sequence stores its source first: in each layer, positions 0 .. source-1 hold keys and
 * values of the source's rows; those of the text follow.
 *
 *     cache of a layer      | cross keys and values | keys and values of the text |
 *                           0                       source                        length
 *
 * So sequences share, copy and release a source's pages like any others (kv.h).
 *
 * Invariant: what cross_keep stores depends only on the source and is never overwritten
 * [forks_share_a_source].
 * Source   Vaswani et al. 2017, arXiv:1706.03762, sec. 3.2.3; Bahdanau et al. 2014,
 *          arXiv:1409.0473.
 * Tutorial docs/layer4/cross-attention.md */
#ifndef STRATA_MIXER_CROSS_H
#define STRATA_MIXER_CROSS_H

#include "mixer_attention.h"

typedef struct Cross {
    Norm norm;
    /* q, k, v, o and shape, `cross` set; o.w.data NULL: no cross attention */
    Attention attention;
} Cross;

/* Abort if an Attention sets what only attention_forward does: clamp, norms and gates of q, k
 * and v, v_scale, sub_norm. */
void attention_require_bare(const Attention *attention, const char *mixer);

/* Store keys and values of a source's rows in layer `layer` of the cache.
 *
 *   source   its rows are positions of the source
 *   rows     (count, dim) the encoder's output */
void cross_keep(Pool *pool, const Cross *cross, AttentionRun *run, KvCache *kv, size_t layer,
                const Batch *source, const float *rows);

/* out (count, dim) = attention to the source for each row of x (count, dim), already normed.
 *
 * Flops    2 * count * heads * source * (head_dim + value_dim), and the products with q
 *          and o. */
void cross_forward(Pool *pool, const Cross *cross, AttentionRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out);

#endif
