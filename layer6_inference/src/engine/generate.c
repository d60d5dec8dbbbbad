/* generate.c - see generate.h. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool generate_check_prompt(const Session *s, const TokenList *tokens, Fault *fault) {
    size_t ctx = session_ctx(s);
    if (tokens->count == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue");
    if (tokens->count < ctx) return true;
    return fault_set(fault, "the prompt has %zu tokens and the context holds %zu: shorten it%s",
                     tokens->count, ctx,
                     ctx < s->model->sizes.ctx ? " or give a larger --ctx"
                                               : ", the model reads no more");
}

static bool needs_look_ahead(const Chain *chain) {
    for (size_t i = 0; i < chain->count; i++)
        if (chain->stages[i].kind->needs_look_ahead && !stage_is_off(&chain->stages[i]))
            return true;
    return false;
}

/* Rows of logits that are kept aside. */
static bool open_rows(Run *r, Fault *fault) {
    size_t bytes = r->candidates->vocab * sizeof(float);
    if (r->options->want_raw) r->raw = malloc(bytes);
    if (r->step.look_ahead) r->held = malloc(bytes);
    return ((r->raw || !r->options->want_raw) && (r->held || !r->step.look_ahead)) ||
           fault_set(fault, "no memory for a copy of the logits");
}

static bool begin(Run *r, Fault *fault) {
    const GenerateOptions *o = r->options;
    if (!generate_check_prompt(r->session, r->tokens, fault)) return false;
    *r->result = (GenerateResult){.prompt_tokens = r->tokens->count, .reason = STOP_LIMIT};
    chain_reset(o->chain);
    r->step = (Step){.seed = o->seed,
                     .prompt_count = r->tokens->count,
                     .tokenizer = r->session->model->tokenizer,
                     .amateur = o->amateur ? o->amateur->logits : NULL,
                     .unconditional = o->unconditional ? o->unconditional->logits : NULL};
    if (needs_look_ahead(o->chain))
        r->step.look_ahead = look_ahead, r->step.look_ahead_context = &r->look;
    return look_ahead_open(&r->look, r->session, fault) && open_rows(r, fault) &&
           chain_check(o->chain, &r->step, fault) &&
           (!o->speculation || run_speculate_check(r, fault));
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

/* The model reads the prompt, batch by batch, as long as the caller wants.  Its last token is
 * always read: that gives the first logits. */
static bool read_prompt(Run *r, Fault *fault) {
    const GenerateOptions *o = r->options;
    const size_t count = r->tokens->count, known = r->step.look_ahead ? 0 : o->cached,
                 wanted = known < count ? known : count - 1;
    REQUIRE(wanted <= session_length(r->session, 0), "%zu tokens are cached, not %zu",
            session_length(r->session, 0), wanted);
    const size_t first = session_rewind(r->session, 0, wanted);
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
    if (o->amateur) session_rewind(o->amateur, 0, 0);
    if (o->unconditional) session_rewind(o->unconditional, 0, 0);
    if (!read_prompt(r, fault)) return false;
    if (r->result->reason == STOP_CALLER) return true;
    return companion_reads(o->amateur, prompt->ids, prompt->count, fault) &&
           (!o->unconditional ||
            companion_reads(o->unconditional, o->negative->ids, o->negative->count, fault));
}

bool run_choose(Run *r, Chain *chain, float *logits, const int32_t *history, size_t count,
                int32_t *token, Fault *fault) {
    r->step.position = r->step.history_count = count;
    r->step.history = history;
    if (r->options->heal)
        heal_mask(r->options->heal, r->spelled, r->step.tokenizer, logits,
                  r->candidates->vocab);
    return candidates_load(r->candidates, logits, fault) &&
           chain_run(chain, r->candidates, &r->step, token, fault);
}

/* Choose the next token from the logits of the last one. */
static bool choose(Run *r, int32_t *token, Fault *fault) {
    float *logits = r->session->logits;
    size_t bytes = r->candidates->vocab * sizeof *logits;
    if (r->raw) memcpy(r->raw, logits, bytes);
    if (r->held) logits = memcpy(r->held, logits, bytes); /* looking ahead overwrites them */
    return run_choose(r, r->options->chain, logits, r->tokens->ids, r->tokens->count, token,
                      fault);
}

/* The text of a token, without the letters that were in the prompt. */
static Text new_text(Run *r, int32_t token) {
    bool special = r->options->limits.only_bos_ends; /* a document shows its turns */
    Text piece = tokenizer_piece(r->step.tokenizer, token, special);
    return r->options->heal ? heal_cut(r->options->heal, &r->spelled, piece) : piece;
}

bool run_take(Run *r, int32_t token) {
    const GenerateOptions *o = r->options;
    GenerateResult *result = r->result;
    if (ends_before(&o->limits, r->step.tokenizer, token, &result->reason)) return true;
    Choice choice = {token, result->tokens, r->raw, r->candidates};
    chain_accept(o->chain, token);
    token_list_add(r->tokens, token);
    result->tokens++;
    Text text = new_text(r, token);
    if (o->on_choice && !o->on_choice(o->context, &choice))
        return result->reason = STOP_CALLER, true;
    if (o->stream && !stream_push(o->stream, text)) return result->reason = STOP_STRING, true;
    return ends_after(&o->limits, r->tokens->ids + result->prompt_tokens, result->tokens,
                      session_ctx(r->session) - r->tokens->count, r->start, &result->reason);
}

static bool loop(Run *r, Fault *fault) {
    GenerateResult *result = r->result;
    for (bool done = r->options->limits.most_tokens == 0; !done;) {
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
    free(run.raw), free(run.held);
    return ok;
}
