/* metrics.c - see metrics.h. */
#include "metrics.h"
#include "service.h"

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

static void put_histogram(FILE *out, const char *name, const char *help, const Histogram *h) {
    uint64_t below = 0;
    metrics_put_head(out, name, "histogram", help);
    for (size_t i = 0; i < BUCKETS; i++) {
        below += h->count[i];
        fprintf(out, "strata_%s_bucket{le=\"%g\"} %llu\n", name, h->limits[i],
                (unsigned long long)below);
    }
    below += h->count[BUCKETS];
    fprintf(out, "strata_%s_bucket{le=\"+Inf\"} %llu\n", name, (unsigned long long)below);
    fprintf(out, "strata_%s_sum %.9g\nstrata_%s_count %llu\n", name, h->sum, name,
            (unsigned long long)below);
}

static void put_one(FILE *out, const char *name, const char *type, const char *help,
                    double value) {
    metrics_put_head(out, name, type, help);
    fprintf(out, "strata_%s %.9g\n", name, value);
}

static void put_counts(FILE *out, const ServiceCounts *c) {
    const struct {
        const char *name, *help;
        size_t value;
    } rows[] = {
        {"steps_total", "Forward passes of the model", c->steps},
        {"prompt_tokens_total", "Prompt tokens of admitted requests", c->prompt_tokens},
        {"prefix_hit_tokens_total", "Prompt tokens found in the prefix cache",
         c->cached_tokens},
        {"answer_tokens_total", "Tokens of finished answers", c->tokens},
        {"ended_total", "Finished answers", c->ended},
        {"cancelled_total", "Answers whose client disconnected", c->cancelled},
        {"late_total", "Answers that timed out", c->late},
        {"failed_total", "Answers that failed", c->failed},
        {"preemptions_total", "Preemptions", c->preempted},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put_one(out, rows[i].name, "counter", rows[i].help, (double)rows[i].value);
}

void metrics_write(const Metrics *m, const Load *load, const char *const *paths, size_t n,
                   FILE *out) {
    metrics_put_head(out, "http_requests_total", "counter", "Requests by path and status");
    for (size_t p = 0; p < n; p++)
        for (size_t c = 0; c < METRIC_CODES; c++)
            if (m->requests[p][c])
                fprintf(out, "strata_http_requests_total{path=\"%s\",code=\"%d\"} %llu\n",
                        paths[p], codes[c], (unsigned long long)m->requests[p][c]);
    put_counts(out, &load->counts);
    put_one(out, "rejected_total", "counter", "Requests refused because the queue was full",
            (double)m->rejected);
    put_one(out, "requests_waiting", "gauge", "Answers in the queue", (double)load->waiting);
    put_one(out, "requests_running", "gauge", "Running answers", (double)load->running);
    metrics_put_head(out, "kv_pages", "gauge", "KV pages of all layers");
    fprintf(out, "strata_kv_pages{state=\"used\"} %zu\n", load->pages - load->pages_free);
    fprintf(out, "strata_kv_pages{state=\"kept\"} %zu\n", load->pages_kept);
    fprintf(out, "strata_kv_pages{state=\"free\"} %zu\n", load->pages_free - load->pages_kept);
    put_one(out, "pictures_total", "counter", "Encoded images", (double)load->pictures);
    put_one(out, "picture_seconds_total", "counter",
            "Time to encode them, decode steps in between included", load->picture_seconds);
    put_one(out, "uptime_seconds", "gauge", "Since the server started",
            clock_seconds() - m->start);
    put_histogram(out, "first_token_seconds", "From arrival to the first token", &m->first);
    put_histogram(out, "gap_seconds", "Between tokens of an answer", &m->gap);
    put_histogram(out, "queue_seconds", "From arrival to admission", &m->queue);
    put_histogram(out, "prompt_tokens", "Prompt tokens, counted when the answer begins",
                  &m->prompt);
    put_histogram(out, "answer_tokens", "Answer tokens", &m->answer);
}
