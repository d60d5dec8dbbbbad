/* layers_held.c - the layers of each machine, laid out and repacked before a session's first
 * pass.  See held_layers.h. */
#include "share_layers.h"
#include "size.h"

#include <stdlib.h>
#include <string.h>

static size_t first_of(const Machines *m, const SharedLayers *c, int member) {
    return layers_begin(m->bounds, member, c->session.model->sizes.layers);
}

size_t layers_of(const Machines *m, const SharedLayers *c, int member) {
    return first_of(m, c, member + 1) - first_of(m, c, member);
}

static size_t most_layers(const Machines *m, const SharedLayers *c) {
    size_t most = 0;
    for (int i = 0; i < m->config.group->size; i++) most = max_size(most, layers_of(m, c, i));
    return most;
}

static LayersOrder layers_order(const Machines *m, const SharedLayers *c, const Session *s,
                                int member) {
    const KvConfig *k = &s->kv.config;
    return (LayersOrder){.order = {.kind = ORDER_LAYERS,
                                   .count = c->session.id,
                                   .rows = s->max_tokens,
                                   .in = s->model->sizes.stream},
                         .file = c->session.file,
                         .is_long = session_is_long(s),
                         .dtype = k->dtype,
                         .hadamard = k->hadamard,
                         .first = first_of(m, c, member),
                         .end = first_of(m, c, member + 1),
                         .layers = k->layers,
                         .pages = s->kv.pages.count,
                         .sequences = k->sequences,
                         .ctx = k->ctx,
                         .batch = k->batch,
                         .prefixes = k->prefixes,
                         .rewind = k->rewind};
}

static bool send_layers(Machines *m, const SharedLayers *c, const LayersOrder *order,
                        int member, Fault *fault) {
    const LayerClasses *k = &c->classes;
    m->order.size = 0;
    return message_add(&m->order, order, sizeof *order, fault) &&
           message_add(&m->order, k->shapes, k->layers * sizeof *k->shapes, fault) &&
           message_add(&m->order, k->of, k->layers * sizeof *k->of, fault) &&
           send_order(m, member, fault);
}

bool take_held_answers(Machines *m, const SharedLayers *c, size_t layer, Fault *fault) {
    bool ok = true;
    for (int i = 1; ok && i < m->config.group->size; i++) {
        if (layer < layers_of(m, c, i)) ok = take_answer(m, i, 0, fault);
    }
    return ok;
}

/* Layer number `layer` of each machine; the head is the first machine's, too. */
static bool pack_layer(Machines *m, SharedLayers *c, Pool *pool, size_t layer, Fault *fault) {
    LayerPack **packs = &m->lent[c->session.file].packs;
    const size_t own = layers_of(m, c, 0);
    for (int i = 1; i < m->config.group->size; i++) {
        const Order order = {
            .kind = ORDER_PACK, .count = c->session.file, .rows = first_of(m, c, i) + layer};
        if (layer >= layers_of(m, c, i)) continue;
        m->order.size = 0;
        if (!message_add(&m->order, &order, sizeof order, fault) || !send_order(m, i, fault))
            return false;
    }
    return (layer >= own || held_pack(packs, c->session.model, layer, pool, fault)) &&
           (layer > 0 ||
            held_pack(packs, c->session.model, c->session.model->sizes.layers, pool, fault)) &&
           take_held_answers(m, c, layer, fault);
}

static bool alloc_orders(Machines *m, SharedLayers *c, const KvCache *kv, Fault *fault) {
    const size_t members = (size_t)m->config.group->size,
                 entries = kv->config.sequences * c->classes.count * kv->table_size;
    c->sent = malloc((entries + 1) * sizeof *c->sent);
    c->orders = calloc(members, sizeof *c->orders);
    if (!c->sent || !c->orders)
        return fault_set(fault, "no memory for the pages of several machines");
    memset(c->sent, 0xff, entries * sizeof *c->sent);
    return true;
}

/* At a session's first pass: all machines lay out their layers. */
bool open_held(Machines *m, SharedLayers *c, Session *s, Fault *fault) {
    const LayersOrder own = layers_order(m, c, s, 0);
    if (!alloc_orders(m, c, &s->kv, fault)) return false;
    c->session.opened = true, s->kv.pages.copied = note_copy;
    for (int i = 1; i < m->config.group->size; i++) {
        const LayersOrder order = layers_order(m, c, s, i);
        if (!send_layers_of(m, c->session.file, i, order.first, order.end, fault)) return false;
        if (layers_of(m, c, i) && !send_layers(m, c, &order, i, fault)) return false;
    }
    if (!held_open(&c->own, c->session.model, s->pool, &own, c->classes.shapes, c->classes.of,
                   fault) ||
        !take_held_answers(m, c, 0, fault))
        return false;
    for (size_t l = 0; m->config.pack && l < most_layers(m, c); l++)
        if (!pack_layer(m, c, s->pool, l, fault)) return false;
    return true;
}
