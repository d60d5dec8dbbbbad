/* right: early returns; the logits copied in a loop, the step filled in at once */
bool sequence_choose(Sequence *s, Chain *chain, float *logits, int32_t *token, Fault *fault) {
    Candidates *c = s->candidates;
    const size_t n = s->tokens->count;
    Step *step = &s->step;
    step->history = s->tokens->ids, step->history_count = n, step->position = n;
    ask_extras(s, logits);
    if (!candidates_load(c, logits, fault)) return false;
    return chain_run(chain, c, step, token, fault);
}

bool sequence_take(Sequence *s, float *logits, Fault *fault) {
    const GenerateOptions *o = &s->options;
    int32_t chosen = -1;
    for (size_t i = 0; s->raw != NULL && i < s->candidates->vocab; i++) s->raw[i] = logits[i];
    if (!sequence_choose(s, o->chain, logits, &chosen, fault)) return false;
    sequence_append(s, chosen);
    return true;
}
