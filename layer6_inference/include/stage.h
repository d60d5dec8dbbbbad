/* stage.h - the shape every sampler has.
 *
 * A stage looks at the candidates and changes their logits, removes some, or picks one.  Its
 * parameters stand in a table from which the parser, the printer and the help are made.
 *
 * Invariant: what a stage does depends on the candidates, its parameters and the Step; it keeps nothing between
 * tokens.  (A stage that has to will bring its own state; none so far needs it.) */
#ifndef STRATA_STAGE_H
#define STRATA_STAGE_H

#include "candidates.h"

/* What a stage may know about the moment. */
typedef struct Step {
    uint64_t seed, position; /* the coin of a stage is rng_unit(seed, position, stage) */
    const int32_t *history;  /* tokens so far, the prompt's too */
    size_t history_count;
} Step;

typedef struct StageParam {
    const char *key; /* the first one may be given as a bare value: top_k:40 */
    double fallback, low, high;
    bool whole;  /* integers only */
    bool needed; /* has no sensible default */
} StageParam;

enum { STAGE_PARAMS = 5 };

typedef struct Stage Stage;

typedef struct StageKind {
    const char *name, *gloss;
    StageParam params[STAGE_PARAMS]; /* up to the first without a key */
    bool picks;
    void (*apply)(const Stage *stage, Candidates *candidates, const Step *step);
} StageKind;

struct Stage {
    const StageKind *kind;
    double value[STAGE_PARAMS];
    size_t index; /* place in the chain */
};

/* All stages; returns their number. */
size_t stage_list(const StageKind *const **list);
const StageKind *stage_find(Text name); /* NULL: none */

extern const StageKind stage_greedy, stage_temp, stage_top_k, stage_top_p, stage_min_p,
    stage_penalties, stage_draw;

#endif
