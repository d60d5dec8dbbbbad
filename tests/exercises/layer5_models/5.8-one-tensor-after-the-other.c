/* right: tensors without a pool, the kinds told apart first */
double train_update(Trainer *t, double rate) {
    double norm = gradient_norm(t), n = (double)t->step + 1;
    float scale = norm > t->config.clip ? (float)(t->config.clip / norm) : 1;
    for (Parameter *p = t->parameters; p < t->parameters + t->n_parameters; p++) {
        bool gain = p->rows == 1, embedding = t->values + p->offset == t->weights.embedding;
        if (!gain && !embedding && t->config.momentum > 0) {
            train_update_matrix(t, p, scale, rate);
        } else {
            Update u = {.t = t,
                        .scale = scale,
                        .rate = (float)rate,
                        .decay = gain ? 0 : (float)t->config.weight_decay,
                        .first = p->offset};
            u.correction1 = (float)(1 / (1 - pow(t->config.beta1, n))),
            u.correction2 = (float)(1 / (1 - pow(t->config.beta2, n)));
            update_range(&u, 0, 0, p->rows * p->cols);
        }
    }
    return norm;
}
