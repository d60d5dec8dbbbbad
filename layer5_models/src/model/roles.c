/* roles.c - see roles.h. */
#include "model/bind.h"

#include <stddef.h>
#include <stdio.h>

static const char dim[] = "embedding_length",
                  heads[] = "attention.head_count, head_count_kv, key_length, value_length and "
                            "embedding_length",
                  head[] = "attention.key_length",
                  network[] = "feed_forward_length and embedding_length";

void layer_widths(LayerSizes *s) {
    s->in = s->dim, s->q = s->heads * s->head_dim, s->mixed = s->heads * s->value_dim;
    s->k = s->kv_heads * s->head_dim, s->v = s->kv_heads * s->value_dim;
}

/* clang-format off */
#define SIZE(NAME, VALUE) static size_t size_##NAME(const LayerSizes *s) { return VALUE; }
SIZE(dim, s->dim)
SIZE(in, s->in)
SIZE(q, s->q)
SIZE(k, s->k)
SIZE(v, s->v)
SIZE(mixed, s->mixed)
SIZE(q_norm, s->q_norm)
SIZE(k_norm, s->k_norm)
SIZE(hidden, s->hidden)
/* clang-format on */

size_t size_one(const LayerSizes *s) {
    (void)s;
    return 1;
}

static Need need_if(bool condition) { return condition ? NEED_YES : NEED_NO; }

static Need need_attention(const Recipe *r, const LayerSizes *s) {
    (void)r;
    return need_if(s->heads);
}

static Need need_head_norms(const Recipe *r, const LayerSizes *s) {
    (void)s;
    return need_if(r->head_norms);
}

static Need need_attn_norm(const Recipe *r, const LayerSizes *s) {
    (void)s;
    return need_if(!r->no_pre_norms);
}

/* A parallel block may have one norm for both branches. */
static Need need_ffn_norm(const Recipe *r, const LayerSizes *s) {
    (void)s;
    if (r->no_pre_norms) return NEED_NO;
    return r->wiring == &parallel_wiring ? NEED_MAYBE : NEED_YES;
}

static Need need_post_norm(const Recipe *r, const LayerSizes *s) {
    (void)s;
    return need_if(r->post_norms);
}

static Need need_network(const Recipe *r, const LayerSizes *s) {
    (void)r;
    return need_if(s->hidden);
}

static Need need_gate(const Recipe *r, const LayerSizes *s) {
    (void)s;
    return need_if(r->gated);
}

#define AT(member) .place = offsetof(Block, member), .in_extras = false

/* clang-format off */
static const Role core_roles[CORE_ROLES] = {
    [ROLE_ATTN_NORM]      = {"attn_norm", ROLE_NORM, AT(attn_norm), size_one, size_dim, dim, need_attn_norm},
    [ROLE_ATTN_Q]         = {"attn_q", ROLE_LINEAR, AT(attention.q), size_q, size_in, heads, need_attention},
    [ROLE_ATTN_K]         = {"attn_k", ROLE_LINEAR, AT(attention.k), size_k, size_in, heads, need_attention},
    [ROLE_ATTN_V]         = {"attn_v", ROLE_LINEAR, AT(attention.v), size_v, size_in, heads, need_attention},
    [ROLE_ATTN_OUTPUT]    = {"attn_output", ROLE_LINEAR, AT(attention.o), size_dim, size_mixed, heads, need_attention},
    [ROLE_ATTN_Q_NORM]    = {"attn_q_norm", ROLE_NORM, AT(attention.q_norm), size_one, size_q_norm, head, need_head_norms},
    [ROLE_ATTN_K_NORM]    = {"attn_k_norm", ROLE_NORM, AT(attention.k_norm), size_one, size_k_norm, head, need_head_norms},
    [ROLE_ATTN_POST_NORM] = {"post_attention_norm", ROLE_NORM, AT(attn_post_norm), size_one, size_dim, dim, need_post_norm},
    [ROLE_FFN_NORM]       = {"ffn_norm", ROLE_NORM, AT(ffn_norm), size_one, size_dim, dim, need_ffn_norm},
    [ROLE_FFN_GATE]       = {"ffn_gate", ROLE_LINEAR, AT(ffn.net.gate), size_hidden, size_dim, network, need_gate},
    [ROLE_FFN_UP]         = {"ffn_up", ROLE_LINEAR, AT(ffn.net.up), size_hidden, size_dim, network, need_network},
    [ROLE_FFN_DOWN]       = {"ffn_down", ROLE_LINEAR, AT(ffn.net.down), size_dim, size_hidden, network, need_network},
    [ROLE_FFN_POST_NORM]  = {"post_ffw_norm", ROLE_NORM, AT(ffn_post_norm), size_one, size_dim, dim, need_post_norm},
};
/* clang-format on */

const Role *role_of(RoleId id) {
    return id < CORE_ROLES ? &core_roles[id] : &more_families.roles[id - CORE_ROLES];
}

RoleId role_count(void) { return CORE_ROLES + more_families.n_roles; }

void *role_in(const Role *role, Block *block) {
    if (!role->in_extras) return (char *)block + role->place;
    return block->extras ? (char *)block->extras + role->place : NULL;
}

const char *block_tensor_name(char *out, size_t size, size_t layer, const char *name,
                              const char *suffix) {
    snprintf(out, size, "blk.%zu.%s%s%s", layer, name, suffix ? "." : "", suffix ? suffix : "");
    return out;
}
