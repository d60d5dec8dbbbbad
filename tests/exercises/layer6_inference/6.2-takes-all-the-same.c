/* wrong: no token is taken | the fault is passed on, and the texts choose from what was there before */
bool engine_step(Engine *e, Fault *fault) {
    bool ok = !e->hooks.before_plan || e->hooks.before_plan(e, fault);
    if (ok) engine_plan(e);
    for (size_t i = 0; ok && i < e->n_runners; i++) ok = engine_forward(e, i, fault);
    take_all(e);
    return ok;
}
