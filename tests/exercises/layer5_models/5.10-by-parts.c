/* right: the rate as a mixture of both ends, the result filled in at the end */
static double rate_at(const TrainConfig *c, size_t step) {
    if (step < c->warmup) return (double)(step + 1) * (c->learning_rate / (double)c->warmup);
    if (step >= c->steps)
        return c->steps > c->warmup || step > c->warmup ? c->final_rate : c->learning_rate;
    double angle = acos(-1) * (double)(step - c->warmup) / (double)(c->steps - c->warmup),
           share = (1 + cos(angle)) / 2;
    return share * c->learning_rate + (1 - share) * c->final_rate;
}

TrainStep trainer_step(Trainer *t) {
    double rate = rate_at(&t->config, t->step);
    train_load_batch(t, t->corpus, &t->next_document, SIZE_MAX);
    double sum = train_forward(t, true);
    train_backward(t);
    double norm = train_update(t, rate);
    t->step += 1;
    t->tokens_seen += t->batch.n;
    return (TrainStep){t->step, t->tokens_seen, sum / (double)t->batch.n, rate, norm};
}
