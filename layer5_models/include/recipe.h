/* recipe.h - a family of models is one row of a table.
 *
 * All that distinguishes families is data; optional tensors (biases, an untied head, fused
 * q, k, v) are found by looking into the file.  The rows of this table are plain decoders;
 * families that need more fields have `quirks`, and a table of their own
 * (extras/more_families.c).
 *
 * Invariant: a row and a file determine a model.  Anything else in the file is refused when it
 * is opened (model.h), never ignored [left_over_keys_are_refused]. */
#ifndef STRATA_RECIPE_H
#define STRATA_RECIPE_H

#include "roles.h"

/* Norms of queries and keys. */
typedef enum HeadNorms {
    HEAD_NORMS_NONE,
    HEAD_NORMS_SHARED, /* a norm of each head, with the same gain for all heads */
    HEAD_NORMS_ROW,    /* one norm over all heads together */
} HeadNorms;

/* The rope of windowed layers in a file with rope scaling. */
typedef enum WindowRope {
    WINDOW_ROPE_SCALED,     /* scaled like the other layers */
    WINDOW_ROPE_UNSCALED,   /* not scaled, with the file's attn_factor */
    WINDOW_ROPE_AS_TRAINED, /* as if the file had no scaling */
} WindowRope;

typedef struct Recipe {
    const char *arch;   /* general.architecture */
    const char *models; /* for readers */

    /* norms and wiring */
    NormKind norm;
    const Wiring *wiring; /* NULL: sequential */
    bool parallel_by_key; /* parallel if use_parallel_residual says so */
    bool no_pre_norms;    /* branches read x without a norm */
    bool post_norms;      /* a branch's output is normed before it is added */
    HeadNorms head_norms;

    /* positions and attention */
    RopeStyle rope;
    bool rope_freqs; /* files may have a divisor for each pair: rope_freqs.weight */
    bool learned_positions;
    size_t no_rope_every; /* every n-th layer has no rotary positions; 0: all have them */
    /* the last of every window_pattern layers has no window; 0: no windows */
    size_t window_pattern;
    /* every layer has the file's window, if there is one */
    bool window_everywhere;
    size_t window;       /* positions a windowed layer sees; 0: the file's, or none */
    double window_theta; /* theta of windowed layers; 0: as the others */
    WindowRope window_rope;
    /* models with this many layers (27B) scale scores by 1 / sqrt(dim / heads) */
    size_t scale_by_dim_layers;

    /* feed-forward */
    Activation act;
    bool gated;
    bool gate_in_up; /* ffn_up holds the gate, then up */

    /* scales; softcaps: the default without a key; -1: none then; 0: the family has none */
    bool scale_embedding; /* x starts as embedding * sqrt(dim) */
    float attn_softcap, logit_softcap;

    const struct Quirks *quirks; /* everything else (families.h); NULL: nothing */
} Recipe;

/* The row of a family, or NULL. */
const Recipe *recipe_find(Text arch);

/* Row i of all families; NULL: the end. */
const Recipe *recipe_row(size_t i);

#endif
