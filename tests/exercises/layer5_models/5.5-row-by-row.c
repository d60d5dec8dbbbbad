/* right: the head for one wanted row after the other, and its cap in the same loop */
void unembed(Session *s, const Batch *batch) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim, vocab = m->sizes.vocab, at = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (!batch->wanted[i]) continue;
        float *hidden = s->hidden + at * dim, *logits = s->logits + at * vocab;
        norm_apply(&m->out_norm, hidden, s->x + i * dim, dim);
        at++;
        if (s->hidden_only) continue;
        linear(s->pool, &m->head, hidden, 1, logits, s->run.scratch);
        for (size_t k = 0; k < vocab && m->logit_softcap > 0; k++)
            logits[k] = m->logit_softcap * tanhf(logits[k] / m->logit_softcap);
    }
}
