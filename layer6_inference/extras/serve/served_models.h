/* served_models.h - the models behind one HTTP front: each is a Server with an engine, a queue
 * and a worker of its own.
 *
 *     POST {"model": "small"} --models_take--> loaded       used at once
 *                                              not loaded   the loader loads it; this request
 *                                                           waits, those of others do not
 *
 * The loader is a thread of its own.  When `room` models are loaded, the idle one that was used
 * longest ago leaves.  If all are busy, one takes no new requests (they wait for its next load)
 * and leaves when its last request has ended.
 *
 * Invariant: at most `room` models are loaded; one that has users is not unloaded. */
#ifndef STRATA_SERVED_MODELS_H
#define STRATA_SERVED_MODELS_H

#include "server.h"

typedef struct Models {
    Server *list; /* (count) the first one is -m's; owns */
    size_t count, room;
    Turns turns;
    pthread_mutex_t admitting; /* a key's slots are counted over all models */
    atomic_bool ready;         /* the first model is loaded */
    pthread_mutex_t lock;      /* guards the fields below, and those of Server that say so */
    pthread_cond_t changed;
    uint64_t clock;
    size_t loaded;
    const Server *leaving; /* takes no new users; NULL: none */
    bool closing, has_loader;
    pthread_t loader;
} Models;

/* The models that the options name, none of them loaded.  Call models_close even if this
 * fails. */
bool models_open(Models *models, const ServeOptions *options, AccessLog *log, Fault *fault);

/* Load the first one, and start the loader. */
bool models_load(Models *models, Fault *fault);
void models_close(Models *models);

/* The model of a name, which may be that of one of its adapters (lora.h: the first model's);
 * ":latest" may follow it.  NULL: none. */
Server *models_find(const Models *models, Text name);

/* All names, of models and then of adapters; empty behind the last. */
Text models_name(const Models *models, size_t i);

/* A name without ":latest". */
Text models_full_name(const Models *models, Text name);

/* The model that the JSON of a request names; the first one if none.  Whether the rest is right
 * is for others to say. */
bool models_choose(const Models *models, Text body, Server **model, HttpError *error);

/* Refuse a name that none has. */
bool models_refuse(const Models *models, Text name, HttpError *error);

/* Wait until a model is loaded, and use it until models_leave.
 *
 * Fails when it cannot be loaded, the client has gone or the server is shutting down. */
bool models_take(Server *model, bool (*is_gone)(void *client), void *client, HttpError *error);

/* The same, but only if it is loaded now. */
bool models_look(Server *model);
void models_leave(Server *model);

/* "loaded", "loading", "unloaded" or "failed": that is how the last attempt ended. */
const char *models_state(const Server *model);

/* What worker_drain, worker_pending and worker_cancel do, for all of them. */
void models_drain(Models *models);
size_t models_pending(Models *models);
void models_cancel(Models *models);

/* Another machine was lost: the answers and tasks of all models end with the reason.  Does
 * nothing in a thread that is no model's worker: others may compute meanwhile. */
void models_lost(Models *models, const Fault *fault);

#endif
