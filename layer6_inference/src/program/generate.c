/* generate.c - strata generate: a prompt becomes streamed text. */
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Request {
    const char *model, *prompt, *chain;
    long most, seed, ctx;
    OptionList stops;
    bool ids, no_prompt, special, chat, quiet;
    Machine machine;
} Request;

static void print_text(void *context, Text text) {
    (void)context;
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
}

static bool print_id(void *context, int32_t id) {
    bool *first = context;
    printf(*first ? "%" PRId32 : " %" PRId32, id);
    *first = false;
    fflush(stdout);
    return true;
}

static bool encode_prompt(const Request *r, const Tokenizer *tokenizer, TokenList *tokens,
                          Fault *fault) {
    Text prompt = text_of(r->prompt);
    if (prompt.size == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue, -p "
                                "\"Once upon a time\"");
    tokenizer_begin(tokenizer, tokens);
    ChatTurn turn = {text_of("user"), prompt};
    if (r->chat) return chat_encode(tokenizer, &turn, 1, tokens, fault);
    tokenizer_encode(tokenizer, prompt, r->special, tokens);
    return true;
}

static void print_status(const Request *r, const Model *model, const Chain *chain,
                         const GenerateResult *result) {
    char text[CHAIN_TEXT];
    const char *slash = strrchr(r->model, '/');
    double rate =
        result->decode_seconds > 0 ? (double)(result->tokens - 1) / result->decode_seconds : 0;
    fprintf(stderr,
            "[%s: %s, %zu layers | %d thread%s, %s | %s, seed %ld | first token after %.0f ms, "
            "then %zu at %.0f tokens/s | %s]\n",
            slash ? slash + 1 : r->model, model->recipe->arch, model->sizes.layers,
            pool_threads(r->machine.pool), pool_threads(r->machine.pool) == 1 ? "" : "s",
            kernels()->isa, chain_print(chain, text), r->seed,
            1e3 * result->first_token_seconds, result->tokens, rate,
            stop_reason_name(result->reason));
}

static bool speak(const Request *r, const Model *model, Session *session, const Chain *chain,
                  Fault *fault) {
    TokenList tokens = {0};
    Stream stream;
    Candidates candidates;
    Arena arena;
    GenerateResult result = {0};
    bool first = true;
    arena_measure(&arena);
    candidates_init(&candidates, model->sizes.vocab, &arena);
    if (!arena_init(&arena, arena.used, fault)) return false;
    candidates_init(&candidates, model->sizes.vocab, &arena);
    stream_open(&stream, r->stops.items, r->stops.count, r->ids ? NULL : print_text, NULL);
    GenerateOptions options = {.chain = chain,
                               .seed = (uint64_t)r->seed,
                               .context = &first,
                               .most_tokens = r->most < 0 ? SIZE_MAX : (size_t)r->most};
    if (r->ids)
        options.on_token = print_id;
    else
        options.stream = &stream;
    bool ok = encode_prompt(r, model->tokenizer, &tokens, fault);
    if (ok && !r->no_prompt && !r->chat && tokens.count < session->kv.blocks_each * KV_BLOCK) {
        for (size_t i = 0; r->ids && i < tokens.count; i++) print_id(&first, tokens.ids[i]);
        if (!r->ids) fputs(r->prompt, stdout);
        fflush(stdout);
    }
    ok = ok && generate(session, &candidates, &tokens, &options, &result, fault);
    if (ok) putchar('\n');
    fflush(stdout);
    if (ok && !r->quiet) print_status(r, model, chain, &result);
    stream_close(&stream);
    token_list_free(&tokens);
    arena_free(&arena);
    return ok;
}

static bool run_request(Request *r, Fault *fault) {
    Model model;
    Session session;
    Chain chain;
    char path[2400];
    if (!choose_model(&r->model, path, sizeof path, fault)) return false;
    if (!chain_parse(&chain, r->chain, fault) || !machine_open(&r->machine, fault))
        return false;
    bool ok = model_open(&model, r->model, fault);
    if (ok) {
        size_t ctx = r->ctx > 0               ? (size_t)r->ctx
                     : model.sizes.ctx < 4096 ? model.sizes.ctx
                                              : 4096;
        if (ctx > model.sizes.ctx) ctx = model.sizes.ctx;
        SessionConfig config = {
            .ctx = ctx, .sequences = 1, .most_tokens = 128, .most_logits = 1};
        ok = session_open(&session, &model, r->machine.pool, config, fault);
        if (ok) {
            ok = speak(r, &model, &session, &chain, fault);
            session_close(&session);
        }
        model_close(&model);
    }
    machine_close(&r->machine);
    return ok;
}

static int run(int argc, char **argv) {
    Request r = {.prompt = "Once upon a time", .chain = chain_default, .most = 400, .seed = 1};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &r.model, "FILE", "model in GGUF format (the storyteller in the box)"},
        {"-p", OPT_TEXT, &r.prompt, "TEXT", "prompt to continue (\"Once upon a time\")"},
        {"-n", OPT_INT, &r.most, "N",
         "most tokens to generate (400; -1: until the model ends)"},
        {"--chain", OPT_TEXT, &r.chain, "SPEC",
         "samplers, for instance top_k:40,top_p:0.95,temp:0.8 or greedy"},
        {"--seed", OPT_INT, &r.seed, "N", "the same seed gives the same text (1)"},
        {"--stop", OPT_LIST, &r.stops, "TEXT",
         "end before this text (may be given several times)"},
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
    return run_request(&r, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_generate = {
    .name = "generate", .gloss = "continue a prompt with a model", .run = run};
