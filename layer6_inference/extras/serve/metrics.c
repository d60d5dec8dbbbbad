/* metrics.c - see metrics.h. */
#include "metrics.h"
#include "memory_limit.h"
#include "service.h"

#include <stddef.h>
#include <string.h>

static const double seconds[BUCKETS] = {.001, .0025, .005, .01, .025, .05, .1,
                                        .25,  .5,    1,    2.5, 5,    10,  60};
static const double tokens[BUCKETS] = {1,   4,    16,   32,   64,   128,   256,
                                       512, 1024, 2048, 4096, 8192, 32768, 131072};
static const int codes[METRIC_CODES] = {200, 204, 400, 401, 403, 404, 405, 408,
                                        413, 415, 429, 431, 499, 500, 501, 503};

void metrics_open(Metrics *m) {
    *m = (Metrics){.first.limits = seconds,
                   .gap.limits = seconds,
                   .queue.limits = seconds,
                   .prompt.limits = tokens,
                   .answer.limits = tokens,
                   .start = clock_seconds()};
}

void histogram_add(Histogram *h, double value) {
    size_t i = 0;
    while (i < BUCKETS && value > h->limits[i]) i++;
    h->count[i]++;
    h->sum += value;
}

void metrics_count(Metrics *m, size_t path, int status) {
    size_t i = 0;
    while (i + 1 < METRIC_CODES && codes[i] != status) i++;
    m->requests[path][i]++;
}

static void metrics_put_head(FILE *out, const char *name, const char *type, const char *help) {
    fprintf(out, "# HELP strata_%s %s\n# TYPE strata_%s %s\n", name, help, name, type);
}

/* All models, whose names have no quotes (served_models.c). */
typedef struct Writer {
    FILE *out;
    const ModelMetrics *models;
    size_t count;
} Writer;

/* "strata_NAME", and the labels: of the model, where there are several, and one more. */
static void put_name(const Writer *w, const ModelMetrics *m, const char *name,
                     const char *label) {
    const bool several = w->count > 1, labels = several || *label;
    fprintf(w->out, "strata_%s%s", name, labels ? "{" : "");
    if (several) fprintf(w->out, "model=\"%s\"%s", m->name, *label ? "," : "");
    fprintf(w->out, "%s%s ", label, labels ? "}" : "");
}

static void put_buckets(const Writer *w, const ModelMetrics *m, const char *name,
                        const Histogram *h) {
    uint64_t below = 0;
    char bucket[64], label[32];
    snprintf(bucket, sizeof bucket, "%s_bucket", name);
    for (size_t i = 0; i <= BUCKETS; i++) {
        below += h->count[i];
        if (i < BUCKETS)
            snprintf(label, sizeof label, "le=\"%g\"", h->limits[i]);
        else
            strcpy(label, "le=\"+Inf\"");
        put_name(w, m, bucket, label), fprintf(w->out, "%llu\n", (unsigned long long)below);
    }
    snprintf(bucket, sizeof bucket, "%s_sum", name);
    put_name(w, m, bucket, ""), fprintf(w->out, "%.9g\n", h->sum);
    snprintf(bucket, sizeof bucket, "%s_count", name);
    put_name(w, m, bucket, ""), fprintf(w->out, "%llu\n", (unsigned long long)below);
}

/* A number or a histogram of each model, by its place in ModelMetrics. */
typedef struct MetricRow {
    const char *name, *label, *type, *help; /* help NULL: one more sample of the row above */
    size_t at;
} MetricRow;

#define LOAD(member) offsetof(ModelMetrics, load.member)
#define OWN(member)  offsetof(ModelMetrics, metrics.member)

static const MetricRow rows[] = {
    {"steps_total", "", "counter", "Forward passes of the model", LOAD(counts.steps)},
    {"prompt_tokens_total", "", "counter", "Prompt tokens of admitted requests",
     LOAD(counts.prompt_tokens)},
    {"prefix_hit_tokens_total", "", "counter", "Prompt tokens found in the prefix cache",
     LOAD(counts.cached_tokens)},
    {"answer_tokens_total", "", "counter", "Tokens of finished answers", LOAD(counts.tokens)},
    {"ended_total", "", "counter", "Finished answers", LOAD(counts.ended)},
    {"cancelled_total", "", "counter", "Answers whose client disconnected",
     LOAD(counts.cancelled)},
    {"late_total", "", "counter", "Answers that timed out", LOAD(counts.late)},
    {"failed_total", "", "counter", "Answers that failed", LOAD(counts.failed)},
    {"preemptions_total", "", "counter", "Preemptions", LOAD(counts.preempted)},
    {"rejected_total", "", "counter",
     "Requests refused: the queue, or a key's part of it, was full", OWN(rejected)},
    {"requests_waiting", "", "gauge", "Answers in the queue", LOAD(waiting)},
    {"requests_running", "", "gauge", "Running answers", LOAD(running)},
    {"kv_pages", "state=\"used\"", "gauge", "KV pages of all layers", LOAD(pages_used)},
    {"kv_pages", "state=\"kept\"", "gauge", NULL, LOAD(pages_kept)},
    {"kv_pages", "state=\"free\"", "gauge", NULL, LOAD(pages_empty)},
    {"drafted_tokens_total", "", "counter", "Drafted tokens of finished answers",
     LOAD(drafted)},
    {"accepted_tokens_total", "", "counter", "Drafted tokens that were accepted",
     LOAD(accepted)},
    {"pictures_total", "", "counter", "Encoded images", LOAD(pictures)},
    {"first_token_seconds", "", "histogram", "From arrival to the first token", OWN(first)},
    {"gap_seconds", "", "histogram", "Between tokens of an answer", OWN(gap)},
    {"queue_seconds", "", "histogram", "From arrival to admission", OWN(queue)},
    {"prompt_tokens", "", "histogram", "Prompt tokens, counted when the answer begins",
     OWN(prompt)},
    {"answer_tokens", "", "histogram", "Answer tokens", OWN(answer)},
};

static void put_row(const Writer *w, const MetricRow *row) {
    if (row->help) metrics_put_head(w->out, row->name, row->type, row->help);
    for (const ModelMetrics *m = w->models; m < w->models + w->count; m++) {
        const void *value = (const char *)m + row->at;
        if (row->type[0] == 'h') {
            put_buckets(w, m, row->name, value);
            continue;
        }
        put_name(w, m, row->name, row->label);
        fprintf(w->out, "%zu\n", *(const size_t *)value);
    }
}

/* What is not a model's. */
static void put_one(FILE *out, const char *name, const char *type, const char *help,
                    double value) {
    metrics_put_head(out, name, type, help);
    fprintf(out, "strata_%s %.9g\n", name, value);
}

static void put_requests(FILE *out, const Metrics *m, const char *const *paths, size_t n) {
    metrics_put_head(out, "http_requests_total", "counter", "Requests by path and status");
    for (size_t p = 0; p < n; p++)
        for (size_t c = 0; c < METRIC_CODES; c++)
            if (m->requests[p][c])
                fprintf(out, "strata_http_requests_total{path=\"%s\",code=\"%d\"} %llu\n",
                        paths[p], codes[c], (unsigned long long)m->requests[p][c]);
}

void metrics_write(const ModelMetrics *models, size_t count, const char *const *paths, size_t n,
                   FILE *out) {
    const Writer w = {out, models, count};
    put_requests(out, &models->metrics, paths, n);
    put_one(out, "log_dropped_total", "counter", "Log lines that no reader took in time",
            (double)models->metrics.log_dropped);
    put_one(out, "request_memory_bytes", "gauge", "Bodies, JSON and grammars of all requests",
            (double)memory_limit_taken());
    put_one(out, "picture_seconds_total", "counter",
            "Time to encode images, decode steps in between included",
            models->load.picture_seconds);
    put_one(out, "uptime_seconds", "gauge", "Since the server started",
            clock_seconds() - models->metrics.start);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) put_row(&w, &rows[i]);
}
