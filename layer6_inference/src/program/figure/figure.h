/* figure.h - the numbers behind the plots of samplers, as CSV on stdout.  A figure is drawn from
 * one distribution that stands there (distribution.c), or from the steps of texts that a
 * model writes (steps.c). */
#ifndef STRATA_FIGURE_H
#define STRATA_FIGURE_H

#include "speaker.h"

typedef struct FigureJob {
    const char *model, *prompt, *draft;
    long steps;
    Machine machine;
} FigureJob;

/* Rows  label,shape,rank,before,after. */
bool figure_effects(const FigureJob *job, Fault *fault);
bool figure_temperature(const FigureJob *job, Fault *fault);
bool figure_order(const FigureJob *job, Fault *fault);

bool figure_kept(Speaker *speaker, const FigureJob *job, Fault *fault);
bool figure_surprise(Speaker *speaker, const FigureJob *job, Fault *fault);
bool figure_repetition(Speaker *speaker, const FigureJob *job, Fault *fault);
bool figure_guess(Speaker *speaker, const FigureJob *job, Fault *fault);

#endif
