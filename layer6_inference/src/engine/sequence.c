/* sequence.c - see sequence.h. */
#include "generate.h"
#include "take.h"

#include <stdlib.h>
#include <string.h>

static bool needs_look_ahead(const Chain *chain) {
    for (size_t i = 0; chain && i < chain->count; i++)
        if (chain->stages[i].kind->needs_look_ahead && !stage_is_off(&chain->stages[i]))
            return true;
    return false;
}

static const float *any_logits(const Reader *reader) {
    return reader->session ? reader->session->logits : NULL;
}

bool sequence_open(Sequence *s, const Session *session, Fault *fault) {
    const GenerateOptions *o = &s->options;
    if (!generate_check_prompt(session, s->tokens, fault)) return false;
    if (o->negative && o->negative->count == 0)
        return fault_set(fault, "what cfg moves away from is empty: give it a negative text");
    s->result = (GenerateResult){.prompt_tokens = s->tokens->count, .reason = STOP_LIMIT};
    s->start = clock_seconds(), s->ctx = session_ctx(session);
    REQUIRE(!o->chain != !o->on_logits, "a text is continued by a chain or by somebody else");
    if (o->chain) chain_reset(o->chain);
    s->step = (Step){.seed = o->seed,
                     .prompt_count = s->tokens->count,
                     .tokenizer = session->model->tokenizer,
                     .amateur = any_logits(&s->reader[READS_AMATEUR]),
                     .unconditional = any_logits(&s->reader[READS_NEGATIVE])};
    if (needs_look_ahead(o->chain))
        s->step.look_ahead = look_ahead, s->step.look_ahead_context = &s->look;
    if (o->want_raw && !(s->raw = malloc(session->model->sizes.vocab * sizeof *s->raw)))
        return fault_set(fault, "no memory for a copy of the logits");
    return (!o->chain || chain_check(o->chain, &s->step, fault)) &&
           (!o->speculation || draft_open(s, session, fault));
}

void sequence_close(Sequence *s) {
    look_ahead_close(&s->look);
    draft_close(s->draft);
    free(s->raw);
    *s = (Sequence){0};
}

bool sequence_choose(Sequence *s, Chain *chain, float *logits, int32_t *token, Fault *fault) {
    s->step.position = s->step.history_count = s->tokens->count;
    s->step.history = s->tokens->ids;
    if (s->options.heal)
        heal_mask(s->options.heal, s->spelled, s->step.tokenizer, logits, s->candidates->vocab);
    return candidates_load(s->candidates, logits, fault) &&
           chain_run(chain, s->candidates, &s->step, token, fault);
}

/* The text of a token, without the letters that were in the prompt. */
static Text new_text(Sequence *s, int32_t token) {
    bool special = s->options.limits.only_bos_ends; /* a document shows its turns */
    Text piece = tokenizer_piece(s->step.tokenizer, token, special);
    return s->options.heal ? heal_cut(s->options.heal, &s->spelled, piece) : piece;
}

static void note_first(Sequence *s) {
    if (s->first > 0) return;
    s->first = clock_seconds();
    s->result.first_token_seconds = s->first - s->start;
}

void sequence_end(Sequence *s, StopReason reason) {
    s->live = false, s->result.reason = reason;
    s->result.decode_seconds = s->result.tokens ? clock_seconds() - s->first : 0;
    if (s->options.stream && reason != STOP_STRING) stream_finish(s->options.stream);
}

bool sequence_waits(const Sequence *s) {
    return s->options.on_logits && s->answered == s->tokens->count;
}

void sequence_fail(Sequence *s) {
    s->failed = true;
    sequence_end(s, STOP_CALLER);
}

void sequence_append(Sequence *s, int32_t token, Choice *choice) {
    const GenerateOptions *o = &s->options;
    StopReason reason;
    note_first(s);
    if (ends_before(&o->limits, s->step.tokenizer, token, &reason)) {
        sequence_end(s, reason);
        return;
    }
    *choice = (Choice){token, s->result.tokens, s->raw, s->candidates};
    chain_accept(o->chain, token);
    token_list_add(s->tokens, token);
    s->result.tokens++;
    Text text = new_text(s, token);
    if (o->on_choice && !o->on_choice(o->context, choice))
        sequence_end(s, STOP_CALLER);
    else if (o->stream && !stream_push(o->stream, text))
        sequence_end(s, STOP_STRING);
    else if (chain_ends(o->chain))
        sequence_end(s, STOP_COMPLETE);
    else if (ends_after(&o->limits, s->tokens->ids + s->result.prompt_tokens, s->result.tokens,
                        s->ctx - s->tokens->count, s->start, &reason))
        sequence_end(s, reason);
}

bool sequence_take(Sequence *s, float *logits, Choice *choice, Fault *fault) {
    int32_t token;
    s->answered = s->tokens->count;
    if (s->options.on_logits)
        return s->options.on_logits(s->options.context, logits, s->candidates, fault);
    if (s->raw) memcpy(s->raw, logits, s->candidates->vocab * sizeof *s->raw);
    if (!sequence_choose(s, s->options.chain, logits, &token, fault)) return false;
    sequence_append(s, token, choice);
    return true;
}
