/* bind_delta.c - the maps and convolutions of a delta net.  See parts.h. */
#include "families/parts.h"

#include <string.h>

static ShortConv delta_conv(size_t channels, size_t taps, size_t at) {
    return (ShortConv){.channels = channels, .taps = taps, .silu = true, .at = at};
}

void set_delta(Binder *b, DeltaNet *m, const LayerSizes *s) {
    const Recurrent kind = quirks_in(b)->recurrent;
    const LayerExtras *e = s->extras;
    size_t k = more_delta_k(s), v = more_delta_v(s), taps = e->delta_taps;
    m->d = e->delta_dim, m->keys = e->delta_keys, m->heads = e->delta_heads;
    m->q_conv = delta_conv(k, taps, 0);
    m->k_conv = delta_conv(k, taps, k * (taps - 1));
    m->v_conv = delta_conv(v, taps, 2 * k * (taps - 1));
    m->tiled = kind == RECURRENT_DELTA_TILED;
    m->per_channel = m->sigmoid_gate = kind == RECURRENT_KDA;
    m->eps = b->model->eps;
}

/* One tensor holds the three convolutions of a delta net. */
void bind_delta_conv(Binder *b, DeltaNet *m, const LayerSizes *s, size_t layer) {
    const size_t taps = s->extras->delta_taps, k = more_delta_k(s) * taps,
                 shape[2] = {2 * more_delta_k(s) + more_delta_v(s), taps};
    char full[96];
    const float *w =
        bind_numbers(b, block_name(b, full, sizeof full, layer, "ssm_conv1d", "weight"), true,
                     2, shape, role_of(ROLE_DELTA_Q_CONV)->from);
    if (w) m->q_conv.w = w, m->k_conv.w = w + k, m->v_conv.w = w + 2 * k;
}

/* Files of the first converters have q, k, v and gate of each key head in one matrix: its rows
 * are copied in the order of today's two.
 *
 *     there   q0 k0 v0 v1 z0 z1 | q1 k1 v2 v3 z2 z3
 *     here    q0 q1 | k0 k1 | v0 .. v3 | z0 .. z3 */
bool bind_delta_in(Binder *b, DeltaNet *m, const LayerSizes *s, size_t layer) {
    const size_t keys = more_delta_k(s), values = more_delta_v(s),
                 heads = s->extras->delta_keys;
    const size_t parts[4] = {keys, keys, values, values}, rows = 2 * (keys + values);
    Linear *const maps[4] = {&m->q, &m->k, &m->v, &m->gate};
    char name[96];
    if (has_matrix(b, layer, "attn_qkv") || !has_matrix(b, layer, "ssm_in")) return false;
    Tensor in = bind_tensor(b, block_name(b, name, sizeof name, layer, "ssm_in", "weight"),
                            true, 2, (size_t[]){rows, s->dim}, role_of(ROLE_DELTA_Q)->from);
    if (!in.data) return false;
    const size_t bytes = dtype_row_bytes(in.dtype, s->dim);
    unsigned char *copy = arena_take(&b->model->arena, rows, bytes), *to = copy;
    for (size_t p = 0, before = 0; p < 4; before += parts[p++] / heads) {
        maps[p]->w =
            tensor_view(in.dtype, 2, (size_t[]){parts[p], s->dim}, copy ? to : in.data);
        for (size_t h = 0; copy && h < heads; h++, to += parts[p] / heads * bytes)
            memcpy(to, (char *)in.data + (h * rows / heads + before) * bytes,
                   parts[p] / heads * bytes);
    }
    return true;
}
