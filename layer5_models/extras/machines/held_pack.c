/* held_pack.c - the quantized matrices of single layers, repacked.  See held_layers.h. */
#include "held_layers.h"

#include <stdlib.h>

/* A model of one layer, or of the head alone. */
static Model part_of_model(const Model *m, size_t layer) {
    Model part = *m;
    part.blocks += layer, part.sizes.layers = layer < m->sizes.layers;
    part.hooks = NULL;
    part.packed = NULL, part.packed_data = NULL, part.packed_size = 0;
    if (layer < m->sizes.layers) part.head.w.data = NULL;
    return part;
}

bool held_pack(LayerPack **list, const Model *m, size_t layer, Pool *pool, Fault *fault) {
    for (LayerPack *p = *list; p; p = p->next)
        if (p->layer == layer) return true;
    LayerPack *p = calloc(1, sizeof *p);
    if (!p) return fault_set(fault, "no memory to repack layer %zu", layer);
    Model part = part_of_model(m, layer);
    *p = (LayerPack){.next = *list, .layer = layer};
    *list = p;
    bool ok = model_pack(&part, pool, NULL, NULL, fault);
    p->packed = part.packed, p->data = part.packed_data, p->size = part.packed_size;
    if (layer == m->sizes.layers) ((Model *)(uintptr_t)m)->head.packed = part.head.packed;
    return ok;
}

static void unpack_layer(const Model *m, size_t layer) {
    for (RoleId id = 0; id < role_count(); id++) {
        const Role *role = role_of(id);
        Linear *map = role->kind == ROLE_LINEAR ? role_in(role, &m->blocks[layer]) : NULL;
        if (map) map->packed = NULL;
    }
}

void held_unpack(LayerPack **list, const Model *m) {
    for (LayerPack *p = *list, *next; p; p = next) {
        next = p->next;
        if (p->layer < m->sizes.layers)
            unpack_layer(m, p->layer);
        else
            ((Model *)(uintptr_t)m)->head.packed = NULL;
        memory_free(p->data, p->size), free(p->packed), free(p);
    }
    *list = NULL;
}
