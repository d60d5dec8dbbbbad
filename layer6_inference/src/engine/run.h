/* run.h - one run of the generating loop; private to generate.c and speculate.c. */
#ifndef STRATA_RUN_H
#define STRATA_RUN_H

#include "generate.h"
#include "look_ahead.h"

typedef struct Run {
    Session *session;
    Candidates *candidates;
    TokenList *tokens;
    const GenerateOptions *options;
    GenerateResult *result;
    Step step;
    LookAhead look;
    float *raw;     /* (vocab) when somebody wants it */
    float *held;    /* (vocab) logits aside while the chain looks ahead */
    size_t spelled; /* bytes of what the healed prompt is owed */
    double start, first;
} Run;

/* Choose a token from a row of logits that follows the first `count` tokens; the row is
 * written to. */
bool run_choose(Run *run, Chain *chain, float *logits, const int32_t *history, size_t count,
                int32_t *token, Fault *fault);

/* Append a token; what ends the text with it, if anything does, is the result's reason. */
bool run_take(Run *run, int32_t token);

/* The loop with a draft; what it cannot do is refused before. */
bool run_speculate_check(const Run *run, Fault *fault);
bool run_speculate(Run *run, Fault *fault);

#endif
