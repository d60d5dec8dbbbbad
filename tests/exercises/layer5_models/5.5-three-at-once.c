/* wrong: a | the last norm, the last block and the cap are left out, and every block uses layer 0 of the memory */
void unembed(Session *s, const Batch *batch) {
    size_t dim = s->model->sizes.dim, wanted = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->wanted[i])
            memcpy(s->hidden + wanted++ * dim, s->x + i * dim, dim * sizeof *s->x);
    if (wanted) linear(s->pool, &s->model->head, s->hidden, wanted, s->logits, s->run.scratch);
}

bool session_forward(Session *s, const Batch *batch, Fault *fault) {
    if (!check_batch(s, batch, s->model->sizes.vocab, fault) || !take_room(s, batch, fault))
        return false;
    embed(s, batch);
    for (size_t l = 0; l + 1 < s->model->sizes.layers; l++)
        block_forward(&s->model->blocks[l],
                      &(Pass){&s->run, &s->kv, 0, batch, s->model->sizes.dim}, s->x);
    unembed(s, batch);
    return true;
}
