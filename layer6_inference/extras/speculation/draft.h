/* draft.h - what the files of speculation share: the draft of one text. */
#ifndef STRATA_DRAFT_H
#define STRATA_DRAFT_H

#include "engine/take.h"
#include "speculate.h"

typedef struct Draft {
    const Speculation *asked;
    bool made;         /* and waits to be checked */
    size_t count;      /* tokens in it */
    size_t text_count; /* of the text, while the draft goes on with it */
    int32_t text[SPECULATE_MAX];
    size_t vocab;
    float *q;        /* (SPECULATE_MAX, vocab) what they were drawn from; owns */
    float *p, *rest; /* (vocab) own */
    Chain chain;     /* of the draft */
    size_t followed; /* tokens that this chain knows of those generated */
    size_t accepted;
    Slot *slot;    /* the draft model's; NULL: no model drafts */
    float *hidden; /* (ctx, dim) rows of the text that a draft head reads; owns; else NULL */
} Draft;

/* The text's; NULL: it has none. */
Draft *sequence_draft(const Sequence *sequence);

/* Random numbers: of the draft, of the acceptance, of the second draw; by position, like
 * all. */
enum { COIN_DRAFT = 1001, COIN_ACCEPT, COIN_REST };
double draft_coin(const Sequence *sequence, uint64_t which);
int32_t draft_draw(const float *p, size_t n, double coin);

/* The distribution that the chain draws from, as a dense row.  All stages but the last act. */
bool draft_shape(Sequence *sequence, Chain *chain, float *logits, float *out, Fault *fault);

/* Hook before_plan: draft tokens for every text that is ready for a draft, in batches of the
 * draft model. */
bool draft_all(Engine *engine, Fault *fault);

/* The draft is over, or will be made anew. */
void draft_forget(Sequence *sequence);

/* ------------------------------------------------------------------ draft heads
 * (draft_heads.c) */

/* A draft head makes this text's drafts: room for what it reads, and hooks that bring it
 * there. */
bool draft_head_prepare(Engine *engine, Draft *draft, Fault *fault);

/* How many tokens a draft head can read: those whose h the model, or the head itself, has
 * said. */
size_t draft_head_reach(const Sequence *sequence);

/* The head forgets what it read behind its own guesses of h, and is as if it had read the text
 * alone. */
void draft_head_rollback(const Draft *draft);

#endif
