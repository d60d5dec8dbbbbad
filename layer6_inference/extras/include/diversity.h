/* diversity.h - how varied a set of texts is.
 *
 * Words are separated by spaces and punctuation; case is ignored.
 *
 * Invariant: all measures but `words` are shares between 0 and 1, and none depends on the order
 * of the texts [diversity_by_hand]. */
#ifndef STRATA_DIVERSITY_H
#define STRATA_DIVERSITY_H

#include "models.h"

typedef struct Diversity {
    double distinct[3];     /* different n-grams / n-grams, n = 1, 2, 3, over all texts
                               (Li et al. 2015, arXiv:1510.03055) */
    double self_similarity; /* mean share of a text's 4-grams that also occur in another text */
    double repetition;      /* mean share of a text's 4-grams that occurred in it before */
    double words;           /* mean length */
} Diversity;

/* Fails without memory. */
bool diversity_measure(const Text *texts, size_t n, Diversity *diversity, Fault *fault);

#endif
