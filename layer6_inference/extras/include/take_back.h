/* take_back.h - texts that must not come: written, seen, taken back, and gone on without.
 *
 *     must not come: "fox"
 *     ... the brown f | ox      the tokens that spell it are taken back ...
 *     ... the brown             ... and the first of them may not come again here
 *     ... the brown d | og
 *
 * A ban of tokens (stage ban) knows one way to spell a text; here it does not matter how it was
 * spelled.  What may still become such a text is not shown: it is let go token by token.  What
 * was let go stays: with "aa" and "bcb", "bc" goes out once an "a" follows; when a second "a"
 * takes the first one with it, "b" may not follow either, and it alone is taken back.
 *
 * Invariant: no text that was let go holds a banned one; what a sequence takes still depends on
 * its own logits, tokens, chain and seed alone. */
#ifndef STRATA_TAKE_BACK_H
#define STRATA_TAKE_BACK_H

#include "generate.h"

enum { TAKE_BACK_TIMES = 4096 /* then the text fails */ };

/* A token of the answer, as it was read by the automaton. */
typedef struct TakeBackToken {
    int32_t state; /* after it */
    size_t end;    /* bytes of the answer up to here */
} TakeBackToken;

typedef struct TakeBackBan {
    size_t position; /* in the answer */
    int32_t token;
} TakeBackBan;

/* Called when the last n tokens were taken back. */
typedef void OnTakenBack(void *context, size_t n);

typedef struct TakeBack {
    Stops stops; /* owns, like all below */
    TakeBackToken *tokens;
    size_t count, room;
    TakeBackBan *bans;
    size_t n_bans, bans_room;
    char *held; /* bytes that were not let go */
    size_t held_size, held_room;
    size_t times;               /* how often something was taken back */
    OnTakenBack *on_taken_back; /* or NULL */
    void *context;
} TakeBack;

/* Texts that must not come; empty ones are passed over.
 *
 * Fails when memory runs out. */
bool take_back_open(TakeBack *t, const char *const *texts, size_t n, Fault *fault);
void take_back_close(TakeBack *t);

/* They must not come in a text, whose own this list is for as long as it is generated.  Not
 * with drafts or heal. */
void with_take_back(GenerateOptions *options, TakeBack *t);

/* The answer has one token more, its last one.
 *
 *   text     its bytes
 *   answer   all of its tokens
 *
 * Returns how many tokens are to be taken back, this one among them: those that spell a banned
 * text, as far as they were not let go; 0 when none is complete.  The first of them may not
 * come there again. */
size_t take_back_push(TakeBack *t, Text text, const int32_t *answer);

/* Tokens that may not come next: their logits (vocab) become -infinity. */
void take_back_mask(const TakeBack *t, float *logits, size_t vocab);

/* The bytes that may be let go, whole tokens; with `all`, at the end of the text, all that are
 * held.  Valid until the next call. */
Text take_back_ready(const TakeBack *t, bool all);

/* They were. */
void take_back_let_go(TakeBack *t, size_t bytes);

#endif
