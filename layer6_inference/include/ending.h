/* ending.h - when a text is over: the same rules for the loop, for samples and for beams.
 *
 *     a token is chosen
 *       ends_before    end of text, stop token: it is not part of the text
 *       taken          its text may complete a stop string (stops.h)
 *       ends_after     limit, context full, time limit, repetition
 *
 * Invariant: of several reasons the one that stands first in StopReason is told. */
#ifndef STRATA_ENDING_H
#define STRATA_ENDING_H

#include "stops.h"

typedef enum StopReason {
    STOP_END,      /* the model chose a token that ends a text */
    STOP_ID,       /* a stop token */
    STOP_STRING,   /* a stop string */
    STOP_COMPLETE, /* a stage says that nothing may follow: its grammar is complete */
    STOP_LIMIT,    /* as many tokens as were asked for */
    STOP_CONTEXT,  /* no room for another token */
    STOP_TIME,     /* as many seconds as were allowed */
    STOP_REPEAT,   /* the text repeats itself */
    STOP_CALLER,   /* the callback said so */
} StopReason;

const char *stop_reason_name(StopReason reason);

typedef struct Limits {
    size_t max_tokens;  /* to generate; SIZE_MAX: until the model ends or the context is full */
    double max_seconds; /* 0: as long as it takes */
    /* stop when a piece of up to 64 tokens came so many times in a row; 0: never */
    size_t repeats;
    const int32_t *stop_ids;
    size_t n_stop_ids;
    /* go on through ends of turns: only the token that also begins documents ends one */
    bool only_bos_ends;
} Limits;

/* Does this token end the text, without being part of it?  Then *reason is why. */
bool ends_before(const Limits *limits, const Tokenizer *tokenizer, int32_t token,
                 StopReason *reason);

/* Is a text of `count` tokens over?  The first that holds is why: as many as max_tokens, no room, max_seconds gone by, a
 * piece that came `repeats` times in a row.
 *
 *   tokens   (count) those generated so far
 *   room     tokens for which the context has room still
 *   start    clock_seconds() when the run began */
bool ends_after(const Limits *limits, const int32_t *tokens, size_t count, size_t room,
                double start, StopReason *reason);

/* Does the text end with a piece of 1 to 64 tokens that came `times` times in a row?  With `times` below 2: no. */
bool ends_in_repetition(const int32_t *tokens, size_t n, size_t times);

#endif
