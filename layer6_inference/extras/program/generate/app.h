/* app.h - what strata generate keeps open while it runs.
 *
 *     options -> Request -> app_open -> GenerateApp -> app_run -> text
 *
 * Invariant: app_close frees all that app_open took, even if that failed halfway. */
#ifndef STRATA_APP_H
#define STRATA_APP_H

#include "compute.h"
#include "steering.h"
#include "heal.h"
#include "pictures/shown.h"
#include "search.h"
#include "speculate.h"

#include <stdio.h>

/* The options. */
typedef struct Request {
    const char *model, *prompt, *chain, *amateur, *negative, *trace, *stop_ids;
    const char *draft, *grammar, *schema, *tags, *regex;
    const char *prefix, *suffix; /* for fill in the middle; NULL: continue the prompt */
    long max_tokens, ctx, logprobs, trace_rows, repeats, guess, best_of;
    long beams, groups, particles;
    uint64_t seed;
    double seconds, diversity, length_power, resample;
    bool lookup, draft_head, no_forced, heal, early, shift;
    OptionList stops;
    bool ids, no_prompt, special, chat, quiet;
    ComputeOptions compute;
    SteeringOptions steering;
    VisionOptions vision;
    OptionList images;
} Request;

/* The open models, and what the options became. */
typedef struct GenerateApp {
    const Request *request;
    LoadedModel expert, amateur, draft;
    Model head; /* of the expert, which owns its weights */
    Speculation speculation;
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
    size_t at_once;   /* samples per batch */
    size_t generated; /* tokens of all samples */
    double seconds;   /* of a search */
    Progress reading;
    bool first, shown, ok;
    bool read; /* the prompt has been evaluated */
    Fault fault;
} GenerateApp;

/* Open the models and read the chain and the prompt.  Call app_close even if this fails. */
bool app_open(GenerateApp *app, Fault *fault);

/* Can a grammar force tokens, and can the model evaluate several at once? */
bool app_may_force(const GenerateApp *app);

/* Is a whole text chosen among several, and printed then? */
static inline bool app_searches(const Request *r) {
    return r->beams || r->particles || r->best_of;
}

/* Fails if the trace cannot be written. */
bool app_close(GenerateApp *app, Fault *fault);

/* Generate on another thread, and print the text as it comes. */
bool app_run(GenerateApp *app, Fault *fault);

/* Did Ctrl-C end the run?  The text so far is printed then. */
bool app_interrupted(void);

#endif
