/* wrong: nothing has changed | a model has failed, and the others read on */
bool engine_step(Engine *e, Fault *fault) {
    bool ok = !e->hooks.before_plan || e->hooks.before_plan(e, fault);
    if (!ok) return false;
    engine_plan(e);
    for (size_t i = 0; i < e->n_runners; i++)
        if (!engine_forward(e, i, fault)) ok = false;
    if (ok) take_all(e);
    return ok;
}
