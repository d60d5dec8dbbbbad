/* chain.c - running stages in a row, and what they remember.  Reading and printing: chain_parse.c,
 * chain_print.c.  See chain.h. */
#include "chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *memory, size_t bytes) {
    void *more = realloc(memory, bytes);
    REQUIRE(more, "no memory for %zu bytes of a chain", bytes);
    return more;
}

static double *add_row(Stage *stage) {
    size_t width = stage->kind->memory;
    if (stage->n_rows == stage->rows_room) {
        stage->rows_room = 2 * stage->rows_room + 16;
        stage->rows = grown(stage->rows, stage->rows_room * width * sizeof *stage->rows);
    }
    return stage->rows + stage->n_rows++ * width;
}

void chain_reset(Chain *chain) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage->kind->memory) continue;
        stage->n_rows = 0;
        stage->kind->begin(stage, add_row(stage));
    }
}

void chain_accept(Chain *chain, int32_t token) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage->kind->memory) continue;
        double *row = add_row(stage);
        memcpy(row, row - stage->kind->memory, stage->kind->memory * sizeof *row);
        stage->kind->learn(stage, token, row);
    }
}

void chain_rewind(Chain *chain, size_t n) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage->kind->memory) continue;
        REQUIRE(n < stage->n_rows, "a rewind by %zu of %zu tokens", n, stage->n_rows - 1);
        stage->n_rows -= n;
    }
}

static void copy_stage(Stage *to, const Stage *from) {
    *to = *from;
    to->rows = NULL, to->list = NULL, to->list_text = NULL;
    if (from->kind->memory) {
        size_t bytes = from->n_rows * from->kind->memory * sizeof *to->rows;
        to->rows_room = from->n_rows;
        to->rows = memcpy(grown(NULL, bytes), from->rows, bytes);
    }
    if (from->list_text) {
        size_t bytes = strlen(from->list_text) + 1;
        to->list_text = memcpy(grown(NULL, bytes), from->list_text, bytes);
    }
    if (from->n_list) to->list = grown(NULL, from->n_list * sizeof *to->list);
    for (size_t i = 0; i < from->n_list; i++) {
        size_t bytes = from->list[i].count * sizeof(int32_t);
        to->list[i] = from->list[i];
        to->list[i].ids = memcpy(grown(NULL, bytes), from->list[i].ids, bytes);
    }
}

void chain_copy(Chain *to, const Chain *from) {
    *to = *from;
    for (size_t i = 0; i < from->count; i++) copy_stage(&to->stages[i], &from->stages[i]);
}

void chain_close(Chain *chain) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        for (size_t k = 0; k < stage->n_list; k++) free(stage->list[k].ids);
        free(stage->list), free(stage->list_text), free(stage->rows);
    }
    *chain = (Chain){0};
}

bool chain_check(const Chain *chain, const Step *step, Fault *fault) {
    for (size_t i = 0; i < chain->count; i++) {
        const StageKind *kind = chain->stages[i].kind;
        if (stage_is_off(&chain->stages[i])) continue;
        const char *lacks = kind->needs_amateur && !step->amateur
                                ? "the logits of a weaker model (--amateur FILE)"
                            : kind->needs_unconditional && !step->unconditional
                                ? "logits without the prompt (strata generate brings them)"
                            : kind->needs_look_ahead && !step->look_ahead
                                ? "hidden states (strata generate brings them)"
                            : kind->needs_tokenizer && !step->tokenizer
                                ? "a tokenizer: it works on the text of a model"
                                : NULL;
        if (lacks) return fault_set(fault, "%s needs %s", kind->name, lacks);
    }
    return true;
}

bool chain_run(Chain *chain, Candidates *c, const Step *step, int32_t *token, Fault *fault) {
    if (!chain_check(chain, step, fault)) return false;
    if (chain->watch) chain->watch(chain->watch_context, NULL, c);
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage_is_off(stage)) stage->kind->apply(stage, c, step);
        if (candidates_max(c) == -INFINITY)
            return fault_set(fault, "dead end: %s left no token that may come next",
                             stage->kind->name);
        if (chain->watch) chain->watch(chain->watch_context, stage, c);
    }
    REQUIRE(c->chosen >= 0, "no stage picked a token");
    *token = c->chosen;
    return true;
}

double candidates_log_prob(Candidates *c, int32_t token) {
    size_t entry = candidates_find(c, token);
    if (entry == c->count) return -INFINITY;
    return (double)c->logits[entry] - candidates_log_sum(c);
}
