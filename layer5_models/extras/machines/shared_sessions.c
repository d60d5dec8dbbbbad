/* shared_sessions.c - the first machine's sessions of lent models: which they are, and which of
 * their pages were copied.  See machines_parts.h. */
#include "grow.h"
#include "machines_parts.h"
#include "session_probe.h"

#include <stdlib.h>

static SharedSession *session_at(Machines *m, size_t i) {
    return m->config.by_layers ? &m->layers[i].session : &m->caches[i].session;
}

SharedSession *session_with(Machines *m, const void *memory) {
    const unsigned char *at = memory;
    for (size_t i = 0; at && i < SHARED_CACHES; i++) {
        SharedSession *s = session_at(m, i);
        if (s->model && at >= s->begin && at < s->begin + s->size) return s;
    }
    return NULL;
}

/* A free one for a session of a lent model; NULL: this machine has it alone. */
static SharedSession *session_begin(Machines *m, const Session *session) {
    uint32_t file = 0, id = 0;
    while (file < SHARED_FILES && m->lent[file].model != session->model) file++;
    while (id < SHARED_CACHES && session_at(m, id)->model) id++;
    if (file == SHARED_FILES || id == SHARED_CACHES || session_expects_probe()) return NULL;
    SharedSession *s = session_at(m, id);
    *s = (SharedSession){.model = session->model,
                         .begin = session->arena.base,
                         .size = session->arena.size,
                         .file = file,
                         .id = id};
    return s;
}

static void session_drop(Machines *m, SharedSession *s) {
    if (s->opened) tell_all(m, ORDER_DROP, s->id);
    free(s->copies);
    if (m->config.by_layers)
        layers_drop(m, (SharedLayers *)s);
    else
        heads_drop((SharedCache *)s);
}

/* Fewer heads or layers in `shapes`.  False: this model's cannot be shared. */
static bool session_share(Machines *m, SharedSession *s, KvShape *shapes, size_t layers) {
    if (!m->config.by_layers) return heads_share(m, (SharedCache *)s, shapes, layers);
    layers_share(m, (SharedLayers *)s, shapes, layers);
    return true;
}

/* The hook of decoder.h.  What a session needs is measured before its memory is there. */
static void change_session(const Session *session, KvShape *shapes, size_t layers) {
    Machines *m = machines_here;
    pthread_mutex_lock(&m->lock);
    SharedSession *s =
        shapes ? session_begin(m, session) : session_with(m, session->arena.base);
    const bool shared = s && shapes && session_share(m, s, shapes, layers);
    if (s && (!shared || !s->begin)) session_drop(m, s);
    pthread_mutex_unlock(&m->lock);
}

void note_copy(PagePool *pool, int32_t from, int32_t to) {
    Machines *m = machines_here;
    Fault fault;
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    SharedSession *s = session_with(m, pool->bytes);
    bool ok = !s || GROW(s->copies, s->copies_room, s->n_copies + 1);
    if (s && ok) {
        s->copies[s->n_copies][0] = from, s->copies[s->n_copies][1] = to;
        s->n_copies++;
    }
    pthread_mutex_unlock(&m->lock);
    if (ok) return;
    fault_set(&fault, "no memory for the pages of several machines");
    give_up(m, &fault);
}

void sessions_open(void) { session_shapes = change_session; }

void sessions_close(Machines *m) {
    session_shapes = NULL;
    for (size_t i = 0; i < SHARED_CACHES; i++)
        if (session_at(m, i)->model) session_drop(m, session_at(m, i));
}
