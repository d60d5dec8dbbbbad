/* wrong: order of the contract | the limits are asked before the stop string */
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
    bool asked = !o->on_choice || o->on_choice(o->context, &s->choice);
    bool going = !asked || !outgoing(s, &text) || let_out(s, text);
    if (!asked)
        sequence_end(s, STOP_CALLER);
    else if (ends_after(&o->limits, s->tokens->ids + s->result.prompt_tokens, s->result.tokens,
                        s->ctx - s->tokens->count, s->start, &reason))
        sequence_end(s, reason);
    else if (!going)
        sequence_end(s, STOP_STRING);
    else if (chain_ends(o->chain))
        sequence_end(s, STOP_COMPLETE);
}
