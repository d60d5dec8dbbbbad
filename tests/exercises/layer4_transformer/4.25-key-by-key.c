/* right: a number of the key after the other, not a row */
void delta_step_backward(float *memory, const float *after, const float *before, size_t d,
                         const DeltaToken *t, const float *dout, DeltaTokenGradients *grad) {
    float du[DELTA_DIM] = {0}, said[DELTA_DIM] = {0};
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            size_t at = j / STRIP * STRIP * d + STRIP * i + j % STRIP;
            memory[at] += dout[j] * t->q[i];
            du[j] += memory[at] * t->k[i];
            said[j] += t->decay[i] * before[at] * t->k[i];
        }
    grad->beta = 0;
    for (size_t j = 0; j < d; j++)
        grad->beta += du[j] * (t->v[j] - said[j]), grad->v[j] = t->beta * du[j];
    for (size_t i = 0; i < d; i++) {
        float by_decay = 0;
        for (size_t j = 0; j < d; j++) {
            size_t at = j / STRIP * STRIP * d + STRIP * i + j % STRIP;
            float g = memory[at], forgets = t->decay[i];
            grad->q[i] += dout[j] * after[at];
            grad->k[i] += g * t->beta * (t->v[j] - said[j]) - grad->v[j] * forgets * before[at];
            memory[at] = forgets * (g - grad->v[j] * t->k[i]);
            by_decay += memory[at] * before[at];
        }
        grad->decay[i] = by_decay;
    }
}
