/* simulate_group.h - strata simulate on machines that compute one model together. */
#ifndef STRATA_SIMULATE_GROUP_H
#define STRATA_SIMULATE_GROUP_H

#include "options.h"
#include "step_group.h"

/* The options. */
typedef struct GroupAsked {
    const char *model, *shape, *network, *shares, *wire;
    OptionList machines, splits, decode;
    double bits, bandwidth, flops;
} GroupAsked;

#define GROUP_OPTIONS(g)                                                                      \
    {"--machines", OPT_LIST, &(g).machines, "N",                                              \
     "machines; each serves every N-th request, or with --split all compute each step "       \
     "together (1; repeatable)"},                                                             \
        {"--split", OPT_LIST, &(g).splits, "WHAT",                                            \
         "the machines compute one model together, by rows or by layers (repeatable)"},       \
        {"--decode", OPT_LIST, &(g).decode, "N",                                              \
         "no traffic: N texts, each with a token in each step, on the machines together, by " \
         "rows and by layers (repeatable)"},                                                  \
        {"--network", OPT_TEXT, &(g).network, "RATE:DELAY",                                   \
         "between such machines: 1Gb/s:100us, 100Mb/s:2ms"},                                  \
        {"--shares", OPT_TEXT, &(g).shares, "A:B:...", "as of strata generate (1:1:...)"},    \
        {"--wire", OPT_TEXT, &(g).wire, "TYPE", "as of strata generate: f32 or f16 (f32)"},   \
        {"-m", OPT_TEXT, &(g).model, "FILE", "the model that they compute"},                  \
        {"--shape", OPT_TEXT, &(g).shape, "SHAPE",                                            \
         "or its shape: 8B, 70B, 405B, or dim:heads:kv_heads:head_dim:hidden:layers:vocab"},  \
        {"--bits", OPT_REAL(1, 32), &(g).bits, "X", "bits of a weight of --shape (4.5)"},     \
        {"--bandwidth", OPT_REAL(1e-3, 1e6), &(g).bandwidth, "X",                             \
         "in place of --costs: GB/s at which a machine reads weights"},                       \
    {                                                                                         \
        "--flops", OPT_REAL(1e-3, 1e9), &(g).flops, "X",                                      \
            "and the GFLOP/s at which it computes"                                            \
    }

/* Are their values right?  Fails with a sentence. */
bool together_check(const GroupAsked *asked, Fault *fault);

/* What is simulated: its model stays open. */
typedef struct SimulatedModel {
    MachinesShape shape;
    Model model;
    bool is_open;            /* the model; else the shape */
    MachinesNetwork network; /* rate 0: none */
    bool half;
} SimulatedModel;

/* Needs checked options.  Fails when the model cannot be opened. */
bool together_open(SimulatedModel *model, const GroupAsked *asked, Fault *fault);
void together_close(SimulatedModel *model);

/* So many machines, checked; group->cost.machines is `machines`. */
bool together_make(SimulatedModel *model, const GroupAsked *asked, int machines, bool by_layers,
                   StepGroup *group, Fault *fault);

/* One machine of --bandwidth and --flops.  Fails for models with experts: which of them a
 * batch reads depends on the texts. */
bool together_machine(SimulatedModel *model, const GroupAsked *asked, StepCost *cost,
                      Fault *fault);

/* The table of --decode: milliseconds of a step and tokens/s, by rows and by layers.
 *
 *   past   positions behind each text
 *   csv    the same as a table; NULL: none */
bool together_decode(SimulatedModel *model, const GroupAsked *asked, const StepCost *one,
                     double past, FILE *csv, Fault *fault);

#endif
