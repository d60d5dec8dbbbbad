/* right: at 0 the best is found and kept as a range of one entry */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    bool fixed = stage->value[T] <= 0 || stage->value[RANGE] <= 0;
    double t = fixed ? stage->value[T] : by_entropy(stage, c);
    size_t best = candidates_best(c);
    if (t >= 1e-6)
        candidates_scale(c, 1 / (float)t);
    else
        candidates_keep_range(c, best, best + 1);
}
