/* distribution.c - what samplers do to one distribution.
 *
 * Forty tokens: "peaked" is a step where one token is nearly certain, "flat" one where many are
 * plausible. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOKENS = 40 };

static void make_distribution(bool peaked, float *logits) {
    for (int i = 0; i < TOKENS; i++)
        logits[i] = peaked ? -1.6f * powf((float)i, 0.8f)
                           : -0.07f * (float)i - 0.002f * (float)(i * i % 17);
}

/* The Step for stages that need more than one distribution. */
static bool distribution_look(void *context, const int32_t *tokens, size_t n,
                              float *similarity) {
    (void)context;
    for (size_t i = 0; i < n; i++) similarity[i] = tokens[i] % 2 ? 0.2f : 0.8f;
    return true;
}

typedef struct Desk {
    Candidates candidates;
    Arena arena;
} Desk;

/* Rows  label,shape,rank,before,after  of a chain on one of the distributions. */
static bool distribution_print_effect(Desk *d, const char *label, const char *spec, bool peaked,
                                      Fault *fault) {
    static const int32_t history[] = {3, 0, 1, 0, 2, 0};
    Chain chain;
    float logits[TOKENS], before[TOKENS], amateur[TOKENS];
    int32_t token;
    make_distribution(peaked, logits);
    make_distribution(!peaked, amateur);
    memcpy(before, logits, sizeof before);
    double sum = log_sum_exp(before, TOKENS);
    Step step = {.seed = 4,
                 .position = 6,
                 .history = history,
                 .history_count = 6,
                 .prompt_count = 6,
                 .amateur = amateur,
                 .unconditional = amateur,
                 .look_ahead = distribution_look};
    bool ok = chain_parse(&chain, spec, NULL, fault) &&
              candidates_load(&d->candidates, logits, fault) &&
              chain_run(&chain, &d->candidates, &step, &token, fault);
    for (int i = 0; ok && i < TOKENS; i++)
        printf("\"%s\",%s,%d,%.6g,%.6g\n", label, peaked ? "peaked" : "flat", i + 1,
               exp((double)before[i] - sum), exp(candidates_log_prob(&d->candidates, i)));
    chain_close(&chain);
    return ok;
}

static bool print_effects(const char *const *labels, const char *const *specs, size_t n,
                          Fault *fault) {
    Desk desk;
    bool ok = candidates_open(&desk.candidates, TOKENS, &desk.arena, fault);
    printf("chain,shape,rank,before,after\n");
    for (size_t i = 0; ok && i < n; i++)
        ok = distribution_print_effect(&desk, labels[i], specs[i], true, fault) &&
             distribution_print_effect(&desk, labels[i], specs[i], false, fault);
    arena_free(&desk.arena);
    return ok;
}

bool figure_effects(const FigureJob *job, Fault *fault) {
    (void)job;
    static const char *const specs[] = {
        "temp:0.5",   "temp:1.5",      "quadratic:0.3",  "top_k:10",
        "top_p:0.9",  "min_p:0.1",     "typical:0.9",    "tfs:0.95",
        "top_a:0.3",  "epsilon:0.02",  "eta:0.02",       "top_n_sigma:1",
        "top_h:0.5",  "p_less",        "xtc:1:t=0.05",   "penalties:rep=1.5",
        "mirostat:3", "mirostat_v2:3", "adaptive_p:0.1", "contrast:0.05"};
    return print_effects(specs, specs, sizeof specs / sizeof *specs, fault);
}

bool figure_temperature(const FigureJob *job, Fault *fault) {
    (void)job;
    static const char *const specs[] = {"temp:0.25",    "temp:0.5", "temp:1",
                                        "temp:1.5",     "temp:2",   "temp:1:range=0.8",
                                        "quadratic:0.2"};
    return print_effects(specs, specs, sizeof specs / sizeof *specs, fault);
}

bool figure_order(const FigureJob *job, Fault *fault) {
    (void)job;
    static const char *const specs[] = {"temp:2,top_p:0.8", "top_p:0.8,temp:2",
                                        "temp:0.5,top_p:0.8", "top_p:0.8,temp:0.5"};
    static const char *const labels[] = {"temp:2 then top_p:0.8", "top_p:0.8 then temp:2",
                                         "temp:0.5 then top_p:0.8", "top_p:0.8 then temp:0.5"};
    return print_effects(labels, specs, sizeof specs / sizeof *specs, fault);
}
