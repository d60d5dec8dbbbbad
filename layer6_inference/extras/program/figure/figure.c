/* figure.c - strata figure: the data behind the sampler plots, as CSV. */
#include "commands.h"
#include "figure.h"

#include <stdio.h>
#include <string.h>

typedef struct Figure {
    const char *name, *gloss;
    bool (*plain)(const FigureJob *job, Fault *fault);
    bool (*run_with)(LoadedModel *loaded, const FigureJob *job, Fault *fault);
} Figure;

static const Figure figures[] = {
    {"effects", "what each sampler does to a peaked and to a flat distribution", figure_effects,
     NULL},
    {"temperature", "the temperature family", figure_temperature, NULL},
    {"order", "temperature before and after top_p", figure_order, NULL},
    {"kept", "candidates that truncations keep, by entropy, over real steps", NULL,
     figure_kept},
    {"surprise", "surprisal along a text: mirostat and others", NULL, figure_surprisal},
    {"guess", "speculative decoding: acceptance by length of the draft", NULL, figure_drafts},
    {"beams", "the likeliest stories that beams of each width find", NULL, figure_beams}};

static FigureJob asked = {
    .prompt = "Once upon a time", .steps = 300, .documents = 100, .compute = {.threads = 1}};

static const Figure *find_figure(void) {
    const Figure *figure = figures;
    while (strcmp(asked.name, figure->name) != 0) figure++;
    return figure;
}

static bool figure_model(LoadedModel *m, Fault *fault) {
    return loaded_open_session(m, &asked.compute, 0, FIGURE_BEAMS, fault) &&
           find_figure()->run_with(m, &asked, fault);
}

static bool figure_run(Fault *fault) {
    const Figure *figure = find_figure();
    return figure->plain ? figure->plain(&asked, fault)
                         : loaded_run(&asked.model, &asked.compute, figure_model, fault);
}

static const OptionRule figure_rules[] = {
    {"--draft", NEEDS, "guess", "no other figure uses a draft"},
    {"-m", NEEDS, "kept surprise guess beams", "the others use fixed distributions"},
    {"-p", NEEDS, "kept surprise guess", "the others use no prompt"},
    {"--documents", NEEDS, "beams", "the others have their own texts"},
    {"-n", NEEDS, "kept surprise guess beams", "the others generate no text"},
    {"-t --no-pack --pin --isa", NEEDS, "kept surprise guess beams", "the others run no model"},
    {0},
};

static const Option figure_options[] = {
    MODEL_OPTION(asked.model),
    {"-p", OPT_PROMPT, &asked.prompt, "TEXT", "the prompt (-: stdin)"},
    {"--draft", OPT_TEXT, &asked.draft, "FILE", "guess: the draft model"},
    {"-n", OPT_INT(1, OPTION_MANY), &asked.steps, "N", "maximum tokens per text (300)"},
    {"--documents", OPT_INT(2, OPTION_MANY), &asked.documents, "N",
     "beams: number of held-out openings (100)"},
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

const Command command_figure = {
    .name = "figure",
    .usage = "figure effects|temperature|order|kept|surprise|guess|beams [options]",
    .about = "Print the data behind a plot as CSV; make plots draws them.",
    .options = figure_options,
    .rules = figure_rules,
    .words = &asked.name,
    .min_words = 1,
    .max_words = 1,
    .has_kinds = true,
    .run = figure_run};
