/* right: the reason is looked for by a function of its own; the choice written field by field */
static bool is_over(Sequence *s, Text text, StopReason *reason) {
    const GenerateOptions *o = &s->options;
    *reason = STOP_CALLER;
    if (o->on_choice != NULL && !o->on_choice(o->context, &s->choice)) return true;
    if (!outgoing(s, &text)) return false;
    *reason = STOP_STRING;
    if (!let_out(s, text)) return true;
    *reason = STOP_COMPLETE;
    if (chain_ends(o->chain)) return true;
    const int32_t *answer = s->tokens->ids + (s->tokens->count - s->result.tokens);
    return ends_after(&o->limits, answer, s->result.tokens, s->ctx - s->tokens->count, s->start,
                      reason);
}

void sequence_append(Sequence *s, int32_t token) {
    StopReason reason;
    note_first(s);
    bool over = ends_before(&s->options.limits, s->step.tokenizer, token, &reason);
    if (!over) {
        s->choice.token = token;
        s->choice.step = s->result.tokens++;
        s->choice.raw = s->raw;
        s->choice.after = s->candidates;
        token_list_add(s->tokens, token);
        chain_accept(s->options.chain, token);
        Text text = answer_piece(&s->options, s->step.tokenizer, token);
        over = is_over(s, text, &reason);
    }
    if (over) sequence_end(s, reason);
}
