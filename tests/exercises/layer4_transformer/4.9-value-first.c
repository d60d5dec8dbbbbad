/* right: keys before queries, each head normed and turned by itself; angles of a place of its own */
static void norm_and_rope(const Attention *a, const Norm *norm, float *row, size_t heads,
                          const float *cosine, const float *sine) {
    for (int step = 0; step < 2; step++)
        if (step == (a->norm_after_rope ? 1 : 0))
            norm_apply(norm, row, row, heads * a->shape.head_dim);
        else if (is_rotated(a))
            for (float *head = row; head < row + heads * a->shape.head_dim;
                 head += a->shape.head_dim)
                rope_rotate(a->rope, cosine, sine, head);
}

static void turn_of(const Rows *t, size_t i, size_t half) {
    const Rope *rope = t->a->rope;
    float *cosine = t->run->cosine + i * half, *sine = t->run->sine + i * half;
    if (!is_rotated(t->a)) return;
    if (rope->places)
        rope_places(rope, i, cosine, sine);
    else
        rope_angles(rope, (size_t)t->batch->position[i], cosine, sine);
}

static void place_row(const Rows *t, size_t i) {
    const Attention *a = t->a;
    size_t at = (size_t)t->batch->position[i], half = a->rope ? a->rope->rotary / 2 : 0;
    float *v = t->run->v + i * attention_v_width(&a->shape),
          *k = t->run->k + i * attention_k_width(&a->shape),
          *q = t->run->q + i * attention_q_width(&a->shape);
    if (a->gate_in_q) split_q_gate(a, t->run->gate + i * 2 * attention_q_width(&a->shape), q);
    if (a->kv_back) {
        if (a->clamp > 0) clamp_row(q, attention_q_width(&a->shape), a->clamp);
        turn_of(t, i, half);
        norm_and_rope(a, &a->q_norm, q, a->shape.heads, t->run->cosine + i * half,
                      t->run->sine + i * half);
        if (a->q_temperature > 0) attention_scale_q(a, q, attention_q_width(&a->shape), at);
        return;
    }
    if (a->v_scale != 0)
        for (size_t n = 0; n < attention_v_width(&a->shape); n++) v[n] = v[n] * a->v_scale;
    for (size_t n = 0; a->clamp > 0 && n < attention_v_width(&a->shape); n++)
        v[n] = fmaxf(-a->clamp, fminf(a->clamp, v[n]));
    if (a->clamp > 0)
        clamp_row(k, attention_k_width(&a->shape), a->clamp),
            clamp_row(q, attention_q_width(&a->shape), a->clamp);
    turn_of(t, i, half);
    norm_and_rope(a, &a->k_norm, k, a->shape.kv_heads, t->run->cosine + i * half,
                  t->run->sine + i * half);
    kv_store(t->kv, t->layer, (size_t)t->batch->sequence[i], at, k, v);
    norm_and_rope(a, &a->q_norm, q, a->shape.heads, t->run->cosine + i * half,
                  t->run->sine + i * half);
    if (a->q_temperature > 0) attention_scale_q(a, q, a->shape.heads * a->shape.head_dim, at);
}
