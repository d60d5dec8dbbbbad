/* speaker.c - see speaker.h. */
#include "speaker.h"

bool speaker_load(Speaker *s, const char *path, const Machine *machine, Fault *fault) {
    if (!machine_model(machine, path, &s->own, fault)) return false;
    s->model = &s->own;
    return true;
}

bool speaker_begin(Speaker *s, const Machine *machine, size_t ctx, size_t sequences,
                   Fault *fault) {
    size_t most = s->model->sizes.ctx;
    if (ctx == 0) ctx = most < 4096 ? most : 4096;
    SessionConfig config = {.ctx = ctx < most ? ctx : most,
                            .sequences = sequences,
                            .most_tokens = FEED,
                            .most_logits = sequences > 32 ? sequences : 32,
                            .kv = machine->kv_dtype};
    return session_open(&s->session, s->model, machine->pool, config, fault);
}

bool speaker_open(Speaker *s, const char *path, const Machine *machine, size_t ctx,
                  size_t sequences, Fault *fault) {
    if (!speaker_load(s, path, machine, fault)) return false;
    if (speaker_begin(s, machine, ctx, sequences, fault)) return true;
    speaker_close(s);
    return false;
}

void speaker_close(Speaker *s) {
    session_close(&s->session);
    if (s->model == &s->own) model_close(&s->own);
    s->model = NULL;
}

bool speaker_keeps_up(const Speaker *companion, const char *name, const Speaker *with,
                      Fault *fault) {
    size_t has = session_ctx(&companion->session), wants = session_ctx(&with->session);
    if (has >= wants) return true;
    if (has < KV_PAGE)
        return fault_set(fault,
                         "%s has a context of %zu tokens, the model's is %zu: no --ctx "
                         "is as short, take another model",
                         name, has, wants);
    return fault_set(fault,
                     "%s has a context of %zu tokens, the model's is %zu: with --ctx %zu both "
                     "read as far",
                     name, has, wants, has / KV_PAGE * KV_PAGE);
}

bool speaker_read(const Speaker *s, Text text, bool special, TokenList *tokens, Fault *fault) {
    tokenizer_begin(s->model->tokenizer, tokens);
    return tokenizer_encode(s->model->tokenizer, text, special, tokens, fault);
}
