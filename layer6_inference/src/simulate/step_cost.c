/* step_cost.c - see step_cost.h. */
#include "step_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 4, DISTURBED = 2 };

static const char *const names[TERMS] = {"step", "token", "row", "seen"};

static void terms_of(StepSize s, double x[TERMS]) {
    x[0] = 1, x[1] = s.tokens, x[2] = s.rows, x[3] = s.seen;
}

double step_cost_seconds(const StepCost *c, StepSize s) {
    return c->step + c->token * s.tokens + c->row * s.rows + c->seen * s.seen;
}

/* ------------------------------------------------------------------ fitting */

/* Solve m x = y by elimination, for the terms that are in use; the others are 0. */
static void solve(double m[TERMS][TERMS + 1], const bool used[TERMS], double x[TERMS]) {
    for (int i = 0; i < TERMS; i++)
        for (int r = 0; used[i] && r < TERMS; r++) {
            if (r == i || !used[r] || m[i][i] == 0) continue;
            double factor = m[r][i] / m[i][i];
            for (int c = 0; c <= TERMS; c++) m[r][c] -= factor * m[i][c];
        }
    for (int i = 0; i < TERMS; i++)
        x[i] = used[i] && fabs(m[i][i]) > 1e-12 ? m[i][TERMS] / m[i][i] : 0;
}

/* Every step is divided by what it should take: an error of 1 % counts the same in a short one and in a long one.  One that took
 * more than twice as long was interrupted by something else, and counts as if it had taken that. */
static void fit_terms(const StepSize *sizes, const double *seconds, const double *usual,
                      size_t n, const bool used[TERMS], double x[TERMS]) {
    double m[TERMS][TERMS + 1] = {{0}}, t[TERMS], scale[TERMS] = {1, 64, 8, 8192};
    for (size_t k = 0; k < n; k++) {
        terms_of(sizes[k], t);
        for (int i = 0; i < TERMS; i++) t[i] /= scale[i] * usual[k];
        for (int i = 0; i < TERMS; i++) {
            for (int j = 0; j < TERMS; j++) m[i][j] += t[i] * t[j];
            m[i][TERMS] += t[i] * fmin(seconds[k] / usual[k], DISTURBED);
        }
    }
    solve(m, used, x);
    for (int i = 0; i < TERMS; i++) x[i] /= scale[i];
}

/* No term below nothing: those that would be are left out, the worst first. */
static StepCost fit(const StepSize *sizes, const double *seconds, const double *usual,
                    size_t n) {
    bool used[TERMS] = {true, true, true, true};
    double x[TERMS];
    for (int left = TERMS; left > 0; left--) {
        int worst = 0;
        fit_terms(sizes, seconds, usual, n, used, x);
        for (int i = 0; i < TERMS; i++)
            if (x[i] < x[worst]) worst = i;
        if (x[worst] >= 0) break;
        used[worst] = false;
    }
    return (StepCost){fmax(x[0], 0), fmax(x[1], 0), fmax(x[2], 0), fmax(x[3], 0)};
}

/* What a step should take is not known before the fit.  To divide by what it took instead makes steps that were disturbed count
 * for nearly nothing, and the costs too small; so that is the first guess, and the next ones divide by what the last fit says. */
bool step_cost_fit(const StepSize *sizes, const double *seconds, size_t n, StepCost *cost,
                   Fault *fault) {
    enum { ROUNDS = 4 };
    double *usual = malloc((n + 1) * sizeof *usual);
    if (!usual) return fault_set(fault, "no memory for the costs of %zu steps", n);
    memcpy(usual, seconds, n * sizeof *usual);
    for (int round = 0; round < ROUNDS; round++) {
        *cost = fit(sizes, seconds, usual, n);
        for (size_t i = 0; i < n; i++) usual[i] = fmax(step_cost_seconds(cost, sizes[i]), 1e-9);
    }
    free(usual);
    return true;
}

/* ------------------------------------------------------------------ as text */

void step_cost_write(const StepCost *c, FILE *out) {
    const double values[TERMS] = {c->step, c->token, c->row, c->seen};
    for (int i = 0; i < TERMS; i++) fprintf(out, "%s %.9g\n", names[i], values[i]);
}

bool step_cost_read(StepCost *cost, Text text, Fault *fault) {
    double values[TERMS] = {0};
    char copy[256] = "", *at = copy;
    if (text.size < sizeof copy) memcpy(copy, text.data, text.size);
    for (int i = 0; i < TERMS; i++) {
        size_t n = strlen(names[i]);
        char *end = at;
        if (strncmp(at, names[i], n) == 0 && at[n] == ' ') values[i] = strtod(at + n, &end);
        if (end == at || *end != '\n' || !(values[i] >= 0 && values[i] < 1e6))
            return fault_set(fault,
                             "line %d of the costs: wanted '%s' and its seconds (strata bench "
                             "serve --costs FILE writes such a file)",
                             i + 1, names[i]);
        at = end + 1;
    }
    *cost = (StepCost){values[0], values[1], values[2], values[3]};
    return *at == 0 || fault_set(fault, "line 5 of the costs: there are four");
}
