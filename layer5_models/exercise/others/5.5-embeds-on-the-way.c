/* right: tokens are embedded in the forward pass itself, by way of a row of their own */
static void embed_one(Session *s, const Batch *batch, size_t i) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim;
    float row[8192];
    if (batch->input)
        memcpy(row, batch->input + i * dim, dim * sizeof *row);
    else
        embedding(row, &m->embedding, (size_t)batch->token[i]);
    for (size_t k = 0; k < dim && !batch->input; k++) row[k] = m->embedding_scale * row[k];
    if (m->positions.data != NULL)
        position_add_learned(row, &m->positions, (size_t)batch->position[i], s->run.normed);
    if (m->types.data != NULL)
        position_add_learned(row, &m->types, text_of_token(s, batch->position[i]),
                             s->run.normed);
    norm_apply(&m->embedding_norm, s->x + i * dim, row, dim);
}

bool model_forward(Session *s, const Batch *batch, Fault *fault) {
    bool ok = check_batch(s, batch, fault) && take_room(s, batch, fault);
    if (!ok) return false;
    for (size_t i = batch->count; i-- > 0;) embed_one(s, batch, i);
    const Block *block = s->model->blocks;
    for (size_t l = 0; l < s->model->sizes.layers; l++, block++)
        block_forward(block, &s->run, &s->kv, l, batch, s->x, s->model->sizes.dim);
    unembed(s, batch);
    return true;
}
