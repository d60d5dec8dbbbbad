/* sequence_take.c - from a row of logits to a token that has joined its text: see sequence.h and take.h. */
#include "take.h"

#include <string.h>

bool sequence_choose(Sequence *s, Chain *chain, float *logits, int32_t *token, Fault *fault) {
    s->step.position = s->step.history_count = s->tokens->count;
    s->step.history = s->tokens->ids;
    if (s->options.heal)
        heal_mask(s->options.heal, s->spelled, s->step.tokenizer, logits, s->candidates->vocab);
    if (s->options.take_back)
        take_back_mask(s->options.take_back, logits, s->candidates->vocab);
    return candidates_load(s->candidates, logits, fault) &&
           chain_run(chain, s->candidates, &s->step, token, fault);
}

Text answer_piece(const GenerateOptions *o, const Tokenizer *tokenizer, int32_t token) {
    bool special = o->limits.only_bos_ends; /* a document shows its turns */
    for (size_t i = 0; o->shown && i < o->shown->count; i++)
        special |= o->shown->ids[i] == token;
    return tokenizer_piece(tokenizer, token, special);
}

/* The text of a token, without the letters that were in the prompt. */
static Text new_text(Sequence *s, int32_t token) {
    Text piece = answer_piece(&s->options, s->step.tokenizer, token);
    return s->options.heal ? heal_cut(s->options.heal, &s->spelled, piece) : piece;
}

static void note_first(Sequence *s) {
    if (s->first > 0) return;
    s->first = clock_seconds();
    s->result.first_token_seconds = s->first - s->start;
}

/* Does the token complete a text that must not come?  Then it is gone, with all tokens that spell it. */
static bool takes_back(Sequence *s, Text text) {
    const GenerateOptions *o = &s->options;
    size_t n = take_back_push(o->take_back, text, s->tokens->ids + s->result.prompt_tokens);
    if (!n) return false;
    s->tokens->count -= n, s->result.tokens -= n;
    chain_rewind(o->chain, n);
    if (o->on_taken_back) o->on_taken_back(o->context, n);
    if (o->take_back->times <= TAKE_BACK_TIMES) return true;
    fault_set(&s->fault, "%d times a banned text was taken back: the chain leaves no other way",
              TAKE_BACK_TIMES);
    s->dead_end = true;
    sequence_fail(s);
    return true;
}

/* Text goes out, as far as it may.  False when a stop string is complete. */
static bool let_out(Sequence *s, Text text) {
    TakeBack *t = s->options.take_back;
    if (t) text = take_back_ready(t, false);
    bool more = !s->options.stream || stream_push(s->options.stream, text);
    if (t) take_back_let_go(t, text.size);
    return more;
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
    else if (o->take_back && takes_back(s, text))
        return;
    else if (!let_out(s, text))
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
