/* schedule_log.c - see schedule_log.h. */
#include "schedule_log.h"

#include "request.h"

#include <stdlib.h>
#include <string.h>

bool schedule_log_open(ScheduleLog *log, Fault *fault) {
    log->steps = calloc(LOGGED_STEPS, sizeof *log->steps);
    log->begin = clock_seconds();
    return log->steps || fault_set(fault, "no memory for %d steps", LOGGED_STEPS);
}

void schedule_log_close(ScheduleLog *log) { free(log->steps); }

/* ------------------------------------------------------------------ writing a step down */

/* Tokens of the batch that it read; of one that is over, those of the plan. */
static size_t logged_tokens(const Service *s, const ServiceRequest *r, size_t planned) {
    const ModelRunner *runner = &s->engine.runners[0];
    size_t n = 0;
    if (r->state == REQUEST_OVER) return planned;
    if (r->state != REQUEST_RUNNING) return 0;
    for (size_t k = 0; k < runner->count; k++)
        n += (size_t)runner->sequence[k] == r->sequence->slot[TEXT_SLOT].id;
    return n;
}

static const char *logged_work(const ServiceRequest *r, const ScheduleJob *job, size_t tokens) {
    if (!tokens) return r->state == REQUEST_WAITING ? "waits" : "held";
    if (job->running && job->tokens - job->read <= 1) return "answer";
    return r->preemptions ? "again" : "prompt";
}

static LoggedJob logged_job(const Service *s, size_t i) {
    const ServiceRequest *r = s->eligible[i];
    const SchedulePlan *plan = &s->plan[i];
    const Answer *a = r->options.context;
    const bool runs = r->state == REQUEST_RUNNING, over = r->state == REQUEST_OVER;
    const Slot *slot = runs ? &r->sequence->slot[TEXT_SLOT] : NULL;
    const size_t length = runs ? session_length(slot->session, slot->id) : 0;
    LoggedJob job = {.answer = a->id,
                     .tokens = logged_tokens(s, r, plan->tokens),
                     .pages = (length + KV_PAGE - 1) / KV_PAGE,
                     .written =
                         over || !r->sequence ? r->result.tokens : r->sequence->result.tokens};
    job.does = logged_work(r, &s->jobs[i], job.tokens);
    job.mark = over ? "end" : plan->preempt ? "out" : plan->admit && slot ? "in" : "";
    if (plan->admit && length > job.tokens) job.found = length - job.tokens;
    return job;
}

void schedule_log_add(ScheduleLog *log, const Service *s, double began) {
    LoggedStep *step = &log->steps[log->count++ % LOGGED_STEPS];
    const size_t n = min_size(s->planned, LOGGED_JOBS);
    *step = (LoggedStep){.at = began - log->begin,
                         .took = clock_seconds() - began,
                         .waiting = s->waiting,
                         .more = s->planned - n};
    for (size_t i = 0; i < s->planned && step->jobs < n; i++)
        step->job[step->jobs++] = logged_job(s, s->order[i]);
}

/* ------------------------------------------------------------------ GET /strata/schedule/N */

/* Steps from `first` on, copied by the worker. */
typedef struct LogCopy {
    const ScheduleLog *log;
    LoggedStep *steps; /* (LOGGED_STEPS) */
    size_t first, count;
} LogCopy;

static bool copy_log(Session *session, void *context, Fault *fault) {
    LogCopy *copy = context;
    const size_t all = copy->log->count;
    (void)session, (void)fault;
    /* a client of a server before this one asks for steps that do not exist yet */
    if (copy->first > all) copy->first = 0;
    if (copy->first + LOGGED_STEPS < all) copy->first = all - LOGGED_STEPS;
    for (size_t i = copy->first; i < all; i++)
        copy->steps[copy->count++] = copy->log->steps[i % LOGGED_STEPS];
    return true;
}

static void put_step(FILE *out, const LoggedStep *step, size_t number, const char *between) {
    fprintf(out,
            "%s{\"step\":%zu,\"at\":%.6f,\"took\":%.6f,\"waiting\":%zu,\"more\":%zu,\"jobs\":[",
            between, number, step->at, step->took, step->waiting, step->more);
    for (size_t i = 0; i < step->jobs; i++) {
        const LoggedJob *j = &step->job[i];
        fprintf(out, "%s[%llu,\"%s\",%zu,%zu,%zu,\"%s\",%zu]", i ? "," : "",
                (unsigned long long)j->answer, j->does, j->tokens, j->found, j->pages, j->mark,
                j->written);
    }
    fputs("]}", out);
}

static void write_log(Reply *reply, const Server *s, const LogCopy *copy) {
    FILE *out = reply_begin(reply);
    if (!out) return;
    fprintf(out, "{\"page_tokens\":%d,\"budget\":%zu,\"places\":%zu,\"next\":%zu,\"steps\":[",
            KV_PAGE, s->policy.budget, s->policy.running, copy->first + copy->count);
    for (size_t i = 0; i < copy->count; i++)
        put_step(out, &copy->steps[i], copy->first + i, i ? "," : "");
    fputs("]}", out);
    reply_end(reply, out);
}

/* The number of the first step to tell: of /N; 0 without one. */
static bool read_first(const char *rest, size_t *first) {
    char *end = NULL;
    *first = 0;
    if (!*rest) return true;
    if (strspn(rest + 1, "0123456789") == strlen(rest + 1) && strlen(rest + 1) < 18)
        *first = strtoull(rest + 1, &end, 10);
    return end && end > rest + 1;
}

void handle_schedule(const HttpRequest *request, Reply *reply) {
    LogCopy copy = {.log = &request->server->log};
    Task task = {.run = copy_log, .context = &copy, .peeks = true};
    HttpError error = {0};
    bool ok = read_first(request->rest, &copy.first) ||
              http_error(&error, 404, NULL, "no such path: wanted /strata/schedule/STEP");
    ok = ok && ((copy.steps = malloc(LOGGED_STEPS * sizeof *copy.steps)) ||
                http_error(&error, 500, NULL, "no memory for %d steps", LOGGED_STEPS));
    ok = ok && (worker_run(request->server, &task, &error.fault) ||
                http_error_fault(&error, 503, NULL));
    if (ok)
        write_log(reply, request->server, &copy);
    else
        reply_error(reply, &error);
    free(copy.steps);
}
