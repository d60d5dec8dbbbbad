/* machines_plan.c - see machines_plan.h. */
#include "machines_plan.h"
#include "on_machines.h"
#include "peak.h"
#include "quantities.h"

#include <math.h>
#include <stdio.h>

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

/* W of machines_cost.h: the weights are read, and computing takes no longer. */
static double reading_seconds(const void *context, double tokens) {
    (void)tokens;
    return *(const double *)context;
}

static void print_time(const MachinesCost *cost, const MachinesNetwork *network,
                       double bandwidth, bool measured) {
    const double alone = cost->weights / bandwidth;
    const MachinesPass token = {1, 1, reading_seconds, &alone, 0, 0};
    const double reading = machines_seconds(cost, &(MachinesNetwork){INFINITY, 0}, &token),
                 without_delay =
                     machines_seconds(cost, &(MachinesNetwork){network->rate, 0}, &token),
                 together = machines_seconds(cost, network, &token);
    printf("Weights at %.1f GB/s%s: %s ms; bytes on the wire %s ms; messages' delay %s ms.\n"
           "So a token takes %s ms (%s tokens/s), and on one such machine %s ms.\n",
           bandwidth / 1e9, measured ? ", as this machine reads" : "",
           digits(1e3 * reading).text, digits(1e3 * (without_delay - reading)).text,
           digits(1e3 * (together - without_delay)).text, digits(1e3 * together).text,
           digits(1 / together).text, digits(1e3 * alone).text);
}

static bool print_time_of(const Model *model, const MachinesConfig *config,
                          const MachinesPlan *plan, const MachinesNetwork *network,
                          Fault *fault) {
    static MachinesCost cost;
    double bandwidth = 1e9 * plan->bandwidth;
    if (!machines_cost(model, config, (int)plan->machines, &cost, fault)) return false;
    if (bandwidth == 0) {
        Pool *pool = pool_open(0, false, fault);
        if (!pool) return false;
        bandwidth = 1e9 * bandwidth_gigabytes(pool, 0.2).median;
        pool_close(pool);
    }
    print_time(&cost, network, bandwidth, plan->bandwidth == 0);
    return true;
}

static bool print_plan_of(const Model *model, const MachinesConfig *config,
                          const MachinesPlan *plan, const MachinesNetwork *network,
                          Fault *fault) {
    MachinesPrice price;
    if (!machines_price(model, config, (int)plan->machines, 1, &price, fault)) return false;
    print_shares(&price, (int)plan->machines, config->by_layers);
    return !plan->network || print_time_of(model, config, plan, network, fault);
}

bool print_machines_plan(const char *path, const MachinesPlan *plan, Fault *fault) {
    double shares[GROUP_MAX];
    MachinesConfig config = {.shares = plan->shares ? shares : NULL, .least = MACHINES_LEAST};
    MachinesNetwork network = {0};
    Model model;
    if (!machines_split(plan->split, &config.by_layers, fault) ||
        !machines_wire(plan->wire, &config.half, fault) ||
        (plan->shares && !machines_shares(plan->shares, (int)plan->machines, shares, fault)) ||
        (plan->network && !network_read(plan->network, &network, fault)))
        return wrong_value();
    if (!model_open(&model, path, fault)) return false;
    bool ok = print_plan_of(&model, &config, plan, &network, fault);
    model_close(&model);
    return ok;
}
