/* The grader of diffusion: how sure the model is, how many positions to fill now, and which. */
#include "diffusion.h"
#include "grader.h"

enum { MOST = 60, LARGE = 3000 };

/* Probabilities of a row, by the textbook. */
static void probabilities(const float *row, size_t n, double *p) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += exp((double)row[i]);
    for (size_t i = 0; i < n; i++) p[i] = exp((double)row[i]) / sum;
}

static void check_row(const float *row, size_t n, int32_t token) {
    double p[MOST], best = 0, next = 0, entropy = 0;
    probabilities(row, n, p);
    for (size_t i = 0; i < n; i++) {
        if (p[i] > best)
            next = best, best = p[i];
        else if (p[i] > next)
            next = p[i];
        if (p[i] > 0) entropy -= p[i] * log(p[i]);
    }
    double got = diffusion_confidence(REMASK_CONFIDENCE, row, n, token);
    HINT(!(close_to(got, best, 1e-9) && !close_to(p[token], best, 1e-6)),
         "confidence is that of the token which was chosen, not of the likeliest");
    HINT(!close_to(got, (double)row[token], 1e-9), "a logit is no probability: softmax");
    NUMBER(got, p[token], 1e-6, "confidence: p of the token");
    got = diffusion_confidence(REMASK_MARGIN, row, n, token);
    HINT(!close_to(got, best, 1e-9) || close_to(next, 0, 1e-9),
         "margin: the likeliest minus the second likeliest");
    NUMBER(got, best - next, 1e-6, "margin: p of the likeliest less p of the next");
    got = diffusion_confidence(REMASK_ENTROPY, row, n, token);
    HINT(!isnan(got),
         "entropy: what has p = 0 adds nothing, and 0 times -infinity is no number");
    HINT(!close_to(got, entropy, 1e-9) || close_to(entropy, 0, 1e-6),
         "entropy: the surer the larger, so the sum of p ln p as it is, below 0");
    NUMBER(got, -entropy, 1e-6, "entropy: the sum of p ln p");
}

static void check_rows(void) {
    float row[MOST];
    for (int round = 0; round < 60; round++) {
        size_t n = 1 + fresh_below(MOST - 1);
        fresh_floats(row, n, -4, 4);
        check_row(row, n, (int32_t)fresh_below(n));
        row[fresh_below(n)] = 5;
        size_t none = fresh_below(n);
        if (row[none] < 5) row[none] = -INFINITY;
        check_row(row, n, (int32_t)fresh_below(n));
    }
    float one[] = {2, 2, 2};
    check_row(one, 1, 0), check_row(one, 3, 1);
    for (int sign = -1; sign < 2; sign += 2) {
        const float large[] = {(float)(800 * sign), (float)(800 * sign - 1), -INFINITY};
        static const char *const why = "exp(800) is more than a number holds, and exp(-800) "
                                       "less: take the largest logit off first";
        double p = 1 / (1 + exp(-1)), q = 1 - p;
        NUMBER(diffusion_confidence(REMASK_CONFIDENCE, large, 3, 0), p, 1e-6, "%s", why);
        NUMBER(diffusion_confidence(REMASK_MARGIN, large, 3, 0), p - q, 1e-6, "%s", why);
        NUMBER(diffusion_confidence(REMASK_ENTROPY, large, 3, 0), p * log(p) + q * log(q), 1e-6,
               "%s", why);
    }
}

/* Entropies of a large vocabulary, at many positions: none is near 0. */
static void check_many(void) {
    static double values[LARGE], before[LARGE];
    static bool stays[LARGE];
    for (size_t i = 0; i < LARGE; i++) before[i] = values[i] = -8 - fresh_between(0, 4);
    diffusion_keep_surest(values, LARGE, 3, stays);
    for (size_t i = 0; i < LARGE; i++) {
        size_t surer = 0;
        for (size_t k = 0; k < LARGE; k++) surer += before[k] > before[i];
        HINT(stays[i] == (surer < 3),
             "%d positions, 3 stay, and position %zu, which %zu are surer than, is %s",
             (int)LARGE, i, surer, stays[i] ? "one of them" : "not");
    }
    HINT(memcmp(before, values, sizeof values) == 0,
         "how sure each place is is read, and afterwards it is another number");
}

GRADE(sure) {
    check_rows();
    check_many();
    for (size_t open = 1; open < 30; open++)
        for (size_t steps = 1; steps < 40; steps++) {
            size_t got = diffusion_share(open, steps);
            HINT(got > 0, "%zu positions and %zu steps: no step may fill nothing", open, steps);
            HINT(got <= open, "%zu positions and %zu steps: %zu are more than are open", open,
                 steps, got);
            COUNT(got, open / steps + (open % steps > 0),
                  "%zu positions, %zu steps: the remainder comes in the first ones", open,
                  steps);
        }
    COUNT(diffusion_share(0, 7), 0, "0 positions, 7 steps: nothing is left to fill");
    for (int round = 0; round < 100; round++) {
        double values[MOST];
        bool stays[MOST + 1];
        size_t n = 1 + fresh_below(MOST), open = 0, count = fresh_below(n + 2);
        for (size_t i = 0; i < n; i++) { /* many are equally sure; some are not open */
            values[i] = fresh_below(4) ? (double)fresh_below(6) / 4 - 1 : -INFINITY;
            open += values[i] > -INFINITY;
            stays[i] = fresh_below(2);
        }
        stays[n] = true;
        diffusion_keep_surest(values, n, count, stays);
        HINT(stays[n], "%zu places, and something is written past the last", n);
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            size_t before = 0; /* surer ones, and earlier ones as sure */
            for (size_t k = 0; k < n; k++)
                before += values[k] > values[i] || (values[k] == values[i] && k < i);
            kept += stays[i];
            HINT(!(stays[i] && values[i] == -INFINITY),
                 "a position that is not open never stays");
            HINT(!stays[i] || before < count, "place %zu stays, and %zu are %s", i, before,
                 "surer, or as sure and before it");
        }
        COUNT(kept, count < open ? count : open,
              "so many stay of %zu open positions, asked for %zu", open, count);
    }
}

GRADES({"6.34", sure})
