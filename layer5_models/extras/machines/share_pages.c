/* share_pages.c - pages with the heads of all machines, for files of prefixes.  See heads.h and
 * prefix_file.h. */
#include "machines_parts.h"
#include "prefix_file.h"

#include <string.h>

static size_t heads_of_all(const KvCache *kv, size_t layer) {
    const SharedCache *c =
        machines_here ? (SharedCache *)session_with(machines_here, kv->pages.bytes) : NULL;
    const size_t own = kv->shape[layer].kv_heads;
    return c && own && layer < c->session.model->sizes.layers
               ? c->session.model->layers[layer].kv_heads
               : own;
}

/* One page, for all members with heads of the model; the next order has no copies before it. */
static bool write_order(Machines *m, SharedCache *c, OrderKind kind, size_t layer, int32_t page,
                        size_t each, Fault *fault) {
    const HeadsOrder head = {.order = {kind, c->session.id, (uint64_t)page, each},
                             .layer = (uint32_t)layer,
                             .copies = (uint32_t)c->session.n_copies};
    m->order.size = 0;
    return message_add(&m->order, &head, sizeof head, fault) &&
           message_add(&m->order, c->session.copies,
                       c->session.n_copies * sizeof *c->session.copies, fault);
}

/* A member's heads of the whole page. */
static unsigned char *heads_in(const Machines *m, size_t all, int member, size_t each,
                               const void *whole, size_t *size) {
    *size = heads_count(m->bounds, member, all) * each;
    return (unsigned char *)(uintptr_t)whole + heads_begin(m->bounds, member, all) * each;
}

static bool gather(Machines *m, SharedCache *c, size_t all, size_t each, void *whole,
                   Fault *fault) {
    size_t size;
    for (int i = 1; i < m->config.group->size; i++)
        if (heads_any(m->bounds, i, c->session.model) && !send_order(m, i, fault)) return false;
    for (int i = 1; i < m->config.group->size; i++) {
        unsigned char *to = heads_in(m, all, i, each, whole, &size);
        if (!heads_any(m->bounds, i, c->session.model)) continue;
        if (!take_answer(m, i, size, fault)) return false;
        memcpy(to, m->answer.bytes + sizeof(uint32_t), size);
    }
    return true;
}

static bool spread(Machines *m, SharedCache *c, size_t all, size_t each, const void *whole,
                   Fault *fault) {
    const size_t head = m->order.size;
    size_t size;
    for (int i = 1; i < m->config.group->size; i++) {
        const unsigned char *from = heads_in(m, all, i, each, whole, &size);
        if (!heads_any(m->bounds, i, c->session.model)) continue;
        m->order.size = head;
        if (!message_add(&m->order, from, size, fault) || !send_order(m, i, fault) ||
            !take_answer(m, i, 0, fault))
            return false;
    }
    return true;
}

/* Move a page in one direction; this machine's own heads come first in it. */
static void move_page(KvCache *kv, OrderKind kind, size_t layer, int32_t page, size_t each,
                      void *whole) {
    Machines *m = machines_here;
    Fault fault;
    const size_t all = heads_of_all(kv, layer), own = kv->shape[layer].kv_heads * each;
    unsigned char *mine = page_bytes(&kv->pages, page);
    pthread_mutex_lock(&m->lock);
    SharedCache *c = (SharedCache *)session_with(m, kv->pages.bytes);
    bool ok = (c->session.opened || open_cache(m, c, kv, &fault)) &&
              write_order(m, c, kind, layer, page, each, &fault);
    if (kind == ORDER_PAGE_OUT)
        ok = ok && gather(m, c, all, each, whole, &fault), memcpy(whole, mine, own);
    else
        ok = ok && spread(m, c, all, each, whole, &fault), memcpy(mine, whole, own);
    c->session.n_copies = 0;
    pthread_mutex_unlock(&m->lock);
    if (!ok) give_up(m, &fault);
}

static void read_page(const KvCache *kv, size_t layer, int32_t page, size_t each, void *whole) {
    move_page((KvCache *)(uintptr_t)kv, ORDER_PAGE_OUT, layer, page, each, whole);
}

static void write_page(KvCache *kv, size_t layer, int32_t page, size_t each,
                       const void *whole) {
    move_page(kv, ORDER_PAGE_IN, layer, page, each, (void *)(uintptr_t)whole);
}

static const PrefixElsewhere all_heads = {heads_of_all, read_page, write_page};

void pages_open(void) { prefix_elsewhere = &all_heads; }

void pages_close(void) { prefix_elsewhere = NULL; }
