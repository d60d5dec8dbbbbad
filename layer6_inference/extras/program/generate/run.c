/* run.c - from prompt to streamed text: one thread generates, the other prints.  See app.h. */
#include "listing.h"
#include "app.h"
#include "guidance.h"
#include "long_text.h"
#include "look_ahead.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ text on its way out */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

static void queue_text(void *context, Text text) {
    GenerateApp *app = context;
    app->shown = true;
    text_queue_push(&app->queue, text);
}

static void queue_id(GenerateApp *app, int32_t id) {
    char text[16];
    int size = snprintf(text, sizeof text, app->first ? "%" PRId32 : " %" PRId32, id);
    app->first = false;
    queue_text(app, (Text){text, (size_t)size});
}

static bool run_is_wanted(GenerateApp *app) {
    return !interrupted && !text_queue_is_cancelled(&app->queue);
}

/* A Session's is_wanted: a long prompt may be interrupted between two layers; a token is a
 * short wait. */
static bool is_read_on(void *context) {
    GenerateApp *app = context;
    return app->read || run_is_wanted(app);
}

/* Generation ends before this token's text is flushed: print it. */
static void flush_last(GenerateApp *app) {
    Text piece = {0};
    size_t spelled = 0;
    for (size_t i = app->prompt_tokens; i < app->tokens.count; i++)
        piece =
            heal_cut(&app->heal, &spelled,
                     tokenizer_piece(app->expert.model->tokenizer, app->tokens.ids[i], false));
    stream_push(&app->stream, piece);
}

static bool on_choice(void *context, const Choice *choice) {
    GenerateApp *app = context;
    if (app->request->ids) queue_id(app, choice->token);
    if (app->request->logprobs >= 0)
        list_log_probs(stderr, app->expert.model->tokenizer, choice,
                       (size_t)app->request->logprobs);
    if (interrupted && !app->request->ids) flush_last(app);
    return run_is_wanted(app);
}

/* Samples are not printed until one is chosen. */
static bool on_sample(void *context, const Choice *choice) {
    (void)choice;
    return run_is_wanted(context);
}

static void echo_prompt(GenerateApp *app) {
    const Request *r = app->request;
    bool source = model_extras(app->expert.model)
                      ->encoder; /* an encoder-decoder's output does not continue its input */
    if (r->no_prompt || r->chat || (source && !r->ids)) return;
    for (size_t i = 0; r->ids && i < app->tokens.count; i++) queue_id(app, app->tokens.ids[i]);
    if (!r->ids) queue_text(app, app->prompt);
}

/* The text after the gap. */
static void echo_suffix(GenerateApp *app) {
    const Request *r = app->request;
    if (r->suffix && !r->no_prompt && !r->ids) queue_text(app, text_of(r->suffix));
}

/* Shows the progress of a long prompt; the prompt itself is printed when it is complete. */
static bool on_read(void *context, size_t read, size_t total) {
    GenerateApp *app = context;
    if (!run_is_wanted(app)) return false;
    if (read < total) {
        progress_show(&app->reading, (double)read);
        return true;
    }
    if (app->reading.shown > app->reading.start) progress_end(&app->reading, (double)read);
    app->read = true;
    echo_prompt(app);
    return true;
}

static bool on_step(void *context, size_t steps) {
    GenerateApp *app = context;
    app->read = true;
    if (steps == 0) echo_prompt(app);
    return run_is_wanted(app);
}

/* On a thread of its own, so that a slow terminal does not slow the model. */
static void show_text(TextQueue *queue) {
    char bytes[4096];
    for (size_t n; (n = text_queue_pop(queue, bytes, sizeof bytes)) > 0;)
        if (fwrite(bytes, 1, n, stdout) < n || fflush(stdout) != 0) text_queue_cancel(queue);
}

/* ------------------------------------------------------------------ the run */

static Limits make_limits(const GenerateApp *app) {
    const Request *r = app->request;
    return (Limits){.max_tokens = r->max_tokens < 0 ? SIZE_MAX : (size_t)r->max_tokens,
                    .max_seconds = r->seconds,
                    .repeats = (size_t)r->repeats,
                    .stop_ids = app->stop_ids.ids,
                    .n_stop_ids = app->stop_ids.count};
}

static GenerateOptions make_options(GenerateApp *app, bool streams) {
    const Request *r = app->request;
    bool guessed = r->draft || r->draft_head || r->lookup, forced = app_may_force(app);
    app->speculation = (Speculation){.draft = app->draft.model ? &app->draft.session : NULL,
                                     .length = forced ? SPECULATE_MAX : (size_t)r->guess,
                                     .forced = forced};
    GenerateOptions o = {.chain = &app->chain,
                         .seed = r->seed,
                         .limits = make_limits(app),
                         .stream = r->ids || !streams ? NULL : &app->stream,
                         .on_read = on_read,
                         .on_choice = on_choice,
                         .want_raw = r->logprobs >= 0,
                         .context = app};
    if (app->negative.count) with_negative(&o, &app->negative);
    if (app->amateur.model) with_amateur(&o, &app->amateur.session);
    if (guessed || forced) with_draft(&o, &app->speculation);
    if (r->shift) with_long_text(&o, 0);
    with_heal(&o, &app->heal);
    with_look_ahead(&o);
    return o;
}

/* Print a text that was chosen as a whole. */
static void show_tokens(GenerateApp *app, const TokenList *tokens) {
    size_t spelled = 0;
    bool more = true;
    for (size_t i = 0; more && i < tokens->count; i++) {
        Text piece = tokenizer_piece(app->expert.model->tokenizer, tokens->ids[i], false);
        if (app->request->ids)
            queue_id(app, tokens->ids[i]);
        else
            more = stream_push(&app->stream, heal_cut(&app->heal, &spelled, piece));
    }
    stream_finish(&app->stream);
}

static bool by_beams(GenerateApp *app, Best *best, FILE *report) {
    const Request *r = app->request;
    BeamOptions beam = {.beams = (size_t)r->beams,
                        .groups = (size_t)r->groups,
                        .diversity = r->diversity,
                        .length_power = r->length_power,
                        .early = r->early,
                        .limits = make_limits(app),
                        .stops = &app->stops,
                        .heal = &app->heal,
                        .rules = &app->chain,
                        .on_step = on_step,
                        .context = app};
    return search_beams(&app->expert, &app->tokens, &beam, report, best, &app->fault);
}

static bool by_best_of(GenerateApp *app, Best *best, FILE *report) {
    GenerateOptions options = make_options(app, false);
    options.on_choice = on_sample;
    return search_best_of(&app->expert, &app->tokens, &options, &app->stops,
                          (size_t)app->request->best_of, app->at_once, report, best,
                          &app->fault);
}

static bool by_particles(GenerateApp *app, Best *best, FILE *report) {
    const Request *r = app->request;
    ParticleOptions o = {.particles = (size_t)r->particles,
                         .seed = r->seed,
                         .resample = r->resample,
                         .limits = make_limits(app),
                         .stops = &app->stops,
                         .heal = &app->heal,
                         .rules = &app->chain,
                         .on_step = on_step,
                         .context = app};
    return search_particles(&app->expert, &app->tokens, &o, report, best, &app->fault);
}

static bool run_search(GenerateApp *app) {
    Best best = {0};
    FILE *report = app->request->quiet ? NULL : stderr;
    double start = clock_seconds();
    const Request *r = app->request;
    bool ok = r->beams       ? by_beams(app, &best, report)
              : r->particles ? by_particles(app, &best, report)
                             : by_best_of(app, &best, report);
    if (ok) show_tokens(app, &best.tokens);
    app->seconds = clock_seconds() - start;
    app->result = best.result, app->seed = best.seed, app->generated = best.generated;
    token_list_free(&best.tokens);
    return ok;
}

static bool continue_prompt(GenerateApp *app) {
    GenerateOptions options = make_options(app, true);
    bool ok = generate(&app->expert.session, &app->tokens, &options, &app->result, &app->fault);
    app->seed = options.seed, app->generated = app->result.tokens;
    return ok;
}

static void *generate_text(void *context) {
    GenerateApp *app = context;
    const Request *r = app->request;
    Session *session = &app->expert.session;
    stream_open(&app->stream, &app->stops, queue_text, app);
    progress_start(&app->reading, "prompt", "tokens", (double)app->tokens.count);
    app->reading.quiet = r->quiet;
    session->is_wanted = is_read_on, session->context = app;
    app->ok = app_searches(r) ? run_search(app) : continue_prompt(app);
    session->is_wanted = NULL;
    if (!app->ok && session->stopped)
        app->ok = true, app->seed = r->seed, app->result.reason = STOP_CALLER;
    if (app->ok && !app->read) echo_prompt(app);
    if (app->ok) echo_suffix(app);
    if (app->ok || app->shown)
        queue_text(app, text_of("\n")); /* an error has a line of its own */
    stream_close(&app->stream);
    text_queue_close(&app->queue);
    return NULL;
}

/* The chain and the speed. */
static void print_way(const GenerateApp *app) {
    char *text = chain_print(&app->chain);
    const Request *r = app->request;
    const GenerateResult *result = &app->result;
    if (r->beams)
        fprintf(stderr, "%ld beams", r->beams);
    else
        fprintf(stderr, "%s, ", text);
    free(text);
    if (r->best_of) fprintf(stderr, "best of %ld: ", r->best_of);
    if (r->particles) fprintf(stderr, "%ld particles: ", r->particles);
    if (!r->beams) fprintf(stderr, "seed %" PRIu64, app->seed);
    if (app_searches(r))
        fprintf(stderr, " | %zu tokens, %.2f s", result->tokens, app->seconds);
    else if (result->tokens == 0)
        fprintf(stderr, " | no token");
    else
        fprintf(stderr, " | first token after %.0f ms", 1e3 * result->first_token_seconds);
    bool one_pass =
        app->speculation.rounds == 1; /* nothing was decoded after the first token */
    if (!app_searches(r) && !one_pass && result->tokens > 1 && result->decode_seconds > 0)
        fprintf(stderr, ", then %zu at %.0f tokens/s", result->tokens - 1,
                (double)(result->tokens - 1) / result->decode_seconds);
}

/* A recurrent model has no KV cache. */
static const char *kv_name(const Request *r, const Model *model) {
    for (size_t l = 0; l < model->sizes.layers; l++)
        if (model->layers[l].heads) return kv_format_name(r->compute.kv_format);
    return "none";
}

static void run_print_status(const GenerateApp *app) {
    const Request *r = app->request;
    const Model *model = app->expert.model;
    const char *slash = strrchr(r->model, '/');
    int threads = pool_threads(r->compute.pool);
    fprintf(stderr, "[%s: %s, %zu layers, kv %s | %d thread%s, %s | ",
            slash ? slash + 1 : r->model, model->recipe->arch, model->sizes.layers,
            kv_name(r, model), threads, threads == 1 ? "" : "s", kernels_isa());
    print_way(app);
    fprintf(stderr, " | %s]\n", stop_reason_name(app->result.reason));
    if (app->seen.count)
        fprintf(stderr, "[%zu image%s, %zu tokens each, encoded in %.2f s]\n", app->seen.count,
                app->seen.count == 1 ? "" : "s", app->pictures.each, app->pictures.seconds);
    const Speculation *g = &app->speculation;
    if (g->drafted || (g->rounds && !g->forced))
        fprintf(stderr,
                "[%zu of %zu %s tokens accepted (%.1f %%), %.2f tokens per forward pass, %zu "
                "passes]\n",
                g->accepted, g->drafted, g->forced ? "forced" : "drafted",
                g->drafted ? 100.0 * (double)g->accepted / (double)g->drafted : 0.0,
                (double)app->generated / (double)g->rounds, g->rounds);
}

bool app_interrupted(void) { return interrupted; }

bool app_run(GenerateApp *app, Fault *fault) {
    app->prompt_tokens = app->tokens.count;
    pthread_t thread;
    if (!text_queue_open(&app->queue, 1 << 16, fault)) return false;
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, &before);
    if (pthread_create(&thread, NULL, generate_text, app) != 0) {
        text_queue_free(&app->queue);
        return fault_set(fault, "cannot start a thread");
    }
    show_text(&app->queue);
    pthread_join(thread, NULL);
    sigaction(SIGINT, &before, NULL);
    text_queue_free(&app->queue);
    if (!app->ok) *fault = app->fault;
    if (app->ok && !app->request->quiet) run_print_status(app);
    if (app->ok && app->request->logprobs >= 0 && ferror(stderr))
        return fault_set(fault, "cannot write all log-probabilities to standard error");
    return app->ok;
}
