/* right: the formula in plain loops, a row of the memory after the other */
void delta_step_backward(float *memory, const float *after, const float *before, size_t d,
                         const DeltaToken *t, const float *dout, DeltaTokenGradients *grad) {
    memset(grad->decay, 0, d * sizeof *grad->decay);
    grad->beta = 0;
    for (size_t j = 0; j < d; j++) {
        size_t row = j / STRIP * STRIP * d + j % STRIP;
        float said = 0, du = 0;
        for (size_t i = 0; i < d; i++) {
            float *g = memory + row + STRIP * i;
            *g += dout[j] * t->q[i];
            du += *g * t->k[i];
            said += before[row + STRIP * i] * t->decay[i] * t->k[i];
        }
        float missing = t->v[j] - said, dv = t->beta * du;
        grad->v[j] = dv, grad->beta += du * missing;
        for (size_t i = 0; i < d; i++) {
            size_t at = row + STRIP * i;
            float faded = t->decay[i] * before[at];
            grad->q[i] += after[at] * dout[j];
            grad->k[i] += memory[at] * t->beta * missing - faded * dv;
            memory[at] = (memory[at] - dv * t->k[i]) * t->decay[i];
            grad->decay[i] += memory[at] * before[at];
        }
    }
}
