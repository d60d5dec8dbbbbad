/* wrong: of the gate, not of up | the activation of up times the gate */
static void activate_some(void *context, int worker, size_t begin, size_t end) {
    const Elements *t = context;
    for (size_t i = begin; i < end; i++) {
        float bent;
        activate(t->f->act, &bent, t->b + i, 1);
        t->a[i] = t->f->gated ? bent * t->a[i] : bent;
    }
}
