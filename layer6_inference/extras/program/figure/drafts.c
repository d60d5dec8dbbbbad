/* drafts.c - what each kind of draft gains, over stories. */
#include "figure.h"
#include "layer_skip.h"
#include "speculate.h"

#include <stdio.h>

/* The default's distribution; gumbel makes the draws of similar distributions agree. */
static const char drafts_chain[] = "min_p:0.05,temp:0.8,gumbel";

enum { FIGURE_PAST = 1 << 18, DRAFT_STORIES = 8 };

/* A way of drafting, and the longest draft that is drawn. */
typedef struct Drafter {
    const char *name;
    const DraftKind *kind;
    bool skips; /* the model without its second block drafts, and not the draft model */
    size_t leaves, longest;
} Drafter;

static const Drafter drafters[] = {
    {"draft", &draft_model, false, 0, 16},   {"leaves", &draft_model, true, 3, 4},
    {"skip", &draft_model, true, 0, 16},     {"suffix", &draft_suffix, false, 0, 16},
    {"lookup", &draft_lookup, false, 0, 16}, {"jacobi", &draft_jacobi, false, 0, 16}};

typedef struct DraftTally {
    size_t drafted, accepted, passes, tokens;
    double seconds; /* of the processor: others who use it change nothing */
} DraftTally;

static bool draft_story(LoadedModel *s, const FigureJob *job, Speculation *speculation,
                        uint64_t seed, DraftTally *tally, Fault *fault) {
    Chain chain;
    GenerateResult result;
    TokenList text = {0};
    if (!chain_parse(&chain, drafts_chain, NULL, fault)) return false;
    GenerateOptions options = {
        .chain = &chain, .seed = seed, .limits.max_tokens = (size_t)job->steps};
    if (speculation) with_draft(&options, speculation);
    double start = own_seconds();
    bool ok = loaded_tokenize(s, text_of(job->prompt), false, &text, fault) &&
              generate(&s->session, &text, &options, &result, fault);
    if (ok) tally->tokens += result.tokens, tally->seconds += own_seconds() - start;
    chain_close(&chain), token_list_free(&text);
    return ok;
}

/* Generate stories with drafts like these; NULL: without. */
static bool draft_stories(LoadedModel *s, const FigureJob *job, Speculation *speculation,
                          DraftTally *tally, Fault *fault) {
    *tally = (DraftTally){0};
    for (uint64_t seed = 1; seed <= DRAFT_STORIES; seed++)
        if (!draft_story(s, job, speculation, seed, tally, fault)) return false;
    tally->passes = speculation ? speculation->rounds : tally->tokens;
    if (speculation)
        tally->drafted = speculation->drafted, tally->accepted = speculation->accepted;
    return true;
}

/* One row of the figure. */
static bool draft_row(LoadedModel *s, const FigureJob *job, const Drafter *d, Session *draft,
                      size_t length, double plain, Fault *fault) {
    SuffixStore *past = d->kind == &draft_suffix ? suffix_store_open(FIGURE_PAST) : NULL;
    Speculation speculation = {.kind = d->kind,
                               .draft = d->kind == &draft_model ? draft : NULL,
                               .past = past,
                               .length = length,
                               .leaves = d->leaves};
    DraftTally t;
    bool ok = draft_stories(s, job, &speculation, &t, fault);
    suffix_store_close(past);
    if (ok)
        printf("%zu,%s,%.4f,%.4f,%.4f\n", length, d->name,
               t.drafted ? (double)t.accepted / (double)t.drafted : 0,
               (double)t.tokens / (double)t.passes, (double)t.tokens / t.seconds / plain);
    return ok;
}

static bool draft_rows(LoadedModel *s, const FigureJob *job, Session *draft, Session *skipping,
                       Fault *fault) {
    static const size_t lengths[] = {1, 2, 4, 8, 16};
    DraftTally plain;
    if (!draft_stories(s, job, NULL, &plain, fault) ||
        !draft_stories(s, job, NULL, &plain, fault)) /* the caches are warm now */
        return false;
    printf("length,drafter,acceptance,tokens_per_pass,speed_up\n");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t k = 0; k < sizeof drafters / sizeof *drafters; k++)
            if (lengths[i] <= drafters[k].longest &&
                !draft_row(s, job, &drafters[k], drafters[k].skips ? skipping : draft,
                           lengths[i], (double)plain.tokens / plain.seconds, fault))
                return false;
    return true;
}

/* length,drafter,acceptance,tokens per forward pass of the model,speed-up over plain
 * decoding */
bool figure_drafts(LoadedModel *s, const FigureJob *job, Fault *fault) {
    LoadedModel draft = {0}, skipping = {0};
    if (!job->draft) return fault_set(fault, "figure guess needs a draft model: --draft FILE");
    bool ok = loaded_open(&draft, job->draft, &job->compute, 0, 1, fault) &&
              model_shares_vocabulary(s->model, draft.model, "the draft", fault) &&
              layer_skip_open(&skipping.own, s->model, "1", fault);
    if (ok) skipping.model = &skipping.own;
    ok = ok && loaded_open_session(&skipping, &job->compute, 0, 1, fault) &&
         draft_rows(s, job, &draft.session, &skipping.session, fault);
    if (draft.model) loaded_close(&draft);
    if (skipping.model) session_close(&skipping.session), layer_skip_close(&skipping.own);
    return ok;
}
