/* right: loss and gradient by the function that tests use */
TrainStep trainer_step(Trainer *t) {
    TrainStep s = {0};
    s.rate = rate_at(&t->config, t->step);
    s.loss = trainer_gradients(t, t->next_document);
    t->next_document += t->batch.documents;
    s.gradient_norm = train_update(t, s.rate);
    t->step++, t->tokens_seen += t->batch.n;
    s.step = t->step, s.tokens = t->tokens_seen;
    return s;
}
