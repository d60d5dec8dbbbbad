/* surprise.h - how surprised a model is by tokens that are there already: what a perplexity and a
 * loss add up. */
#ifndef STRATA_SURPRISE_H
#define STRATA_SURPRISE_H

#include "decoder.h"

enum { SURPRISE_ROWS = 32 }; /* logits wanted at a time: the session's most_logits */

typedef struct Surprise {
    double sum, squares; /* in nats */
    size_t count;        /* of tokens */
} Surprise;

/* Read a text of n tokens anew, and add the surprises of tokens first+1 .. n-1, each after all
 * before it. */
bool surprise_add(Surprise *surprise, Session *session, const int32_t *tokens, size_t n,
                  size_t first, Fault *fault);

#endif
