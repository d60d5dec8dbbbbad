/* machines_plan.c - see machines_plan.h. */
#include "machines_plan.h"
#include "on_machines.h"
#include "peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Wire {
    double rate, delay; /* bytes a second, seconds a message */
} Wire;

typedef struct Unit {
    const char *name;
    double size;
} Unit;

/* A number and its unit, "100us"; *text is then behind it. */
static bool read_quantity(const char **text, const Unit *units, double *value) {
    char *end;
    double number = strtod(*text, &end);
    if (end == *text || !(number >= 0) || isinf(number)) return false;
    for (const Unit *u = units; u->name; u++) {
        size_t size = strlen(u->name);
        if (strncmp(end, u->name, size) != 0) continue;
        return *value = number * u->size, *text = end + size, true;
    }
    return false;
}

static bool read_network(const char *text, Wire *wire, Fault *fault) {
    static const Unit rates[] = {
        {"kb/s", 1e3 / 8}, {"Mb/s", 1e6 / 8}, {"Gb/s", 1e9 / 8}, {NULL, 0}};
    static const Unit delays[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {NULL, 0}};
    const char *at = text;
    bool ok = read_quantity(&at, rates, &wire->rate) && wire->rate > 0;
    if (ok && *at == ':') at++, ok = read_quantity(&at, delays, &wire->delay);
    return (ok && !*at) ||
           fault_set(fault,
                     "--network is '%.80s': wanted bits a second (kb/s, Mb/s, Gb/s) and a "
                     "message's delay (us, ms, s), as 1Gb/s:100us",
                     text);
}

static void print_shares(const MachinesPrice *price, int size, bool by_layers) {
    size_t all = 0;
    for (int i = 0; i < size; i++) all += price->weights[i];
    printf("machine  weights that it reads for a token   KV cache of a token\n");
    for (int i = 0; i < size; i++)
        printf("%7d  %9.2f MB  %5.1f %%                 %9.2f kB\n", i + 1,
               (double)price->weights[i] / 1e6,
               all ? 100 * (double)price->weights[i] / (double)all : 0,
               2 * (double)price->kept[i] / 1e3);
    printf("The first also has the %s.  KV cache in f16.\n\nA token: ",
           by_layers ? "embedding" : "smaller weights");
    if (!by_layers) printf("%zu products, ", price->products);
    printf("%zu messages one after the other, %.1f kB sent and %.1f kB received by the "
           "first.\n",
           price->messages, (double)price->sent / 1e3, (double)price->received / 1e3);
}

/* Reading weights on the slowest machine (by layers: on one after the other), the bytes, and
 * the messages, one after the other. */
static void print_time(const MachinesPrice *price, int size, bool by_layers, const Wire *wire,
                       double bandwidth) {
    double most = 0, all = 0;
    for (int i = 0; i < size; i++) {
        most = fmax(most, (double)price->weights[i]);
        all += (double)price->weights[i];
    }
    double alone = all / bandwidth, reading = (by_layers ? all : most) / bandwidth,
           bytes = (double)(price->sent + price->received) / wire->rate,
           messages = (double)price->messages * wire->delay,
           together = reading + bytes + messages;
    printf("Weights at %.1f GB/s, as this machine reads: %.3g ms; bytes on the wire %.3g ms; "
           "messages' delay %.3g ms.\n"
           "So a token takes %.3g ms (%.3g tokens/s), and on one such machine %.3g ms.\n",
           bandwidth / 1e9, 1e3 * reading, 1e3 * bytes, 1e3 * messages, 1e3 * together,
           1 / together, 1e3 * alone);
}

static bool print_plan_of(const Model *model, const MachinesPlan *plan, const Wire *wire,
                          const MachinesConfig *config, Fault *fault) {
    const bool by_layers = config->by_layers;
    const int size = (int)plan->machines;
    MachinesPrice price;
    if (!machines_price(model, config, size, 1, &price, fault)) return false;
    print_shares(&price, size, by_layers);
    if (!wire->rate) return true;
    Pool *pool = pool_open(0, false, fault);
    if (!pool) return false;
    print_time(&price, size, by_layers, wire, 1e9 * bandwidth_gigabytes(pool, 0.2).median);
    pool_close(pool);
    return true;
}

bool print_machines_plan(const char *path, const MachinesPlan *plan, Fault *fault) {
    double shares[GROUP_MAX];
    MachinesConfig config = {.shares = plan->shares ? shares : NULL, .least = MACHINES_LEAST};
    Wire wire = {0};
    Model model;
    if (!machines_split(plan->split, &config.by_layers, fault)) return false;
    if (!machines_wire(plan->wire, &config.half, fault)) return false;
    if (plan->shares && !machines_shares(plan->shares, (int)plan->machines, shares, fault))
        return false;
    if (plan->network && !read_network(plan->network, &wire, fault)) return false;
    if (!model_open(&model, path, fault)) return false;
    bool ok = print_plan_of(&model, plan, &wire, &config, fault);
    model_close(&model);
    return ok;
}
