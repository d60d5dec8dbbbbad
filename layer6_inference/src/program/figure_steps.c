/* figure_steps.c - what samplers do step by step, along texts that a model writes. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Watcher {
    const char *label;
    Candidates candidates; /* of its own: the model's are at work */
    Arena arena;
    float *row;
    double sum, count;
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

static bool run_chain(Speaker *s, const FigureJob *job, const char *spec, uint64_t seed,
                      OnChoice *on_choice, void *context, TokenList *tokens, size_t *prompt,
                      Fault *fault) {
    Chain chain;
    GenerateResult result;
    if (!chain_parse(&chain, spec, s->model->tokenizer, fault)) return false;
    GenerateOptions options = {.chain = &chain,
                               .seed = seed,
                               .limits.most_tokens = (size_t)job->steps,
                               .limits.only_bos_ends = false,
                               .on_choice = on_choice,
                               .want_raw = true,
                               .context = context};
    tokens->count = 0;
    bool ok = speaker_read(s, text_of(job->prompt), false, tokens, fault);
    *prompt = tokens->count;
    ok = ok && generate(&s->session, &s->candidates, tokens, &options, &result, fault);
    chain_close(&chain);
    return ok;
}

bool figure_kept(Speaker *s, const FigureJob *job, Fault *fault) {
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

/* The end of a text is banned, so that all chains go on for as long. */
bool figure_surprise(Speaker *s, const FigureJob *job, Fault *fault) {
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

bool figure_repetition(Speaker *s, const FigureJob *job, Fault *fault) {
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
static bool guess_stories(Speaker *s, const FigureJob *job, Session *draft, size_t length,
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
                                   .limits.most_tokens = (size_t)job->steps,
                                   .speculation = length ? &speculation : NULL};
        text.count = 0;
        ok = speaker_read(s, text_of(job->prompt), false, &text, fault) &&
             generate(&s->session, &s->candidates, &text, &options, &result, fault);
        tally->guessed += speculation.guessed, tally->accepted += speculation.accepted;
        tally->readings += length ? speculation.rounds : result.tokens;
        tally->tokens += result.tokens, tally->seconds += result.decode_seconds;
        chain_close(&chain);
    }
    token_list_free(&text);
    return ok;
}

/* length,guesser,acceptance,tokens for each reading of the model,speed-up over plain decoding */
bool figure_guess(Speaker *s, const FigureJob *job, Fault *fault) {
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
