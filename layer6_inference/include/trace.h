/* trace.h - what every stage did, as CSV: tests assert on it, gnuplot draws it.
 *
 *     [sample,step,]place,stage,rank,token,[text,]logit,prob,kept
 *
 *     sample   1, 2, ...: resets of the chain since the trace began
 *     step     0, 1, ... within a sample
 *     place    of the stage in the chain, from 1; 0: "model", the candidates as they came in
 *     text     of the token, see utf8_print_escaped
 *
 * The tokens a stage left come first, by falling probability, then those it removed (kept 0).
 *
 * Invariant: a trace changes nothing: the same tokens are chosen with and without one
 * [traces_change_nothing]. */
#ifndef STRATA_TRACE_H
#define STRATA_TRACE_H

#include "chain.h"

#include <stdio.h>

typedef struct Trace {
    FILE *out;                  /* borrows */
    size_t vocab;               /* max tokens of the chain's candidates */
    const Tokenizer *tokenizer; /* with it: columns sample, step and text; NULL: without */
    size_t max_rows;            /* rows of a stage; 0: all */
    const char *only;           /* "last": only the last stage; NULL: all */
    const Chain *chain;
    size_t step, sample;
    bool headed;            /* the header is written */
    size_t begun;           /* resets of the chain before the trace began */
    uint64_t *before, *now; /* (vocab) keys; owns */
    size_t n_before;
    bool *alive; /* (vocab) */
} Trace;

/* Fails when memory runs out.  The header is written at the chain's first run. */
bool trace_open(Trace *trace, FILE *out, size_t vocab, const Tokenizer *tokenizer,
                Fault *fault);
void trace_close(Trace *trace);

/* Watch a chain from now on. */
void trace_observe(Trace *trace, Chain *chain);

#endif
