/* right: counts, changes all at the first occurrence, and clears the marks in the end */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    size_t n = step->history_count, from = 0;
    if (stage->value[LAST] >= 0 && (double)n > stage->value[LAST])
        from = n - (size_t)stage->value[LAST];
    for (size_t i = from; i < n; i++) {
        int32_t token = step->history[i];
        if (token < 0 || (size_t)token >= c->vocab) continue;
        if (c->marks[token]++) continue;
        float times = 0;
        for (size_t j = i; j < n; j++) times += step->history[j] == token;
        size_t entry = candidates_find(c, token);
        if (entry == c->count) continue;
        float x = c->logits[entry], rep = (float)stage->value[REP];
        x = x <= 0 ? x * rep : x / rep;
        candidates_set(c, entry,
                       x - (float)stage->value[FREQ] * times - (float)stage->value[PRES]);
    }
    for (size_t i = from; i < n; i++)
        if ((size_t)step->history[i] < c->vocab) c->marks[step->history[i]] = 0;
}
