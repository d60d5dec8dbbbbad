/* write.c - the texts of a study.  See study.h. */
#include "study.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_CTX = 1024 };          /* of a text */
enum { AT_ONCE = 64, FORKS = 3 }; /* FORKS: for chains that look ahead */

/* A text that is being written; its place is taken by another one when it is over. */
typedef struct Place {
    Sample *sample;
    Sequence *sequence; /* NULL: the place is free */
    TokenList tokens;
    Chain chain;
    Stream stream;
} Place;

typedef struct Writer {
    const Study *study;
    Session session, amateur;
    Engine engine;
    Place places[AT_ONCE];
    size_t begun, over; /* texts */
} Writer;

static bool watch(void *context, const Choice *choice) {
    Sample *s = context;
    size_t vocab = choice->after->vocab;
    float max = vector_max(choice->raw, vocab);
    ExpSums sums = scan_exp(choice->raw, vocab, max);
    s->surprisal -= (double)(choice->raw[choice->token] - max) - log(sums.sum);
    s->entropy += log(sums.sum) - sums.weighted / sums.sum;
    return true;
}

static void append(void *context, Text piece) { world_text_append(context, piece); }

/* The opening of a text becomes its beginning. */
static bool read_opening(const Study *study, size_t text, Place *p, Fault *fault) {
    const Job *job = study->job;
    const Tokenizer *t = study->model.tokenizer;
    WorldText scratch = {0};
    Text prompt = job->prompt ? text_of(job->prompt)
                              : world_opening(study->world, "story", 2,
                                              text / (size_t)job->seeds, job->words, &scratch);
    p->tokens.count = 0;
    world_text_append(&p->sample->text, prompt);
    tokenizer_begin(t, &p->tokens);
    bool ok = tokenizer_encode(t, prompt, true, &p->tokens, fault);
    world_text_free(&scratch);
    return ok;
}

static bool begin_text(Writer *w, Place *p, size_t index, Fault *fault) {
    const Study *study = w->study;
    const Job *job = study->job;
    size_t text = index % study->texts;
    p->sample = &study->samples[index];
    if (!chain_parse(&p->chain, job->chains[index / study->texts], study->model.tokenizer,
                     fault) ||
        !read_opening(study, text, p, fault))
        return false;
    stream_open(&p->stream, NULL, append, &p->sample->text);
    GenerateOptions options = {.chain = &p->chain,
                               .seed = rng_hash(job->seed, 77, text),
                               .limits.max_tokens = (size_t)job->max_tokens,
                               .limits.only_bos_ends = true,
                               .stream = &p->stream,
                               .on_choice = watch,
                               .want_raw = true,
                               .context = p->sample,
                               .amateur = job->amateur ? &w->amateur : NULL};
    return (p->sequence = engine_add(&w->engine, &p->tokens, &options, fault)) != NULL;
}

static void leave(Writer *w, Place *p) {
    if (p->sequence) engine_remove(&w->engine, p->sequence);
    p->sequence = NULL;
    stream_close(&p->stream), chain_close(&p->chain);
}

static bool end_text(Writer *w, Place *p, Fault *fault) {
    Sample *s = p->sample;
    if (p->sequence->failed) return *fault = p->sequence->fault, false;
    s->tokens = p->sequence->result.tokens;
    s->verdict = world_check(w->study->world, "story", s->text.bytes, s->text.size, false);
    leave(w, p);
    w->over++;
    return true;
}

/* A step of all texts; each has its share of the time. */
static bool step(Writer *w, Fault *fault) {
    double start = clock_seconds(), live = (double)w->engine.live;
    if (!engine_step(&w->engine, fault)) return false;
    double share = (clock_seconds() - start) / live;
    for (Place *p = w->places; p < w->places + AT_ONCE; p++)
        if (p->sequence) p->sample->seconds += share;
    return true;
}

/* Free places take texts that have not begun. */
static bool fill_places(Writer *w, size_t total, Fault *fault) {
    for (Place *p = w->places; p < w->places + AT_ONCE && w->begun < total; p++)
        if (!p->sequence && !begin_text(w, p, w->begun++, fault)) return false;
    return true;
}

static bool write_texts(Writer *w, Fault *fault) {
    Progress progress;
    size_t total = w->study->job->n_chains * w->study->texts;
    progress_start(&progress, "texts", "texts", (double)total);
    bool ok = fill_places(w, total, fault);
    while (ok && w->engine.live) {
        ok = step(w, fault);
        for (Place *p = w->places; ok && p < w->places + AT_ONCE; p++)
            if (p->sequence && !p->sequence->live) ok = end_text(w, p, fault);
        ok = ok && fill_places(w, total, fault);
        progress_show(&progress, (double)w->over);
    }
    progress_end(&progress, (double)w->over);
    return ok;
}

/* The model and the amateur read the same texts: the shorter context is that of both. */
static size_t common_ctx(const Study *study) {
    size_t ctx = study->model.sizes.ctx < MAX_CTX ? study->model.sizes.ctx : MAX_CTX;
    if (!study->job->amateur || study->amateur.sizes.ctx >= ctx) return ctx;
    return study->amateur.sizes.ctx;
}

static bool open_session(Session *session, const Study *study, const Model *model,
                         Fault *fault) {
    SessionConfig config = {.ctx = common_ctx(study),
                            .sequences = AT_ONCE + FORKS,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = 2 * AT_ONCE};
    return session_open(session, model, study->job->compute.pool, config, fault);
}

static bool open_writer(Writer *w, Fault *fault) {
    const Study *study = w->study;
    return open_session(&w->session, study, &study->model, fault) &&
           (!study->job->amateur || open_session(&w->amateur, study, &study->amateur, fault)) &&
           engine_open(&w->engine, &w->session, fault);
}

static void close_writer(Writer *w) {
    for (Place *p = w->places; p < w->places + AT_ONCE; p++)
        leave(w, p), token_list_free(&p->tokens);
    engine_close(&w->engine);
    session_close(&w->session), session_close(&w->amateur);
}

bool study_write(Study *study, Fault *fault) {
    Writer *w = calloc(1, sizeof *w);
    size_t ctx = common_ctx(study);
    if (!w) return fault_set(fault, "no memory to write texts");
    if (study->job->amateur && ctx == study->amateur.sizes.ctx && ctx < study->model.sizes.ctx)
        fprintf(stderr,
                "[the amateur's context of %zu tokens ends texts, not the model's %zu]\n", ctx,
                study->model.sizes.ctx);
    w->study = study;
    bool ok = open_writer(w, fault) && write_texts(w, fault);
    close_writer(w);
    free(w);
    return ok;
}
