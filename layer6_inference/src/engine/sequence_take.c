/* sequence_take.c - from a row of logits to a token appended to its text.  See sequence.h and
 * take.h. */
#include "take.h"

#include <string.h>

static void ask_extras(Sequence *s, float *logits) {
    EACH_EXTRA(x, s, choose) x->kind->choose(x, s, logits);
}

bool sequence_choose(Sequence *s, Chain *chain, float *logits, int32_t *token, Fault *fault) {
    s->step.position = s->step.history_count = s->tokens->count;
    s->step.history = s->tokens->ids;
    ask_extras(s, logits);
    return candidates_load(s->candidates, logits, fault) &&
           chain_run(chain, s->candidates, &s->step, token, fault);
}

Text answer_piece(const GenerateOptions *o, const Tokenizer *tokenizer, int32_t token) {
    bool special = o->limits.only_bos_ends; /* a document shows its special tokens */
    for (size_t i = 0; o->shown && i < o->shown->count; i++)
        special |= o->shown->ids[i] == token;
    return tokenizer_piece(tokenizer, token, special);
}

static void note_first(Sequence *s) {
    if (s->first > 0) return;
    s->first = clock_seconds();
    s->result.first_token_seconds = s->first - s->start;
}

/* The part of a token's text to output now: an extra may hold some back.  False: it rolled the
 * token back. */
static bool outgoing(Sequence *s, Text *text) {
    EACH_EXTRA(x, s, text) {
        if (!x->kind->text(x, s, text)) return false;
    }
    return true;
}

/* False when a stop string is complete. */
static bool let_out(const Sequence *s, Text text) {
    return !s->options.stream || stream_push(s->options.stream, text);
}

void sequence_append(Sequence *s, int32_t token) {
    const GenerateOptions *o = &s->options;
    StopReason reason;
    note_first(s);
    if (ends_before(&o->limits, s->step.tokenizer, token, &reason)) {
        sequence_end(s, reason);
        return;
    }
    s->choice = (Choice){token, s->result.tokens, s->raw, s->candidates};
    chain_accept(o->chain, token);
    token_list_add(s->tokens, token);
    s->result.tokens++;
    Text text = answer_piece(o, s->step.tokenizer, token);
    if (o->on_choice && !o->on_choice(o->context, &s->choice))
        sequence_end(s, STOP_CALLER);
    else if (!outgoing(s, &text))
        return;
    else if (!let_out(s, text))
        sequence_end(s, STOP_STRING);
    else if (chain_ends(o->chain))
        sequence_end(s, STOP_COMPLETE);
    else if (ends_after(&o->limits, s->tokens->ids + s->result.prompt_tokens, s->result.tokens,
                        s->ctx - s->tokens->count, s->start, &reason))
        sequence_end(s, reason);
}

bool sequence_take(Sequence *s, float *logits, Fault *fault) {
    int32_t token;
    if (s->raw) memcpy(s->raw, logits, s->candidates->vocab * sizeof *s->raw);
    if (!sequence_choose(s, s->options.chain, logits, &token, fault)) return false;
    sequence_append(s, token);
    return true;
}
