/* diversity.h - how varied a set of texts is.
 *
 * Words are what stands between spaces and punctuation; upper and lower case are the same.
 *
 * Invariant: all measures are shares between 0 and 1, and the order of the texts changes none. */
#ifndef STRATA_DIVERSITY_H
#define STRATA_DIVERSITY_H

#include "models.h"

typedef struct Diversity {
    double distinct[3];     /* different n-grams / n-grams, n = 1, 2, 3, over all texts
                               (Li et al. 2015, arXiv:1510.03055) */
    double self_similarity; /* mean share of a text's 4-grams that stand in another text, too */
    double repetition;      /* mean share of a text's 4-grams that stood in it before */
    double words;           /* mean length */
} Diversity;

/* Fails when memory runs out. */
bool diversity_measure(const Text *texts, size_t n, Diversity *diversity, Fault *fault);

#endif
