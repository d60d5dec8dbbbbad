/* best_of.c - see best_of.h. */
#include "best_of.h"
#include "choose.h"
#include "more_stages.h"
#include "nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool choose_by_read(const char *name, ChooseBy *by, Fault *fault) {
    static const char *const names[] = {"likelihood", "vote", "mbr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return *by = (ChooseBy)i, true;
    char hint[32];
    nearest_hint(hint, sizeof hint, text_of(name), "likelihood, vote, mbr");
    return fault_set(fault, "'%.40s': wanted likelihood, vote or mbr%s", name, hint);
}

/* A token of a sample. */
typedef struct Mark {
    double log_prob;
    size_t begin; /* offset of its text */
} Mark;

/* A running sample; when it is over, another takes its slot. */
typedef struct Sample {
    const GenerateOptions *asked;
    size_t number;
    Sequence *sequence; /* NULL: the slot is free */
    TokenList tokens;
    Chain chain;
    Stream stream;
    char *text; /* printed; owns, until its result does */
    size_t size, text_room;
    Mark *marks; /* (count) owns */
    size_t count, room;
    bool full; /* no memory for another mark, or for text */
} Sample;

typedef struct Contest {
    Engine engine;
    const TokenList *prompt;
    const BestOfOptions *o;
    size_t begun, ended;
    Sample *samples; /* (at_once) */
    BestOfResult *result;
    bool *done;   /* (n) */
    Text *answer; /* (n) of a vote */
    size_t *votes;
    bool stopped;      /* by the caller, the time limit or the vote */
    double end, shift; /* shift: of all codes */
} Contest;

/* ------------------------------------------------------------------ a sample */

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

static void keep_text(void *context, Text text) {
    Sample *s = context;
    if (!GROW(s->text, s->text_room, s->size + text.size)) {
        s->full = true;
        return;
    }
    memcpy(s->text + s->size, text.data, text.size);
    s->size += text.size;
}

/* The mean over the printed tokens, partly printed ones included; -infinity for none. */
static double mean_log_prob(const Sample *s) {
    double sum = 0;
    size_t n = 0;
    bool cut = s->sequence->result.reason == STOP_STRING;
    for (size_t i = 0; i < s->count; i++)
        if (!cut || s->marks[i].begin < s->stream.size) sum += s->marks[i].log_prob, n++;
    return n ? sum / (double)n : -INFINITY;
}

/* The code that the chain names, or else a random one. */
static double common_shift(const GenerateOptions *each) {
    double code = each->chain->stages[each->chain->count - 1].value[0];
    return code >= 0 ? code : rng_unit(each->seed, UINT64_MAX, 0);
}

/* Sample i of n draws with code i / n + the shift, which is common to all. */
static void give_code(const Contest *c, Chain *chain, size_t number) {
    Stage *last = &chain->stages[chain->count - 1];
    if (last->kind != &stage_arithmetic) return;
    last->value[0] = fmod(c->shift + (double)number / (double)c->o->n, 1);
}

static bool begin_sample(Contest *c, Sample *s, Fault *fault) {
    GenerateOptions o = *c->o->each;
    s->asked = c->o->each, s->number = c->begun++, s->count = 0, s->size = 0;
    o.seed += s->number;
    s->tokens.count = 0;
    for (size_t i = 0; i < c->prompt->count; i++) token_list_add(&s->tokens, c->prompt->ids[i]);
    if (c->o->at_once > 1) {
        chain_copy(&s->chain, o.chain);
        o.chain = &s->chain;
    }
    give_code(c, o.chain, s->number);
    stream_open(&s->stream, c->o->stops, keep_text, s);
    o.stream = &s->stream, o.want_raw = true;
    o.on_choice = add_mark, o.context = s;
    o.on_read = s->number ? NULL : pass_on_read;
    if (o.limits.max_seconds > 0) /* 0 would be no limit */
        o.limits.max_seconds = fmax(c->end - clock_seconds(), 1e-9);
    return (s->sequence = engine_add(&c->engine, &s->tokens, &o, fault)) != NULL;
}

static void close_sample(Contest *c, Sample *s) {
    if (s->sequence) {
        c->result->tokens += s->sequence->result.tokens;
        engine_remove(&c->engine, s->sequence);
    }
    s->sequence = NULL;
    stream_close(&s->stream), chain_close(&s->chain);
}

/* ------------------------------------------------------------------ the choice */

/* Release what a sample wrote. */
static void drop_sample(BestOfSample *x) {
    token_list_free(&x->tokens), free(x->text);
    x->tokens = (TokenList){0}, x->text = NULL, x->size = 0;
}

/* The likeliest so far; ties go to the first. */
static void compare_likelihood(Contest *c, size_t number) {
    BestOfResult *r = c->result;
    BestOfSample *x = &r->samples[number], *best = &r->samples[r->chosen];
    bool better = c->ended == 1 || x->mean > best->mean ||
                  (!(x->mean < best->mean) && number < r->chosen);
    if (!c->o->keep_all && c->ended > 1) drop_sample(better ? best : x);
    if (better) r->chosen = number;
}

/* Where an answer ends with the text, a text that was cut by time or the caller has none. */
static Text answer_of(const Contest *c, const BestOfSample *x) {
    const char *pattern = c->o->answer;
    StopReason reason = x->result.reason;
    bool cut = c->o->by == BY_VOTE && (reason == STOP_TIME || reason == STOP_CALLER);
    if (cut && (!pattern || pattern[strlen(pattern) - 1] == '*')) return (Text){0};
    return choose_answer((Text){x->text, x->size}, pattern);
}

/* The votes of the first `count` samples; how sure is the winner? */
static void count_votes(Contest *c) {
    BestOfResult *r = c->result;
    size_t second = 0;
    r->chosen = choose_vote(c->votes, r->count);
    for (size_t i = 0; i < r->count; i++) {
        bool other = !c->answer[i].data || !text_equal(c->answer[i], c->answer[r->chosen]);
        if (other && c->votes[i] > second) second = c->votes[i];
        r->samples[i].utility = (double)c->votes[i];
    }
    r->confidence = choose_confidence(c->votes[r->chosen], second);
}

/* Samples come to their end in any order; they are counted in the order of their seeds, so that
 * the result is that of drawing one by one. */
static void count_ended(Contest *c) {
    BestOfResult *r = c->result;
    while (!c->stopped && r->count < c->o->n && c->done[r->count]) {
        const BestOfSample *x = &r->samples[r->count];
        c->answer[r->count] = answer_of(c, x);
        choose_add_vote(c->answer, r->count++, c->votes);
        if (c->o->confidence <= 0) continue;
        count_votes(c);
        c->stopped = c->votes[r->chosen] > 0 && r->confidence >= c->o->confidence;
    }
}

static bool end_sample(Contest *c, Sample *s, Fault *fault) {
    BestOfSample *x = &c->result->samples[s->number];
    if (s->sequence->failed) return *fault = s->sequence->fault, false;
    if (s->full || !GROW(s->text, s->text_room, 1))
        return fault_set(fault, "no memory to compare samples");
    *x = (BestOfSample){.text = s->text,
                        .size = s->size,
                        .seed = c->o->each->seed + s->number,
                        .mean = mean_log_prob(s),
                        .result = s->sequence->result};
    s->text = NULL, s->text_room = 0;
    for (size_t i = 0; i < x->result.tokens; i++)
        token_list_add(&x->tokens, s->tokens.ids[c->prompt->count + i]);
    c->done[s->number] = true, c->ended++;
    close_sample(c, s);
    if (c->o->by == BY_LIKELIHOOD) compare_likelihood(c, s->number);
    if (c->o->by == BY_VOTE) count_ended(c);
    c->stopped |= x->result.reason == STOP_CALLER;
    if (c->o->on_end) c->o->on_end(c->o->context, c->ended);
    return true;
}

/* Has the vote ended before all samples did?  Then those that still run do not matter. */
static bool is_decided(const Contest *c) {
    return c->o->confidence > 0 && c->result->confidence >= c->o->confidence;
}

/* Samples behind the end of a vote do not count. */
static void drop_late(Contest *c) {
    BestOfResult *r = c->result;
    for (size_t i = r->count; i < c->begun; i++) drop_sample(&r->samples[i]);
}

static bool choose_sample(Contest *c, Fault *fault) {
    BestOfResult *r = c->result;
    if (!is_decided(c)) r->count = c->begun;
    drop_late(c);
    if (c->o->by == BY_LIKELIHOOD || r->count == 0) return true;
    Text *of = c->answer;
    for (size_t i = 0; i < r->count; i++) {
        const BestOfSample *x = &r->samples[i];
        of[i] = answer_of(c, x);
    }
    if (c->o->by == BY_VOTE) {
        count_votes(c);
        return c->votes[r->chosen] > 0 || !c->o->answer ||
               fault_set(fault,
                         "no sample of %zu has an answer where '%s' has its *; the first "
                         "sample: %.*s",
                         r->count, c->o->answer, (int)fmin((double)r->samples[0].size, 160),
                         r->samples[0].text);
    }
    double *utility = malloc(r->count * sizeof *utility);
    bool ok = utility && choose_agreement(of, r->count, utility, &r->chosen);
    for (size_t i = 0; ok && i < r->count; i++) r->samples[i].utility = utility[i];
    free(utility);
    return ok || fault_set(fault, "no memory to compare samples");
}

/* ------------------------------------------------------------------ the run */

/* May another sample start?  The first one evaluates the prompt for all. */
static bool may_begin(Contest *c) {
    if (c->o->each->limits.max_seconds > 0 && clock_seconds() >= c->end && c->begun)
        c->stopped = true;
    const Sequence *first = c->samples[0].sequence;
    bool reads = c->begun && c->ended == 0 && first && first->result.tokens == 0;
    return c->begun < c->o->n && !c->stopped && !reads;
}

static bool run_contest(Contest *c, Fault *fault) {
    bool ok = true;
    Sample *last = c->samples + c->o->at_once;
    while (ok && !is_decided(c) && (c->engine.live || may_begin(c))) {
        for (Sample *s = c->samples; ok && s < last; s++)
            if (!s->sequence && may_begin(c)) ok = begin_sample(c, s, fault);
        ok = ok && engine_step(&c->engine, fault);
        for (Sample *s = c->samples; ok && s < last; s++)
            if (s->sequence && !s->sequence->live) ok = end_sample(c, s, fault);
    }
    return ok;
}

static void close_contest(Contest *c) {
    for (Sample *s = c->samples; s && s < c->samples + c->o->at_once; s++) {
        close_sample(c, s);
        free(s->marks), free(s->text), token_list_free(&s->tokens);
    }
    engine_close(&c->engine);
    free(c->samples), free(c->done), free(c->answer), free(c->votes);
}

bool best_of(Session *session, const TokenList *prompt, const BestOfOptions *o,
             BestOfResult *result, Fault *fault) {
    Contest c = {.prompt = prompt,
                 .o = o,
                 .samples = calloc(o->at_once, sizeof *c.samples),
                 .result = result,
                 .done = calloc(o->n, sizeof *c.done),
                 .answer = calloc(o->n, sizeof *c.answer),
                 .votes = calloc(o->n, sizeof *c.votes),
                 .end = clock_seconds() + o->each->limits.max_seconds,
                 .shift = common_shift(o->each)};
    *result = (BestOfResult){.samples = calloc(o->n, sizeof *result->samples)};
    bool ok = (c.samples && c.done && c.answer && c.votes && result->samples) ||
              fault_set(fault, "no memory for %zu samples", o->n);
    ok = ok && engine_open(&c.engine, session, fault) && run_contest(&c, fault) &&
         choose_sample(&c, fault);
    if (!ok && result->samples) drop_late(&c);
    close_contest(&c);
    return ok;
}

void best_of_free(BestOfResult *r) {
    for (size_t i = 0; r->samples && i < r->count; i++) drop_sample(&r->samples[i]);
    free(r->samples);
}
