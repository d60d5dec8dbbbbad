/* extra.h - optional features of a text as hooks on its way through the engine.
 *
 *     before_plan --> plan (wishes) --> the models read --> read --> take --> taken --> after
 *                                                                     |
 *                                                   choose --> token --> text --> end
 *
 * before_plan is a hook of the whole engine (EngineHooks), all others belong to a text
 * (ExtraKind).  Each hook is called in one place; a kind leaves NULL those it does not need.  A
 * function in the extra's own header adds it to a text's options before engine_add:
 *
 *     GenerateOptions options = {.chain = &chain};
 *     with_heal(&options, &heal);
 *
 * Invariant: with extras, too, a text's tokens depend on its own logits, tokens, chain and seed
 * alone [matched_drafts_change_no_text, neighbours_change_nothing]. */
#ifndef STRATA_EXTRA_H
#define STRATA_EXTRA_H

#include "ending.h"

typedef struct Engine Engine;
typedef struct Sequence Sequence;
typedef struct Slot Slot;
typedef struct Extra Extra;

typedef struct ExtraKind {
    /* The text begins: check the options, allocate.  close is called even if this failed or was
     * never called. */
    bool (*open)(Extra *extra, Engine *engine, Sequence *sequence, Fault *fault);
    void (*close)(Extra *extra);

    /* how many of the n tokens that a slot could read in this step to read */
    size_t (*wishes)(Extra *extra, const Sequence *sequence, const Slot *slot, size_t n);
    /* the models have read, whether or not the text chooses now */
    bool (*read)(Extra *extra, Sequence *sequence, Fault *fault);

    /* Replaces sequence_take; at most one extra per text may set it.  If is_ready is set, it is
     * not called until that returns true. */
    bool (*take)(Extra *extra, Sequence *sequence, Fault *fault);
    bool (*is_ready)(const Extra *extra);

    /* before the chain runs: it may write to the logits (vocab) and to the Step */
    void (*choose)(Extra *extra, Sequence *sequence, float *logits);
    /* the answer grew by a token: which text to output.  False: the token was rolled back */
    bool (*text)(Extra *extra, Sequence *sequence, Text *text);
    /* the text is about to end; the reason may become STOP_STRING */
    void (*end)(Extra *extra, Sequence *sequence, StopReason *reason);

    /* The text has its tokens of this step: bring the models' memory in line with it. */
    void (*taken)(Extra *extra, Sequence *sequence);
    /* after the step, unless the text is over */
    void (*after)(Extra *extra, Engine *engine, Sequence *sequence);
    /* its memory was cleared: it will be read again */
    void (*forget)(Extra *extra, Sequence *sequence);
} ExtraKind;

enum { EXTRAS = 6 /* of a text */ };

struct Extra {
    const ExtraKind *kind; /* NULL: no more extras */
    void *wish;            /* its options; borrows */
    size_t count;          /* for the kind's own use */
    void *state;           /* from open; close frees it */
    /* For an extra that reads, too: with another model (session; NULL: the engine's own) or
     * another text in place of the prompt (instead).  `slot` is where; NULL: it reads
     * nothing. */
    Session *session;
    const TokenList *instead;
    Slot *slot;
};

/* What extras ask of the plan for a text; all zero for a plain one. */
typedef struct ExtraPlan {
    /* (n_drafted) draft tokens to verify behind the text, all or none; NULL: none */
    const int32_t *drafted;
    size_t n_drafted;
    bool every_row; /* logits for every token, not only the last */
    /* planned alone: pages for one more token, and the whole thread pool */
    bool alone;
    bool waits;     /* nothing is read or chosen until the extra clears it */
    bool reads_all; /* reuse no cached prefix: the hidden state of every token is needed */
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
