/* right: every number in double, the corrections worked out for each */
static void update_range(void *context, int worker, size_t begin, size_t end) {
    const Update *u = context;
    Trainer *t = u->t;
    double b1 = t->config.beta1, b2 = t->config.beta2, round = (double)t->step + 1;
    for (size_t k = begin; k < end; k++) {
        size_t i = k + u->first;
        double g = (double)t->gradients[i] * (double)u->scale,
               m = b1 * (double)t->moment1[i] + (1 - b1) * g,
               v = b2 * (double)t->moment2[i] + (1 - b2) * g * g;
        t->moment1[i] = (float)m, t->moment2[i] = (float)v;
        double step =
            m / (1 - pow(b1, round)) / (sqrt(v / (1 - pow(b2, round))) + t->config.epsilon);
        t->values[i] = (float)((double)t->values[i] * (1 - (double)u->rate * (double)u->decay) -
                               (double)u->rate * step);
    }
}
