/* numbers.c - chapters 4 to 6: a neuron, softmax, the loss.  See judge.h. */
#include "chapters.h"

/* ------------------------------------------------------------------ 4 */

enum { SUMMED = 1, AFTER = 2, NO_BIAS = 4, UPHILL = 8, BITS = 16, SQUARED = 32 };

static void neuron_way(int way, const double (*point)[3], int n, int steps, double rate,
                       double *out) {
    double w[3] = {0};
    for (int step = 0; step <= steps; step++) {
        double nats = 0, g[3] = {0};
        for (int i = 0; i < n; i++) {
            double p = 1 / (1 + exp(-w[0] * point[i][0] - w[1] * point[i][1] - w[2])),
                   t = point[i][2];
            double d = way & SQUARED ? (p - t) * p * (1 - p) : p - t;
            nats -= log(t > 0 ? p : 1 - p) / (way & BITS ? log(2) : 1);
            g[0] += d * point[i][0], g[1] += d * point[i][1], g[2] += way & NO_BIAS ? 0 : d;
        }
        if (way & AFTER ? step > 0 : step < steps) out[step - (way & AFTER ? 1 : 0)] = nats / n;
        for (int k = 0; k < 3 && step < steps; k++)
            w[k] -= (way & UPHILL ? -1 : 1) * rate * g[k] / (way & SUMMED ? 1 : n);
    }
    memcpy(out + steps, w, sizeof w);
}

void chapter_neuron(void) {
    static const Mistake mistakes[] = {
        {SUMMED, "the gradient is the mean over the points, not the sum"},
        {AFTER, "print the loss at the beginning of a step, before its update"},
        {NO_BIAS, "the third weight, which multiplies no input, learns, too: its gradient "
                  "is p - t"},
        {UPHILL, "the loss grows: go against the gradient"},
        {BITS, "the loss is in bits: log is to base e"},
        {SQUARED, "the gradient of -log p by what goes into the sigmoid is p - t: its slope p "
                  "(1 - p) cancels"}};
    double point[40][3], want[20], wrong[20], got[20];
    int n = judge_between(20, 40), steps = judge_between(4, 9);
    double rate = judge_between(5, 20) / 10.0;
    FILE *in = judge_input("in");
    fprintf(in, "%d\n", n);
    for (int i = 0; i < n; i++) {
        judge_fill(point[i], 2, 1.5);
        point[i][2] = i < 2 ? i : judge_uniform() < 0.5;
        judge_numbers(in, point[i], 3);
    }
    fclose(in);
    neuron_way(0, point, n, steps, rate, want);
    Reply r = ask("neuron %d %g", steps, rate);
    need(r.n == 2 * (size_t)steps + 3 && strstr(r.text, "weights"),
         "print %d lines `step loss` and a line `weights w1 w2 b`", steps);
    for (int i = 0; i < steps; i++) got[i] = r.numbers[2 * i + 1];
    memcpy(got + steps, r.numbers + 2 * steps, 3 * sizeof *got);
    if (alike(got, want, (size_t)steps + 3)) return;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        neuron_way(mistakes[m].flag, point, n, steps, rate, wrong);
        need(!alike(got, wrong, (size_t)steps + 3), "%s", mistakes[m].hint);
    }
    refuse("loss: got %g then %g, expected %g then %g", got[0], got[1], want[0], want[1]);
}

/* ------------------------------------------------------------------ 5 */

static void ask_next(int vocab, int dim, double deviation) {
    static double table[300 * 70], want[300];
    double sum = 0, largest = -INFINITY, total = 0;
    int token = judge_between(1, vocab - 2);
    FILE *in = judge_input("in");
    judge_fill(table, (size_t)(vocab * dim), deviation);
    fprintf(in, "%d %d %d\n", vocab, dim, token);
    judge_numbers(in, table, (size_t)(vocab * dim));
    fclose(in);
    for (int i = 0; i < vocab; i++) {
        want[i] = 0;
        for (int j = 0; j < dim; j++) want[i] += table[i * dim + j] * table[token * dim + j];
        largest = fmax(largest, want[i]);
    }
    Reply r = ask("next");
    need(r.n == (size_t)vocab, "%d probabilities expected, one per line; got %zu numbers",
         vocab, r.n);
    need(!alike(r.numbers, want, (size_t)vocab),
         "these are scores: softmax turns them into probabilities");
    for (int i = 0; i < vocab; i++) sum += want[i] = exp(want[i] - largest);
    for (int i = 0; i < vocab; i++) {
        need(isfinite(r.numbers[i]),
             "probability %d is %g: exp of a score in the hundreds is infinite; subtract the "
             "largest "
             "score first",
             i, r.numbers[i]);
        want[i] /= sum, total += r.numbers[i];
    }
    need(fabs(total - 1) < 1e-3, "the probabilities add up to %g: divide by their sum", total);
    int best = 0;
    for (int i = 0; i < vocab; i++)
        if (fabs(r.numbers[i] - want[i]) > fabs(r.numbers[best] - want[best])) best = i;
    need(alike(r.numbers, want, (size_t)vocab),
         "probability of token %d: got %g, expected %g: its score is the product of its row "
         "with "
         "row %d, counted from 0",
         best, r.numbers[best], want[best], token);
}

void chapter_next(void) {
    ask_next(judge_between(6, 12), judge_between(3, 6), 1);
    ask_next(judge_between(200, 300), judge_between(40, 70), 0.3);
    ask_next(judge_between(6, 12), judge_between(3, 6), 40);
}

/* ------------------------------------------------------------------ 6 */

static void table_way(int way, double size, int steps, double rate, double *out) {
    static double score[256][256];
    memset(score, 0, sizeof score);
    double first[256] = {0};
    for (int step = 0; step <= steps; step++) {
        double nats = 0;
        for (int a = 0; a < 256; a++) {
            double p[256], sum = 0, seen = 0;
            for (int b = 0; b < 256; b++)
                sum += p[b] = exp(score[a][b]), seen += followers[a][b];
            first[a] = seen;
            for (int b = 0; b < 256; b++) {
                p[b] /= sum;
                nats -= followers[a][b] * log(p[b]);
                double share = way & SUMMED ? seen > 0 ? seen : 1 : size;
                if (step < steps)
                    score[a][b] -= (way & UPHILL ? -1 : 1) * rate *
                                   (seen * p[b] - followers[a][b]) / share;
            }
        }
        if (way & AFTER ? step > 0 : step < steps)
            out[step - (way & AFTER ? 1 : 0)] = nats / size / (way & BITS ? log(2) : 1);
    }
    out[steps] = 0;
    for (int a = 0; a < 256; a++)
        out[steps] +=
            first[a] / size * entropy_of(followers[a], 256) / (way & BITS ? log(2) : 1);
    if (way & SQUARED) out[steps] = entropy_of(first, 256);
}

static void judge_table(Reply text, const char *path) {
    static const Mistake mistakes[] = {
        {SUMMED, "the gradient is that of the mean over the whole text: a rare byte's row "
                 "moves little"},
        {AFTER, "print the loss at the beginning of a step, before its update"},
        {UPHILL, "the loss grows: go against the gradient, which is p, minus 1 at the target"},
        {BITS, "these are bits: log is to base e"},
        {SQUARED, "the floor is the entropy of what follows a byte, averaged over the bytes; "
                  "this is that of single bytes"}};
    double want[40], wrong[40], got[40];
    int steps = judge_between(10, 25);
    double rate = judge_between(50, 120) / 10.0;
    size_t n = (size_t)steps + 1;
    table_way(0, (double)text.size, steps, rate, want);
    Reply r = ask("table %s %d %g", path, steps, rate);
    need(r.n == 2 * (size_t)steps + 1 && strstr(r.text, "floor"),
         "print %d lines `step loss` and a line `floor X`", steps);
    for (int i = 0; i < steps; i++) got[i] = r.numbers[2 * i + 1];
    got[steps] = r.numbers[2 * steps];
    for (size_t i = 0, same = 1; i <= n; i++) {
        if (i == n && same) return;
        same = same && i < n && fabs(got[i] - want[i]) < 1e-3;
    }
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        table_way(mistakes[m].flag, (double)text.size, steps, rate, wrong);
        double most = 0;
        for (size_t i = 0; i < n; i++) most = fmax(most, fabs(got[i] - wrong[i]));
        need(!(most < 1e-3), "%s", mistakes[m].hint);
    }
    need(fabs(got[0] - log(256)) < 1e-3,
         "%s: the first loss is %g, expected %.4f = log 256: all scores begin at 0, and the "
         "last byte is followed by the first",
         path, got[0], log(256));
    refuse("%s: loss %g, then %g; floor %g; expected %g, then %g; floor %g, of all %zu bytes, "
           "the last of which is followed by the first",
           path, got[0], got[1], got[steps], want[0], want[1], want[steps], text.size);
}

void chapter_table(void) {
    Reply text = judge_text("stories.txt", 150);
    judge_table(text, judge_path("stories.txt"));
    text = judge_ring("ring.txt");
    judge_table(text, judge_path("ring.txt"));
}
