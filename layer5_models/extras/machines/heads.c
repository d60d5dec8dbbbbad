/* heads.c - see heads.h. */
#include "heads.h"
#include "families.h"
#include "size.h"

#include <string.h>

/* ------------------------------------------------------------------ whose heads */

size_t heads_begin(const double *bounds, int member, size_t kv_heads) {
    size_t begin = (size_t)(bounds[member] * (double)kv_heads + 0.5);
    return member == 0 ? 0 : min_size(max_size(begin, 1), kv_heads);
}

size_t layers_begin(const double *bounds, int member, size_t layers) {
    return heads_begin(bounds, member, layers);
}

size_t heads_count(const double *bounds, int member, size_t kv_heads) {
    return heads_begin(bounds, member + 1, kv_heads) - heads_begin(bounds, member, kv_heads);
}

bool heads_any(const double *bounds, int member, const Model *model) {
    for (size_t l = 0; l < model->sizes.layers; l++)
        if (heads_count(bounds, member, model->layers[l].kv_heads)) return true;
    return false;
}

static bool is_by_head(const Norm *norm, size_t width) {
    return norm->kind == NORM_NONE || norm->width == width;
}

Linear *heads_map(Attention *a, int map) {
    Linear *const maps[HEAD_MAPS] = {&a->q, &a->k, &a->v, &a->gate};
    return maps[map];
}

/* Does no head need another one's numbers, and no machine more than its own weights? */
static bool is_divisible(Attention a) {
    const AttentionShape *s = &a.shape;
    for (int i = 0; i < HEAD_MAPS; i++)
        if (heads_map(&a, i)->adapters) return false;
    return is_by_head(&a.q_norm, s->head_dim) && is_by_head(&a.k_norm, s->head_dim) &&
           is_by_head(&a.v_norm, attention_value_dim(s)) && s->max_bias == 0 && !s->relative &&
           !s->cross && !s->chosen;
}

static bool is_known(Attention a, bool (*known)(const void *, const Tensor *),
                     const void *context) {
    for (int i = 0; i < HEAD_MAPS; i++)
        if (heads_map(&a, i)->w.data && !known(context, &heads_map(&a, i)->w)) return false;
    return true;
}

static bool is_attention(const PartKind *part) {
    return part && part->include == attention_part.include;
}

bool heads_of_model(const Model *m, bool (*known)(const void *context, const Tensor *w),
                    const void *context) {
    if (model_extras(m)->encoder) return false; /* a source's keys are read by other layers */
    for (size_t l = 0; l < m->sizes.layers; l++) {
        const Block *b = &m->blocks[l];
        bool attends = false;
        for (int i = 0; i < BLOCK_MIXERS; i++) attends = attends || is_attention(b->mixer[i]);
        if (attends ? !is_divisible(b->attention) || !is_known(b->attention, known, context)
                    : m->layers[l].kv_heads > 0)
            return false;
    }
    return true;
}

void heads_set_part(const Model *m, const PartKind *part) {
    for (size_t l = 0; l < m->sizes.layers; l++)
        for (int i = 0; i < BLOCK_MIXERS; i++)
            if (is_attention(m->blocks[l].mixer[i])) m->blocks[l].mixer[i] = part;
}

static _Thread_local bool is_alone;

void heads_alone(bool alone) { is_alone = alone; }

bool heads_are_alone(void) { return is_alone; }

/* ------------------------------------------------------------------ a part */

/* The rows of `count` heads of `all`, from `first` on. */
static void take_rows(Linear *map, size_t first, size_t count, size_t all) {
    if (!map->w.data) return;
    const size_t each = map->w.shape[0] / all;
    map->w = tensor_view(map->w.dtype, 2, (size_t[]){count * each, map->w.shape[1]},
                         (char *)map->w.data + first * each * (size_t)map->w.stride[0]);
    if (map->bias) map->bias += first * each;
    map->packed = NULL;
}

static void take_gains(Norm *norm, size_t heads_before) {
    if (!norm->own_gain) return;
    if (norm->gain) norm->gain += heads_before * norm->width;
    if (norm->bias) norm->bias += heads_before * norm->width;
}

Attention heads_part(const Attention *a, size_t first, size_t count) {
    static float nothing;
    Attention part = *a;
    AttentionShape *s = &part.shape;
    const size_t all = s->kv_heads, group = s->heads / all;
    for (int i = 0; i < HEAD_MAPS; i++) take_rows(heads_map(&part, i), first, count, all);
    take_gains(&part.q_norm, first * group);
    take_gains(&part.k_norm, first), take_gains(&part.v_norm, first);
    s->heads = count * group, s->kv_heads = count;
    if (s->sinks) s->sinks += first * group;
    part.sub_norm = (Norm){.kind = NORM_NONE};
    part.o =
        (Linear){.w = tensor_view(DTYPE_F32, 2,
                                  (size_t[]){0, s->heads * attention_value_dim(s)}, &nothing)};
    return part;
}

/* ------------------------------------------------------------------ on the wire */

/* What is done with each array that an attention points at. */
typedef bool OnArray(void *context, const float **numbers, size_t count);

static bool for_norm(Norm *norm, size_t heads, OnArray *act, void *context) {
    size_t count = norm->own_gain ? heads * norm->width : norm->width;
    return norm->kind == NORM_NONE ||
           (act(context, &norm->gain, count) && act(context, &norm->bias, count));
}

static bool for_arrays(Attention *a, OnArray *act, void *context) {
    const AttentionShape *s = &a->shape;
    for (int i = 0; i < HEAD_MAPS; i++) {
        Linear *map = heads_map(a, i);
        if (!map->w.data) continue;
        if (!act(context, &map->scale, 1) || !act(context, &map->bias, map->w.shape[0]))
            return false;
    }
    return for_norm(&a->q_norm, s->heads, act, context) &&
           for_norm(&a->k_norm, s->kv_heads, act, context) &&
           for_norm(&a->v_norm, s->kv_heads, act, context) &&
           act(context, &a->shape.sinks, s->heads);
}

static bool write_array(void *message, const float **numbers, size_t count) {
    return !*numbers || message_add(message, *numbers, count * sizeof **numbers, NULL);
}

/* As many bytes as whole floats have. */
static bool write_axis(GroupMessage *message, const unsigned char *axis, size_t pairs) {
    static const unsigned char zeros[sizeof(float)];
    return message_add(message, axis, pairs, NULL) &&
           message_add(message, zeros, round_up(pairs, sizeof zeros) - pairs, NULL);
}

bool heads_write_layer(GroupMessage *message, const LayerOrder *order, const Attention *part,
                       Fault *fault) {
    LayerOrder layer = *order;
    layer.attention = *part;
    if (part->rope) layer.rope = *part->rope;
    size_t pairs = layer.rope.style == ROPE_NONE ? 0 : layer.rope.rotary / 2;
    return (message_add(message, &layer, sizeof layer, NULL) &&
            message_add(message, layer.rope.freq, pairs * sizeof *layer.rope.freq, NULL) &&
            (!layer.rope.axis || write_axis(message, layer.rope.axis, pairs)) &&
            for_arrays(&layer.attention, write_array, message)) ||
           fault_set(fault, "no memory to describe attention to other machines");
}

static bool read_array(void *reading, const float **numbers, size_t count) {
    return !*numbers || (*numbers = order_read(reading, count, sizeof **numbers));
}

bool heads_read_layer(LayerOrder *order, const unsigned char *bytes, size_t size) {
    OrderReading r = {bytes, size, 0, true};
    const void *head = order_read(&r, 1, sizeof *order);
    if (!head) return false;
    memcpy(order, head, sizeof *order);
    size_t pairs = order->rope.style == ROPE_NONE ? 0 : order->rope.rotary / 2;
    const void *freq = order_read(&r, pairs, sizeof *order->rope.freq);
    order->rope.freq = (double *)(uintptr_t)freq; /* only read */
    if (order->rope.axis) order->rope.axis = order_read(&r, round_up(pairs, sizeof(float)), 1);
    return r.ok && for_arrays(&order->attention, read_array, &r);
}

/* Entries of a sequence's table that others do not know: [entry, page] each. */
static bool write_table(GroupMessage *m, const KvCache *kv, size_t layer, size_t sequence,
                        int32_t *sent, HeadsSequence *s) {
    const size_t at = sequence * kv->config.layers + layer, length = kv->length[sequence];
    const int32_t *table = kv->table + at * kv->table_size;
    *s = (HeadsSequence){(uint32_t)sequence, (uint32_t)length, (uint32_t)kv->source[sequence],
                         (uint32_t)kv->gone[at], 0};
    sent += at * kv->table_size;
    for (size_t i = s->gone; i < div_up(length, KV_PAGE); i++) {
        if (table[i] == sent[i]) continue;
        if (!message_add(m, (int32_t[]){(int32_t)i, table[i]}, 2 * sizeof *table, NULL))
            return false;
        sent[i] = table[i], s->changed++;
    }
    return true;
}

/* A sequence, and then what is new in its table. */
static bool write_sequence(GroupMessage *m, const KvCache *kv, size_t layer, size_t sequence,
                           int32_t *sent) {
    HeadsSequence s = {0};
    const size_t at = m->size;
    if (!message_add(m, &s, sizeof s, NULL) || !write_table(m, kv, layer, sequence, sent, &s))
        return false;
    memcpy(m->bytes + at, &s, sizeof s);
    return true;
}

/* Each sequence of the batch. */
static bool write_sequences(GroupMessage *m, const Pass *p, size_t layer, int32_t *sent,
                            uint32_t *count) {
    const Batch *batch = p->batch;
    for (size_t i = 0; i < batch->count; i++) {
        if (i && batch->sequence[i] == batch->sequence[i - 1]) continue;
        if (!write_sequence(m, p->kv, layer, (size_t)batch->sequence[i], sent)) return false;
        ++*count;
    }
    return true;
}

static bool write_places(GroupMessage *m, const Attention *a, size_t rows) {
    return !a->rope || !a->rope->places ||
           message_add(m, a->rope->places, rows * sizeof *a->rope->places, NULL);
}

bool heads_write_order(GroupMessage *m, const HeadsOrder *order, const Attention *a,
                       const Pass *p, const int32_t (*copies)[2], int32_t *sent, const float *x,
                       bool half, Fault *fault) {
    const Batch *batch = p->batch;
    const size_t at = m->size, rows = batch->count * sizeof(int32_t);
    HeadsOrder head = *order;
    head.order.kind = ORDER_HEADS, head.layer = (uint32_t)p->layer;
    head.order.rows = batch->count, head.order.in = a->q.w.shape[1];
    head.groups = (uint32_t)p->kv->n_groups;
    if (!message_add(m, &head, sizeof head, NULL) ||
        !message_add(m, copies, head.copies * sizeof *copies, NULL) ||
        !message_add_groups(m, p->kv) ||
        !write_sequences(m, p, p->layer - a->kv_back, sent, &head.sequences) ||
        !message_add(m, batch->sequence, rows, NULL) ||
        !message_add(m, batch->position, rows, NULL) || !write_places(m, a, batch->count) ||
        !message_add_rows(m, half, x, head.order.rows, head.order.in, NULL))
        return fault_set(fault, "no memory for a message to other machines");
    memcpy(m->bytes + at, &head, sizeof head);
    return true;
}

bool heads_write_shift(GroupMessage *m, const HeadsOrder *order, const KvCache *kv,
                       size_t layer, size_t sequence, const int32_t (*copies)[2], int32_t *sent,
                       Fault *fault) {
    HeadsOrder head = *order;
    head.order.kind = ORDER_SHIFT, head.layer = (uint32_t)layer, head.sequences = 1;
    return (message_add(m, &head, sizeof head, NULL) &&
            message_add(m, copies, head.copies * sizeof *copies, NULL) &&
            write_sequence(m, kv, layer, sequence, sent)) ||
           fault_set(fault, "no memory for a message to other machines");
}
