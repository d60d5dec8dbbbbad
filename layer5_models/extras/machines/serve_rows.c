/* serve_rows.c - the other machines: they answer with their rows.  See machines.h. */
#include "grow.h"
#include "linear.h"
#include "serve_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const void *part_of(const Server *s, size_t at, size_t size) {
    return at <= s->order.size && size <= s->order.size - at ? s->order.bytes + at : NULL;
}

bool cut_off(Fault *fault) { return fault_set(fault, "an order that is cut off"); }

static bool take_hello(Server *s, Fault *fault) {
    Hello hello;
    size_t bounds = ((size_t)s->group->size + 1) * sizeof *s->bounds;
    if (!part_of(s, sizeof hello, bounds)) return cut_off(fault);
    memcpy(&hello, s->order.bytes, sizeof hello);
    memcpy(s->bounds, s->order.bytes + sizeof hello, bounds);
    hello.version[VERSION_ROOM - 1] = hello.isa[ISA_ROOM - 1] = 0;
    if (strcmp(hello.version, s->version) != 0)
        return fault_set(fault, "this is version %s, the first machine's is %s", s->version,
                         hello.version);
    if (!kernels_select(hello.isa, fault))
        return fault_prefix(fault, "the first machine's instruction set");
    pool_close(s->pool);
    s->pack = hello.pack, s->seconds = hello.seconds;
    s->pool = pool_open(hello.threads, false, fault);
    return s->pool != NULL;
}

static void close_file(Server *s, uint32_t f) {
    if (f >= SHARED_FILES || !s->opened[f].open) return;
    drop_model(&s->opened[f]);
    shared_file_close(&s->files[f]);
    gguf_close(&s->opened[f].file, &s->opened[f].gguf);
    s->opened[f].open = false;
}

static bool same_file(const Opened *o, const Opening *opening, const char *path, Fault *fault) {
    if (o->file.bytes != opening->size)
        return fault_set(fault, "%.300s has %zu bytes here, %zu on the first machine", path,
                         o->file.bytes, (size_t)opening->size);
    return order_sample(&o->file, &o->gguf) == opening->sample ||
           fault_set(fault, "%.300s is another file here than on the first machine", path);
}

static bool open_file(Server *s, Fault *fault) {
    Opening opening;
    if (!part_of(s, 0, sizeof opening)) return cut_off(fault);
    memcpy(&opening, s->order.bytes, sizeof opening);
    const char *path = part_of(s, sizeof opening, opening.path_size + 1);
    if (!path || path[opening.path_size] || opening.file >= SHARED_FILES) return cut_off(fault);
    close_file(s, opening.file);
    Opened *o = &s->opened[opening.file];
    *o = (Opened){.path = strdup(path)};
    if (!o->path) return fault_set(fault, "no memory for a model's path");
    if (!gguf_open(&o->file, &o->gguf, path, fault)) return free(o->path), false;
    o->open = true;
    if (same_file(o, &opening, path, fault) &&
        shared_file_open(&s->files[opening.file], &o->gguf, fault))
        return true;
    gguf_close(&o->file, &o->gguf), free(o->path);
    return o->open = false;
}

bool answer_room(Server *s, size_t size, Fault *fault) {
    uint32_t fine = 0;
    s->answer.size = sizeof fine + size;
    if (!GROW(s->answer.bytes, s->answer.room, s->answer.size))
        return fault_set(fault, "no memory for an answer of %zu bytes", size);
    memcpy(s->answer.bytes, &fine, sizeof fine);
    return true;
}

bool is_open(const Server *s, const SharedProduct *p) {
    return p->file < SHARED_FILES && s->opened[p->file].open &&
           p->tensor < s->opened[p->file].gguf.n_tensors;
}

static bool take_products(Server *s, const Order *order, Fault *fault) {
    size_t list = order->count * sizeof(SharedProduct),
           x = order->rows * order->in * sizeof(float);
    const SharedProduct *products = part_of(s, sizeof *order, list);
    if (!products || !part_of(s, sizeof *order + list, x) || order->count > LINEAR_PRODUCTS)
        return cut_off(fault);
    for (size_t i = 0; i < order->count; i++) {
        const SharedProduct *p = &products[i];
        if (!is_open(s, p) || p->first + p->n > order->rows)
            return fault_set(fault, "a product with a matrix that is not open");
    }
    if (!GROW(s->scratch, s->scratch_room, linear_scratch_bytes(order->rows, order->in)))
        return fault_set(fault, "no memory for a product of %zu rows", (size_t)order->rows);
    ShareJob job = {s->pool,      s->files,
                    s->bounds,    s->group->rank,
                    s->pack,      products,
                    order->count, order->rows,
                    order->in,    (const void *)(s->order.bytes + sizeof *order + list),
                    s->scratch};
    return answer_room(s, share_numbers(&job, job.member) * sizeof(float), fault) &&
           share_compute(&job, (void *)(s->answer.bytes + sizeof(uint32_t)), fault);
}

static bool take_order(Server *s, const Order *order, Fault *fault) {
    if (!answer_room(s, 0, fault)) return false;
    switch (order->kind) {
    case ORDER_HELLO: return take_hello(s, fault);
    case ORDER_OPEN: return open_file(s, fault);
    case ORDER_PRODUCTS: return take_products(s, order, fault);
    case ORDER_CACHE: return take_cache(s, fault);
    case ORDER_LAYER: return take_layer(s, fault);
    case ORDER_HEADS: return take_heads(s, fault);
    case ORDER_SHIFT: return take_shift(s, fault);
    case ORDER_PAGE_OUT: return give_page(s, fault);
    case ORDER_PAGE_IN: return take_page(s, fault);
    case ORDER_LAYERS: return take_layers(s, fault);
    case ORDER_PACK: return take_pack(s, order, fault);
    case ORDER_PASS: return take_pass(s, order, fault);
    case ORDER_TURN: return take_turn(s, order, fault);
    default: return fault_set(fault, "order %u is unknown", order->kind);
    }
}

/* Why not, as an answer. */
static void refuse(Server *s, const Fault *why) {
    uint32_t failed = 1;
    size_t size = strlen(why->text);
    if (!answer_room(s, size, NULL)) return;
    memcpy(s->answer.bytes, &failed, sizeof failed);
    memcpy(s->answer.bytes + sizeof failed, why->text, size);
}

/* Orders until the end. */
static bool serve(Server *s, Fault *fault) {
    for (Order order;;) {
        if (!group_receive(s->group, 0, &s->order, s->seconds + s->patience, fault))
            return false;
        if (s->order.size < sizeof order) return cut_off(fault);
        memcpy(&order, s->order.bytes, sizeof order);
        if (order.kind == ORDER_END) return true;
        if (order.kind == ORDER_CLOSE) close_file(s, order.count);
        if (order.kind == ORDER_DROP) drop_held(s, order.count), drop_layers(s, order.count);
        if (order.kind == ORDER_CLOSE || order.kind == ORDER_DROP || order.kind == ORDER_PULSE)
            continue;
        Fault why;
        s->patience = 0;
        if (!take_order(s, &order, &why)) refuse(s, &why);
        if (!group_send(s->group, 0, s->answer.bytes, s->answer.size, s->seconds, fault))
            return false;
    }
}

bool machines_serve(Group *group, const char *version, Fault *fault) {
    Server *s = calloc(1, sizeof *s);
    if (!s) return fault_set(fault, "no memory to serve rows");
    s->group = group, s->version = version, s->seconds = INFINITY;
    heads_alone(true);
    bool ok = serve(s, fault);
    heads_alone(false);
    for (uint32_t c = 0; c < SHARED_CACHES; c++) drop_held(s, c), drop_layers(s, c);
    for (uint32_t f = 0; f < SHARED_FILES; f++) close_file(s, f);
    pool_close(s->pool), arena_free(&s->room.arena);
    free(s->order.bytes), free(s->answer.bytes), free(s->scratch), free(s->groups), free(s);
    return ok;
}
