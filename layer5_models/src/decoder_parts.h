/* decoder_parts.h - the steps of a forward pass; private to layer 5. */
#ifndef STRATA_DECODER_PARTS_H
#define STRATA_DECODER_PARTS_H

#include "decoder.h"

/* Are all tokens below `ids` (0: the batch has rows in their place), and is there room for all
 * wanted rows of logits? */
bool check_batch(const Session *session, const Batch *batch, size_t ids, Fault *fault);

/* KV cache room for every token of the batch; all or nothing. */
bool take_room(Session *session, const Batch *batch, Fault *fault);

/* The rows that are read after layer l (adapters know rows by their numbers); NULL: all. */
static inline const bool *rows_read(const Session *s, const Batch *batch, size_t l) {
    bool all = l + 1 < s->model->sizes.layers || s->all_rows || s->run.probe;
    return all || s->model->adapters ? NULL : batch->wanted;
}

/* x (dim) = the embedding of a token, scaled. */
void embed_token(const Model *model, float *x, int32_t token);

/* The hidden rows of the wanted tokens, and their logits. */
void unembed(Session *session, const Batch *batch);

/* Cancel the batch and roll its sequences back.  Always returns false. */
bool stop_batch(Session *session, const Batch *batch, Fault *fault);

/* Append tokens to sequence 0; logits from token number `wanted` on. */
bool eval_batch(Session *session, const int32_t *tokens, size_t count, size_t wanted,
                Fault *fault);

#endif
