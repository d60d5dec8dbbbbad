/* session_rows.c - tokens that are no words: see session_lend in decoder.h. */
#include "session_rows.h"

#include "draft_head.h"

bool session_lend(Session *s, const float *rows, size_t count, Fault *fault) {
    const Model *m = s->model;
    if (m->layer_table.table.data || m->sizes.encoder || m->recipe->both_ways)
        return fault_set(fault, "a %s model reads no pictures: %s", m->recipe->arch,
                         m->layer_table.table.data ? "its layers look tokens up by themselves"
                                                   : "it does not go on with a text");
    s->rows = rows, s->n_rows = count;
    return true;
}

size_t session_tokens(const Session *s) { return s->model->sizes.vocab + s->n_rows; }

const float *row_of_token(const Session *s, const Batch *batch, size_t i) {
    const size_t dim = s->model->sizes.dim, vocab = s->model->sizes.vocab;
    if (batch->input && !draft_head_is(s->model)) return batch->input + i * dim;
    size_t token = (size_t)batch->token[i];
    return token < vocab ? NULL : s->rows + (token - vocab) * dim;
}
