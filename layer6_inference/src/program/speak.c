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
    text_queue_push(&((Scene *)context)->queue, text);
}

static void queue_id(Scene *s, int32_t id) {
    char text[16];
    int size = snprintf(text, sizeof text, s->first ? "%" PRId32 : " %" PRId32, id);
    s->first = false;
    queue_text(s, (Text){text, (size_t)size});
}

static bool on_choice(void *context, const Choice *choice) {
    Scene *s = context;
    if (s->request->ids) queue_id(s, choice->token);
    if (s->request->logprobs >= 0)
        list_log_probs(stderr, s->expert.model->tokenizer, choice,
                       (size_t)s->request->logprobs);
    return !interrupted && !text_queue_is_cancelled(&s->queue);
}

static void echo_prompt(Scene *s) {
    const Request *r = s->request;
    if (r->no_prompt || r->chat) return;
    for (size_t i = 0; r->ids && i < s->tokens.count; i++) queue_id(s, s->tokens.ids[i]);
    if (!r->ids) queue_text(s, text_of(r->prompt));
}

/* A long prompt shows how far it has come; what has been read is shown once the model goes on from
 * there. */
static bool on_read(void *context, size_t read, size_t total) {
    Scene *s = context;
    if (interrupted || text_queue_is_cancelled(&s->queue)) return false;
    if (read < total) {
        progress_show(&s->reading, (double)read);
        return true;
    }
    if (s->reading.shown > s->reading.start) progress_end(&s->reading, (double)read);
    echo_prompt(s);
    return true;
}

/* The other thread shows what comes, so that a slow terminal does not slow the model. */
static void show_text(TextQueue *queue) {
    char bytes[4096];
    for (size_t n; (n = text_queue_pop(queue, bytes, sizeof bytes)) > 0;)
        if (fwrite(bytes, 1, n, stdout) < n || fflush(stdout) != 0) text_queue_cancel(queue);
}

/* ------------------------------------------------------------------ the run */

static bool read_prompt(Scene *s, Fault *fault) {
    const Request *r = s->request;
    Text prompt = text_of(r->prompt);
    if (prompt.size == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue, -p "
                                "\"Once upon a time\"");
    ChatTurn turn = {text_of("user"), prompt};
    if (!r->chat) return speaker_read(&s->expert, prompt, r->special, &s->tokens, fault);
    tokenizer_begin(s->expert.model->tokenizer, &s->tokens);
    return chat_encode(s->expert.model->tokenizer, &turn, 1, &s->tokens, fault);
}

static GenerateOptions make_options(Scene *s, Stream *stream) {
    const Request *r = s->request;
    s->speculation = (Speculation){.draft = s->has_draft ? &s->draft.session : NULL,
                                   .length = (size_t)r->guess};
    return (GenerateOptions){.chain = &s->chain,
                             .seed = r->seed,
                             .most_tokens = r->most < 0 ? SIZE_MAX : (size_t)r->most,
                             .most_seconds = r->seconds,
                             .repeats = (size_t)r->repeats,
                             .stop_ids = s->stop_ids.ids,
                             .n_stop_ids = s->stop_ids.count,
                             .stream = r->ids ? NULL : stream,
                             .on_choice = on_choice,
                             .want_raw = r->logprobs >= 0,
                             .context = s,
                             .amateur = s->has_amateur ? &s->amateur.session : NULL,
                             .unconditional =
                                 s->has_unconditional ? &s->unconditional.session : NULL,
                             .negative = &s->negative,
                             .speculation = r->draft || r->lookup ? &s->speculation : NULL,
                             .heal = r->heal};
}

/* A text that was chosen as a whole goes out as a whole. */
static void show_tokens(Scene *s, const TokenList *tokens, Stream *stream) {
    for (size_t i = 0; i < tokens->count; i++) {
        if (s->request->ids)
            queue_id(s, tokens->ids[i]);
        else if (!stream_push(stream, tokenizer_piece(s->expert.model->tokenizer,
                                                      tokens->ids[i], false)))
            break;
    }
    stream_finish(stream);
}

static bool search(Scene *s, Stream *stream) {
    const Request *r = s->request;
    GenerateOptions options = make_options(s, stream);
    TokenList best = {0};
    FILE *report = r->quiet ? NULL : stderr;
    double start = clock_seconds();
    bool ok;
    echo_prompt(s);
    if (r->beams) {
        size_t room = s->expert.session.kv.blocks_each * KV_BLOCK;
        BeamOptions beam = {.beams = (size_t)r->beams,
                            .groups = (size_t)r->groups,
                            .diversity = r->diversity,
                            .length_power = r->length_power,
                            .early = r->early,
                            .most_tokens =
                                options.most_tokens < room ? options.most_tokens : room};
        ok = search_beams(&s->expert, &s->tokens, &beam, report, &best, &s->fault);
        s->result.tokens = best.count;
        s->result.reason = best.count < beam.most_tokens ? STOP_END : STOP_LIMIT;
        s->result.first_token_seconds = s->result.decode_seconds = clock_seconds() - start;
    } else {
        ok = search_best_of(&s->expert, &s->tokens, options, (size_t)r->best_of, report, &best,
                            &s->result, &s->fault);
    }
    if (ok) show_tokens(s, &best, stream);
    token_list_free(&best);
    return ok;
}

static bool go_on(Scene *s, Stream *stream) {
    GenerateOptions options = make_options(s, stream);
    options.on_read = on_read;
    progress_start(&s->reading, "prompt", "tokens", (double)s->tokens.count);
    s->reading.quiet = s->request->quiet;
    return generate(&s->expert.session, &s->expert.candidates, &s->tokens, &options, &s->result,
                    &s->fault);
}

static void *speak(void *context) {
    Scene *s = context;
    const Request *r = s->request;
    Stream stream;
    stream_open(&stream, &s->stops, queue_text, s);
    s->ok = read_prompt(s, &s->fault) &&
            generate_check_prompt(&s->expert.session, &s->tokens, &s->fault);
    if (s->ok) s->ok = r->beams || r->best_of > 1 ? search(s, &stream) : go_on(s, &stream);
    if (s->ok) queue_text(s, text_of("\n"));
    stream_close(&stream);
    text_queue_close(&s->queue);
    return NULL;
}

static void print_status(const Scene *s) {
    char text[CHAIN_TEXT];
    const Request *r = s->request;
    const GenerateResult *result = &s->result;
    const Model *model = s->expert.model;
    const char *slash = strrchr(r->model, '/');
    double rate =
        result->decode_seconds > 0 ? (double)(result->tokens - 1) / result->decode_seconds : 0;
    fprintf(stderr,
            "[%s: %s, %zu layers | %d thread%s, %s | %s, seed %" PRIu64
            " | first token after %.0f ms, "
            "then %zu at %.0f tokens/s | %s]\n",
            slash ? slash + 1 : r->model, model->recipe->arch, model->sizes.layers,
            pool_threads(r->machine.pool), pool_threads(r->machine.pool) == 1 ? "" : "s",
            kernels()->isa, chain_print(&s->chain, text), r->seed,
            1e3 * result->first_token_seconds, result->tokens, rate,
            stop_reason_name(result->reason));
    const Speculation *g = &s->speculation;
    if (g->rounds)
        fprintf(stderr,
                "[%zu of %zu guessed tokens accepted (%.1f %%), %.2f tokens for each of %zu "
                "readings]\n",
                g->accepted, g->guessed,
                g->guessed ? 100.0 * (double)g->accepted / (double)g->guessed : 0.0,
                (double)result->tokens / (double)g->rounds, g->rounds);
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
    return s->ok;
}
