/* right: the models read in another order */
bool engine_step(Engine *e, Fault *fault) {
    if (!engine_draft(e, fault)) return false;
    engine_plan(e);
    for (size_t i = e->n_parts; i-- > 0;)
        if (!engine_forward(e, i, fault)) return false;
    take_all(e);
    return true;
}
