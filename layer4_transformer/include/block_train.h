/* block_train.h - one block forward and backward, for the models trained here: pre-norm
 * (RMSNorm), rotary positions, grouped-query attention, SwiGLU, no biases (a Llama).  A
 * TrainMixer may replace attention (train_delta.h).
 *
 *     x ---+--> norm --> q k v --> rope --> attention --> o --+--> x'
 *          +--------------------------------------------------+
 *     x' --+--> norm --> gate, up --> silu(gate) * up --> down --+--> x''
 *          +-----------------------------------------------------+
 *
 * The forward pass saves what the backward pass reads; the backward pass walks the picture from
 * right to left.
 *
 * Invariant: weights' gradients are added to, dx is replaced [gradients_of_a_whole_model]. */
#ifndef STRATA_BLOCK_TRAIN_H
#define STRATA_BLOCK_TRAIN_H

#include "attention_train.h"

typedef struct TrainMixer TrainMixer;

typedef struct TrainShape {
    size_t dim, hidden, heads, kv_heads, head_dim;
    float eps;
    bool bidirectional;      /* no causal mask */
    const TrainMixer *mixer; /* NULL: attention */
    size_t taps;             /* of the mixer's convolution */
} TrainShape;

/* Floats of a token's q, k and v together. */
static inline size_t train_channels(const TrainShape *s) {
    return (s->heads + 2 * s->kv_heads) * s->head_dim;
}

/* The weights of a block, or their gradients; f32, (out, in). */
typedef struct TrainBlock {
    float *attn_norm, *ffn_norm; /* (dim) */
    float *q, *k, *v;            /* (heads*hd, dim), (kv*hd, dim), (kv*hd, dim) */
    float *o;                    /* (dim, heads*hd) */
    void *mixer;                 /* the weights of shape.mixer, replacing q, k, v and o */
    float *gate, *up, *down;     /* (hidden, dim), (hidden, dim), (dim, hidden) */
} TrainBlock;

/* Saved by the forward pass for the backward pass; n rows each. */
typedef struct TrainSaved {
    float *x, *normed; /* the input and its norm */
    float *q, *k, *v;  /* q and k are rotated */
    float *mixed;      /* the mixer's output before its last map */
    void *mixer;       /* what shape.mixer saves besides */
    float *middle, *ffn_normed, *gate, *up, *act;
} TrainSaved;

/* Shared by all blocks during a batch. */
typedef struct TrainRun {
    Pool *pool;
    TrainShape shape;
    Rope rope;
    Sequences sequences;
    size_t n;                        /* tokens of the batch */
    const float *cosine, *sine;      /* (n, head_dim / 2): each row's angles */
    float *matmul_scratch;           /* for max(hidden, ...) columns */
    float *attn_scratch;             /* of the mixer, for the longest sequence */
    float *grad_a, *grad_b, *grad_c; /* (n, train_widest()) each */
} TrainRun;

/* A mixer that replaces attention. */
struct TrainMixer {
    const char *name;
    /* saved->middle (n, dim) = mixer(saved->normed) */
    void (*forward)(const TrainRun *run, const TrainBlock *w, TrainSaved *saved);
    /* backward through x + mixer(norm(x)): dx, in: of the sum; out: of x */
    void (*backward)(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                     const TrainSaved *saved, float *dx);
    size_t (*widest)(const TrainShape *shape); /* train_widest */
    /* floats of TrainRun.attn_scratch for sequences of up to `longest` tokens */
    size_t (*scratch)(const TrainShape *shape, int threads, size_t longest);
};

/* Row width of the three gradient buffers, grad_a to grad_c. */
size_t train_widest(const TrainShape *shape);

/* x (n, dim) through the block, in place. */
void block_train_forward(const TrainRun *run, const TrainBlock *w, TrainSaved *saved, float *x);

/* dx (n, dim): in: the gradient of the output; out: of the input; grad: added to. */
void block_train_backward(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                          const TrainSaved *saved, float *dx);

#endif
