/* stages.h - for the graders of stages: a chain over fresh candidates. */
#ifndef STRATA_STAGES_H
#define STRATA_STAGES_H

#include "inference.h"
#include "near.h"

#include <stdarg.h>

enum { VOCAB = 300 };

static Candidates c;
static Chain chain;
static Step step;
static float raw[VOCAB], row[VOCAB]; /* as they were, and what stages write to */

static inline void candidates_of(size_t n) {
    static Arena arena;
    Fault fault;
    arena_free(&arena);
    arena = (Arena){0};
    NEED(candidates_open(&c, n, &arena, &fault));
    memcpy(row, raw, n * sizeof *row);
    NEED(candidates_load(&c, row, &fault));
}

static inline void fresh_logits(size_t n, double low, double high) {
    fresh_floats(raw, n, low, high);
    candidates_of(n);
}

__attribute__((format(printf, 1, 2))) static inline const char *chain_of(const char *format,
                                                                         ...) {
    static char spec[200];
    Fault fault;
    va_list list;
    va_start(list, format);
    vsnprintf(spec, sizeof spec, format, list);
    va_end(list);
    chain_close(&chain);
    if (!chain_parse(&chain, spec, NULL, &fault)) printf("  %s\n", fault.text), grade_ends();
    chain_reset(&chain);
    return spec;
}

/* The first `n` stages, each by itself: chain_run may be the exercise. */
static inline void apply_stages(size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!stage_is_off(&chain.stages[i]))
            chain.stages[i].kind->apply(&chain.stages[i], &c, &step);
}

/* A stage by itself.  What the chain says, stage->value, is for all tokens to come. */
static inline void apply_stage(Stage *stage, const char *spec) {
    double said[STAGE_PARAMS];
    memcpy(said, stage->value, sizeof said);
    stage->kind->apply(stage, &c, &step);
    for (size_t i = 0; i < STAGE_PARAMS; i++)
        HINT(stage->value[i] == said[i],
             "%s: stage->value[%zu] was %g and is %g: what the chain says is for the next "
             "token, too, so work with a copy",
             spec, i, said[i], stage->value[i]);
}

/* What is known about the candidates must be true. */
static inline void facts_hold(const char *spec) {
    float max = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < c.count; i++) max = fmaxf(max, c.logits[i]);
    HINT(candidates_max(&c) == max,
         "%s: logits were changed without telling the candidates, which still say that %g is "
         "the largest, and it is %g (candidates_set, candidates_scale and candidates_changed "
         "tell them)",
         spec, (double)candidates_max(&c), (double)max);
    for (size_t i = 0; i < c.count; i++) sum += exp((double)c.logits[i] - (double)max);
    HINT(near(candidates_sum(&c), sum, 1e-4),
         "%s: logits were changed without telling the candidates, which still say that the "
         "weights sum to %g, and it is %g (candidates_set, candidates_scale and "
         "candidates_changed tell them)",
         spec, candidates_sum(&c), sum);
    for (size_t i = 1; c.sorted && i < c.count; i++)
        HINT(c.logits[i - 1] > c.logits[i] || (c.logits[i - 1] == c.logits[i] &&
                                               candidates_id(&c, i - 1) < candidates_id(&c, i)),
             "%s: the candidates believe to be sorted, and are not: tell them with "
             "candidates_changed",
             spec);
}

#endif
