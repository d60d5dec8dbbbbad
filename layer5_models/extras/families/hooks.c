/* hooks.c - which files are more than plain decoders, and the functions that replace the
 * core's.  See families.h and src/model/bind.h. */
#include "families/parts.h"

#include <stdlib.h>
#include <string.h>

static const Quirks no_quirks;
static const ModelExtras no_extras = {.quirks = &no_quirks, .logit_scale = 1};

const Quirks *quirks_of(const Recipe *recipe) {
    return recipe->quirks ? recipe->quirks : &no_quirks;
}

const ModelExtras *model_extras(const Model *model) {
    return model->extras ? model->extras : &no_extras;
}

static void close_more(Model *model) {
    free(model->extras);
    model->extras = NULL;
}

const FamilyHooks more_hooks = {
    .read_sizes = read_more_sizes,
    .read_layer = read_more_layer,
    .read_ropes = read_more_ropes,
    .bind_ends = bind_more_ends,
    .bind_block = bind_more_block,
    .layer_bytes = sizeof(LayerExtras),
    .need = need_more,
    .role_name = other_name,
    .check_keys = check_more_keys,
    .packed_map = packed_more,
    .close = close_more,
    .source = source_of,
    .check_prompt = check_source,
    .shapes = more_shapes,
    .tokens = tokens_of,
    .forward = forward_more,
    .eval = eval_more,
};

/* A text model and a vision tower (mmproj) are not interchangeable. */
static bool check_model_kind(Binder *b) {
    const bool sees = quirks_of(b->model->recipe)->is_vision_tower, eye = !b->kind->words;
    if (sees == eye) return true;
    return eye ? fault_set(b->fault,
                           "a %s model reads texts: wanted a file that reads pictures "
                           "for it (mmproj)",
                           b->model->recipe->arch)
               : fault_set(b->fault,
                           "the file reads pictures for another model: give that one with "
                           "-m, and this one with --mmproj");
}

const char *more_models(const char *arch) {
    for (const MoreFiles *f = more_files; f->arch; f++)
        if (strcmp(f->arch, arch) == 0 && f->models) return f->models;
    return NULL;
}

const char *advice_on_type(Text type) {
    if (text_equal(type, text_of("adapter")))
        return "an adapter (LoRA) corrects a model: give that model with -m, and this file "
               "with --adapter";
    if (text_equal(type, text_of("mmproj")))
        return "it reads pictures for another model: give that one with -m, and this one with "
               "--mmproj";
    if (text_equal(type, text_of("imatrix")))
        return "strata quantize reads it, with --importance";
    return NULL;
}

/* The list of tokens that are never predicted; NULL: none. */
static const GgufPair *suppressed_of(Binder *b) {
    const GgufPair *pair = gguf_find(&b->model->gguf, SUPPRESSED_KEY);
    if (!pair || !pair->count) return NULL;
    b->used_keys[pair - b->model->gguf.pairs] = true;
    return pair;
}

/* The quirks of its row, or of a plain family's file that is more; NULL: none.  Any family may
 * have embedding models, and tokens that are never predicted. */
static const Quirks *quirks_of_file(Binder *b) {
    const Recipe *r = b->model->recipe;
    if (r->quirks) return r->quirks;
    for (const MoreFiles *f = more_files; f->arch; f++)
        if (text_equal(text_of(f->arch), text_of(r->arch)) && f->has(&b->model->gguf))
            return f->quirks;
    return find_key(b, "pooling_type") || suppressed_of(b) ? &no_quirks : NULL;
}

bool find_more(Binder *b) {
    Model *m = b->model;
    const Quirks *q = quirks_of_file(b);
    if (!check_model_kind(b) || !check_biases(b)) return false;
    if (!q) return true;
    if (!(m->extras = calloc(1, sizeof *m->extras)))
        return fault_set(b->fault, "no memory for a model");
    *m->extras = (ModelExtras){.quirks = q, .logit_scale = 1, .latent_scale = 1};
    m->extras->suppressed = suppressed_of(b);
    m->extras->vision.class_last = b->kind == &vision_kinds[CLASS_LAST];
    m->hooks = &more_hooks;
    if (q->keys) b->keys = q->keys;
    if (q->blocks) b->blocks = q->blocks;
    b->first_blocks = q->encoder, b->norm_bias = q->norm_bias;
    return true;
}
