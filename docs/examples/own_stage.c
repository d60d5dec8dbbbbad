/* own_stage.c - a program with a sampler of its own: it avoids letters.
 *
 *     cc own_stage.c $(pkg-config --cflags --libs strata) -o own_stage
 *     ./own_stage model.gguf "Once upon a time" avoid:20,greedy */
#include <strata.h>

#include <stdio.h>
#include <string.h>

typedef struct Teller {
    Model model;
    Session session;
    Chain chain;
    TokenList tokens;
} Teller;

/* Take `by` off the logit of every token that holds one of the letters in the kind's
 * context. */
static void avoid(Stage *stage, Candidates *candidates, const Step *step) {
    const char *letters = (const char *)stage->kind->context;
    for (size_t i = 0; i < candidates->count; i++) {
        Text piece = tokenizer_piece(step->tokenizer, candidates_id(candidates, i), false);
        size_t at = 0;
        while (at < piece.size && !memchr(letters, piece.data[at], strlen(letters))) at++;
        if (at < piece.size)
            candidates_set(candidates, i, candidates->logits[i] - (float)stage->value[0]);
    }
}

/* Text goes out as soon as it is there. */
static void show(void *context, Text text) {
    fwrite(text.data, 1, text.size, (FILE *)context);
    fflush((FILE *)context);
}

static bool open_teller(Teller *t, const char *path, const char *prompt, const char *chain,
                        Fault *fault) {
    SessionConfig config = {.ctx = 256, .sequences = 1, .max_tokens = 64, .max_logits = 1};
    if (!model_open(&t->model, path, fault)) return false;
    tokenizer_begin(t->model.tokenizer, &t->tokens);
    return tokenizer_encode(t->model.tokenizer, text_of(prompt), false, &t->tokens, fault) &&
           session_open(&t->session, &t->model, NULL, config, fault) &&
           chain_parse(&t->chain, chain, t->model.tokenizer, fault);
}

static void close_teller(Teller *t) {
    chain_close(&t->chain), session_close(&t->session);
    token_list_free(&t->tokens), model_close(&t->model);
}

static bool tell(Teller *t, const char *prompt, Fault *fault) {
    Stream stream;
    GenerateOptions options = {
        .chain = &t->chain, .seed = 1, .limits = {.max_tokens = 40}, .stream = &stream};
    GenerateResult result;
    stream_open(&stream, NULL, show, stdout);
    show(stdout, text_of(prompt));
    bool ok = generate(&t->session, &t->tokens, &options, &result, fault);
    stream_close(&stream);
    if (ok) printf("\n(%zu tokens, %s)\n", result.tokens, stop_reason_name(result.reason));
    return ok;
}

int main(int argc, char **argv) {
    static char letters[] = "kp";
    static Teller teller;
    static StageKind kind = {.name = "avoid",
                             .gloss = "tokens with certain letters become less likely",
                             .example = "avoid:20",
                             .params = {{.key = "by", .default_value = 10, .high = 100}},
                             .needs = NEEDS_TOKENIZER,
                             .apply = avoid,
                             .context = letters};
    Fault fault = {"usage: own_stage MODEL PROMPT CHAIN"};
    bool ok = argc == 4 && kernels_select(NULL, &fault) && stage_register(&kind, &fault) &&
              open_teller(&teller, argv[1], argv[2], argv[3], &fault) &&
              tell(&teller, argv[2], &fault);
    close_teller(&teller);
    if (!ok) fprintf(stderr, "%s\n", fault.text);
    return ok ? 0 : 1;
}
