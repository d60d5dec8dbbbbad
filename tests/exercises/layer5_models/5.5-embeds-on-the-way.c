/* right: tokens are embedded by way of a row of their own, a loop that may end early, and one place where stopping is told */
static void embed(Session *s, const Batch *batch) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim;
    float row[8192];
    for (size_t i = 0; i < batch->count; i++) {
        embedding(row, &m->embedding, (size_t)batch->token[i]);
        for (size_t k = 0; k < dim; k++) row[k] = m->embedding_scale * row[k];
        if (m->positions.data != NULL)
            position_add_learned(row, &m->positions, (size_t)batch->position[i], s->run.normed);
        memcpy(s->x + i * dim, row, dim * sizeof *row);
    }
    if (s->run.probe) {
        probe_enter(s->run.probe, 0, batch);
        probe_stream(s->run.probe, PROBE_EMBEDDED, s->x, dim);
    }
}

static bool run_layers(Session *s, const Batch *batch) {
    const Model *m = s->model;
    Pass pass = {.run = &s->run, .kv = &s->kv, .batch = batch, .dim = m->sizes.dim};
    while (pass.layer < m->sizes.layers && (!s->is_wanted || s->is_wanted(s->context))) {
        block_forward(&m->blocks[pass.layer], &pass, s->x);
        pass.layer++;
    }
    return pass.layer == m->sizes.layers;
}

bool session_forward(Session *s, const Batch *batch, Fault *fault) {
    s->stopped = false;
    if (s->hooks) return s->hooks->forward(s, batch, fault);
    bool ok = check_batch(s, batch, s->model->sizes.vocab, fault) && take_room(s, batch, fault);
    if (!ok) return false;
    embed(s, batch);
    if (run_layers(s, batch)) return unembed(s, batch), true;
    stop_batch(s, batch, fault);
    return fault_set(fault, "the forward pass was cancelled: its caller is gone");
}
