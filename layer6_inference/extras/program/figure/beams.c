/* beams.c - the likeliest stories: what beams of each width find, compared with true and
 * sampled stories.
 *
 * Rows  search,stories, then three columns each (mean, low, high: 95%):  nats, -ln p of the
 * story under the model given its opening; valid; distinct_2, of samples of 25 stories;
 * words. */
#include "world_check.h"
#include "compare/estimate.h"
#include "figure.h"
#include "surprisal.h"
#include "beam.h"
#include "diversity.h"

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLE = 25, WORDS_OF_OPENING = 4 };

/* The stories of one search. */
typedef struct Finds {
    size_t n;
    WorldText *texts; /* (n) owned */
    double *nats, *valid;
} Finds;

static bool finds_open(Finds *f, size_t n, Fault *fault) {
    *f = (Finds){.n = n,
                 .texts = calloc(n, sizeof *f->texts),
                 .nats = calloc(n, sizeof *f->nats),
                 .valid = calloc(n, sizeof *f->valid)};
    return (f->texts && f->nats && f->valid) || fault_set(fault, "no memory for stories");
}

static void finds_close(Finds *f) {
    for (size_t i = 0; f->texts && i < f->n; i++) world_text_free(&f->texts[i]);
    free(f->texts), free(f->nats), free(f->valid);
}

static bool print_estimate(const double *x, size_t n, bool share, Fault *fault) {
    Estimate e;
    if (!estimate_open(&e, n)) return fault_set(fault, "no memory for a figure");
    estimate_mean(&e, x);
    Value v = share ? estimate_share(&e) : estimate_value(&e);
    printf(",%.4f,%.4f,%.4f", v.mean, v.has_interval ? v.low : v.mean,
           v.has_interval ? v.high : v.mean);
    estimate_close(&e);
    return true;
}

static bool print_finds(const char *search, const Finds *f, Fault *fault) {
    size_t samples = f->n < SAMPLE ? 1 : f->n / SAMPLE, size = f->n < SAMPLE ? f->n : SAMPLE;
    double *distinct = calloc(2 * samples, sizeof *distinct), *words = distinct + samples;
    Text *texts = calloc(f->n, sizeof *texts);
    bool ok = (distinct && texts) || fault_set(fault, "no memory for a figure");
    for (size_t i = 0; ok && i < f->n; i++)
        texts[i] = (Text){f->texts[i].bytes, f->texts[i].size};
    for (size_t k = 0; ok && k < samples; k++) {
        Diversity d;
        ok = diversity_measure(texts + k * size, size, &d, fault);
        distinct[k] = d.distinct[1], words[k] = d.words;
    }
    if (ok) printf("\"%s\",%zu", search, f->n);
    ok = ok && print_estimate(f->nats, f->n, false, fault) &&
         print_estimate(f->valid, f->n, true, fault) &&
         print_estimate(distinct, samples, false, fault) &&
         print_estimate(words, samples, false, fault);
    if (ok) printf("\n");
    free(distinct), free(texts);
    return ok;
}

/* One story found by beam search, including the opening. */
static bool beams_search(LoadedModel *s, const FigureJob *job, size_t beams,
                         const TokenList *prompt, Text opening, WorldText *text, double *nats,
                         Fault *fault) {
    BeamText found[FIGURE_BEAMS];
    size_t count;
    BeamOptions options = {.beams = beams,
                           .groups = 1,
                           .text.limits.max_tokens = (size_t)job->steps,
                           .text.limits.only_bos_ends = true};
    if (!beam_search(&s->session, prompt->ids, prompt->count, &options, found, &count, fault))
        return false;
    world_text_append(text, opening);
    for (size_t i = 0; count && i < found[0].tokens.count; i++)
        world_text_append(text,
                          tokenizer_piece(s->model->tokenizer, found[0].tokens.ids[i], true));
    *nats = count ? -found[0].log_prob : 0;
    beam_free(found, count);
    return true;
}

/* Score a true story under the model, end token included. */
static bool read_truth(LoadedModel *s, const TokenList *prompt, Text story, double *nats,
                       Fault *fault) {
    TokenList tokens = {0};
    Surprisal sum = {0};
    bool ok = loaded_tokenize(s, story, true, &tokens, fault);
    if (ok) token_list_add(&tokens, tokenizer_bos(s->model->tokenizer));
    ok = ok &&
         surprisal_add(&sum, &s->session, tokens.ids, tokens.count, prompt->count - 1, fault);
    *nats = sum.sum;
    token_list_free(&tokens);
    return ok;
}

/* All stories of a search; beams 0: the true ones. */
static bool find_stories(LoadedModel *s, const FigureJob *job, const World *world, size_t beams,
                         Finds *f, Fault *fault) {
    WorldText true_story = {0};
    TokenList prompt = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < f->n; i++) {
        Text opening = world_opening(world, "story", 2, i, WORDS_OF_OPENING, &true_story);
        Text whole = {true_story.bytes, true_story.size};
        prompt.count = 0;
        ok = loaded_tokenize(s, opening, true, &prompt, fault);
        if (ok && beams)
            ok =
                beams_search(s, job, beams, &prompt, opening, &f->texts[i], &f->nats[i], fault);
        if (ok && !beams) {
            world_text_append(&f->texts[i], whole);
            ok = read_truth(s, &prompt, whole, &f->nats[i], fault);
        }
        f->valid[i] =
            ok &&
            world_check(world, "document", f->texts[i].bytes, f->texts[i].size, false).valid;
    }
    world_text_free(&true_story);
    token_list_free(&prompt);
    return ok;
}

bool figure_beams(LoadedModel *s, const FigureJob *job, Fault *fault) {
    static const size_t widths[] = {0, 1, 2, 4, 8, FIGURE_BEAMS};
    World *world = world_open(fault);
    bool ok = world != NULL;
    printf("search,stories,nats,nats_low,nats_high,valid,valid_low,valid_high,distinct_2,"
           "distinct_2_low,distinct_2_high,words,words_low,words_high\n");
    for (size_t i = 0; ok && i < sizeof widths / sizeof *widths; i++) {
        Finds f;
        char name[32];
        const char *form = widths[i] > 1 ? "%zu beams" : widths[i] ? "greedy" : "true stories";
        snprintf(name, sizeof name, form, widths[i]);
        ok = finds_open(&f, (size_t)job->documents, fault) &&
             find_stories(s, job, world, widths[i], &f, fault) && print_finds(name, &f, fault);
        finds_close(&f);
    }
    world_close(world);
    return ok;
}
