/* recipe.h - a family of models is one row of a table.
 *
 * Everything that sets one family apart from another is data here; what a file shows by having a
 * tensor or not (biases, a head of its own, norms on queries and keys, norms after a branch,
 * experts) is seen by looking. */
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
    bool scale_embedding; /* x starts as embedding * sqrt(dim) */
    bool tied_only;       /* the head is always the embedding */
    float attn_softcap;   /* defaults for when the file does not say */
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
