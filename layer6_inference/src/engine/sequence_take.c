/* sequence_take.c - from a row of logits to a token that has joined its text: see sequence.h and take.h. */
#include "take.h"

#include <string.h>

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
