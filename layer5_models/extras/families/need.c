/* need.c - how families change the core's roles: which blocks have them, and their names.  See
 * roles.h. */
#include "families/parts.h"

static Need needed_if(bool condition) { return condition ? NEED_YES : NEED_NO; }

static Need latent_need(RoleId id, const LayerExtras *e) {
    if (id == ROLE_ATTN_Q) return needed_if(!e->q_latent);
    return needed_if(id == ROLE_ATTN_OUTPUT);
}

/* Optional head norms: bind_block.c. */
static Need head_norm_need(const Recipe *r, const LayerSizes *s) {
    const Quirks *q = s->extras->quirks;
    return needed_if(r->head_norms && !q->head_norms_optional);
}

static Need attention_need(const Recipe *r, RoleId id, const LayerSizes *s) {
    const LayerExtras *e = s->extras;
    const Need shared = e->quirks->unused_kv_maps ? NEED_MAYBE : NEED_NO;
    if (!s->heads) return needed_if(e->map_mixer && id == ROLE_ATTN_OUTPUT);
    if (e->latent) return latent_need(id, e);
    switch (id) {
    case ROLE_ATTN_K: return e->kv_back ? shared : NEED_YES;
    case ROLE_ATTN_V: return e->kv_back ? shared : needed_if(!e->keys_are_values);
    case ROLE_ATTN_K_NORM: return e->kv_back ? shared : head_norm_need(r, s);
    case ROLE_ATTN_Q_NORM: return head_norm_need(r, s);
    default: return NEED_YES;
    }
}

/* A layer with a mixer has a norm before it. */
static bool has_attn_norm(const Recipe *r, const LayerSizes *s) {
    const LayerExtras *e = s->extras;
    bool mixes = s->heads || e->ssm_inner || e->short_conv || e->delta_heads || e->rwkv_heads ||
                 e->map_mixer;
    const bool always = !e->quirks->recurrent && !e->quirks->optional_parts;
    return !r->no_pre_norms && !e->bare && !e->joined && (always || mixes);
}

Need need_more(const Recipe *r, RoleId id, const LayerSizes *s) {
    const LayerExtras *e = s->extras;
    const Quirks *q = e->quirks;
    const bool network = s->hidden || e->experts;
    if (id >= ROLE_ATTN_Q && id <= ROLE_ATTN_K_NORM) return attention_need(r, id, s);
    if (q->no_gains && (id == ROLE_ATTN_NORM || id == ROLE_FFN_NORM)) return NEED_NO;
    switch (id) {
    case ROLE_ATTN_NORM: return needed_if(has_attn_norm(r, s));
    case ROLE_FFN_NORM:
        if (!network || r->no_pre_norms) return NEED_NO;
        return r->wiring == &parallel_wiring || q->parallel_by_norm ? NEED_MAYBE : NEED_YES;
    case ROLE_FFN_POST_NORM: return needed_if(network && r->post_norms);
    case ROLE_FFN_GATE: return needed_if(s->hidden && r->gated && !e->no_gate);
    default: return role_of(id)->need(r, s);
    }
}

const char *other_name(const Binder *b, RoleId id, size_t layer) {
    const bool swapped = b->model->layers[layer].extras->swapped;
    if (swapped && id == ROLE_FFN_UP) return role_of(ROLE_FFN_DOWN)->name;
    if (swapped && id == ROLE_FFN_DOWN) return role_of(ROLE_FFN_UP)->name;
    for (const RoleName *n = quirks_in(b)->names; n && n->name; n++)
        if (n->id == id && (!n->when_block_has || has_matrix(b, layer, n->when_block_has)))
            return n->name;
    return NULL;
}
