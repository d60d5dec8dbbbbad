/* mixer_cross.h - cross attention: what is written looks at what was read.
 *
 *     source     an encoder's rows, final:  --> k, v --> memory        once for each text
 *     text       x --> norm --> q ---------------------------> attention --> o        for each token
 *
 * Queries come from one text and keys and values from another one, and that is all the difference: no mask,
 * because all of the source is there, and no places, because positions in two texts have no distance.
 *
 * A sequence that has a source holds it first: positions 0 .. source-1 of each layer of its memory are keys
 * and values of the source's rows, those of the text follow.
 *
 *     memory of a layer     | cross keys and values | keys and values of the text |
 *                           0                       source                        length
 *
 * So sequences share, copy and give back a source's pages as they do those of a text (kv.h).
 *
 * Invariant: what cross_keep wrote is not written again, and depends on the source alone.
 * Source   Vaswani et al. 2017, arXiv:1706.03762, sec. 3.2.3; Bahdanau et al. 2014, arXiv:1409.0473.
 * Tutorial docs/layer4/cross-attention.md */
#ifndef STRATA_MIXER_CROSS_H
#define STRATA_MIXER_CROSS_H

#include "mixer_attention.h"

typedef struct Cross {
    Norm norm;
    Attention
        attention; /* q, k, v, o and its shape, `cross` set; not there: o.w.data is NULL */
} Cross;

/* Keep keys and values of a source's rows in layer `layer` of the memory.
 *
 *   source   its rows are positions of the source
 *   rows     (count, dim) as the encoder left them */
void cross_keep(Pool *pool, const Cross *cross, AttentionRun *run, KvCache *kv, size_t layer,
                const Batch *source, const float *rows);

/* out (count, dim) = what the source has to say to each row of x (count, dim), which has passed
 * `norm` already.
 *
 * Cost     2 * count * heads * source * (head_dim + value_dim) flops beside the products with q and o. */
void cross_forward(Pool *pool, const Cross *cross, AttentionRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out);

#endif
