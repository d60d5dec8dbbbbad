/* roles.h - the tensors of a model's blocks, a row for each: what it is called, its shape,
 * where it goes, and which blocks have it.
 *
 *     blk.3.attn_q.weight   (heads * head_dim, dim)   -> block.attention.q
 *
 * Everything that goes through a model's tensors walks this table: binding a file, repacking
 * weights, writing a model to measure with.  The rows here are those of a plain decoder; other
 * families' rows follow them (role_of, role_count).
 *
 * Invariant: a role's shape follows from the sizes of its layer alone. */
#ifndef STRATA_ROLES_H
#define STRATA_ROLES_H

#include "gguf.h"
#include "transformer.h"

/* The sizes of one layer. */
typedef struct LayerSizes {
    size_t dim, heads, kv_heads, head_dim, value_dim, rotary; /* heads 0: no attention */
    size_t in;             /* numbers that the maps of queries, keys and values read */
    size_t q, k, v;        /* rows of these maps */
    size_t mixed;          /* what the last map of attention reads */
    size_t q_norm, k_norm; /* numbers under one norm of queries, of keys */
    size_t hidden;         /* of its network; 0: none */
    bool gate_in_up;       /* the network's gate lies in ffn_up, before up */
    size_t window;         /* positions it sees; 0: all */
    bool rope;
    struct LayerExtras *extras; /* of other families (families.h); NULL: none */
} LayerSizes;

/* Fill in, q, k, v and mixed from the numbers of heads and their lengths. */
void layer_widths(LayerSizes *sizes);

typedef int RoleId;
enum {
    ROLE_ATTN_NORM,
    ROLE_ATTN_Q,
    ROLE_ATTN_K,
    ROLE_ATTN_V,
    ROLE_ATTN_OUTPUT,
    ROLE_ATTN_Q_NORM,
    ROLE_ATTN_K_NORM,
    ROLE_ATTN_POST_NORM,
    ROLE_FFN_NORM,
    ROLE_FFN_GATE,
    ROLE_FFN_UP,
    ROLE_FFN_DOWN,
    ROLE_FFN_POST_NORM,
    CORE_ROLES, /* those of other families follow */
};

typedef enum RoleKind {
    ROLE_LINEAR, /* NAME.weight (rows, cols), perhaps NAME.bias (rows); of a stack (count, ...) */
    ROLE_NORM,   /* NAME.weight (rows, cols), perhaps NAME.bias: a norm of each cols numbers */
    ROLE_VECTOR, /* NAME.weight (rows, cols), as f32 numbers */
    ROLE_OFFSET, /* NAME.bias (rows, cols), the same */
    ROLE_PLAIN,  /* NAME (rows, cols), the same */
} RoleKind;

/* Must a block have the tensor, may it, or must it not? */
typedef enum Need { NEED_NO, NEED_MAYBE, NEED_YES } Need;

struct Recipe;

typedef size_t RoleSize(const LayerSizes *sizes);

typedef struct Role {
    const char *name; /* "attn_q" */
    RoleKind kind;
    size_t place; /* in a Block, or in its extras */
    bool in_extras;
    RoleSize *rows, *cols;
    const char *from; /* the keys its shape comes from */
    Need (*need)(const struct Recipe *recipe, const LayerSizes *sizes);
    RoleSize *count; /* maps of a stack; NULL: one */
} Role;

/* The row of a role; all rows, those of other families included. */
const Role *role_of(RoleId id);
RoleId role_count(void);

/* Where it goes in a block; NULL: nowhere, the block has no extras. */
void *role_in(const Role *role, Block *block);

/* "blk.3.attn_q.weight" in out, or without a suffix "blk.3.ssm_a"; returns out. */
const char *block_tensor_name(char *out, size_t size, size_t layer, const char *name,
                              const char *suffix);

#endif
