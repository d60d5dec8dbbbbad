/* price_shape.c - what a pass of a plain decoder costs on several machines, without a model.
 * See machines_cost.h. */
#include "machines_cost.h"
#include "share_layers.h"
#include "size.h"

typedef struct ShapePass {
    const MachinesShape *shape;
    const MachinesConfig *config;
    double bounds[GROUP_MAX + 1];
    int size;
    size_t tokens;
    MachinesPrice *price;
} ShapePass;

static size_t shape_bytes(const ShapePass *p, size_t rows, size_t in) {
    return rows * (size_t)((double)in * p->shape->bits / 8);
}

/* ------------------------------------------------------------------ by rows */

/* `times` products of `count` matrices, with out rows each, and one input of `rows` tokens. */
static void shape_products(ShapePass *p, size_t times, size_t count, const size_t *out,
                           size_t in, size_t rows) {
    MachinesPrice *price = p->price;
    const bool half = p->config->half;
    size_t messages = 0;
    for (size_t i = 0; i < count; i++)
        if (out[i] * in < p->config->least) return;
    for (int member = 0; member < p->size; member++) {
        size_t numbers = 0, answer = sizeof(uint32_t);
        for (size_t i = 0; i < count; i++) {
            const size_t part = share_rows(p->bounds, member, out[i]);
            numbers += part, answer += wire_bytes(half, rows, part);
        }
        price->weights[member] += times * shape_bytes(p, numbers, in);
        price->numbers += times * numbers * in;
        if (member == 0 || numbers == 0) continue;
        price->sent += times * (sizeof(Order) + count * sizeof(SharedProduct) +
                                wire_bytes(half, rows, in));
        price->received += times * answer;
        messages = 2;
    }
    price->products += times * count, price->messages += times * messages;
}

/* The head dimensions of a key-value head's group: its queries, its keys and its values. */
static void shape_heads(ShapePass *p, size_t group) {
    const MachinesShape *s = p->shape;
    MachinesPrice *price = p->price;
    const bool half = p->config->half;
    const size_t order = sizeof(HeadsOrder) + sizeof(HeadsSequence) +
                         div_up(p->tokens, KV_PAGE) * 2 * sizeof(int32_t) +
                         p->tokens * 2 * sizeof(int32_t) + wire_bytes(half, p->tokens, s->dim);
    for (int member = 0; member < p->size; member++) {
        const size_t count = heads_count(p->bounds, member, s->kv_heads),
                     rows = count * (group + 2) * s->head_dim;
        price->weights[member] += s->layers * shape_bytes(p, rows, s->dim);
        price->numbers += s->layers * rows * s->dim;
        if (member == 0 || count == 0) continue;
        price->sent += s->layers * order;
        price->received +=
            s->layers *
            (sizeof(uint32_t) + wire_bytes(half, p->tokens, count * group * s->head_dim));
    }
    price->products += s->layers * 3, price->messages += s->layers * 2;
}

static void shape_rows(ShapePass *p) {
    const MachinesShape *s = p->shape;
    const size_t q = s->heads * s->head_dim, kv = s->kv_heads * s->head_dim, n = p->tokens;
    if (heads_count(p->bounds, 0, s->kv_heads) == s->kv_heads)
        shape_products(p, s->layers, 3, (size_t[]){q, kv, kv}, s->dim, n);
    else
        shape_heads(p, s->heads / s->kv_heads);
    shape_products(p, s->layers, 1, (size_t[]){s->dim}, q, n);
    shape_products(p, s->layers, 2, (size_t[]){s->hidden, s->hidden}, s->dim, n);
    shape_products(p, s->layers, 1, (size_t[]){s->dim}, s->hidden, n);
    shape_products(p, 1, 1, (size_t[]){s->vocab}, s->dim, 1);
    for (int i = 0; i < p->size; i++)
        p->price->kept[i] =
            s->layers * heads_count(p->bounds, i, s->kv_heads) * 2 * s->head_dim;
}

/* ------------------------------------------------------------------ by layers */

static void shape_parts(ShapePass *p, size_t stages) {
    const size_t n = p->tokens, parts = count_parts(stages, n), width = p->shape->dim;
    const bool half = p->config->half;
    for (size_t i = 0; i < parts; i++) {
        const size_t rows = n * (i + 1) / parts - n * i / parts,
                     entries = i ? 0 : div_up(n, KV_PAGE), row = wire_bytes(half, rows, width);
        p->price->sent += (stages - 1) * (part_bytes(1, entries, 0, rows) + row);
        p->price->received += (stages - 1) * (sizeof(uint32_t) + row);
    }
    p->price->messages = 2 * (stages - 1) * parts;
}

static void shape_layers(ShapePass *p) {
    const MachinesShape *s = p->shape;
    MachinesPrice *price = p->price;
    const size_t q = s->heads * s->head_dim, kv = s->kv_heads * s->head_dim,
                 inward = q + 2 * kv + 2 * s->hidden,
                 bytes = shape_bytes(p, inward, s->dim) + shape_bytes(p, s->dim, q) +
                         shape_bytes(p, s->dim, s->hidden);
    size_t stages = 0;
    for (int i = 0; i < p->size; i++) {
        const size_t layers = heads_count(p->bounds, i, s->layers);
        stages += layers > 0;
        price->weights[i] = layers * bytes, price->kept[i] = layers * 2 * kv;
    }
    price->outside = shape_bytes(p, s->vocab, s->dim);
    price->weights[0] += price->outside;
    price->numbers = s->layers * s->dim * (inward + q + s->hidden) + s->vocab * s->dim;
    price->products = 7 * s->layers + 1;
    shape_parts(p, stages);
}

void machines_shape_price(const MachinesShape *shape, const MachinesConfig *config, int size,
                          size_t tokens, MachinesPrice *price) {
    ShapePass p = {
        .shape = shape, .config = config, .size = size, .tokens = tokens, .price = price};
    REQUIRE(size >= 1 && size <= GROUP_MAX && tokens >= 1 &&
                shape->heads % shape->kv_heads == 0,
            "the price of %zu tokens on %d machines", tokens, size);
    share_bounds(config->shares, size, p.bounds);
    *price = (MachinesPrice){0};
    if (config->by_layers)
        shape_layers(&p);
    else
        shape_rows(&p);
}
