/* held_layers.c - see held_layers.h. */
#include "held_layers.h"
#include "decoder_parts.h"
#include "shift.h"
#include "size.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ classes */

static bool is_alike(const KvShape *a, const KvShape *b) {
    return a->kv_heads && b->kv_heads && a->window == b->window;
}

/* How many classes share the layers like layer l, so that none is larger than the full
 * layers'. */
static size_t parts_of_kind(const KvShape *shapes, size_t layers, size_t l) {
    size_t alike = 0, full = 0;
    for (size_t k = 0; k < layers; k++) {
        alike += is_alike(&shapes[k], &shapes[l]);
        full += shapes[k].kv_heads && !shapes[k].window;
    }
    return full ? div_up(alike, full) : 1;
}

bool classes_open(LayerClasses *c, const KvShape *shapes, size_t layers) {
    *c = (LayerClasses){.layers = layers,
                        .shapes = malloc(layers * sizeof *shapes),
                        .of = malloc(layers * sizeof *c->of)};
    if (!c->shapes || !c->of) return classes_close(c), false;
    memcpy(c->shapes, shapes, layers * sizeof *shapes);
    for (size_t l = 0; l < layers; l++) {
        size_t like = l, parts = parts_of_kind(shapes, layers, l);
        c->of[l] = -1;
        if (!shapes[l].kv_heads) continue;
        while (like > 0 && parts > 0) parts -= is_alike(&shapes[--like], &shapes[l]);
        c->of[l] = parts ? (int32_t)c->count++ : c->of[like];
    }
    return true;
}

void classes_close(LayerClasses *c) {
    free(c->shapes), free(c->of);
    *c = (LayerClasses){0};
}

size_t held_block(const Model *m, size_t kv_layer) {
    const size_t layers = m->sizes.layers;
    for (size_t l = 0; l < layers && kv_layer >= layers; l++) {
        const BlockExtras *e = m->blocks[l].extras;
        if (e && e->mla.index.heads && e->mla.index.layer == kv_layer) return l;
    }
    return kv_layer;
}

/* ------------------------------------------------------------------ memory */

static bool is_own(const HeldLayers *t, size_t kv_layer) {
    const size_t block = held_block(t->model, kv_layer);
    return block >= t->first && block < t->end;
}

/* Which page of a number is a layer's; the largest class decides how many a number has. */
static size_t find_places(const HeldLayers *t, const int32_t *class_of, size_t layers,
                          int32_t *place) {
    size_t stripe = 0;
    for (size_t l = 0; l < layers; l++) {
        size_t before = 0;
        if (class_of[l] < 0 || !is_own(t, l)) continue;
        for (size_t k = 0; k < l; k++) before += class_of[k] == class_of[l] && is_own(t, k);
        if (place) place[l] = (int32_t)before;
        stripe = max_size(stripe, before + 1);
    }
    return stripe;
}

static void lay_out(HeldLayers *t, Pool *pool, const KvConfig *config,
                    const LayersOrder *order) {
    const Model *m = t->model;
    const BlockPlan plan = {.pool = pool,
                            .blocks = m->blocks + t->first,
                            .count = t->end - t->first,
                            .dim = m->sizes.dim,
                            .rows = order->order.rows,
                            .ctx = order->ctx,
                            .arena = &t->arena};
    kv_init(&t->kv, config, &t->arena);
    block_run_init(&t->run, &plan);
    t->class_of = arena_take(&t->arena, config->layers, sizeof *t->class_of);
    t->place = arena_take(&t->arena, config->layers, sizeof *t->place);
    t->x = arena_take(&t->arena, t->rows * t->width, sizeof *t->x);
    t->key = arena_take(&t->arena, m->sizes.key, sizeof *t->key);
    t->groups = arena_take(&t->arena, t->rows, sizeof *t->groups);
}

bool held_open(HeldLayers *t, const Model *m, Pool *pool, const LayersOrder *order,
               const KvShape *shapes, const int32_t *class_of, Fault *fault) {
    KvShape own[2 * MODEL_LAYERS] = {{0}};
    *t = (HeldLayers){.model = m,
                      .first = order->first,
                      .end = order->end,
                      .is_long = order->is_long,
                      .rows = order->order.rows,
                      .width = order->order.in};
    for (size_t l = 0; l < order->layers; l++) {
        if (is_own(t, l)) own[l] = shapes[l];
        if (class_of[l] >= (int32_t)t->classes) t->classes = (size_t)class_of[l] + 1;
    }
    t->stripe = find_places(t, class_of, order->layers, NULL);
    const KvConfig config = {.shapes = own,
                             .layers = order->layers,
                             .dtype = (Dtype)order->dtype,
                             .hadamard = order->hadamard,
                             .sequences = order->sequences,
                             .ctx = order->ctx,
                             .batch = order->batch,
                             .budget = order->pages * t->stripe,
                             .prefixes = order->prefixes,
                             .rewind = order->rewind};
    arena_measure(&t->arena);
    lay_out(t, pool, &config, order);
    if (!arena_init(&t->arena, t->arena.used, fault)) return *t = (HeldLayers){0}, false;
    lay_out(t, pool, &config, order);
    memcpy(t->class_of, class_of, order->layers * sizeof *class_of);
    find_places(t, class_of, order->layers, t->place);
    return true;
}

void held_close(HeldLayers *t) {
    arena_free(&t->arena);
    *t = (HeldLayers){0};
}

/* ------------------------------------------------------------------ orders */

static size_t numbers_of_pages(const HeldLayers *t) {
    return t->stripe ? t->kv.pages.count / t->stripe : 0;
}

/* Entry `entry` of a class's tables is now page `page`, in each of its layers another one. */
static void set_entry(HeldLayers *t, size_t sequence, const uint32_t changed[3]) {
    const size_t layers = t->kv.config.layers;
    for (size_t l = 0; l < layers; l++)
        if (t->class_of[l] == (int32_t)changed[0] && t->kv.shape[l].kv_heads)
            t->kv.table[(sequence * layers + l) * t->kv.table_size + changed[1]] =
                (int32_t)(changed[2] * t->stripe) + t->place[l];
}

static void set_gone(HeldLayers *t, size_t sequence, const int32_t *gone) {
    for (size_t l = 0; l < t->kv.config.layers; l++)
        if (t->class_of[l] >= 0)
            t->kv.gone[sequence * t->kv.config.layers + l] = gone[t->class_of[l]];
}

static void set_snapshots(HeldLayers *t, const PassSequence *q, const uint32_t (*list)[2]) {
    Snapshots *s = &t->kv.states_of[q->sequence];
    for (size_t i = 0; i < q->snapshots; i++)
        s->list[i] = (Snapshot){list[i][0], (int32_t)list[i][1]};
    s->count = q->snapshots, s->base = q->base;
}

static bool are_snapshots(const HeldLayers *t, const PassSequence *q,
                          const uint32_t (*list)[2]) {
    bool ok = q->snapshots <= t->kv.snapshots;
    for (size_t i = 0; ok && i < q->snapshots; i++) ok = list[i][1] < t->kv.states.count;
    return ok;
}

/* Returns its number. */
static size_t read_sequence(HeldLayers *t, OrderReading *r) {
    KvCache *kv = &t->kv;
    const PassSequence *q = order_read(r, 1, sizeof *q);
    const int32_t *gone = order_read(r, t->classes, sizeof *gone);
    const uint32_t(*changed)[3] = q ? order_read(r, q->changed, sizeof *changed) : NULL;
    const uint32_t(*list)[2] = changed ? order_read(r, q->snapshots, sizeof *list) : NULL;
    r->ok = r->ok && q->sequence < kv->config.sequences && q->length <= kv->config.ctx &&
            (!kv->snapshots || are_snapshots(t, q, list));
    for (size_t i = 0; r->ok && i < q->changed; i++)
        r->ok = changed[i][1] < kv->table_size &&
                (!t->stripe || changed[i][2] < numbers_of_pages(t));
    if (!r->ok) return 0;
    kv->length[q->sequence] = q->length, kv->source[q->sequence] = q->source;
    set_gone(t, q->sequence, gone);
    for (size_t i = 0; i < q->changed; i++) set_entry(t, q->sequence, changed[i]);
    if (kv->snapshots) set_snapshots(t, q, list);
    return q->sequence;
}

/* What comes before the rows; `last` is its last sequence. */
static const PassOrder *read_tables(HeldLayers *t, OrderReading *r, size_t *last) {
    const PassOrder *head = order_read(r, 1, sizeof *head);
    if (!head) return NULL;
    order_copy_pages(r, head->copies, &t->kv.pages, t->stripe);
    order_read_groups(r, head->groups, t->groups, t->rows);
    t->kv.groups = (const size_t(*)[3])t->groups, t->kv.n_groups = r->ok ? head->groups : 0;
    for (size_t i = 0; r->ok && i < head->sequences; i++) *last = read_sequence(t, r);
    return r->ok ? head : NULL;
}

bool held_read(HeldLayers *t, const unsigned char *bytes, size_t size, PassRows *rows) {
    OrderReading r = {bytes, size, 0, true};
    size_t last;
    const PassOrder *head = read_tables(t, &r, &last);
    if (!head) return false;
    const size_t count = head->order.rows;
    *rows = (PassRows){.batch.count = count};
    rows->batch.sequence = order_read(&r, count, sizeof(int32_t));
    rows->batch.position = order_read(&r, count, sizeof(int32_t));
    rows->places = head->placed ? order_read(&r, count, sizeof *rows->places) : NULL;
    rows->x_at = r.at;
    return r.ok && count <= t->rows && head->order.in == t->width &&
           rows_are_known(&t->kv, &rows->batch);
}

/* ------------------------------------------------------------------ layers */

void held_forward(HeldLayers *t, const PassRows *rows, float *x) {
    const Model *m = t->model;
    Rope placed = m->ropes[0];
    placed.places = rows->places;
    const size_t groups = t->kv.n_groups;
    for (size_t l = t->first; l < t->end; l++) {
        const Pass pass = {&t->run, &t->kv, l, &rows->batch, m->sizes.dim};
        Block block = m->blocks[l];
        block.attention.rope = layer_rope(m, l, t->is_long, rows->places ? &placed : NULL);
        t->kv.n_groups = layer_groups(m, l, groups);
        block_forward(&block, &pass, x);
    }
}

bool held_turn(HeldLayers *t, const unsigned char *bytes, size_t size) {
    OrderReading r = {bytes, size, 0, true};
    size_t sequence;
    const PassOrder *head = read_tables(t, &r, &sequence);
    if (!head || head->sequences != 1) return false;
    for (size_t l = t->first; l < t->end; l++) {
        const Rope *rope = layer_rope(t->model, l, t->is_long, NULL);
        const ShiftRope turn =
            shift_rope(&t->model->blocks[l], rope, &t->kv.shape[l], &t->run, t->key);
        shift_keys(&t->kv, l, sequence, head->order.rows, head->order.in, &turn);
    }
    return true;
}
