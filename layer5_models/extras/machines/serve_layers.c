/* serve_layers.c - another machine's layers.  See machines.h and held_layers.h. */
#include "serve_parts.h"

#include <stdlib.h>
#include <string.h>

void drop_model(Opened *o) {
    if (o->model.recipe) {
        held_unpack(&o->packs, &o->model);
        model_close(&o->model);
        o->model = (Model){0};
    }
    free(o->path);
    o->path = NULL;
}

void drop_layers(Server *s, uint32_t cache) {
    if (cache < SHARED_CACHES && s->layers[cache].model) held_close(&s->layers[cache]);
}

/* The model of an open file; opened when it is asked for first.  NULL with a fault. */
static Model *model_of(Server *s, uint32_t file, Fault *fault) {
    Opened *o = file < SHARED_FILES && s->opened[file].open ? &s->opened[file] : NULL;
    if (!o) return fault_set(fault, "layers of a file that is not open"), NULL;
    if (!o->model.recipe && !open_model_of(o, fault)) {
        o->model = (Model){0};
        return NULL;
    }
    return &o->model;
}

static bool is_possible(const LayersOrder *o, const Model *m) {
    return o->first < o->end && o->end <= m->sizes.layers && o->layers >= m->sizes.layers &&
           o->layers <= 2 * MODEL_LAYERS && o->order.in == m->sizes.stream;
}

bool take_layers(Server *s, Fault *fault) {
    LayersOrder order;
    if (!part_of(s, 0, sizeof order)) return cut_off(fault);
    memcpy(&order, s->order.bytes, sizeof order);
    Model *model = model_of(s, order.file, fault);
    if (!model) return false;
    if (!is_possible(&order, model) || order.order.count >= SHARED_CACHES)
        return cut_off(fault);
    const KvShape *shapes = part_of(s, sizeof order, order.layers * sizeof *shapes);
    const int32_t *class_of = shapes ? part_of(s, sizeof order + order.layers * sizeof *shapes,
                                               order.layers * sizeof *class_of)
                                     : NULL;
    if (!class_of) return cut_off(fault);
    drop_layers(s, order.order.count);
    return held_open(&s->layers[order.order.count], model, s->pool, &order, shapes, class_of,
                     fault);
}

bool take_pack(Server *s, const Order *order, Fault *fault) {
    Model *model = model_of(s, order->count, fault);
    if (!model) return false;
    if (order->rows >= model->sizes.layers) return cut_off(fault);
    return held_pack(&s->opened[order->count].packs, model, order->rows, s->pool, fault);
}

/* The layers of an order; NULL with a fault. */
static HeldLayers *held_of(Server *s, const Order *order, Fault *fault) {
    HeldLayers *held = order->count < SHARED_CACHES ? &s->layers[order->count] : NULL;
    if (held && held->model) return held;
    return fault_set(fault, "layers of a session that is not open"), NULL;
}

bool take_pass(Server *s, const Order *order, Fault *fault) {
    HeldLayers *held = held_of(s, order, fault);
    PassRows rows;
    if (!held) return false;
    const size_t size = wire_bytes(s->half, order->rows, order->in);
    if (!held_read(held, s->order.bytes, s->order.size, &rows) || !part_of(s, rows.x_at, size))
        return cut_off(fault);
    wire_read(s->half, s->order.bytes + rows.x_at, order->rows, order->in, held->x);
    held_forward(held, &rows, held->x);
    if (!answer_room(s, size, fault)) return false;
    wire_write(s->half, held->x, order->rows, order->in, s->answer.bytes + sizeof(uint32_t));
    return true;
}

bool take_turn(Server *s, const Order *order, Fault *fault) {
    HeldLayers *held = held_of(s, order, fault);
    return held && (held_turn(held, s->order.bytes, s->order.size) || cut_off(fault));
}
