/* machines_cost.h - the model of costs of several machines: how long a pass takes on them.
 *
 * By rows all compute each product together, and the first one's cable carries everything:
 *
 *     T = share W(n) + heads A + rest + (sent + received) / rate + messages * delay
 *
 * By layers a batch goes in m parts through the S machines that have layers, in m + S - 1 ticks
 * (layers_flow.c); in each, the slowest machine with a part counts:
 *
 *     T = sum of max(share[k]) (W(n / m) + A / m) + outside W(r) + rest
 *         + m (S - 1) sent / rate + (m + S - 2) (received / rate + 2 delay)
 *
 *   n, r     tokens of the pass, and those with logits
 *   W(n)     seconds that one machine alone takes for all products of n tokens
 *   A        seconds that it takes for their attention; rest: for the choice of tokens
 *   share    of the weights: of the machine with most of them, or with stage k's layers
 *   heads    of the KV cache: of the machine with most of it
 *   sent     bytes: order + token n + row r (by layers of a part, to one machine)
 *
 * What is sent is counted by a pass (machines_price), or follows from a model's shape: for each
 * layer the block's input and heads' outputs, the output projection, gate and up, down.  By
 * hand: docs/layer6/machines.md.
 *
 * Invariant: a shape sends what a pass of such a model does
 * [a_shape_costs_what_a_pass_counts]; one machine sends nothing and takes W + A + rest
 * [one_machine_has_no_network].
 *
 * Source   Hockney 1994 (delay + bytes / rate); Huang et al. 2019, arXiv:1811.06965 (m + S - 1
 *          ticks); Shoeybi et al. 2019, arXiv:1909.08053 (rows and columns). */
#ifndef STRATA_MACHINES_COST_H
#define STRATA_MACHINES_COST_H

#include "machines.h"

/* A plain decoder: attention by heads, a gated feed-forward. */
typedef struct MachinesShape {
    size_t dim, heads, kv_heads, head_dim, hidden, layers, vocab;
    double bits; /* of a weight */
} MachinesShape;

/* Numbers or bytes of a pass over n tokens, of which r have logits: pass + token n + row r. */
typedef struct MachinesBytes {
    double pass, token, row;
} MachinesBytes;

typedef struct MachinesCost {
    int machines;
    bool by_layers;
    double weights, numbers;      /* that one token reads on all machines: bytes, weights */
    double kept, pairs;           /* numbers in the KV cache of a token; multiplications of a
                                   * token's attention to one position */
    double share, heads;          /* the largest one's */
    double messages;              /* by rows: one after the other */
    MachinesBytes sent, received; /* by the first */
    double outside;               /* by layers: share of the weights outside of all layers */
    int stages;                   /* machines with layers */
    double stage[GROUP_MAX];      /* (stages) their shares of the weights */
} MachinesCost;

/* What a model costs on `size` machines: counted.  config and faults: as machines_price. */
bool machines_cost(const Model *model, const MachinesConfig *config, int size,
                   MachinesCost *cost, Fault *fault);

/* The same of a shape.
 *
 * Needs    1 <= size <= GROUP_MAX; kv_heads a divisor of heads. */
void machines_shape_cost(const MachinesShape *shape, const MachinesConfig *config, int size,
                         MachinesCost *cost);

/* machines_price of a model with this shape, by formula. */
void machines_shape_price(const MachinesShape *shape, const MachinesConfig *config, int size,
                          size_t tokens, MachinesPrice *price);

typedef struct MachinesNetwork {
    double rate, delay; /* bytes a second; seconds from one machine to another */
} MachinesNetwork;

typedef struct MachinesPass {
    double tokens, rows;
    double (*weights)(const void *context, double tokens); /* W */
    const void *context;
    double attention, rest; /* seconds */
} MachinesPass;

double machines_seconds(const MachinesCost *cost, const MachinesNetwork *network,
                        const MachinesPass *pass);

#endif
