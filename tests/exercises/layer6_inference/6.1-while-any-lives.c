/* right: asks the engine how many texts live */
bool generate(Session *session, TokenList *tokens, const GenerateOptions *options,
              GenerateResult *result, Fault *fault) {
    Engine e;
    Sequence *s = NULL;
    bool ok = engine_open(&e, session, fault);
    *result = (GenerateResult){.tokens = 0};
    if (ok) s = engine_add(&e, tokens, options, fault), ok = s != NULL;
    for (; ok && e.live > 0; ok = engine_step(&e, fault)) continue;
    if (s) *result = s->result;
    if (s && s->failed && ok) {
        ok = false;
        fault_set(fault, "%s", s->fault.text);
    }
    engine_close(&e);
    return ok;
}
