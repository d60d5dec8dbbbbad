/* recipe.h - a family of models is one row of a table.
 *
 * Everything that sets one family apart from another is data here; what a file shows by having a
 * tensor or not (biases, a head of its own, q, k and v in one, experts) is seen by looking.
 *
 * Invariant: with its row and its file a model is known.  What a file says beyond its row is
 * refused when it is opened (model.h), never ignored. */
#ifndef STRATA_RECIPE_H
#define STRATA_RECIPE_H

#include "transformer.h"

typedef struct Recipe {
    const char *arch;   /* general.architecture */
    const char *models; /* for people */
    NormKind norm;
    RopeStyle rope;
    bool learned_positions;
    Activation act;
    bool gated;
    bool parallel;
    bool head_norms;      /* queries and keys have a norm of their own */
    bool post_norms;      /* what a branch returns is normed before it is added */
    bool scale_embedding; /* x starts as embedding * sqrt(dim) */
    /* defaults for when the file does not say; -1: none then; 0: the family never has one */
    float attn_softcap;
    float logit_softcap;
    size_t window; /* positions a windowed layer sees; 0: the file says, or none */
    size_t
        window_pattern;  /* p: of every p layers the last one sees everything; 0: no windows */
    double window_theta; /* theta of windowed layers; 0: as the others */
    size_t
        scale_by_dim_layers; /* with this many layers scores scale by 1 / sqrt(dim / heads), not head_dim */
    bool temperature; /* q grows with the position, as attention.temperature_scale says */
} Recipe;

/* The row of a family, or NULL. */
const Recipe *recipe_find(Text arch);

/* All rows; returns their number. */
size_t recipe_list(const Recipe **list);

#endif
