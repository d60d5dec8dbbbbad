/* wrong: logits were changed without telling the | sorted, and then only the count is changed: the sum is still that of all */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    float limit = candidates_max(c) + logf((float)stage->value[P]);
    size_t keep = (size_t)stage->value[KEEP], kept = 0;
    (void)step;
    candidates_sort(c);
    candidates_sum(c);
    while (kept < c->count && (kept < keep || c->logits[kept] >= limit)) kept++;
    c->count = kept;
}
