/* speaker.c - see speaker.h. */
#include "speaker.h"

bool speaker_share(Speaker *s, const Model *model, const Machine *machine, size_t ctx,
                   size_t sequences, Fault *fault) {
    size_t most = model->sizes.ctx;
    s->model = model;
    if (ctx == 0) ctx = most < 4096 ? most : 4096;
    SessionConfig config = {.ctx = ctx < most ? ctx : most,
                            .sequences = sequences,
                            .most_tokens = FEED,
                            .most_logits = sequences > 32 ? sequences : 32,
                            .kv = machine->kv_dtype};
    if (session_open(&s->session, model, machine->pool, config, fault)) {
        if (candidates_open(&s->candidates, model->sizes.vocab, &s->arena, fault)) return true;
        session_close(&s->session);
    }
    s->model = NULL; /* not open */
    return false;
}

bool speaker_open(Speaker *s, const char *path, const Machine *machine, size_t ctx,
                  size_t sequences, Fault *fault) {
    if (!machine_model(machine, path, &s->own, fault)) return false;
    if (speaker_share(s, &s->own, machine, ctx, sequences, fault)) return true;
    model_close(&s->own);
    return false;
}

void speaker_close(Speaker *s) {
    session_close(&s->session);
    arena_free(&s->arena);
    if (s->model == &s->own) model_close(&s->own);
}

bool speaker_read(const Speaker *s, Text text, bool special, TokenList *tokens, Fault *fault) {
    tokenizer_begin(s->model->tokenizer, tokens);
    return tokenizer_encode(s->model->tokenizer, text, special, tokens, fault);
}
