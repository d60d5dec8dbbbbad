/* recurrence.c - see recurrence.h. */
#include "kernels/kernel_table.h"

#include <math.h>

void recurrence_step_scalar(const Recurrence *t) {
    for (size_t r = 0; r < t->rows; r++) {
        const float *before = t->before + r * t->n, *decay = t->decay + r * t->n;
        float *after = t->after + r * t->n, lanes[SCAN_LANES] = {0};
        for (size_t i = 0; i < t->n; i++) {
            after[i] = fmaf(t->in[r], t->b[i], decay[i] * before[i]);
            lanes[i % SCAN_LANES] = fmaf(after[i], t->c[i], lanes[i % SCAN_LANES]);
        }
        t->out[r] = fold_lanes(lanes);
    }
}

void recurrence_strips_scalar(const StripRecurrence *t) {
    for (size_t r = 0; r < t->rows; r++) {
        size_t at = r / STRIP * STRIP * t->n + r % STRIP;
        float sum = 0;
        for (size_t i = 0; i < t->n; i++, at += STRIP) {
            float state = fmaf(t->in[r], t->b[i], t->decay[i] * t->before[at]);
            if (t->in2) state = fmaf(t->in2[r], t->b2[i], state);
            t->after[at] = state;
            sum = fmaf(state, t->c[i], sum);
        }
        t->out[r] = sum;
    }
}

void recurrence_step(const Recurrence *task) { kernels()->recurrence_step(task); }
void recurrence_strips(const StripRecurrence *task) { kernels()->recurrence_strips(task); }
