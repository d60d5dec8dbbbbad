/* draft.h - the draft of one text, shared by the files of speculation. */
#ifndef STRATA_DRAFT_H
#define STRATA_DRAFT_H

#include "engine/take.h"
#include "speculate.h"

/* Another candidate for a drafted token (tree.c). */
typedef struct Leaf {
    int32_t token;
    size_t depth; /* of the drafted token that it stands beside */
    bool forked;  /* it is in this step's batch, in a fork of the text: */
    size_t id, row;
} Leaf;

struct Draft {
    const Speculation *asked;
    const DraftKind *kind;
    bool matches;      /* accepted while the chain chooses the drafted token */
    bool made;         /* complete, waiting for verification */
    size_t count;      /* tokens in it */
    size_t text_count; /* of the text, while the draft extends it */
    int32_t text[SPECULATE_MAX];
    size_t vocab;
    float *q;        /* (SPECULATE_MAX, vocab) what they were drawn from; owns */
    float *p, *rest; /* (vocab) own */
    size_t accepted;
    Slot *slot;    /* the draft model's; NULL: no model drafts */
    float *hidden; /* (ctx, width) hidden rows of the text for a draft head; owns; else NULL */
    void *state;   /* of its kind; freed after close */
    /* a tree */
    Leaf leaves[SPECULATE_MAX * LEAVES_MAX];
    size_t n_leaves;
    Leaf *leaf;          /* the accepted one; or NULL */
    ModelRunner *runner; /* the model's */
};

/* The text's draft; NULL: none. */
Draft *sequence_draft(const Sequence *sequence);

/* Uniform samples for the draft, the acceptance and the second draw; by position, like all
 * others. */
enum { COIN_DRAFT = 1001, COIN_ACCEPT, COIN_REST };
double draft_coin(const Sequence *sequence, uint64_t which);
int32_t draft_draw(const float *p, size_t n, double coin);

/* The distribution that a chain has left, as a dense row: all stages but the last have acted.
 */
void draft_read_off(Candidates *candidates, float *out);

/* Hook before_plan: draft tokens for every text that is ready, in batches of the draft
 * model. */
bool draft_all(Engine *engine, Fault *fault);

/* How long the draft may be in the contexts of all who read it. */
size_t draft_room(const Sequence *sequence);

/* The draft is used up or outdated. */
void draft_forget(Sequence *sequence);

/* ------------------------------------------------------------------ a draft model
 * (draft_model.c) */

/* Does the draft model's memory hold the whole draft? */
bool draft_model_reserve(Engine *engine, Sequence *sequence);

/* Draft for all texts that began a draft, one token at a time. */
bool draft_model_run(Engine *engine, Fault *fault);

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

/* ------------------------------------------------------------------ a tree (tree.c) */

/* The best tokens of a draft model's row, one more than leaves are asked for; and leaves from
 * them, without the token that the chain chose. */
void tree_rank(Sequence *sequence, const float *logits, int32_t *best);
void tree_choose(Sequence *sequence, const int32_t *best, int32_t token);

/* Hook before_forward: put the leaves of all texts into the batch, while there is room. */
void tree_fork(Engine *engine, size_t runner);
void tree_release(Draft *draft);

/* The leaf with this token at this depth of the batch; NULL: no such leaf. */
Leaf *tree_find(Draft *draft, size_t depth, int32_t token);

/* The logits after the accepted leaf. */
float *tree_row(const Draft *draft);

/* The accepted leaf's fork becomes the text's sequence; false: no leaf was accepted. */
bool tree_adopt(const Sequence *sequence, Draft *draft);

#endif
