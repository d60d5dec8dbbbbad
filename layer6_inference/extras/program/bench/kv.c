/* kv.c - strata bench kv: size, speed and error of every KV cache format.
 *
 * The error is the mean KL divergence sum p ln(p / q) over the tokens of held-out Tiny World
 * documents: q is the next-token distribution in this format, p the one with f32. */
#include "bench.h"
#include "input.h"
#include "on_machines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct KvBench {
    const BenchJob *job;
    const Model *model;
    TokenList tokens; /* of the documents, truncated to the context */
    size_t ends[1000], documents;
    float *exact; /* (tokens, vocab) log-probabilities with f32 */
    double loss, divergence;
    double rate[2]; /* tokens a second at position 0 and at --context */
} KvBench;

enum { MOST_TOKENS = 2048, READ = 32, MOST_TIMES = 64 * 256 };

/* ------------------------------------------------------------------ what it spoils */

static bool kv_gather(KvBench *b, Fault *fault) {
    World *world = world_open(fault);
    WorldText text = {0};
    bool ok = world != NULL;
    const size_t ctx = b->model->sizes.ctx;
    for (uint64_t i = 0; ok && b->documents < (size_t)b->job->documents &&
                         b->documents < 1000 && b->tokens.count < MOST_TOKENS;
         i++) {
        size_t begin = b->tokens.count;
        world_write(world, "document", 2, i, &text);
        if (tokenizer_bos(b->model->tokenizer) >= 0)
            token_list_add(&b->tokens, tokenizer_bos(b->model->tokenizer));
        ok = tokenizer_encode(b->model->tokenizer, (Text){text.bytes, text.size}, true,
                              &b->tokens, fault);
        b->tokens.count = min_size(b->tokens.count, min_size(begin + ctx, MOST_TOKENS));
        b->ends[b->documents++] = b->tokens.count;
    }
    if (world) world_text_free(&text), world_close(world);
    return ok;
}

/* Logits to log-probabilities, in place. */
static void kv_normalize(float *logits, size_t n) {
    ExpSums sums = scan_exp(logits, n, vector_max(logits, n));
    float total = vector_max(logits, n) + logf((float)sums.sum);
    for (size_t i = 0; i < n; i++) logits[i] -= total;
}

/* One row: stored for f32, compared with that for other formats. */
static void kv_take_row(KvBench *b, float *row, size_t token, bool first) {
    const size_t vocab = b->model->sizes.vocab;
    float *exact = b->exact + token * vocab;
    kv_normalize(row, vocab);
    if (first) memcpy(exact, row, vocab * sizeof *row);
    for (size_t i = 0; i < vocab; i++)
        b->divergence += exp((double)exact[i]) * ((double)exact[i] - (double)row[i]);
}

static bool kv_read_document(KvBench *b, Session *s, size_t begin, size_t end, bool first,
                             Fault *fault) {
    session_reset(s);
    for (size_t at = begin; at < end; at += READ) {
        size_t n = min_size(READ, end - at);
        if (!session_eval(s, b->tokens.ids + at, n, true, fault)) return false;
        for (size_t i = 0; i < n; i++) {
            float *row = s->logits + i * b->model->sizes.vocab;
            kv_take_row(b, row, at + i, first);
            if (at + i + 1 < end) b->loss -= (double)row[b->tokens.ids[at + i + 1]];
        }
    }
    return true;
}

static bool compare_all(KvBench *b, KvFormat format, bool first, Fault *fault) {
    Session s;
    SessionConfig c = {.sequences = 1, .max_tokens = READ, .max_logits = READ, .kv = format};
    if (!session_open(&s, b->model, b->job->compute.pool, c, fault)) return false;
    bool ok = true;
    size_t begin = 0;
    b->loss = b->divergence = 0;
    for (size_t d = 0; ok && d < b->documents; begin = b->ends[d++])
        ok = kv_read_document(b, &s, begin, b->ends[d], first, fault);
    session_close(&s);
    b->loss /= (double)(b->tokens.count - b->documents);
    b->divergence /= (double)b->tokens.count;
    return ok;
}

/* ------------------------------------------------------------------ what it costs */

static bool write_some(const KvBench *b, Session *s, size_t before, size_t count, double *times,
                       Fault *fault) {
    session_rewind(s, 0, before);
    for (size_t i = 0; i < count; i++) {
        int32_t token = (int32_t)(rng_hash(5, 1, i) % s->model->sizes.vocab);
        double start = bench_now(b->job);
        if (!session_eval(s, &token, 1, false, fault)) return false;
        times[i] = bench_now(b->job) - start;
    }
    return true;
}

static bool open_behind(const KvBench *b, KvFormat format, size_t context, Session *s,
                        Fault *fault) {
    SessionConfig c = {.ctx = context + (size_t)b->job->count,
                       .sequences = 1,
                       .max_tokens = PREFILL_BATCH,
                       .max_logits = 1,
                       .kv = format};
    if (!session_open(s, b->model, b->job->compute.pool, c, fault)) return false;
    for (size_t at = 0; at < context; at += PREFILL_BATCH) {
        int32_t tokens[PREFILL_BATCH];
        size_t n = min_size(PREFILL_BATCH, context - at);
        for (size_t i = 0; i < n; i++)
            tokens[i] = (int32_t)(rng_hash(5, 0, i) % s->model->sizes.vocab);
        if (!session_eval(s, tokens, n, false, fault)) return false;
    }
    return true;
}

/* Alternate between both positions, so that both see the same load; the fastest quarter
 * counts. */
static bool time_both(KvBench *b, KvFormat format, Fault *fault) {
    const size_t context = (size_t)b->job->context, count = (size_t)b->job->count,
                 rounds = (size_t)b->job->rounds;
    static double times[2][MOST_TIMES];
    Session s[2] = {{0}};
    bool ok = open_behind(b, format, 0, &s[0], fault) &&
              open_behind(b, format, context, &s[1], fault);
    for (size_t r = 0; ok && r < rounds; r++)
        ok = write_some(b, &s[0], 0, count, times[0] + r * count, fault) &&
             write_some(b, &s[1], context, count, times[1] + r * count, fault);
    for (int i = 0; i < 2; i++) {
        if (ok) percentile(times[i], rounds * count, 0.5);
        b->rate[i] = 1 / times[i][rounds * count / 4];
        if (s[i].model) session_close(&s[i]);
    }
    return ok;
}

double bench_kv_bytes(const Model *model, KvFormat format) {
    size_t cache, half, work;
    SessionConfig c = {.ctx = KV_PAGE, .sequences = 1, .max_tokens = 1, .max_logits = 1};
    SessionShapes *const shared = session_shapes;
    session_shapes = NULL; /* heads and layers of other machines count as well */
    c.kv = format;
    session_plan(model, c, &half, &work);
    c.ctx = 2 * KV_PAGE;
    session_plan(model, c, &cache, &work);
    session_shapes = shared;
    return (double)(cache - half) / KV_PAGE;
}

static bool kv_one_format(KvBench *b, const char *name, bool first, FileOut *csv,
                          Fault *fault) {
    KvFormat format;
    if (!kv_format_read(name, &format, fault)) return false;
    if (!session_takes_kv(b->model, format, fault)) {
        printf("%-7s %s\n", name, fault->text);
        return true;
    }
    if (!compare_all(b, format, first, fault) || !time_both(b, format, fault)) return false;
    double bytes = bench_kv_bytes(b->model, format), lost = 100 * (1 - b->rate[1] / b->rate[0]);
    TABLE_ROW(csv->stream, "%-7s %12.0f %14.5f %14.7f %12.2f %12.2f %8.1f %%\n",
              "%s,%.0f,%.6f,%.8f,%.3f,%.3f,%.2f\n", name, bytes, b->loss, fabs(b->divergence),
              b->rate[0], b->rate[1], lost);
    fflush(stdout);
    return true;
}

static bool all_formats(KvBench *b, FileOut *csv, Fault *fault) {
    static const char *const names[] = {"f32",    "f16",  "bf16",  "q8_0",
                                        "q8_0-h", "q4_0", "q4_0-h"};
    printf("%-7s %12s %14s %14s %12s %12s %10s\n", "format", "bytes/token", "held-out loss",
           "from f32", "tokens/s", "behind", "lost");
    printf("%-7s %12s %14s %14s %12s %12ld\n", "", machines_number() > 1 ? "all machines" : "",
           "nats/token", "nats/token", "at first", b->job->context);
    if (csv->stream)
        fprintf(csv->stream, "format,bytes_per_token,loss,divergence,first,behind,lost\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!kv_one_format(b, names[i], i == 0, csv, fault)) return false;
    return true;
}

bool bench_kv(BenchJob *job, LoadedModel *m, Fault *fault) {
    KvBench b = {.job = job, .model = &m->own};
    FileOut csv = {0};
    size_t longest = (size_t)(job->context + job->count);
    if (longest > m->model->sizes.ctx)
        return fault_set(fault,
                         "%zu tokens are more than the model's context of %zu: give a smaller "
                         "--context or -n",
                         longest, m->model->sizes.ctx);
    bool ok = kv_gather(&b, fault);
    b.exact = ok ? malloc(b.tokens.count * m->model->sizes.vocab * sizeof *b.exact) : NULL;
    ok = ok && (b.exact ||
                fault_set(fault, "no memory for the logits of %zu tokens", b.tokens.count));
    ok = ok && (!job->csv || table_begin(&csv, job->csv, fault));
    ok = ok && all_formats(&b, &csv, fault) && file_end(&csv, fault);
    file_drop(&csv);
    free(b.exact), token_list_free(&b.tokens);
    return ok;
}
