/* stage_kinds.h - the samplers of the core, for the two files stage_kinds.c (src/chain,
 * extras). */
#ifndef STRATA_STAGE_KINDS_H
#define STRATA_STAGE_KINDS_H

#include "stage.h"

/* First those that change logits, then those that cut, then those that pick. */
#define STAGES_OF_THE_CORE                                                                   \
    &stage_bias, &stage_ban, &stage_allow, &stage_suppress, &stage_min_tokens, &stage_think, \
        &stage_force, &stage_length, &stage_penalties, &stage_dry, &stage_no_repeat,         \
        &stage_contrast, &stage_cfg, &stage_watermark, &stage_temp, &stage_quadratic,        \
        &stage_top_k, &stage_top_p, &stage_min_p, &stage_typical, &stage_tfs, &stage_top_a,  \
        &stage_epsilon, &stage_eta, &stage_top_n_sigma, &stage_top_h, &stage_p_less,         \
        &stage_xtc, &stage_skew, &stage_greedy, &stage_draw, &stage_gumbel, &stage_mirostat, \
        &stage_mirostat_v2, &stage_adaptive_p, &stage_contrastive_search

#endif
