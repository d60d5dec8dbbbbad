/* recipe.h - a family of models is one row of a table.
 *
 * Everything that sets one family apart from another is data here; what a file shows by having
 * a tensor or not (biases, a head of its own, q, k and v in one) is seen by looking.  The rows
 * of this table are plain decoders; families that need more than these fields say so in
 * `quirks`, and stand in a table of their own (extras/more_families.c).
 *
 * Invariant: with its row and its file a model is known.  What a file says beyond its row is
 * refused when it is opened (model.h), never ignored. */
#ifndef STRATA_RECIPE_H
#define STRATA_RECIPE_H

#include "roles.h"

/* Norms of queries and keys. */
typedef enum HeadNorms {
    HEAD_NORMS_NONE,
    HEAD_NORMS_SHARED, /* a norm of each head, with the same gain for all heads */
    HEAD_NORMS_ROW,    /* one norm over all heads together */
} HeadNorms;

/* The rotary angles of windowed layers in a file that stretches its context. */
typedef enum WindowRope {
    WINDOW_ROPE_SCALED,     /* those of the other layers */
    WINDOW_ROPE_UNSCALED,   /* the trained angles, with the file's attn_factor */
    WINDOW_ROPE_AS_TRAINED, /* as if the file stretched nothing */
} WindowRope;

typedef struct Recipe {
    const char *arch;   /* general.architecture */
    const char *models; /* for people */

    /* norms and wiring */
    NormKind norm;
    const Wiring *wiring; /* NULL: sequential */
    bool parallel_by_key; /* parallel where use_parallel_residual says so */
    bool no_pre_norms;    /* branches read x as it is */
    bool post_norms;      /* what a branch returns is normed before it is added */
    HeadNorms head_norms;

    /* positions and attention */
    RopeStyle rope;
    bool rope_freqs; /* files may have a divisor for each pair: rope_freqs.weight */
    bool learned_positions;
    size_t no_rope_every; /* every n-th layer has no positions; 0: all have them */
    /* of every window_pattern layers the last one sees everything; 0: no windows */
    size_t window_pattern;
    /* every layer has the window that the file names, if it names one */
    bool window_everywhere;
    size_t window;       /* positions a windowed layer sees; 0: the file says, or none */
    double window_theta; /* theta of windowed layers; 0: as the others */
    WindowRope window_rope;
    /* a model of so many layers scales scores by 1 / sqrt(dim / heads): the 27B ones */
    size_t scale_by_dim_layers;

    /* feed-forward */
    Activation act;
    bool gated;
    bool gate_in_up; /* ffn_up holds gate, then up */

    /* scales; caps: when the file does not say; -1: none then; 0: the family never has one */
    bool scale_embedding; /* x starts as embedding * sqrt(dim) */
    float attn_softcap, logit_softcap;

    const struct Quirks *quirks; /* all else (families.h); NULL: nothing */
} Recipe;

/* The row of a family, or NULL. */
const Recipe *recipe_find(Text arch);

/* Row i of all families; NULL: there are no more. */
const Recipe *recipe_row(size_t i);

#endif
