/* steps.c - samplers step by step, along generated texts. */
#include "figure.h"
#include "look_ahead.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Watcher {
    LoadedModel *loaded;
    const FigureJob *job;
    Candidates candidates; /* separate from the model's, which are in use */
    Arena arena;
    float *row;
    const char *label;
    Chain before;
    uint64_t seed;
    double seen, left; /* bits since the last row */
} Watcher;

static bool watcher_open(Watcher *w, LoadedModel *loaded, const FigureJob *job, Fault *fault) {
    const size_t vocab = loaded->model->sizes.vocab;
    *w = (Watcher){.loaded = loaded, .job = job, .row = malloc(vocab * sizeof *w->row)};
    return (w->row || fault_set(fault, "no memory for a row of logits")) &&
           candidates_open(&w->candidates, vocab, &w->arena, fault);
}

static void watcher_close(Watcher *w) { arena_free(&w->arena), free(w->row); }

/* Generate a text with a chain. */
static bool watch_chain(Watcher *w, const char *spec, OnChoice *on_choice, Fault *fault) {
    Chain chain;
    GenerateResult result;
    TokenList tokens = {0};
    if (!chain_parse(&chain, spec, w->loaded->model->tokenizer, fault)) return false;
    GenerateOptions options = {.chain = &chain,
                               .seed = w->seed,
                               .limits.max_tokens = (size_t)w->job->steps,
                               .on_choice = on_choice,
                               .want_raw = true,
                               .context = w};
    with_look_ahead(&options);
    bool ok = loaded_tokenize(w->loaded, text_of(w->job->prompt), false, &tokens, fault) &&
              generate(&w->loaded->session, &tokens, &options, &result, fault);
    chain_close(&chain), token_list_free(&tokens);
    return ok;
}

static const char *const cuts[] = {"top_k:10", "top_p:0.9", "min_p:0.05", "typical:0.9",
                                   "top_n_sigma:1"};

/* step,entropy,then how many candidates each truncation would keep */
static bool print_kept(void *context, const Choice *choice) {
    Watcher *w = context;
    Candidates *c = &w->candidates;
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

/* Stages before the cut in all chains of this figure: heat, because Mirostat can only lower
 * surprisal, and no end token, so that all texts have the same length. */
#define SURPRISE_BEFORE "min_tokens:100000,temp:1.6"
enum { SURPRISAL_WINDOW = 20, SURPRISE_TEXTS = 50 };

/* chain,seed,step,seen,left: surprisal of the drawn tokens in bits, averaged over the window
 * that ends here, before and after truncation. */
static bool print_surprisal(void *context, const Choice *choice) {
    Watcher *w = context;
    Candidates *c = &w->candidates;
    Step step = {.tokenizer = w->loaded->model->tokenizer};
    Fault fault;
    int32_t none;
    memcpy(w->row, choice->raw, c->vocab * sizeof *w->row);
    if (!candidates_load(c, w->row, &fault) || !chain_run(&w->before, c, &step, &none, &fault))
        return false;
    w->seen -= candidates_log_prob(c, choice->token) / log(2);
    w->left -= candidates_log_prob(choice->after, choice->token) / log(2);
    if ((choice->step + 1) % SURPRISAL_WINDOW) return true;
    printf("\"%s\",%llu,%zu,%.4f,%.4f\n", w->label, (unsigned long long)w->seed,
           choice->step + 1, w->seen / SURPRISAL_WINDOW, w->left / SURPRISAL_WINDOW);
    w->seen = w->left = 0;
    return true;
}

bool figure_kept(LoadedModel *s, const FigureJob *job, Fault *fault) {
    Watcher w;
    bool ok = watcher_open(&w, s, job, fault);
    printf("step,entropy");
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) printf(",%s", cuts[i]);
    putchar('\n');
    for (w.seed = 1; ok && w.seed <= 5; w.seed++)
        ok = watch_chain(&w, "temp:1", print_kept, fault);
    watcher_close(&w);
    return ok;
}

bool figure_surprisal(LoadedModel *s, const FigureJob *job, Fault *fault) {
    /* adaptive_p needs a cut before it: certain and absurd tokens are equally far from its
     * target */
    static const struct {
        const char *label, *before, *spec;
    } chains[] = {{"draw", SURPRISE_BEFORE, SURPRISE_BEFORE ",draw"},
                  {"top_k:40", SURPRISE_BEFORE, SURPRISE_BEFORE ",top_k:40"},
                  {"top_p:0.9", SURPRISE_BEFORE, SURPRISE_BEFORE ",top_p:0.9"},
                  {"mirostat:1", SURPRISE_BEFORE, SURPRISE_BEFORE ",mirostat:1"},
                  {"mirostat_v2:1", SURPRISE_BEFORE, SURPRISE_BEFORE ",mirostat_v2:1"},
                  {"min_p:0.05", SURPRISE_BEFORE, SURPRISE_BEFORE ",min_p:0.05"},
                  {"adaptive_p:0.5", SURPRISE_BEFORE ",min_p:0.05",
                   SURPRISE_BEFORE ",min_p:0.05,adaptive_p:0.5"}};
    Watcher w;
    bool ok = watcher_open(&w, s, job, fault);
    printf("chain,seed,step,seen,left\n");
    for (size_t i = 0; ok && i < sizeof chains / sizeof *chains; i++) {
        w.label = chains[i].label;
        ok = chain_parse(&w.before, chains[i].before, s->model->tokenizer, fault);
        for (w.seed = 1; ok && w.seed <= SURPRISE_TEXTS; w.seed++) {
            w.seen = w.left = 0;
            ok = watch_chain(&w, chains[i].spec, print_surprisal, fault);
        }
        chain_close(&w.before);
    }
    watcher_close(&w);
    return ok;
}
