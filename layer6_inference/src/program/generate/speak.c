/* speak.c - a prompt becomes streamed text: one thread generates, the other shows.  See scene.h. */
#include "listing.h"
#include "scene.h"

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
    Scene *s = context;
    s->shown = true;
    text_queue_push(&s->queue, text);
}

static void queue_id(Scene *s, int32_t id) {
    char text[16];
    int size = snprintf(text, sizeof text, s->first ? "%" PRId32 : " %" PRId32, id);
    s->first = false;
    queue_text(s, (Text){text, (size_t)size});
}

static bool is_wanted(Scene *s) { return !interrupted && !text_queue_is_cancelled(&s->queue); }

static bool on_choice(void *context, const Choice *choice) {
    Scene *s = context;
    if (s->request->ids) queue_id(s, choice->token);
    if (s->request->logprobs >= 0)
        list_log_probs(stderr, s->expert.model->tokenizer, choice,
                       (size_t)s->request->logprobs);
    return is_wanted(s);
}

/* A text that is only looked at, until one is chosen. */
static bool on_sample(void *context, const Choice *choice) {
    (void)choice;
    return is_wanted(context);
}

static void echo_prompt(Scene *s) {
    const Request *r = s->request;
    if (r->no_prompt || r->chat) return;
    for (size_t i = 0; r->ids && i < s->tokens.count; i++) queue_id(s, s->tokens.ids[i]);
    if (!r->ids) queue_text(s, s->prompt);
}

/* A long prompt shows how far it has come; what has been read is shown once the model goes on from
 * there. */
static bool on_read(void *context, size_t read, size_t total) {
    Scene *s = context;
    if (!is_wanted(s)) return false;
    if (read < total) {
        progress_show(&s->reading, (double)read);
        return true;
    }
    if (s->reading.shown > s->reading.start) progress_end(&s->reading, (double)read);
    echo_prompt(s);
    return true;
}

static bool on_step(void *context, size_t steps) {
    if (steps == 0) echo_prompt(context);
    return is_wanted(context);
}

/* The other thread shows what comes, so that a slow terminal does not slow the model. */
static void show_text(TextQueue *queue) {
    char bytes[4096];
    for (size_t n; (n = text_queue_pop(queue, bytes, sizeof bytes)) > 0;)
        if (fwrite(bytes, 1, n, stdout) < n || fflush(stdout) != 0) text_queue_cancel(queue);
}

/* ------------------------------------------------------------------ the run */

static Limits make_limits(const Scene *s) {
    const Request *r = s->request;
    return (Limits){.most_tokens = r->most < 0 ? SIZE_MAX : (size_t)r->most,
                    .most_seconds = r->seconds,
                    .repeats = (size_t)r->repeats,
                    .stop_ids = s->stop_ids.ids,
                    .n_stop_ids = s->stop_ids.count};
}

static GenerateOptions make_options(Scene *s, Stream *stream) {
    const Request *r = s->request;
    s->speculation = (Speculation){.draft = s->draft.model ? &s->draft.session : NULL,
                                   .length = (size_t)r->guess};
    return (GenerateOptions){.chain = &s->chain,
                             .seed = r->seed,
                             .limits = make_limits(s),
                             .stream = r->ids ? NULL : stream,
                             .on_read = on_read,
                             .on_choice = on_choice,
                             .want_raw = r->logprobs >= 0,
                             .context = s,
                             .amateur = s->amateur.model ? &s->amateur.session : NULL,
                             .negative = s->negative.count ? &s->negative : NULL,
                             .speculation = r->draft || r->lookup ? &s->speculation : NULL,
                             .heal = &s->heal};
}

/* A text that was chosen as a whole goes out as a whole. */
static void show_tokens(Scene *s, const TokenList *tokens, Stream *stream) {
    size_t spelled = 0;
    bool more = true;
    for (size_t i = 0; more && i < tokens->count; i++) {
        Text piece = tokenizer_piece(s->expert.model->tokenizer, tokens->ids[i], false);
        if (s->request->ids)
            queue_id(s, tokens->ids[i]);
        else
            more = stream_push(stream, heal_cut(&s->heal, &spelled, piece));
    }
    stream_finish(stream);
}

static bool by_beams(Scene *s, Best *best, FILE *report) {
    const Request *r = s->request;
    BeamOptions beam = {.beams = (size_t)r->beams,
                        .groups = (size_t)r->groups,
                        .diversity = r->diversity,
                        .length_power = r->length_power,
                        .early = r->early,
                        .limits = make_limits(s),
                        .stops = &s->stops,
                        .heal = &s->heal,
                        .on_step = on_step,
                        .context = s};
    return search_beams(&s->expert, &s->tokens, &beam, report, best, &s->fault);
}

static bool by_best_of(Scene *s, Best *best, FILE *report) {
    GenerateOptions options = make_options(s, NULL);
    options.on_choice = on_sample;
    return search_best_of(&s->expert, &s->tokens, &options, &s->stops,
                          (size_t)s->request->best_of, s->at_once, report, best, &s->fault);
}

/* Of several texts the best is shown. */
static bool search(Scene *s, Stream *stream) {
    Best best = {0};
    FILE *report = s->request->quiet ? NULL : stderr;
    double start = clock_seconds();
    bool ok = s->request->beams ? by_beams(s, &best, report) : by_best_of(s, &best, report);
    if (ok) show_tokens(s, &best.tokens, stream);
    s->seconds = clock_seconds() - start;
    s->result = best.result, s->seed = best.seed, s->spoken = best.spoken;
    token_list_free(&best.tokens);
    return ok;
}

static bool go_on(Scene *s, Stream *stream) {
    GenerateOptions options = make_options(s, stream);
    bool ok = generate(&s->expert.session, &s->tokens, &options, &s->result, &s->fault);
    s->seed = options.seed, s->spoken = s->result.tokens;
    return ok;
}

static void *speak(void *context) {
    Scene *s = context;
    const Request *r = s->request;
    Stream stream;
    stream_open(&stream, &s->stops, queue_text, s);
    progress_start(&s->reading, "prompt", "tokens", (double)s->tokens.count);
    s->reading.quiet = r->quiet;
    s->ok = r->beams || r->best_of ? search(s, &stream) : go_on(s, &stream);
    if (s->ok || s->shown) queue_text(s, text_of("\n")); /* an error has a line of its own */
    stream_close(&stream);
    text_queue_close(&s->queue);
    return NULL;
}

/* What chose the tokens, and how fast. */
static void print_way(const Scene *s) {
    char *text = chain_print(&s->chain);
    const Request *r = s->request;
    const GenerateResult *result = &s->result;
    double rate =
        result->decode_seconds > 0 ? (double)(result->tokens - 1) / result->decode_seconds : 0;
    if (r->beams)
        fprintf(stderr, "%ld beams", r->beams);
    else
        fprintf(stderr, "%s, ", text);
    free(text);
    if (r->best_of) fprintf(stderr, "best of %ld: ", r->best_of);
    if (!r->beams) fprintf(stderr, "seed %" PRIu64, s->seed);
    if (r->beams || r->best_of)
        fprintf(stderr, " | %zu tokens, %.2f s", result->tokens, s->seconds);
    else
        fprintf(stderr, " | first token after %.0f ms, then %zu at %.0f tokens/s",
                1e3 * result->first_token_seconds, result->tokens, rate);
}

static void print_status(const Scene *s) {
    const Request *r = s->request;
    const Model *model = s->expert.model;
    const char *slash = strrchr(r->model, '/');
    int threads = pool_threads(r->machine.pool);
    fprintf(stderr, "[%s: %s, %zu layers, kv %s | %d thread%s, %s | ",
            slash ? slash + 1 : r->model, model->recipe->arch, model->sizes.layers,
            r->machine.kv_dtype == DTYPE_F32 ? "f32" : "f16", threads, threads == 1 ? "" : "s",
            kernels_isa());
    print_way(s);
    fprintf(stderr, " | %s]\n", stop_reason_name(s->result.reason));
    const Speculation *g = &s->speculation;
    if (g->rounds)
        fprintf(stderr,
                "[%zu of %zu guessed tokens accepted (%.1f %%), %.2f tokens for each of %zu "
                "readings]\n",
                g->accepted, g->guessed,
                g->guessed ? 100.0 * (double)g->accepted / (double)g->guessed : 0.0,
                (double)s->spoken / (double)g->rounds, g->rounds);
}

bool scene_speak(Scene *s, Fault *fault) {
    pthread_t thread;
    if (!text_queue_open(&s->queue, 1 << 16, fault)) return false;
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, &before);
    if (pthread_create(&thread, NULL, speak, s) != 0) {
        text_queue_free(&s->queue);
        return fault_set(fault, "no further thread can be started");
    }
    show_text(&s->queue);
    pthread_join(thread, NULL);
    sigaction(SIGINT, &before, NULL);
    text_queue_free(&s->queue);
    if (!s->ok) *fault = s->fault;
    if (s->ok && !s->request->quiet) print_status(s);
    if (s->ok && s->request->logprobs >= 0 && ferror(stderr))
        return fault_set(fault, "standard error did not take all log-probabilities");
    return s->ok;
}
