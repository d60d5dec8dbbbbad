/* figure.c - strata figure: the numbers behind the plots of samplers, as CSV. */
#include "options.h"
#include "speaker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    const char *model, *prompt, *draft;
    long steps;
    Machine machine;
} Job;

/* ------------------------------------------------------------------ one distribution
 *
 * Forty tokens: "peaked" is a step where one word nearly must follow, "flat" one where many may. */
enum { TOKENS = 40 };

static void make_distribution(bool peaked, float *logits) {
    for (int i = 0; i < TOKENS; i++)
        logits[i] = peaked ? -1.6f * powf((float)i, 0.8f)
                           : -0.07f * (float)i - 0.002f * (float)(i * i % 17);
}

/* What the model's rows look like to the stages that want more than one distribution. */
static bool look(void *context, const int32_t *tokens, size_t n, float *similarity) {
    (void)context;
    for (size_t i = 0; i < n; i++) similarity[i] = tokens[i] % 2 ? 0.2f : 0.8f;
    return true;
}

typedef struct Desk {
    Candidates candidates;
    Arena arena;
} Desk;

/* Rows  label,shape,rank,before,after  of a chain on one of the distributions. */
static bool print_effect(Desk *d, const char *label, const char *spec, bool peaked,
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
                 .look_ahead = look};
    bool ok = chain_parse(&chain, spec, NULL, fault) &&
              candidates_load(&d->candidates, logits, fault) &&
              chain_run(&chain, &d->candidates, &step, &token, fault);
    for (int i = 0; ok && i < TOKENS; i++)
        printf("\"%s\",%s,%d,%.6f,%.6f\n", label, peaked ? "peaked" : "flat", i + 1,
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
        ok = print_effect(&desk, labels[i], specs[i], true, fault) &&
             print_effect(&desk, labels[i], specs[i], false, fault);
    arena_free(&desk.arena);
    return ok;
}

static bool figure_effects(const Job *job, Fault *fault) {
    (void)job;
    static const char *const specs[] = {
        "temp:0.5",   "temp:1.5",      "quadratic:0.3",  "top_k:10",
        "top_p:0.9",  "min_p:0.1",     "typical:0.9",    "tfs:0.95",
        "top_a:0.3",  "epsilon:0.02",  "eta:0.02",       "top_n_sigma:1",
        "top_h:0.5",  "p_less",        "xtc:1:t=0.05",   "penalties:rep=1.5",
        "mirostat:3", "mirostat_v2:3", "adaptive_p:0.1", "contrast:0.05"};
    return print_effects(specs, specs, sizeof specs / sizeof *specs, fault);
}

static bool figure_temperature(const Job *job, Fault *fault) {
    (void)job;
    static const char *const specs[] = {"temp:0.25",    "temp:0.5", "temp:1",
                                        "temp:1.5",     "temp:2",   "temp:1:range=0.8",
                                        "quadratic:0.2"};
    return print_effects(specs, specs, sizeof specs / sizeof *specs, fault);
}

static bool figure_order(const Job *job, Fault *fault) {
    (void)job;
    static const char *const specs[] = {"temp:2,top_p:0.8", "top_p:0.8,temp:2",
                                        "temp:0.5,top_p:0.8", "top_p:0.8,temp:0.5"};
    static const char *const labels[] = {"temp:2 then top_p:0.8", "top_p:0.8 then temp:2",
                                         "temp:0.5 then top_p:0.8", "top_p:0.8 then temp:0.5"};
    return print_effects(labels, specs, sizeof specs / sizeof *specs, fault);
}

/* ------------------------------------------------------------------ real steps */

typedef struct Watcher {
    const char *label;
    Desk desk;
    float *row;
    double sum, count;
} Watcher;

static const char *const cuts[] = {"top_k:10", "top_p:0.9", "min_p:0.05", "typical:0.9",
                                   "top_n_sigma:1"};

/* step,entropy,then how many candidates each truncation would keep */
static bool print_kept(void *context, const Choice *choice) {
    Watcher *w = context;
    Candidates *c = &w->desk.candidates;
    Fault fault = {0};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        Chain chain;
        memcpy(w->row, choice->raw, c->vocab * sizeof *w->row);
        if (!chain_parse(&chain, cuts[i], NULL, &fault) || !candidates_load(c, w->row, &fault))
            return false;
        if (i == 0) printf("%zu,%.5f", choice->step, candidates_entropy(c));
        chain.stages[0].kind->apply(&chain.stages[0], c, &(Step){.seed = 1});
        printf(",%zu", candidates_alive(c));
        chain_close(&chain);
    }
    putchar('\n');
    return true;
}

/* All chains of this figure begin with this temperature: Mirostat can only take surprise away. */
#define SURPRISE_TEMPERATURE 1.6

/* chain,step,surprise in bits,mean so far; of the distribution at that temperature, which is
 * what the stages after it see */
static bool print_surprise(void *context, const Choice *choice) {
    Watcher *w = context;
    size_t vocab = choice->after->vocab;
    float max = vector_max(choice->raw, vocab);
    double sum = 0;
    for (size_t i = 0; i < vocab; i++)
        sum += exp((double)(choice->raw[i] - max) / SURPRISE_TEMPERATURE);
    double bits = (log(fmax(sum, 1)) -
                   (double)(choice->raw[choice->token] - max) / SURPRISE_TEMPERATURE) /
                  log(2);
    w->sum += bits, w->count++;
    printf("\"%s\",%zu,%.5f,%.5f\n", w->label, choice->step, bits, w->sum / w->count);
    return true;
}

static bool ignore(void *context, const Choice *choice) {
    (void)context, (void)choice;
    return true;
}

static bool run_chain(Speaker *s, const Job *job, const char *spec, uint64_t seed,
                      OnChoice *on_choice, void *context, TokenList *tokens, size_t *prompt,
                      Fault *fault) {
    Chain chain;
    GenerateResult result;
    if (!chain_parse(&chain, spec, s->model->tokenizer, fault)) return false;
    GenerateOptions options = {.chain = &chain,
                               .seed = seed,
                               .most_tokens = (size_t)job->steps,
                               .only_bos_ends = false,
                               .on_choice = on_choice,
                               .want_raw = true,
                               .context = context};
    tokens->count = 0;
    speaker_read(s, text_of(job->prompt), false, tokens);
    *prompt = tokens->count;
    bool ok = generate(&s->session, &s->candidates, tokens, &options, &result, fault);
    chain_close(&chain);
    return ok;
}

static bool figure_kept(Speaker *s, const Job *job, Fault *fault) {
    Watcher w = {.row = malloc(s->model->sizes.vocab * sizeof(float))};
    TokenList tokens = {0};
    size_t prompt;
    bool ok = w.row &&
              candidates_open(&w.desk.candidates, s->model->sizes.vocab, &w.desk.arena, fault);
    printf("step,entropy");
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) printf(",%s", cuts[i]);
    putchar('\n');
    for (uint64_t seed = 1; ok && seed <= 5; seed++)
        ok = run_chain(s, job, "temp:1", seed, print_kept, &w, &tokens, &prompt, fault);
    token_list_free(&tokens);
    if (w.row) arena_free(&w.desk.arena);
    free(w.row);
    return ok;
}

/* The end of a text is banned, so that all chains go on for as long. */
static bool figure_surprise(Speaker *s, const Job *job, Fault *fault) {
    static const char *const specs[] = {"top_p:0.9", "top_k:40", "mirostat:0.7",
                                        "mirostat_v2:0.7"};
    TokenList tokens = {0};
    size_t prompt;
    bool ok = true;
    printf("chain,step,surprise,mean\n");
    for (size_t i = 0; ok && i < sizeof specs / sizeof *specs; i++) {
        char spec[80];
        Watcher w = {.label = specs[i]};
        snprintf(spec, sizeof spec, "min_tokens:100000,temp:%g,%s", SURPRISE_TEMPERATURE,
                 specs[i]);
        ok = run_chain(s, job, spec, 1, print_surprise, &w, &tokens, &prompt, fault);
    }
    token_list_free(&tokens);
    return ok;
}

/* chain,position,share: of the 4-grams in a window that ends here, how many stood before */
static void print_repetition(const char *label, const int32_t *ids, size_t n) {
    enum { WINDOW = 40 };
    for (size_t end = WINDOW; end <= n; end += 10) {
        size_t seen = 0, all = 0;
        for (size_t at = end - WINDOW; at + 4 <= end; at++, all++)
            for (size_t k = 0; k < at; k++)
                if (memcmp(ids + k, ids + at, 4 * sizeof *ids) == 0) {
                    seen++;
                    break;
                }
        printf("\"%s\",%zu,%.4f\n", label, end, (double)seen / (double)all);
    }
}

static bool figure_repetition(Speaker *s, const Job *job, Fault *fault) {
    static const char *const labels[] = {"greedy", "penalties:rep=1.1", "dry:0.8",
                                         "no_repeat:4", "top_p:0.9"};
    TokenList tokens = {0};
    size_t prompt, n = sizeof labels / sizeof *labels;
    bool ok = true;
    printf("chain,position,repeated\n");
    for (size_t i = 0; ok && i < n; i++) {
        char spec[80];
        bool greedy = i > 0 && i + 1 < n; /* a greedy pick after it */
        snprintf(spec, sizeof spec, "min_tokens:100000,%s%s", labels[i],
                 greedy ? ",greedy" : "");
        ok = run_chain(s, job, spec, 1, ignore, NULL, &tokens, &prompt, fault);
        if (ok) print_repetition(labels[i], tokens.ids + prompt, tokens.count - prompt);
    }
    token_list_free(&tokens);
    return ok;
}

typedef struct GuessTally {
    size_t guessed, accepted, readings, tokens;
    double seconds;
} GuessTally;

/* Some stories, with guesses of a length (0: plain decoding). */
static bool guess_stories(Speaker *s, const Job *job, Session *draft, size_t length,
                          GuessTally *tally, Fault *fault) {
    TokenList text = {0};
    bool ok = true;
    *tally = (GuessTally){0};
    for (uint64_t seed = 1; ok && seed <= 8; seed++) {
        Chain chain;
        GenerateResult result;
        Speculation speculation = {.draft = draft, .length = length};
        if (!chain_parse(&chain, chain_default, NULL, fault)) return false;
        GenerateOptions options = {.chain = &chain,
                                   .seed = seed,
                                   .most_tokens = (size_t)job->steps,
                                   .speculation = length ? &speculation : NULL};
        text.count = 0;
        speaker_read(s, text_of(job->prompt), false, &text);
        ok = generate(&s->session, &s->candidates, &text, &options, &result, fault);
        tally->guessed += speculation.guessed, tally->accepted += speculation.accepted;
        tally->readings += length ? speculation.rounds : result.tokens;
        tally->tokens += result.tokens, tally->seconds += result.decode_seconds;
        chain_close(&chain);
    }
    token_list_free(&text);
    return ok;
}

/* length,guesser,acceptance,tokens for each reading of the model,speed-up over plain decoding */
static bool figure_guess(Speaker *s, const Job *job, Fault *fault) {
    static const size_t lengths[] = {1, 2, 3, 4, 6, 8, 12, 16};
    Speaker draft = {0};
    GuessTally plain, t;
    if (!job->draft)
        return fault_set(fault, "figure guess needs a smaller model: --draft FILE");
    bool ok = speaker_open(&draft, job->draft, &job->machine, 0, 1, fault) &&
              guess_stories(s, job, NULL, 0, &plain, fault) &&
              guess_stories(s, job, NULL, 0, &plain, fault);
    printf("length,guesser,acceptance,tokens_per_reading,speed_up\n");
    for (size_t i = 0; ok && i < 2 * sizeof lengths / sizeof *lengths; i++) {
        bool by_draft = i % 2 == 0;
        size_t length = lengths[i / 2];
        ok = guess_stories(s, job, by_draft ? &draft.session : NULL, length, &t, fault);
        if (ok)
            printf("%zu,%s,%.4f,%.4f,%.4f\n", length, by_draft ? "draft" : "lookup",
                   t.guessed ? (double)t.accepted / (double)t.guessed : 0,
                   (double)t.tokens / (double)t.readings,
                   (double)t.tokens / t.seconds / ((double)plain.tokens / plain.seconds));
    }
    if (draft.model) speaker_close(&draft);
    return ok;
}

/* ------------------------------------------------------------------ the command */

static const struct {
    const char *name, *gloss;
    bool (*plain)(const Job *job, Fault *fault);
    bool (*spoken)(Speaker *speaker, const Job *job, Fault *fault);
} figures[] = {
    {"effects", "what each sampler does to a peaked and to a flat distribution", figure_effects,
     NULL},
    {"temperature", "the temperature family", figure_temperature, NULL},
    {"order", "temperature before and after top_p", figure_order, NULL},
    {"kept", "candidates that truncations keep, by entropy, over real steps", NULL,
     figure_kept},
    {"surprise", "surprise along a text: mirostat and others", NULL, figure_surprise},
    {"repetition", "repetition along a text: greedy, penalties, dry, no_repeat", NULL,
     figure_repetition},
    {"guess", "speculative decoding: acceptance by length of the guess", NULL, figure_guess}};

static bool run_spoken(Job *job, size_t figure, Fault *fault) {
    Speaker speaker = {0};
    char path[2400];
    if (!choose_model(&job->model, path, sizeof path, fault) ||
        !machine_open(&job->machine, fault))
        return false;
    bool ok = speaker_open(&speaker, job->model, &job->machine, 0, 1, fault) &&
              figures[figure].spoken(&speaker, job, fault);
    if (speaker.model) speaker_close(&speaker);
    machine_close(&job->machine);
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {.prompt = "Once upon a time", .steps = 300, .machine = {.threads = 1}};
    Fault fault;
    const char *name = NULL;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE", "model that speaks (the storyteller in the box)"},
        {"-p", OPT_TEXT, &job.prompt, "TEXT", "how the texts begin"},
        {"--draft", OPT_TEXT, &job.draft, "FILE", "for guess: the smaller model"},
        {"-n", OPT_INT, &job.steps, "N", "most tokens of a text (300)"},
        MACHINE_OPTIONS(job.machine),
        {0},
    };
    int status = options_read(
        argc, argv, "figure NAME [options]",
        "The numbers behind a plot, as CSV on stdout; make plots draws them.  NAME is one "
        "of\n  effects, temperature, order, kept, surprise, repetition, guess.",
        options, &name, 1, 1);
    if (status >= 0) return status;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (strcmp(name, figures[i].name) != 0) continue;
        bool ok =
            figures[i].plain ? figures[i].plain(&job, &fault) : run_spoken(&job, i, &fault);
        return ok ? EXIT_DONE : command_failed(&fault);
    }
    fprintf(stderr, "strata: no figure '%s': there are", name);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        fprintf(stderr, " %s", figures[i].name);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

const Command command_figure = {
    .name = "figure", .gloss = "the numbers behind the plots", .run = run};
