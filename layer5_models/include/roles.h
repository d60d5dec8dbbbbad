/* roles.h - the tensors of a model, a row for each: what it is called, its shape, where it goes.
 *
 *     blk.3.attn_q.weight   (heads * head_dim, dim)   -> block.attention.q
 *
 * Everything that goes through a model's tensors walks this table: binding a file, repacking
 * weights, training and writing a model, making one to measure with.  A family that calls a tensor
 * otherwise says so in its recipe.
 *
 * Invariant: a role's shape follows from the sizes of its layer alone. */
#ifndef STRATA_ROLES_H
#define STRATA_ROLES_H

#include "gguf.h"
#include "transformer_extras.h"

/* The sizes of one layer. */
typedef struct LayerSizes {
    size_t dim, heads, kv_heads, head_dim, value_dim, rotary; /* heads 0: no attention */
    size_t hidden; /* of its network; 0: it has none, or experts */
    size_t experts, experts_used, expert_hidden; /* 0: no mixture */
    size_t shared_hidden;       /* of the network beside its experts; 0: none */
    size_t groups, groups_used; /* of its experts; 0: none */
    size_t expert_latent;       /* numbers that experts read and answer; 0: dim */
    bool beside;                /* it has a network and experts side by side */
    size_t input;               /* numbers of a layer's own input; 0: it has none */
    size_t streams, laurel; /* parts of the stream, rank of the way beside attention; 0: none */
    /* with latents: of keys and values, 0: none, and of queries; numbers of a query that do not turn, and
     * of a value; one matrix moves to the queries, or makes keys.  Then kv_heads, head_dim and value_dim
     * are what memory holds */
    size_t latent, q_latent, plain, latent_value;
    bool absorbed;
    size_t index_heads, index_width, index_top; /* of its indexer; 0: none */
    size_t attn_gate;                           /* rows of the gate on what is mixed; 0: none */
    bool gate_in_q;           /* or q holds it: each head a query, then its gate */
    bool bare;                /* attention reads x without a norm */
    bool no_gate, gate_in_up; /* of its network: it has none; it lies in ffn_up */
    bool swapped;             /* ffn_up is called ffn_down, and the other way round */
    bool keys_are_values;     /* there is no map of its own for values */
    /* > 0: keys and values are those of the layer so many before; kv_heads is how many that one has */
    size_t back;
    size_t window;       /* 0: it sees everything */
    size_t buckets;      /* of distances that have a bias; 0: none */
    bool encodes, cross; /* its rows are a source's; they look at one */
    bool first;          /* of the encoder or of those that write */
    bool rope;
    /* of its state-space mixer; ssm_inner 0: none */
    size_t ssm_inner, ssm_state, ssm_rank, ssm_heads, ssm_groups, ssm_taps;
    size_t short_conv; /* taps of its short convolution; 0: none */
    /* of its delta net, delta_heads 0: none; each: numbers of a key are forgotten by themselves (KDA);
     * both: betas and decays come from one map */
    size_t delta_heads, delta_keys, delta_dim, delta_taps;
    bool delta_each, delta_both;
    /* of its RWKV mixers, rwkv_heads 0: none; ranks of the maps to w, a, v and g */
    size_t rwkv_heads, rwkv_dim, rwkv_hidden, rwkv_w, rwkv_a, rwkv_v, rwkv_g;
    bool rwkv_first; /* its values are mixed into those of later layers */
    bool drafts;     /* it is a draft head: it begins with a join */
    bool joined;     /* ... all of which its attention reads */
} LayerSizes;

/* A measure of a layer, to name shapes with. */
typedef enum Extent {
    EXTENT_ONE,
    EXTENT_DIM,
    EXTENT_ATTN_IN, /* dim; joined: 2 dim */
    EXTENT_Q,       /* heads * head_dim */
    EXTENT_K,       /* kv_heads * head_dim */
    EXTENT_V,       /* kv_heads * value_dim */
    EXTENT_MIXED,   /* heads * value_dim */
    EXTENT_ATTN_GATE,
    EXTENT_HEADS,
    EXTENT_BUCKETS,
    EXTENT_LATENT,
    EXTENT_Q_LATENT,
    EXTENT_KV_LATENT, /* latent + rotary */
    EXTENT_KV_HEADS,  /* heads * (plain + latent_value) */
    EXTENT_PLAIN,
    EXTENT_INDEX_Q, /* its heads * their width */
    EXTENT_INDEX_HEADS,
    EXTENT_INDEX_WIDTH,
    EXTENT_LATENT_VALUE,
    EXTENT_HEAD_DIM,
    EXTENT_HIDDEN,
    EXTENT_EXPERTS,
    EXTENT_EXPERT_HIDDEN,
    EXTENT_EXPERT_IN, /* dim, or what experts read in place of it */
    EXTENT_EXPERT_LATENT,
    EXTENT_SHARED_HIDDEN,
    EXTENT_INPUT,
    EXTENT_STREAMS,
    EXTENT_STREAM_PAIRS, /* streams^2 */
    EXTENT_LAUREL,
    EXTENT_SSM_IN,    /* 2 inner;        with heads 2 inner + 2 groups * state + heads */
    EXTENT_SSM_CONV,  /* inner;          with heads inner + 2 groups * state */
    EXTENT_SSM_X,     /* rank + 2 state */
    EXTENT_SSM_A,     /* inner;          with heads heads */
    EXTENT_SSM_RATES, /* state;          with heads 1 */
    EXTENT_SSM_GROUP, /* inner / groups */
    EXTENT_SSM_INNER,
    EXTENT_SSM_STATE,
    EXTENT_SSM_RANK,
    EXTENT_SSM_GROUPS,
    EXTENT_SSM_TAPS,
    EXTENT_SHORT_CONV_IN, /* 3 dim */
    EXTENT_SHORT_CONV,    /* its taps */
    EXTENT_DELTA_K,       /* keys * its dim */
    EXTENT_DELTA_V,       /* heads * its dim */
    EXTENT_DELTA_DECAYS,  /* heads; each: as many as values */
    EXTENT_DELTA_HEADS,
    EXTENT_DELTA_BOTH, /* 2 heads */
    EXTENT_DELTA_IN,   /* dim; each: its dim, of a map that goes by way of few numbers */
    EXTENT_DELTA_DIM,
    EXTENT_DELTA_TAPS,
    EXTENT_RWKV_MIXES, /* 6 */
    EXTENT_RWKV_W,
    EXTENT_RWKV_A,
    EXTENT_RWKV_V,
    EXTENT_RWKV_G,
    EXTENT_RWKV_HIDDEN,
    EXTENT_JOINED, /* 2 dim */
} Extent;
size_t extent_of(Extent extent, const LayerSizes *sizes);

typedef enum RoleId {
    ROLE_ATTN_NORM,
    ROLE_ATTN_Q,
    ROLE_ATTN_K,
    ROLE_ATTN_V,
    ROLE_ATTN_OUTPUT,
    ROLE_ATTN_Q_NORM,
    ROLE_ATTN_K_NORM,
    ROLE_ATTN_GATE,
    ROLE_ATTN_SUB_NORM,
    ROLE_LATENT_Q_A,
    ROLE_LATENT_Q_NORM,
    ROLE_LATENT_Q_B,
    ROLE_LATENT_KV_A,
    ROLE_LATENT_KV_NORM,
    ROLE_LATENT_K_B,
    ROLE_LATENT_V_B,
    ROLE_LATENT_KV_B,
    ROLE_INDEX_Q,
    ROLE_INDEX_K,
    ROLE_INDEX_GAIN,
    ROLE_INDEX_BIAS,
    ROLE_INDEX_WEIGH,
    ROLE_ATTN_SINKS,
    ROLE_ATTN_RELATIVE,
    ROLE_CROSS_NORM,
    ROLE_CROSS_Q,
    ROLE_CROSS_K,
    ROLE_CROSS_V,
    ROLE_CROSS_OUT,
    ROLE_ATTN_POST_NORM,
    ROLE_ATTN_NORM_2,
    ROLE_FFN_NORM,
    ROLE_FFN_GATE,
    ROLE_FFN_UP,
    ROLE_FFN_SUB_NORM,
    ROLE_FFN_DOWN,
    ROLE_ROUTER,
    ROLE_ROUTER_BIAS,
    ROLE_EXPERTS_GATE,
    ROLE_EXPERTS_UP,
    ROLE_EXPERTS_DOWN,
    ROLE_SHARED_ROUTER,
    ROLE_SHARED_GATE,
    ROLE_SHARED_UP,
    ROLE_SHARED_DOWN,
    ROLE_FFN_POST_NORM,
    ROLE_LATENT_DOWN,
    ROLE_LATENT_UP,
    ROLE_ROUTER_GAIN,
    ROLE_EXPERTS_SCALE,
    ROLE_EXPERTS_NORM,
    ROLE_NETWORK_POST_NORM,
    ROLE_EXPERTS_POST_NORM,
    ROLE_LAYER_GATE,
    ROLE_LAYER_OUT,
    ROLE_LAYER_NORM,
    ROLE_OUTPUT_SCALE,
    ROLE_ALTUP_ROUTER,
    ROLE_ALTUP_NORM,
    ROLE_ALTUP_PREDICT,
    ROLE_ALTUP_CORRECT,
    ROLE_ALTUP_SCALE,
    ROLE_LAUREL_LEFT,
    ROLE_LAUREL_RIGHT,
    ROLE_LAUREL_NORM,
    ROLE_SSM_IN,
    ROLE_SSM_CONV,
    ROLE_SSM_CONV_BIAS,
    ROLE_SSM_X,
    ROLE_SSM_DT,
    ROLE_SSM_DT_BIAS,
    ROLE_SSM_A,
    ROLE_SSM_D,
    ROLE_SSM_DT_NORM,
    ROLE_SSM_B_NORM,
    ROLE_SSM_C_NORM,
    ROLE_SSM_NORM,
    ROLE_SSM_OUT,
    ROLE_SHORT_CONV_IN,
    ROLE_SHORT_CONV,
    ROLE_SHORT_CONV_OUT,
    ROLE_DELTA_Q,
    ROLE_DELTA_K,
    ROLE_DELTA_V,
    ROLE_DELTA_Q_CONV,
    ROLE_DELTA_K_CONV,
    ROLE_DELTA_V_CONV,
    ROLE_DELTA_DECAY_A,
    ROLE_DELTA_DECAY,
    ROLE_DELTA_DT_BIAS,
    ROLE_DELTA_A,
    ROLE_DELTA_BETA,
    ROLE_DELTA_BOTH,
    ROLE_DELTA_GATE_A,
    ROLE_DELTA_GATE,
    ROLE_DELTA_NORM,
    ROLE_DELTA_OUT,
    ROLE_RWKV_R,
    ROLE_RWKV_K,
    ROLE_RWKV_V,
    ROLE_RWKV_OUT,
    ROLE_RWKV_MU,
    ROLE_RWKV_W0,
    ROLE_RWKV_W1,
    ROLE_RWKV_W2,
    ROLE_RWKV_A0,
    ROLE_RWKV_A1,
    ROLE_RWKV_A2,
    ROLE_RWKV_VALUE0,
    ROLE_RWKV_VALUE1,
    ROLE_RWKV_VALUE2,
    ROLE_RWKV_G1,
    ROLE_RWKV_G2,
    ROLE_RWKV_KK,
    ROLE_RWKV_KA,
    ROLE_RWKV_RK,
    ROLE_RWKV_GAIN,
    ROLE_RWKV_BIAS,
    ROLE_RWKV_CHANNEL_NORM,
    ROLE_RWKV_CHANNEL_MU,
    ROLE_RWKV_CHANNEL_UP,
    ROLE_RWKV_CHANNEL_DOWN,
    ROLE_JOIN_TOKEN_NORM,
    ROLE_JOIN_HIDDEN_NORM,
    ROLE_JOIN,
    ROLES,
} RoleId;

typedef enum RoleKind {
    ROLE_LINEAR, /* NAME.weight (rows, cols), perhaps NAME.bias (rows) */
    ROLE_STACK,  /* NAME.weight (experts, rows, cols), perhaps NAME.bias (experts, rows) */
    ROLE_HEADS,  /* NAME.weight (heads, rows, cols), the same */
    ROLE_NORM,   /* NAME.weight (cols), perhaps NAME.bias (cols) */
    ROLE_VECTOR, /* NAME.weight (rows, cols), as f32 numbers */
    ROLE_OFFSET, /* NAME.bias (rows, cols), the same */
    ROLE_PLAIN,  /* NAME (rows, cols), the same */
} RoleKind;

typedef struct Role {
    const char *name; /* "attn_q" */
    RoleKind kind;
    size_t place; /* in a Block, or in its extras */
    bool in_extras;
    Extent rows, cols;
    const char *from; /* the keys its shape comes from */
} Role;

/* The row of a role. */
const Role *role_of(RoleId id);

/* Where it goes in a block. */
void *role_in(const Role *role, Block *block);

/* A role that a family calls otherwise: always, or in blocks that have the tensor `beside`. */
typedef struct RoleName {
    RoleId id;
    const char *name; /* NULL ends a list */
    const char *beside;
} RoleName;

/* "blk.3.attn_q.weight" in out, or without a suffix "blk.3.ssm_a"; returns out. */
const char *block_tensor_name(char *out, size_t size, size_t layer, const char *name,
                              const char *suffix);

#endif
