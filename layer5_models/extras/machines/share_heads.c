/* share_heads.c - the first machine's attention: its own heads, and those of the others.  See
 * heads.h. */
#include "linear.h"
#include "machines_parts.h"
#include "shift.h"

#include <stdlib.h>
#include <string.h>

static PartKind shared_attention;

/* ------------------------------------------------------------------ caches */

void heads_drop(SharedCache *c) {
    free(c->sent), free(c->said);
    *c = (SharedCache){0};
}

static bool is_known(const void *machines, const Tensor *w) {
    SharedProduct product;
    return describe_matrix(machines, w, &product);
}

bool heads_share(Machines *m, SharedCache *c, KvShape *shapes, size_t layers) {
    if (!heads_of_model(c->session.model, is_known, m)) return false;
    for (size_t l = 0; l < layers; l++)
        if (shapes[l].kv_heads)
            shapes[l].kv_heads = heads_count(m->bounds, 0, shapes[l].kv_heads);
    if (c->session.begin) heads_set_part(c->session.model, &shared_attention);
    return true;
}

/* A cache of a member's heads. */
static bool send_cache(Machines *m, const SharedCache *cache, const KvCache *kv, int member,
                       Fault *fault) {
    const KvConfig *c = &kv->config;
    CacheOrder order = {.order = {.kind = ORDER_CACHE, .count = cache->session.id},
                        .pages = kv->pages.count,
                        .layers = c->layers,
                        .sequences = c->sequences,
                        .ctx = c->ctx,
                        .batch = c->batch,
                        .dtype = c->dtype,
                        .hadamard = c->hadamard};
    m->order.size = 0;
    bool ok = message_add(&m->order, &order, sizeof order, fault);
    for (size_t l = 0; ok && l < c->layers; l++) {
        KvShape shape = kv->shape[l];
        if (l >= cache->session.model->sizes.layers)
            shape.kv_heads = 0; /* the first machine's alone */
        else if (shape.kv_heads)
            shape.kv_heads =
                heads_count(m->bounds, member, cache->session.model->layers[l].kv_heads);
        shape.state = 0;
        ok = message_add(&m->order, &shape, sizeof shape, fault);
    }
    return ok && send_order(m, member, fault) && take_answer(m, member, 0, fault);
}

bool open_cache(Machines *m, SharedCache *c, KvCache *kv, Fault *fault) {
    const size_t entries = kv->config.sequences * kv->config.layers * kv->table_size;
    c->sent = malloc(entries * sizeof *c->sent);
    c->said = calloc(kv->config.layers, sizeof *c->said);
    if (!c->sent || !c->said)
        return fault_set(fault, "no memory for the pages of several machines");
    memset(c->sent, 0xff, entries * sizeof *c->sent);
    for (int i = 1; i < m->config.group->size; i++)
        if (heads_any(m->bounds, i, c->session.model) && !send_cache(m, c, kv, i, fault))
            return false;
    kv->pages.copied = note_copy;
    return c->session.opened = true;
}

/* ------------------------------------------------------------------ attention */

static bool send_layer(Machines *m, const SharedCache *c, const Attention *a, size_t layer,
                       int member, Fault *fault) {
    const size_t kv_heads = a->shape.kv_heads, count = heads_count(m->bounds, member, kv_heads);
    Attention part = heads_part(a, heads_begin(m->bounds, member, kv_heads), count);
    LayerOrder order = {.order = {ORDER_LAYER, c->session.id, layer, a->q.w.shape[1]}};
    if (count == 0) return true;
    for (int i = 0; i < HEAD_MAPS; i++) {
        const Tensor *w = &heads_map(&part, i)->w;
        REQUIRE(!w->data || describe_matrix(m, w, &order.maps[i]), "a matrix that is not lent");
    }
    for (int i = 0; i < HEAD_MAPS; i++)
        if (heads_map(&part, i)->w.data &&
            !send_matrix(m, &order.maps[i], member, a->q.w.shape[1], fault))
            return false;
    m->order.size = 0;
    return heads_write_layer(&m->order, &order, &part, fault) && send_order(m, member, fault) &&
           take_answer(m, member, 0, fault);
}

/* Describe a layer's attention, if the others do not know it as it is. */
static bool say_layer(Machines *m, const SharedCache *c, const Attention *a, size_t layer,
                      Fault *fault) {
    if (memcmp(&c->said[layer], a, sizeof *a) == 0) return true;
    for (int i = 1; i < m->config.group->size; i++)
        if (!send_layer(m, c, a, layer, i, fault)) return false;
    memcpy(&c->said[layer], a, sizeof *a);
    return true;
}

static bool send_rows(Machines *m, SharedCache *c, const Attention *a, const Pass *p,
                      const float *x, Fault *fault) {
    const HeadsOrder order = {.order.count = c->session.id,
                              .copies = (uint32_t)c->session.n_copies};
    m->order.size = 0;
    if (!heads_write_order(&m->order, &order, a, p, (const void *)c->session.copies, c->sent, x,
                           m->config.half, fault))
        return false;
    c->session.n_copies = 0;
    for (int i = 1; i < m->config.group->size; i++)
        if (heads_any(m->bounds, i, c->session.model) && !send_order(m, i, fault)) return false;
    return true;
}

/* This machine's heads: mixed (rows, own heads). */
static bool compute_own(Machines *m, const Block *b, const Pass *p, const float *x,
                        Fault *fault) {
    Block own = *b;
    const size_t count = heads_count(m->bounds, 0, b->attention.shape.kv_heads);
    const ShareJob job = {.pool = p->run->pool,
                          .files = m->files,
                          .pack = m->config.pack,
                          .in = b->attention.q.w.shape[1]};
    own.attention = heads_part(&b->attention, 0, count);
    for (int i = 0; i < HEAD_MAPS; i++) {
        Linear *map = heads_map(&own.attention, i);
        SharedProduct product;
        if (!map->w.data) continue;
        m->count.products++;
        REQUIRE(describe_matrix(m, &map->w, &product), "a matrix that is not lent");
        if (!share_matrix(&job, &product, 0, product.out, &map->w, &map->packed, fault))
            return false;
    }
    heads_alone(true);
    attention_forward(&own, p, x, NULL);
    heads_alone(false);
    return true;
}

/* Own heads: rows of `width`, one behind another, become the first columns of rows of `all`;
 * from the last row on, because both are in `mixed`. */
static void place_own(float *mixed, size_t rows, size_t all, size_t width) {
    for (size_t i = rows; i-- > 0;)
        memmove(mixed + i * all, mixed + i * width, width * sizeof *mixed);
}

/* A member's answer (rows, width): columns of rows of `all`, from `to` on. */
static void place_answer(const Machines *m, float *to, size_t rows, size_t all, size_t width) {
    const unsigned char *from = m->answer.bytes + sizeof(uint32_t);
    const size_t size = wire_bytes(m->config.half, 1, width);
    for (size_t i = 0; i < rows; i++)
        wire_read(m->config.half, from + i * size, 1, width, to + i * all);
}

/* Take the others' heads. */
static bool take_others(Machines *m, const SharedCache *c, const AttentionShape *s, size_t n,
                        float *mixed, Fault *fault) {
    const size_t all = s->heads * attention_value_dim(s), each = all / s->kv_heads,
                 own = heads_count(m->bounds, 0, s->kv_heads);
    bool ok = true;
    place_own(mixed, n, all, own * each);
    for (int i = 1; ok && i < m->config.group->size; i++) {
        const size_t count = heads_count(m->bounds, i, s->kv_heads), width = count * each;
        if (!heads_any(m->bounds, i, c->session.model)) continue;
        ok = take_answer(m, i, wire_bytes(m->config.half, n, width), fault);
        if (ok)
            place_answer(m, mixed + heads_begin(m->bounds, i, s->kv_heads) * each, n, all,
                         width);
    }
    return ok;
}

static bool run_heads(Machines *m, const Block *b, const Pass *p, const float *x,
                      Fault *fault) {
    const Attention *a = &b->attention;
    SharedCache *c = (SharedCache *)session_with(m, p->kv->pages.bytes);
    REQUIRE(c && !p->run->probe, "a cache of few heads without the others");
    if ((!c->session.opened && !open_cache(m, c, p->kv, fault)) ||
        !say_layer(m, c, a, p->layer, fault) || !send_rows(m, c, a, p, x, fault))
        return false;
    return compute_own(m, b, p, x, fault) &&
           take_others(m, c, &a->shape, p->batch->count, p->run->attention.mixed, fault);
}

/* shared_attention's forward. */
static void forward_shared(const Block *b, const Pass *p, const float *x, float *out) {
    const Attention *a = &b->attention;
    const size_t n = p->batch->count;
    AttentionRun *run = &p->run->attention;
    Machines *m = machines_here;
    Fault fault;
    if (p->kv->shape[p->layer - a->kv_back].kv_heads == a->shape.kv_heads) {
        attention_forward(b, p, x, out);
        return;
    }
    REQUIRE(m, "a cache of few heads, and no other machines");
    pthread_mutex_lock(&m->lock);
    bool ok = run_heads(m, b, p, x, &fault);
    pthread_mutex_unlock(&m->lock);
    if (!ok) give_up(m, &fault);
    if (a->sub_norm.kind)
        norm_apply_rows(p->run->pool, &a->sub_norm, run->mixed, run->mixed, n,
                        a->shape.heads * attention_value_dim(&a->shape));
    linear(p->run->pool, &a->o, run->mixed, n, out, run->scratch);
}

static bool send_shift(Machines *m, SharedCache *c, const KvCache *kv, size_t layer,
                       size_t sequence, HeadsOrder order, Fault *fault) {
    order.order.count = c->session.id, order.copies = (uint32_t)c->session.n_copies;
    m->order.size = 0;
    if (!heads_write_shift(&m->order, &order, kv, layer, sequence,
                           (const void *)c->session.copies, c->sent, fault))
        return false;
    c->session.n_copies = 0;
    for (int i = 1; i < m->config.group->size; i++)
        if (heads_any(m->bounds, i, c->session.model) &&
            (!send_order(m, i, fault) || !take_answer(m, i, 0, fault)))
            return false;
    return true;
}

/* The hook of shift.h. */
static void shift_others(const KvCache *kv, size_t layer, size_t sequence, size_t first,
                         size_t by) {
    Machines *m = machines_here;
    Fault fault;
    if (heads_are_alone()) return;
    pthread_mutex_lock(&m->lock);
    SharedCache *c = (SharedCache *)session_with(m, kv->pages.bytes);
    bool ok = !c || !c->session.opened ||
              send_shift(m, c, kv, layer, sequence,
                         (HeadsOrder){.order = {.rows = first, .in = by}}, &fault);
    pthread_mutex_unlock(&m->lock);
    if (!ok) give_up(m, &fault);
}

/* ------------------------------------------------------------------ begin and end */

void heads_open(void) {
    shared_attention = attention_part;
    shared_attention.forward = forward_shared;
    shift_elsewhere = shift_others;
    pages_open();
}

void heads_close(void) {
    shift_elsewhere = NULL;
    pages_close();
}
