/* right: the decay before the step, the length summed in double */
void train_orthogonalize(Trainer *t, float *x, size_t rows, size_t cols) {
    double sum = 0;
    for (size_t i = 0; i < rows * cols; i++) sum += (double)x[i] * (double)x[i];
    for (size_t i = 0; i < rows * cols; i++) x[i] = (float)((double)x[i] / (sqrt(sum) + 1e-12));
    int left = ROUNDS;
    while (left-- > 0) orthogonal_round(t, x, rows, cols);
}

void train_update_matrix(Trainer *t, const Parameter *p, float scale, double rate) {
    float *w = t->values + p->offset, *m = t->moment1 + p->offset, *u = t->muon.update,
          b = (float)t->config.momentum;
    size_t n = p->rows * p->cols;
    for (size_t i = 0; i < n; i++) {
        m[i] = b * m[i] + scale * t->gradients[p->offset + i];
        u[i] = scale * t->gradients[p->offset + i] + b * m[i];
    }
    train_orthogonalize(t, u, p->rows, p->cols);
    double longest = p->rows > p->cols ? (double)p->rows : (double)p->cols;
    for (size_t i = 0; i < n; i++) w[i] *= 1 - (float)(rate * t->config.weight_decay);
    for (size_t i = 0; i < n; i++) w[i] -= (float)(rate * MATRIX_STEP * sqrt(longest)) * u[i];
}
