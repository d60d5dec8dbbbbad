/* look_ahead.h - hidden states of a text, and of what might come next: for contrastive search.
 *
 * Invariant: the session's memory is the same before and after a look ahead. */
#ifndef STRATA_LOOK_AHEAD_H
#define STRATA_LOOK_AHEAD_H

#include "models.h"

typedef struct LookAhead {
    Session *session; /* borrows */
    float *states;    /* (count, dim) unit vectors, one for each token read; owns */
    size_t count, room;
    float *next; /* (dim) of what might come; owns */
    Fault fault;
} LookAhead;

/* Fails when memory runs out; look_ahead_close may be called then, too. */
bool look_ahead_open(LookAhead *look, Session *session, Fault *fault);
void look_ahead_close(LookAhead *look);

/* Read tokens into sequence 0, as session_feed does, and keep their hidden states. */
bool look_ahead_feed(LookAhead *look, const int32_t *tokens, size_t count, Fault *fault);

/* similarity[i] = the largest cosine between the state of tokens[i], were it next, and those of
 * the text.  False when the context is full. */
bool look_ahead(void *look, const int32_t *tokens, size_t n, float *similarity);

#endif
