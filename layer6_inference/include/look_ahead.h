/* look_ahead.h - hidden states of a text, and of what might come next: for contrastive search.
 *
 * Each token that might come is a fork of the text with that token more; all of them are one batch,
 * as far as the session has unused sequences.
 *
 * Invariant: the session's memory of the text and its logits are the same before and after a look
 * ahead. */
#ifndef STRATA_LOOK_AHEAD_H
#define STRATA_LOOK_AHEAD_H

#include "models.h"

typedef struct LookAhead {
    Session *session; /* borrows */
    size_t sequence;  /* of the text */
    const bool *used; /* (sequences) borrows; others may be written to */
    float *states;    /* (count, dim) unit vectors, one for each token read; owns */
    size_t count, room;
    float *next; /* (dim) of what might come; owns */
    Fault fault;
} LookAhead;

/* Fails when memory runs out; look_ahead_close may be called then, too. */
bool look_ahead_open(LookAhead *look, Session *session, size_t sequence, const bool *used,
                     Fault *fault);
void look_ahead_close(LookAhead *look);

/* The text has read n tokens more: keep their hidden states, from row `first` of the session's on. */
bool look_ahead_keep(LookAhead *look, size_t first, size_t n, Fault *fault);

/* The text has to be read again. */
void look_ahead_forget(LookAhead *look);

/* similarity[i] = the largest cosine between the state of tokens[i], were it next, and those of
 * the text.  False when the context is full. */
bool look_ahead(void *look, const int32_t *tokens, size_t n, float *similarity);

#endif
