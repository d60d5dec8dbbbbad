/* block_extras.h - the other kinds of mixers, networks and wirings that a block may have.
 *
 *     after         x = norm(x + mixer(x));  x = norm'(x + network(x))           BERT
 *                   ... with two first norms: norm_2(x + norm(x + mixer(x)))     Jina's BERT
 *     laurel        x = (x + mixer(h) + h + laurel(h)) / sqrt(2), h = norm(x);
 *                   x += network(norm'(x))                                       Gemma 3n
 *     cross         x += mixer(norm(x));  x += cross attention(norm''(x));
 *                   x += network(norm'(x))                                       T5
 *     beside        x += mixer(norm(x));  x += network(norm'(x)) + experts(x)    Gemma 4
 *     ahead         h = norm''(x);  x += mixer(norm(x));
 *                   x += network(norm'(x)) + experts(h)                          Arctic
 *     chosen ahead  e = router(x);  x += mixer(norm(x));
 *                   x += experts e(norm'(x))                                     SmallThinker
 *     scaled        x += g mixer(norm(x));  x += g' network(norm'(x))              InternViT
 *     joined        x += mixer([token | x]);  x += network(norm'(x))             EAGLE-3
 *
 * extended_wiring wraps one of them: the block may add a per-layer input at its end
 * (layer_input.h), be scaled (Gemma 4), or be one part of a wider stream (altup.h). */
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

/* The weights of a block's other kinds; unused ones are zero. */
typedef struct BlockExtras {
    Mla mla; /* projections for Block.attention */
    Mamba mamba;
    DeltaNet delta;
    Rwkv rwkv; /* its channel mix, if any, is the network */
    ShortConvMixer short_conv;
    Experts experts;
    Relative relative; /* bias of attention's scores */
    Cross cross;
    Join join;                                 /* before the block of a draft head */
    Norm attn_norm_2;                          /* of `after`; or none */
    const float *branch_gains[2];              /* (dim) each, of `scaled` */
    Norm network_post_norm, experts_post_norm; /* of `beside` */
    Norm ahead_norm;                           /* of `ahead`; or none */
    Laurel laurel;
    LayerInput layer_input;
    AltUp altup;
    const float *output_scale; /* one factor on x after the block; NULL: 1 */
    const Wiring *inner;       /* of extended_wiring */
} BlockExtras;

extern const PartKind mla_part, mamba_part, mamba2_part, delta_part, rwkv_part, rwkv6_part,
    short_conv_part, experts_part, rwkv_channel_part;
extern const Wiring after_wiring, laurel_wiring, joined_wiring, scaled_wiring;

/* Choose mixers, network and wiring by the block's weights; `usual` is its family's wiring. */
void block_choose(Block *block, const Wiring *usual);

/* Memory that other kinds use, too (block_memory). */
OpenMemory experts_open, mamba_open, wiring_open;

/* The memory of wiring_open. */
typedef struct WiringRun {
    LaurelRun laurel;
    LayerInputRun layer_input;
    AltUpRun altup;
    JoinRun join;
} WiringRun;

#endif
