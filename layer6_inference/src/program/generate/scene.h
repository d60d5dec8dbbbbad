/* scene.h - what strata generate needs open while it speaks.
 *
 *     options -> Request -> scene_open -> Scene -> scene_speak -> text
 *
 * Invariant: scene_close gives back all that scene_open took, also when that failed half-way. */
#ifndef STRATA_SCENE_H
#define STRATA_SCENE_H

#include "compute.h"
#include "search.h"

#include <stdio.h>

/* The options, as they were given. */
typedef struct Request {
    const CommandLine *line;
    const char *model, *prompt, *chain, *amateur, *negative, *trace, *stop_ids;
    const char *draft;
    long most, ctx, logprobs, trace_most, repeats, guess, best_of;
    long beams, groups;
    uint64_t seed;
    double seconds, diversity, length_power;
    bool lookup, heal, early;
    OptionList stops;
    bool ids, no_prompt, special, chat, quiet;
    Machine machine;
} Request;

/* The open models and what was made of the options. */
typedef struct Scene {
    const Request *request;
    Speaker expert, amateur, draft;
    Speculation speculation;
    Chain chain;
    Stops stops;
    Trace trace;
    FileOut trace_file;
    Text prompt;
    char *input; /* the prompt, when it came on standard input; owns */
    Heal heal;
    TokenList tokens, negative, stop_ids;
    TextQueue queue;
    GenerateResult result;
    uint64_t seed;  /* of the text that is shown */
    size_t at_once; /* samples in a batch */
    size_t spoken;  /* tokens of all samples */
    double seconds; /* of a search */
    Progress reading;
    bool first, shown, ok;
    Fault fault;
} Scene;

/* Open the models and read the chain and the prompt.  On failure, too, the scene must be closed. */
bool scene_open(Scene *scene, Fault *fault);

/* Fails when the trace could not be written. */
bool scene_close(Scene *scene, Fault *fault);

/* Generate on a thread of its own, and show the text as it comes. */
bool scene_speak(Scene *scene, Fault *fault);

#endif
