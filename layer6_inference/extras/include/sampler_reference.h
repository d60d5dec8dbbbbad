/* sampler_reference.h - the definition of each sampler that cuts or reshapes, as its paper has
 * it.
 *
 * The stages of src/samplers compute the same without sorting.  `ref:typical:0.9` in a chain
 * runs the definition (the twin) in place of the fast stage; tests/test_twins.c compares
 * them. */
#ifndef STRATA_SAMPLER_REFERENCE_H
#define STRATA_SAMPLER_REFERENCE_H

#include "stage.h"

typedef struct ReferenceToken {
    size_t entry;           /* in the candidates */
    int32_t id;             /* of equal keys the lower id comes first */
    double logit, log_p, p; /* p: softmax of the logits, log_p its natural logarithm */
    double key;             /* the row is sorted by falling key: at first the logit */
} ReferenceToken;

/* The candidates above -infinity, by falling probability. */
typedef struct ReferenceRow {
    ReferenceToken *token; /* (n); a definition drops tokens from the end or the front */
    size_t n, min_keep;    /* min_keep: that many stay in any case */
    double u;              /* uniform sample in [0, 1), for definitions that act at random */
    const float *amateur;  /* (vocab) a second row of logits, by id; NULL: none */
    size_t vocab;
} ReferenceRow;

/* value: the stage's parameters, in the order of its table. */
typedef void SamplerReference(ReferenceRow *row, const double *value);

/* The definition of this stage; NULL: none. */
SamplerReference *sampler_reference_find(Text name);

/* The name of the i-th definition; NULL: there are no more. */
const char *sampler_reference_name(size_t i);

/* The row of some candidates: sorted, with its probabilities.  Returns the allocation that
 * row->token points into, to be freed after use. */
ReferenceToken *reference_row(ReferenceRow *row, const Candidates *candidates);

extern const StageKind stage_ref;

#endif
