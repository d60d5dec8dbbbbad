/* right: what happens at one stage is a function of its own */
static bool one_stage(Chain *chain, size_t i, Candidates *c, const Step *step, Fault *fault) {
    Stage *stage = chain->stages + i;
    if (!stage_is_off(stage)) {
        if (!stage_check(stage, step, c->vocab, fault)) return false;
        (*stage->kind->apply)(stage, c, step);
    }
    bool ok = check_left(stage, c, fault);
    if (ok && chain->observer) chain->observer(chain->observer_context, stage, c);
    return ok;
}

bool chain_run(Chain *chain, Candidates *c, const Step *step, int32_t *token, Fault *fault) {
    bool ok = chain_check_tokens(chain, c->vocab, fault);
    if (ok && chain->observer) chain->observer(chain->observer_context, NULL, c);
    for (size_t i = 0; ok && i < chain->count; i++) ok = one_stage(chain, i, c, step, fault);
    if (!ok) return false;
    if (c->chosen >= 0) *token = c->chosen;
    if (c->chosen < 0) none_selected(chain, fault);
    return c->chosen >= 0;
}
