/* block.c - chapters 7 and 8: attention and the block.  See block.h. */
#include "block.h"

static void attend(int way, Sizes s, double qkv[ROWS][3 * DIM], double out[ROWS][DIM]) {
    int heads = way & ONE_HEAD ? 1 : s.heads, size = s.dim / heads;
    double scale = way & NO_SCALE ? 1 : 1 / sqrt(way & FULL_SCALE ? s.dim : size);
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < s.n; i++) {
            double score[ROWS], largest = -INFINITY, sum = 0;
            for (int j = 0; j < s.n; j++) {
                bool seen = j < i || (j == i && !(way & BLIND && i > 0));
                score[j] = 0;
                for (int k = 0; k < size; k++)
                    score[j] += qkv[i][h * size + k] * qkv[j][s.dim + h * size + k] * scale;
                if (!seen && !(way & (NO_MASK | LATE_MASK))) score[j] = -INFINITY;
                largest = fmax(largest, score[j]);
            }
            for (int j = 0; j < s.n; j++) sum += score[j] = exp(score[j] - largest);
            for (int k = 0; k < size; k++) {
                out[i][h * size + k] = 0;
                for (int j = 0; j < s.n; j++)
                    if (j <= i || !(way & LATE_MASK))
                        out[i][h * size + k] +=
                            score[j] / sum * qkv[j][2 * s.dim + h * size + k];
            }
        }
}

void compare(const char *what, const double *got, const double *want, int n, int cols) {
    int worst = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= fabs(got[worst] - want[worst]))) worst = i;
    refuse("%s: row %d, column %d: got %g, expected %g", what, worst / cols + 1,
           worst % cols + 1, got[worst], want[worst]);
}

static void read_rows(int n, int cols, int stride, const double *from, double *to) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < cols; j++) to[i * cols + j] = from[i * stride + j];
}

/* far: added to all queries and taken from all keys, which makes all scores far below 0. */
static void attention_of(int rows, double far) {
    static const Mistake mistakes[] = {
        {NO_MASK, "a row sees rows after it: it may see only those up to its own"},
        {LATE_MASK, "mask before the softmax, so that the remaining weights add up to 1"},
        {NO_SCALE, "divide the scores by the square root of a head's size"},
        {FULL_SCALE, "the scale is the square root of a head's size, not of the whole row's"},
        {BLIND, "a row sees itself, too"},
        {ONE_HEAD, "each head has columns of its own and a softmax of its own"}};
    double qkv[ROWS][3 * DIM] = {{0}}, want[ROWS][DIM], flat[ROWS * DIM];
    Sizes s = {rows, 0, judge_between(2, 3), 0};
    int size = judge_between(2, 5);
    FILE *in = judge_input("in");
    s.dim = s.heads * size;
    fprintf(in, "%d %d %d\n", s.n, s.heads, size);
    for (int i = 0; i < s.n; i++) {
        /* many rows have scores whose exp is infinite */
        judge_fill(qkv[i], 3 * (size_t)s.dim, rows > SHORT ? 6 : 1.5);
        for (int j = 0; j < s.dim; j++) qkv[i][j] += far, qkv[i][s.dim + j] -= far;
        judge_numbers(in, qkv[i], 3 * (size_t)s.dim);
    }
    fclose(in);
    Reply r = ask("attention");
    size_t n = (size_t)(s.n * s.dim);
    need(r.n == n, "%d rows of %d numbers expected, got %zu numbers", s.n, s.dim, r.n);
    attend(0, s, qkv, want);
    read_rows(s.n, s.dim, DIM, want[0], flat);
    if (alike_rows(r.numbers, flat, n, s.dim)) return;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        double wrong[ROWS * DIM];
        attend(mistakes[m].flag, s, qkv, want);
        read_rows(s.n, s.dim, DIM, want[0], wrong);
        need(!alike_rows(r.numbers, wrong, n, s.dim), "%s", mistakes[m].hint);
    }
    compare("attention", r.numbers, flat, (int)n, s.dim);
}

/* A few rows, whose mistakes can be named, and many. */
void chapter_attention(void) {
    attention_of(judge_between(5, SHORT), 0);
    attention_of(judge_between(66, ROWS), 0);
    attention_of(judge_between(5, SHORT), 13);
}

/* ------------------------------------------------------------------ 8 */

static void normalize(int way, int dim, const double *x, const double *gain, double *out) {
    double sum = 0, mean = 0;
    for (int j = 0; j < dim; j++) mean += way & MEAN_TAKEN ? x[j] / dim : 0;
    for (int j = 0; j < dim; j++)
        sum += (x[j] - mean) * (x[j] - mean) / (way & WHOLE_SUM ? 1 : dim);
    for (int j = 0; j < dim; j++)
        out[j] = (x[j] - mean) / sqrt(sum + (way & NO_EPSILON ? 0 : 1e-5)) *
                 (way & NO_GAIN ? 1 : gain[j]);
}

/* The pairs of a row's columns from `first` on turn by angles that grow with its place. */
static void rope(int way, Sizes s, int place, double *part) {
    int size = s.dim / s.heads;
    for (int h = 0; h < s.heads; h++)
        for (int k = 0; k < size / 2; k++) {
            int a = way & HALVES ? k : 2 * k, b = way & HALVES ? k + size / 2 : 2 * k + 1;
            double speed =
                way & WHOLE_ROW ? (double)(h * size + 2 * k) / s.dim : 2.0 * k / size;
            speed *= way & HALF_SPEED ? 0.5 : way & RISING ? -1 : 1;
            double angle = (way & TURN_BACK ? -1 : 1) * place * pow(10000, -speed);
            double *x = part + h * size, u = x[a], v = x[b];
            x[a] = u * cos(angle) - v * sin(angle);
            x[b] = (way & OVERWRITTEN ? x[a] : u) * sin(angle) + v * cos(angle);
        }
}

static double product(int way, const double *w, int rows, int cols, int r, const double *x) {
    double sum = 0;
    for (int j = 0; j < cols; j++)
        sum += (way & TRANSPOSED && rows == cols ? w[j * cols + r] : w[r * cols + j]) * x[j];
    return sum;
}

void block_way(int way, Sizes s, const double *w, double x[ROWS][DIM]) {
    const double *qkv_w = w + s.dim, *out_w = qkv_w + 3 * s.dim * s.dim,
                 *gain2 = out_w + s.dim * s.dim;
    const double *gate = gain2 + s.dim, *up = gate + s.dim * s.hidden,
                 *down = up + s.dim * s.hidden;
    double before[ROWS][DIM], normed[DIM], qkv[ROWS][3 * DIM], mixed[ROWS][DIM], hidden[HIDDEN];
    memcpy(before, x, sizeof before);
    for (int i = 0; i < s.n; i++) {
        normalize(way, s.dim, x[i], w, normed);
        if (way & NO_FIRST_NORM) memcpy(normed, x[i], sizeof normed);
        for (int p = 0; p < 3; p++)
            for (int r = 0; r < s.dim; r++)
                qkv[i][p * s.dim + r] =
                    product(way, qkv_w + p * s.dim * s.dim, s.dim, s.dim, r, normed);
        for (int p = 0; p < (way & TURN_VALUES ? 3 : 2); p++)
            if (!(way & (p == 0 ? KEYS_ONLY : p == 1 ? QUERIES_ONLY : 0)))
                rope(way, s, i, qkv[i] + p * s.dim);
    }
    attend(way, s, qkv, mixed);
    for (int i = 0; i < s.n; i++)
        for (int r = 0; r < s.dim; r++)
            x[i][r] =
                (way & NO_PATH ? 0 : x[i][r]) +
                (way & NO_OUT ? mixed[i][r] : product(way, out_w, s.dim, s.dim, r, mixed[i]));
    for (int i = 0; i < s.n; i++) {
        const double *from = way & PARALLEL ? before[i] : x[i];
        normalize(way, s.dim, from, way & SAME_GAIN ? w : gain2, normed);
        if (way & NO_SECOND_NORM) memcpy(normed, from, sizeof normed);
        for (int r = 0; r < s.hidden; r++) {
            double g = product(0, way & SWAPPED ? up : gate, s.hidden, s.dim, r, normed);
            double u = product(0, way & SWAPPED ? gate : up, s.hidden, s.dim, r, normed);
            hidden[r] = (way & RELU ? fmax(g, 0) : (way & SIGMOID ? 1 : g) / (1 + exp(-g))) * u;
        }
        for (int r = 0; r < s.dim; r++) {
            double path = way & NO_SECOND_PATH ? 0 : way & OLD_ROW ? before[i][r] : x[i][r];
            x[i][r] = path + product(0, down, s.dim, s.hidden, r, hidden);
        }
    }
}

int weights_of(Sizes s) { return 2 * s.dim + 4 * s.dim * s.dim + 3 * s.dim * s.hidden; }

Sizes random_block(FILE *in, int n, double *w, double x[ROWS][DIM]) {
    Sizes s = {n, 0, n > SHORT ? 4 : 2, judge_between(9, HIDDEN)};
    s.dim = n > SHORT ? DIM : s.heads * 2 * judge_between(2, 4);
    judge_fill(w, (size_t)weights_of(s), 1.2 / sqrt(s.dim));
    for (int j = 0; j < s.dim; j++) {
        w[j] = round(1e4 + 5e3 * judge_normal()) / 1e4;
        w[s.dim + 4 * s.dim * s.dim + j] = round(1e4 + 5e3 * judge_normal()) / 1e4;
    }
    fprintf(in, "%d %d %d %d\n", s.n, s.dim, s.heads, s.hidden);
    judge_numbers(in, w, (size_t)weights_of(s));
    int small = judge_between(0, n - 1); /* there the norm's epsilon counts */
    for (int i = 0; i < s.n; i++) {
        judge_fill(x[i], (size_t)s.dim, i == small ? 2e-3 : 1);
        for (int j = 0; j < s.dim && i != small; j++) x[i][j] += 0.5;
        judge_numbers(in, x[i], (size_t)s.dim);
    }
    return s;
}

static void block_of(int rows) {
    static const Mistake mistakes[] = {
        {NO_TURN, "rotate queries and keys by their position before they meet"},
        {HALVES, "rotate neighbors 0 and 1, 2 and 3, ... together, not number k with "
                 "number k + half"},
        {TURN_BACK,
         "rotated the other way: (a, b) becomes (a cos - b sin, a sin + b cos), and the "
         "first row's position is 0"},
        {OVERWRITTEN,
         "both numbers of a pair rotate from their old values: keep the first before "
         "it is overwritten"},
        {HALF_SPEED,
         "pair k rotates by position * 10000^(-2k / size), k counted from 0: twice k, "
         "and a head's size, not the row's width"},
        {RISING, "pair 0 rotates fastest, the others slower: 10000^(-2k / size), with a minus"},
        {TURN_VALUES, "values are not rotated: they are content, not position"},
        {KEYS_ONLY, "queries are rotated, too"},
        {QUERIES_ONLY, "keys are rotated, too"},
        {WHOLE_ROW,
         "every head's pairs rotate at the same speeds: position * 10000^(-2k / size), "
         "with k counted "
         "from 0 in each head"},
        {SWAPPED, "gate and up are swapped: the sigmoid belongs to the first"},
        {RELU, "the gate is g sigmoid(g), not max(g, 0)"},
        {SIGMOID, "the gate is g sigmoid(g), not sigmoid(g) alone"},
        {NO_FIRST_NORM, "attention reads the normed rows, with the first gain"},
        {NO_SECOND_NORM,
         "the feed-forward network reads the normed rows, with the second gain"},
        {NO_PATH | NO_SECOND_PATH, "both halves add to the row: x += ..."},
        {NO_PATH, "attention adds to the row: x += attention(norm(x))"},
        {NO_SECOND_PATH,
         "the feed-forward network adds to the row: x += feed_forward(norm(x))"},
        {OLD_ROW, "the feed-forward network adds to the row after attention, not to the one "
                  "that went in"},
        {PARALLEL, "the feed-forward network reads the row that attention has added to"},
        {NO_OUT, "W_o maps attention's output before it is added"},
        {SAME_GAIN, "the second norm has gains of its own"},
        {NO_GAIN, "multiply the norm's columns by their gain"},
        {MEAN_TAKEN, "this norm subtracts no mean: it only divides by the root mean square"},
        {WHOLE_SUM, "the norm divides by the root of the mean square, not of the sum"},
        {NO_EPSILON, "the norm adds 1e-5 to the mean square: one of the rows is very small"},
        {ONE_HEAD, "each head has columns of its own and a softmax of its own"},
        {TRANSPOSED, "a matrix is given by its rows, one for each output"},
        {NO_MASK, "a row sees rows after it: it may see only those up to its own"},
        {NO_SCALE, "divide the scores by the square root of a head's size"},
        {FULL_SCALE, "the scale is the square root of a head's size, not of the whole row's"}};
    double w[MOST], x[ROWS][DIM], y[ROWS][DIM], want[ROWS * DIM], wrong[ROWS * DIM];
    FILE *in = judge_input("in");
    Sizes s = random_block(in, rows, w, x);
    size_t n = (size_t)(s.n * s.dim);
    fclose(in);
    Reply r = ask("block");
    need(r.n == n, "%d rows of %d numbers expected, got %zu numbers", s.n, s.dim, r.n);
    memcpy(y, x, sizeof y);
    block_way(0, s, w, y);
    read_rows(s.n, s.dim, DIM, y[0], want);
    if (alike_rows(r.numbers, want, n, s.dim)) return;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        memcpy(y, x, sizeof y);
        block_way(mistakes[m].flag, s, w, y);
        read_rows(s.n, s.dim, DIM, y[0], wrong);
        need(!alike_rows(r.numbers, wrong, n, s.dim), "%s", mistakes[m].hint);
    }
    compare("the block", r.numbers, want, (int)n, s.dim);
}

void chapter_block(void) {
    block_of(judge_between(5, SHORT));
    block_of(judge_between(66, ROWS));
}
