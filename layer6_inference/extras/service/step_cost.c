/* step_cost.c - see step_cost.h. */
#include "step_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 3, TERMS = 2 * COST_POINTS + MORE, DISTURBED = 2 };

/* The segment that a step lies on, from point i to the next, and the position along it. */
static size_t find_line(const StepCost *c, double tokens, double *share) {
    size_t i = 0;
    while (i + 2 < c->points && tokens > c->tokens[i + 1]) i++;
    *share = fmax((tokens - c->tokens[i]) / (c->tokens[i + 1] - c->tokens[i]), 0);
    return i;
}

double step_cost_seconds(const StepCost *c, StepSize s) {
    double share, cold;
    size_t i = find_line(c, s.tokens, &share), k = find_line(c, s.before, &cold);
    double rise = c->batch[i + 1] - c->batch[i];
    if (rise < 0) share = fmin(share, 1); /* a falling line does not continue */
    cold = fmin(cold, 1);
    return c->batch[i] + share * rise + c->row * s.rows + c->past * s.past + c->seen * s.seen +
           c->after[k] + cold * (c->after[k + 1] - c->after[k]);
}

double step_before(StepSize s) { return s.tokens - s.rows + s.before / 8; }

/* ------------------------------------------------------------------ fitting */

/* Normal equations of a least-squares problem: sums of products of the terms, and with the
 * target. */
typedef struct Squares {
    double m[TERMS][TERMS + 1];
    bool used[TERMS];
    size_t terms;
} Squares;

/* The mean of the steps of about 1, 2, 4 ... tokens; for the fewest the minimum, so that no
 * step is below the first point. */
static void find_points(StepCost *c, const StepSize *sizes, size_t n) {
    double sum[COST_POINTS] = {0}, count[COST_POINTS] = {0}, least = sizes[0].tokens;
    for (size_t k = 0; k < n; k++) {
        size_t i = min_size((size_t)lround(log2(sizes[k].tokens)), COST_POINTS - 1);
        sum[i] += sizes[k].tokens, count[i]++, least = fmin(least, sizes[k].tokens);
    }
    for (size_t i = 0; i < COST_POINTS; i++)
        if (count[i] > 0) c->tokens[c->points++] = sum[i] / count[i];
    c->tokens[0] = least;
}

static void terms_of(const StepCost *c, StepSize s, double x[TERMS]) {
    double share, *after = x + c->points + MORE;
    size_t i = find_line(c, s.tokens, &share);
    memset(x, 0, TERMS * sizeof *x);
    x[i] = 1 - share, x[i + 1] = share;
    x[c->points] = s.seen, x[c->points + 1] = s.past, x[c->points + 2] = s.rows;
    i = find_line(c, s.before, &share), share = fmin(share, 1);
    after[i] = 1 - share, after[i + 1] = share;
    after[0] = 0; /* all steps of one size, or none: the usual case */
}

/* Each step is divided by its expected cost, so that 1 % counts the same in short and long
 * ones.  A step that took more than twice as long was interrupted and is clipped to twice. */
static void add_step(Squares *q, const StepCost *c, StepSize size, double seconds,
                     double usual) {
    double t[TERMS];
    terms_of(c, size, t);
    for (size_t i = 0; i < q->terms; i++) {
        for (size_t j = 0; j < q->terms; j++) q->m[i][j] += t[i] * t[j] / usual / usual;
        q->m[i][q->terms] += t[i] / usual * fmin(seconds / usual, DISTURBED);
    }
}

/* Solve m x = y by elimination for the used terms; unused and dependent ones are 0. */
static void step_cost_solve(Squares q, double x[TERMS]) {
    const size_t n = q.terms;
    double whole[TERMS];
    for (size_t i = 0; i < n; i++) whole[i] = q.m[i][i];
    for (size_t i = 0; i < n; i++) {
        q.used[i] = q.used[i] && q.m[i][i] > 1e-9 * whole[i];
        for (size_t r = 0; q.used[i] && r < n; r++) {
            if (r == i || !q.used[r]) continue;
            double factor = q.m[r][i] / q.m[i][i];
            for (size_t c = 0; c <= n; c++) q.m[r][c] -= factor * q.m[i][c];
        }
    }
    for (size_t i = 0; i < n; i++) x[i] = q.used[i] ? q.m[i][n] / q.m[i][i] : 0;
}

/* No negative terms: those are left out, the last first. */
static void fit(Squares *q, StepCost *c) {
    double x[TERMS] = {0};
    for (size_t i = 0; i < q->terms; i++) q->used[i] = true;
    for (size_t left = q->terms; left > 0; left--) {
        size_t last = q->terms;
        step_cost_solve(*q, x);
        while (last > 0 && x[last - 1] >= 0) last--;
        if (last == 0) break;
        q->used[last - 1] = false;
    }
    for (size_t i = 0; i < c->points; i++) c->batch[i] = fmax(x[i], 0);
    c->seen = fmax(x[c->points], 0), c->past = fmax(x[c->points + 1], 0);
    c->row = fmax(x[c->points + 2], 0);
    for (size_t i = 0; i < c->points; i++) c->after[i] = fmax(x[c->points + MORE + i], 0);
}

/* The expected cost is unknown before the fit.  Dividing by the measured cost would discount
 * disturbed steps and bias the costs low, so that is only the first guess; then each fit
 * divides by the last one. */
bool step_cost_fit(const StepSize *sizes, const double *seconds, size_t n, StepCost *cost,
                   Fault *fault) {
    enum { ROUNDS = 4 };
    *cost = (StepCost){0};
    find_points(cost, sizes, n);
    if (cost->points < 2)
        return fault_set(fault,
                         "all %zu steps read about %.0f tokens: wanted steps of several sizes, "
                         "so prompts or answers of more tokens",
                         n, cost->tokens[0]);
    for (int round = 0; round < ROUNDS; round++) {
        Squares q = {.terms = 2 * cost->points + MORE};
        for (size_t k = 0; k < n; k++) {
            double usual = round ? fmax(step_cost_seconds(cost, sizes[k]), 1e-9) : seconds[k];
            add_step(&q, cost, sizes[k], seconds[k], usual);
        }
        fit(&q, cost);
    }
    return true;
}

/* ------------------------------------------------------------------ while a service runs */

void step_log_add(StepLog *log, StepSize size, double seconds) {
    const int kind = size.tokens > size.rows;
    const size_t at = log->count[kind] % STEP_LOG;
    if (size.tokens == 0 || !(seconds > 0)) return;
    log->size[kind][at] = size, log->seconds[kind][at] = seconds, log->count[kind]++;
}

bool step_log_cost(const StepLog *log, StepCost *cost) {
    StepSize sizes[2 * STEP_LOG];
    double seconds[2 * STEP_LOG];
    Fault fault; /* too few steps, or no memory */
    size_t n = 0;
    if (!log->count[0] || !log->count[1]) return false;
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < min_size(log->count[kind], STEP_LOG); i++, n++)
            sizes[n] = log->size[kind][i], seconds[n] = log->seconds[kind][i];
    return step_cost_fit(sizes, seconds, n, cost, &fault);
}

/* ------------------------------------------------------------------ as text */

void step_cost_write(const StepCost *c, FILE *out) {
    for (size_t i = 0; i < c->points; i++)
        fprintf(out, "batch %.6g %.6g %.6g\n", c->tokens[i], c->batch[i], c->after[i]);
    fprintf(out, "row %.6g\npast %.6g\nseen %.6g\n", c->row, c->past, c->seen);
}

/* "NAME NUMBER...\n" with n numbers, none negative; `at` moves past it. */
static bool step_cost_read_line(const char **at, const char *name, double *numbers, int n) {
    const size_t size = strlen(name);
    const char *next = *at + size;
    if (strncmp(*at, name, size) != 0) return false;
    for (int i = 0; i < n; i++) {
        char *end;
        if (*next != ' ') return false;
        numbers[i] = strtod(next, &end);
        if (end == next || !(numbers[i] >= 0 && numbers[i] < 1e6)) return false;
        next = end;
    }
    if (*next != '\n') return false;
    *at = next + 1;
    return true;
}

static bool wrong_line(size_t line, const char *wanted, Fault *fault) {
    return fault_set(fault,
                     "line %zu of the costs: wanted %s (strata bench serve --costs FILE writes "
                     "such a file)",
                     line, wanted);
}

bool step_cost_read(StepCost *cost, Text text, Fault *fault) {
    char copy[2048] = "";
    const char *at = copy;
    double point[3];
    StepCost c = {0};
    if (text.size < sizeof copy) memcpy(copy, text.data, text.size);
    for (; c.points < COST_POINTS && step_cost_read_line(&at, "batch", point, 3); c.points++) {
        if (c.points && point[0] <= c.tokens[c.points - 1])
            return wrong_line(c.points + 1, "more tokens than in the line above", fault);
        c.tokens[c.points] = point[0], c.batch[c.points] = point[1];
        c.after[c.points] = point[2];
    }
    if (c.points < 2)
        return wrong_line(c.points + 1,
                          "'batch', tokens, seconds, and seconds more for the step behind it",
                          fault);
    if (!step_cost_read_line(&at, "row", &c.row, 1))
        return wrong_line(c.points + 1, "'row' and its seconds", fault);
    if (!step_cost_read_line(&at, "past", &c.past, 1))
        return wrong_line(c.points + 2, "'past' and its seconds", fault);
    if (!step_cost_read_line(&at, "seen", &c.seen, 1))
        return wrong_line(c.points + 3, "'seen' and its seconds", fault);
    *cost = c;
    return at == copy + text.size || wrong_line(c.points + 4, "the end", fault);
}
