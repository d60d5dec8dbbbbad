/* page_map.c - GET /strata/pages: which sequence and which prefix holds each page of the KV
 * cache, in the first layer that has pages.
 *
 *     {"layer": 0, "layers": 4, "page_tokens": 64, "pages": 128, "free": 120,
 *      "sequences": [{"answer": 3, "slot": 0, "length": 130, "pages": [[12, 2], [13, 1], ...]},
 *                    ...],
 *      "prefixes": [{"page": 12, "references": 2, "first": 0, "children": 1}, ...],
 *      "more": 0}
 *
 * A sequence's page is [number, references], in the order of its positions; [-1, 0] where a
 * window has released it.  `more` prefixes are not listed: the worker writes this between two
 * steps, so it must be short. */
#include "request.h"

#include <stdlib.h>

enum { SHOWN_PREFIXES = 512 };

typedef struct PageMap {
    Server *server;
    FILE *out;
} PageMap;

static void put_sequence(FILE *out, const Answer *a, const Slot *slot, size_t at, size_t layer,
                         const char *between) {
    const KvCache *kv = &slot->session->kv;
    const int32_t *table = kv->table + (slot->id * kv->config.layers + layer) * kv->table_size;
    const size_t length = session_length(slot->session, slot->id);
    fprintf(out, "%s{\"answer\":%llu,\"slot\":%zu,\"length\":%zu,\"pages\":[", between,
            (unsigned long long)a->id, at, length);
    for (size_t i = 0; i * KV_PAGE < length; i++) {
        const bool gone = (int32_t)i < kv->gone[slot->id * kv->config.layers + layer];
        fprintf(out, "%s[%d,%d]", i ? "," : "", gone ? -1 : table[i],
                gone ? 0 : kv->pages.refcount[table[i]]);
    }
    fputs("]}", out);
}

static void put_sequences(FILE *out, const Server *s, size_t layer) {
    const char *between = "";
    for (size_t i = 0; i < s->n_live; i++) {
        const Answer *a = s->live[i];
        const Sequence *q = a->request.sequence;
        if (!q || a->request.state != REQUEST_RUNNING) continue;
        for (size_t k = 0; k < q->n_slots; k++) {
            if (q->slot[k].session != &s->loaded.session) continue;
            put_sequence(out, a, &q->slot[k], k, layer, between);
            between = ",";
        }
    }
}

/* Pages before this one in its chain. */
static size_t prefix_depth(const KvCache *kv, const Prefix *p) {
    size_t depth = 0;
    for (; p->parent >= 0; p = &kv->prefix[p->parent]) depth++;
    return depth;
}

/* The first SHOWN_PREFIXES; returns how many more there are. */
static size_t put_prefixes(FILE *out, const KvCache *kv, size_t layer) {
    size_t n = 0;
    for (size_t i = 0; i < kv->config.prefixes; i++) {
        const Prefix *p = &kv->prefix[i];
        if (!p->kept || p->page[layer] < 0 || n++ >= SHOWN_PREFIXES) continue;
        fprintf(out, "%s{\"page\":%d,\"references\":%d,\"first\":%zu,\"children\":%d}",
                n > 1 ? "," : "", p->page[layer], kv->pages.refcount[p->page[layer]],
                prefix_depth(kv, p) * KV_PAGE, p->children);
    }
    return n > SHOWN_PREFIXES ? n - SHOWN_PREFIXES : 0;
}

/* A Task of the worker, to whom the cache belongs. */
static bool write_map(Session *session, void *context, Fault *fault) {
    const PageMap *map = context;
    const KvCache *kv = &map->server->loaded.session.kv;
    size_t layer = 0, layers = 0;
    (void)session, (void)fault;
    while (layer < kv->config.layers && !kv->shape[layer].kv_heads) layer++;
    for (size_t l = 0; l < kv->config.layers; l++) layers += kv->shape[l].kv_heads > 0;
    fprintf(map->out,
            "{\"layer\":%zu,\"layers\":%zu,\"page_tokens\":%d,\"pages\":%zu,\"free\":%zu,"
            "\"sequences\":[",
            layer, layers, KV_PAGE, layers ? kv->pages.count / layers : 0,
            layers ? kv->pages.free_count / layers : 0);
    if (layers) put_sequences(map->out, map->server, layer);
    fputs("],\"prefixes\":[", map->out);
    const size_t more = layers ? put_prefixes(map->out, kv, layer) : 0;
    fprintf(map->out, "],\"more\":%zu}", more);
    return true;
}

void handle_pages(const HttpRequest *request, Reply *reply) {
    PageMap map = {request->server, reply_begin(reply)};
    Task task = {.run = write_map, .context = &map, .peeks = true};
    HttpError error;
    if (!map.out) return;
    const bool ok = worker_run(map.server, &task, &error.fault);
    reply_end(reply, map.out);
    if (ok) return;
    reply_free(reply);
    http_error_fault(&error, 503, NULL);
    reply_error(reply, &error);
}
