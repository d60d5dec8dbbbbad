/* right: one chain of conditions */
bool engine_step(Engine *e, Fault *fault) {
    bool ok = engine_draft(e, fault);
    if (ok) engine_plan(e);
    for (EnginePart *p = e->parts; ok && p < e->parts + e->n_parts; p++)
        ok = part_forward(p, fault);
    if (ok) take_all(e);
    return ok;
}
