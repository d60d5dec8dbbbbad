/* generate.c - see generate.h. */
#include "generate.h"

/* With an encoder the prompt is a source that fits into one batch, and the start token. */
static bool check_source(const Session *s, const TokenList *tokens, Fault *fault) {
    const Model *m = s->model;
    size_t source = model_source(m, tokens->ids, tokens->count),
           most = min_size(s->max_tokens, PREFILL_BATCH);
    if (!m->sizes.encoder) return true;
    if (source == tokens->count)
        return fault_set(fault,
                         "a %s model reads one text and writes another: it goes on with no "
                         "prompt and keeps no chat, but begins behind token %d, which does not "
                         "stand behind this text",
                         m->recipe->arch, m->start);
    if (source == 0)
        return fault_set(fault, "the source is empty: give the model something to read");
    if (source <= most) return true;
    return fault_set(fault,
                     "the source has %zu tokens, and a %s model reads it at once, %zu at most: "
                     "shorten it",
                     source, m->recipe->arch, most);
}

bool generate_check_prompt(const Session *s, const TokenList *tokens, bool shift,
                           Fault *fault) {
    size_t ctx = session_ctx(s);
    if (tokens->count == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue");
    if (!check_source(s, tokens, fault)) return false;
    if (tokens->count < ctx || shift) return true;
    return fault_set(fault, "the prompt has %zu tokens and the context holds %zu: shorten it%s",
                     tokens->count, ctx,
                     ctx < s->model->sizes.ctx ? " or ask for a longer context"
                                               : ", the model reads no more");
}

bool generate(Session *session, TokenList *tokens, const GenerateOptions *options,
              GenerateResult *result, Fault *fault) {
    Engine engine;
    Sequence *s = NULL;
    *result = (GenerateResult){0};
    bool ok = engine_open(&engine, session, fault) &&
              (s = engine_add(&engine, tokens, options, fault));
    while (ok && s->live) ok = engine_step(&engine, fault);
    if (ok && s->failed) *fault = s->fault, ok = false;
    if (s) *result = s->result;
    engine_close(&engine);
    return ok;
}
