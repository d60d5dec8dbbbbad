/* diffusion.h - text that is not written from left to right: all positions begin masked, and
 * the most confident tokens come first, wherever they are.
 *
 *     step 0    [prompt]  ___  ___  ___  ___  ___
 *     step 1    [prompt]  ___  fox  ___  ___  .         each step: one forward pass, a token
 *     step 2    [prompt]  The  fox  ___  ___  .         and its confidence for each masked
 *     step 3    [prompt]  The  fox  sat  down .         position; keep the most confident few
 *
 * The others are masked again ("remasked") and predicted again when more of the text is known.
 * A kept token never changes.
 *
 * Invariant: the text depends only on the model, the prompt, the options and the seed; every
 * step fills at least one position [threads_change_nothing, steps_share_the_places].
 * Source   Nie et al. 2025, arXiv:2502.09992 (LLaDA), sec. 2.4; Ye et al. 2025,
 *          arXiv:2508.15487 (Dream). */
#ifndef STRATA_DIFFUSION_H
#define STRATA_DIFFUSION_H

#include "chain.h"

/* How to measure confidence.  The most confident tokens are kept. */
typedef enum Remask {
    REMASK_CONFIDENCE, /* p of the token */
    REMASK_MARGIN,     /* p of the likeliest token minus p of the next */
    REMASK_ENTROPY,    /* minus the entropy of the position */
    REMASK_RANDOM,     /* a uniform sample per position */
} Remask;

/* "confidence, margin, entropy, random", and the rule of a name.
 *
 * Fails for an unknown name. */
extern const char remask_names[];
bool remask_read(const char *name, Remask *rule, Fault *fault);

/* Confidence of a row of logits in one of its tokens, by any rule but REMASK_RANDOM; larger is
 * surer.
 *
 *   logits   (n) no NaN, not all -infinity
 *
 * p is the model's own, before the chain. */
double diffusion_confidence(Remask rule, const float *logits, size_t n, int32_t token);

/* How many of `open` masked positions to fill in this of the remaining steps: an equal share,
 * the remainder in the first ones.
 *
 * Needs    steps >= 1.  At least 1 if a position is masked. */
size_t diffusion_share(size_t open, size_t steps);

/* stays[i] = position i is among the `count` most confident; ties go to the earlier.
 *
 *   sure    (n) -infinity: not masked, never kept */
void diffusion_keep_surest(const double *sure, size_t n, size_t count, bool *stays);

typedef struct DiffusionOptions {
    size_t steps; /* forward passes, shared evenly among blocks */
    size_t block; /* positions to fill before those after them; 0: all are one block */
    Remask remask;
    uint64_t seed;
} DiffusionOptions;

/* A text in the making. */
typedef struct Diffusion {
    Session *session; /* borrows; of one masked sequence */
    Chain *chain;     /* borrows */
    DiffusionOptions options;
    int32_t *tokens; /* (count) the mask token where masked */
    /* (count) the step that filled it, from 1; 0: given or masked */
    int32_t *step_of;
    double *sure_of; /* (count) its confidence then */
    size_t count, step;
    size_t begin, end; /* range of the masked positions at the start */
    size_t tail;       /* from here on all were masked: the text may end here */
    /* scratch */
    int32_t *sequence, *position, *drawn;
    bool *wanted, *stays;
    double *sure;
    float *row;
    Candidates candidates;
    Arena arena; /* owns */
} Diffusion;

/* A session for sequences of up to so many positions, `asked` of them predicted at a time.
 *
 * Fails for other than diffusion models, and if the context is too short. */
bool diffusion_session(Session *session, const Model *model, Pool *pool, size_t places,
                       size_t asked, KvFormat kv, Fault *fault);

/* A masked sequence: given tokens, and the mask (tokenizer_mask) at positions to fill; a prompt
 * followed by masks, perhaps followed by text.  Close it, also on failure.
 *
 * Fails when no position is masked or more than the session has room for, when there are
 * fewer steps than blocks or more than positions, or when a stage of the chain needs more
 * than a row of logits. */
bool diffusion_open(Diffusion *diffusion, Session *session, Chain *chain, const int32_t *tokens,
                    size_t count, DiffusionOptions options, Fault *fault);
void diffusion_close(Diffusion *diffusion);

/* Where the text ends: before the first end token after the given ones, or at its full
 * length. */
size_t diffusion_end(const Diffusion *diffusion);

/* Is no position before the end masked? */
bool diffusion_is_done(const Diffusion *diffusion);

/* One forward pass; fill some positions of the first block with masked ones.
 *
 * Needs    a text that is not done. */
bool diffusion_step(Diffusion *diffusion, Fault *fault);

#endif
