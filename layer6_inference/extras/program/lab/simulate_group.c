/* simulate_group.c - see simulate_group.h. */
#include "simulate_group.h"
#include "families.h"
#include "input.h"
#include "on_machines.h"
#include "quantities.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ options */

static bool whole_number(const char *text, long low, long high, long *number) {
    char *end;
    *number = strtol(text, &end, 10);
    return end != text && !*end && *number >= low && *number <= high;
}

static bool check_numbers(const OptionList *list, const char *name, long high, Fault *fault) {
    long number;
    for (size_t i = 0; i < list->count; i++)
        if (!whole_number(list->items[i], 1, high, &number))
            return fault_set(fault, "%s is '%.40s': wanted 1 to %ld", name, list->items[i],
                             high);
    return true;
}

/* Llama 3. */
static const struct {
    const char *name;
    MachinesShape shape;
} shapes[] = {{"8B", {4096, 32, 8, 128, 14336, 32, 128256, 0}},
              {"70B", {8192, 64, 8, 128, 28672, 80, 128256, 0}},
              {"405B", {16384, 128, 8, 128, 53248, 126, 128256, 0}}};

static bool shape_read(const char *text, MachinesShape *s, Fault *fault) {
    size_t *const numbers[] = {&s->dim,    &s->heads,  &s->kv_heads, &s->head_dim,
                               &s->hidden, &s->layers, &s->vocab};
    char *end = (char *)(uintptr_t)text;
    size_t n = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(text, shapes[i].name) == 0) return *s = shapes[i].shape, true;
    for (const char *at = text; n < 7; at = end + 1) {
        long number = strtol(at, &end, 10);
        if (end == at || number < 1 || number > 10000000) break;
        *numbers[n++] = (size_t)number;
        if (*end != ':') break;
    }
    bool ok = n == 7 && !*end && s->layers <= MODEL_LAYERS && s->heads % s->kv_heads == 0;
    const double heads = (double)(s->heads + s->kv_heads) * (double)s->head_dim,
                 all = ok ? (double)s->dim *
                                ((double)s->layers * (2 * heads + 3.0 * (double)s->hidden) +
                                 (double)s->vocab)
                          : 0;
    if (all > 1e15)
        return fault_set(fault, "--shape is '%.80s': %.2g weights, wanted at most 1e15", text,
                         all);
    return ok || fault_set(fault,
                           "--shape is '%.80s': wanted 8B, 70B, 405B, or seven numbers with : "
                           "between, dim:heads:kv_heads:head_dim:hidden:layers:vocab, heads a "
                           "multiple of kv_heads, at most %d layers",
                           text, (int)MODEL_LAYERS);
}

bool together_check(const GroupAsked *a, Fault *fault) {
    const bool together = a->splits.count || a->decode.count;
    double shares[GROUP_MAX];
    MachinesNetwork network;
    MachinesShape shape;
    bool flag;
    long number;
    if (!check_numbers(&a->machines, "--machines", together ? GROUP_MAX : 1 << 20, fault) ||
        !check_numbers(&a->decode, "--decode", 1000000, fault))
        return false;
    for (size_t i = 0; i < a->splits.count; i++)
        if (!machines_split(a->splits.items[i], &flag, fault)) return false;
    for (size_t i = 0; a->shares && i < a->machines.count; i++)
        if (whole_number(a->machines.items[i], 1, GROUP_MAX, &number) &&
            !machines_shares(a->shares, (int)number, shares, fault))
            return false;
    return machines_wire(a->wire, &flag, fault) &&
           (!a->network || network_read(a->network, &network, fault)) &&
           (!a->shape || shape_read(a->shape, &shape, fault));
}

/* ------------------------------------------------------------------ the model */

bool together_open(SimulatedModel *m, const GroupAsked *a, Fault *fault) {
    const char *path = a->model;
    *m = (SimulatedModel){0};
    if (!machines_wire(a->wire, &m->half, fault)) return false;
    if (a->network && !network_read(a->network, &m->network, fault)) return false;
    if (a->shape && !shape_read(a->shape, &m->shape, fault)) return false;
    m->shape.bits = a->bits;
    if (!a->model) return true;
    return m->is_open = choose_model(&path, fault) && model_open(&m->model, path, fault);
}

void together_close(SimulatedModel *m) {
    if (m->is_open) model_close(&m->model);
    *m = (SimulatedModel){0};
}

static bool has_experts(const SimulatedModel *m) {
    for (size_t l = 0; m->is_open && l < m->model.sizes.layers; l++)
        if (m->model.layers[l].extras && m->model.layers[l].extras->experts) return true;
    return false;
}

bool together_make(SimulatedModel *m, const GroupAsked *a, int machines, bool by_layers,
                   StepGroup *group, Fault *fault) {
    double shares[GROUP_MAX];
    const MachinesConfig config = {.shares = a->shares ? shares : NULL,
                                   .by_layers = by_layers,
                                   .half = m->half,
                                   .least = MACHINES_LEAST};
    if (a->shares && !machines_shares(a->shares, machines, shares, fault)) return false;
    if (!by_layers && machines > 1 && has_experts(m))
        return fault_set(fault,
                         "%s has experts, and how many products of them a batch sends by rows "
                         "depends on its texts: wanted --split layers",
                         a->model);
    group->network = m->network;
    if (m->is_open) return machines_cost(&m->model, &config, machines, &group->cost, fault);
    machines_shape_cost(&m->shape, &config, machines, &group->cost);
    return true;
}

bool together_machine(SimulatedModel *m, const GroupAsked *a, StepCost *cost, Fault *fault) {
    const MachinesConfig config = {.least = MACHINES_LEAST};
    MachinesCost one;
    if (has_experts(m))
        return fault_set(fault,
                         "%s has experts, and how many of them a batch reads depends on its "
                         "texts: give --costs in place of --bandwidth",
                         a->model);
    if (!m->is_open)
        machines_shape_cost(&m->shape, &config, 1, &one);
    else if (!machines_cost(&m->model, &config, 1, &one, fault))
        return false;
    *cost = step_cost_of_machine(&one, 1e9 * a->bandwidth, 1e9 * a->flops);
    return true;
}

/* ------------------------------------------------------------------ decode alone */

typedef struct Decoding {
    SimulatedModel *model;
    const GroupAsked *asked;
    const StepCost *one;
    double past;
    FILE *csv;
} Decoding;

enum { BY_ROWS, BY_LAYERS, SPLITS };

static const char *const split_names[SPLITS] = {"rows", "layers"};

static bool is_asked(const GroupAsked *a, int split) {
    for (size_t i = 0; i < a->splits.count; i++)
        if (strcmp(a->splits.items[i], split_names[split]) == 0) return true;
    return a->splits.count == 0;
}

static void print_decode_titles(const Decoding *d) {
    printf("%8s %6s", "machines", "texts");
    for (int s = 0; s < SPLITS; s++)
        if (is_asked(d->asked, s)) printf("%7s: ms %10s", split_names[s], "tokens/s");
    printf("  fastest\n");
    if (d->csv)
        fprintf(d->csv, "machines,texts,split,milliseconds_per_step,tokens_per_second\n");
}

/* Seconds of a step by each way; 0: not asked for, or, without --split, not possible. */
static bool decode_seconds(const Decoding *d, int machines, StepSize size,
                           double seconds[SPLITS], Fault *fault) {
    static StepGroup group;
    bool any = false;
    for (int s = 0; s < SPLITS; s++) {
        seconds[s] = 0;
        if (!is_asked(d->asked, s)) continue;
        if (together_make(d->model, d->asked, machines, s == BY_LAYERS, &group, fault))
            seconds[s] = step_group_seconds(&group, d->one, size), any = true;
        else if (d->asked->splits.count)
            return false;
    }
    return any;
}

/* A row: what is faster than one machine alone, if anything is. */
static bool print_decode(const Decoding *d, int machines, double texts, Fault *fault) {
    const StepSize size = {
        .tokens = texts, .rows = texts, .past = texts * d->past, .seen = texts * d->past};
    const char *fastest = "one machine";
    double best = step_cost_seconds(d->one, size), seconds[SPLITS];
    if (!decode_seconds(d, machines, size, seconds, fault)) return false;
    printf("%8d %6.0f", machines, texts);
    for (int s = 0; s < SPLITS; s++) {
        if (!is_asked(d->asked, s)) continue;
        if (seconds[s] > 0)
            printf(" %10s %10s", digits(1e3 * seconds[s]).text,
                   digits(texts / seconds[s]).text);
        else
            printf(" %10s %10s", "-", "-");
        if (d->csv && seconds[s] > 0)
            fprintf(d->csv, "%d,%.0f,%s,%.6g,%.6g\n", machines, texts, split_names[s],
                    1e3 * seconds[s], texts / seconds[s]);
        if (seconds[s] > 0 && seconds[s] < best) best = seconds[s], fastest = split_names[s];
    }
    printf("  %s\n", fastest);
    return true;
}

bool together_decode(SimulatedModel *model, const GroupAsked *asked, const StepCost *one,
                     double past, FILE *csv, Fault *fault) {
    const Decoding d = {model, asked, one, past, csv};
    print_decode_titles(&d);
    for (size_t i = 0; i < asked->decode.count; i++)
        for (size_t k = 0; k < asked->machines.count; k++)
            if (!print_decode(&d, (int)strtol(asked->machines.items[k], NULL, 10),
                              strtod(asked->decode.items[i], NULL), fault))
                return false;
    return true;
}
