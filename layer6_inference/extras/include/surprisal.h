/* surprisal.h - the surprisal -ln p of a text's tokens; its mean gives a loss and a
 * perplexity. */
#ifndef STRATA_SURPRISAL_H
#define STRATA_SURPRISAL_H

#include "decoder.h"

enum { SURPRISAL_ROWS = 32 }; /* rows of logits at a time: the session's max_logits */

typedef struct Surprisal {
    double sum, squares; /* in nats */
    size_t count;        /* tokens */
} Surprisal;

/* Evaluate a text of n tokens from an empty session, and add the surprisals of tokens
 * first+1 .. n-1, each given all tokens before it. */
bool surprisal_add(Surprisal *surprisal, Session *session, const int32_t *tokens, size_t n,
                   size_t first, Fault *fault);

#endif
