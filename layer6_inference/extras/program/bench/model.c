/* model.c - strata bench model: prefill and decoding speed. */
#include "bench.h"
#include "families.h"
#include "on_machines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Round {
    double seconds;
    double bandwidth; /* GB/s of plain reading before and after it; 0: not measured */
} Round;

/* The median is one round with its own bandwidth: only within a round can the two be
 * related. */
typedef struct Rate {
    double median, low, high; /* tokens a second */
    double bandwidth;         /* of the median round */
    long again;               /* rounds that were disturbed, and measured again */
} Rate;

static int by_seconds(const void *a, const void *b) {
    double x = ((const Round *)a)->seconds, y = ((const Round *)b)->seconds;
    return (x > y) - (x < y);
}

enum { MAX_ROUNDS = 64 }; /* the range of --rounds: bench.c */

/* Memory speed varies by the second on a shared machine: measure it around each round. */
static double probe(const Session *s) { return bandwidth_gigabytes(s->pool, 0.1).median; }

/* Did the machine do something else meanwhile? */
static bool disturbed(double before, double after) {
    return fabs(after - before) > 0.15 * fmax(before, after);
}

/* `count` tokens, a batch at a time: these PREFILL_BATCH, over and over. */
static bool eval_repeated(Session *s, const int32_t *tokens, size_t count, Fault *fault) {
    for (size_t at = 0; at < count; at += PREFILL_BATCH)
        if (!session_eval(s, tokens, min_size(count - at, PREFILL_BATCH), false, fault))
            return false;
    return true;
}

/* Prefill `prompt` tokens at once, or decode `count` one by one after `before`. */
static bool measure_round(Session *s, const int32_t *tokens, size_t prompt, size_t before,
                          size_t count, Round *round, bool *again, Fault *fault) {
    session_rewind(s, 0, 0);
    if (!eval_repeated(s, tokens, before, fault)) return false;
    double speed = probe(s), start = clock_seconds();
    if (!eval_repeated(s, tokens, prompt, fault)) return false;
    for (size_t i = 0; i < count; i++)
        if (!session_eval(s, tokens + i % PREFILL_BATCH, 1, false, fault)) return false;
    round->seconds = clock_seconds() - start;
    double after = probe(s);
    round->bandwidth = (speed + after) / 2, *again = disturbed(speed, after);
    return true;
}

/* `rounds` times; a disturbed round is measured again, but no more than `rounds` of them. */
static bool model_measure(Session *s, size_t prompt, size_t before, size_t count, long rounds,
                          Rate *rate, Fault *fault) {
    int32_t tokens[PREFILL_BATCH];
    Round round[MAX_ROUNDS] = {{0}};
    for (size_t i = 0; i < PREFILL_BATCH; i++)
        tokens[i] = (int32_t)(rng_hash(5, 0, i) % s->model->sizes.vocab);
    *rate = (Rate){0};
    for (long r = 0; r < rounds;) {
        bool again;
        if (!measure_round(s, tokens, prompt, before, count, &round[r], &again, fault))
            return false;
        if (again && rate->again < rounds)
            rate->again++;
        else
            r++;
    }
    qsort(round, (size_t)rounds, sizeof *round, by_seconds);
    double n = (double)(prompt + count);
    const Round *middle = &round[rounds / 2];
    rate->median = n / middle->seconds, rate->bandwidth = count ? middle->bandwidth : 0;
    rate->low = n / round[rounds - 1].seconds, rate->high = n / round[0].seconds;
    return true;
}

double bench_bandwidth(Pool *pool) {
    return machines_number() * bandwidth_gigabytes(pool, 0.1).median;
}

double bench_bytes_per_token(const Model *m) {
    double bytes = 0;
    for (size_t i = 0; i < m->gguf.n_tensors; i++) {
        const GgufTensor *t = &m->gguf.tensors[i];
        if (text_equal(t->name, text_of("token_embd.weight")) &&
            m->head.w.data != m->embedding.data)
            continue;
        const LayerExtras *last = m->layers[m->sizes.layers - 1].extras;
        bool of_experts = last && last->experts && t->ndim == 3;
        double used = of_experts ? (double)last->experts_used / (double)last->experts : 1;
        bytes += used * (double)t->bytes;
    }
    return bytes;
}

static void print_rate(const BenchJob *job, const char *what, size_t tokens, size_t before,
                       Rate r, double gigabytes) {
    double share = r.bandwidth > 0 ? gigabytes / r.bandwidth : 0;
    if (job->json) {
        printf("{\"test\":\"%s\",\"tokens\":%zu,\"context\":%zu,\"tokens_per_second\":%.3f,"
               "\"low\":%.3f,\"high\":%.3f,\"gigabytes_per_second\":%.3f,\"bandwidth\":%.3f,"
               "\"share\":%.6f,\"again\":%ld}\n",
               what, tokens, before, r.median, r.low, r.high, gigabytes, r.bandwidth, share,
               r.again);
        return;
    }
    printf("  %-8s %6zu %8zu %10.2f   %8.2f - %-8.2f", what, tokens, before, r.median, r.low,
           r.high);
    if (gigabytes > 0 && share > 1)
        printf("  %6.1f GB/s from the caches; memory gives %.1f", gigabytes, r.bandwidth);
    else if (gigabytes > 0)
        printf("  %6.1f of %.1f GB/s, %.0f %%", gigabytes, r.bandwidth, 100 * share);
    if (r.again) printf("; %ld again: disturbed", r.again);
    putchar('\n');
}

static bool model_measure_all(const BenchJob *job, const Model *model, Session *s,
                              Fault *fault) {
    Rate rate;
    double bytes = bench_bytes_per_token(model);
    const bool alone = machines_number() == 1; /* else others read some of both */
    if (!job->json)
        printf("  %-8s %6s %8s %10s   %-19s  %s\n", "test", "tokens", "context", "tokens/s",
               "slowest - fastest",
               alone ? "weights and KV cache, of the bandwidth measured around each round"
                     : "");
    if (job->prompt > 0) {
        if (!model_measure(s, (size_t)job->prompt, 0, 0, job->rounds, &rate, fault))
            return false;
        print_rate(job, "prefill", (size_t)job->prompt, 0, rate, 0);
    }
    if (job->count > 0) {
        if (!model_measure(s, 0, (size_t)job->context, (size_t)job->count, job->rounds, &rate,
                           fault))
            return false;
        bytes += kv_bytes_moved(&s->kv, (size_t)(job->context + job->count / 2));
        print_rate(job, "decode", (size_t)job->count, (size_t)job->context, rate,
                   alone ? bytes * rate.median / 1e9 : 0);
    }
    return true;
}

bool bench_model(BenchJob *job, LoadedModel *m, Fault *fault) {
    size_t longest = max_size((size_t)(job->context + job->count), (size_t)job->prompt);
    if (!loaded_open_exactly(m, &job->compute, longest, 1, "a smaller -p, -n or --context",
                             fault))
        return false;
    if (!job->json)
        printf("%s, %d threads, %s; open after %.2f s\n\n", job->model,
               pool_threads(job->compute.pool), kernels_isa(), clock_seconds() - job->began);
    return model_measure_all(job, m->model, &m->session, fault);
}
