/* right: at each place the rest of the word moves up by one */
static void replace_pair(BpeTrainer *t, const int32_t pair[2], int32_t merged) {
    for (size_t i = 0; i < t->capacity; i++) {
        WordCount *w = &t->words[i];
        for (size_t k = 0; k + 1 < w->n; k++) {
            if (w->symbols[k] != pair[0] || w->symbols[k + 1] != pair[1]) continue;
            w->symbols[k] = merged;
            memmove(w->symbols + k + 1, w->symbols + k + 2,
                    (w->n - k - 2) * sizeof *w->symbols);
            w->n--;
        }
    }
}
