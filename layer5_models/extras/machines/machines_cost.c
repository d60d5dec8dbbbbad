/* machines_cost.c - see machines_cost.h. */
#include "machines_cost.h"
#include "families.h"
#include "share_layers.h"
#include "size.h"

#include <math.h>

/* ------------------------------------------------------------------ counted */

/* What the counts of a pass do not say. */
typedef struct CostFacts {
    size_t width, vocab; /* of the rows between layers; 0: no logits */
    size_t pairs, layers;
    double bounds[GROUP_MAX + 1];
} CostFacts;

static double largest_share(const size_t *of, int size) {
    double most = 0, all = 0;
    for (int i = 0; i < size; i++) most = fmax(most, (double)of[i]), all += (double)of[i];
    return all > 0 ? most / all : 1;
}

static double sum_of(const size_t *of, int size) {
    double sum = 0;
    for (int i = 0; i < size; i++) sum += (double)of[i];
    return sum;
}

/* Bytes of one token and of two make a line; the row of logits in both is known. */
static MachinesBytes on_a_line(size_t one, size_t two, double row) {
    const double token = (double)two - (double)one;
    return (MachinesBytes){(double)one - token - row, token, row};
}

/* The head's product: each other machine with rows of it gets x, and returns those. */
static void row_bytes(const CostFacts *f, const MachinesConfig *config, int size, double *sent,
                      double *received) {
    *sent = *received = 0;
    if (f->vocab * f->width < config->least) return;
    for (int i = 1; i < size; i++) {
        const size_t rows = share_rows(f->bounds, i, f->vocab);
        *sent += rows ? (double)wire_bytes(config->half, 1, f->width) : 0;
        *received += (double)wire_bytes(config->half, rows > 0, rows);
    }
}

static void cost_of_rows(MachinesCost *c, const CostFacts *f, const MachinesConfig *config,
                         const MachinesPrice price[2]) {
    double sent, received;
    row_bytes(f, config, c->machines, &sent, &received);
    c->sent = on_a_line(price[0].sent, price[1].sent, sent);
    c->received = on_a_line(price[0].received, price[1].received, received);
    c->messages = (double)price[0].messages;
    c->share = largest_share(price[0].weights, c->machines);
    c->heads = largest_share(price[0].kept, c->machines);
}

/* One token is one part, which all others get in turn. */
static void cost_of_layers(MachinesCost *c, const CostFacts *f, const MachinesConfig *config,
                           const MachinesPrice *price) {
    const double row = (double)wire_bytes(config->half, 1, f->width),
                 sent = row + 2 * (double)sizeof(int32_t);
    for (int i = 0; i < c->machines; i++) {
        if (!heads_count(f->bounds, i, f->layers)) continue;
        const size_t own = price->weights[i] - (i ? 0 : price->outside);
        c->stage[c->stages++] = c->weights > 0 ? (double)own / c->weights : 0;
    }
    c->outside = c->weights > 0 ? (double)price->outside / c->weights : 1;
    if (c->stages < 2) return;
    const double others = c->stages - 1;
    c->sent = (MachinesBytes){(double)price->sent / others - sent, sent, 0};
    c->received = (MachinesBytes){(double)price->received / others - row, row, 0};
}

static void cost_of(MachinesCost *c, CostFacts *f, const MachinesConfig *config, int size,
                    const MachinesPrice price[2]) {
    *c = (MachinesCost){.machines = size, .by_layers = config->by_layers};
    share_bounds(config->shares, size, f->bounds);
    c->weights = sum_of(price[0].weights, size), c->numbers = (double)price[0].numbers;
    c->kept = sum_of(price[0].kept, size), c->pairs = (double)f->pairs;
    if (config->by_layers)
        cost_of_layers(c, f, config, price);
    else
        cost_of_rows(c, f, config, price);
}

bool machines_cost(const Model *model, const MachinesConfig *config, int size,
                   MachinesCost *cost, Fault *fault) {
    MachinesPrice price[2];
    CostFacts facts = {.width = model->sizes.stream, .layers = model->sizes.layers};
    for (size_t n = 0; n < 2; n++)
        if (!machines_price(model, config, size, n + 1, &price[n], fault)) return false;
    if (model_writes(model)) facts.vocab = model->sizes.vocab;
    for (size_t l = 0; l < facts.layers; l++) {
        const LayerSizes *s = &model->layers[l];
        facts.pairs += s->heads * (s->head_dim + s->value_dim);
    }
    return cost_of(cost, &facts, config, size, price), true;
}

void machines_shape_cost(const MachinesShape *s, const MachinesConfig *config, int size,
                         MachinesCost *cost) {
    MachinesPrice price[2];
    CostFacts facts = {.width = s->dim,
                       .layers = s->layers,
                       .vocab = s->vocab,
                       .pairs = s->layers * s->heads * 2 * s->head_dim};
    for (size_t n = 0; n < 2; n++) machines_shape_price(s, config, size, n + 1, &price[n]);
    cost_of(cost, &facts, config, size, price);
}

/* ------------------------------------------------------------------ seconds */

static double bytes_of(MachinesBytes b, double tokens, double rows) {
    return b.pass + b.token * tokens + b.row * rows;
}

static double seconds_by_rows(const MachinesCost *c, const MachinesNetwork *network,
                              const MachinesPass *p) {
    const double bytes =
        bytes_of(c->sent, p->tokens, p->rows) + bytes_of(c->received, p->tokens, p->rows);
    return c->share * p->weights(p->context, p->tokens) + c->heads * p->attention + p->rest +
           bytes / network->rate + c->messages * network->delay;
}

/* The sum over all ticks of the largest share among the stages that have a part: at tick t the
 * stages t - parts + 1 .. t.  `falling`: those among them that no later one exceeds. */
static double sum_of_ticks(const MachinesCost *c, int parts) {
    int falling[GROUP_MAX], first = 0, count = 0;
    double sum = 0;
    for (int t = 0; t < parts + c->stages - 1; t++) {
        if (t < c->stages) {
            while (count > first && c->stage[falling[count - 1]] <= c->stage[t]) count--;
            falling[count++] = t;
        }
        if (falling[first] <= t - parts) first++;
        sum += c->stage[falling[first]];
    }
    return sum;
}

static double seconds_by_layers(const MachinesCost *c, const MachinesNetwork *network,
                                const MachinesPass *p) {
    const double parts = (double)count_parts((size_t)c->stages, max_size((size_t)p->tokens, 1)),
                 rows = p->tokens / parts, others = c->stages - 1;
    double seconds =
        sum_of_ticks(c, (int)parts) * (p->weights(p->context, rows) + p->attention / parts) +
        p->rest;
    if (p->rows > 0) seconds += c->outside * p->weights(p->context, p->rows);
    if (others == 0) return seconds;
    return seconds + parts * others * bytes_of(c->sent, rows, 0) / network->rate +
           (parts + others - 1) *
               (bytes_of(c->received, rows, 0) / network->rate + 2 * network->delay);
}

double machines_seconds(const MachinesCost *c, const MachinesNetwork *network,
                        const MachinesPass *p) {
    if (c->machines == 1) return p->weights(p->context, p->tokens) + p->attention + p->rest;
    return c->by_layers ? seconds_by_layers(c, network, p) : seconds_by_rows(c, network, p);
}
