/* story.c - a model continues a text.  Begin reading here: each call leads into a layer.
 *
 *     story -m model.gguf -p "Once upon a time" --chain min_p:0.05,temp:0.8 --seed 1 -n 400
 *
 * Text becomes tokens.  The model reads them and gives each token of its vocabulary a number, a
 * logit, for how well it would continue the text.  A chain of samplers picks one, it joins the
 * text, and the model reads on.  That loop is continue_story().
 *
 * Invariant: with one instruction set, it writes the same bytes as `strata generate`. */
#include "inference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONTEXT = 4096 };

/* What the command line asks for. */
typedef struct Wish {
    const char *model, *prompt, *chain;
    uint64_t seed, tokens;
} Wish;

typedef struct Story {
    Model model;           /* layer 5: the weights and the tokenizer */
    Session session;       /* layer 5: the KV cache and working memory of a run */
    TokenList text;        /* layer 5: the prompt and everything generated */
    Chain chain;           /* layer 6: the samplers */
    Candidates candidates; /* layer 6: the tokens that may come next */
    Stream stream;         /* layer 6: tokens become whole characters */
    Pool *pool;            /* layer 1: threads */
    Arena arena;           /* layer 1: memory of the candidates */
    Step step;             /* what samplers may know about the text */
    size_t read;           /* tokens of the text that the model has read */
    double start, first;   /* seconds: when it began; when the first token came (0: not yet) */
} Story;

static void print_text(void *context, Text text) {
    (void)context;
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
}

/* Open the model file and allocate the run's memory. */
static bool open_story(Story *s, const Wish *wish, Fault *fault) {
    /* threads: one per core, not pinned; weights are repacked for speed, without progress */
    if (!(s->pool = pool_open(0, false, fault)) || !model_open(&s->model, wish->model, fault) ||
        !model_pack(&s->model, s->pool, NULL, NULL, fault))
        return false;
    SessionConfig config = {.ctx = min_size(s->model.sizes.ctx, MAX_CONTEXT),
                            .sequences = 1,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = 1};
    stream_open(&s->stream, NULL, print_text, NULL);
    return kv_format_read("f16", &config.kv, fault) &&
           session_open(&s->session, &s->model, s->pool, config, fault) &&
           candidates_open(&s->candidates, s->model.sizes.vocab, &s->arena, fault) &&
           chain_parse(&s->chain, wish->chain, s->model.tokenizer, fault);
}

static void close_story(Story *s) {
    stream_close(&s->stream);
    chain_close(&s->chain);
    token_list_free(&s->text);
    arena_free(&s->arena);
    session_close(&s->session);
    model_close(&s->model);
    pool_close(s->pool);
}

/* The prompt as tokens, with room for those that follow. */
static bool encode(Story *s, Text prompt, Fault *fault) {
    if (!token_list_reserve(&s->text, session_ctx(&s->session), fault)) return false;
    tokenizer_begin(s->model.tokenizer, &s->text);
    if (!tokenizer_encode(s->model.tokenizer, prompt, false, &s->text, fault)) return false;
    if (s->text.count == 0)
        return fault_set(fault, "empty prompt: give the model something to continue");
    if (s->text.count < session_ctx(&s->session)) return true;
    return fault_set(fault, "the prompt has %zu tokens, the context holds %zu: shorten it",
                     s->text.count, session_ctx(&s->session));
}

/* The model reads the new tokens and computes the logits of the next one. */
static bool feed(Story *s, Fault *fault) {
    size_t from = s->read;
    s->read = s->text.count;
    return session_eval(&s->session, s->text.ids + from, s->text.count - from, false, fault);
}

/* The samplers turn logits into one token. */
static bool choose(Story *s, int32_t *token, Fault *fault) {
    s->step.history = s->text.ids, s->step.history_count = s->step.position = s->text.count;
    return candidates_load(&s->candidates, s->session.logits, fault) &&
           chain_run(&s->chain, &s->candidates, &s->step, token, fault);
}

static void append(Story *s, int32_t token) {
    token_list_add(&s->text, token);
    chain_accept(&s->chain, token);
}

static void print(Story *s, int32_t token) {
    if (s->first == 0) s->first = clock_seconds();
    stream_push(&s->stream, tokenizer_piece(s->model.tokenizer, token, false));
}

/* Feed, choose, append, print, until the model ends the story. */
static bool continue_story(Story *s, const Wish *wish, const char **reason, Fault *fault) {
    const size_t room = session_ctx(&s->session),
                 limit = wish->tokens < room ? s->text.count + wish->tokens : SIZE_MAX;
    int32_t token;
    s->step = (Step){
        .seed = wish->seed, .prompt_count = s->text.count, .tokenizer = s->model.tokenizer};
    for (;;) {
        if (!feed(s, fault)) return false;
        if (!choose(s, &token, fault)) return false;
        if (tokenizer_is_end(s->model.tokenizer, token)) return *reason = "end of text", true;
        append(s, token);
        print(s, token);
        if (s->text.count == limit) return *reason = "token limit", true;
        if (s->text.count == room) return *reason = "context full", true;
    }
}

static void print_status(const Story *s, size_t tokens, const char *reason) {
    fprintf(stderr, "[%s | %d threads, %s | ", s->model.recipe->arch, pool_threads(s->pool),
            kernels_isa());
    if (tokens > 0) fprintf(stderr, "first token after %.0f ms", 1e3 * (s->first - s->start));
    if (tokens > 1)
        fprintf(stderr, ", then %zu at %.0f tokens/s", tokens - 1,
                (double)(tokens - 1) / (clock_seconds() - s->first));
    fprintf(stderr, "%s%s]\n", tokens > 0 ? " | " : "", reason);
}

static bool tell(const Wish *wish, Fault *fault) {
    Story s = {.start = clock_seconds()};
    const char *reason = NULL;
    bool ok = open_story(&s, wish, fault) && encode(&s, text_of(wish->prompt), fault);
    size_t prompt = s.text.count;
    if (ok) print_text(NULL, text_of(wish->prompt));
    ok = ok && continue_story(&s, wish, &reason, fault);
    stream_finish(&s.stream);
    if (ok || s.first > 0) print_text(NULL, text_of("\n"));
    if (ok && ferror(stdout)) ok = fault_set(fault, "standard output is full or closed");
    if (ok) print_status(&s, s.text.count - prompt, reason);
    close_story(&s);
    return ok;
}

static bool read_options(int argc, char **argv, Wish *wish, Fault *fault) {
    const struct {
        const char *name, **text;
        uint64_t *number;
    } options[] = {{"-m", &wish->model, NULL},
                   {"-p", &wish->prompt, NULL},
                   {"--chain", &wish->chain, NULL},
                   {"--seed", NULL, &wish->seed},
                   {"-n", NULL, &wish->tokens}};
    for (int i = 1; i < argc; i += 2) {
        const char *value = argv[i + 1];
        size_t k = 0;
        while (k < 5 && strcmp(argv[i], options[k].name) != 0) k++;
        if (k == 5)
            return fault_set(fault,
                             "no option '%s': the options are -m, -p, --chain, --seed and -n; "
                             "strata generate has more",
                             argv[i]);
        if (!value || !*value) return fault_set(fault, "%s: wanted a value", argv[i]);
        if (options[k].text) {
            *options[k].text = value;
            continue;
        }
        errno = 0;
        *options[k].number = strtoull(value, NULL, 10);
        if (strspn(value, "0123456789") != strlen(value) || errno == ERANGE)
            return fault_set(fault, "%s is '%s': wanted an integer below 2^64", argv[i], value);
    }
    return wish->tokens > 0 || fault_set(fault, "-n is 0: wanted at least one token");
}

int main(int argc, char **argv) {
    Wish wish = {"layer5_models/models/storyteller.gguf", "Once upon a time", chain_default, 1,
                 400};
    Fault fault;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        puts("usage: story [-m FILE] [-p TEXT] [--chain SPEC] [--seed N] [-n TOKENS]\n\n"
             "Continue a text with a model, by the shortest way through the six layers "
             "(story.c).\nstrata generate does the same with more options.");
        if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
        fprintf(stderr, "story: standard output is full or closed\n");
        return 1;
    }
    if (read_options(argc, argv, &wish, &fault) && kernels_select(NULL, &fault) &&
        tell(&wish, &fault))
        return 0;
    fprintf(stderr, "story: %s\n", fault.text);
    return 1;
}
