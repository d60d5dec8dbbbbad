/* block_train.h - one transformer block forward and backward, for the kinds of model this
 * project trains: pre-norm (RMSNorm), rotary positions, grouped-query attention, SwiGLU, no
 * biases (a llama).  A TrainMixer may take the place of attention (train_delta.h).
 *
 *     x ---+--> norm --> q k v --> rope --> attention --> o --+--> x'
 *          +--------------------------------------------------+
 *     x' --+--> norm --> gate, up --> silu(gate) * up --> down --+--> x''
 *          +-----------------------------------------------------+
 *
 * The forward pass keeps what the backward pass reads; the backward pass walks the picture from
 * right to left.
 *
 * Invariant: gradients of weights are added to, the gradient of x is replaced. */
#ifndef STRATA_BLOCK_TRAIN_H
#define STRATA_BLOCK_TRAIN_H

#include "attention_train.h"

typedef struct TrainMixer TrainMixer;

typedef struct TrainShape {
    size_t dim, hidden, heads, kv_heads, head_dim;
    float eps;
    bool both_ways;          /* a token sees those behind it, too */
    const TrainMixer *mixer; /* NULL: attention */
    size_t taps;             /* of a mixer with a convolution */
} TrainShape;

/* Numbers of q, k and v of a token, side by side. */
static inline size_t train_channels(const TrainShape *s) {
    return (s->heads + 2 * s->kv_heads) * s->head_dim;
}

/* The weights of a block, or their gradients; f32, (out, in). */
typedef struct TrainBlock {
    float *attn_norm, *ffn_norm; /* (dim) */
    float *q, *k, *v;            /* (heads*hd, dim), (kv*hd, dim), (kv*hd, dim) */
    float *o;                    /* (dim, heads*hd) */
    void *mixer;                 /* those of shape.mixer, in place of q, k, v and o */
    float *gate, *up, *down;     /* (hidden, dim), (hidden, dim), (dim, hidden) */
} TrainBlock;

/* What the forward pass leaves for the backward pass; n rows each. */
typedef struct TrainSaved {
    float *x, *normed; /* the input and its norm */
    float *q, *k, *v;  /* q and k after their rotation */
    float *mixed;      /* the mixer's rows before its last map */
    void *mixer;       /* what shape.mixer leaves beside it */
    float *middle, *ffn_normed, *gate, *up, *act;
} TrainSaved;

/* What all blocks share while a batch goes through. */
typedef struct TrainRun {
    Pool *pool;
    TrainShape shape;
    Rope rope;
    Sequences sequences;
    size_t n;                        /* rows: tokens of the batch */
    const float *cosine, *sine;      /* (n, head_dim / 2): each row's angles */
    float *matmul_scratch;           /* for max(hidden, ...) columns */
    float *attn_scratch;             /* for the longest sequence, of the mixer */
    float *grad_a, *grad_b, *grad_c; /* (n, train_widest()) each */
} TrainRun;

/* In place of attention. */
struct TrainMixer {
    const char *name;
    /* saved->middle (n, dim) = the mixer for saved->normed */
    void (*forward)(const TrainRun *run, const TrainBlock *w, TrainSaved *saved);
    /* back through x + mixer(norm(x)): dx, the gradient by the sum, becomes that by x */
    void (*backward)(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                     const TrainSaved *saved, float *dx);
    size_t (*widest)(const TrainShape *shape); /* train_widest */
    /* floats of TrainRun.attn_scratch for sequences of up to `longest` tokens */
    size_t (*scratch)(const TrainShape *shape, int threads, size_t longest);
};

/* Numbers of a row that the backward pass needs in each of its three buffers. */
size_t train_widest(const TrainShape *shape);

/* x (n, dim) in, x out. */
void block_train_forward(const TrainRun *run, const TrainBlock *w, TrainSaved *saved, float *x);

/* dx (n, dim): gradient by the output in, by the input out; grad: added to. */
void block_train_backward(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                          const TrainSaved *saved, float *dx);

#endif
