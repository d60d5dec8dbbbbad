/* measure.h - the measures of a chain. */
#ifndef STRATA_MEASURE_H
#define STRATA_MEASURE_H

#include "estimate.h"
#include "study.h"

/* The first four need a world. */
typedef enum MeasureKind {
    VALID,     /* share of generated texts that are valid to the end */
    KEPT,      /* share of true documents of which the chain masks no token */
    KL_TOLD,   /* KL(chain | truth), nats per text, over what both allow */
    KL_TRUTH,  /* KL(truth | chain), the same */
    SURPRISAL, /* nats per generated token, under the unmodified model */
    ENTROPY,   /* mean entropy of the model there */
    DISTINCT_1,
    DISTINCT_2,
    DISTINCT_3,
    SIMILARITY, /* share of a text's 4-grams that occur in another text of its sample */
    REPETITION, /* share of a text's 4-grams that occurred in it before */
    WORDS,      /* per text */
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
    Value value[MEASURES], against[MEASURES]; /* against: minus the first chain's */
    double speed;                             /* tokens/s */
    size_t sample, samples;           /* texts in each sample of distinct-n, and samples */
    char reasons[160];                /* why texts are not valid */
    enum { POINT, FAINT, LINE } mark; /* in plots; FAINT: no intervals and name */
} Summary;

/* Measure one chain; `first` is the chain it is compared with, or NULL.  Close it. */
bool measure_chain(const Study *study, size_t chain, const Summary *first, Summary *summary,
                   Fault *fault);
void measure_close(Summary *summary);

#endif
