/* page.h - a study as one HTML page that needs nothing else: no network, no script, no other
 * file. */
#ifndef STRATA_COMPARE_PAGE_H
#define STRATA_COMPARE_PAGE_H

#include "measure.h"

#include <stdio.h>

/* The table, the plots, the texts side by side.  Fails when memory runs out. */
bool page_write(const Study *study, const Summary *summaries, FILE *out, Fault *fault);

/* Text with its & < > " as references. */
void page_text(FILE *out, Text text);

/* A plot of one measure against another, with intervals: SVG in the colours of the page.
 * Nothing is drawn when fewer than two chains have both. */
void plot_write(const Study *study, const Summary *summaries, MeasureKind across,
                MeasureKind up, FILE *out);

/* Texts of the first openings, chain beside chain; tokens that the first chain's text lacks
 * are marked. */
bool texts_write(const Study *study, FILE *out, Fault *fault);

#endif
