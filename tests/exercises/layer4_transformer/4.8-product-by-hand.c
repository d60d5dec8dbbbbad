/* right: the activation of the gate, and then the product by hand */
static void activate_some(void *context, int worker, size_t begin, size_t end) {
    const Elements *t = context;
    const float *bent = t->f->gated ? t->a : t->b;
    if (t->f->act == ACT_SWIGLU_CLAMPED) {
        activate_gated(t->f->act, t->a + begin, t->a + begin, t->b + begin, end - begin);
        return;
    }
    if (t->f->act == ACT_XIELU)
        xielu(t->a + begin, t->b + begin, end - begin, &t->f->xielu);
    else
        activate(t->f->act, t->a + begin, bent + begin, end - begin);
    if (!t->f->gated) return;
    for (size_t i = begin; i < end; i++) {
        float up = t->b[i], most = t->limit;
        if (most > 0) {
            if (t->a[i] > most) t->a[i] = most;
            up = up > most ? most : up < -most ? -most : up;
        }
        t->a[i] *= up;
    }
}
