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

/* In a thread of its own: an answer that takes long is no silence. */
static void say_busy(void *server) {
    enum { SECONDS = 1 };
    const Server *s = server;
    const uint32_t word = ANSWER_BUSY;
    if (s->busy) group_send(s->group, 0, &word, sizeof word, SECONDS, NULL);
}

/* Behind it comes the answer, and no further word of being busy. */
static void set_busy(Server *s, bool busy) {
    pthread_mutex_lock(&s->pulse.lock);
    s->busy = busy;
    pthread_mutex_unlock(&s->pulse.lock);
}

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
    s->pack = hello.pack, s->half = hello.half, s->seconds = hello.seconds;
    s->pool = pool_open(hello.threads, false, fault);
    return s->pool &&
           (s->pulse.beats || pulse_begin(&s->pulse, s->seconds / 5, say_busy, s, fault));
}

bool answer_room(Server *s, size_t size, Fault *fault) {
    const uint32_t fine = ANSWER_FINE;
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

const float *rows_of_order(Server *s, const void *bytes, size_t rows, size_t width) {
    if (!s->half) return bytes;
    if (!GROW(s->x, s->x_room, rows * width + 1)) return NULL;
    wire_read(true, bytes, rows, width, s->x);
    return s->x;
}

/* Compute a job's rows, and answer with them. */
static bool answer_job(Server *s, const ShareJob *job, Fault *fault) {
    if (!answer_room(s, share_bytes(job, job->member, s->half), fault)) return false;
    unsigned char *to = s->answer.bytes + sizeof(uint32_t);
    if (!s->half) return share_compute(job, (void *)to, fault);
    if (!GROW(s->y, s->y_room, share_numbers(job, job->member) + 1))
        return fault_set(fault, "no memory for the rows of a product");
    if (!share_compute(job, s->y, fault)) return false;
    const float *y = s->y;
    for (const SharedProduct *p = job->products; p < job->products + job->count; p++) {
        const size_t rows = share_rows(job->bounds, job->member, p->out);
        wire_write(true, y, p->n, rows, to);
        y += p->n * rows, to += wire_bytes(true, p->n, rows);
    }
    return true;
}

static bool take_products(Server *s, const Order *order, Fault *fault) {
    size_t list = order->count * sizeof(SharedProduct);
    const SharedProduct *products = part_of(s, sizeof *order, list);
    const void *bytes =
        part_of(s, sizeof *order + list, wire_bytes(s->half, order->rows, order->in));
    if (!products || !bytes || order->count > LINEAR_PRODUCTS) return cut_off(fault);
    for (size_t i = 0; i < order->count; i++) {
        const SharedProduct *p = &products[i];
        if (!is_open(s, p) || p->first + p->n > order->rows)
            return fault_set(fault, "a product with a matrix that is not open");
    }
    const float *x = rows_of_order(s, bytes, order->rows, order->in);
    if (!x || !GROW(s->scratch, s->scratch_room, linear_scratch_bytes(order->rows, order->in)))
        return fault_set(fault, "no memory for a product of %zu rows", (size_t)order->rows);
    const ShareJob job = {s->pool,   s->files, s->bounds,    s->group->rank,
                          s->pack,   products, order->count, order->rows,
                          order->in, x,        s->scratch};
    return answer_job(s, &job, fault);
}

static bool take_order(Server *s, const Order *order, Fault *fault) {
    if (!answer_room(s, 0, fault)) return false;
    switch (order->kind) {
    case ORDER_HELLO: return take_hello(s, fault);
    case ORDER_OPEN: return open_file(s, fault);
    case ORDER_HEADER: return take_header(s, fault);
    case ORDER_BYTES: return take_bytes(s, fault);
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
    const uint32_t failed = ANSWER_FAILED;
    size_t size = strlen(why->text);
    if (!answer_room(s, size, NULL)) return;
    memcpy(s->answer.bytes, &failed, sizeof failed);
    memcpy(s->answer.bytes + sizeof failed, why->text, size);
}

/* Orders until the end. */
static bool serve(Server *s, Fault *fault) {
    for (Order order;;) {
        if (!group_receive(s->group, 0, &s->order, s->seconds, fault)) return false;
        if (s->order.size < sizeof order) return cut_off(fault);
        memcpy(&order, s->order.bytes, sizeof order);
        if (order.kind == ORDER_END) return true;
        if (order.kind == ORDER_CLOSE) close_file(s, order.count);
        if (order.kind == ORDER_DROP) drop_held(s, order.count), drop_layers(s, order.count);
        if (order.kind == ORDER_CLOSE || order.kind == ORDER_DROP || order.kind == ORDER_PULSE)
            continue;
        Fault why;
        set_busy(s, true);
        if (!take_order(s, &order, &why)) refuse(s, &why);
        set_busy(s, false);
        if (!group_send(s->group, 0, s->answer.bytes, s->answer.size, s->seconds, fault))
            return false;
    }
}

bool machines_serve(Group *group, const char *version, Fault *fault) {
    Server *s = calloc(1, sizeof *s);
    if (!s) return fault_set(fault, "no memory to serve rows");
    s->group = group, s->version = version, s->seconds = INFINITY;
    pulse_init(&s->pulse);
    heads_alone(true);
    bool ok = serve(s, fault);
    pulse_end(&s->pulse), pulse_free(&s->pulse);
    heads_alone(false);
    for (uint32_t c = 0; c < SHARED_CACHES; c++) drop_held(s, c), drop_layers(s, c);
    for (uint32_t f = 0; f < SHARED_FILES; f++) close_file(s, f);
    pool_close(s->pool), arena_free(&s->room.arena);
    free(s->order.bytes), free(s->answer.bytes), free(s->scratch), free(s->groups), free(s->x),
        free(s->y), free(s);
    return ok;
}
