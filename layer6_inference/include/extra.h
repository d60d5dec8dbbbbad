/* extra.h - what a text may want besides: hooks on its way through the engine.
 *
 *     before_plan --> plan (wishes) --> the models read --> read --> take --> taken --> after
 *                                                                     |
 *                                                   choose --> token --> text --> end
 *
 * before_plan is a hook of the whole engine (EngineHooks), all others are a text's (ExtraKind).
 * A plain text has none, and nothing asks for any by name.  Each hook is called in one place; a
 * kind leaves those NULL that it does not need.  A function of the extra's own header puts it
 * among the options of a text, before engine_add:
 *
 *     GenerateOptions options = {.chain = &chain};
 *     with_heal(&options, &heal);
 *
 * Invariant: with an extra, too, what a text takes depends on its own logits, tokens, chain and
 * seed alone. */
#ifndef STRATA_EXTRA_H
#define STRATA_EXTRA_H

#include "ending.h"

typedef struct Engine Engine;
typedef struct Sequence Sequence;
typedef struct Slot Slot;
typedef struct Extra Extra;

typedef struct ExtraKind {
    /* The text begins: check what goes together, take memory.  close is called also when that
     * failed, or never came. */
    bool (*open)(Extra *extra, Engine *engine, Sequence *sequence, Fault *fault);
    void (*close)(Extra *extra);

    /* of the n tokens that a slot would read in this step, how many it shall read */
    size_t (*wishes)(Extra *extra, const Sequence *sequence, const Slot *slot, size_t n);
    /* the models have read, for a text that chooses now, or goes on reading */
    bool (*read)(Extra *extra, Sequence *sequence, Fault *fault);

    /* Replaces sequence_take; at most one extra per text may set it.  If is_ready is set, it is
     * not called until that returns true. */
    bool (*take)(Extra *extra, Sequence *sequence, Fault *fault);
    bool (*is_ready)(const Extra *extra);

    /* before the chain chooses: it may write to the logits (vocab) and to the Step */
    void (*choose)(Extra *extra, Sequence *sequence, float *logits);
    /* the answer has one token more: what of its text goes out.  False: it was rolled back, and
     * nothing does */
    bool (*text)(Extra *extra, Sequence *sequence, Text *text);
    /* the text is about to end, for a reason that may become STOP_STRING */
    void (*end)(Extra *extra, Sequence *sequence, StopReason *reason);

    /* The text took its tokens of this step: bring the models' memory in line with it. */
    void (*taken)(Extra *extra, Sequence *sequence);
    /* after the step of a text that goes on */
    void (*after)(Extra *extra, Engine *engine, Sequence *sequence);
    /* its memory is gone: it will be read again */
    void (*forget)(Extra *extra, Sequence *sequence);
} ExtraKind;

enum { EXTRAS = 6 /* of a text, at most */ };

struct Extra {
    const ExtraKind *kind; /* NULL: no more extras */
    void *wish;            /* what it was asked for with; borrows */
    size_t count;          /* a number of its own: 0 at first */
    void *state;           /* from open; close frees it */
    /* It reads the text, too, with this model, or another text instead of the prompt (NULL, and
     * then `instead`: with the engine's own model); `slot` is where it does.  Neither:
     * nothing, and `slot` stays NULL. */
    Session *session;
    const TokenList *instead;
    Slot *slot;
};

/* What extras ask of the plan for a text; all zero for a plain one. */
typedef struct ExtraPlan {
    /* (n_behind) tokens to be tried behind the text, whole or not at all; NULL: none are */
    const int32_t *drafted;
    size_t n_drafted;
    bool every_row; /* logits are wanted of each token */
    /* it takes its token alone, with pages for one more, and has the pool to itself */
    bool alone;
    bool waits;     /* nothing is read or chosen, until who set this unsets it */
    bool reads_all; /* nothing is shared: what the model knew of each token is wanted */
} ExtraPlan;

/* What an extra does for all texts of an engine at once; all NULL: nothing. */
typedef struct EngineHooks {
    bool (*before_plan)(Engine *engine, Fault *fault);
    void (*before_forward)(Engine *engine, size_t runner); /* around a model's batch */
    void (*after_forward)(Engine *engine, size_t runner);
    void (*close)(Engine *engine);
    void *state; /* close frees it */
} EngineHooks;

/* For each extra of a sequence that has this hook. */
#define EACH_EXTRA(x, sequence, hook)                             \
    for (Extra *x = (sequence)->options.extras; (x)->kind; (x)++) \
        if ((x)->kind->hook)

#endif
