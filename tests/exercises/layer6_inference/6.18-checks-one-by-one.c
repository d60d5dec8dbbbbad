/* right: checks one by one, and a pointer goes through the stages */
bool chain_run(Chain *chain, Candidates *c, const Step *step, int32_t *token, Fault *fault) {
    ChainObserver *observer = chain->observer;
    if (!chain_check_tokens(chain, c->vocab, fault)) return false;
    for (size_t i = 0; i < chain->count; i++)
        if (!stage_is_off(&chain->stages[i]) &&
            !stage_check(&chain->stages[i], step, c->vocab, fault))
            return false;
    if (observer) observer(chain->observer_context, NULL, c);
    for (Stage *s = chain->stages; s < chain->stages + chain->count; s++) {
        if (stage_is_off(s) == false) s->kind->apply(s, c, step);
        if (!check_left(s, c, fault)) return false;
        if (observer) observer(chain->observer_context, s, c);
    }
    *token = c->chosen;
    return *token >= 0 || none_selected(chain, fault);
}
