/* app.h - what strata generate keeps open while it runs.
 *
 *     options -> Request -> app_open -> GenerateApp -> app_run -> text
 *
 * Invariant: app_close frees all that app_open took, even if that failed halfway. */
#ifndef STRATA_APP_H
#define STRATA_APP_H

#include "compute.h"
#include "steering.h"
#include "best_of.h"
#include "early_layers.h"
#include "heal.h"
#include "loaded_model.h"
#include "pictures/shown.h"
#include "speculate.h"

#include <stdio.h>

/* The options. */
typedef struct Request {
    const char *model, *prompt, *chain, *amateur, *negative, *trace, *stop_ids;
    const char *early_layers, *draft, *grammar, *schema, *tags, *regex;
    const char *prefix, *suffix; /* for fill in the middle; NULL: continue the prompt */
    long max_tokens, ctx, logprobs, trace_rows, repeats, guess, leaves, best_of;
    long beams, groups, particles, aligned, distinct, moves, block;
    uint64_t seed;
    double seconds, diversity, length_power, resample, power, confidence;
    const char *by, *answer; /* of --best-of */
    bool no_forced, heal, early, shift;
    OptionList stops;
    bool ids, no_prompt, special, chat, quiet, all;
    ComputeOptions compute;
    SteeringOptions steering;
    VisionOptions vision;
    OptionList images;
} Request;

/* The open models, and what the options became. */
typedef struct GenerateApp {
    const Request *request;
    LoadedModel expert, amateur, draft;
    EarlyLayers early_layers; /* of the expert's session */
    Model head, skipping;     /* of the expert, which owns their weights */
    Speculation speculation;
    SuffixStore *past; /* shared by samples */
    Chain chain;
    Stops stops;
    Trace trace;
    FileOut trace_file;
    Text prompt; /* printed before the generated text */
    Heal heal;
    SteeringOptions steering; /* on the expert */
    Pictures pictures;
    Shown seen; /* the prompt's images */
    TokenList tokens, negative, stop_ids;
    TextQueue queue;
    Stream stream; /* the text on its way to the queue */
    GenerateResult result;
    uint64_t seed; /* of the printed text */
    size_t prompt_tokens;
    size_t at_once; /* samples per batch */
    ChooseBy by;
    TokenList *found; /* (n_found) of a search: the texts to print; owns */
    size_t n_found, found_room;
    size_t generated; /* tokens of all its texts */
    double seconds;   /* that it took */
    Progress reading;
    bool first, shown, ok;
    bool read; /* the prompt has been evaluated */
    double began;
    bool late, cut_short; /* a grammar was stopped: by the time limit, or by anything */
    Fault fault;
} GenerateApp;

/* Open the models and read the chain and the prompt.  Call app_close even if this fails. */
bool app_open(GenerateApp *app, Fault *fault);

/* The kind of draft that --draft names; NULL: none.  A name that is no kind is a file's. */
const DraftKind *app_draft_kind(const Request *request);

/* Can a grammar force tokens, and can the model evaluate several at once? */
bool app_may_force(const GenerateApp *app);

/* Is a whole text chosen among several, and printed then? */
static inline bool app_searches(const Request *r) {
    return r->beams || r->particles || r->aligned || r->distinct || r->power > 0 || r->best_of;
}

/* A trace that file_end has not given its name goes. */
void app_close(GenerateApp *app);

/* Generate on another thread, and print the text as it comes. */
bool app_run(GenerateApp *app, Fault *fault);

/* search.c: choose among several texts; their scores, weights or votes go to stderr.  A text is
 * ranked by its printed part and its end alone. */
bool app_search(GenerateApp *app);

/* run.c: the options of a text; streams: it is printed as it comes. */
GenerateOptions app_options(GenerateApp *app, bool streams);
Limits app_limits(const GenerateApp *app);

/* run.c: may the run go on?  Not after Ctrl-C, or when its output is closed. */
bool app_is_wanted(GenerateApp *app);

/* On stderr: model, chain, seed, speed and why the text ended. */
void app_print_status(const GenerateApp *app);

/* Did Ctrl-C end the run?  The text so far is printed then. */
bool app_interrupted(void);

#endif
