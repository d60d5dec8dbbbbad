/* page.h - a study as one self-contained HTML page: no network, no scripts, no other files. */
#ifndef STRATA_COMPARE_PAGE_H
#define STRATA_COMPARE_PAGE_H

#include "measure.h"

#include <stdio.h>

/* The table, the plots, the texts side by side.  Fails when memory runs out. */
bool page_write(const Study *study, const Summary *summaries, FILE *out, Fault *fault);

/* "53.8% +-4.4": half the interval's width, in the value's digits; in a column.
 *
 *   sign   with + or -, for a difference */
void table_print_value(const Measure *measure, Value value, bool sign);

/* Three cells of CSV, each with its comma: the mean and the interval; empty if unknown. */
void table_csv_value(FILE *out, Value value);

/* Text with & < > " escaped. */
void page_text(FILE *out, Text text);

/* Plot one measure against another, with intervals: SVG in the page's colors.  False, and draws
 * nothing, if fewer than two chains have both. */
bool plot_write(const Study *study, const Summary *summaries, MeasureKind across,
                MeasureKind up, FILE *out);

/* Two of these below each other, with the same measure across, as one SVG.  False as above. */
bool plot_write_two(const Study *study, const Summary *summaries, MeasureKind across,
                    MeasureKind up, MeasureKind below, FILE *out);

/* The study's plot as a file of its own: the shares that are valid and kept, or, without a
 * world, surprisal against distinct 2-grams. */
bool plot_file(const Study *study, const Summary *summaries, FILE *out, Fault *fault);

/* Texts of the first openings, chains side by side; tokens missing from the first chain's text
 * are marked. */
bool texts_write(const Study *study, FILE *out, Fault *fault);

#endif
