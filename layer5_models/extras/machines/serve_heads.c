/* serve_heads.c - another machine's heads, with their keys and values.  See heads.h.
 *
 * Pages are taken, shared and released by the first machine alone; here they are numbers. */
#include "serve_parts.h"
#include "grow.h"
#include "shift.h"
#include "size.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ caches */

void drop_held(Server *s, uint32_t cache) {
    if (cache >= SHARED_CACHES) return;
    HeldCache *c = &s->caches[cache];
    for (size_t l = 0; c->layers && l < c->kv.config.layers; l++) free(c->layers[l].bytes);
    arena_free(&c->arena);
    *c = (HeldCache){0};
}

static void lay_out(HeldCache *c, const KvConfig *config) {
    kv_init(&c->kv, config, &c->arena);
    c->layers = arena_take(&c->arena, config->layers, sizeof *c->layers);
}

bool take_cache(Server *s, Fault *fault) {
    CacheOrder order;
    if (!part_of(s, 0, sizeof order)) return cut_off(fault);
    memcpy(&order, s->order.bytes, sizeof order);
    const uint32_t id = order.order.count;
    const size_t layers = order.layers;
    const KvShape *shapes = part_of(s, sizeof order, layers * sizeof *shapes);
    if (!shapes || layers > 2 * MODEL_LAYERS || id >= SHARED_CACHES) return cut_off(fault);
    const KvConfig config = {.shapes = shapes,
                             .layers = layers,
                             .dtype = (Dtype)order.dtype,
                             .hadamard = order.hadamard,
                             .sequences = order.sequences,
                             .ctx = order.ctx,
                             .batch = order.batch,
                             .budget = order.pages,
                             .rewind = 1};
    drop_held(s, id);
    HeldCache *c = &s->caches[id];
    arena_measure(&c->arena);
    lay_out(c, &config);
    if (!arena_init(&c->arena, c->arena.used, fault)) return false;
    lay_out(c, &config);
    return true;
}

/* The held cache of an order; NULL: none. */
static HeldCache *held_cache(Server *s, const Order *order) {
    HeldCache *c = order->count < SHARED_CACHES ? &s->caches[order->count] : NULL;
    return c && c->layers ? c : NULL;
}

/* ------------------------------------------------------------------ layers */

/* Its maps, in the file or repacked. */
static bool find_maps(Server *s, LayerOrder *layer, Fault *fault) {
    const ShareJob job = {
        .pool = s->pool, .files = s->files, .pack = s->pack, .in = layer->order.in};
    for (int i = 0; i < HEAD_MAPS; i++) {
        const SharedProduct *p = &layer->maps[i];
        Linear *map = heads_map(&layer->attention, i);
        if (!map->w.data) continue;
        if (p->out == 0 || !is_open(s, p)) return cut_off(fault);
        if (!share_matrix(&job, p, 0, p->out, &map->w, &map->packed, fault)) return false;
    }
    return true;
}

bool take_layer(Server *s, Fault *fault) {
    static float nothing;
    LayerOrder order;
    const size_t size = s->order.size;
    unsigned char *bytes = malloc(size + 1);
    if (!bytes) return fault_set(fault, "no memory for a layer's attention");
    memcpy(bytes, s->order.bytes, size);
    bool ok = heads_read_layer(&order, bytes, size) || cut_off(fault);
    HeldCache *c = ok ? held_cache(s, &order.order) : NULL;
    if (ok && (!c || order.order.rows >= c->kv.config.layers))
        ok = fault_set(fault, "attention of a cache that is not open");
    if (!ok || !find_maps(s, &order, fault)) return free(bytes), false;
    HeldLayer *layer = &c->layers[order.order.rows];
    free(layer->bytes);
    *layer = (HeldLayer){bytes, order, order.attention.rope && order.rope.places};
    layer->order.attention.o.w.data = &nothing;
    return true;
}

/* ------------------------------------------------------------------ attention */

static bool grow_room(Server *s, const Attention *a, size_t rows, Fault *fault) {
    HeldRun *r = &s->room;
    AttentionSizes sizes = r->sizes;
    attention_sizes_include(&sizes, a);
    if (r->arena.base && rows <= r->rows && memcmp(&sizes, &r->sizes, sizeof sizes) == 0)
        return true;
    arena_free(&r->arena);
    r->rows = max_size(r->rows, rows), r->sizes = sizes;
    arena_measure(&r->arena);
    attention_run_init(&r->run, r->rows, &sizes, &r->arena);
    if (!arena_init(&r->arena, r->arena.used, fault)) return false;
    attention_run_init(&r->run, r->rows, &sizes, &r->arena);
    return true;
}

static OrderReading begin_reading(const Server *s) {
    return (OrderReading){s->order.bytes, s->order.size, 0, true};
}

static bool not_held(Fault *fault) {
    return fault_set(fault, "attention of a cache that is not open");
}

/* The head of an order for a layer, and its cache, in which the pages are copied; NULL: none is
 * open. */
static HeldCache *read_head(Server *s, OrderReading *r, HeadsOrder *head) {
    const void *bytes = order_read(r, 1, sizeof *head);
    if (!bytes) return NULL;
    memcpy(head, bytes, sizeof *head);
    HeldCache *c = held_cache(s, &head->order);
    if (!c || head->layer >= c->kv.config.layers) return NULL;
    order_copy_pages(r, head->copies, &c->kv.pages, 1);
    return c;
}

static bool read_groups(Server *s, HeldCache *c, OrderReading *r, size_t count) {
    if (!GROW(s->groups, s->groups_room, min_size(count, r->size))) return false;
    order_read_groups(r, count, s->groups, s->groups_room);
    c->kv.groups = (const size_t(*)[3])s->groups, c->kv.n_groups = r->ok ? count : 0;
    return true;
}

/* The length and the table of each sequence, as the first machine has them. */
static void read_sequences(HeldCache *c, OrderReading *r, size_t layer, size_t count) {
    KvCache *kv = &c->kv;
    for (size_t i = 0; r->ok && i < count; i++) {
        const HeadsSequence *q = order_read(r, 1, sizeof *q);
        const uint32_t(*changed)[2] = q ? order_read(r, q->changed, sizeof *changed) : NULL;
        if (!changed) return;
        r->ok = q->sequence < kv->config.sequences && q->length <= kv->config.ctx;
        if (!r->ok) return;
        const size_t at = q->sequence * kv->config.layers + layer;
        kv->length[q->sequence] = q->length, kv->source[q->sequence] = q->source;
        kv->gone[at] = (int32_t)q->gone;
        for (size_t k = 0; k < q->changed; k++) {
            r->ok = changed[k][0] < kv->table_size && changed[k][1] < kv->pages.count;
            if (!r->ok) return;
            kv->table[at * kv->table_size + changed[k][0]] = (int32_t)changed[k][1];
        }
    }
}

/* Store the rows' keys and values, and answer with the heads' outputs. */
static bool compute_heads(Server *s, HeldCache *c, size_t layer, const Batch *batch,
                          const int32_t (*places)[3], const float *x, Fault *fault) {
    LayerOrder *l = &c->layers[layer].order;
    Block block = {.attention = l->attention};
    BlockRun run = {.pool = s->pool};
    const Pass pass = {&run, &c->kv, layer, batch, 0};
    const AttentionShape *shape = &l->attention.shape;
    const size_t width = shape->heads * attention_value_dim(shape);
    l->rope.places = places;
    if (l->attention.rope) block.attention.rope = &l->rope;
    if (!grow_room(s, &block.attention, batch->count, fault)) return false;
    run.attention = s->room.run;
    attention_forward(&block, &pass, x, NULL);
    if (!answer_room(s, wire_bytes(s->half, batch->count, width), fault)) return false;
    wire_write(s->half, run.attention.mixed, batch->count, width,
               s->answer.bytes + sizeof(uint32_t));
    return true;
}

bool take_heads(Server *s, Fault *fault) {
    OrderReading r = begin_reading(s);
    HeadsOrder head;
    HeldCache *c = read_head(s, &r, &head);
    if (!c) return not_held(fault);
    const HeldLayer *layer = &c->layers[head.layer];
    const size_t rows = head.order.rows, back = layer->order.attention.kv_back;
    if (!read_groups(s, c, &r, head.groups))
        return fault_set(fault, "no memory for the groups of a batch");
    read_sequences(c, &r, head.layer - min_size(back, head.layer), head.sequences);
    Batch batch = {.count = rows};
    batch.sequence = order_read(&r, rows, sizeof(int32_t));
    batch.position = order_read(&r, rows, sizeof(int32_t));
    const int32_t(*places)[3] = layer->placed ? order_read(&r, rows, sizeof *places) : NULL;
    const void *bytes = order_read(&r, rows, wire_bytes(s->half, 1, head.order.in));
    if (!r.ok) return cut_off(fault);
    if (!layer->bytes) return true; /* no heads of this layer */
    if (head.order.in != layer->order.order.in || !rows_are_known(&c->kv, &batch))
        return cut_off(fault);
    const float *x = rows_of_order(s, bytes, rows, head.order.in);
    if (!x) return fault_set(fault, "no memory for the rows of an order");
    return compute_heads(s, c, head.layer, &batch, places, x, fault);
}

bool take_shift(Server *s, Fault *fault) {
    OrderReading r = begin_reading(s);
    HeadsOrder head;
    HeldCache *c = read_head(s, &r, &head);
    if (!c) return not_held(fault);
    const HeldLayer *layer = &c->layers[head.layer];
    const HeadsSequence *sequence = part_of(s, r.at, sizeof *sequence);
    read_sequences(c, &r, head.layer, 1);
    if (!r.ok) return cut_off(fault);
    if (!layer->bytes || !layer->order.attention.rope) return true;
    const Rope *rope = &layer->order.rope;
    const size_t key = c->kv.shape[head.layer].key_dim, half = rope->rotary / 2;
    if (!GROW(s->scratch, s->scratch_room, (key + 2 * half) * sizeof(float)))
        return fault_set(fault, "no memory for a key");
    float *numbers = (void *)s->scratch;
    const ShiftRope turn = {
        .rope = rope, .key = numbers, .cosine = numbers + key, .sine = numbers + key + half};
    shift_keys(&c->kv, head.layer, sequence->sequence, head.order.rows, head.order.in, &turn);
    return true;
}

/* ------------------------------------------------------------------ files of prefixes */

/* This machine's heads in a page that an order names: `size` bytes.  NULL with a fault. */
static unsigned char *page_of(Server *s, OrderReading *r, size_t *size, Fault *fault) {
    HeadsOrder head;
    HeldCache *c = read_head(s, r, &head);
    if (!c) return not_held(fault), NULL;
    const PagePool *pool = &c->kv.pages;
    const size_t heads = c->kv.shape[head.layer].kv_heads;
    if (!r->ok || head.order.rows >= pool->count || head.order.in > pool->page_bytes ||
        heads * head.order.in > pool->page_bytes)
        return cut_off(fault), NULL;
    *size = heads * head.order.in;
    return page_bytes(pool, (int32_t)head.order.rows);
}

bool give_page(Server *s, Fault *fault) {
    OrderReading r = begin_reading(s);
    size_t size;
    const unsigned char *page = page_of(s, &r, &size, fault);
    if (!page || !answer_room(s, size, fault)) return false;
    memcpy(s->answer.bytes + sizeof(uint32_t), page, size);
    return true;
}

bool take_page(Server *s, Fault *fault) {
    OrderReading r = begin_reading(s);
    size_t size;
    unsigned char *page = page_of(s, &r, &size, fault);
    if (!page) return false;
    const void *heads = order_read(&r, size, 1);
    if (!heads) return cut_off(fault);
    memcpy(page, heads, size);
    return true;
}
