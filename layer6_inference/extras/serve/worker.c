/* worker.c - the thread that computes: takes jobs, runs steps, publishes text.  See
 * server.h. */
#include "prefix.h"
#include "fault_try.h"
#include "grammar.h"
#include "served_models.h"
#include "pooling.h"
#include "schedule.h"
#include "service.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ jobs */

/* Does it take new work?  The server's lock is held. */
static bool worker_is_open(const Server *s, HttpError *error) {
    return (!s->draining && !s->broken.text[0]) ||
           http_error(error, 503, NULL, "%s",
                      s->draining ? "the server is shutting down" : s->broken.text);
}

bool worker_is_broken(Server *s) {
    pthread_mutex_lock(&s->lock);
    const bool broken = s->broken.text[0];
    pthread_mutex_unlock(&s->lock);
    return broken;
}

/* Slots of other models that a user holds. */
static size_t worker_held_elsewhere(const Server *s, uint64_t user) {
    const Models *m = s->models;
    size_t held = 0;
    for (Server *other = m->list; other < m->list + m->count; other++) {
        if (other == s) continue;
        pthread_mutex_lock(&other->lock);
        held += admission_held(&other->admission, user);
        pthread_mutex_unlock(&other->lock);
    }
    return held;
}

bool worker_admit(Server *s, uint64_t user, const KeyLimits *limits, size_t n,
                  HttpError *error) {
    pthread_mutex_lock(&s->models->admitting);
    const size_t elsewhere = limits->places ? worker_held_elsewhere(s, user) : 0;
    pthread_mutex_lock(&s->lock);
    bool ok = worker_is_open(s, error);
    if (ok && !admission_take(&s->admission, user, n, limits->places, elsewhere, error))
        ok = false, s->metrics.rejected++;
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&s->models->admitting);
    return ok;
}

void worker_leave(Server *s, uint64_t user, size_t n) {
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < n; i++) admission_leave(&s->admission, user);
    pthread_mutex_unlock(&s->lock);
}

bool worker_submit(Server *s, Job *job, HttpError *error) {
    pthread_mutex_lock(&s->lock);
    const bool ok = worker_is_open(s, error);
    if (ok) {
        job->holders++, job->next = NULL;
        for (size_t i = 0; i < job->n; i++) job->answers[i].id = ++s->submitted;
        Job **last = &s->inbox;
        while (*last) last = &(*last)->next;
        *last = job;
        pthread_cond_signal(&s->wake);
    }
    pthread_mutex_unlock(&s->lock);
    return ok;
}

bool worker_run(Server *s, Task *task, Fault *fault) {
    pthread_cond_init(&task->changed, NULL);
    pthread_mutex_lock(&s->lock);
    bool ok = !s->stopping && !s->broken.text[0];
    if (ok) {
        Task **last = &s->tasks;
        while (*last) last = &(*last)->next;
        task->next = NULL, *last = task;
        pthread_cond_signal(&s->wake);
        while (!task->done) pthread_cond_wait(&task->changed, &s->lock);
        ok = task->ok;
        if (!ok && fault) *fault = task->fault;
    } else {
        fault_set(fault, "%s",
                  s->broken.text[0] ? s->broken.text : "the server is shutting down");
    }
    pthread_mutex_unlock(&s->lock);
    pthread_cond_destroy(&task->changed);
    return ok;
}

/* ------------------------------------------------------------------ answers */

/* An answer is over, perhaps its job too.  Its slot is freed before the client hears of it,
 * so that the client's next request finds it free. */
static void worker_forget(Server *s, Answer *a) {
    past_leave(&s->past, a);
    pthread_mutex_lock(&s->lock);
    admission_leave(&s->admission, a->request.user);
    histogram_add(&s->metrics.answer, (double)a->request.result.tokens);
    pthread_mutex_unlock(&s->lock);
    answer_publish(a);
    pthread_mutex_lock(&a->job->lock);
    bool done = a->job->left == 0;
    pthread_mutex_unlock(&a->job->lock);
    if (done) job_leave(a->job);
}

static void fail_answer(Answer *a, const Fault *fault) {
    a->request.state = REQUEST_OVER, a->request.end = REQUEST_FAILED;
    a->request.fault = *fault;
}

static void take_jobs(Server *s, Job *inbox) {
    while (inbox) {
        Job *job = inbox;
        size_t n = job->n;
        inbox = job->next;
        for (size_t i = 0; i < n; i++) {
            Answer *a = &job->answers[i];
            Fault fault;
            past_join(&s->past, a, s->draft, (size_t)s->options->guess);
            if (service_submit(&s->service, &a->request, &fault))
                s->live[s->n_live++] = a;
            else
                fail_answer(a, &fault), worker_forget(s, a);
        }
    }
}

static void note_progress(Server *s, Answer *a, double now) {
    const ServiceRequest *r = &a->request;
    pthread_mutex_lock(&s->lock);
    if (a->counted == 0 && a->chosen) {
        histogram_add(&s->metrics.first, now - r->arrival);
        histogram_add(&s->metrics.queue, r->started - r->arrival);
        histogram_add(&s->metrics.prompt, (double)a->prompt);
    } else if (a->chosen > a->counted) {
        histogram_add(&s->metrics.gap, now - a->reported);
    }
    pthread_mutex_unlock(&s->lock);
    if (a->chosen > a->counted) a->counted = a->chosen, a->reported = now;
}

/* After a step: which answers have a token, which are over. */
static void publish(Server *s) {
    double now = clock_seconds();
    size_t left = 0;
    for (size_t i = 0; i < s->n_live; i++) {
        Answer *a = s->live[i];
        note_progress(s, a, now);
        if (a->request.state == REQUEST_OVER) {
            worker_forget(s, a);
            continue;
        }
        if (a->reported == now) answer_publish(a); /* it has a token */
        s->live[left++] = a;
    }
    s->n_live = left;
}

static SlotStatus sight_of(const Answer *a) {
    const ServiceRequest *r = &a->request;
    SlotStatus status = {.id = a->id,
                         .prompt = a->prompt,
                         .tokens = a->count,
                         .running = r->state == REQUEST_RUNNING,
                         .shared = r->cached};
    if (r->sequence && status.running)
        status.read = session_length(r->sequence->slot[TEXT_SLOT].session,
                                     r->sequence->slot[TEXT_SLOT].id);
    status.pages = (status.read + KV_PAGE - 1) / KV_PAGE;
    return status;
}

/* Publish the state for /load and the metrics. */
static void show_load(Server *s, double rate) {
    const KvCache *kv = &s->loaded.session.kv;
    Load load = {.counts = s->service.counts,
                 .waiting = s->service.waiting,
                 .running = s->service.count - s->service.waiting,
                 .pages = kv->pages.count,
                 .pages_free = prefix_free_pages(kv),
                 .pictures = s->pictures.n_read,
                 .picture_seconds = s->pictures.seconds,
                 .drafted = s->past.drafted,
                 .accepted = s->past.accepted,
                 .tokens_per_second = rate};
    for (size_t l = 0; l < kv->config.layers; l++) load.layers += kv->shape[l].kv_heads > 0;
    load.pages_used = load.pages - load.pages_free;
    load.pages_empty = kv->pages.free_count;
    load.pages_kept = load.pages_free - load.pages_empty;
    pthread_mutex_lock(&s->lock);
    s->load = load;
    s->n_status = min_size(s->n_live, MAX_STATUS);
    for (size_t i = 0; i < s->n_status; i++) s->status[i] = sight_of(s->live[i]);
    pthread_mutex_unlock(&s->lock);
}

/* ------------------------------------------------------------------ the thread */

static bool open_side(Server *s, Fault *fault) {
    if (s->side.model) return true;
    SessionConfig config = pooling_session(s->loaded.model, session_ctx(&s->loaded.session));
    config.vectors =
        !model_writes(s->loaded.model); /* scoring a prompt needs a row of logits per token */
    config.kv = s->kv;
    return session_open(&s->side, s->loaded.model, s->options->compute.pool, config, fault);
}

/* The model failed: end all answers with the reason, and take no new work. */
static void break_down(Server *s, const Fault *fault) {
    log_note(s->access, "%s", fault->text);
    pthread_mutex_lock(&s->lock);
    s->broken = *fault;
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->n_live; i++)
        fail_answer(s->live[i], fault), worker_forget(s, s->live[i]);
    s->n_live = s->service.count = s->service.waiting = 0;
}

static void end_task(Task *task, bool ok) {
    task->ok = ok, task->done = true;
    pthread_cond_signal(&task->changed);
}

void worker_lost(Server *s, const Fault *fault) {
    pthread_mutex_lock(&s->lock);
    s->broken = *fault;
    Job *inbox = s->inbox;
    s->inbox = NULL;
    if (s->task) s->task->next = s->tasks, s->tasks = s->task;
    for (Task *task = s->tasks; task; task = task->next)
        task->fault = *fault, end_task(task, false);
    pthread_mutex_unlock(&s->lock);
    take_jobs(s, inbox);
    break_down(s, fault);
}

/* Has the client disconnected, or is the server's time up?  Also called within a step. */
static bool is_gone(void *context, const ServiceRequest *request) {
    Server *s = context;
    const Answer *a = request->options.context;
    return atomic_load(&s->giving_up) || atomic_load(&a->job->gone);
}

static void worker_step(Server *s) {
    Fault fault;
    const double began = clock_seconds();
    if (!service_step(&s->service, &fault)) {
        break_down(s, &fault);
        return;
    }
    if (!s->loaded.session.stopped) schedule_log_add(&s->log, &s->service, began);
    publish(s);
}

static size_t tokens_told(const Server *s) {
    size_t n = s->service.counts.tokens;
    for (size_t i = 0; i < s->n_live; i++) n += s->live[i]->count;
    return n;
}

/* Recent tokens per second. */
static double take_rate(Server *s) {
    Rate *rate = &s->rate;
    size_t reported = tokens_told(s), before = rate->reported;
    double now = clock_seconds(), passed = now - rate->at,
           fade = passed > 2 ? 0 : 1 - passed / 2;
    rate->tokens = rate->tokens * fade + (reported > before ? (double)(reported - before) : 0);
    rate->seconds = rate->seconds * fade + passed;
    rate->at = now, rate->reported = reported;
    return rate->seconds > 0 ? rate->tokens / rate->seconds : 0;
}

/* Take new jobs, then run a step. */
static void take_turn(Server *s) {
    pthread_mutex_lock(&s->lock);
    Job *inbox = s->inbox;
    s->inbox = NULL;
    pthread_mutex_unlock(&s->lock);
    take_jobs(s, inbox);
    if (s->service.count) worker_step(s);
    show_load(s, take_rate(s));
    s->stepped = clock_seconds();
}

/* A task's is_wanted: between two of its layers, when its time is up, run a decode step, of
 * other models too. */
static bool give_way(void *context) {
    Server *s = context;
    if (clock_seconds() - s->stepped >= s->policy.pace) {
        turns_give(&s->models->turns), turns_take(&s->models->turns);
        take_turn(s);
        lora_act(&s->lora, s->task->lora); /* the step's batch has had others */
    }
    return !atomic_load(&s->giving_up) && !s->task->is_gone(s->task->client);
}

static void run_task(Server *s, Task *task) {
    Session *session = task->session ? task->session : &s->side;
    bool ok = task->session || task->peeks || open_side(s, &task->fault);
    if (ok && !task->peeks) {
        lora_act(&s->lora, task->lora);
        session->is_wanted = give_way, session->context = s;
        s->task = task, s->stepped = clock_seconds();
    }
    ok = ok && task->run(session, task->context, &task->fault);
    pthread_mutex_lock(&s->lock);
    s->task = NULL, end_task(task, ok);
    pthread_mutex_unlock(&s->lock);
}

/* A grammar's mask stops, too, when the server's time is up. */
static bool gives_up(void *context) { return atomic_load(&((Server *)context)->giving_up); }

static void *work(void *context) {
    Server *s = context;
    grammar_watch(gives_up, s);
    s->rate.at = clock_seconds();
    for (bool stop = false; !stop;) {
        pthread_mutex_lock(&s->lock);
        while (!s->inbox && !s->tasks && !s->service.count && !s->stopping)
            pthread_cond_wait(&s->wake, &s->lock);
        Task *task = s->tasks;
        if (task) s->tasks = task->next;
        stop = s->stopping && !s->inbox && !task && !s->service.count;
        pthread_mutex_unlock(&s->lock);
        turns_take(&s->models->turns);
        if (task) run_task(s, task);
        take_turn(s);
        turns_give(&s->models->turns);
    }
    return NULL;
}

bool worker_start(Server *s, Fault *fault) {
    const size_t room = s->policy.running + s->policy.waiting;
    pthread_mutex_lock(&s->lock);
    const bool open = admission_open(&s->admission, room, fault);
    pthread_mutex_unlock(&s->lock);
    if (!open || !schedule_log_open(&s->log, fault)) return false;
    if (!(s->live = calloc(room, sizeof(Answer *))))
        return fault_set(fault, "no memory for %zu answers", room);
    SchedulePolicy policy = s->policy;
    policy.waiting = room; /* all that worker_submit has counted may wait at once */
    if (!service_open(&s->service, &s->loaded.session, policy, fault) ||
        !lora_listen(&s->lora, &s->service.engine, fault))
        return false;
    s->service.is_gone = is_gone, s->service.context = s;
    s->service.engine.guard = fault_try; /* memory that runs out for a text ends that one */
    show_load(s, 0);
    s->working = pthread_create(&s->thread, NULL, work, s) == 0;
    return s->working || fault_set(fault, "no further thread can be started");
}

void worker_drain(Server *s) {
    pthread_mutex_lock(&s->lock);
    s->draining = true;
    pthread_mutex_unlock(&s->lock);
}

size_t worker_pending(Server *s) {
    pthread_mutex_lock(&s->lock);
    size_t n = s->admission.taken;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void worker_cancel(Server *s) {
    pthread_mutex_lock(&s->lock);
    s->draining = s->stopping = true;
    atomic_store(&s->giving_up, true);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

void worker_stop(Server *s) {
    if (s->working) {
        worker_cancel(s);
        pthread_join(s->thread, NULL);
    }
    if (s->service.requests) service_close(&s->service);
    pthread_mutex_lock(&s->lock);
    admission_close(&s->admission);
    pthread_mutex_unlock(&s->lock);
    free(s->live), schedule_log_close(&s->log);
    past_close(&s->past);
    s->log.steps = NULL;
    s->live = NULL, s->working = false;
}
