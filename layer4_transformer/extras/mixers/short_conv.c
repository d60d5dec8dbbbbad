/* short_conv.c - see short_conv.h. */
#include "short_conv.h"

enum { CHANNELS = 64 }; /* channels per task */

size_t short_conv_state(const ShortConv *conv) { return conv->channels * (conv->taps - 1); }

void short_conv_step(const ShortConv *conv, const float *before, float *after, const float *x,
                     float *out, size_t begin, size_t end) {
    size_t past = conv->taps - 1;
    for (size_t c = begin; c < end; c++) {
        const float *w = conv->w + c * conv->taps;
        float sum = conv->bias ? conv->bias[c] : 0;
        for (size_t j = 0; j < past; j++) {
            sum += w[j] * before[c * past + j];
            after[c * past + j] = j + 1 == past ? x[c] : before[c * past + j + 1];
        }
        out[c] = sum + w[past] * x[c];
    }
    if (conv->silu) silu(out + begin, out + begin, end - begin);
}

typedef struct Rows {
    const ShortConv *conv;
    const KvCache *kv;
    size_t layer;
    const Batch *batch;
    const float *x;
    size_t x_step;
    float *out;
} Rows;

/* A PoolTask: all tokens for some channels, so that each state stays in cache. */
static void short_conv_some_channels(void *context, int worker, size_t begin, size_t end) {
    const Rows *t = context;
    (void)worker;
    for (size_t i = 0; i < t->batch->count; i++) {
        const size_t past = t->conv->taps - 1;
        StateStep state = state_step(t->kv, t->layer, t->batch, i, t->conv->at + begin * past,
                                     (end - begin) * past);
        short_conv_step(t->conv, state.before - begin * past, state.after - begin * past,
                        t->x + i * t->x_step, t->out + i * t->conv->channels, begin, end);
    }
}

void short_conv_rows(Pool *pool, const ShortConv *conv, const KvCache *kv, size_t layer,
                     const Batch *batch, const float *x, size_t x_step, float *out) {
    pool_for(pool, conv->channels, CHANNELS, short_conv_some_channels,
             &(Rows){conv, kv, layer, batch, x, x_step, out});
}
