/* price_layers.c - see price_layers.h. */
#include "price_layers.h"
#include "linear.h"
#include "size.h"
#include "state.h"

/* ------------------------------------------------------------------ weights */

static bool is_in(const Linear *map, const unsigned char *at) {
    const Tensor *w = &map->w;
    const unsigned char *begin = w->data;
    if (!begin) return false;
    const size_t rows = w->ndim == 3 ? w->shape[0] * w->shape[1] : w->shape[0];
    return at >= begin && at < begin + rows * dtype_row_bytes(w->dtype, w->shape[w->ndim - 1]);
}

/* The layer with a matrix; sizes.layers: none, as the head. */
static size_t layer_of(const Model *m, const void *matrix) {
    size_t l = 0;
    for (; l < m->sizes.layers; l++)
        for (RoleId id = 0; id < role_count(); id++) {
            const Role *role = role_of(id);
            const Linear *map = role->kind == ROLE_LINEAR ? role_in(role, &m->blocks[l]) : NULL;
            if (map && is_in(map, matrix)) return l;
        }
    return l;
}

/* The machine with a layer; the first has what is outside of all. */
static int machine_of(const Model *m, const double *bounds, int size, size_t layer) {
    int member = 0;
    if (layer >= m->sizes.layers) return 0;
    while (member + 1 < size && layer >= layers_begin(bounds, member + 1, m->sizes.layers))
        member++;
    return member;
}

void price_layer_products(const Model *m, const double *bounds, int size,
                          const WeightsProduct *products, size_t count, MachinesPrice *price) {
    for (size_t i = 0; i < count; i++) {
        const Tensor *w = products[i].w;
        const size_t layer = layer_of(m, w->data),
                     bytes = w->shape[0] * dtype_row_bytes(w->dtype, w->shape[1]);
        if (!products[i].n) continue;
        price->weights[machine_of(m, bounds, size, layer)] += bytes;
        price->numbers += w->shape[0] * w->shape[1];
        price->outside += layer >= m->sizes.layers ? bytes : 0;
    }
    price->products += count;
}

/* ------------------------------------------------------------------ caches and messages */

static void price_caches(const Session *s, const double *bounds, int size,
                         MachinesPrice *price) {
    const KvCache *kv = &s->kv;
    for (size_t l = 0; l < kv->config.layers; l++) {
        const KvShape *k = &kv->shape[l];
        const size_t block = held_block(s->model, l);
        price->kept[machine_of(s->model, bounds, size, block)] +=
            k->kv_heads * (k->key_dim + k->value_dim);
    }
}

bool price_layers(const Session *s, const double *bounds, int size, size_t tokens, bool half,
                  MachinesPrice *price, Fault *fault) {
    const size_t layers = s->model->sizes.layers, width = s->model->sizes.stream,
                 snapshots = s->kv.snapshots ? s->kv.states_of[0].count : 0;
    size_t stages = 0;
    LayerClasses classes;
    if (!classes_open(&classes, s->kv.shape, s->kv.config.layers))
        return fault_set(fault, "no memory for %zu layers", layers);
    price_caches(s, bounds, size, price);
    for (int i = 0; i < size; i++)
        stages += layers_begin(bounds, i + 1, layers) > layers_begin(bounds, i, layers);
    const bool whole = model_extras(s->model)->quirks->bidirectional;
    const size_t parts = whole ? 1 : count_parts(stages, tokens), others = stages - 1;
    for (size_t i = 0; i < parts; i++) {
        const size_t rows = tokens * (i + 1) / parts - tokens * i / parts,
                     entries = i ? 0 : classes.count * div_up(tokens, KV_PAGE);
        price->sent += others * (part_bytes(classes.count, entries, snapshots, rows) +
                                 wire_bytes(half, rows, width));
        price->received += others * (sizeof(uint32_t) + wire_bytes(half, rows, width));
    }
    price->messages = 2 * others * parts;
    classes_close(&classes);
    return true;
}
