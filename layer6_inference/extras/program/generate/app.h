/* app.h - what strata generate keeps open while it runs.
 *
 *     options -> Request -> app_open -> GenerateApp -> app_run -> text
 *
 * Invariant: app_close gives back all that app_open took, also when that failed half-way. */
#ifndef STRATA_APP_H
#define STRATA_APP_H

#include "compute.h"
#include "steering.h"
#include "heal.h"
#include "pictures/shown.h"
#include "search.h"
#include "speculate.h"

#include <stdio.h>

/* The options, as they were given. */
typedef struct Request {
    const char *model, *prompt, *chain, *amateur, *negative, *trace, *stop_ids;
    const char *draft, *grammar, *schema, *tags, *regex;
    const char *prefix, *suffix; /* the middle is asked for; NULL: what follows the prompt */
    long max_tokens, ctx, logprobs, trace_rows, repeats, guess, best_of;
    long beams, groups;
    uint64_t seed;
    double seconds, diversity, length_power;
    bool lookup, draft_head, no_forced, heal, early, shift;
    OptionList stops;
    bool ids, no_prompt, special, chat, quiet;
    ComputeOptions compute;
    SteeringOptions steering;
    VisionOptions vision;
    OptionList images;
} Request;

/* The open models and what was made of the options. */
typedef struct GenerateApp {
    const Request *request;
    LoadedModel expert, amateur, draft;
    Model head; /* of the expert, which owns what it has */
    Speculation speculation;
    Chain chain;
    Stops stops;
    Trace trace;
    FileOut trace_file;
    Text prompt; /* what stands before the text that is generated */
    Heal heal;
    SteeringOptions steering; /* on the expert */
    Pictures pictures;
    Shown seen; /* of them, in the prompt */
    TokenList tokens, negative, stop_ids;
    TextQueue queue;
    Stream stream; /* the text on its way to the queue */
    GenerateResult result;
    uint64_t seed; /* of the text that is shown */
    size_t prompt_tokens;
    size_t at_once;   /* samples in a batch */
    size_t generated; /* tokens, of all samples */
    double seconds;   /* of a search */
    Progress reading;
    bool first, shown, ok;
    bool read; /* the model has read the prompt */
    Fault fault;
} GenerateApp;

/* Open the models and read the chain and the prompt.  On failure, too, the app must be closed. */
bool app_open(GenerateApp *app, Fault *fault);

/* Does a grammar say what comes next, and can the model be asked about several tokens at once? */
bool app_may_force(const GenerateApp *app);

/* Fails when the trace could not be written. */
bool app_close(GenerateApp *app, Fault *fault);

/* Generate on a thread of its own, and show the text as it comes. */
bool app_run(GenerateApp *app, Fault *fault);

/* Did Ctrl-C end the run?  The text so far is printed then. */
bool app_interrupted(void);

#endif
