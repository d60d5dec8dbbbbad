/* page.h - a study as one self-contained HTML page: no network, no scripts, no other files. */
#ifndef STRATA_COMPARE_PAGE_H
#define STRATA_COMPARE_PAGE_H

#include "measure.h"

#include <stdio.h>

/* The table, the plots, the texts side by side.  Fails when memory runs out. */
bool page_write(const Study *study, const Summary *summaries, FILE *out, Fault *fault);

/* Text with & < > " escaped. */
void page_text(FILE *out, Text text);

/* Plot one measure against another, with intervals: SVG in the page's colors.  False, and draws
 * nothing, if fewer than two chains have both. */
bool plot_write(const Study *study, const Summary *summaries, MeasureKind across,
                MeasureKind up, FILE *out);

/* The study's plot as a file of its own: the shares that are valid and kept, or, without a
 * world, surprisal against distinct 2-grams. */
bool plot_file(const Study *study, const Summary *summaries, FILE *out, Fault *fault);

/* Texts of the first openings, chains side by side; tokens missing from the first chain's text
 * are marked. */
bool texts_write(const Study *study, FILE *out, Fault *fault);

#endif
