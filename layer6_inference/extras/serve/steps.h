/* steps.h - POST /strata/steps: what every stage of the chain leaves of the next token's
 * candidates.
 *
 *     {"chain": "min_p:0.05,temp:0.8,draw", "position": 57, "vocab": 1024,
 *      "stages": [{"stage": "model", "left": 1024, "rest": {"count": 1004, "prob": 0.02},
 *                  "tokens": [{"id": 7, "token": " fox", "logit": 9.1, "prob": 0.6}, ...]},
 *                 {"stage": "min_p", "left": 3, ...}, ...],
 *      "chosen": {"id": 7, "token": " fox", "ends": false}}
 *
 * A stage lists the STEPS_TOP likeliest tokens, and those listed by a stage before it that are
 * left; `rest` is all others that are left.  The request runs like any other, one token long.
 *
 * Invariant: the chosen token is the one that the same request generates. */
#ifndef STRATA_STEPS_H
#define STRATA_STEPS_H

#include "text_job.h"

enum { STEPS_TOP = 20, STEPS_WATCHED = 32 };

/* A chain that is watched for one token. */
typedef struct Steps {
    const Tokenizer *tokenizer;
    const Stage *last;
    size_t vocab, stages;
    uint64_t *keys; /* (vocab) owns */
    bool *listed;   /* (vocab) by a stage so far, or asked for; owns */
    char *json;     /* (size) the stages; owns */
    size_t size;
    FILE *out;
    int32_t chosen;
} Steps;

/* Watch an answer's chain.  The field `watch` names tokens that every stage lists. */
bool steps_open(TextJob *text, Answer *answer, HttpError *error);
void steps_free(Steps *steps);

/* The reply of an answer that is over. */
void steps_write(FILE *out, const TextJob *text, const Answer *answer);

#endif
