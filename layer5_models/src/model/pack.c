/* pack.c - quantized matrices repacked at load.  See model.h and packed.h. */
#include "model.h"

#include <stdlib.h>

/* The map or maps of a role, when they are quantized; else NULL. */
static Linear *part_of(Block *b, RoleId id) {
    const Role *role = role_of(id);
    Linear *map = role_in(role, b);
    bool is_map =
        role->kind == ROLE_LINEAR || role->kind == ROLE_STACK || role->kind == ROLE_HEADS;
    return is_map && map->w.data && dtype_is_quantized(map->w.dtype) ? map : NULL;
}

static size_t matrices_in(const Linear *part) {
    return part->w.ndim == 3 ? part->w.shape[0] : 1;
}

/* Matrix `e` of a part that may be a stack. */
static Tensor matrix_of(const Linear *part, size_t e) {
    return part->w.ndim == 2 ? part->w : tensor_select(&part->w, e);
}

static size_t part_bytes(const Linear *part) {
    Tensor one = matrix_of(part, 0);
    return matrices_in(part) * packed_bytes(one.dtype, one.shape[0], one.shape[1]);
}

enum { ENDS = 3 };

/* Map number i beside the blocks, when it is quantized: the head, a draft head's, and what that one reads of different
 * depths; else NULL. */
static Linear *end_of(const Model *m, size_t i) {
    const Linear *ends[ENDS] = {&m->head, &m->draft.head, &m->blocks[0].extras->join.depths};
    const Linear *end = ends[i];
    return end->w.data && dtype_is_quantized(end->w.dtype) ? (Linear *)end : NULL;
}

/* Every quantized part of a model in turn, the ends last; NULL at the end.  Of draft heads the first one is used. */
static Linear *next_part(const Model *m, size_t *layer, int *i) {
    size_t blocks = m->sizes.layers + min_size(m->sizes.drafts, 1);
    for (; *layer < blocks; (*layer)++, *i = 0)
        while (*i < ROLES) {
            Linear *part = part_of(&m->blocks[*layer], (RoleId)(*i)++);
            if (part) return part;
        }
    while (*layer < blocks + ENDS) {
        Linear *end = end_of(m, (*layer)++ - blocks);
        if (end) return end;
    }
    return NULL;
}

static size_t count_all(const Model *m, size_t *bytes) {
    size_t layer = 0, count = 0;
    int i = 0;
    *bytes = 0;
    for (Linear *part; (part = next_part(m, &layer, &i));)
        count += matrices_in(part), *bytes += part_bytes(part);
    return count;
}

size_t model_packed_bytes(const Model *model) {
    size_t bytes;
    count_all(model, &bytes);
    return bytes;
}

bool model_pack(Model *m, Pool *pool, void (*progress)(void *, double), void *context,
                Fault *fault) {
    size_t bytes, count = count_all(m, &bytes), layer = 0, at = 0;
    int i = 0;
    if (count == 0 || m->packed) return true;
    PackedWeights *one = m->packed = calloc(count, sizeof *m->packed);
    m->packed_data = memory_take(bytes), m->packed_size = bytes;
    if (!m->packed || !m->packed_data)
        return fault_set(fault,
                         "no memory to repack %.0f MB of weights: --no-pack does without",
                         (double)bytes / 1e6);
    for (Linear *part; (part = next_part(m, &layer, &i));) {
        part->packed = one;
        for (size_t e = 0; e < matrices_in(part); e++, one++) {
            Tensor w = matrix_of(part, e);
            packed_fill(pool, one, &w, m->packed_data + at);
            at += packed_bytes(w.dtype, w.shape[0], w.shape[1]);
        }
        if (progress) progress(context, (double)at);
    }
    return true;
}
