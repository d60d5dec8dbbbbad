/* share_layers.c - the first machine's sessions whose layers are on several machines.  See
 * machines.h and held_layers.h. */
#include "share_layers.h"
#include "layers_elsewhere.h"
#include "shift.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ which models */

static const char *why_not(const Model *m, const double *bounds, int size) {
    const ModelExtras *x = model_extras(m);
    if (x->encoder) return "its decoder reads what its encoder keeps";
    if (x->streams) return "its layers read several streams";
    if (x->layer_table.table.data) return "its layers have inputs of their own";
    if (x->quirks->is_draft_head) return "it is a draft head, which reads rows of its model";
    if (x->quirks->assists) return "it reads keys and values of its model";
    for (size_t l = 0; l < m->sizes.layers; l++) {
        const LayerExtras *e = m->layers[l].extras;
        if (e && e->rwkv_v) return "its later layers read the first one's values";
        for (int i = 1; e && e->kv_back && i < size; i++) {
            const size_t cut = layers_begin(bounds, i, m->sizes.layers);
            if (cut <= l && cut > l - e->kv_back)
                return "some layers read keys of a layer on another machine";
        }
    }
    return NULL;
}

bool layers_of_model(const Model *m, const double *bounds, int size, Fault *fault) {
    const char *why = why_not(m, bounds, size);
    return !why ||
           fault_set(fault,
                     "this %s model cannot be split by layers, because %s: wanted --split rows",
                     m->recipe->arch, why);
}

/* ------------------------------------------------------------------ sessions */

static SharedLayers *layers_with(Machines *m, const Session *s) {
    return (SharedLayers *)session_with(m, s->arena.base);
}

void layers_drop(Machines *m, SharedLayers *c) {
    for (int i = 0; c->orders && i < m->config.group->size; i++) free(c->orders[i].bytes);
    held_close(&c->own), classes_close(&c->classes);
    free(c->home), free(c->sent), free(c->orders);
    *c = (SharedLayers){0};
}

/* The layer whose table stands for its class: one that this machine keeps anyway, or the
 * first. */
static bool find_homes(SharedLayers *c) {
    const LayerClasses *k = &c->classes;
    if (!(c->home = malloc((k->count + 1) * sizeof *c->home))) return false;
    memset(c->home, 0xff, k->count * sizeof *c->home);
    for (size_t l = k->layers; l-- > 0;) {
        if (k->of[l] < 0) continue;
        int32_t *home = &c->home[k->of[l]];
        if (*home < 0 ||
            held_block(c->session.model, (size_t)*home) < c->session.model->sizes.layers)
            *home = (int32_t)l;
    }
    return true;
}

/* Tables and snapshots only: one number for a key, and for a state. */
static void keep_tables_only(const SharedLayers *c, KvShape *shapes) {
    const LayerClasses *k = &c->classes;
    bool state = false;
    for (size_t l = 0; l < k->layers; l++) {
        const bool is_home = k->of[l] >= 0 && c->home[k->of[l]] == (int32_t)l;
        shapes[l].state = shapes[l].state > 0 && !state;
        state = state || shapes[l].state;
        if (held_block(c->session.model, l) >= c->session.model->sizes.layers) continue;
        shapes[l].kv_heads = is_home, shapes[l].key_dim = 1, shapes[l].value_dim = 0;
        if (!is_home) shapes[l].window = 0;
    }
}

void layers_share(Machines *m, SharedLayers *c, KvShape *shapes, size_t layers) {
    Fault fault;
    if (!classes_open(&c->classes, shapes, layers) || !find_homes(c)) {
        fault_set(&fault, "no memory for the layers of several machines");
        give_up(m, &fault);
    }
    keep_tables_only(c, shapes);
}

static bool has_layers(const Session *s) { return layers_with(machines_here, s) != NULL; }

/* ------------------------------------------------------------------ passes */

/* The hooks of layers_elsewhere.h. */
static bool forward_session(Session *s, const Batch *batch) {
    Machines *m = machines_here;
    Fault fault;
    bool cancelled;
    REQUIRE(m, "layers without the other machines");
    pthread_mutex_lock(&m->lock);
    bool ok = layers_run(m, layers_with(m, s), s, batch, &cancelled, &fault);
    pthread_mutex_unlock(&m->lock);
    if (!ok) give_up(m, &fault);
    return !cancelled;
}

static bool turn_all(Machines *m, SharedLayers *c, const Session *s, const int32_t *sequence,
                     size_t first, size_t by, Fault *fault) {
    const Batch one = {.count = 1, .sequence = sequence};
    PassOrder head = {
        .order = {.kind = ORDER_TURN, .count = c->session.id, .rows = first, .in = by}};
    if (!write_tables(&m->order, c, &s->kv, &one, &head))
        return fault_set(fault, "no memory for a message to other machines");
    for (int i = 1; i < m->config.group->size; i++)
        if (layers_of(m, c, i) && !send_order(m, i, fault)) return false;
    return (held_turn(&c->own, m->order.bytes, m->order.size) ||
            fault_set(fault, "an order that is cut off")) &&
           take_held_answers(m, c, 0, fault);
}

static void shift_session(const Session *s, size_t sequence, size_t first, size_t by) {
    Machines *m = machines_here;
    const int32_t number = (int32_t)sequence;
    Fault fault;
    pthread_mutex_lock(&m->lock);
    SharedLayers *c = layers_with(m, s);
    bool ok = !c->session.opened || turn_all(m, c, s, &number, first, by, &fault);
    pthread_mutex_unlock(&m->lock);
    if (!ok) give_up(m, &fault);
}

/* ------------------------------------------------------------------ begin and end */

static const LayersElsewhere on_machines = {has_layers, forward_session, shift_session};

void layers_open(void) { layers_elsewhere = &on_machines; }

void layers_close(void) { layers_elsewhere = NULL; }
