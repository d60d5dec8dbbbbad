/* search.h - choosing among several texts: beam search, particles, or the best of n samples.
 *
 * Invariant: a text is ranked by its printed part and its end alone. */
#ifndef STRATA_SEARCH_H
#define STRATA_SEARCH_H

#include "loaded_model.h"
#include "particles.h"

#include <stdio.h>

/* The chosen text. */
typedef struct Best {
    TokenList tokens; /* owns */
    GenerateResult result;
    uint64_t seed;    /* its seed */
    size_t generated; /* tokens of all samples */
} Best;

/* Beam search; writes all texts with their scores to `report`, unless that is NULL. */
bool search_beams(LoadedModel *loaded, const TokenList *prompt, const BeamOptions *options,
                  FILE *report, Best *best, Fault *fault);

/* Particles; writes all of them with their weights to `report`, unless that is NULL. */
bool search_particles(LoadedModel *loaded, const TokenList *prompt,
                      const ParticleOptions *options, FILE *report, Best *best, Fault *fault);

/* n samples with seeds seed, seed + 1, ...; takes the one with the largest mean log-probability
 * of its printed tokens.  The prompt is evaluated once; the time limit covers all samples.
 *
 *   at_once   samples per batch: as many as the session has sequences for
 *   options   stream is not used; on_read and on_choice are called as in generate
 *   stops     stop strings */
bool search_best_of(LoadedModel *loaded, const TokenList *prompt,
                    const GenerateOptions *options, const Stops *stops, size_t n,
                    size_t at_once, FILE *report, Best *best, Fault *fault);

#endif
