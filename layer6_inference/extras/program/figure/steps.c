/* steps.c - samplers step by step, along generated texts. */
#include "figure.h"
#include "look_ahead.h"
#include "speculate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Watcher {
    const char *label;
    Candidates candidates; /* separate from the model's, which are in use */
    Arena arena;
    float *row;
    const Tokenizer *tokenizer;
    Chain before;
    uint64_t seed;
    double seen, left; /* bits since the last row */
} Watcher;

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
    Step step = {.tokenizer = w->tokenizer};
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

static bool run_chain(LoadedModel *s, const FigureJob *job, const char *spec, uint64_t seed,
                      OnChoice *on_choice, void *context, TokenList *tokens, size_t *prompt,
                      Fault *fault) {
    Chain chain;
    GenerateResult result;
    if (!chain_parse(&chain, spec, s->model->tokenizer, fault)) return false;
    GenerateOptions options = {.chain = &chain,
                               .seed = seed,
                               .limits.max_tokens = (size_t)job->steps,
                               .limits.only_bos_ends = false,
                               .on_choice = on_choice,
                               .want_raw = true,
                               .context = context};
    with_look_ahead(&options);
    tokens->count = 0;
    bool ok = loaded_tokenize(s, text_of(job->prompt), false, tokens, fault);
    *prompt = tokens->count;
    ok = ok && generate(&s->session, tokens, &options, &result, fault);
    chain_close(&chain);
    return ok;
}

bool figure_kept(LoadedModel *s, const FigureJob *job, Fault *fault) {
    Watcher w = {.row = malloc(s->model->sizes.vocab * sizeof(float))};
    TokenList tokens = {0};
    size_t prompt;
    bool ok = w.row && candidates_open(&w.candidates, s->model->sizes.vocab, &w.arena, fault);
    printf("step,entropy");
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) printf(",%s", cuts[i]);
    putchar('\n');
    for (uint64_t seed = 1; ok && seed <= 5; seed++)
        ok = run_chain(s, job, "temp:1", seed, print_kept, &w, &tokens, &prompt, fault);
    token_list_free(&tokens);
    if (w.row) arena_free(&w.arena);
    free(w.row);
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
    TokenList tokens = {0};
    Watcher w = {.tokenizer = s->model->tokenizer,
                 .row = malloc(s->model->sizes.vocab * sizeof(float))};
    size_t prompt;
    bool ok = w.row && candidates_open(&w.candidates, s->model->sizes.vocab, &w.arena, fault);
    printf("chain,seed,step,seen,left\n");
    for (size_t i = 0; ok && i < sizeof chains / sizeof *chains; i++) {
        w.label = chains[i].label;
        ok = chain_parse(&w.before, chains[i].before, w.tokenizer, fault);
        for (w.seed = 1; ok && w.seed <= SURPRISE_TEXTS; w.seed++) {
            w.seen = w.left = 0;
            ok = run_chain(s, job, chains[i].spec, w.seed, print_surprisal, &w, &tokens,
                           &prompt, fault);
        }
        chain_close(&w.before);
    }
    token_list_free(&tokens);
    if (w.row) arena_free(&w.arena);
    free(w.row);
    return ok;
}

typedef struct DraftTally {
    size_t drafted, accepted, passes, tokens;
    double seconds;
} DraftTally;

/* Generate stories with drafts of this length (0: plain decoding). */
static bool draft_stories(LoadedModel *s, const FigureJob *job, Session *draft, size_t length,
                          DraftTally *tally, Fault *fault) {
    TokenList text = {0};
    bool ok = true;
    *tally = (DraftTally){0};
    for (uint64_t seed = 1; ok && seed <= 8; seed++) {
        Chain chain;
        GenerateResult result;
        Speculation speculation = {.draft = draft, .length = length};
        if (!chain_parse(&chain, chain_default, NULL, fault)) return false;
        GenerateOptions options = {
            .chain = &chain, .seed = seed, .limits.max_tokens = (size_t)job->steps};
        if (length) with_draft(&options, &speculation);
        text.count = 0;
        ok = loaded_tokenize(s, text_of(job->prompt), false, &text, fault) &&
             generate(&s->session, &text, &options, &result, fault);
        tally->drafted += speculation.drafted, tally->accepted += speculation.accepted;
        tally->passes += length ? speculation.rounds : result.tokens;
        tally->tokens += result.tokens, tally->seconds += result.decode_seconds;
        chain_close(&chain);
    }
    token_list_free(&text);
    return ok;
}

/* length,drafter,acceptance,tokens per forward pass of the model,speed-up over plain
 * decoding */
bool figure_drafts(LoadedModel *s, const FigureJob *job, Fault *fault) {
    static const size_t lengths[] = {1, 2, 3, 4, 6, 8, 12, 16};
    LoadedModel draft = {0};
    DraftTally plain, t;
    if (!job->draft) return fault_set(fault, "figure guess needs a draft model: --draft FILE");
    bool ok = loaded_open(&draft, job->draft, &job->compute, 0, 1, fault) &&
              model_shares_vocabulary(s->model, draft.model, "the draft", fault) &&
              draft_stories(s, job, NULL, 0, &plain, fault) &&
              draft_stories(s, job, NULL, 0, &plain, fault);
    if (ok) printf("length,drafter,acceptance,tokens_per_pass,speed_up\n");
    for (size_t i = 0; ok && i < 2 * sizeof lengths / sizeof *lengths; i++) {
        bool by_draft = i % 2 == 0;
        size_t length = lengths[i / 2];
        ok = draft_stories(s, job, by_draft ? &draft.session : NULL, length, &t, fault);
        if (ok)
            printf("%zu,%s,%.4f,%.4f,%.4f\n", length, by_draft ? "draft" : "lookup",
                   t.drafted ? (double)t.accepted / (double)t.drafted : 0,
                   (double)t.tokens / (double)t.passes,
                   (double)t.tokens / t.seconds / ((double)plain.tokens / plain.seconds));
    }
    if (draft.model) loaded_close(&draft);
    return ok;
}
