/* right: the first model reads first, and the others in another order */
bool engine_step(Engine *e, Fault *fault) {
    if (e->hooks.before_plan && !e->hooks.before_plan(e, fault)) return false;
    engine_plan(e);
    if (!engine_forward(e, 0, fault)) return false;
    for (size_t i = e->n_runners; i-- > 1;)
        if (!engine_forward(e, i, fault)) return false;
    take_all(e);
    return true;
}
