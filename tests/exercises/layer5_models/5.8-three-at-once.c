/* wrong: did not move | no decay, no cut, and every tensor begins at 0 */
static void update_range(void *context, int worker, size_t begin, size_t end) {
    const Update *u = context;
    const TrainConfig *c = &u->t->config;
    float b1 = (float)c->beta1, b2 = (float)c->beta2, eps = (float)c->epsilon;
    for (size_t i = begin; i < end; i++) {
        float g = u->t->gradients[i];
        float m = u->t->moment1[i] = b1 * u->t->moment1[i] + (1 - b1) * g;
        float v = u->t->moment2[i] = b2 * u->t->moment2[i] + (1 - b2) * g * g;
        u->t->values[i] -= u->rate * m * u->correction1 / (sqrtf(v * u->correction2) + eps);
    }
}
