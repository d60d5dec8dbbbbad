/* right: every candidate counts its own past */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    double rep = stage->value[REP], freq = stage->value[FREQ], pres = stage->value[PRES];
    size_t from = 0, n = step->history_count;
    if (stage->value[LAST] >= 0 && stage->value[LAST] < (double)n)
        from = n - (size_t)stage->value[LAST];
    for (size_t entry = 0; entry < c->count; entry++) {
        int count = 0;
        for (size_t i = from; i < n; i++) count += step->history[i] == candidates_id(c, entry);
        if (!count) continue;
        double x = (double)c->logits[entry];
        x = (x < 0 ? x * rep : x / rep) - freq * count - pres;
        c->logits[entry] = (float)x;
    }
    candidates_changed(c);
}
