/* write.c - the texts of a study.  See study.h. */
#include "world_check.h"
#include "study.h"
#include "diversity.h"
#include "guidance.h"
#include "look_ahead.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64, FORKS = 3 }; /* FORKS: for chains with lookahead */

/* A slot: when its text ends, the next one takes it. */
typedef struct Place {
    Sample *sample;
    Sequence *sequence; /* NULL: free */
    TokenList tokens;
    size_t begun; /* tokens of the opening */
    Chain chain;
    Stream stream;
} Place;

struct Writer {
    const Study *study;
    Session session, amateur;
    TokenList guide; /* negative prompt of cfg */
    SteeringOptions steering;
    Engine engine;
    Place places[AT_ONCE];
    size_t begun, over, end; /* texts; over: from the first one on */
    size_t first;
};

static bool write_watch(void *context, const Choice *choice) {
    Sample *s = context;
    size_t vocab = choice->after->vocab;
    float max = vector_max(choice->raw, vocab);
    ExpSums sums = scan_exp(choice->raw, vocab, max);
    s->surprisal -= (double)(choice->raw[choice->token] - max) - log(sums.sum);
    s->entropy += log(sums.sum) - sums.weighted / sums.sum;
    return true;
}

/* The probability of the chain's choice, including the end token. */
static void watch_chain(void *context, const Stage *stage, Candidates *after) {
    Place *p = context;
    if (stage && stage == &p->chain.stages[p->chain.count - 1] && after->chosen >= 0)
        p->sample->nats -= chain_ln_p(&p->chain, after, after->chosen);
}

static void write_append(void *context, Text piece) { world_text_append(context, piece); }

/* Start a text with its opening. */
static void take_opening(const Opening *o, Place *p) {
    p->tokens.count = 0, p->begun = o->tokens.count;
    for (size_t i = 0; i < o->tokens.count; i++) token_list_add(&p->tokens, o->tokens.ids[i]);
    world_text_append(&p->sample->text, (Text){o->text.bytes, o->end});
}

static bool write_begin_text(Writer *w, Place *p, size_t index, Fault *fault) {
    const Study *study = w->study;
    const CompareJob *job = study->job;
    size_t text = index % study->texts;
    p->sample = &study->samples[index];
    if (!chain_parse(&p->chain, job->chains[index / study->texts], study->model.tokenizer,
                     fault))
        return false;
    take_opening(&study->openings[text / (size_t)job->seeds], p);
    p->chain.observer = watch_chain, p->chain.observer_context = p;
    stream_open(&p->stream, NULL, write_append, &p->sample->text);
    GenerateOptions options = {.chain = &p->chain,
                               .seed = rng_hash(job->seed, 77, text),
                               .limits.max_tokens = (size_t)job->max_tokens,
                               .limits.only_bos_ends = study->world != NULL,
                               .stream = &p->stream,
                               .on_choice = write_watch,
                               .want_raw = true,
                               .context = p->sample};
    if (chain_needs(&p->chain, NEEDS_GUIDE)) with_negative(&options, &w->guide);
    if (job->amateur) with_amateur(&options, &w->amateur);
    with_look_ahead(&options);
    return (p->sequence = engine_add(&w->engine, &p->tokens, &options, fault)) != NULL;
}

static void write_leave(Writer *w, Place *p) {
    if (p->sequence) engine_remove(&w->engine, p->sequence);
    p->sequence = NULL;
    stream_close(&p->stream), chain_close(&p->chain);
}

/* Valid: the world could have generated it, to the end. */
static void judge(const World *world, Sample *s, bool ended) {
    if (!world) return;
    s->verdict = world_check(world, "document", s->text.bytes, s->text.size, false);
    s->right = s->verdict.valid && ended;
    if (!ended && world_check(world, "document", s->text.bytes, s->text.size, true).valid)
        snprintf(s->verdict.reason, sizeof s->verdict.reason, "cut");
}

static bool end_text(Writer *w, Place *p, Fault *fault) {
    Sample *s = p->sample;
    if (p->sequence->failed) return *fault = p->sequence->fault, false;
    s->tokens = p->sequence->result.tokens, s->begun = p->begun;
    s->ids = malloc(p->tokens.count * sizeof *s->ids);
    if (!s->ids) return fault_set(fault, "no memory for a text");
    memcpy(s->ids, p->tokens.ids, p->tokens.count * sizeof *s->ids);
    judge(w->study->world, s, p->sequence->result.reason == STOP_END);
    Diversity alone;
    Text text = {s->text.bytes, s->text.size};
    if (!diversity_measure(&text, 1, &alone, fault)) return false;
    s->repetition = alone.repetition;
    write_leave(w, p);
    w->over++;
    return true;
}

/* One step of all texts; its time is shared equally among them. */
static bool write_step(Writer *w, Fault *fault) {
    double start = clock_seconds(), live = (double)w->engine.live;
    if (!engine_step(&w->engine, fault)) return false;
    double share = (clock_seconds() - start) / live;
    for (Place *p = w->places; p < w->places + AT_ONCE; p++)
        if (p->sequence) p->sample->seconds += share;
    return true;
}

/* Start new texts in free slots. */
static bool fill_places(Writer *w, Fault *fault) {
    for (Place *p = w->places; p < w->places + AT_ONCE && w->begun < w->end; p++)
        if (!p->sequence && !write_begin_text(w, p, w->begun++, fault)) return false;
    return true;
}

bool writer_step(Writer *w, Fault *fault) {
    bool ok = fill_places(w, fault) && write_step(w, fault);
    for (Place *p = w->places; ok && p < w->places + AT_ONCE; p++)
        if (p->sequence && !p->sequence->live) ok = end_text(w, p, fault);
    return ok;
}

size_t writer_left(const Writer *w) { return w->end - w->first - w->over; }

/* The model and the amateur read the same texts: use the smaller context, and no more of it
 * than the longest text may need. */
static size_t common_ctx(const Study *study) {
    size_t ctx = study->model.sizes.ctx < MAX_CTX ? study->model.sizes.ctx : MAX_CTX, need = 0;
    for (const Opening *o = study->openings; o < study->openings + study->n_openings; o++)
        if (o->tokens.count > need) need = o->tokens.count;
    need += (size_t)study->job->max_tokens + 1;
    if (ctx > need) ctx = need;
    if (!study->job->amateur || study->amateur.sizes.ctx >= ctx) return ctx;
    return study->amateur.sizes.ctx;
}

bool study_session(Session *session, const Study *study, const Model *model, size_t sequences,
                   size_t max_logits, Fault *fault) {
    SessionConfig config = {.ctx = common_ctx(study),
                            .sequences = sequences,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = max_logits};
    return session_open(session, model, study->job->compute.pool, config, fault);
}

/* Checked before the first text is written, not hours later. */
static bool check_prompts(const Writer *w, Fault *fault) {
    const Study *study = w->study;
    char where[300];
    for (const Opening *o = study->openings; o < study->openings + study->n_openings; o++) {
        if (generate_check_prompt(&w->session, &o->tokens, false, fault)) continue;
        snprintf(where, sizeof where, "%.200s, line %zu", study->job->prompts, o->line);
        return o->line && fault_prefix(fault, where);
    }
    return true;
}

static bool open_writer(Writer *w, Fault *fault) {
    const Study *study = w->study;
    size_t texts = study->guided ? 2 * AT_ONCE : AT_ONCE;
    tokenizer_begin(study->model.tokenizer, &w->guide);
    w->steering = study->job->steering;
    steering_prepare(&w->steering);
    return study_session(&w->session, study, &study->model, texts + FORKS, 2 * AT_ONCE,
                         fault) &&
           steering_open(&w->steering, &w->session, fault) &&
           (!study->job->amateur ||
            study_session(&w->amateur, study, &study->amateur, AT_ONCE, 2 * AT_ONCE, fault)) &&
           engine_open(&w->engine, &w->session, fault) && check_prompts(w, fault);
}

Writer *writer_open(const Study *study, size_t begin, size_t end, Fault *fault) {
    Writer *w = calloc(1, sizeof *w);
    if (!w) return fault_set(fault, "no memory to write texts"), NULL;
    *w = (Writer){.study = study, .begun = begin, .first = begin, .end = end};
    if (open_writer(w, fault)) return w;
    writer_close(w);
    return NULL;
}

void writer_close(Writer *w) {
    if (!w) return;
    for (Place *p = w->places; p < w->places + AT_ONCE; p++)
        write_leave(w, p), token_list_free(&p->tokens);
    engine_close(&w->engine);
    token_list_free(&w->guide);
    session_close(&w->session), session_close(&w->amateur);
    free(w);
}

static bool write_texts(Writer *w, Fault *fault) {
    Progress progress;
    bool ok = true;
    progress_start(&progress, "texts", "texts", (double)w->end);
    while (ok && writer_left(w)) {
        ok = writer_step(w, fault);
        progress_show(&progress, (double)w->over);
    }
    progress_end(&progress, (double)w->over);
    return ok;
}

bool study_write(Study *study, Fault *fault) {
    size_t ctx = common_ctx(study);
    if (study->job->amateur && ctx == study->amateur.sizes.ctx && ctx < study->model.sizes.ctx)
        fprintf(stderr,
                "[the amateur's context of %zu tokens ends texts, not the model's %zu]\n", ctx,
                study->model.sizes.ctx);
    Writer *w = writer_open(study, 0, study->job->n_chains * study->texts, fault);
    bool ok = w && write_texts(w, fault);
    writer_close(w);
    return ok;
}
