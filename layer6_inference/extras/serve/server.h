/* server.h - what the server's threads share.
 *
 *     connections (connection.c)     worker (worker.c)
 *     a thread each:                 the only thread that computes:
 *     read, check, submit  --jobs-->     take jobs, run a step of the service (service.h),
 *     write, as it comes   <--text--     publish new text
 *
 * Invariant: session, service and thread pool belong to the worker; what other threads may
 * read is behind a lock, which is held for a copy at most. */
#ifndef STRATA_SERVER_H
#define STRATA_SERVER_H

#include "job.h"
#include "loaded_model.h"
#include "metrics.h"
#include "admission.h"
#include "http_error.h"
#include "chat.h"
#include "schedule.h"
#include "schedule_log.h"
#include "service.h"

typedef struct ServeOptions {
    const char *model, *host, *chain, *alias, *keys, *form;
    long port, ctx, places, queue, body, connections, pictures;
    double seconds, patience, drain, stretch;
    OptionList origins;
    bool quiet;
    VisionOptions vision;
    ComputeOptions compute;
} ServeOptions;

/* Work outside the service: a whole text to evaluate, or an image. */
typedef struct Task Task;
struct Task {
    bool (*run)(Session *session, void *context, Fault *fault);
    void *context;
    /* a session whose evaluation may take long: decode steps run between its layers, and it
     * stops when its client disconnects; NULL: the server's, without interruption */
    Session *session;
    bool peeks; /* needs no session: it looks at the server's */
    bool (*is_gone)(void *client);
    void *client;
    bool ok, done;
    Fault fault;
    pthread_cond_t changed;
    Task *next;
};

/* What the web UI shows of an answer. */
typedef struct SlotStatus {
    uint64_t id;
    size_t prompt, read, tokens, pages, shared;
    bool running;
} SlotStatus;

enum { MAX_STATUS = 256 };

/* Recent speed: older tokens count less. */
typedef struct Rate {
    double at, tokens, seconds;
    size_t reported; /* total tokens at the last update */
} Rate;

typedef struct Server {
    const ServeOptions *options;
    LoadedModel loaded;
    Pictures pictures; /* images of requests; places is NULL without a vision encoder */
    ChatForm form;
    Fault no_form; /* why form.tree is NULL */
    const char *name;
    SchedulePolicy policy;
    /* KV format; embeddings use f32 unless an option says otherwise */
    KvFormat kv;

    /* used by the worker only */
    Service service;
    Session side;   /* for tasks without one; opened on demand */
    Task *task;     /* the running task */
    double stepped; /* end of the last step */
    Rate rate;
    ScheduleLog log;
    pthread_t thread;
    bool working;
    Answer **live;
    size_t n_live;
    atomic_bool giving_up; /* stop everything, even within a step */

    pthread_mutex_t lock; /* guards all fields below */
    pthread_cond_t wake;
    Job *inbox;
    Task *tasks;
    Admission admission; /* slots of accepted, unfinished answers */
    bool stopping, draining;
    Fault broken; /* why it cannot compute any more; "": it can */
    Metrics metrics;
    Load load;
    SlotStatus status[MAX_STATUS];
    size_t n_status;
    uint64_t submitted; /* total answers */
} Server;

/* Load the model and start the worker.  Call server_close even if this fails. */
bool server_open(Server *server, const ServeOptions *options, Fault *fault);
void server_close(Server *server);

/* Hand a filled job to the worker, which also holds it from then on.
 *
 * Fails when the queue has too few slots (admission.h) or the server is shutting down. */
bool worker_submit(Server *server, Job *job, HttpError *error);

/* Let the worker run a task between two steps, and wait for it. */
bool worker_run(Server *server, Task *task, Fault *fault);

bool worker_start(Server *server, Fault *fault);

/* Take no new work; running answers continue. */
void worker_drain(Server *server);

/* Number of unfinished answers. */
size_t worker_pending(Server *server);

/* End all answers; the worker stops when that is done. */
void worker_cancel(Server *server);
void worker_stop(Server *server);

#endif
