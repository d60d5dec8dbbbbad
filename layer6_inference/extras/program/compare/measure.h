/* measure.h - the measures of a chain. */
#ifndef STRATA_MEASURE_H
#define STRATA_MEASURE_H

#include "estimate.h"
#include "study.h"

/* The first four need a world. */
typedef enum MeasureKind {
    VALID,     /* share of generated texts that are valid to their end */
    KEPT,      /* share of true documents of which the chain cuts no token */
    KL_TOLD,   /* KL(chain | truth), nats a text, both within what both allow */
    KL_TRUTH,  /* KL(truth | chain), the same */
    SURPRISAL, /* nats per generated token, under the unmodified model */
    ENTROPY,   /* mean entropy of the model there */
    DISTINCT_1,
    DISTINCT_2,
    DISTINCT_3,
    SIMILARITY, /* share of a text's 4-grams that stand in another text of its sample */
    REPETITION, /* share of a text's 4-grams that stood in it before */
    WORDS,      /* of a text */
    MEASURES
} MeasureKind;

typedef struct Measure {
    const char *key, *head; /* in CSV and JSON, in tables */
    bool needs_world, is_share, in_percent;
    int digits; /* in tables */
    const char *meaning;
} Measure;

extern const Measure measures[MEASURES];

typedef struct Summary {
    Estimate estimate[MEASURES];
    Value value[MEASURES], against[MEASURES]; /* against: less that of the first chain */
    double speed;                             /* tokens/s */
    size_t sample, samples; /* texts in each sample of distinct-n, and samples */
    char reasons[160];      /* why texts are not valid */
} Summary;

/* Everything about one chain; `first` is the chain that it is set against, or NULL.  Close
 * it. */
bool measure_chain(const Study *study, size_t chain, const Summary *first, Summary *summary,
                   Fault *fault);
void measure_close(Summary *summary);

#endif
