/* block_extras.h - what a block may have beside attention and a dense network: other kinds of parts,
 * and other wirings around them.
 *
 *     after         x = norm(x + mixer(x));  x = norm'(x + network(x))             BERT
 *                   ... the first one twice: norm_2(x + norm(x + mixer(x)))        Jina's BERT for code
 *     laurel        x = (x + mixer(h) + h + laurel(h)) / sqrt(2), h = norm(x);
 *                   x += network(norm'(x))                                         Gemma 3n
 *     cross         x += mixer(norm(x));  x += cross attention(norm''(x));  x += network(norm'(x))     T5
 *     beside        x += mixer(norm(x));  x += network(norm'(x)) + experts(x)      Gemma 4 with experts
 *     joined        x += mixer([token | x], normed by the join);  x += network(norm'(x))       EAGLE-3
 *
 * At its end a block may take an input of its own (layer_input.h) and be scaled as a whole (Gemma 4);
 * and x may be one part of a wider stream (altup.h): extended_wiring does this around another one. */
#ifndef STRATA_BLOCK_EXTRAS_H
#define STRATA_BLOCK_EXTRAS_H

#include "block.h"

#include "altup.h"
#include "join.h"
#include "laurel.h"
#include "layer_input.h"
#include "mixer_cross.h"
#include "mixer_delta.h"
#include "mixer_mamba.h"
#include "mixer_mla.h"
#include "mixer_rwkv.h"
#include "mixer_short_conv.h"
#include "moe.h"

/* Those of a block; what is not there is zero. */
typedef struct BlockExtras {
    Mla mla; /* how keys and values of Block.attention come about */
    Mamba mamba;
    DeltaNet delta;
    Rwkv rwkv; /* its channel mix is the network */
    ShortConvMixer short_conv;
    Experts experts;
    Relative relative; /* of attention's scores */
    Cross cross;
    Join join;                                 /* in front of the block of a draft head */
    Norm attn_norm_2;                          /* of `after`; or none */
    Norm network_post_norm, experts_post_norm; /* of `beside` */
    Laurel laurel;
    LayerInput layer_input;
    AltUp altup;
    const float *output_scale; /* a number, on x behind the block; NULL: 1 */
    const Wiring *inner;       /* of extended_wiring */
} BlockExtras;

extern const PartKind mla_part, mamba_part, mamba2_part, delta_part, rwkv_part, short_conv_part,
    experts_part, rwkv_channel_part;
extern const Wiring after_wiring, laurel_wiring, cross_wiring, beside_wiring, joined_wiring,
    extended_wiring;

/* Mixers, network and wiring of a block follow from the weights that it has, but for the wiring of a
 * family, `usual`. */
void block_choose(Block *block, const Wiring *usual);

/* Memory of kinds that others need, too (block_memory). */
OpenMemory experts_open, rwkv_open, mamba_open, wiring_open;

/* What wiring_open makes. */
typedef struct WiringRun {
    LaurelRun laurel;
    LayerInputRun layer_input;
    AltUpRun altup;
    JoinRun join;
} WiringRun;

#endif
