/* search.h - texts that are chosen among several: by beam search, or as the best of n samples. */
#ifndef STRATA_SEARCH_H
#define STRATA_SEARCH_H

#include "speaker.h"

#include <stdio.h>

/* Beam search: the best text's tokens.  Every beam's score is written to `report` (or NULL). */
bool search_beams(Speaker *speaker, const TokenList *prompt, const BeamOptions *options,
                  FILE *report, TokenList *best, Fault *fault);

/* n samples with seeds seed, seed + 1, ...; the one with the largest mean log-probability.  The
 * prompt is read once. */
bool search_best_of(Speaker *speaker, const TokenList *prompt, GenerateOptions options,
                    size_t n, FILE *report, TokenList *best, GenerateResult *result,
                    Fault *fault);

#endif
