/* chain.c - the state of a chain's stages, and copies of it.  See chain.h; running a chain:
 * chain_run.c; checks beforehand: chain_check.c; text form: chain_parse.c, chain_print.c. */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

static void *copied(const void *from, size_t bytes) {
    void *copy = malloc(bytes);
    NEED_MEMORY(copy, "%zu bytes of a chain", bytes);
    return memcpy(copy, from, bytes);
}

static double *add_row(Stage *stage) {
    size_t width = stage->kind->memory;
    NEED_MEMORY(GROW(stage->rows, stage->rows_room, (stage->n_rows + 1) * width),
                "the state of %s", stage->kind->name);
    return stage->rows + stage->n_rows++ * width;
}

void chain_reset(Chain *chain) {
    chain->begun++;
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage->kind->memory) continue;
        stage->n_rows = 0, stage->pending = chain->pending;
        stage->kind->begin(stage, add_row(stage));
    }
}

void chain_accept(Chain *chain, int32_t token) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage->kind->memory) continue;
        double *row = add_row(stage);
        memcpy(row, row - stage->kind->memory, stage->kind->memory * sizeof *row);
        stage->kind->accept(stage, token, row);
    }
}

bool chain_ends(const Chain *chain) {
    for (size_t i = 0; i < chain->count; i++) {
        const Stage *stage = &chain->stages[i];
        if (stage->kind->ends && stage->kind->ends(stage)) return true;
    }
    return false;
}

void chain_rewind(Chain *chain, size_t n) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        if (!stage->kind->memory) continue;
        REQUIRE(n < stage->n_rows, "a rewind by %zu of %zu tokens", n, stage->n_rows - 1);
        stage->n_rows -= n;
    }
}

/* At each allocation the copy can be closed. */
static void copy_stage(Stage *to, const Stage *from) {
    *to = *from;
    to->rows = NULL, to->list = NULL, to->list_text = to->text = NULL, to->n_list = 0;
    if (from->object) from->kind->share(from->object);
    if (from->text) to->text = copied(from->text, strlen(from->text) + 1);
    if (from->kind->memory) {
        to->rows_room = from->n_rows * from->kind->memory;
        to->rows = copied(from->rows, to->rows_room * sizeof *to->rows);
    }
    if (from->list_text) to->list_text = copied(from->list_text, strlen(from->list_text) + 1);
    if (from->n_list) to->list = copied(from->list, from->n_list * sizeof *to->list);
    for (size_t i = 0; i < from->n_list; i++, to->n_list++)
        to->list[i].ids = copied(from->list[i].ids, from->list[i].count * sizeof(int32_t));
}

void chain_copy(Chain *to, const Chain *from) {
    *to = *from, to->count = 0;
    for (size_t i = 0; i < from->count; i++)
        to->count++, copy_stage(&to->stages[i], &from->stages[i]);
}

void chain_close(Chain *chain) {
    for (size_t i = 0; i < chain->count; i++) {
        Stage *stage = &chain->stages[i];
        for (size_t k = 0; k < stage->n_list; k++) free(stage->list[k].ids);
        free(stage->list), free(stage->list_text), free(stage->text), free(stage->rows);
        if (stage->object) stage->kind->close(stage->object);
    }
    *chain = (Chain){0};
}
