/* recurrence.c - see recurrence.h. */
#include "kernel_table.h"

#include <math.h>

enum { LANES = 16 };

static float fold(float lanes[LANES]) {
    for (int width = LANES / 2; width; width /= 2)
        for (int lane = 0; lane < width; lane++) lanes[lane] += lanes[lane + width];
    return lanes[0];
}

void recurrence_step_scalar(const Recurrence *t) {
    for (size_t r = 0; r < t->rows; r++) {
        const float *before = t->before + r * t->n, *decay = t->decay + r * t->decay_step;
        float *after = t->after + r * t->n, lanes[LANES] = {0};
        for (size_t i = 0; i < t->n; i++) {
            after[i] = fmaf(t->in[r], t->b[i], decay[i] * before[i]);
            lanes[i % LANES] = fmaf(after[i], t->c[i], lanes[i % LANES]);
        }
        t->out[r] = fold(lanes);
    }
}

void recurrence_step(const Recurrence *task) { kernels()->recurrence_step(task); }
