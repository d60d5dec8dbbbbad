/* roles.h - the tensors of a model's blocks, one row each: its name, shape, place in the block,
 * and which blocks have it.
 *
 *     blk.3.attn_q.weight   (heads * head_dim, dim)   -> block.attention.q
 *
 * All code that visits a model's tensors uses this table: binding a file, repacking weights,
 * writing a test model.  These rows are those of a plain decoder; other families' follow
 * (role_of, role_count).
 *
 * Invariant: a role's shape follows from the sizes of its layer alone
 * [layers_have_sizes_of_their_own]. */
#ifndef STRATA_ROLES_H
#define STRATA_ROLES_H

#include "gguf.h"
#include "transformer.h"

/* The sizes of one layer. */
typedef struct LayerSizes {
    size_t dim, heads, kv_heads, head_dim, value_dim, rotary; /* heads 0: no attention */
    size_t in;                                                /* input width of q, k and v */
    size_t q, k, v;                                           /* their rows */
    size_t mixed;          /* input width of the output projection */
    size_t q_norm, k_norm; /* numbers per norm of queries, of keys */
    size_t hidden;         /* of the feed-forward; 0: none */
    bool gate_in_up;       /* ffn_up holds the gate, then up */
    size_t window;         /* positions it sees; 0: all */
    bool rope;
    struct LayerExtras *extras; /* of other families (families.h); NULL: none */
} LayerSizes;

/* Set in, q, k, v and mixed from head counts and lengths. */
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
    ROLE_LINEAR, /* NAME.weight (rows, cols), maybe NAME.bias (rows); stacked (count, ...) */
    ROLE_NORM,   /* NAME.weight (rows, cols), maybe NAME.bias: a norm per cols numbers */
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
    size_t place; /* offset in a Block, or in its extras */
    bool in_extras;
    RoleSize *rows, *cols;
    const char *from; /* the keys that determine its shape */
    Need (*need)(const struct Recipe *recipe, const LayerSizes *sizes);
    RoleSize *count; /* matrices in a stack; NULL: one */
} Role;

/* A role's row; the number of rows, including other families'. */
const Role *role_of(RoleId id);
RoleId role_count(void);

/* Its place in a block; NULL: the block has no extras. */
void *role_in(const Role *role, Block *block);

/* "blk.3.attn_q.weight" in out, or without a suffix "blk.3.ssm_a"; returns out. */
const char *block_tensor_name(char *out, size_t size, size_t layer, const char *name,
                              const char *suffix);

#endif
