/* block_train.h - one transformer block forward and backward, for the kinds of model this
 * project trains: pre-norm (RMSNorm), rotary positions, grouped-query attention, SwiGLU, no
 * biases (a llama); or the same with a memory in place of attention (Gated DeltaNet, a Qwen 3.5
 * without its layers of attention).
 *
 *     x ---+--> norm --> q k v --> rope --> attention --> o --+--> x'
 *          +--------------------------------------------------+
 *     x' --+--> norm --> gate, up --> silu(gate) * up --> down --+--> x''
 *          +-----------------------------------------------------+
 *
 * Where mixer is TRAIN_DELTA, the first branch is (mixer_delta.h)
 *
 *     norm --> q k v --> conv, silu, length 1 --> the memory moves on --> norm --> * --> out
 *          --> z --------------------------------------------------------> silu ---+
 *
 * The forward pass keeps what the backward pass reads; the backward pass walks the picture from
 * right to left.
 *
 * Invariant: gradients of weights are added to, the gradient of x is replaced. */
#ifndef STRATA_BLOCK_TRAIN_H
#define STRATA_BLOCK_TRAIN_H

#include "delta_train.h"

typedef enum TrainMixer { TRAIN_ATTENTION, TRAIN_DELTA } TrainMixer;

/* Of a delta net kv_heads are its heads of keys; head h of values goes with head h % kv_heads. */
typedef struct TrainShape {
    size_t dim, hidden, heads, kv_heads, head_dim;
    float eps;
    bool both_ways; /* a token sees those behind it, too */
    TrainMixer mixer;
    size_t taps; /* of a delta net's convolution */
} TrainShape;

/* Numbers of q, k and v of a token, side by side. */
static inline size_t train_channels(const TrainShape *s) {
    return (s->heads + 2 * s->kv_heads) * s->head_dim;
}

/* The weights of a delta net, or their gradients. */
typedef struct TrainDelta {
    float *qkv, *taps;   /* (channels, dim): q, k, v; (channels, taps) of their convolution */
    float *alpha, *beta; /* (heads, dim) what is forgotten, how much comes in */
    float *rate, *bias;  /* (heads) what stays is exp(-exp(rate) softplus(alpha + bias)) */
    float *gate, *norm;  /* (heads*hd, dim), (hd) */
    float *out;          /* (dim, heads*hd) */
} TrainDelta;

/* The weights of a block, or their gradients; f32, (out, in). */
typedef struct TrainBlock {
    float *attn_norm, *ffn_norm; /* (dim) */
    float *q, *k, *v;            /* (heads*hd, dim), (kv*hd, dim), (kv*hd, dim) */
    float *o;                    /* (dim, heads*hd) */
    TrainDelta delta;            /* or these, in place of q, k, v and o */
    float *gate, *up, *down;     /* (hidden, dim), (hidden, dim), (dim, hidden) */
} TrainBlock;

/* What the forward pass of a delta net leaves; n rows each. */
typedef struct TrainDeltaSaved {
    float *in, *conv; /* (channels) before the convolution, and behind it */
    float *z, *asked; /* (heads*hd) the gate before silu; what the memory answered */
    float *alpha;     /* (heads) as its map has it */
    DeltaRows rows;   /* what the memory reads */
} TrainDeltaSaved;

/* What the forward pass leaves for the backward pass; n rows each. */
typedef struct TrainSaved {
    float *x, *normed; /* the input and its norm */
    float *q, *k, *v;  /* q and k after their rotation */
    float *mixed;      /* what attention returns, or a delta net before its last map */
    TrainDeltaSaved delta;
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

/* Numbers of a row that the backward pass needs in each of three places. */
size_t train_widest(const TrainShape *shape);

/* x (n, dim) in, x out. */
void block_train_forward(const TrainRun *run, const TrainBlock *w, TrainSaved *saved, float *x);

/* dx (n, dim): gradient by the output in, by the input out; grad: added to. */
void block_train_backward(const TrainRun *run, const TrainBlock *w, TrainBlock *grad,
                          const TrainSaved *saved, float *dx);

#endif
