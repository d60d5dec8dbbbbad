/* refuse_unknown.c - nothing in a file is ignored.  See bind.h.
 *
 * Keys have namespaces.  `<arch>.` and `diffusion.` say what to compute: all of their keys must
 * be looked up.  `adapter.` means that the file is not a whole model, and is refused.
 * `general.` and `quantize.` are provenance, `tokenizer.` is checked by tokenizer_open,
 * `split.` by check_container.  Keys in any other namespace are comments, which GGUF allows;
 * they are ignored. */
#include "bind.h"

#include <stdio.h>
#include <string.h>

static bool unknown_is_integer(const GgufPair *pair, int64_t max) {
    int64_t value;
    return pair->type != GGUF_ARRAY && pair->type != GGUF_BOOL && gguf_int(pair, 0, &value) &&
           value >= 0 && value <= max;
}

/* A complete model has no split, one part, or, once joined, zero. */
static bool check_split(Binder *b) {
    const GgufPair *count = gguf_find(&b->model->gguf, "split.count"),
                   *number = gguf_find(&b->model->gguf, "split.no");
    char parts[96], part[96];
    if (!count && !number) return true;
    if (count && unknown_is_integer(count, 1) && (!number || unknown_is_integer(number, 0)))
        return true;
    return b->ok = fault_set(b->fault,
                             "the file is one part of a split model: split.count is %s, "
                             "split.no is %s; open the first part by its path, with the "
                             "others beside it",
                             value_text(count, parts, sizeof parts),
                             value_text(number, part, sizeof part));
}

bool check_container(Binder *b) {
    const GgufPair *type = gguf_find(&b->model->gguf, "general.type");
    Text name = {"", 0};
    const char *advice = NULL;
    char got[96];
    if (type && !(gguf_string(type, &name) && text_equal(name, text_of(b->kind->type)))) {
        if (more_families.advice_on) advice = more_families.advice_on(name);
        return b->ok = fault_set(b->fault,
                                 "the file is not %s: general.type is %s, wanted \"%s\"; %s",
                                 b->kind->called, value_text(type, got, sizeof got),
                                 b->kind->type, advice ? advice : b->kind->advice);
    }
    return check_split(b);
}

static bool check_fixed_key(Binder *b, const FixedKey *f) {
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

bool check_fixed(Binder *b, const FixedKey *keys, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!check_fixed_key(b, &keys[i])) return false;
    return true;
}

/* Redundant keys must agree, and keys with one supported value must have it. */
static bool check_fixed_keys(Binder *b) {
    const Model *m = b->model;
    const LayerSizes *s = attention_sizes(m);
    const char *length = "in this family all layers have one length of keys and values";
    const FixedKey fixed[] = {
        {"vocab_size", false, (double)m->sizes.vocab,
         "this is the tokenizer's number of tokens"},
        {"attention.key_length_swa", false, (double)s->head_dim, length},
        {"attention.value_length_swa", false, (double)s->value_dim, length},
        {"rope.dimension_count_swa", false, (double)s->rotary,
         "every layer rotates the same number of dimensions"},
        {"attention.causal", true, true, "attention of this family is causal"},
        {"attention.max_alibi_bias", false, 0, "this family fixes its ALiBi bias"},
        {"attention.clamp_kqv", false, 0, "this family does not clamp q, k and v"},
        {"embedding_scale", false, (double)m->embedding_scale, "embeddings are scaled by this"},
        {"residual_scale", false, 1, "this family adds branches unscaled"},
        {"logit_scale", false, 1, "this family does not scale logits"},
        {"expert_used_count", false, 0, "models of this family have no experts"},
        {"rope.scaling.yarn_ext_factor", false, 1, "scaling YaRN's ramp is not built in"},
        {"rope.scaling.yarn_attn_factor", false, 1, "programs read it in different ways"},
    };
    return check_fixed(b, fixed, sizeof fixed / sizeof *fixed);
}

static bool check_information(Binder *b) {
    const char *pth = "Meta AI original pth";
    find_key(b, "rope.scaling.finetuned"); /* how the model was trained */
    if (!text_equal(key_text(b, "tensor_data_layout", pth), text_of(pth)))
        return refuse_key(b, "tensor_data_layout", pth, "no other order of rows is known");
    /* old converters wrote true for every family, even sequential ones */
    if (was_read(b, "use_parallel_residual")) return b->ok;
    if (strcmp(b->model->recipe->arch, "llama") == 0 && !b->model->hooks) /* but not Llama's */
        return check_fixed_key(b, &(FixedKey){"use_parallel_residual", true, false,
                                              "a llama's branches follow each other"});
    if (b->model->recipe->wiring != &parallel_wiring)
        return find_key(b, "use_parallel_residual") || b->ok;
    return check_fixed_key(b, &(FixedKey){"use_parallel_residual", true, true,
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
                    text_begins(key, text_of("diffusion.")) ||
                    (g->pairs[i].count && text_equal(key, text_of(SUPPRESSED_KEY)));
        if (b->used_keys[i] || !asks) continue;
        return b->ok = fault_set(
                   b->fault,
                   "key '%.*s' is %s, and not used in this program's %s models: "
                   "it may change the results, so the file is refused; if it is known to be "
                   "harmless, take it out with gguf_new_metadata.py --remove-metadata%s",
                   (int)(key.size < 80 ? key.size : 80), key.data,
                   value_text(&g->pairs[i], value, sizeof value), arch, more_families.advice);
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
                   "tensor '%.*s' %s plays no part in this program's %s model of %zu blocks: "
                   "without it the results would be wrong, so the file is refused; it needs a "
                   "program that knows this kind of model%s",
                   (int)(t->name.size < 80 ? t->name.size : 80), t->name.data,
                   tensor_shape_text(t->ndim, t->shape, shape, sizeof shape),
                   b->model->recipe->arch, b->model->sizes.layers, more_families.advice);
    }
    return true;
}

bool refuse_unknown(Binder *b) {
    const FamilyHooks *hooks = b->model->hooks;
    return refuse_tensors(b) && (!hooks || hooks->check_keys(b)) && check_fixed_keys(b) &&
           check_information(b) && refuse_keys(b);
}
