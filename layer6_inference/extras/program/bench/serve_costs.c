/* serve_costs.c - strata bench serve --costs FILE: what a step costs, and how well that
 * predicts single steps.
 *
 * Training and test data differ: the costs are fitted to steps made for this, of every size and
 * at the beginning and end of texts; the table shows the steps of the rows, with mixed prefill
 * and decoding. */
#include "input.h"
#include "serve.h"
#include "schedule.h"
#include "step_cost.h"
#include "traffic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The steps nearest to a fitted point: measured and predicted time. */
typedef struct Near {
    double took, told, *apart; /* total seconds; (count) ratios */
    size_t count;
} Near;

/* The point with the nearest token count, by ratio. */
static size_t serve_costs_nearest(const StepCost *c, double tokens) {
    size_t best = 0;
    for (size_t i = 1; i < c->points; i++)
        if (fabs(log(tokens / c->tokens[i])) < fabs(log(tokens / c->tokens[best]))) best = i;
    return best;
}

/* A step that took over twice the prediction was interrupted; it is capped there
 * (step_cost_fit). */
static void find_near(const ServeRow *all, const StepCost *c, size_t point, Near *near) {
    near->took = near->told = 0, near->count = 0;
    for (size_t k = 0; k < all->n_steps; k++) {
        double took = all->step_seconds[k], told = step_cost_seconds(c, all->sizes[k]);
        if (serve_costs_nearest(c, all->sizes[k].tokens) != point) continue;
        near->took += fmin(took, 2 * told), near->told += told;
        near->apart[near->count++] = fabs(told / took - 1);
    }
}

static bool print_steps(const ServeRow *all, const StepCost *c, Fault *fault) {
    Near near = {.apart = malloc((all->n_steps + 1) * sizeof(double))};
    if (!near.apart) return fault_set(fault, "no memory for %zu steps", all->n_steps);
    const size_t last = c->points - 1;
    printf("\n%10s %7s %12s %12s %7s %13s\n", "step of", "steps", "measured ms", "by costs",
           "apart", "half within");
    for (size_t i = 0; i < c->points; i++) {
        find_near(all, c, i, &near);
        if (near.count == 0) continue;
        double n = (double)near.count;
        printf("%10.0f %7zu %12.3f %12.3f %+6.1f%% %12.1f%%\n", c->tokens[i], near.count,
               1e3 * near.took / n, 1e3 * near.told / n, 100 * (near.told / near.took - 1),
               100 * percentile(near.apart, near.count, 0.5));
    }
    printf("\nof these: a row of logits %.4f ms; of a thousand positions, to fetch their keys "
           "and values %.4f, and for each token that looks at them %.4f; behind %.0f tokens of "
           "a prompt %.4f more\n",
           1e3 * c->row, 1e6 * c->past, 1e6 * c->seen, c->tokens[last], 1e3 * c->after[last]);
    free(near.apart);
    return true;
}

/* ------------------------------------------------------------------ steps of every size */

enum { WRITERS = 32, WRITTEN = 24, AFTER = 6, ROUNDS = 3 };

/* Run `users` concurrent requests with these prompt and answer lengths, in steps of up to
 * `budget` tokens. */
static bool take_steps(const Serve *v, size_t users, size_t prompt, size_t answer,
                       size_t places, size_t budget, ServeRow *all, Fault *fault) {
    Visit visits[2 * PREFILL_BATCH];
    const Traffic traffic = {visits, min_size(users, 2 * PREFILL_BATCH)};
    const SchedulePolicy policy = {
        .budget = budget, .running = places, .waiting = traffic.count};
    ServeRow row = {0};
    for (size_t i = 0; i < traffic.count; i++)
        visits[i] = (Visit){.prompt = max_size(prompt, 1), .answer = answer};
    bool ok = serve_traffic(v, &traffic, policy, &row, fault);
    if (ok) serve_row_keep(all, &row);
    serve_row_free(&row);
    return ok;
}

/* Decode with each batch size, at the beginning of the texts and at the end. */
static bool write_together(const Serve *v, ServeRow *all, Fault *fault) {
    const size_t most = v->longest - 2, answer = min_size(WRITTEN, most / 2);
    for (size_t n = 1; n <= WRITERS; n *= 2) {
        if (!take_steps(v, n, most / 16, answer, n, PREFILL_BATCH, all, fault)) return false;
        if (!take_steps(v, n, most - answer, answer, n, PREFILL_BATCH, all, fault))
            return false;
    }
    return true;
}

/* Prefill whole texts in steps of this many tokens, then decode a few; several texts if one is
 * too short for a step. */
static bool read_in_steps(const Serve *v, ServeRow *all, Fault *fault) {
    const size_t most = v->longest - 2, answer = min_size(AFTER, most / 2);
    for (size_t n = 8; n <= PREFILL_BATCH; n *= 2) {
        size_t texts = 1 + n / most;
        if (!take_steps(v, 2 * texts, most - answer, answer, texts, n, all, fault))
            return false;
    }
    return true;
}

bool serve_costs(const Serve *v, FileOut *out, Fault *fault) {
    BenchJob job = *v->job;
    Serve made = *v;
    ServeRow all = {0};
    StepCost cost;
    made.job = &job, job.shared = 0; /* no cached prompts */
    bool ok = serve_row_open(&all, &v->traffic, fault);
    for (int round = 0; ok && round < ROUNDS; round++)
        ok = write_together(&made, &all, fault) && read_in_steps(&made, &all, fault);
    ok = ok && step_cost_fit(all.sizes, all.step_seconds, all.n_steps, &cost, fault);
    serve_row_free(&all);
    if (!ok) return false;
    step_cost_write(&cost, out->stream);
    return (job.json || print_steps(&v->all, &cost, fault)) && file_end(out, fault);
}
