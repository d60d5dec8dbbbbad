/* draft.h - the draft of one text, shared by the files of speculation. */
#ifndef STRATA_DRAFT_H
#define STRATA_DRAFT_H

#include "engine/take.h"
#include "speculate.h"

typedef struct Draft {
    const Speculation *asked;
    bool made;         /* complete, waiting for verification */
    size_t count;      /* tokens in it */
    size_t text_count; /* of the text, while the draft extends it */
    int32_t text[SPECULATE_MAX];
    size_t vocab;
    float *q;        /* (SPECULATE_MAX, vocab) what they were drawn from; owns */
    float *p, *rest; /* (vocab) own */
    Chain chain;     /* of the draft */
    size_t followed; /* generated tokens that this chain has seen */
    size_t accepted;
    Slot *slot;    /* the draft model's; NULL: no model drafts */
    float *hidden; /* (ctx, dim) hidden rows of the text for a draft head; owns; else NULL */
} Draft;

/* The text's draft; NULL: none. */
Draft *sequence_draft(const Sequence *sequence);

/* Uniform samples for the draft, the acceptance and the second draw; by position, like all
 * others. */
enum { COIN_DRAFT = 1001, COIN_ACCEPT, COIN_REST };
double draft_coin(const Sequence *sequence, uint64_t which);
int32_t draft_draw(const float *p, size_t n, double coin);

/* The distribution that the chain draws from, as a dense row: all stages but the last have
 * acted. */
bool draft_shape(Sequence *sequence, Chain *chain, float *logits, float *out, Fault *fault);

/* Hook before_plan: draft tokens for every text that is ready, in batches of the draft
 * model. */
bool draft_all(Engine *engine, Fault *fault);

/* The draft is used up or outdated. */
void draft_forget(Sequence *sequence);

/* ------------------------------------------------------------------ draft heads
 * (draft_heads.c) */

/* Make a draft head draft for this text: allocate its input rows, and hook up what fills
 * them. */
bool draft_head_prepare(Engine *engine, Draft *draft, Fault *fault);

/* How many tokens a draft head can read: those with a hidden row, of the model or its own. */
size_t draft_head_reach(const Sequence *sequence);

/* Truncate the head's memory to what it read with the model's rows, as if it had read the
 * text alone. */
void draft_head_rollback(const Draft *draft);

#endif
