/* search.c - see search.h. */
#include "search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void take_tokens(TokenList *to, const int32_t *ids, size_t n) {
    to->count = 0;
    for (size_t i = 0; i < n; i++) token_list_add(to, ids[i]);
}

/* ------------------------------------------------------------------ beams */

bool search_beams(Speaker *speaker, const TokenList *prompt, const BeamOptions *options,
                  FILE *report, Best *best, Fault *fault) {
    BeamText texts[BEAM_MOST];
    size_t count;
    if (!beam_search(&speaker->session, prompt->ids, prompt->count, options, texts, &count,
                     fault))
        return false;
    for (size_t i = 0; report && i < count; i++)
        fprintf(report, "[beam %zu: score %.4f, ln p %.3f, %zu tokens, %s]\n", i + 1,
                texts[i].score, texts[i].log_prob, texts[i].tokens.count,
                stop_reason_name(texts[i].reason));
    best->result = (GenerateResult){.reason = STOP_CALLER, .prompt_tokens = prompt->count};
    if (count) {
        take_tokens(&best->tokens, texts[0].tokens.ids, texts[0].tokens.count);
        best->result.tokens = texts[0].tokens.count;
        best->result.reason = texts[0].reason;
    }
    beam_free(texts, count);
    return true;
}

/* ------------------------------------------------------------------ samples */

/* A token of a sample. */
typedef struct Mark {
    double log_prob;
    size_t begin; /* where its text begins */
} Mark;

typedef struct Sample {
    const GenerateOptions *asked;
    Stream stream;
    Mark *marks; /* (count) owns */
    size_t count, room;
    GenerateResult result;
    bool full; /* no memory for another mark */
} Sample;

static bool add_mark(void *context, const Choice *choice) {
    Sample *s = context;
    if (s->count == s->room) {
        size_t room = 2 * s->room + 256;
        Mark *marks = realloc(s->marks, room * sizeof *marks);
        if (!marks) return s->full = true, false;
        s->marks = marks, s->room = room;
    }
    double log_prob =
        (double)choice->raw[choice->token] - log_sum_exp(choice->raw, choice->after->vocab);
    s->marks[s->count++] = (Mark){log_prob, s->stream.size};
    return !s->asked->on_choice || s->asked->on_choice(s->asked->context, choice);
}

static bool pass_on_read(void *context, size_t read, size_t total) {
    const GenerateOptions *asked = ((Sample *)context)->asked;
    return !asked->on_read || asked->on_read(asked->context, read, total);
}

static void show_nothing(void *context, Text text) { (void)context, (void)text; }

/* The mean over the tokens that are shown, in whole or in part; -infinity when none is. */
static double mean_log_prob(const Sample *s) {
    double sum = 0;
    size_t n = 0;
    bool cut = s->result.reason == STOP_STRING;
    for (size_t i = 0; i < s->count; i++)
        if (!cut || s->marks[i].begin < s->stream.size) sum += s->marks[i].log_prob, n++;
    return n ? sum / (double)n : -INFINITY;
}

static bool draw_sample(Sample *s, Speaker *speaker, TokenList *tokens,
                        const GenerateOptions *options, const Stops *stops, Fault *fault) {
    GenerateOptions o = *options;
    stream_open(&s->stream, stops, show_nothing, NULL);
    o.stream = &s->stream, o.want_raw = true;
    o.on_choice = add_mark, o.context = s;
    s->count = 0;
    bool ok = generate(&speaker->session, &speaker->candidates, tokens, &o, &s->result, fault);
    if (ok && s->full) ok = fault_set(fault, "no memory to compare samples");
    return ok;
}

static void report_sample(FILE *report, size_t i, uint64_t seed, double mean,
                          const GenerateResult *r) {
    fprintf(report, "[sample %zu, seed %" PRIu64 ": ", i, seed);
    if (isfinite(mean))
        fprintf(report, "mean ln p %.4f, ", mean);
    else
        fprintf(report, "nothing to show, ");
    fprintf(report, "%zu tokens, %s]\n", r->tokens, stop_reason_name(r->reason));
}

bool search_best_of(Speaker *speaker, const TokenList *prompt, const GenerateOptions *options,
                    const Stops *stops, size_t n, FILE *report, Best *best, Fault *fault) {
    Sample sample = {.asked = options};
    GenerateOptions o = *options;
    TokenList tokens = {0};
    double best_mean = -INFINITY, end = clock_seconds() + options->limits.most_seconds;
    bool ok = true, more = true;
    o.on_read = pass_on_read;
    for (size_t i = 0; ok && more && i < n; i++) {
        take_tokens(&tokens, prompt->ids, prompt->count);
        ok = draw_sample(&sample, speaker, &tokens, &o, stops, fault);
        double mean = mean_log_prob(&sample);
        stream_close(&sample.stream);
        if (!ok) break;
        if (report) report_sample(report, i + 1, o.seed, mean, &sample.result);
        best->spoken += sample.result.tokens;
        if (i == 0 || mean > best_mean) {
            best_mean = mean, best->result = sample.result, best->seed = o.seed;
            take_tokens(&best->tokens, tokens.ids + prompt->count, sample.result.tokens);
        }
        o.seed++, o.cached = prompt->count, o.on_read = NULL;
        o.limits.most_seconds = end - clock_seconds();
        more = sample.result.reason != STOP_CALLER;
        if (options->limits.most_seconds > 0)
            more = more && o.limits.most_seconds > 0;
        else
            o.limits.most_seconds = 0;
    }
    free(sample.marks);
    token_list_free(&tokens);
    return ok;
}
