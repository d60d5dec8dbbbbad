/* wrong: left as it is | the text itself is sorted, so that equal tokens stand together */
#include <stdlib.h>

static int by_id(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    float rep = (float)stage->value[REP], freq = (float)stage->value[FREQ],
          pres = (float)stage->value[PRES];
    size_t n = step->history_count;
    if (stage->value[LAST] >= 0 && (double)n > stage->value[LAST])
        n = (size_t)stage->value[LAST];
    int32_t *recent = (int32_t *)(size_t)step->history + (step->history_count - n);
    qsort(recent, n, sizeof *recent, by_id);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && recent[next] == recent[i];) next++;
        size_t entry = candidates_find(c, recent[i]);
        if (entry == c->count) continue;
        float logit = c->logits[entry];
        logit = logit > 0 ? logit / rep : logit * rep;
        candidates_set(c, entry, logit - freq * (float)(next - i) - pres);
    }
}
