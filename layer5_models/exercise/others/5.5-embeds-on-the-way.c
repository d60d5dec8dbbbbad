/* right: tokens are embedded by way of a row of their own, a loop that may end early, and one place where stopping is told */
static void embed_one(Session *s, const Batch *batch, size_t i) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim;
    float row[8192];
    const float *given = row_of_token(s, batch, i);
    if (given)
        memcpy(row, given, dim * sizeof *row);
    else
        embedding(row, &m->embedding, (size_t)batch->token[i]);
    for (size_t k = 0; k < dim && !given; k++) row[k] = m->embedding_scale * row[k];
    if (m->positions.data != NULL)
        position_add_learned(row, &m->positions, (size_t)batch->position[i], s->run.normed);
    if (m->types.data != NULL)
        position_add_learned(row, &m->types, text_of_token(s, batch->position[i]),
                             s->run.normed);
    norm_apply(&m->embedding_norm, s->x + i * dim, row, dim);
}

static bool run_layers(Session *s, const Batch *batch, size_t from, size_t to) {
    const Model *m = s->model;
    size_t l = from;
    embed(s, batch);
    if (s->run.probe) probe_enter(s->run.probe, l, batch);
    if (s->run.probe) probe_stream(s->run.probe, PROBE_EMBEDDED, s->x, m->sizes.dim);
    while (l < to && (!s->is_wanted || s->is_wanted(s->context))) run_block(s, l++, batch);
    if (l == to && more_of(m)->streams)
        altup_gather(s->pool, &m->altup, &s->run.altup, s->x, batch->count, m->sizes.dim);
    return l == to;
}

bool model_forward(Session *s, const Batch *batch, Fault *fault) {
    bool ok = check_batch(s, batch, fault) && source_check(s, batch, fault) &&
              take_room(s, batch, fault);
    s->stopped = ok && !run_model(s, batch);
    if (!s->stopped) return ok;
    undo(s, batch);
    return fault_set(fault, "stopped: nobody waits for it");
}
