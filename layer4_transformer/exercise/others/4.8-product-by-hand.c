/* right: the activation of the gate, and then the product by hand */
static void activate_some(void *context, int worker, size_t begin, size_t end) {
    const Elements *t = context;
    const float *bent = t->f->gated ? t->a : t->b;
    if (t->f->act == ACT_SWIGLU_CLAMPED) {
        activate_gated(t->f->act, t->a + begin, t->a + begin, t->b + begin, end - begin);
        return;
    }
    activate(t->f->act, t->a + begin, bent + begin, end - begin);
    if (!t->f->gated) return;
    for (size_t i = begin; i < end; i++) t->a[i] *= t->b[i];
}
