/* short_conv_train.c - see short_conv_train.h.  A task is some channels of all rows. */
#include "short_conv_train.h"

#include <string.h>

enum { CHANNELS = 64 }; /* channels per task */

typedef struct Task {
    ConvShape shape;
    Sequences sequences;
    const float *w, *x, *dy;
    float *y, *dx, *dw;
} Task;

/* One tap: token t with the token `back` positions earlier. */
typedef void Meet(const Task *task, size_t t, size_t back, size_t begin, size_t end);

static void short_conv_train_mix(const Task *task, size_t t, size_t back, size_t begin,
                                 size_t end) {
    size_t n = task->shape.channels, taps = task->shape.taps;
    const float *x = task->x + (t - back) * n, *w = task->w + taps - 1 - back;
    float *y = task->y + t * n;
    for (size_t c = begin; c < end; c++) y[c] += w[c * taps] * x[c];
}

static void mix_back(const Task *task, size_t t, size_t back, size_t begin, size_t end) {
    size_t n = task->shape.channels, taps = task->shape.taps, tap = taps - 1 - back;
    const float *x = task->x + (t - back) * n, *w = task->w + tap, *dy = task->dy + t * n;
    float *dx = task->dx + (t - back) * n, *dw = task->dw + tap;
    for (size_t c = begin; c < end; c++) {
        dx[c] += w[c * taps] * dy[c];
        dw[c * taps] += x[c] * dy[c];
    }
}

/* All pairs of tokens, the oldest first; `to` (n, channels) is zeroed before. */
static void meet_all(const Task *task, float *to, Meet *meet, size_t begin, size_t end) {
    const size_t *start = task->sequences.start, past = task->shape.taps - 1;
    for (size_t s = 0; s < task->sequences.count; s++) {
        for (size_t t = start[s]; t < start[s + 1]; t++)
            memset(to + t * task->shape.channels + begin, 0, (end - begin) * sizeof *to);
        for (size_t t = start[s]; t < start[s + 1]; t++)
            for (size_t back = min_size(past, t - start[s]) + 1; back-- > 0;)
                meet(task, t, back, begin, end);
    }
}

static void short_conv_train_some_channels(void *context, int worker, size_t begin,
                                           size_t end) {
    const Task *task = context;
    (void)worker;
    meet_all(task, task->y, short_conv_train_mix, begin, end);
}

static void some_channels_back(void *context, int worker, size_t begin, size_t end) {
    const Task *task = context;
    (void)worker;
    meet_all(task, task->dx, mix_back, begin, end);
}

void conv_sequences(Pool *pool, ConvShape shape, Sequences sequences, const float *w,
                    const float *x, float *y) {
    Task task = {.shape = shape, .sequences = sequences, .w = w, .x = x, .y = y};
    pool_for(pool, shape.channels, CHANNELS, short_conv_train_some_channels, &task);
}

void conv_backward(Pool *pool, ConvShape shape, Sequences sequences, const float *w,
                   const float *x, const float *dy, float *dx, float *dw) {
    Task task = {shape, sequences, w, x, dy, NULL, dx, dw};
    pool_for(pool, shape.channels, CHANNELS, some_channels_back, &task);
}
