/* session_places.c - positions in a picture: each of its rows has a time, a row and a column,
 * and the text after it continues behind the greatest of them.  See families.h.
 *
 *     tokens           a   b   the rows of a picture of 2 by 3    c   d
 *     position         0   1   2  3  4  5  6  7                   8   9
 *     time             0   1   2  2  2  2  2  2                   5   6
 *     row              0   1   2  2  2  3  3  3                   5   6
 *     column           0   1   2  3  4  2  3  4                   5   6
 *     lag after it     0   0   0  0  0  0  0  3                   3   3
 *
 * The lag, position - place, is kept in the KV cache as the key of a layer of its own, so that
 * it is forked, rolled back and found again with the tokens.
 *
 * Source   Wang et al. 2024, arXiv:2409.12191, section 2.1 (M-RoPE). */
#include "families/parts.h"

/* A bit of the lag is a number's sign, which every format of the cache keeps. */
enum { LAG_BITS = KV_LAG_BITS };

static size_t lag_after(const Session *s, size_t sequence, size_t position) {
    float bits[LAG_BITS];
    size_t lag = 0;
    kv_read_key(&s->kv, (KvHead){s->model->sizes.layers, sequence, 0}, position, bits);
    for (int i = LAG_BITS; i-- > 0;) lag = 2 * lag + (bits[i] > 0);
    return lag;
}

static void keep_lag(Session *s, size_t sequence, size_t position, size_t lag) {
    float bits[LAG_BITS];
    for (int i = 0; i < LAG_BITS; i++, lag /= 2) bits[i] = lag % 2 ? 1 : -1;
    kv_write_key(&s->kv, (KvHead){s->model->sizes.layers, sequence, 0}, position, bits);
}

/* The places of a token, given the lag before it; returns the lag after it. */
static size_t place_token(const Session *s, int32_t token, size_t position, size_t lag,
                          int32_t place[3]) {
    const SessionExtras *x = s->extras;
    const size_t id = (size_t)token, vocab = s->model->sizes.vocab;
    size_t row = 0, high = 1, wide = 1;
    if (x->grid && token >= 0 && id >= vocab) {
        row = (id - vocab) % x->grid_rows;
        high = x->grid[(id - vocab) / x->grid_rows][0];
        wide = x->grid[(id - vocab) / x->grid_rows][1];
    }
    const int32_t begin = (int32_t)(position - row - lag);
    place[0] = begin;
    place[1] = begin + (int32_t)(row / wide), place[2] = begin + (int32_t)(row % wide);
    return row + 1 == high * wide ? lag + high * wide - max_size(high, wide) : lag;
}

void place_batch(Session *s, const Batch *batch) {
    if (!quirks_of(s->model->recipe)->rope_sections) return;
    for (size_t i = 0; i < batch->count; i++) {
        const size_t sequence = (size_t)batch->sequence[i],
                     position = (size_t)batch->position[i],
                     lag = position ? lag_after(s, sequence, position - 1) : 0;
        const int32_t token = batch->token ? batch->token[i] : -1;
        keep_lag(s, sequence, position,
                 place_token(s, token, position, lag, s->extras->places[i]));
    }
}

void session_grid(Session *s, const size_t (*grid)[2], size_t rows) {
    s->extras->grid = grid, s->extras->grid_rows = rows;
    if (!quirks_of(s->model->recipe)->rope_sections) return;
    s->extras->placed = s->model->ropes[0];
    s->extras->placed.places = (const int32_t(*)[3])s->extras->places;
}

bool session_is_long(const Session *s) {
    const ModelExtras *m = model_extras(s->model);
    return m->long_ctx && (m->long_choice == ROPE_BY_LENGTH ? session_ctx(s) > m->long_ctx
                                                            : m->long_choice == ROPE_LONG);
}

const Rope *layer_rope(const Model *m, size_t l, bool longer, const Rope *placed) {
    const Rope *rope = m->blocks[l].attention.rope;
    if (longer && rope == &m->ropes[0]) return &model_extras(m)->long_rope;
    return rope && rope->axis && placed ? placed : rope;
}

const Rope *session_rope(const Session *s, size_t l) {
    const Rope *placed = &s->extras->placed;
    return layer_rope(s->model, l, session_is_long(s), placed->places ? placed : NULL);
}
