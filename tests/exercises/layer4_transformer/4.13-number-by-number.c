/* right: rates in double, number by number */
static void prepare_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const DeltaNet *m = t->m;
    size_t each = m->per_channel ? m->d : 1, decays = m->heads * each,
           betas = m->heads * (m->both.w.data ? 2 : 1);
    (void)worker;
    for (size_t row = begin; row < end; row++) {
        float *decay = t->run->decay + row * decays, *beta = t->run->beta + row * betas;
        if (m->both.w.data) part_both(m, beta, decay);
        for (size_t h = 0; h < m->heads; h++) {
            beta[h] = (float)(1 / (1 + exp(-(double)beta[h])));
            for (size_t i = h * each; i < (h + 1) * each; i++)
                decay[i] = (float)exp((double)m->a[h] *
                                      log1p(exp((double)(decay[i] + m->dt_bias[i]))));
        }
        for (size_t h = row * m->keys; h < (row + 1) * m->keys; h++)
            l2_norm(t->run->q + h * m->d, m->d, m->eps),
                l2_norm(t->run->k + h * m->d, m->d, m->eps);
    }
}
