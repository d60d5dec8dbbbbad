/* wrong: rows and columns of the memory are | the rows of the memory are taken for its columns */
#define AT(m, j, i) ((m)[(i) / 16 * 16 * d + 16 * (j) + (i) % 16])

void delta_step_backward(float *memory, const float *after, const float *before, size_t d,
                         const DeltaToken *t, const float *dout, DeltaTokenGradients *grad) {
    float fk[DELTA_DIM], dv[DELTA_DIM], u[DELTA_DIM];
    float dbeta = 0;
    for (size_t j = 0; j < d; j++) {
        float s = 0, g = 0;
        for (size_t i = 0; i < d; i++) {
            s += AT(before, j, i) * t->decay[i] * t->k[i];
            AT(memory, j, i) += dout[j] * t->q[i];
            g += AT(memory, j, i) * t->k[i];
        }
        fk[j] = s, u[j] = t->beta * (t->v[j] - fk[j]);
        dv[j] = grad->v[j] = t->beta * g;
        dbeta += g * (t->v[j] - s);
    }
    grad->beta = dbeta;
    for (size_t i = 0; i < d; i++) {
        float dq = 0, dk = 0, dg = 0;
        for (size_t j = 0; j < d; j++) {
            dq += AT(after, j, i) * dout[j];
            dk += AT(memory, j, i) * u[j] - AT(before, j, i) * t->decay[i] * dv[j];
            AT(memory, j, i) = (AT(memory, j, i) - dv[j] * t->k[i]) * t->decay[i];
            dg += AT(memory, j, i) * AT(before, j, i);
        }
        grad->q[i] += dq, grad->k[i] += dk, grad->decay[i] = dg;
    }
}
