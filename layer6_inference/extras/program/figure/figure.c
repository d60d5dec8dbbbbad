/* figure.c - strata figure: the numbers behind the plots of samplers, as CSV. */
#include "commands.h"
#include "figure.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *gloss;
    bool (*plain)(const FigureJob *job, Fault *fault);
    bool (*run_with)(LoadedModel *loaded, const FigureJob *job, Fault *fault);
} figures[] = {
    {"effects", "what each sampler does to a peaked and to a flat distribution", figure_effects,
     NULL},
    {"temperature", "the temperature family", figure_temperature, NULL},
    {"order", "temperature before and after top_p", figure_order, NULL},
    {"kept", "candidates that truncations keep, by entropy, over real steps", NULL,
     figure_kept},
    {"surprise", "surprisal along a text: mirostat and others", NULL, figure_surprisal},
    {"guess", "speculative decoding: acceptance by length of the draft", NULL, figure_drafts},
    {"beams", "the likeliest stories that beams of each width find", NULL, figure_beams}};

static bool run_model_figure(FigureJob *job, size_t figure, Fault *fault) {
    LoadedModel loaded = {0};
    char path[2400];
    if (!choose_model(&job->model, path, sizeof path, fault) ||
        !compute_open(&job->compute, fault))
        return false;
    bool ok = loaded_open(&loaded, job->model, &job->compute, 0, FIGURE_BEAMS, fault) &&
              figures[figure].run_with(&loaded, job, fault);
    if (loaded.model) loaded_close(&loaded);
    compute_close(&job->compute);
    return ok;
}

static const OptionRule rules[] = {
    {"--draft", NEEDS, "guess", "no other figure has two models"},
    {"-m", NEEDS, "kept surprise guess beams", "the others plot given numbers"},
    {"-p", NEEDS, "kept surprise guess", "the others have no text, or the world's"},
    {"--documents", NEEDS, "beams", "the others have texts of their own"},
    {"-n", NEEDS, "kept surprise guess beams", "the others have no text"},
    {"-t", NEEDS, "kept surprise guess beams", "the others run no model"},
    {"--no-pack", NEEDS, "kept surprise guess beams", "the others run no model"},
    {"--pin", NEEDS, "kept surprise guess beams", "the others run no model"},
    {"--isa", NEEDS, "kept surprise guess beams", "the others run no model"},
    {0},
};

static int run(int argc, char **argv) {
    FigureJob job = {.prompt = "Once upon a time",
                     .steps = 300,
                     .documents = 100,
                     .compute = {.threads = 1}};
    Fault fault;
    const char *name = NULL;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE",
         "model to generate with (the storyteller in the box)"},
        {"-p", OPT_PROMPT, &job.prompt, "TEXT", "how the texts begin (-: standard input)"},
        {"--draft", OPT_TEXT, &job.draft, "FILE", "for guess: the smaller model"},
        {"-n", OPT_INT(1, OPTION_MANY), &job.steps, "N", "most tokens of a text (300)"},
        {"--documents", OPT_INT(2, OPTION_MANY), &job.documents, "N",
         "for beams: openings of held-out stories (100)"},
        COMPUTE_OPTIONS(job.compute),
        {0},
    };
    const CommandLine line = {
        argc,
        argv,
        "figure effects|temperature|order|kept|surprise|guess|beams [options]",
        "The numbers behind a plot, as CSV on stdout; make plots draws them.",
        options,
        rules};
    int status = command_line_read(&line, &name, 1, 1);
    if (status >= 0) return status;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (strcmp(name, figures[i].name) != 0) continue;
        if (!rules_check_word(&line, name, &fault)) return wrong_usage(&fault, line.usage);
        bool ok = figures[i].plain ? figures[i].plain(&job, &fault)
                                   : run_model_figure(&job, i, &fault);
        return ok ? EXIT_DONE : command_failed(&fault);
    }
    char names[200] = "", hint[80];
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        strcat(strcat(names, " "), figures[i].name);
    fprintf(stderr, "strata: no figure '%s': there are%s%s\n", name, names,
            nearest_hint(hint, sizeof hint, text_of(name), names));
    return EXIT_USAGE;
}

const Command command_figure = {.name = "figure", .run = run};
