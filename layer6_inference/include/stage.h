/* stage.h - the interface of every sampler.
 *
 * A stage changes the candidates' logits, removes candidates, or selects one.  The parser, the
 * printer, the help and the documentation are all made from its table of parameters.
 *
 * A stage's state (Mirostat's target, for instance) is a row of numbers, and every accepted
 * token appends a row.  So rewinding a stage drops rows, and copying a stage copies them:
 *
 *     rows    begin | after token 1 | after token 2 | ...     rewind(1) drops the last one
 *
 * A program may register stages of its own (stage_register), which work in chains like the
 * others.
 *
 * Invariant: what a stage does depends on the candidates, its parameters, its last row and the
 * Step; for a registered stage, also on its kind's context [memory_copies_and_rewinds]. */
#ifndef STRATA_STAGE_H
#define STRATA_STAGE_H

#include "candidates.h"

/* What a stage may know about the current step. */
typedef struct Step {
    uint64_t seed, position; /* a stage draws rng_unit(seed, position, stage) */
    const int32_t *history;  /* tokens so far, the prompt's too */
    size_t history_count, prompt_count;
    const Tokenizer *tokenizer; /* NULL: no texts, only token ids */
    const float *amateur;       /* logits of a weaker model, dense; NULL: none */
    const float *unconditional; /* logits without the prompt, dense; NULL: none */
    /* similarity[i] = the largest cosine between the hidden state that tokens[i] would get and
     * those of the history; NULL: look-ahead is not available */
    bool (*look_ahead)(void *context, const int32_t *tokens, size_t n, float *similarity);
    void *look_ahead_context;
} Step;

typedef struct StageParam {
    const char *key; /* the first one may be given as a bare value: top_k:40 */
    double default_value, low, high;
    double off;   /* with has_off: this value switches the stage off */
    bool has_off; /* "off" may be written for it */
    bool integer;
    bool required;      /* has no sensible default */
    bool exclusive_min; /* low itself is not allowed */
    bool token;         /* a token id */
} StageParam;

enum { STAGE_PARAMS = 5 };

/* Some stages take a list instead (bias:15=-2:20=1, allow:5:9, ban:word%2C:other), or an
 * optional one beside their parameters (dry:0.8:break=%0A:break=;). */
typedef enum StageListKind {
    LIST_NONE,
    LIST_IDS,
    LIST_BIASES,
    LIST_TEXTS,
    LIST_BREAKS,   /* optional; each is break=TEXT */
    LIST_ONE_TEXT, /* a single text, verbatim: regex:[a-z]+ or grammar:@FILE */
    LIST_STAGE     /* another stage with its parameters: ref:typical:0.9 */
} StageListKind;

enum { BREAK_BYTES = 64 }; /* max bytes of one text of LIST_BREAKS */

/* Largest absolute value in LIST_BIASES: a larger one would swamp the logit, and two could sum
 * to infinity. */
#define BIAS_MAX 1e30

typedef struct StageListItem {
    int32_t *ids; /* one token; for a text, all of its tokens */
    size_t count;
    double value;
} StageListItem;

/* What a stage reads of the Step beside the tokens. */
enum { NEEDS_AMATEUR = 1, NEEDS_GUIDE = 2, NEEDS_LOOK_AHEAD = 4, NEEDS_TOKENIZER = 8 };

typedef struct Stage Stage;

typedef struct StageKind {
    const char *name, *gloss;              /* one line */
    const char *formula, *advice, *source; /* for `strata samplers NAME` */
    const char *example;                   /* a chain to show it with */
    StageParam params[STAGE_PARAMS];       /* up to the first without a key */
    StageListKind list;
    bool selects;                       /* it selects the token: the last stage of a chain */
    unsigned needs;                     /* of the step: NEEDS_AMATEUR and so on */
    bool (*is_off)(const Stage *stage); /* NULL: by the first parameter's off value */
    /* not called while the stage is off, or the step lacks what it needs */
    void (*apply)(Stage *stage, Candidates *candidates, const Step *step);

    /* Parse the stage's text into stage->object when the chain is read; copies share it
     * (reference count).  NULL: nothing to parse.  tokenizer: NULL if the chain has none. */
    bool (*open)(Stage *stage, const Tokenizer *tokenizer, Fault *fault);
    void (*share)(void *object);
    void (*close)(void *object); /* once for open, and once for each share */

    /* data of a program's own stage, found at stage->kind->context.  It is neither copied nor
     * rewound: state that must be belongs in a row */
    void *context;

    /* If the next tokens are forced: write at most `room` of them, return how many.  A guess;
     * `apply` decides.  NULL: the stage cannot tell */
    size_t (*forced)(const Stage *stage, int32_t *tokens, size_t room);

    size_t memory; /* numbers in a row */
    /* fill the first row */
    void (*begin)(const Stage *stage, double *row);
    /* `row` holds a copy of the last row: make it the next one */
    void (*accept)(const Stage *stage, int32_t token, double *row);
    /* is the text complete, so that nothing may follow?  NULL: never */
    bool (*ends)(const Stage *stage);
    /* the end of the message that no token is left: ": " and why, or "" */
    const char *(*why_none)(const Stage *stage);
    /* is there a text that both this stage and another one with `agrees` allow?  True if that
     * is not known.  NULL: it forbids no texts */
    bool (*agrees)(const Stage *stage, const Stage *other);
    /* tokens that a text must have; NULL: none */
    size_t (*least)(const Stage *stage);
    /* bytes of the longest text; SIZE_MAX: `enough` or more, or not known.  NULL: any number */
    size_t (*most)(const Stage *stage, size_t enough);
} StageKind;

struct Stage {
    const StageKind *kind;
    double value[STAGE_PARAMS]; /* what the chain says: `apply` reads it */
    size_t index;               /* in the chain */
    /* bytes that token healing removed from the prompt, to be regenerated first */
    size_t pending;
    double observed; /* what `apply` leaves for `accept` */
    int32_t selected;
    StageListItem *list; /* owned, like all below */
    size_t n_list;
    char *list_text; /* as the user wrote it */
    /* with %HH decoded: the text of LIST_ONE_TEXT, or those of LIST_BREAKS, each after a byte
     * with its size */
    char *text;
    void *object; /* see open */
    double *rows;
    size_t n_rows, rows_room;
};

bool stage_is_off(const Stage *stage);

/* May "off" be written in place of its parameters?  Where a stage with its defaults, and its
 * first parameter's off value if there is one, is off. */
bool stage_takes_off(const StageKind *kind);

/* The last row of its state. */
const double *stage_memory(const Stage *stage);

/* All stages, registered ones last; NULL-terminated. */
extern const StageKind *stage_kinds[];

/* The same, with their number. */
size_t stage_list(const StageKind *const **list);
const StageKind *stage_find(Text name); /* NULL: none */

enum {
    STAGES = 128,    /* built in and registered together */
    STAGE_NAME = 32, /* bytes of a name, with its terminator */
};

/* Register a stage of the program's own; chains then parse and print it, and stage_list has it.
 * Register before other threads parse chains: from then on the list is read-only.
 *
 *   kind   borrowed until the program ends; name, gloss, example and apply are required, begin
 *          and accept too if it has memory; formula, advice and source may be NULL
 *
 * Fails, and adds nothing, when something required is missing, the name is taken by a stage or
 * a preset, a name or key is not made of a-z, 0-9 and _, a default is out of range, or there
 * are STAGES already. */
bool stage_register(const StageKind *kind, Fault *fault);

/* keep=N: a truncation leaves at least N candidates. */
#define PARAM_KEEP \
    { .key = "keep", .default_value = 1, .low = 1, .high = 1e9, .integer = true }

extern const StageKind stage_greedy, stage_draw, stage_gumbel, stage_mirostat,
    stage_mirostat_v2, stage_adaptive_p, stage_temp, stage_quadratic, stage_skew, stage_top_k,
    stage_top_p, stage_min_p, stage_typical, stage_tfs, stage_top_a, stage_epsilon, stage_eta,
    stage_top_n_sigma, stage_top_h, stage_p_less, stage_xtc, stage_penalties, stage_dry,
    stage_no_repeat, stage_bias, stage_ban, stage_allow, stage_suppress, stage_min_tokens,
    stage_think, stage_force, stage_length, stage_contrast, stage_cfg, stage_contrastive_search,
    stage_watermark;

#endif
