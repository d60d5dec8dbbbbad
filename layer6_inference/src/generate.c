/* generate.c - see generate.h. */
#include "generate.h"

const char *stop_reason_name(StopReason reason) {
    static const char *const names[] = {"end of text", "token limit", "stop string",
                                        "context full", "stopped"};
    return names[reason];
}

static bool check_prompt(const Session *s, const TokenList *tokens, Fault *fault) {
    size_t ctx = s->kv.blocks_each * KV_BLOCK;
    if (tokens->count == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue");
    if (tokens->count < ctx) return true;
    return fault_set(fault,
                     "the prompt has %zu tokens and the context holds %zu: shorten it or give "
                     "a larger --ctx",
                     tokens->count, ctx);
}

static bool ends(const Session *s, const GenerateOptions *options, int32_t token) {
    const Tokenizer *t = s->model->tokenizer;
    return options->only_bos_ends ? token == tokenizer_bos(t) : tokenizer_is_end(t, token);
}

/* Choose the next token from the logits of the last one. */
static bool choose(Session *s, Candidates *c, const TokenList *tokens, const GenerateOptions *o,
                   int32_t *token, Fault *fault) {
    Step step = {.seed = o->seed,
                 .position = tokens->count,
                 .history = tokens->ids,
                 .history_count = tokens->count};
    if (!candidates_load(c, s->logits, fault)) return false;
    *token = chain_run(o->chain, c, &step);
    return true;
}

/* What ends the text with this token, if anything does. */
static bool take(Session *s, TokenList *tokens, const GenerateOptions *o, int32_t token,
                 GenerateResult *r) {
    if (ends(s, o, token)) return r->reason = STOP_END, true;
    token_list_add(tokens, token);
    r->tokens++;
    bool special = o->only_bos_ends; /* a document shows its turns */
    if (o->on_token && !o->on_token(o->context, token)) return r->reason = STOP_CALLER, true;
    if (o->stream &&
        !stream_push(o->stream, tokenizer_piece(s->model->tokenizer, token, special)))
        return r->reason = STOP_STRING, true;
    if (r->tokens >= o->most_tokens) return r->reason = STOP_LIMIT, true;
    if (tokens->count >= s->kv.blocks_each * KV_BLOCK) return r->reason = STOP_CONTEXT, true;
    return false;
}

bool generate(Session *s, Candidates *c, TokenList *tokens, const GenerateOptions *o,
              GenerateResult *r, Fault *fault) {
    *r = (GenerateResult){.prompt_tokens = tokens->count, .reason = STOP_LIMIT};
    if (!check_prompt(s, tokens, fault)) return false;
    kv_truncate(&s->kv, 0, 0);
    double start = clock_seconds();
    if (!session_feed(s, tokens->ids, tokens->count, false, fault)) return false;
    r->prefill_seconds = clock_seconds() - start;
    double first = 0;
    for (bool done = o->most_tokens == 0; !done;) {
        int32_t token;
        if (!choose(s, c, tokens, o, &token, fault)) return false;
        if (r->tokens == 0) first = clock_seconds(), r->first_token_seconds = first - start;
        done = take(s, tokens, o, token, r);
        if (!done && !session_feed(s, &token, 1, false, fault)) return false;
    }
    r->decode_seconds = r->tokens ? clock_seconds() - first : 0;
    if (o->stream && r->reason != STOP_STRING) stream_finish(o->stream);
    return true;
}
