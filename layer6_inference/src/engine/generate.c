/* generate.c - see generate.h. */
#include "generate.h"

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

bool generate_check_prompt(const Session *s, const TokenList *tokens, bool longer,
                           Fault *fault) {
    size_t ctx = session_ctx(s), most = min_size(s->max_tokens, PREFILL_BATCH);
    if (tokens->count == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue");
    if (!model_check_prompt(s->model, tokens->ids, tokens->count, most, fault)) return false;
    if (tokens->count < ctx || longer) return true;
    return fault_set(fault, "the prompt has %zu tokens and the context holds %zu: shorten it%s",
                     tokens->count, ctx,
                     ctx < s->model->sizes.ctx ? " or ask for a longer context"
                                               : ", the model reads no more");
}
