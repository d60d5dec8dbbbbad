/* run.c - from prompt to streamed text: one thread generates, the other prints.  See app.h. */
#include "listing.h"
#include "app.h"
#include "grammar.h"
#include "guidance.h"
#include "input.h"
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

bool app_is_wanted(GenerateApp *app) {
    return !interrupted && !text_queue_is_cancelled(&app->queue);
}

/* grammar_watch: a step of a grammar may take longer than the time that is left. */
static bool run_is_over(void *context) {
    GenerateApp *app = context;
    const double limit = app->request->seconds;
    app->late = limit > 0 && clock_seconds() - app->began >= limit;
    return app->cut_short = app->late || !app_is_wanted(app);
}

/* A Session's is_wanted: a long prompt may be interrupted between two layers; a token is a
 * short wait. */
static bool is_read_on(void *context) {
    GenerateApp *app = context;
    return app->read || app_is_wanted(app);
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
    return app_is_wanted(app);
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
    if (!app_is_wanted(app)) return false;
    if (read < total) {
        progress_show(&app->reading, (double)read);
        return true;
    }
    if (app->reading.shown > app->reading.start) progress_end(&app->reading, (double)read);
    app->read = true;
    if (!app_searches(app->request)) echo_prompt(app); /* a search reports first */
    return true;
}

/* On a thread of its own, so that a slow terminal does not slow the model. */
static void show_text(TextQueue *queue) {
    char bytes[4096];
    for (size_t n; (n = text_queue_pop(queue, bytes, sizeof bytes)) > 0;)
        if (fwrite(bytes, 1, n, stdout) < n || fflush(stdout) != 0) text_queue_cancel(queue);
}

/* ------------------------------------------------------------------ the run */

Limits app_limits(const GenerateApp *app) {
    const Request *r = app->request;
    return (Limits){.max_tokens = r->max_tokens < 0 ? SIZE_MAX : (size_t)r->max_tokens,
                    .max_seconds = r->seconds,
                    .repeats = (size_t)r->repeats,
                    .stop_ids = app->stop_ids.ids,
                    .n_stop_ids = app->stop_ids.count};
}

GenerateOptions app_options(GenerateApp *app, bool streams) {
    const Request *r = app->request;
    const DraftKind *kind = app_may_force(app) ? &draft_forced : app_draft_kind(r);
    const bool forced = kind == &draft_forced;
    app->speculation = (Speculation){.kind = kind,
                                     .past = app->past,
                                     .leaves = (size_t)r->leaves,
                                     .draft = app->draft.model ? &app->draft.session : NULL,
                                     .length = forced ? SPECULATE_MAX : (size_t)r->guess};
    GenerateOptions o = {.chain = &app->chain,
                         .seed = r->seed,
                         .limits = app_limits(app),
                         .stream = r->ids || !streams ? NULL : &app->stream,
                         .on_read = on_read,
                         .on_choice = on_choice,
                         .want_raw = r->logprobs >= 0,
                         .context = app};
    if (app->negative.count) with_negative(&o, &app->negative);
    if (app->amateur.model) with_amateur(&o, &app->amateur.session);
    if (app->early_layers.count) with_early_layers(&o, &app->early_layers);
    if (kind) with_draft(&o, &app->speculation);
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

/* The chosen text, or all, then with a line <|endoftext|> after each. */
static void show_texts(GenerateApp *app) {
    for (size_t i = 0; i < app->n_found; i++) {
        if (i > 0) {
            queue_text(app, text_of("\n<|endoftext|>\n"));
            stream_close(&app->stream), app->first = true;
            stream_open(&app->stream, &app->stops, queue_text, app);
            echo_prompt(app);
        }
        show_tokens(app, &app->found[i]);
        if (i + 1 < app->n_found) echo_suffix(app);
    }
}

static bool run_search(GenerateApp *app) {
    double start = clock_seconds();
    app->seed = app->request->seed;
    bool ok = app_search(app);
    if (ok) echo_prompt(app), show_texts(app);
    app->seconds = clock_seconds() - start;
    return ok;
}

static bool continue_prompt(GenerateApp *app) {
    GenerateOptions options = app_options(app, true);
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
    session->is_wanted = is_read_on, session->context = app, app->began = clock_seconds();
    grammar_watch(run_is_over, app);
    app->ok = app_searches(r) ? run_search(app) : continue_prompt(app);
    grammar_watch(NULL, NULL), session->is_wanted = NULL;
    bool stopped = !app->ok && (session->stopped || app->cut_short);
    if (stopped) {
        app->ok = true, app->seed = r->seed;
        app->result.reason = app->late ? STOP_TIME : STOP_CALLER;
        stream_finish(&app->stream);
    }
    if (app->ok && (app_searches(r) ? stopped : !app->read)) echo_prompt(app);
    if (app->ok) echo_suffix(app);
    if (app->ok || app->shown)
        queue_text(app, text_of("\n")); /* an error has a line of its own */
    stream_close(&app->stream);
    text_queue_close(&app->queue);
    return NULL;
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
    if (app->ok && !app->request->quiet) app_print_status(app);
    if (app->ok && !output_arrived(fault)) return false;
    if (app->ok && app->request->logprobs >= 0 && ferror(stderr))
        return fault_set(fault, "cannot write all log-probabilities to standard error");
    return app->ok;
}
