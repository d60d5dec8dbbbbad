/* figure.h - the data behind the sampler plots, as CSV on stdout: from a fixed distribution
 * (distribution.c), from the steps of generated texts (steps.c), or from the likeliest texts
 * (beams.c). */
#ifndef STRATA_FIGURE_H
#define STRATA_FIGURE_H

#include "loaded_model.h"

enum { FIGURE_BEAMS = 16 }; /* sequences of the session */

typedef struct FigureJob {
    const char *name; /* of the figure */
    const char *model, *prompt, *draft;
    long steps, documents;
    ComputeOptions compute;
} FigureJob;

/* Rows  label,shape,rank,before,after. */
bool figure_effects(const FigureJob *job, Fault *fault);
bool figure_temperature(const FigureJob *job, Fault *fault);
bool figure_order(const FigureJob *job, Fault *fault);

bool figure_kept(LoadedModel *loaded, const FigureJob *job, Fault *fault);
bool figure_surprisal(LoadedModel *loaded, const FigureJob *job, Fault *fault);
bool figure_beams(LoadedModel *loaded, const FigureJob *job, Fault *fault);
bool figure_drafts(LoadedModel *loaded, const FigureJob *job, Fault *fault);

#endif
