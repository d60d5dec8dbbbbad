/* samplers.c - strata samplers: the list, and each one's effect on a fixed distribution. */
#include "commands.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "The fox found a ..." */
enum { WORDS = 10 };
static const char *const words[WORDS] = {"hat",  "bell", "key",  "kite", "drum",
                                         "lamp", "shoe", "coin", "boot", "pear"};
static const double probabilities[WORDS] = {0.38, 0.22, 0.14, 0.09,  0.06,
                                            0.04, 0.03, 0.02, 0.015, 0.005};
/* A weaker model, and the same one without the prompt. */
static const float amateur[WORDS] = {2, 1, 1.5f, 0, 0.5f, 0, 0, -0.5f, 0, -1};
static const float unconditional[WORDS] = {1, 1, 0, 0.5f, 0, 0.5f, 0, 0, 0, 0};
/* "... a bell, a key, a hat, a bell, a key, a": a hat would repeat three words */
static const int32_t history[] = {1, 2, 0, 1, 2};

static bool samplers_look(void *context, const int32_t *tokens, size_t n, float *similarity) {
    (void)context;
    for (size_t i = 0; i < n; i++) similarity[i] = tokens[i] < 2 ? 0.9f : 0.3f;
    return true;
}

static void print_bar(double p, const char *block) {
    for (int i = 0; i < (int)lround(40 * p); i++) fputs(block, stdout);
}

/* skew leaves all probabilities: only the shares of many draws show it. */
static bool share_draws(Chain *chain, Candidates *c, Step step, double share[WORDS],
                        Fault *fault) {
    enum { DRAWS = 100000 };
    for (int i = 0; i < DRAWS; i++) {
        float logits[WORDS];
        int32_t token;
        for (int k = 0; k < WORDS; k++) logits[k] = (float)log(probabilities[k]);
        step.seed = (uint64_t)i;
        if (!candidates_load(c, logits, fault) || !chain_run(chain, c, &step, &token, fault))
            return false;
        share[token] += 1.0 / DRAWS;
    }
    return true;
}

static bool picture(const StageKind *kind, Fault *fault) {
    Candidates c;
    Arena arena;
    Chain chain;
    float logits[WORDS];
    double after[WORDS] = {0};
    int32_t token;
    Step step = {.seed = 1,
                 .position = 5,
                 .history = history,
                 .history_count = 5,
                 .prompt_count = 5,
                 .amateur = amateur,
                 .unconditional = unconditional,
                 .look_ahead = samplers_look};
    if (!candidates_open(&c, WORDS, &arena, fault)) return false;
    for (int i = 0; i < WORDS; i++) logits[i] = (float)log(probabilities[i]);
    bool ok = chain_parse(&chain, kind->example, NULL, fault) &&
              candidates_load(&c, logits, fault) && chain_run(&chain, &c, &step, &token, fault);
    bool skewed = ok && c.skew != 0;
    for (int i = 0; ok && !skewed && i < WORDS; i++) after[i] = exp(candidates_log_prob(&c, i));
    ok = ok && (!skewed || share_draws(&chain, &c, step, after, fault));
    if (ok)
        printf("\n  %s on ten words that may follow (before: \u2591, %s: \u2588)%s\n\n",
               kind->example, skewed ? "share of 100,000 draws" : "after",
               kind->selects ? "; the arrow is the token it selected" : "");
    for (int i = 0; ok && i < WORDS; i++) {
        double p = after[i];
        printf("  %-5s %6.3f  ", words[i], probabilities[i]);
        print_bar(probabilities[i], "\u2591");
        printf("\n        %6.3f  ", p);
        print_bar(p, "\u2588");
        printf("%s\n", p <= 0 ? "-" : kind->selects && i == token ? " <-" : "");
    }
    chain_close(&chain);
    arena_free(&arena);
    return ok;
}

static void print_params(const StageKind *kind) {
    for (int i = 0; i < STAGE_PARAMS && kind->params[i].key; i++) {
        const StageParam *p = &kind->params[i];
        printf("  %-8s %s number %s %.10g %s %.10g", p->key, p->integer ? "whole" : "a",
               p->exclusive_min ? "above" : "from", p->low, p->exclusive_min ? "up to" : "to",
               p->high);
        if (!p->required) printf("; %.10g unless given", p->default_value);
        if (p->has_off) printf("; off at %g", p->off);
        if (i == 0) printf("; may be given bare: %s:X", kind->name);
        putchar('\n');
    }
    static const char *const lists[] = {
        [LIST_IDS] = "a list of token ids",
        [LIST_BIASES] = "a list of ID=B",
        [LIST_TEXTS] = "a list of texts; %20 is a space, %2C a comma",
        [LIST_BREAKS] = "break=TEXT, as often as you like; %0A is a new line, %3A a colon",
        [LIST_ONE_TEXT] = "a text; %2C is a comma, %3A a colon, @FILE what a file holds",
        [LIST_STAGE] = "a stage with its parameters"};
    if (kind->list) printf("  %-8s %s\n", "...", lists[kind->list]);
}

static bool describe_sampler(const char *name, Fault *fault) {
    const StageKind *kind = stage_find(text_of(name));
    char meant[80];
    if (!kind && chain_meant(text_of(name), meant, sizeof meant))
        return fault_set(
            fault, "no sampler '%.40s'; did you mean %.*s? strata samplers lists them all",
            name, (int)strcspn(meant, ":"), meant);
    if (!kind)
        return fault_set(fault, "no sampler '%.40s': strata samplers lists them all", name);
    printf("%s: %s\n\n  %s\n\n", kind->name, kind->gloss, kind->formula);
    print_params(kind);
    printf("\n  use     %s\n  source  %s\n", kind->advice, kind->source);
    if (kind->needs & NEEDS_TOKENIZER) {
        printf("\n  try it  strata generate --chain %s\n", kind->example);
        return true;
    }
    return picture(kind, fault);
}

static bool list_samplers(void) {
    const StageKind *const *list;
    const ChainPreset *presets;
    size_t count = stage_list(&list), n_presets = chain_presets(&presets);
    for (size_t i = 0; i < count; i++) printf("  %-18s %s\n", list[i]->name, list[i]->gloss);
    printf("\npresets: names for chains\n\n");
    for (size_t i = 0; i < n_presets; i++)
        printf("  %-18s %s: %s\n", presets[i].name, presets[i].gloss, presets[i].spec);
    printf("\nstrata samplers NAME says more about one of them.\n");
    return true;
}

static const char *samplers_name;
static bool samplers_run(Fault *fault) {
    return samplers_name ? describe_sampler(samplers_name, fault) : list_samplers();
}

static const Option samplers_options[] = {{0}};

const Command command_samplers = {
    .name = "samplers",
    .usage = "samplers [NAME]",
    .about = "List all samplers, or describe one: formula, parameters, when to use it, and its "
             "effect on a distribution.",
    .options = samplers_options,
    .words = &samplers_name,
    .max_words = 1,
    .run = samplers_run};
