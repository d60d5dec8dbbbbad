/* right: queries in a loop of their own, after the row */
static void place_rows(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    const Mla *m = t->m;
    const AttentionShape *s = &t->a->shape;
    size_t n = t->batch->count, width = m->plain + m->rotary, half = m->rotary / 2;
    bool turns = t->a->rope && t->a->rope->style != ROPE_NONE;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        float *row = t->run->kv + i * (m->rank + m->rotary),
              *cosine = t->shared->cosine + i * half, *sine = t->shared->sine + i * half,
              *q = t->run->q + i * s->heads * width;
        size_t position = (size_t)t->batch->position[i];
        if (t->a->q_temperature > 0) attention_scale_q(t->a, q, s->heads * width, position);
        norm_apply(&m->kv_a_norm, row, row, m->rank);
        if (turns) {
            rope_angles(t->a->rope, position, cosine, sine);
            rope_rotate(t->a->rope, cosine, sine, row + m->rank);
            for (size_t h = 0; h < s->heads; h++)
                rope_rotate(t->a->rope, cosine, sine, q + h * width + m->plain);
        }
        for (size_t h = 0; h < s->heads; h++) {
            float *to = t->shared->q + (i * s->heads + h) * s->head_dim, *plain = to;
            if (is_absorbed(m)) plain = t->run->heads_in + (h * n + i) * m->plain;
            for (size_t k = 0; k < m->plain; k++) plain[k] = q[h * width + k];
            for (size_t k = 0; k < m->rotary; k++)
                to[s->head_dim - m->rotary + k] = q[h * width + m->plain + k];
        }
    }
}
