/* texts.h - texts that go on side by side, a token a step: beams, particles, proposals.
 *
 * Each is a text of an engine that does not choose: it stops when all its tokens are evaluated,
 * and `look` is called with the candidates for its next token.  When all were looked at, their
 * owner takes tokens, drops texts and forks others, which share the KV pages (engine_add).
 *
 * Invariant: pool[i].used for the texts in live[0 .. count-1], and for no other. */
#ifndef STRATA_TEXTS_H
#define STRATA_TEXTS_H

#include "beam.h"

enum { TEXTS_MAX = 32, NEXT_MAX = 3 * TEXTS_MAX };

typedef struct Texts Texts;

/* State of a text beside its tokens. */
typedef struct TextState {
    double log_prob;   /* under the model */
    double log_weight; /* of a particle; of a stochastic beam: its score */
    int32_t stops;     /* of the automaton of stop strings */
    size_t spelled;    /* matched bytes of the healed prompt's end */
    bool over;
    StopReason reason; /* if it is over */
} TextState;

typedef struct LiveText {
    Texts *texts;
    Sequence *sequence; /* NULL: a new text, or one that is over */
    TokenList tokens;   /* prompt included */
    Chain rules;        /* stage states; without stages: none */
    TextState state;
    size_t group, place; /* index in live */
    bool used;
    bool read;       /* all tokens are evaluated; then: */
    double log_sum;  /* log of the sum of exp(logit) over the vocabulary */
    double log_left; /* of a particle: ln of the share that the rules left; else see `look` */
    size_t n_next;
    int32_t next[NEXT_MAX]; /* tokens that `look` noted */
    float logit[NEXT_MAX];
} LiveText;

/* Note what is of interest of a text's next token; logits are what the rules left, and may be
 * all -infinity. */
typedef void LookAtNext(LiveText *text, Candidates *candidates, const Step *step);

struct Texts {
    Engine engine;
    Session *session;
    const TextOptions *options;
    LookAtNext *look;
    const void *owner; /* of look */
    LiveText *pool;    /* (capacity) */
    size_t capacity;
    LiveText *live[TEXTS_MAX];
    size_t count;  /* texts now */
    size_t prompt; /* its tokens */
    size_t room;   /* tokens that fit into the context after the prompt */
    size_t steps;
    double start;
    Fault dead_end; /* the last one: which stage left no token */
    Fault *fault;
};

/* Do the rules and a prompt of n tokens go with the session?  It must have a sequence for each
 * text. */
bool texts_check(const Session *session, const Chain *rules, size_t n, size_t capacity,
                 Fault *fault);

/* Open an engine for `capacity` texts, and the first one, with a prompt that fits; the other
 * fields are filled in before.  Close it even if this fails. */
bool texts_open(Texts *texts, const int32_t *prompt, size_t n);
void texts_close(Texts *texts);

/* Step the engine until every text that is not over was looked at.
 *
 * Fails, too, when a stage left no token because it cannot say more (its grammar exceeded a
 * limit): that is no dead end. */
bool texts_read(Texts *texts);

/* Append a token, unless it ends a text.  Returns whether the text is over. */
bool text_take(LiveText *text, int32_t token, StopReason *reason);

/* live = the texts of[0 .. n-1], in this order: the first of a text continues it, further ones
 * are forks; others are dropped.  of[i] becomes live[i]. */
void texts_fork(Texts *texts, LiveText **of, size_t n);

/* A text is over: its memory is free, its tokens stay. */
void text_finish(LiveText *text, StopReason reason);

/* Its tokens after the prompt: how many; appended to a list. */
size_t text_written(const LiveText *text);
void text_copy(const LiveText *text, TokenList *tokens);

/* Is it time to end all, by the caller's wish or a limit that is not a text's own? */
bool texts_time_is_up(const Texts *texts, StopReason *reason);

/* The same for texts that come one after another, after `drawn` tokens of all of them; the time
 * limit waits for the first token. */
bool texts_are_stopped(const Texts *texts, size_t drawn, StopReason *reason);

#endif
