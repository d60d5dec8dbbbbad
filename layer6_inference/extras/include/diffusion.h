/* diffusion.h - a text that is not written from left to right: all places are open at first, and
 * the words that the model is surest of come first, wherever they stand.
 *
 *     step 0    [prompt]  ___  ___  ___  ___  ___
 *     step 1    [prompt]  ___  fox  ___  ___  .         each step: one reading of the whole canvas,
 *     step 2    [prompt]  The  fox  ___  ___  .         a token and how sure it is for each open place,
 *     step 3    [prompt]  The  fox  sat  down .         and the surest few stay
 *
 * The other tokens are forgotten ("remasked"): their places are read as open again, and asked anew
 * when more of the text stands.  What stays is not changed any more.
 *
 * Invariant: the text depends on the model, the prompt, the options and the seed alone; every step
 * fills at least one place.
 * Source   Nie et al. 2025, arXiv:2502.09992 (LLaDA), sec. 2.4; Ye et al. 2025, arXiv:2508.15487 (Dream). */
#ifndef STRATA_DIFFUSION_H
#define STRATA_DIFFUSION_H

#include "chain.h"

/* How sure is a model of a token?  The surest ones stay. */
typedef enum Remask {
    REMASK_CONFIDENCE, /* p of the token */
    REMASK_MARGIN,     /* p of the likeliest token less p of the next */
    REMASK_ENTROPY,    /* minus the entropy of what may stand there */
    REMASK_RANDOM,     /* a coin of each place */
} Remask;

/* "confidence, margin, entropy, random"; and the rule of a name.
 *
 * Fails when there is none. */
extern const char remask_names[];
bool remask_read(const char *name, Remask *rule, Fault *fault);

/* How sure a row of logits is of one of its tokens, by any rule but REMASK_RANDOM; the larger the surer.
 *
 *   logits   (n) no NaN, not all -infinity
 *
 * p is the model's own, whatever a chain of samplers then makes of it. */
double diffusion_confidence(Remask rule, const float *logits, size_t n, int32_t token);

/* Of `open` places the number that is filled now, when so many steps are left: as many in each step,
 * and what does not divide in the first ones.
 *
 * Needs    steps >= 1.  At least 1 when a place is open. */
size_t diffusion_share(size_t open, size_t steps);

/* stays[i] = place i is one of the `count` surest; of equally sure ones the earlier.
 *
 *   sure    (n) -infinity: the place is not open and never stays */
void diffusion_keep_surest(const double *sure, size_t n, size_t count, bool *stays);

typedef struct DiffusionOptions {
    size_t steps; /* readings of the canvas, shared evenly among blocks */
    size_t block; /* places that are filled before those behind them; 0: all are one block */
    Remask remask;
    uint64_t seed;
} DiffusionOptions;

/* A text on its way. */
typedef struct Diffusion {
    Session *session; /* borrows; of a canvas */
    Chain *chain;     /* borrows */
    DiffusionOptions options;
    int32_t *tokens; /* (count) the mask where nothing stands yet */
    /* (count) the step with which it came, from 1; 0: it was given, or is open */
    int32_t *step_of;
    double *sure_of; /* (count) how sure the model was then */
    size_t count, step;
    size_t begin, end; /* all open places lie here, when the text begins */
    size_t tail; /* from here on all of them were open: where the text may end by itself */
    /* working memory */
    int32_t *sequence, *position, *drawn;
    bool *wanted, *stays;
    double *sure;
    float *row;
    Candidates candidates;
    Arena arena; /* owns */
} Diffusion;

/* A session for canvases of up to so many places, of which `asked` are asked at a time.
 *
 * Fails when the model is no diffusion model, or its context has not as many places. */
bool diffusion_session(Session *session, const Model *model, Pool *pool, size_t places,
                       size_t asked, KvFormat kv, Fault *fault);

/* A canvas: tokens that are given, and the mask (tokenizer_mask) where one is to be found; a prompt with
 * masks behind it, or with text behind them again.  Close it, also on failure.
 *
 * Fails when no place is open or they are more than the session has room for, when the steps are
 * fewer than the blocks or more than the places, or a stage of the chain looks at more than a row
 * of logits. */
bool diffusion_open(Diffusion *diffusion, Session *session, Chain *chain, const int32_t *tokens,
                    size_t count, DiffusionOptions options, Fault *fault);
void diffusion_close(Diffusion *diffusion);

/* Where the text ends: before the first token that ends one, behind all that was given; or all of it. */
size_t diffusion_end(const Diffusion *diffusion);

/* Is no place open before the end? */
bool diffusion_is_done(const Diffusion *diffusion);

/* Read the canvas once and fill some places of the first block that has open ones.
 *
 * Needs    a text that is not done. */
bool diffusion_step(Diffusion *diffusion, Fault *fault);

#endif
