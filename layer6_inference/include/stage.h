/* stage.h - the shape every sampler has.
 *
 * A stage looks at the candidates and changes their logits, removes some, or picks one.  Its
 * parameters stand in a table from which the parser, the printer, the help and the description are
 * made.
 *
 * What a stage remembers from token to token (Mirostat its target, for instance) is a row of
 * numbers, and every accepted token adds a row.  So rewinding is dropping rows, and copying a stage
 * is copying them:
 *
 *     rows    begin | after token 1 | after token 2 | ...     rewind(1) drops the last one
 *
 * A program may add stages of its own: stage_register gives them a name, and from then on chains
 * hold them like all others.
 *
 * Invariant: what a stage does depends on the candidates, its parameters, its last row and the
 * Step; of a registered stage also on its kind's context. */
#ifndef STRATA_STAGE_H
#define STRATA_STAGE_H

#include "candidates.h"

/* What a stage may know about the moment. */
typedef struct Step {
    uint64_t seed, position; /* the coin of a stage is rng_unit(seed, position, stage) */
    const int32_t *history;  /* tokens so far, the prompt's too */
    size_t history_count, prompt_count;
    const Tokenizer *tokenizer; /* NULL: tokens are numbers */
    const float *amateur;       /* logits of a weaker model, dense; NULL: none */
    const float *unconditional; /* logits without the prompt, dense; NULL: none */
    /* similarity[i] = the largest cosine between the hidden state that token i would get and
     * those of the history; NULL: nobody can look ahead */
    bool (*look_ahead)(void *context, const int32_t *tokens, size_t n, float *similarity);
    void *look_ahead_context;
} Step;

typedef struct StageParam {
    const char *key; /* the first one may be given as a bare value: top_k:40 */
    double fallback, low, high;
    double off;   /* with has_off: this value switches the stage off */
    bool has_off; /* "off" may be written for it */
    bool whole;   /* integers only */
    bool needed;  /* has no sensible default */
    bool open;    /* low itself is not allowed */
    bool token;   /* the number of a token */
} StageParam;

enum { STAGE_PARAMS = 5 };

/* Some stages take a list instead: bias:15=-2:20=1, allow:5:9, ban:word%2C:other. */
typedef enum StageListKind { LIST_NONE, LIST_IDS, LIST_BIASES, LIST_TEXTS } StageListKind;

typedef struct StageListItem {
    int32_t *ids; /* one; of a text: its tokens */
    size_t count;
    double value;
} StageListItem;

typedef struct Stage Stage;

typedef struct StageKind {
    const char *name, *gloss;              /* one line */
    const char *formula, *advice, *source; /* for `strata samplers NAME` */
    const char *example;                   /* a chain to show it with */
    StageParam params[STAGE_PARAMS];       /* up to the first without a key */
    StageListKind list;
    bool picks;
    bool needs_amateur, needs_unconditional, needs_look_ahead, needs_tokenizer;
    bool (*is_off)(const Stage *stage); /* NULL: by the first parameter's off value */
    void (*apply)(Stage *stage, Candidates *candidates, const Step *step);
    /* a program's own, for its functions to find at stage->kind->context; copying and rewinding a
     * chain leave it alone: what must be rewound is memory */
    void *context;

    size_t memory;                                  /* numbers in a row */
    void (*begin)(const Stage *stage, double *row); /* the first row */
    void (*learn)(const Stage *stage, int32_t token,
                  double *row); /* the next row, from the last */
} StageKind;

struct Stage {
    const StageKind *kind;
    double value[STAGE_PARAMS];
    size_t index; /* place in the chain */
    double seen;  /* what `apply` leaves for `learn` */
    int32_t picked;
    StageListItem *list; /* owns, like all below */
    size_t n_list;
    char *list_text; /* as it was written */
    double *rows;
    size_t n_rows, rows_room;
};

bool stage_is_off(const Stage *stage);

/* The last row of memory. */
const double *stage_memory(const Stage *stage);

/* All stages, registered ones last; returns their number. */
size_t stage_list(const StageKind *const **list);
const StageKind *stage_find(Text name); /* NULL: none */

enum {
    STAGES = 128,    /* the most there can be, built in and registered */
    STAGE_NAME = 32, /* bytes of a name, with its end */
};

/* Add a stage of a program's own: chains then read and print it, and stage_list has it.  Register
 * before other threads read chains: from then on the list is only read.
 *
 *   kind   borrowed until the program ends; name, gloss, example and apply are needed, begin and
 *          learn, too, when it has memory; formula, advice and source may be NULL
 *
 * Fails, and adds nothing, when something needed is missing, a stage or preset has the name, a name
 * or key is not made of a-z, 0-9 and _, a value is out of its own range, or there are STAGES already. */
bool stage_register(const StageKind *kind, Fault *fault);

/* keep=N: at least so many survive a truncation. */
#define PARAM_KEEP \
    { .key = "keep", .fallback = 1, .low = 1, .high = 1e9, .whole = true }

extern const StageKind stage_greedy, stage_draw, stage_gumbel, stage_mirostat,
    stage_mirostat_v2, stage_adaptive_p, stage_temp, stage_quadratic, stage_skew, stage_top_k,
    stage_top_p, stage_min_p, stage_typical, stage_tfs, stage_top_a, stage_epsilon, stage_eta,
    stage_top_n_sigma, stage_top_h, stage_p_less, stage_xtc, stage_penalties, stage_dry,
    stage_no_repeat, stage_bias, stage_ban, stage_allow, stage_suppress, stage_min_tokens,
    stage_force, stage_length, stage_contrast, stage_cfg, stage_contrastive_search,
    stage_watermark;

#endif
