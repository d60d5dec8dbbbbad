/* left_over.c - nothing that a file says is ignored.  See bind.h.
 *
 * Keys live in namespaces.  `<arch>.` says what to compute: every key of it is looked up, or the file
 * is refused.  `general.` and `quantize.` tell where a file comes from, `tokenizer.` belongs to
 * tokenizer_open, `split.` is read by check_container, and `adapter.` says that this is no whole
 * model: it is refused.  Any other namespace is somebody's note (GGUF leaves them to whoever wants
 * one). */
#include "bind.h"

#include <stdio.h>
#include <string.h>

static bool is_integer(const GgufPair *pair, int64_t max) {
    int64_t value;
    return pair->type != GGUF_ARRAY && pair->type != GGUF_BOOL && gguf_int(pair, 0, &value) &&
           value >= 0 && value <= max;
}

/* A model in one file has no split, one of one part, or, once joined, one of none. */
static bool check_split(Binder *b) {
    const GgufPair *count = gguf_find(&b->model->gguf, "split.count"),
                   *number = gguf_find(&b->model->gguf, "split.no");
    char parts[96], part[96];
    if (!count && !number) return true;
    if (count && is_integer(count, 1) && (!number || is_integer(number, 0))) return true;
    return b->ok = fault_set(b->fault,
                             "the file is one part of a split model: split.count is %s, "
                             "split.no is %s; open the first part by its path, with the "
                             "others beside it",
                             value_text(count, parts, sizeof parts),
                             value_text(number, part, sizeof part));
}

/* What to do with a file of another kind, by what it says of itself. */
static const char *advice_on(Text kind, bool sees) {
    if (text_equal(kind, text_of("adapter")))
        return "an adapter (LoRA) corrects a model: give that model with -m, and this file "
               "with "
               "--adapter";
    if (text_equal(kind, text_of("mmproj")))
        return "it reads pictures for another model: give that one with -m, and this one with "
               "--mmproj";
    if (text_equal(kind, text_of("imatrix")))
        return "strata quantize reads it, with --importance";
    return sees ? "give the file of the eye that it belongs to"
                : "give the model that it belongs to";
}

bool check_container(Binder *b) {
    const GgufPair *type = gguf_find(&b->model->gguf, "general.type");
    Text name = {"", 0};
    char got[96];
    const char *wanted = b->sees ? "mmproj" : "model";
    if (type && !(gguf_string(type, &name) && text_equal(name, text_of(wanted))))
        return b->ok = fault_set(
                   b->fault, "the file is not %s: general.type is %s, wanted \"%s\"; %s",
                   b->sees ? "the eye of a model" : "a model",
                   value_text(type, got, sizeof got), wanted, advice_on(name, b->sees));
    return check_split(b);
}

/* A key of which only one value is supported. */
typedef struct Fixed {
    const char *key;
    bool flag; /* written as true or false */
    double wanted;
    const char *why;
} Fixed;

/* Was it read already, in this family, and so checked? */
static bool was_read(const Binder *b, const char *key) {
    char name[128];
    snprintf(name, sizeof name, "%s.%s", key_prefix(b), key);
    const GgufPair *pair = gguf_find(&b->model->gguf, name);
    return pair && b->used_keys[pair - b->model->gguf.pairs];
}

static bool check_fixed(Binder *b, const Fixed *f) {
    if (was_read(b, f->key)) return b->ok;
    const GgufPair *pair = find_key(b, f->key);
    char wanted[40];
    double value;
    if (!pair) return b->ok;
    if (pair->type != GGUF_ARRAY && f->flag == (pair->type == GGUF_BOOL) &&
        gguf_float(pair, 0, &value) && value == f->wanted)
        return true;
    snprintf(wanted, sizeof wanted, f->flag ? f->wanted ? "true" : "false" : "%.9g", f->wanted);
    return refuse_key(b, f->key, wanted, f->why);
}

/* What a file says twice must agree; what we compute in one way only must be said to be so. */
static bool check_fixed_keys(Binder *b) {
    const Model *m = b->model;
    const LayerSizes *s = attention_sizes(m);
    const double head_dim = (double)s->head_dim, value_dim = (double)s->value_dim;
    const bool renormalized =
        m->recipe->renormalize || m->recipe->router == ROUTER_SOFTMAX_CHOSEN;
    const char *length = "queries, keys and values are of one length in all layers here";
    const Fixed fixed[] = {
        {"vocab_size", false, (double)m->sizes.vocab, "the tokenizer has so many tokens"},
        {"attention.key_length_swa", false, head_dim, length},
        {"attention.value_length_swa", false, value_dim, length},
        {"rope.dimension_count_swa", false, (double)s->rotary,
         "as many numbers of a head turn in all layers here"},
        {"attention.causal", true, !m->recipe->both_ways,
         m->recipe->both_ways ? "a token sees the whole text here"
                              : "a token sees only what comes before it here"},
        {"attention.max_alibi_bias", false, (double)m->max_bias,
         "scores of this family fall with distance like this here"},
        {"attention.clamp_kqv", false, 0, "q, k and v of this family are not clamped here"},
        {"embedding_scale", false, (double)m->embedding_scale, "embeddings are scaled by this"},
        {"residual_scale", false, 1, "branches are added as they are here"},
        {"logit_scale", false, 1, "logits are not scaled here"},
        {"expert_gating_func", false, m->recipe->router == ROUTER_SIGMOID ? 2 : 1,
         "experts of this family are weighted by softmax (1) or sigmoid (2) like this here"},
        {"expert_weights_norm", true, renormalized,
         "the weights of this family's chosen experts are computed like this here"},
        {"expert_weights_scale", false, 1, "the weights of the chosen experts sum to 1 here"},
        {"expert_group_count", false, 1, "experts do not stand in groups here"},
        {"expert_group_used_count", false, 1, "experts do not stand in groups here"},
        {"rope.scaling.yarn_ext_factor", false, 1, "YaRN's ramp is not scaled here"},
        {"rope.scaling.yarn_attn_factor", false, 1, "programs read it in different ways"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (!check_fixed(b, &fixed[i])) return false;
    return true;
}

/* Where no block has attention, converters write no heads, or those of the state-space layers. */
static bool check_heads(Binder *b) {
    const Model *m = b->model;
    const char *key = "attention.head_count";
    char wanted[40];
    for (size_t l = 0; l < m->sizes.layers; l++)
        if (m->layers[l].heads) return true;
    size_t heads = key_of_layer(b, key, 0, false, 0, 0, SIZE_MAX);
    if (!b->ok || heads == 0 || heads == m->layers[0].ssm_heads) return b->ok;
    snprintf(wanted, sizeof wanted, m->layers[0].ssm_heads ? "0 or %zu" : "%zu",
             m->layers[0].ssm_heads);
    return refuse_key(b, key, wanted, "no block of this file has attention");
}

/* Keys that are known to change nothing. */
static bool check_information(Binder *b) {
    const char *pth = "Meta AI original pth";
    find_key(b, "rope.scaling.finetuned"); /* how the model was trained */
    find_key(b, "full_attention_interval"), find_key(b, "attention.recurrent_layers");
    if (b->model->recipe->rope == ROPE_NONE && b->model->recipe->latents)
        find_key(b, "rope.freq_base"); /* nothing turns */
    /* the tensors show all of these */
    find_key(b, "interleave_moe_layer_step"), find_key(b, "leading_dense_block_count");
    find_key(b, "moe_every_n_layers");
    /* of an encoder alone: how the rest of the model would begin */
    if (b->model->recipe->relative)
        find_key(b, "decoder_start_token_id"), find_key(b, "decoder_block_count");
    if (!text_equal(key_text(b, "tensor_data_layout", pth), text_of(pth)))
        return refuse_key(b, "tensor_data_layout", pth, "no other order of rows is known");
    /* old converters wrote true into the files of every family, sequential ones, too */
    if (was_read(b, "use_parallel_residual")) return b->ok;
    if (b->model->recipe->wiring != &parallel_wiring)
        return find_key(b, "use_parallel_residual") || b->ok;
    return check_fixed(b, &(Fixed){"use_parallel_residual", true, true,
                                   "both branches read the same x in this family"});
}

static bool refuse_keys(Binder *b) {
    const Gguf *g = &b->model->gguf;
    const char *arch = b->model->recipe->arch;
    char family[64], value[96];
    snprintf(family, sizeof family, "%s.", arch);
    for (size_t i = 0; i < g->n_pairs; i++) {
        Text key = g->pairs[i].key;
        bool asks = text_begins(key, text_of(family)) ||
                    text_begins(key, text_of("adapter.")) ||
                    text_begins(key, text_of("diffusion."));
        if (b->used_keys[i] || !asks) continue;
        return b->ok = fault_set(
                   b->fault,
                   "key '%.*s' is %s, and nothing asks for it in a %s model as computed here: "
                   "it may change the results, so the file is refused; if it is known to be "
                   "harmless, take it out with gguf_new_metadata.py --remove-metadata",
                   (int)(key.size < 80 ? key.size : 80), key.data,
                   value_text(&g->pairs[i], value, sizeof value), arch);
    }
    return true;
}

static bool refuse_tensors(Binder *b) {
    const Gguf *g = &b->model->gguf;
    char shape[80];
    for (size_t i = 0; i < g->n_tensors; i++) {
        const GgufTensor *t = &g->tensors[i];
        if (b->used_tensors[i]) continue;
        return b->ok = fault_set(
                   b->fault,
                   "tensor '%.*s' %s plays no part in a %s model of %zu blocks as computed "
                   "here: without it the results would be wrong, so the file is refused; it "
                   "needs a program that knows this kind of model",
                   (int)(t->name.size < 80 ? t->name.size : 80), t->name.data,
                   tensor_shape_text(t->ndim, t->shape, shape, sizeof shape),
                   b->model->recipe->arch, b->model->sizes.layers);
    }
    return true;
}

bool refuse_left_over(Binder *b) {
    return check_fixed_keys(b) && check_information(b) && refuse_tensors(b) && check_heads(b) &&
           refuse_keys(b);
}
