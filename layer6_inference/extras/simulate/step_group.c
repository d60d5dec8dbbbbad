/* step_group.c - see step_group.h. */
#include "step_group.h"

#include <math.h>

/* ------------------------------------------------------------------ a group */

typedef struct OneMachine {
    const StepCost *cost;
    double before;
} OneMachine;

static double seconds_of_products(const void *context, double tokens) {
    const OneMachine *m = context;
    return step_cost_seconds(m->cost, (StepSize){.tokens = tokens, .before = m->before});
}

double step_group_seconds(const StepGroup *group, const StepCost *one, StepSize size) {
    const OneMachine machine = {one, size.before};
    if (!group) return step_cost_seconds(one, size);
    return machines_seconds(
        &group->cost, &group->network,
        &(MachinesPass){.tokens = size.tokens,
                        .rows = size.rows,
                        .weights = seconds_of_products,
                        .context = &machine,
                        .attention = one->past * size.past + one->seen * size.seen,
                        .rest = one->row * size.rows});
}

StepCost step_group_cost(const StepGroup *group, const StepCost *one) {
    static const double tokens[COST_POINTS] = {1,  2,  3,  4,   6,   8,   12,  16,
                                               32, 48, 64, 128, 192, 256, 384, 512};
    StepCost cost = {.points = COST_POINTS};
    const StepSize none = {.tokens = 1};
    const double alone = step_group_seconds(group, one, none);
    for (size_t i = 0; i < COST_POINTS; i++) {
        cost.tokens[i] = tokens[i];
        cost.batch[i] = step_group_seconds(group, one, (StepSize){.tokens = tokens[i]});
    }
    cost.row = step_group_seconds(group, one, (StepSize){.tokens = 1, .rows = 1}) - alone;
    cost.past = step_group_seconds(group, one, (StepSize){.tokens = 1, .past = 1}) - alone;
    cost.seen = step_group_seconds(group, one, (StepSize){.tokens = 1, .seen = 1}) - alone;
    return cost;
}

/* ------------------------------------------------------------------ a machine by its speed */

static void add_point(StepCost *c, double tokens, double reading, double each) {
    c->tokens[c->points] = tokens, c->batch[c->points++] = fmax(reading, tokens * each);
}

StepCost step_cost_of_machine(const MachinesCost *cost, double bandwidth, double speed) {
    const double reading = cost->weights / bandwidth, each = 2 * cost->numbers / speed,
                 knee = reading / each; /* so many tokens take as long to compute as to read */
    StepCost c = {.past = 2 * cost->kept / bandwidth, .seen = 2 * cost->pairs / speed};
    add_point(&c, 1, reading, each);
    if (knee > 1 && knee < 1e6) add_point(&c, knee, reading, each);
    add_point(&c, knee > 1 && knee < 1e6 ? 2 * knee : 2, reading, each);
    return c;
}
