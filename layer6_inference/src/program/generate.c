/* generate.c - strata generate: a prompt becomes streamed text. */
#include "listing.h"
#include "options.h"
#include "search.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Request {
    const char *model, *prompt, *chain, *amateur, *negative, *trace, *stop_ids;
    const char *draft;
    long most, seed, ctx, logprobs, trace_most, repeats, guess, best_of;
    long beams, groups;
    double seconds, diversity, length_power;
    bool lookup, heal, early;
    OptionList stops;
    bool ids, no_prompt, special, chat, quiet;
    Machine machine;
} Request;

/* The open models and what was made of the options. */
typedef struct Scene {
    const Request *request;
    Speaker expert, amateur, unconditional, draft;
    bool has_amateur, has_unconditional, has_draft;
    Speculation speculation;
    Chain chain;
    Stops stops;
    Trace trace;
    FILE *trace_file;
    TokenList tokens, negative, stop_ids;
    TextQueue queue;
    GenerateResult result;
    bool first, ok;
    Fault fault;
} Scene;

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
    if (!r->chat) {
        speaker_read(&s->expert, prompt, r->special, &s->tokens);
        return true;
    }
    tokenizer_begin(s->expert.model->tokenizer, &s->tokens);
    return chat_encode(s->expert.model->tokenizer, &turn, 1, &s->tokens, fault);
}

static void echo_prompt(Scene *s) {
    const Request *r = s->request;
    if (r->no_prompt || r->chat) return;
    for (size_t i = 0; r->ids && i < s->tokens.count; i++) queue_id(s, s->tokens.ids[i]);
    if (!r->ids) queue_text(s, text_of(r->prompt));
}

static GenerateOptions make_options(Scene *s, Stream *stream) {
    const Request *r = s->request;
    s->speculation = (Speculation){.draft = s->has_draft ? &s->draft.session : NULL,
                                   .length = (size_t)r->guess};
    return (GenerateOptions){.chain = &s->chain,
                             .seed = (uint64_t)r->seed,
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

static bool run_search(Scene *s, GenerateOptions options, Stream *stream) {
    const Request *r = s->request;
    TokenList best = {0};
    FILE *report = r->quiet ? NULL : stderr;
    double start = clock_seconds();
    bool ok;
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

static void *speak(void *context) {
    Scene *s = context;
    const Request *r = s->request;
    Stream stream;
    stream_open(&stream, &s->stops, queue_text, s);
    s->ok = read_prompt(s, &s->fault) &&
            generate_check_prompt(&s->expert.session, &s->tokens, &s->fault);
    if (s->ok) {
        GenerateOptions options = make_options(s, &stream);
        echo_prompt(s);
        s->ok = r->beams || r->best_of > 1
                    ? run_search(s, options, &stream)
                    : generate(&s->expert.session, &s->expert.candidates, &s->tokens, &options,
                               &s->result, &s->fault);
    }
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
            "[%s: %s, %zu layers | %d thread%s, %s | %s, seed %ld | first token after %.0f ms, "
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

static bool speak_and_show(Scene *s, Fault *fault) {
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

/* ------------------------------------------------------------------ setting the scene */

static bool chain_has(const Chain *chain, size_t offset) {
    for (size_t i = 0; i < chain->count; i++)
        if (*(const bool *)((const char *)chain->stages[i].kind + offset)) return true;
    return false;
}

static bool open_companions(Scene *s, Fault *fault) {
    const Request *r = s->request;
    const Model *model = s->expert.model;
    size_t ctx = s->expert.session.kv.blocks_each * KV_BLOCK;
    if (r->amateur) {
        if (!speaker_open(&s->amateur, r->amateur, &r->machine, ctx, 1, fault)) return false;
        s->has_amateur = true;
        if (s->amateur.model->sizes.vocab != model->sizes.vocab)
            return fault_set(fault,
                             "the amateur has %zu tokens, the model %zu: they must share "
                             "a vocabulary",
                             s->amateur.model->sizes.vocab, model->sizes.vocab);
    }
    if (r->draft) {
        if (!speaker_open(&s->draft, r->draft, &r->machine, ctx, 1, fault)) return false;
        s->has_draft = true;
    }
    if (chain_has(&s->chain, offsetof(StageKind, needs_unconditional))) {
        if (!speaker_share(&s->unconditional, model, r->machine.pool, ctx, 1, fault))
            return false;
        s->has_unconditional = true;
        speaker_read(&s->expert, text_of(r->negative ? r->negative : ""), false, &s->negative);
        if (s->negative.count == 0)
            return fault_set(fault, "this model's texts begin with no token of their own: give "
                                    "a --negative text for cfg");
    }
    return true;
}

static bool open_scene(Scene *s, Fault *fault) {
    const Request *r = s->request;
    size_t vocab;
    if (!speaker_open(&s->expert, r->model, &r->machine, r->ctx > 0 ? (size_t)r->ctx : 0,
                      r->beams ? 2 * (size_t)r->beams : 1, fault))
        return false;
    vocab = s->expert.model->sizes.vocab;
    if (!chain_parse(&s->chain, r->chain, s->expert.model->tokenizer, fault) ||
        !stops_open(&s->stops, r->stops.items, r->stops.count, fault) ||
        !open_companions(s, fault) ||
        (r->stop_ids && !list_read_ids(r->stop_ids, vocab, &s->stop_ids, fault)))
        return false;
    if (!r->trace) return true;
    if (!(s->trace_file = fopen(r->trace, "w")))
        return fault_set(fault, "%s cannot be written", r->trace);
    if (!trace_open(&s->trace, s->trace_file, vocab, s->expert.model->tokenizer, fault))
        return false;
    s->trace.most = (size_t)r->trace_most;
    trace_watch(&s->trace, &s->chain);
    return true;
}

static void close_scene(Scene *s) {
    chain_close(&s->chain);
    stops_close(&s->stops);
    trace_close(&s->trace);
    if (s->trace_file) fclose(s->trace_file);
    token_list_free(&s->tokens), token_list_free(&s->negative), token_list_free(&s->stop_ids);
    if (s->has_amateur) speaker_close(&s->amateur);
    if (s->has_unconditional) speaker_close(&s->unconditional);
    if (s->has_draft) speaker_close(&s->draft);
    if (s->expert.model) speaker_close(&s->expert);
}

static bool run_request(Request *r, Fault *fault) {
    Scene *scene = calloc(1, sizeof *scene);
    char path[2400];
    if (!scene) return fault_set(fault, "no memory");
    scene->request = r, scene->first = true;
    bool ok =
        choose_model(&r->model, path, sizeof path, fault) && machine_open(&r->machine, fault);
    if (ok) {
        ok = open_scene(scene, fault) && speak_and_show(scene, fault);
        close_scene(scene);
        machine_close(&r->machine);
    }
    free(scene);
    return ok;
}

static int run(int argc, char **argv) {
    Request r = {.prompt = "Once upon a time",
                 .chain = chain_default,
                 .most = 400,
                 .seed = 1,
                 .logprobs = -1,
                 .trace_most = 50,
                 .guess = 4,
                 .groups = 1,
                 .length_power = 1};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &r.model, "FILE", "model in GGUF format (the storyteller in the box)"},
        {"-p", OPT_TEXT, &r.prompt, "TEXT", "prompt to continue (\"Once upon a time\")"},
        {"-n", OPT_INT, &r.most, "N",
         "most tokens to generate (400; -1: until the model ends)"},
        {"--chain", OPT_TEXT, &r.chain, "SPEC",
         "samplers, for instance top_k:40,top_p:0.95,temp:0.8 or greedy; strata samplers lists "
         "them"},
        {"--seed", OPT_INT, &r.seed, "N", "the same seed gives the same text (1)"},
        {"--stop", OPT_LIST, &r.stops, "TEXT",
         "end before this text (may be given several times)"},
        {"--stop-ids", OPT_TEXT, &r.stop_ids, "IDS", "end before one of these tokens: 5,17"},
        {"--seconds", OPT_REAL, &r.seconds, "X", "end after so long"},
        {"--repeats", OPT_INT, &r.repeats, "N",
         "end when a piece of up to 64 tokens came N times in a row (0: never)"},
        {"--amateur", OPT_TEXT, &r.amateur, "FILE",
         "weaker model with the same vocabulary, for contrast"},
        {"--negative", OPT_TEXT, &r.negative, "TEXT", "what cfg moves away from (nothing)"},
        {"--draft", OPT_TEXT, &r.draft, "FILE",
         "smaller model with the same vocabulary that guesses ahead (speculative decoding)"},
        {"--lookup", OPT_FLAG, &r.lookup, NULL,
         "guess ahead by what followed the same words before"},
        {"--guess", OPT_INT, &r.guess, "N", "tokens in a guess (4)"},
        {"--best-of", OPT_INT, &r.best_of, "N", "the likeliest of N samples"},
        {"--beams", OPT_INT, &r.beams, "N", "beam search instead of the chain"},
        {"--beam-groups", OPT_INT, &r.groups, "N", "groups of beams that avoid each other (1)"},
        {"--beam-diversity", OPT_REAL, &r.diversity, "X", "how much they do"},
        {"--length-power", OPT_REAL, &r.length_power, "X", "score = ln p / tokens^X (1)"},
        {"--early", OPT_FLAG, &r.early, NULL, "end beam search when N texts are finished"},
        {"--heal", OPT_FLAG, &r.heal, NULL,
         "let the prompt's last word go on: drop its last token, keep its letters"},
        {"--trace", OPT_TEXT, &r.trace, "FILE", "what every stage did at every step, as CSV"},
        {"--trace-rows", OPT_INT, &r.trace_most, "N", "rows for each stage (50; 0: all)"},
        {"--logprobs", OPT_INT, &r.logprobs, "N",
         "for each token, its log-probability before and after the chain, and the N likeliest; "
         "on stderr"},
        {"--ctx", OPT_INT, &r.ctx, "N",
         "context in tokens (the model's, at most 4096 unless given)"},
        {"--chat", OPT_FLAG, &r.chat, NULL,
         "the prompt is a user's message in ChatML; prints the answer"},
        {"--special", OPT_FLAG, &r.special, NULL, "read special tokens in the prompt by name"},
        {"--ids", OPT_FLAG, &r.ids, NULL, "print token ids instead of text"},
        {"--no-prompt", OPT_FLAG, &r.no_prompt, NULL,
         "print what is generated without the prompt before it"},
        {"--quiet", OPT_FLAG, &r.quiet, NULL, "no status line on stderr"},
        MACHINE_OPTIONS(r.machine),
        {0},
    };
    int status = options_read(
        argc, argv, "generate [-m FILE] [-p TEXT] [options]",
        "Continue a prompt.  The text goes to stdout, a line about the run to stderr.", options,
        NULL, 0, 0);
    if (status >= 0) return status;
    if (r.beams < 0 || r.beams > BEAM_MOST || r.groups < 1 || r.best_of < 0 || r.guess < 1 ||
        (r.beams && r.best_of > 1)) {
        fprintf(stderr,
                "strata: --beams is 0 to %d, --guess and --beam-groups are at least 1, and "
                "--best-of goes without --beams\n",
                BEAM_MOST);
        return EXIT_USAGE;
    }
    if (r.repeats < 0 || r.trace_most < 0 || r.seconds < 0) {
        fprintf(stderr, "strata: --repeats, --trace-rows and --seconds are not negative\n");
        return EXIT_USAGE;
    }
    return run_request(&r, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_generate = {
    .name = "generate", .gloss = "continue a prompt with a model", .run = run};
