/* take_back.h - banned texts: when one appears, it is rolled back, and the text continues
 * without it.
 *
 *     banned: "fox"
 *     ... the brown f | ox      the tokens that spell it are rolled back ...
 *     ... the brown             ... and the first of them is banned at this position
 *     ... the brown d | og
 *
 * A ban of tokens (stage ban) knows one spelling; this knows all.  What may still become a
 * banned text stays pending, and is flushed token by token.  What is flushed stays: with "aa"
 * and "bcb" banned, "bc" is flushed once an "a" follows; when a second "a" takes the first one
 * with it, "b" may not follow either, and it alone is rolled back.
 *
 * Invariant: no flushed text has a banned one; what a sequence chooses still depends only on
 * its own logits, tokens, chain and seed [no_banned_text_is_ever_let_go]. */
#ifndef STRATA_TAKE_BACK_H
#define STRATA_TAKE_BACK_H

#include "generate.h"

enum { TAKE_BACK_TIMES = 4096 /* then the text fails */ };

/* A token of the answer, as the automaton read it. */
typedef struct TakeBackToken {
    int32_t state; /* after it */
    size_t end;    /* bytes of the answer up to here */
} TakeBackToken;

typedef struct TakeBackBan {
    size_t position; /* in the answer */
    int32_t token;
} TakeBackBan;

/* Called when the last n tokens were rolled back. */
typedef void OnTakenBack(void *context, size_t n);

typedef struct TakeBack {
    Stops stops; /* owns, like all below */
    TakeBackToken *tokens;
    size_t count, room;
    TakeBackBan *bans;
    size_t n_bans, bans_room;
    char *held; /* pending bytes */
    size_t held_size, held_room;
    size_t times;               /* number of rollbacks */
    OnTakenBack *on_taken_back; /* or NULL */
    void *context;
} TakeBack;

/* The banned texts; empty ones are ignored.
 *
 * Fails without memory. */
bool take_back_open(TakeBack *t, const char *const *texts, size_t n, Fault *fault);
void take_back_close(TakeBack *t);

/* Bans them in a text, which owns this list while it is generated.  Not with drafts or token
 * healing. */
void with_take_back(GenerateOptions *options, TakeBack *t);

/* The answer has one more token.
 *
 *   text     its bytes
 *   answer   all of its tokens
 *
 * Returns how many tokens to roll back, this one included: those that spell a banned text,
 * as far as they are pending; 0 if none is complete.  The first of them may not come there
 * again. */
size_t take_back_push(TakeBack *t, Text text, const int32_t *answer);

/* The bytes to flush, whole tokens; with `all`, at the end of the text, everything pending.
 * Valid until the next call. */
Text take_back_ready(const TakeBack *t, bool all);

/* They were flushed. */
void take_back_let_go(TakeBack *t, size_t bytes);

#endif
