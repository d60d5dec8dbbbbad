/* right: one chain of conditions */
bool engine_step(Engine *e, Fault *fault) {
    bool ok = !e->hooks.before_plan || e->hooks.before_plan(e, fault);
    if (ok) engine_plan(e);
    for (size_t i = 0; ok && i < e->n_runners; i++) ok = engine_forward(e, i, fault);
    if (ok) take_all(e);
    return ok;
}
