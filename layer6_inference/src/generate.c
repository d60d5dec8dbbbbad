/* generate.c - see generate.h. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *stop_reason_name(StopReason reason) {
    static const char *const names[] = {"end of text", "token limit",  "stop string",
                                        "stop token",  "context full", "time limit",
                                        "repetition",  "stopped"};
    return names[reason];
}

bool generate_check_prompt(const Session *s, const TokenList *tokens, Fault *fault) {
    size_t ctx = s->kv.blocks_each * KV_BLOCK;
    if (tokens->count == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue");
    if (tokens->count < ctx) return true;
    return fault_set(fault,
                     "the prompt has %zu tokens and the context holds %zu: shorten it or give "
                     "a larger --ctx",
                     tokens->count, ctx);
}

bool tokens_circle(const int32_t *tokens, size_t n, size_t times) {
    for (size_t size = 1; times > 1 && size <= 64 && size * times <= n; size++) {
        const int32_t *tail = tokens + (n - size * times);
        if (memcmp(tail, tail + size, size * (times - 1) * sizeof *tail) == 0) return true;
    }
    return false;
}

static bool needs_look_ahead(const Chain *chain) {
    for (size_t i = 0; i < chain->count; i++)
        if (chain->stages[i].kind->needs_look_ahead) return true;
    return false;
}

/* The prompt's last token goes; what comes must begin with its letters. */
static bool drop_last(Run *r, Fault *fault) {
    const Tokenizer *t = r->session->model->tokenizer;
    if (r->tokens->count < 2) return true;
    Text piece = tokenizer_piece(t, r->tokens->ids[r->tokens->count - 1], false);
    if (piece.size == 0) return true; /* a special token stays */
    if (!(r->heal = malloc(piece.size))) return fault_set(fault, "no memory");
    memcpy(r->heal, piece.data, piece.size);
    r->heal_size = piece.size;
    r->tokens->count--;
    return true;
}

static bool begin(Run *r, Fault *fault) {
    const GenerateOptions *o = r->options;
    const Model *model = r->session->model;
    if (!generate_check_prompt(r->session, r->tokens, fault)) return false;
    if (o->heal && !drop_last(r, fault)) return false;
    *r->result = (GenerateResult){.prompt_tokens = r->tokens->count, .reason = STOP_LIMIT};
    chain_reset(o->chain);
    REQUIRE(o->cached < r->tokens->count, "all of the prompt is cached: nothing to go on from");
    kv_truncate(&r->session->kv, 0, o->cached);
    r->step = (Step){.seed = o->seed,
                     .prompt_count = r->tokens->count,
                     .tokenizer = model->tokenizer,
                     .amateur = o->amateur ? o->amateur->logits : NULL,
                     .unconditional = o->unconditional ? o->unconditional->logits : NULL};
    look_ahead_open(&r->look, r->session);
    if (needs_look_ahead(o->chain))
        r->step.look_ahead = look_ahead, r->step.look_ahead_context = &r->look;
    if (o->want_raw && !(r->raw = malloc(model->sizes.vocab * sizeof *r->raw)))
        return fault_set(fault, "no memory for a copy of the logits");
    return chain_check(o->chain, &r->step, fault);
}

/* The model reads on, keeping hidden states where the chain looks ahead. */
static bool read_on(Run *r, const int32_t *tokens, size_t count, Fault *fault) {
    return r->step.look_ahead ? look_ahead_feed(&r->look, tokens, count, fault)
                              : session_feed(r->session, tokens, count, false, fault);
}

static bool companion_reads(Session *companion, const int32_t *tokens, size_t count,
                            Fault *fault) {
    return !companion || session_feed(companion, tokens, count, false, fault);
}

/* The model and its companions read on. */
static bool feed(Run *r, const int32_t *tokens, size_t count, Fault *fault) {
    return read_on(r, tokens, count, fault) &&
           companion_reads(r->options->amateur, tokens, count, fault) &&
           companion_reads(r->options->unconditional, tokens, count, fault);
}

/* The model reads the prompt, batch by batch, as long as the caller wants. */
static bool read_prompt(Run *r, Fault *fault) {
    const GenerateOptions *o = r->options;
    const size_t first = o->cached, count = r->tokens->count;
    for (size_t at = first; at < count && r->result->reason != STOP_CALLER;) {
        size_t n = count - at < FEED ? count - at : FEED;
        if (!read_on(r, r->tokens->ids + at, n, fault)) return false;
        at += n;
        if (o->on_read && !o->on_read(o->context, at - first, count - first))
            r->result->reason = STOP_CALLER;
    }
    return true;
}

/* The model and the amateur read the prompt; the unconditional one something else. */
static bool feed_prompt(Run *r, Fault *fault) {
    const GenerateOptions *o = r->options;
    const TokenList *prompt = r->tokens;
    if (o->amateur) kv_truncate(&o->amateur->kv, 0, 0);
    if (o->unconditional) kv_truncate(&o->unconditional->kv, 0, 0);
    if (!read_prompt(r, fault)) return false;
    if (r->result->reason == STOP_CALLER) return true;
    return companion_reads(o->amateur, prompt->ids, prompt->count, fault) &&
           (!o->unconditional ||
            companion_reads(o->unconditional, o->negative->ids, o->negative->count, fault));
}

static bool begins_with(Text text, const char *start, size_t size) {
    size_t n = text.size < size ? text.size : size;
    return n > 0 && memcmp(text.data, start, n) == 0;
}

/* Only tokens that go on with the letters still owed. */
static void mask_heal(const Run *r, float *logits) {
    const Tokenizer *t = r->session->model->tokenizer;
    for (size_t i = 0; i < r->candidates->vocab; i++)
        if (!begins_with(tokenizer_piece(t, (int32_t)i, false), r->heal, r->heal_size))
            logits[i] = -INFINITY;
}

bool run_choose(Run *r, Chain *chain, float *logits, const int32_t *history, size_t count,
                int32_t *token, Fault *fault) {
    r->step.position = r->step.history_count = count;
    r->step.history = history;
    if (r->heal_size) mask_heal(r, logits);
    return candidates_load(r->candidates, logits, fault) &&
           chain_run(chain, r->candidates, &r->step, token, fault);
}

/* Choose the next token from the logits of the last one. */
static bool choose(Run *r, int32_t *token, Fault *fault) {
    float *logits = r->session->logits, *held = NULL;
    size_t bytes = r->candidates->vocab * sizeof *logits;
    if (r->raw) memcpy(r->raw, logits, bytes);
    if (r->step.look_ahead) { /* looking ahead overwrites the session's logits */
        if (!(held = malloc(bytes))) return fault_set(fault, "no memory for the logits");
        logits = memcpy(held, logits, bytes);
    }
    bool ok = run_choose(r, r->options->chain, logits, r->tokens->ids, r->tokens->count, token,
                         fault);
    free(held);
    return ok;
}

static bool ends(const Run *r, int32_t token) {
    const Tokenizer *t = r->session->model->tokenizer;
    return r->options->only_bos_ends ? token == tokenizer_bos(t) : tokenizer_is_end(t, token);
}

static bool is_stop_id(const GenerateOptions *o, int32_t token) {
    for (size_t i = 0; i < o->n_stop_ids; i++)
        if (o->stop_ids[i] == token) return true;
    return false;
}

/* The text of a token, without the letters that were in the prompt. */
static Text new_text(Run *r, int32_t token) {
    bool special = r->options->only_bos_ends; /* a document shows its turns */
    Text piece = tokenizer_piece(r->session->model->tokenizer, token, special);
    size_t old = piece.size < r->heal_size ? piece.size : r->heal_size;
    if (old) memmove(r->heal, r->heal + old, r->heal_size -= old);
    return (Text){piece.data + old, piece.size - old};
}

bool run_take(Run *r, int32_t token) {
    const GenerateOptions *o = r->options;
    GenerateResult *result = r->result;
    if (ends(r, token)) return result->reason = STOP_END, true;
    if (is_stop_id(o, token)) return result->reason = STOP_ID, true;
    Choice choice = {token, result->tokens, r->raw, r->candidates};
    chain_accept(o->chain, token);
    token_list_add(r->tokens, token);
    result->tokens++;
    Text text = new_text(r, token);
    if (o->on_choice && !o->on_choice(o->context, &choice))
        return result->reason = STOP_CALLER, true;
    if (o->stream && !stream_push(o->stream, text)) return result->reason = STOP_STRING, true;
    if (result->tokens >= o->most_tokens) return result->reason = STOP_LIMIT, true;
    if (r->tokens->count >= r->session->kv.blocks_each * KV_BLOCK)
        return result->reason = STOP_CONTEXT, true;
    if (o->most_seconds > 0 && clock_seconds() - r->start >= o->most_seconds)
        return result->reason = STOP_TIME, true;
    if (o->repeats &&
        tokens_circle(r->tokens->ids + result->prompt_tokens, result->tokens, o->repeats))
        return result->reason = STOP_REPEAT, true;
    return false;
}

static bool loop(Run *r, Fault *fault) {
    GenerateResult *result = r->result;
    for (bool done = r->options->most_tokens == 0; !done;) {
        int32_t token;
        if (!choose(r, &token, fault)) return false;
        if (result->tokens == 0)
            r->first = clock_seconds(), result->first_token_seconds = r->first - r->start;
        done = run_take(r, token);
        if (!done && !feed(r, &token, 1, fault)) return false;
    }
    return true;
}

bool generate(Session *session, Candidates *candidates, TokenList *tokens,
              const GenerateOptions *options, GenerateResult *result, Fault *fault) {
    Run run = {.session = session,
               .candidates = candidates,
               .tokens = tokens,
               .options = options,
               .result = result,
               .start = clock_seconds()};
    *result = (GenerateResult){0};
    bool ok = begin(&run, fault) && feed_prompt(&run, fault);
    result->prefill_seconds = clock_seconds() - run.start;
    if (ok && result->reason != STOP_CALLER)
        ok = options->speculation ? run_speculate(&run, fault) : loop(&run, fault);
    result->decode_seconds = result->tokens ? clock_seconds() - run.first : 0;
    if (options->stream && (!ok || result->reason != STOP_STRING))
        stream_finish(options->stream);
    look_ahead_close(&run.look);
    free(run.raw), free(run.heal);
    return ok;
}
