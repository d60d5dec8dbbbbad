/* tune.h - strata tune: which chain suits a model and documents of the user's?
 *
 *     documents --> opening | what follows
 *                      |           '--> read once by the model: is each of its tokens kept?
 *                      '--> each chain continues it: distinct 2-grams, surprisal
 *
 *     tune_documents.c   the documents, each with its opening
 *     tune.c             options; measures chain after chain
 *     tune_rows.c        a row for each chain in a table that a second run goes on with
 *     tune_report.c      the frontier, a recommendation, a plot
 *
 * No truth is needed: the documents themselves are what the texts are held against.  Their
 * row comes behind those of the chains.
 *
 * Invariant: a row depends on the model, the documents and the options, not on when it was
 * measured. */
#ifndef STRATA_TUNE_H
#define STRATA_TUNE_H

#include "measure.h"

typedef struct Tune {
    CompareJob job; /* chains: those to measure, then the documents */
    const char *documents, *out, *plot;
    double keep; /* min share of the documents, in percent */
    char *bytes; /* (size) of the file of documents; owned */
    size_t size;
    char header[512]; /* of the table: what a row depends on */
    FILE *table;      /* NULL: none */
    FileOut picture;
    Study study;
    size_t chains;            /* row `chains` is the documents' */
    Summary rows[MAX_CHAINS]; /* (chains + 1): values only */
    bool done[MAX_CHAINS];
} Tune;

/* The four measures of a row. */
enum { TUNE_MEASURES = 4 };
extern const MeasureKind tune_measures[TUNE_MEASURES];

/* Name of the documents among the chains. */
#define TUNE_DOCUMENTS "documents"

/* Read the file.  Fails when it is no text. */
bool tune_read(Tune *tune, Fault *fault);

/* Documents between lines <|endoftext|>, or, without such lines, one per line; the first words
 * of each are its opening, and at most max_tokens tokens of what follows are kept.
 *
 * Fails when there are fewer than two, or one has nothing behind its opening. */
bool tune_openings(Tune *tune, Fault *fault);

/* Open the table and read the rows of an earlier run.  An unfinished last line is cut off.
 *
 * Fails when it is another run's or no table of ours, and when it cannot be written. */
bool tune_open_rows(Tune *tune, Fault *fault);

/* Append a row. */
bool tune_add_row(Tune *tune, size_t row, Fault *fault);

/* Print the rows and the recommendation; draw the plot. */
bool tune_report(Tune *tune, Fault *fault);

#endif
