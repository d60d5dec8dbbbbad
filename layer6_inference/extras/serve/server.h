/* server.h - a model that answers requests: what its threads share.
 *
 *     connections (connection.c)       worker (worker.c)
 *     a thread each:                 one thread, the only one that computes:
 *     read, check, submit  --jobs-->     take jobs, run a step of the service (service.h),
 *     write, as it comes   <--text--     publish what came out
 *
 * Invariant: the session, the service and the pool of threads belong to the worker; what others may
 * read meanwhile lies behind a lock and is never held for longer than a copy. */
#ifndef STRATA_SERVER_H
#define STRATA_SERVER_H

#include "job.h"
#include "loaded_model.h"
#include "metrics.h"
#include "admission.h"
#include "http_error.h"
#include "chat.h"
#include "schedule.h"
#include "service.h"

/* The options, as they were given. */
typedef struct ServeOptions {
    const char *model, *host, *chain, *alias, *keys, *form;
    long port, ctx, places, queue, body, connections, pictures;
    double seconds, patience, drain, stretch;
    OptionList origins;
    bool quiet;
    VisionOptions vision;
    ComputeOptions compute;
} ServeOptions;

/* Work for the worker beside the service: a text that is read as a whole, or a picture. */
typedef struct Task Task;
struct Task {
    bool (*run)(Session *session, void *context, Fault *fault);
    void *context;
    /* of what takes long: between its layers those who are answered have their steps, and it ends when its client
     * is gone; NULL: the server's, and all at once */
    Session *session;
    bool (*is_gone)(void *client);
    void *client;
    bool ok, done;
    Fault fault;
    pthread_cond_t changed;
    Task *next;
};

/* What the scheduler's picture shows of an answer. */
typedef struct SlotStatus {
    uint64_t id;
    size_t prompt, read, tokens, pages, shared;
    bool running;
} SlotStatus;

enum { MAX_STATUS = 256 };

/* Tokens of the last seconds: old ones count less and less. */
typedef struct Rate {
    double at, tokens, seconds;
    size_t reported; /* tokens, so far */
} Rate;

typedef struct Server {
    const ServeOptions *options;
    LoadedModel loaded;
    Pictures pictures; /* those that requests show; places is NULL where it has no eye */
    ChatForm form;
    Fault no_form; /* why there is none, when form.tree is NULL */
    const char *name;
    SchedulePolicy policy;
    /* keys and values; of texts that become vectors whole, unless somebody says otherwise */
    KvFormat kv;

    /* the worker's own */
    Service service;
    Session side;   /* for tasks that bring none; opened by the first one */
    Task *task;     /* that is run */
    double stepped; /* when the last step ended */
    Rate rate;
    pthread_t thread;
    bool working;
    Answer **live;
    size_t n_live;
    atomic_bool giving_up; /* all that is going on ends, in the middle of a step if need be */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t wake;
    Job *inbox;
    Task *tasks;
    Admission admission; /* of the answers that were accepted and are not over */
    bool stopping, draining;
    Fault broken; /* why it computes no more; "": it does */
    Metrics metrics;
    Load load;
    SlotStatus status[MAX_STATUS];
    size_t n_status;
    uint64_t submitted; /* answers, so far */
} Server;

/* Load the model, and start the worker.  server_close may be called when that fails, too. */
bool server_open(Server *server, const ServeOptions *options, Fault *fault);
void server_close(Server *server);

/* Let the worker have a job whose answers are filled; it holds it, too, from then on.
 *
 * Fails when the queue has no room for its answers (admission.h), or no new work is taken. */
bool worker_submit(Server *server, Job *job, HttpError *error);

/* Let the worker run a task between two steps, and wait for it. */
bool worker_run(Server *server, Task *task, Fault *fault);

bool worker_start(Server *server, Fault *fault);

/* No new work; what is going on may go on. */
void worker_drain(Server *server);

/* How many answers are not over. */
size_t worker_pending(Server *server);

/* All that is going on ends here; the thread does when it is done. */
void worker_cancel(Server *server);
void worker_stop(Server *server);

#endif
