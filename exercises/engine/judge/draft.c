/* draft.c - chapter 11: what is drawn with a draft model keeps its odds.  See engine.h. */
#include "engine.h"

enum { COUNT = 2000, LENGTH = 6, PROMPT = 4 };

/* The odds of the token after these. */
static void odds_after(const TestModel *m, const int *ids, int n, double *p) {
    Reading r = reading_begin(m);
    for (int i = 0; i < n; i++) reading_take(&r, ids[i]);
    chances(r.logits, m->vocab, 1, p);
    reading_end(&r);
}

/* A line of the reply is LENGTH + 1 numbers: a count of passes, then tokens. */
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

/* --- all tokens of all lines, each after its own prefix */

enum { CLASSES = 8 };
typedef struct Tally {
    double want[CLASSES];
    long count[CLASSES];
} Tally;

static const double *ratio_of;
static int by_ratio(const void *a, const void *b) {
    double x = ratio_of[*(const int *)a], y = ratio_of[*(const int *)b];
    return (x > y) - (x < y);
}

/* Each token's class: in the order of p / q, an eighth of p each.  Wrong residuals move tokens
 * from classes that the draft overrates to others, or within those that it underrates. */
static void classes_of(const double *p, const double *q, int n, int *class) {
    double ratio[TOKENS], sum = 0;
    int order[TOKENS];
    for (int i = 0; i < n; i++) order[i] = i, ratio[i] = p[i] / (q[i] + 1e-300);
    ratio_of = ratio;
    qsort(order, (size_t)n, sizeof *order, by_ratio);
    for (int i = 0; i < n; i++) {
        class[order[i]] = (int)fmin(CLASSES - 1, CLASSES * (sum + p[order[i]] / 2));
        sum += p[order[i]];
    }
}

static int by_tokens(const void *a, const void *b) {
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    for (int i = 0; i < LENGTH; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* n sorted lines that begin with the tokens that were read. */
static void tally(Reading *target, Reading *draft, const double **lines, int n, int position,
                  Tally *t) {
    int class[TOKENS], vocab = target->m->vocab, read = target->n;
    double p[TOKENS], q[TOKENS];
    chances(target->logits, vocab, 1, p), chances(draft->logits, vocab, 1, q);
    classes_of(p, q, vocab, class);
    for (int i = 0; i < vocab; i++) t->want[class[i]] += n * p[i];
    for (int i = 0; i < n; i++) t->count[class[(int)lines[i][position]]]++;
    for (int i = 0, same; i < n && position + 1 < LENGTH; i += same) {
        double token = lines[i][position];
        for (same = 1; i + same < n && lines[i + same][position] == token;) same++;
        reading_take(target, (int)token), reading_take(draft, (int)token);
        tally(target, draft, lines + i, same, position + 1, t);
        target->n = draft->n = read;
    }
}

static void need_tally(const TestModel *m, const TestModel *d, const Reply *r,
                       const int *prompt) {
    static const double *lines[COUNT];
    Reading target = reading_begin(m), draft = reading_begin(d);
    Tally t = {0};
    for (int i = 0; i < COUNT; i++) lines[i] = r->numbers + i * (LENGTH + 1) + 1;
    qsort(lines, COUNT, sizeof *lines, by_tokens);
    for (int i = 0; i < PROMPT; i++)
        reading_take(&target, prompt[i]), reading_take(&draft, prompt[i]);
    tally(&target, &draft, lines, COUNT, 0, &t);
    for (int i = 0; i < CLASSES; i++) t.want[i] /= COUNT * LENGTH;
    need_odds(
        "all tokens, each after those before it, in eight classes from 0, where the draft's "
        "odds q are highest beside p, to 7, where they are lowest",
        t.want, t.count, CLASSES);
    reading_end(&target), reading_end(&draft);
}

/* The next token after one guess: kept, or drawn from what p has more than q. */
static int guess_once(const Reading *target, const Reading *draft, bool *kept) {
    double p[TOKENS], q[TOKENS], accepted = 0, sum = 0;
    int n = target->m->vocab;
    chances(target->logits, n, 1, p), chances(draft->logits, n, 1, q);
    for (int i = 0; i < n; i++) accepted += fmin(p[i], q[i]), sum += fmax(0, p[i] - q[i]);
    *kept = judge_uniform() < accepted;
    for (int i = 0; i < n; i++)
        p[i] = *kept ? fmin(p[i], q[i]) / accepted : fmax(0, p[i] - q[i]) / sum;
    return drawn(p, n);
}

/* Passes that speculation needs for LENGTH tokens, by simulation. */
static double passes_needed(const TestModel *m, const TestModel *d, int guesses,
                            const int *prompt) {
    enum { TEXTS = 400 };
    Reading target = reading_begin(m), draft = reading_begin(d);
    double p[TOKENS];
    int passes = 0;
    for (int i = 0; i + 1 < PROMPT; i++)
        reading_take(&target, prompt[i]), reading_take(&draft, prompt[i]);
    for (int text = 0; text < TEXTS; text++) {
        target.n = draft.n = PROMPT - 1;
        for (int n = 0, left = 0, token = prompt[PROMPT - 1]; n < LENGTH; n++) {
            bool kept = true;
            reading_take(&target, token), reading_take(&draft, token);
            if (n == 0 || left < 0) passes++, left = guesses;
            if (left > 0) {
                token = guess_once(&target, &draft, &kept);
            } else {
                chances(target.logits, m->vocab, 1, p);
                token = drawn(p, m->vocab);
            }
            left = kept ? left - 1 : -1;
        }
    }
    reading_end(&target), reading_end(&draft);
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

/* A prompt after which the target is undecided and the draft errs: there it is seen what takes
 * the place of a refused guess. */
static void telling_prompt(const TestModel *m, const TestModel *draft, int *prompt) {
    double p[TOKENS], q[TOKENS];
    for (int tries = 0; tries < 200; tries++) {
        double both = 0;
        some_ids(m, prompt, PROMPT);
        odds_after(m, prompt, PROMPT, p), odds_after(draft, prompt, PROMPT, q);
        for (int i = 0; i < m->vocab; i++) both += fmin(p[i], q[i]);
        if (both > 0.3 && both < 0.7 && p[likeliest(p, m->vocab)] < 0.6) return;
    }
}

/* Lines of passes and tokens; returns the mean of the passes. */
static double passes_of(const Reply *r, int vocab) {
    double passes = 0;
    need(r->n == (size_t)COUNT * (LENGTH + 1),
         "%zu numbers printed, expected %d lines: passes, then %d tokens", r->n, COUNT, LENGTH);
    for (size_t i = 0; i < r->n; i++) {
        bool first = i % (LENGTH + 1) == 0;
        need(first ? r->numbers[i] >= 1 && r->numbers[i] <= LENGTH
                   : r->numbers[i] >= 0 && r->numbers[i] < vocab,
             "line %zu has %g: passes are 1 to %d, tokens 0 to %d", i / (LENGTH + 1) + 1,
             r->numbers[i], LENGTH, vocab - 1);
        if (first) passes += r->numbers[i] / COUNT;
    }
    return passes;
}

static void need_speculation(const TestModel *m, const TestModel *draft, int guesses,
                             const int *prompt) {
    int before[LENGTH];
    test_write(draft, "draft.gguf");
    FILE *in = judge_input("in");
    write_ids(in, prompt, PROMPT);
    fclose(in);
    Reply r = ask("speculate %s %s %d %d %d %d", judge_path("model.gguf"),
                  judge_path("draft.gguf"), guesses, LENGTH, COUNT, judge_between(1, 100000));
    double passes = passes_of(&r, m->vocab);
    for (int i = 0; i < 4; i++) {
        need_position(m, &r, prompt, i, before);
        before[i] = commonest(&r, i, before);
    }
    need_tally(m, draft, &r, prompt);
    double want = passes_needed(m, draft, guesses, prompt);
    printf("  %d guesses: %.2f passes of the target for %d tokens; plain drawing takes %d\n",
           guesses, passes, LENGTH, LENGTH);
    need(passes < 1.12 * want,
         "%.2f passes for %d tokens, about %.2f expected: make %d guesses, keep a guess with "
         "the chance min(1, p / q), and after all %d take one more from the target's last row",
         passes, LENGTH, want, guesses, guesses);
    need(passes > 0.88 * want,
         "%.2f passes for %d tokens, about %.2f expected: count every pass of the target",
         passes, LENGTH, want);
}

/* A draft that errs often, and one that hardly errs, which may guess more. */
void chapter_speculation(void) {
    TestModel m = test_sizes();
    int prompt[PROMPT];
    m.dim = 32, m.hidden = 64, m.layers = 2, m.n_merges = 8, m.tied = false, m.spread = 4,
    m.silent_end = true;
    test_fill(&m);
    test_write(&m, "model.gguf");
    TestModel wild = noisy(&m, 0.5), near = noisy(&m, 0.03);
    telling_prompt(&m, &wild, prompt);
    need_speculation(&m, &wild, 3, prompt);
    need_speculation(&m, &near, judge_between(6, 10), prompt);
}
