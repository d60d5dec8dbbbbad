/* pack.c - quantized matrices repacked at load.  See model.h and packed.h. */
#include "bind.h"

#include <stdlib.h>

static size_t matrices_in(const Linear *part) {
    return part->w.ndim == 3 ? part->w.shape[0] : 1;
}

static Tensor matrix_of(const Linear *part, size_t e) {
    return part->w.ndim == 2 ? part->w : tensor_select(&part->w, e);
}

static size_t part_bytes(const Linear *part) {
    Tensor one = matrix_of(part, 0);
    return matrices_in(part) * packed_bytes(one.dtype, one.shape[0], one.shape[1]);
}

/* A position in a walk over all matrices of a model. */
typedef struct PackWalk {
    size_t layer, ends;
    RoleId id;
} PackWalk;

static bool is_packed(const Linear *map) {
    return map && map->w.data && dtype_is_quantized(map->w.dtype);
}

/* The next quantized matrix: the blocks', the head, then other ones of the family; NULL: the
 * end. */
static Linear *next_part(const Model *m, PackWalk *at) {
    for (; at->layer < m->sizes.layers; at->layer++, at->id = 0)
        while (at->id < role_count()) {
            const Role *role = role_of(at->id++);
            Linear *map =
                role->kind == ROLE_LINEAR ? role_in(role, &m->blocks[at->layer]) : NULL;
            if (is_packed(map)) return map;
        }
    Linear *map;
    do {
        size_t i = at->ends++;
        map = i == 0 ? (Linear *)&m->head : m->hooks ? m->hooks->packed_map(m, i - 1) : NULL;
    } while (map && !is_packed(map));
    return map;
}

static size_t count_all(const Model *m, size_t *bytes) {
    PackWalk walk = {0};
    size_t count = 0;
    *bytes = 0;
    for (Linear *part; (part = next_part(m, &walk));)
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
    PackWalk walk = {0};
    size_t bytes, count = count_all(m, &bytes), at = 0;
    if (count == 0 || m->packed) return true;
    PackedWeights *one = m->packed = calloc(count, sizeof *m->packed);
    m->packed_data = memory_alloc(bytes), m->packed_size = bytes;
    if (!m->packed || !m->packed_data)
        return fault_set(fault, "no memory to repack %.0f MB of weights", (double)bytes / 1e6);
    for (Linear *part; (part = next_part(m, &walk));) {
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
