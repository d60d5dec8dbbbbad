/* server.h - what the threads of one model share (served_models.h: of several).
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

#include "access_log.h"
#include "job.h"
#include "keys.h"
#include "loaded_model.h"
#include "metrics.h"
#include "past.h"
#include "admission.h"
#include "http_error.h"
#include "chat.h"
#include "schedule.h"
#include "schedule_log.h"
#include "service.h"
#include "turns.h"

typedef struct ServeOptions {
    const char *model, *host, *chain, *alias, *keys, *form, *log, *draft, *prefixes;
    OptionList models; /* NAME=FILE, beside the first */
    long room;         /* of models; 0: all */
    long guess, port, ctx, places, queue, body, connections, pictures, priority, tokens;
    long per_address, health_port, memory;
    double seconds, patience, drain, stretch;
    OptionList origins, hosts, loras;
    bool quiet, log_json, lenient;
    VisionOptions vision;
    ComputeOptions compute;
} ServeOptions;

/* Work outside the service: a whole text to evaluate, or an image. */
typedef struct Task Task;
struct Task {
    bool (*run)(Session *session, void *context, Fault *fault);
    void *context;
    Session *session;       /* NULL: the server's */
    const LoraChoice *lora; /* adapters that act in it; NULL: none */
    bool peeks;             /* needs no session: it looks at the server's */
    /* decode steps run between the layers of its evaluation, which stops when this says so */
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
    struct Models *models; /* that it is one of */
    AccessLog *access;
    const char *path, *name; /* of the model */
    char *owned;             /* both, of one that --model names; owns */
    LoadedModel loaded;
    Lora lora;         /* adapters that requests choose */
    Pictures pictures; /* images of requests; places is NULL without a vision encoder */
    ChatForm form;
    Fault no_form;    /* why form.tree is NULL */
    size_t max_bytes; /* of a text: what the context's tokens can hold at most */
    SchedulePolicy policy;
    bool prefixed;     /* its prefixes are to be written */
    uint64_t digest;   /* of its file, for that; 0: not computed yet */
    uint64_t adapters; /* a checksum of them, for that */
    /* KV format; embeddings use f32 unless an option says otherwise */
    KvFormat kv;

    /* used by the worker only */
    Service service;
    Session side;   /* for tasks without one; opened on demand */
    Task *task;     /* the running task */
    double stepped; /* end of the last step */
    Rate rate;
    ScheduleLog log;
    const DraftKind *draft; /* of all answers; NULL: none */
    Past past;
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

    /* guarded by the lock of served_models.h */
    bool loaded_now, loading;
    size_t users, waiting; /* requests that use it, or wait until it is loaded */
    uint64_t used, asked;  /* when it was used last, and the first of those came */
    size_t loads,
        entering;  /* times it was loaded; who waited for the last and has not used it */
    size_t failed; /* attempts to load it, */
    Fault failure; /* and how the last one ended; "": well */
} Server;

/* A server whose model is not loaded.  Needs server_close. */
void server_open(Server *server, struct Models *models, const ServeOptions *options,
                 AccessLog *log);

/* Load the model and start the worker.  Call server_unload even if this fails. */
bool server_load(Server *server, Fault *fault);

/* End the worker and free what server_load took; counts of /metrics stay. */
void server_unload(Server *server);
void server_close(Server *server);

/* Take n slots of the queue for a user: before its texts are read.
 *
 *   limits   of its key
 *
 * Fails when there are too few (admission.h) or the server is shutting down. */
bool worker_admit(Server *server, uint64_t user, const KeyLimits *limits, size_t n,
                  HttpError *error);
void worker_leave(Server *server, uint64_t user, size_t n);

/* Hand a filled job to the worker, which also holds it from then on, and the slots of its
 * answers.
 *
 * Fails when the server is shutting down. */
bool worker_submit(Server *server, Job *job, HttpError *error);

/* Let the worker run a task between two steps, and wait for it. */
bool worker_run(Server *server, Task *task, Fault *fault);

bool worker_start(Server *server, Fault *fault);

/* It cannot compute any more: all requests get 503. */
bool worker_is_broken(Server *server);

/* Another machine was lost in the middle of a step: end all answers and tasks with the reason.
 * No worker computes, and this one never will again. */
void worker_lost(Server *server, const Fault *fault);

/* Take no new work; running answers continue. */
void worker_drain(Server *server);

/* Number of unfinished answers. */
size_t worker_pending(Server *server);

/* End all answers; the worker stops when that is done. */
void worker_cancel(Server *server);
void worker_stop(Server *server);

#endif
