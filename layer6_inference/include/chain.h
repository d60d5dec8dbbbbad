/* chain.h - stages in a row.
 *
 *     penalties:rep=1.1:last=64,top_k:40,top_p:0.95,min_p:0.05,temp:0.8,draw
 *
 * Stages are separated by commas; a stage is a name and its parameters, each `:value` or `:key=value`.  The order is
 * the order in which they act.  The last one picks; when no stage does, `draw` is added.
 *
 * Invariant: the text chain_print makes is a chain with the same stages and parameters. */
#ifndef STRATA_CHAIN_H
#define STRATA_CHAIN_H

#include "stage.h"

enum { CHAIN_STAGES = 24, CHAIN_TEXT = 1024 };

typedef struct Chain {
    Stage stages[CHAIN_STAGES];
    size_t count;
} Chain;

/* The chain used when none is given. */
extern const char chain_default[];

/* Read a chain.
 *
 * Fails on an unknown name or key and on a value out of range; the fault lists what there is. */
bool chain_parse(Chain *chain, const char *spec, Fault *fault);

/* Write it canonically into text (CHAIN_TEXT bytes); returns text.  Parameters at their
 * defaults are left out. */
const char *chain_print(const Chain *chain, char *text);

/* Run all stages over the candidates; the last one picks.  Returns the token. */
int32_t chain_run(const Chain *chain, Candidates *candidates, const Step *step);

#endif
