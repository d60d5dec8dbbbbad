/* write.c - the texts of a study.  See study.h. */
#include "study.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST_CTX = 1024 };         /* of a text */
enum { AT_ONCE = 16, FORKS = 3 }; /* FORKS: for chains that look ahead */

/* A text that is being written; its place is taken by another one when it is over. */
typedef struct Place {
    Sample *sample;
    Sequence *sequence; /* NULL: the place is free */
    TokenList tokens;
    Chain chain;
    Stream stream;
} Place;

typedef struct Worker {
    Study *study;
    Session session, amateur;
    Engine engine;
    Place places[AT_ONCE];
    pthread_t thread;
} Worker;

static bool watch(void *context, const Choice *choice) {
    Sample *s = context;
    size_t vocab = choice->after->vocab;
    float max = vector_max(choice->raw, vocab);
    ExpSums sums = scan_exp(choice->raw, vocab, max);
    s->surprise -= (double)(choice->raw[choice->token] - max) - log(sums.sum);
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

static bool begin_text(Worker *w, Place *p, size_t index, Fault *fault) {
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
                               .limits.most_tokens = (size_t)job->most,
                               .limits.only_bos_ends = true,
                               .stream = &p->stream,
                               .on_choice = watch,
                               .want_raw = true,
                               .context = p->sample,
                               .amateur = job->amateur ? &w->amateur : NULL};
    return (p->sequence = engine_add(&w->engine, &p->tokens, &options, fault)) != NULL;
}

static void leave(Worker *w, Place *p) {
    if (p->sequence) engine_remove(&w->engine, p->sequence);
    p->sequence = NULL;
    stream_close(&p->stream), chain_close(&p->chain);
}

static bool end_text(Worker *w, Place *p, Fault *fault) {
    Sample *s = p->sample;
    if (p->sequence->failed) return *fault = p->sequence->fault, false;
    s->tokens = p->sequence->result.tokens;
    s->verdict = world_check(w->study->world, "story", s->text.bytes, s->text.size, false);
    leave(w, p);
    atomic_fetch_add(&w->study->done, 1);
    return true;
}

/* A step of all texts; each has its share of the time. */
static bool step(Worker *w, Fault *fault) {
    double start = clock_seconds(), live = (double)w->engine.live;
    if (!engine_step(&w->engine, fault)) return false;
    double share = (clock_seconds() - start) / live;
    for (Place *p = w->places; p < w->places + AT_ONCE; p++)
        if (p->sequence) p->sample->seconds += share;
    return true;
}

/* Free places take the texts that nobody has begun. */
static bool fill_places(Worker *w, Fault *fault) {
    Study *study = w->study;
    const size_t total = study->job->n_chains * study->texts;
    for (Place *p = w->places; p < w->places + AT_ONCE; p++) {
        size_t index = p->sequence ? 0 : atomic_fetch_add(&study->next, 1);
        if (p->sequence || index >= total) continue;
        if (!begin_text(w, p, index, fault)) return false;
    }
    return true;
}

static bool write_texts(Worker *w, Fault *fault) {
    bool ok = fill_places(w, fault);
    while (ok && w->engine.live && !atomic_load(&w->study->failed)) {
        ok = step(w, fault);
        for (Place *p = w->places; ok && p < w->places + AT_ONCE; p++)
            if (p->sequence && !p->sequence->live) ok = end_text(w, p, fault);
        ok = ok && fill_places(w, fault);
    }
    return ok;
}

static void *work(void *context) {
    Worker *w = context;
    Fault fault;
    if (!write_texts(w, &fault) && !atomic_exchange(&w->study->failed, true))
        w->study->fault = fault;
    return NULL;
}

/* The model and the amateur read the same texts: the shorter context is that of both. */
static size_t common_ctx(const Study *study) {
    size_t ctx = study->model.sizes.ctx < MOST_CTX ? study->model.sizes.ctx : MOST_CTX;
    if (!study->job->amateur || study->amateur.sizes.ctx >= ctx) return ctx;
    return study->amateur.sizes.ctx;
}

static bool open_session(Session *session, const Study *study, const Model *model,
                         Fault *fault) {
    SessionConfig config = {.ctx = common_ctx(study),
                            .sequences = AT_ONCE + FORKS,
                            .most_tokens = FEED,
                            .most_logits = 2 * AT_ONCE};
    return session_open(session, model, NULL, config, fault);
}

static bool start(Worker *w, Study *study, Fault *fault) {
    w->study = study;
    return open_session(&w->session, study, &study->model, fault) &&
           (!study->job->amateur || open_session(&w->amateur, study, &study->amateur, fault)) &&
           engine_open(&w->engine, &w->session, fault) &&
           (pthread_create(&w->thread, NULL, work, w) == 0 ||
            fault_set(fault, "no further thread can be started"));
}

static void close_worker(Worker *w) {
    for (Place *p = w->places; p < w->places + AT_ONCE; p++)
        leave(w, p), token_list_free(&p->tokens);
    engine_close(&w->engine);
    session_close(&w->session), session_close(&w->amateur);
}

/* Until all is written, or somebody failed. */
static void watch_progress(Study *study) {
    Progress progress;
    size_t total = study->job->n_chains * study->texts;
    progress_start(&progress, "texts", "texts", (double)total);
    while (atomic_load(&study->done) < total && !atomic_load(&study->failed)) {
        progress_show(&progress, (double)atomic_load(&study->done));
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
    }
    progress_end(&progress, (double)atomic_load(&study->done));
}

bool study_write(Study *study, int threads, Fault *fault) {
    Worker *workers = calloc((size_t)threads, sizeof *workers);
    size_t ctx = common_ctx(study);
    if (!workers) return fault_set(fault, "no memory for %d workers", threads);
    if (study->job->amateur && ctx == study->amateur.sizes.ctx && ctx < study->model.sizes.ctx)
        fprintf(stderr,
                "[the amateur's context of %zu tokens ends texts, not the model's %zu]\n", ctx,
                study->model.sizes.ctx);
    int started = 0;
    bool ok = true;
    while (ok && started < threads)
        if ((ok = start(&workers[started], study, fault))) started++;
    if (!ok) atomic_store(&study->failed, true);
    if (ok) watch_progress(study);
    for (int i = 0; i < started; i++) pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < threads; i++) close_worker(&workers[i]);
    free(workers);
    if (ok && atomic_load(&study->failed)) *fault = study->fault, ok = false;
    return ok;
}
