/* wrong: nothing has changed | the last model reads first: where the first one cannot, the others have read on */
bool engine_step(Engine *e, Fault *fault) {
    if (e->hooks.before_plan && !e->hooks.before_plan(e, fault)) return false;
    engine_plan(e);
    for (size_t i = e->n_runners; i-- > 0;)
        if (!engine_forward(e, i, fault)) return false;
    take_all(e);
    return true;
}
