/* search.h - texts that are chosen among several: by beam search, or as the best of n samples.
 *
 * Invariant: a text is ranked by what is shown of it and by what ended it, nothing behind. */
#ifndef STRATA_SEARCH_H
#define STRATA_SEARCH_H

#include "loaded_model.h"
#include "beam.h"

#include <stdio.h>

/* The text that was chosen. */
typedef struct Best {
    TokenList tokens;      /* owns */
    GenerateResult result; /* its own */
    uint64_t seed;         /* it was drawn with */
    size_t generated;      /* tokens of all samples */
} Best;

/* Beam search; all texts with their scores go to `report`, unless that is NULL. */
bool search_beams(LoadedModel *loaded, const TokenList *prompt, const BeamOptions *options,
                  FILE *report, Best *best, Fault *fault);

/* n samples with seeds seed, seed + 1, ...; the one with the largest mean log-probability of the
 * tokens that are shown.  The prompt is read once; the time limit is one for all of them.
 *
 *   at_once   samples in a batch: as many as the session has sequences for
 *   options   stream is not used; on_read and on_choice are called as in generate
 *   stops     stop strings */
bool search_best_of(LoadedModel *loaded, const TokenList *prompt,
                    const GenerateOptions *options, const Stops *stops, size_t n,
                    size_t at_once, FILE *report, Best *best, Fault *fault);

#endif
