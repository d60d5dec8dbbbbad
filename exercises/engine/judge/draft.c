/* draft.c - chapter 11: what is drawn with a draft model keeps its odds.  See engine.h. */
#include "engine.h"

enum { COUNT = 2000, GUESSES = 3, LENGTH = 6, PROMPT = 4 };

/* The odds of the token after these. */
static void odds_after(const TestModel *m, const int *ids, int n, double *p) {
    Reading r = reading_begin(m);
    for (int i = 0; i < n; i++) reading_take(&r, ids[i]);
    chances(r.logits, m->vocab, 1, p);
    reading_end(&r);
}

/* A line of the reply: numbers[at], LENGTH + 1 of them each, is a count of passes and tokens. */
static void need_position(const TestModel *m, const Reply *r, const int *prompt, int position,
                          const int *before) {
    double p[TOKENS];
    long count[TOKENS] = {0}, lines = 0;
    int ids[PROMPT + LENGTH];
    char what[100];
    memcpy(ids, prompt, PROMPT * sizeof *ids);
    memcpy(ids + PROMPT, before, (size_t)position * sizeof *ids);
    for (int i = 0; i < COUNT; i++) {
        const double *line = r->numbers + i * (LENGTH + 1) + 1;
        bool here = true;
        for (int k = 0; k < position; k++) here = here && line[k] == before[k];
        if (here) count[(int)line[position]]++, lines++;
    }
    if (lines < 60) return;
    odds_after(m, ids, PROMPT + position, p);
    snprintf(what, sizeof what, "token %d of the texts, after those that begin alike",
             position + 1);
    need_odds(what, p, count, m->vocab);
}

static int commonest(const Reply *r, int position, const int *before) {
    long count[TOKENS] = {0};
    int best = 0;
    for (int i = 0; i < COUNT; i++) {
        const double *line = r->numbers + i * (LENGTH + 1) + 1;
        bool here = true;
        for (int k = 0; k < position; k++) here = here && line[k] == before[k];
        if (here) count[(int)line[position]]++;
    }
    for (int t = 0; t < TOKENS; t++)
        if (count[t] > count[best]) best = t;
    return best;
}

/* Passes that speculation needs for LENGTH tokens, by simulation. */
static double passes_needed(const TestModel *target, const TestModel *draft,
                            const int *prompt) {
    enum { TEXTS = 150 };
    double p[TOKENS], q[TOKENS];
    int passes = 0;
    for (int text = 0; text < TEXTS; text++) {
        int ids[PROMPT + LENGTH + GUESSES + 1], n = PROMPT;
        memcpy(ids, prompt, PROMPT * sizeof *ids);
        while (n < PROMPT + LENGTH) {
            passes++;
            int guess = 0;
            for (; guess < GUESSES; guess++) {
                odds_after(target, ids, n, p), odds_after(draft, ids, n, q);
                double accepted = 0, left[TOKENS], sum = 0;
                for (int i = 0; i < target->vocab; i++) {
                    accepted += fmin(p[i], q[i]);
                    sum += left[i] = fmax(0, p[i] - q[i]);
                }
                bool taken = judge_uniform() < accepted;
                for (int i = 0; i < target->vocab; i++)
                    left[i] = taken ? fmin(p[i], q[i]) / accepted : left[i] / sum;
                ids[n++] = drawn(left, target->vocab);
                if (!taken || n == PROMPT + LENGTH) break;
            }
            if (guess == GUESSES && n < PROMPT + LENGTH) {
                odds_after(target, ids, n, p);
                ids[n++] = drawn(p, target->vocab);
            }
        }
    }
    return (double)passes / TEXTS;
}

static TestModel noisy(const TestModel *m, double noise) {
    TestModel d = test_as(m, F32);
    int wide = m->hidden * m->dim;
    for (int l = 0; l < m->layers; l++)
        for (int i = 0; i < wide; i++) d.w[l][UP][i] += noise * judge_normal() / sqrt(m->dim);
    for (int i = 0; i < m->vocab * m->dim; i++) d.output[i] += 0.15 * noise * judge_normal();
    return test_as(&d, F32);
}

void chapter_speculation(void) {
    TestModel m = test_sizes();
    int prompt[PROMPT], before[LENGTH];
    m.dim = 32, m.hidden = 64, m.layers = 2, m.n_merges = 8, m.tied = false, m.spread = 4,
    m.silent_end = true;
    test_fill(&m);
    TestModel draft = noisy(&m, 0.5);
    test_write(&m, "model.gguf");
    test_write(&draft, "draft.gguf");
    some_ids(&m, prompt, PROMPT);
    FILE *in = judge_input("in");
    write_ids(in, prompt, PROMPT);
    fclose(in);
    Reply r = ask("speculate %s %s %d %d %d %d", judge_path("model.gguf"),
                  judge_path("draft.gguf"), GUESSES, LENGTH, COUNT, judge_between(1, 100000));
    need(r.n == (size_t)COUNT * (LENGTH + 1),
         "%zu numbers printed, expected %d lines: passes, then %d tokens", r.n, COUNT, LENGTH);
    double passes = 0;
    for (size_t i = 0; i < r.n; i++) {
        bool first = i % (LENGTH + 1) == 0;
        need(first ? r.numbers[i] >= 1 && r.numbers[i] <= LENGTH
                   : r.numbers[i] >= 0 && r.numbers[i] < m.vocab,
             "line %zu has %g: passes are 1 to %d, tokens 0 to %d", i / (LENGTH + 1) + 1,
             r.numbers[i], LENGTH, m.vocab - 1);
        if (first) passes += r.numbers[i] / COUNT;
    }
    for (int i = 0; i < 4; i++) {
        need_position(&m, &r, prompt, i, before);
        before[i] = commonest(&r, i, before);
    }
    double want = passes_needed(&m, &draft, prompt);
    printf("  %.2f passes of the target for %d tokens; plain drawing takes %d\n", passes,
           LENGTH, LENGTH);
    need(passes < 1.12 * want,
         "%.2f passes for %d tokens, about %.2f expected: keep a guess with the chance min(1, "
         "p / q), and after all %d take one more from the target's last row",
         passes, LENGTH, want, GUESSES);
    need(passes > 0.88 * want,
         "%.2f passes for %d tokens, about %.2f expected: count every pass of the target",
         passes, LENGTH, want);
}
