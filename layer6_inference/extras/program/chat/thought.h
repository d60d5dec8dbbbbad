/* thought.h - a reply's text with its thinking set apart.
 *
 *     <think>\nThe user asks ...</think>\n\nFour.
 *     '------------ dim, or hidden ---''---- the answer
 *
 * Invariant: bytes that may still become <think> or </think> are pending; all others are
 * shown at once. */
#ifndef STRATA_THOUGHT_H
#define STRATA_THOUGHT_H

#include "inference.h"

typedef struct Thought {
    bool shows, colours;
    bool inside, any; /* of a thought now; has there been one */
    bool begins;      /* nothing of the answer was shown yet: its white space is left out */
    char held[16];
    size_t held_size;
} Thought;

void thought_push(Thought *thought, Text text);
void thought_finish(Thought *thought);

#endif
