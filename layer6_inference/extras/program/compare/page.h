/* page.h - a study as one self-contained HTML page: no network, no scripts, no other files. */
#ifndef STRATA_COMPARE_PAGE_H
#define STRATA_COMPARE_PAGE_H

#include "measure.h"

#include <stdio.h>

/* The table, the plots, the texts side by side.  Fails when memory runs out. */
bool page_write(const Study *study, const Summary *summaries, FILE *out, Fault *fault);

/* Text with & < > " escaped. */
void page_text(FILE *out, Text text);

/* Plot one measure against another, with intervals: SVG in the page's colors.  Draws nothing if
 * fewer than two chains have both. */
void plot_write(const Study *study, const Summary *summaries, MeasureKind across,
                MeasureKind up, FILE *out);

/* Texts of the first openings, chains side by side; tokens missing from the first chain's text
 * are marked. */
bool texts_write(const Study *study, FILE *out, Fault *fault);

#endif
