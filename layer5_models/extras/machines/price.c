/* price.c - what a pass costs on several machines, counted on one.  See machines.h.
 *
 * The pass is computed here; a hook in the place of the machines counts what it would give
 * away. */
#include "families.h"
#include "heads.h"
#include "linear.h"
#include "machines.h"
#include "price_layers.h"
#include "size.h"

#include <stdlib.h>
#include <string.h>

/* The pass that is being counted; one at a time in a process, as machines.c. */
static struct {
    const Model *model; /* NULL: none */
    const double *bounds;
    size_t least;
    int size;
    bool by_layers, half;
    MachinesPrice *price;
    const Attention *attention; /* whose heads are being computed: only its o is a product */
    int32_t *sent;              /* (sequences, layers, table_size) owns */
    GroupMessage order;         /* owns */
    Fault fault;
    bool failed;
} counted;

static bool is_of_file(const void *data) {
    const GgufFile *file = &counted.model->file;
    for (size_t i = 0; i < file->n_parts; i++) {
        const unsigned char *begin = file->parts[i].data, *at = data;
        if (at >= begin && at < begin + file->parts[i].size) return true;
    }
    return false;
}

static bool is_known(const void *context, const Tensor *w) {
    (void)context;
    return tensor_is_contiguous(w) && is_of_file(w->data);
}

static bool is_shared(const Tensor *w) {
    if (counted.attention && w != &counted.attention->o.w) return false;
    return w->shape[0] * w->shape[1] >= counted.least && is_known(NULL, w);
}

static bool count_products(Pool *pool, const WeightsProduct *products, size_t count,
                           const float *x, size_t rows, void *scratch) {
    (void)pool, (void)x, (void)scratch;
    MachinesPrice *price = counted.price;
    size_t in = products->w->shape[1], messages = 0;
    if (counted.by_layers) {
        price_layer_products(counted.model, counted.bounds, counted.size, products, count,
                             price);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_shared(products[i].w)) return false;
    for (int member = 0; member < counted.size; member++) {
        size_t numbers = 0, bytes = 0;
        for (size_t i = 0; i < count; i++) {
            const Tensor *w = products[i].w;
            size_t part = share_rows(counted.bounds, member, w->shape[0]);
            numbers += products[i].n * part;
            bytes += wire_bytes(counted.half, products[i].n, part);
            price->weights[member] += products[i].n ? part * dtype_row_bytes(w->dtype, in) : 0;
            price->numbers += products[i].n ? part * in : 0;
        }
        if (member == 0 || numbers == 0) continue;
        price->sent +=
            sizeof(Order) + count * sizeof(SharedProduct) + wire_bytes(counted.half, rows, in);
        price->received += sizeof(uint32_t) + bytes;
        messages = 2;
    }
    price->products += count, price->messages += messages;
    return false;
}

/* What a machine's key-value heads read and answer. */
static void count_heads(const Attention *a, int member, size_t rows) {
    const AttentionShape *s = &a->shape;
    MachinesPrice *price = counted.price;
    const size_t count = heads_count(counted.bounds, member, s->kv_heads);
    Attention copy = *a;
    for (int i = 0; i < HEAD_MAPS; i++) {
        const Tensor *w = &heads_map(&copy, i)->w;
        if (!w->data) continue;
        const size_t part = w->shape[0] / s->kv_heads * count;
        price->weights[member] += part * dtype_row_bytes(w->dtype, w->shape[1]);
        price->numbers += part * w->shape[1];
        price->products += member == 0;
    }
    if (member == 0 || !heads_any(counted.bounds, member, counted.model)) return;
    price->sent += counted.order.size;
    price->received += sizeof(uint32_t) +
                       wire_bytes(counted.half, rows,
                                  count * (s->heads / s->kv_heads) * attention_value_dim(s));
}

/* A PartKind's forward, in the place of attention_forward. */
static void count_attention(const Block *b, const Pass *p, const float *x, float *out) {
    const Attention *a = &b->attention;
    if (heads_count(counted.bounds, 0, a->shape.kv_heads) == a->shape.kv_heads) {
        attention_forward(b, p, x, out);
        return;
    }
    counted.order.size = 0;
    if (!heads_write_order(&counted.order, &(HeadsOrder){0}, a, p, NULL, counted.sent, x,
                           counted.half, &counted.fault))
        counted.failed = true;
    for (int i = 0; i < counted.size; i++) count_heads(a, i, p->batch->count);
    counted.price->messages += 2;
    counted.attention = a;
    attention_forward(b, p, x, out);
    counted.attention = NULL;
}

/* Numbers that each machine keeps of a token. */
static void count_kept(const KvCache *kv, bool by_heads) {
    for (size_t l = 0; l < kv->config.layers; l++)
        for (int i = 0; i < counted.size; i++) {
            const KvShape *s = &kv->shape[l];
            size_t heads = by_heads ? heads_count(counted.bounds, i, s->kv_heads)
                           : i == 0 ? s->kv_heads
                                    : 0;
            counted.price->kept[i] += heads * (s->key_dim + s->value_dim);
        }
}

static bool count_session(const Model *model, Session *session, const int32_t *ids,
                          size_t tokens, Fault *fault) {
    const KvCache *kv = &session->kv;
    const size_t entries = kv->config.sequences * kv->config.layers * kv->table_size;
    const bool by_heads =
        counted.size > 1 && !counted.by_layers && heads_of_model(model, is_known, NULL);
    PartKind counting = attention_part;
    if (!(counted.sent = malloc(entries * sizeof *counted.sent)))
        return fault_set(fault, "no memory for %zu pages", entries);
    memset(counted.sent, 0xff, entries * sizeof *counted.sent);
    counting.forward = count_attention;
    if (!counted.by_layers) count_kept(kv, by_heads);
    if (by_heads) heads_set_part(model, &counting);
    matmul_elsewhere = count_products;
    bool ok = session_eval(session, ids, tokens, false, fault);
    matmul_elsewhere = NULL;
    if (by_heads) heads_set_part(model, &attention_part);
    if (ok && counted.failed) *fault = counted.fault, ok = false;
    if (ok && counted.by_layers)
        ok = price_layers(session, counted.bounds, counted.size, tokens, counted.half,
                          counted.price, fault);
    free(counted.sent), free(counted.order.bytes);
    return ok;
}

static bool run_pass(const Model *model, size_t tokens, Fault *fault) {
    Session session;
    SessionConfig config = {.sequences = 1, .max_tokens = tokens, .max_logits = 1};
    int32_t *ids = calloc(tokens, sizeof *ids);
    config.vectors = !model_writes(model);
    config.bidirectional = model_extras(model)->quirks->bidirectional;
    if (!ids) return fault_set(fault, "no memory for %zu tokens", tokens);
    bool ok = session_open(&session, model, NULL, config, fault);
    session.all_rows = true; /* as for so many texts; of a prompt fewer are computed */
    if (ok) {
        ok = count_session(model, &session, ids, tokens, fault);
        session_close(&session);
    }
    free(ids);
    return ok;
}

bool machines_price(const Model *model, const MachinesConfig *config, int size, size_t tokens,
                    MachinesPrice *price, Fault *fault) {
    double bounds[GROUP_MAX + 1];
    REQUIRE(!matmul_elsewhere && size >= 1 && size <= GROUP_MAX && tokens >= 1,
            "the price of %zu tokens on %d machines", tokens, size);
    if (model_extras(model)->encoder)
        return fault_set(fault,
                         "a %s model reads a source text first: what that costs depends "
                         "on the source",
                         model->recipe->arch);
    *price = (MachinesPrice){0};
    share_bounds(config->shares, size, bounds);
    memset(&counted, 0, sizeof counted);
    counted.model = model, counted.bounds = bounds, counted.least = config->least,
    counted.size = size, counted.by_layers = config->by_layers, counted.price = price,
    counted.half = config->half;
    if (config->by_layers && !layers_of_model(model, bounds, size, fault)) return false;
    return run_pass(model, tokens, fault);
}
