/* search.c - see search.h. */
#include "search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void search_take_tokens(TokenList *to, const int32_t *ids, size_t n) {
    to->count = 0;
    for (size_t i = 0; i < n; i++) token_list_add(to, ids[i]);
}

/* ------------------------------------------------------------------ beams */

bool search_beams(LoadedModel *loaded, const TokenList *prompt, const BeamOptions *options,
                  FILE *report, Best *best, Fault *fault) {
    BeamText texts[BEAM_MAX];
    size_t count;
    if (!beam_search(&loaded->session, prompt->ids, prompt->count, options, texts, &count,
                     fault))
        return false;
    for (size_t i = 0; report && i < count; i++)
        fprintf(report, "[beam %zu: score %.4f, ln p %.3f, %zu tokens, %s]\n", i + 1,
                texts[i].score, texts[i].log_prob, texts[i].tokens.count,
                stop_reason_name(texts[i].reason));
    best->result = (GenerateResult){.reason = STOP_CALLER, .prompt_tokens = prompt->count};
    if (count) {
        search_take_tokens(&best->tokens, texts[0].tokens.ids, texts[0].tokens.count);
        best->result.tokens = texts[0].tokens.count;
        best->result.reason = texts[0].reason;
    }
    beam_free(texts, count);
    return true;
}

/* ------------------------------------------------------------------ particles */

static void report_particles(FILE *report, const Particle *all, size_t count,
                             const ParticleResult *r) {
    for (size_t i = 0; i < count; i++)
        fprintf(report, "[particle %zu: weight %.4f, ln p %.3f, %zu tokens, %s%s]\n", i + 1,
                all[i].weight, all[i].log_prob, all[i].tokens.count,
                stop_reason_name(all[i].reason), i == r->chosen ? ", drawn" : "");
    fprintf(report,
            "[the constraint holds by itself with ln P %.3f; effective number %.1f; "
            "resampled %zu time%s]\n",
            r->log_share, r->effective, r->resampled, r->resampled == 1 ? "" : "s");
}

bool search_particles(LoadedModel *loaded, const TokenList *prompt,
                      const ParticleOptions *options, FILE *report, Best *best, Fault *fault) {
    Particle all[PARTICLES_MAX];
    ParticleResult r;
    if (!particles_draw(&loaded->session, prompt->ids, prompt->count, options, all, &r, fault))
        return false;
    const Particle *drawn = &all[r.chosen];
    if (report) report_particles(report, all, options->particles, &r);
    best->result = (GenerateResult){
        .reason = drawn->reason, .prompt_tokens = prompt->count, .tokens = drawn->tokens.count};
    best->seed = options->seed, best->generated = r.tokens;
    search_take_tokens(&best->tokens, drawn->tokens.ids, drawn->tokens.count);
    particles_free(all, options->particles);
    return true;
}

/* ------------------------------------------------------------------ samples */

/* A token of a sample. */
typedef struct Mark {
    double log_prob;
    size_t begin; /* offset of its text */
} Mark;

/* A running sample; when it is over, another takes its slot. */
typedef struct Sample {
    const GenerateOptions *asked;
    size_t number;
    uint64_t seed;
    Sequence *sequence; /* NULL: the slot is free */
    TokenList tokens;
    Chain chain;
    Stream stream;
    Mark *marks; /* (count) owns */
    size_t count, room;
    bool full; /* no memory for another mark */
} Sample;

/* The result of a sample. */
typedef struct Verdict {
    double mean;
    GenerateResult result;
} Verdict;

typedef struct Contest {
    Engine engine;
    const TokenList *prompt;
    const GenerateOptions *asked;
    const Stops *stops;
    size_t n, begun, ended, winner;
    Sample *samples; /* (at_once) */
    size_t at_once;
    Verdict *verdicts; /* (n) */
    bool stopped;      /* by the caller or the time limit */
    double end;
    Best *best;
} Contest;

static bool add_mark(void *context, const Choice *choice) {
    Sample *s = context;
    if (!GROW(s->marks, s->room, s->count + 1)) return s->full = true, false;
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

/* The mean over the printed tokens, partly printed ones included; -infinity for none. */
static double mean_log_prob(const Sample *s) {
    double sum = 0;
    size_t n = 0;
    bool cut = s->sequence->result.reason == STOP_STRING;
    for (size_t i = 0; i < s->count; i++)
        if (!cut || s->marks[i].begin < s->stream.size) sum += s->marks[i].log_prob, n++;
    return n ? sum / (double)n : -INFINITY;
}

static bool begin_sample(Contest *c, Sample *s, Fault *fault) {
    GenerateOptions o = *c->asked;
    s->asked = c->asked, s->number = c->begun++, s->count = 0;
    s->seed = o.seed += s->number;
    search_take_tokens(&s->tokens, c->prompt->ids, c->prompt->count);
    if (c->at_once > 1) chain_copy(&s->chain, c->asked->chain);
    stream_open(&s->stream, c->stops, show_nothing, NULL);
    if (c->at_once > 1) o.chain = &s->chain;
    o.stream = &s->stream, o.want_raw = true;
    o.on_choice = add_mark, o.context = s;
    o.on_read = s->number ? NULL : pass_on_read;
    if (o.limits.max_seconds > 0) o.limits.max_seconds = c->end - clock_seconds();
    return (s->sequence = engine_add(&c->engine, &s->tokens, &o, fault)) != NULL;
}

static void close_sample(Contest *c, Sample *s) {
    if (s->sequence) engine_remove(&c->engine, s->sequence);
    s->sequence = NULL;
    stream_close(&s->stream), chain_close(&s->chain);
}

/* A sample is over: is it the best so far?  Ties go to the first. */
static bool end_sample(Contest *c, Sample *s, Fault *fault) {
    const GenerateResult *r = &s->sequence->result;
    Best *best = c->best;
    double mean = mean_log_prob(s);
    if (s->sequence->failed) return *fault = s->sequence->fault, false;
    if (s->full) return fault_set(fault, "no memory to compare samples");
    c->verdicts[s->number] = (Verdict){mean, *r};
    c->stopped |= r->reason == STOP_CALLER;
    best->generated += r->tokens;
    double best_mean = c->verdicts[c->winner].mean;
    if (c->ended++ == 0 || mean > best_mean || (!(mean < best_mean) && s->number < c->winner)) {
        c->winner = s->number, best->result = *r, best->seed = s->seed;
        search_take_tokens(&best->tokens, s->tokens.ids + c->prompt->count, r->tokens);
    }
    close_sample(c, s);
    return true;
}

/* May another sample start?  The first one evaluates the prompt for all. */
static bool may_begin(Contest *c) {
    if (c->asked->limits.max_seconds > 0 && clock_seconds() >= c->end && c->begun)
        c->stopped = true;
    const Sequence *first = c->samples[0].sequence;
    bool reads = c->begun && c->ended == 0 && first && first->result.tokens == 0;
    return c->begun < c->n && !c->stopped && !reads;
}

static bool run_contest(Contest *c, Fault *fault) {
    bool ok = true;
    while (ok && (c->engine.live || may_begin(c))) {
        for (Sample *s = c->samples; ok && s < c->samples + c->at_once; s++)
            if (!s->sequence && may_begin(c)) ok = begin_sample(c, s, fault);
        ok = ok && engine_step(&c->engine, fault);
        for (Sample *s = c->samples; ok && s < c->samples + c->at_once; s++)
            if (s->sequence && !s->sequence->live) ok = end_sample(c, s, fault);
    }
    return ok;
}

static void report_samples(FILE *report, const Contest *c) {
    for (size_t i = 0; i < c->begun; i++) {
        const Verdict *v = &c->verdicts[i];
        fprintf(report, "[sample %zu, seed %" PRIu64 ": ", i + 1, c->asked->seed + i);
        if (isfinite(v->mean))
            fprintf(report, "mean ln p %.4f, ", v->mean);
        else
            fprintf(report, "nothing to show, ");
        fprintf(report, "%zu tokens, %s]\n", v->result.tokens,
                stop_reason_name(v->result.reason));
    }
}

static void close_contest(Contest *c) {
    for (Sample *s = c->samples; c->samples && s < c->samples + c->at_once; s++) {
        close_sample(c, s);
        free(s->marks), token_list_free(&s->tokens);
    }
    engine_close(&c->engine);
    free(c->samples), free(c->verdicts);
}

bool search_best_of(LoadedModel *loaded, const TokenList *prompt,
                    const GenerateOptions *options, const Stops *stops, size_t n,
                    size_t at_once, FILE *report, Best *best, Fault *fault) {
    Contest c = {.prompt = prompt,
                 .asked = options,
                 .stops = stops,
                 .n = n,
                 .samples = calloc(at_once, sizeof *c.samples),
                 .at_once = at_once,
                 .verdicts = calloc(n, sizeof *c.verdicts),
                 .end = clock_seconds() + options->limits.max_seconds,
                 .best = best};
    bool ok = (c.samples && c.verdicts) || fault_set(fault, "no memory for %zu samples", n);
    ok = ok && engine_open(&c.engine, &loaded->session, fault) && run_contest(&c, fault);
    if (ok && report) report_samples(report, &c);
    close_contest(&c);
    return ok;
}
