/* dead_end.h - a stage that leaves no token at the third of a text in a counted world: a text
 * that is not over after two is a dead end. */
#ifndef STRATA_DEAD_END_H
#define STRATA_DEAD_END_H

#include "counted.h"

/* A reason ends the search; without one it is a dead end. */
static const char *dead_end_why = "";

static inline const char *dead_end_reason(const Stage *stage) {
    return (void)stage, dead_end_why;
}

static inline void leave_none(Stage *stage, Candidates *c, const Step *step) {
    (void)stage;
    if (step->position < 7) return;
    for (size_t i = 0; i < c->count; i++) c->logits[i] = -INFINITY;
    candidates_changed(c);
}

static const StageKind stage_seven = {.name = "seven",
                                      .gloss = "a text has seven tokens, and then no end",
                                      .example = "seven",
                                      .why_none = dead_end_reason,
                                      .apply = leave_none};

/* A world whose rules are the allowed tokens and this stage. */
static inline void open_dead_end(Counted *w, uint64_t seed) {
    Fault fault;
    open_world(w, seed);
    assert_true(stage_register(&stage_seven, &fault));
    chain_close(&w->rules);
    assert_true(chain_parse(&w->rules, "allow:97:101:111:116,seven,draw", NULL, &fault));
}

#endif
