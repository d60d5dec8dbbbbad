/* watermark.c - strata watermark: does a text carry the mark? */
#include "input.h"
#include "compute.h"
#include "watermark_detect.h"

#include <stdlib.h>

typedef struct Job {
    const char *model;
    double gamma;
    long key;
} Job;

static bool detect(Job *job, Fault *fault) {
    Model model;
    char path[2400];
    size_t size;
    TokenList tokens = {0};
    if (!choose_model(&job->model, path, sizeof path, fault) ||
        !model_open(&model, job->model, fault))
        return false;
    char *text = read_standard_input(&size, fault);
    bool ok =
        text && tokenizer_encode(model.tokenizer, (Text){text, size}, false, &tokens, fault);
    if (ok) {
        Watermark mark = {(uint64_t)job->key, job->gamma};
        WatermarkFinding f = watermark_detect(&mark, tokens.ids, tokens.count);
        printf("tokens %zu, green %zu (%.1f %%, chance %.1f %%), z %.2f, probability by chance "
               "%.2g: %s\n",
               f.scored, f.green, f.scored ? 100.0 * (double)f.green / (double)f.scored : 0.0,
               100 * job->gamma, f.z, f.chance,
               f.chance < 3e-5 ? "marked" : "no sign of the mark");
    }
    token_list_free(&tokens);
    free(text);
    model_close(&model);
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {.gamma = 0.25, .key = 15485863};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE", "model whose tokenizer counts (the storyteller)"},
        {"--gamma", OPT_REAL(0.01, 0.99), &job.gamma, "G", "share of green tokens (0.25)"},
        {"--key", OPT_INT(0, 9e18), &job.key, "N", "the secret (15485863)"},
        {0},
    };
    int status =
        options_read(argc, argv, "watermark [-m FILE] [options] < TEXT",
                     "Look for the mark that the stage watermark leaves.", options, NULL, 0, 0);
    if (status >= 0) return status;
    return detect(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_watermark = {
    .name = "watermark", .gloss = "look for a watermark in a text", .run = run};
