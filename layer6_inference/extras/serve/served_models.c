/* served_models.c - see served_models.h. */
#include "served_models.h"
#include "fields.h"

#include "model_names.h"
#include "on_machines.h"
#include "prefixes.h"
#include "timed_wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ names */

static const char *models_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

Text models_name(const Models *m, size_t i) {
    const OptionList *adapters = &m->list[0].options->loras;
    if (i < m->count) return text_of(m->list[i].name);
    if (i - m->count >= adapters->count) return (Text){0};
    const char *option = adapters->items[i - m->count];
    return (Text){option, strcspn(option, "=")};
}

Text models_full_name(const Models *m, Text name) {
    static const char latest[] = ":latest";
    Text one;
    for (size_t i = 0; (one = models_name(m, i)).size; i++)
        if (text_equal(name, one)) return one;
    if (!text_ends(name, text_of(latest))) return (Text){0};
    return models_full_name(m, (Text){name.data, name.size - (sizeof latest - 1)});
}

Server *models_find(const Models *m, Text name) {
    const Text full = models_full_name(m, name);
    if (!full.size) return NULL;
    for (size_t i = 0; i < m->count; i++)
        if (text_equal(full, text_of(m->list[i].name))) return &m->list[i];
    return &m->list[0]; /* which has the adapters */
}

bool models_refuse(const Models *m, Text name, HttpError *error) {
    char all[200] = "";
    size_t n = 0;
    Text one;
    for (size_t i = 0; (one = models_name(m, i)).size && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%.*s", i ? ", " : "", (int)one.size,
                              one.data);
    http_error(error, 404, "model", "no model '%.*s': this server runs %s",
               (int)min_size(name.size, 80), name.data, all);
    error->code = "model_not_found";
    return false;
}

bool models_choose(const Models *m, Text body, Server **model, HttpError *error) {
    HttpError wrong; /* the request's own handler finds it, too */
    Json *json = fields_parse(body, &wrong);
    const Text name = json ? json_text(json_get(json_root(json), "model")) : (Text){0};
    *model = name.size ? models_find(m, name) : &m->list[0];
    const bool ok = *model || models_refuse(m, name, error);
    json_free(json);
    return ok;
}

/* Names are labels of /metrics. */
static bool models_check_name(Text name, Fault *fault) {
    for (size_t i = 0; i < name.size; i++)
        if ((unsigned char)name.data[i] < ' ' || strchr("\"\\", name.data[i]))
            return fault_set(fault,
                             "model '%.*s': with --model, a name has no quotes, \\ or "
                             "line breaks; --alias names the first",
                             (int)min_size(name.size, 200), name.data);
    return true;
}

/* "NAME=FILE", or the name of a pulled model as the file. */
static bool models_read(const Models *m, const char *option, Server *s, Fault *fault) {
    Text name;
    const char *path;
    char found[2400];
    if (!named_file(option, &name, &path))
        return fault_set(fault, "--model %.200s: wanted NAME=FILE", option);
    if (!models_check_name(name, fault)) return false;
    if (models_find(m, name))
        return fault_set(fault, "--model %.200s: another model has this name", option);
    if (!model_find(&path, found, sizeof found, fault)) return fault_prefix(fault, "--model");
    if (access(path, R_OK) != 0)
        return fault_set(fault, "--model %.200s: %s", option, strerror(errno));
    const size_t size = name.size + strlen(path) + 2;
    if (!(s->owned = malloc(size))) return fault_set(fault, "no memory for a name");
    snprintf(s->owned, size, "%.*s%c%s", (int)name.size, name.data, 0, path);
    s->name = s->owned, s->path = s->owned + name.size + 1;
    return true;
}

/* ------------------------------------------------------------------ loading */

/* The one whose first request has waited longest; NULL: none. */
static Server *models_wanted(const Models *m) {
    Server *first = NULL;
    for (Server *s = m->list; s < m->list + m->count; s++)
        if (!s->loaded_now && s->waiting && (!first || s->asked < first->asked)) first = s;
    return first;
}

static bool models_busy(const Server *s) { return s->users + s->entering > 0; }

/* Of the idle ones, or if there are none of all, the one that was used longest ago. */
static Server *models_oldest(const Models *m) {
    Server *oldest = NULL;
    for (Server *s = m->list; s < m->list + m->count; s++) {
        if (!s->loaded_now) continue;
        const bool idler = oldest && models_busy(oldest) > models_busy(s),
                   busier = oldest && models_busy(oldest) < models_busy(s);
        if (!oldest || idler || (!busier && s->used < oldest->used)) oldest = s;
    }
    return oldest;
}

/* Called with the lock, which is free while the model is loaded or unloaded. */
static void models_unload(Models *m, Server *s) {
    s->loaded_now = false, m->loaded--;
    pthread_mutex_unlock(&m->lock);
    server_unload(s);
    log_note(s->access, "%s is unloaded", s->name);
    pthread_mutex_lock(&m->lock);
}

static void models_load_one(Models *m, Server *s) {
    const double began = clock_seconds();
    Fault fault = {0};
    s->loading = true;
    pthread_mutex_unlock(&m->lock);
    const bool ok = server_load(s, &fault);
    if (ok)
        log_note(s->access, "%s is loaded, in %.1f s", s->name, clock_seconds() - began);
    else
        server_unload(s), log_note(s->access, "%s: %s", s->name, fault.text);
    pthread_mutex_lock(&m->lock);
    s->loading = false, s->loaded_now = ok, m->loaded += ok;
    s->used = ++m->clock;
    if (ok)
        s->loads++, s->entering = s->waiting;
    else
        s->failed++;
    s->failure = fault;
}

/* True: something was done. */
static bool models_change(Models *m) {
    Server *s = models_wanted(m);
    m->leaving = NULL;
    if (!s) return false;
    if (m->loaded == m->room) {
        Server *old = models_oldest(m);
        m->leaving = old;
        if (models_busy(old)) return false;
        models_unload(m, old);
        m->leaving = NULL;
    }
    models_load_one(m, s);
    return true;
}

static void *models_work(void *context) {
    Models *m = context;
    pthread_mutex_lock(&m->lock);
    while (!m->closing) {
        const bool done = models_change(m);
        pthread_cond_broadcast(&m->changed);
        if (!done && !m->closing) pthread_cond_wait(&m->changed, &m->lock);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

/* ------------------------------------------------------------------ using them */

static bool models_usable(const Server *s) { return s->loaded_now && s != s->models->leaving; }

/* Returns whether it can be used now. */
static bool models_wait_for(Server *s, bool (*is_gone)(void *client), void *client) {
    Models *m = s->models;
    const size_t failed = s->failed, loads = s->loads;
    bool gone = false;
    if (!s->waiting++) s->asked = ++m->clock;
    pthread_cond_broadcast(&m->changed);
    while (!models_usable(s) && s->loads == loads && s->failed == failed && !m->closing &&
           !gone) {
        timed_wait(&m->changed, &m->lock, 0.1);
        pthread_mutex_unlock(&m->lock);
        gone = is_gone(client);
        pthread_mutex_lock(&m->lock);
    }
    s->waiting--;
    if (s->loads != loads) s->entering--;
    pthread_cond_broadcast(&m->changed);
    return s->loaded_now && s->failed == failed && !m->closing && !gone;
}

bool models_take(Server *s, bool (*is_gone)(void *client), void *client, HttpError *error) {
    Models *m = s->models;
    pthread_mutex_lock(&m->lock);
    const size_t failed = s->failed;
    const bool ok = models_usable(s) || models_wait_for(s, is_gone, client);
    if (ok)
        s->users++, s->used = ++m->clock;
    else if (s->failed != failed)
        http_error(error, 503, "model", "%s cannot be loaded: %s", s->name, s->failure.text);
    else
        http_error(error, m->closing ? 503 : 499, NULL, "%s",
                   m->closing ? "the server is shutting down" : "the client disconnected");
    pthread_mutex_unlock(&m->lock);
    return ok;
}

bool models_look(Server *s) {
    pthread_mutex_lock(&s->models->lock);
    const bool ok = models_usable(s); /* or those who look would keep it from leaving */
    s->users += ok;
    pthread_mutex_unlock(&s->models->lock);
    return ok;
}

void models_leave(Server *s) {
    pthread_mutex_lock(&s->models->lock);
    if (--s->users == 0) pthread_cond_broadcast(&s->models->changed);
    pthread_mutex_unlock(&s->models->lock);
}

const char *models_state(const Server *s) {
    pthread_mutex_lock(&s->models->lock);
    const char *state = s->loaded_now        ? "loaded"
                        : s->loading         ? "loading"
                        : s->failure.text[0] ? "failed"
                                             : "unloaded";
    pthread_mutex_unlock(&s->models->lock);
    return state;
}

/* ------------------------------------------------------------------ all of them */

bool models_open(Models *m, const ServeOptions *o, AccessLog *log, Fault *fault) {
    const size_t count = 1 + o->models.count;
    *m = (Models){.room = o->room ? min_size((size_t)o->room, count) : count};
    pthread_mutex_init(&m->lock, NULL), timed_init(&m->changed);
    pthread_mutex_init(&m->admitting, NULL);
    turns_open(&m->turns);
    if (!(m->list = calloc(count, sizeof *m->list)))
        return fault_set(fault, "no memory for %zu models", count);
    for (; m->count < count; m->count++) {
        Server *s = &m->list[m->count];
        server_open(s, m, o, log);
        if (m->count == 0)
            s->path = o->model, s->name = o->alias ? o->alias : models_base_name(o->model);
        else if (!models_read(m, o->models.items[m->count - 1], s, fault))
            return server_close(s), false;
        if (!prefixes_check(s, fault)) return server_close(s), false;
    }
    if (machines_number() > 1 && count > 1)
        return fault_set(fault, "--model: does not go with several machines");
    if (machines_by_layers() && o->prefixes)
        return fault_set(fault,
                         "--prefixes: the pages are on machines with other layers: wanted "
                         "--split rows");
    return count == 1 || models_check_name(text_of(m->list[0].name), fault);
}

bool models_load(Models *m, Fault *fault) {
    Server *first = &m->list[0];
    if (!server_load(first, fault)) return server_unload(first), false;
    first->loaded_now = true, m->loaded = 1, first->used = ++m->clock;
    if (m->count == 1) return true;
    m->has_loader = pthread_create(&m->loader, NULL, models_work, m) == 0;
    return m->has_loader || fault_set(fault, "no further thread can be started");
}

/* No model is loaded any more. */
static void models_end(Models *m) {
    pthread_mutex_lock(&m->lock);
    m->closing = true;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

void models_close(Models *m) {
    models_end(m);
    if (m->has_loader) pthread_join(m->loader, NULL);
    for (size_t i = 0; i < m->count; i++) {
        if (m->list[i].loaded_now) server_unload(&m->list[i]);
        server_close(&m->list[i]);
    }
    free(m->list);
    turns_close(&m->turns);
    pthread_mutex_destroy(&m->lock), pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->admitting);
}

void models_drain(Models *m) {
    models_end(m);
    for (size_t i = 0; i < m->count; i++) worker_drain(&m->list[i]);
}

size_t models_pending(Models *m) {
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) n += worker_pending(&m->list[i]);
    return n;
}

void models_lost(Models *m, const Fault *fault) {
    bool has_turn = false;
    for (size_t i = 0; i < m->count; i++)
        has_turn |= m->list[i].working && pthread_equal(m->list[i].thread, pthread_self());
    for (size_t i = 0; has_turn && i < m->count; i++)
        if (m->list[i].working) worker_lost(&m->list[i], fault);
}

void models_cancel(Models *m) {
    for (size_t i = 0; i < m->count; i++) worker_cancel(&m->list[i]);
}
