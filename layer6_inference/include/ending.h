/* ending.h - when a text is over: the same rules for the loop, for samples and for beams.
 *
 *     a token is chosen
 *       ends_before    end of text, stop token: it is not part of the text
 *       appended       the callback may stop; its text may complete a stop string (stops.h)
 *       ends_after     limit, context full, time limit, repetition
 *
 * Invariant: if several reasons apply, the first in StopReason is reported
 * [the_first_reason_is_reported]. */
#ifndef STRATA_ENDING_H
#define STRATA_ENDING_H

#include "stops.h"

typedef enum StopReason {
    STOP_END,      /* the model chose a token that ends a text */
    STOP_ID,       /* a stop token */
    STOP_CALLER,   /* the callback returned false */
    STOP_STRING,   /* a stop string */
    STOP_COMPLETE, /* a stage says that nothing may follow: its grammar is complete */
    STOP_LIMIT,    /* max_tokens were generated */
    STOP_CONTEXT,  /* the context is full */
    STOP_TIME,     /* max_seconds have passed */
    STOP_REPEAT,   /* the text repeats itself */
    STOP_DEAD_END, /* of a particle: the rules left no token */
} StopReason;

const char *stop_reason_name(StopReason reason);

typedef struct Limits {
    size_t max_tokens;  /* to generate; SIZE_MAX: until the model ends or the context is full */
    double max_seconds; /* 0: no limit */
    /* stop when up to 64 tokens repeat this many times in a row; 0: never */
    size_t repeats;
    const int32_t *stop_ids;
    size_t n_stop_ids;
    /* continue past ends of turns: only the token that begins documents (BOS) ends one */
    bool only_bos_ends;
} Limits;

/* Does this token end the text, without being part of it?  Then *reason is why. */
bool ends_before(const Limits *limits, const Tokenizer *tokenizer, int32_t token,
                 StopReason *reason);

/* Is a text of `count` tokens over?  In this order: max_tokens, no room, max_seconds, a run of
 * tokens `repeats` times in a row.
 *
 *   tokens   (count) generated so far
 *   room     free positions in the context
 *   start    clock_seconds() when the run began */
bool ends_after(const Limits *limits, const int32_t *tokens, size_t count, size_t room,
                double start, StopReason *reason);

/* Does the text end with 1 to 64 tokens that occur `times` times in a row?  Below 2: no. */
bool ends_in_repetition(const int32_t *tokens, size_t n, size_t times);

#endif
