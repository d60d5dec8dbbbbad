/* right: every logit is divided here, and the candidates are told */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    float t = (float)stage->value[T];
    if (t > 0 && stage->value[RANGE] > 0) t = (float)by_entropy(stage, c);
    if (t < 1e-6f) {
        candidates_keep_best(c, 1);
        return;
    }
    for (size_t i = 0; i < c->count; i++) c->logits[i] /= t;
    candidates_changed(c);
}
