/* right: what surprises too much stays where it is, at -infinity */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    double most = *stage_memory(stage) + 1e-6, all = candidates_log_sum(c);
    size_t best = candidates_best(c);
    for (size_t i = 0; i < c->count; i++)
        if (i != best && (all - (double)c->logits[i]) / log(2) > most)
            candidates_set(c, i, -INFINITY);
    mirostat_draw(stage, c, step);
}
