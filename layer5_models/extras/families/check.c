/* check.c - keys of other families that confirm what is done anyway.  See
 * src/model/refuse_unknown.c. */
#include "families/parts.h"

#include <stdio.h>

static double listed(Binder *b, const char *key, const GgufPair *pair, size_t layer, double min,
                     double max) {
    double value = 0;
    if (pair->type == GGUF_ARRAY && pair->count == b->model->sizes.blocks &&
        pair->item != GGUF_BOOL && gguf_float(pair, layer, &value) && value >= min &&
        value <= max)
        return value;
    char got[96];
    if (b->ok)
        b->ok =
            fault_set(b->fault, "key '%s' is %s, wanted a number from %g to %g for each layer",
                      key, value_text(pair, got, sizeof got), min, max);
    return 0;
}

double number_of_layer(Binder *b, const char *key, size_t layer, double default_value,
                       double min, double max) {
    const GgufPair *pair = find_key(b, key);
    return pair ? listed(b, key, pair, layer, min, max) : default_value;
}

double xielu_number(Binder *b, const char *key, size_t layer) {
    const GgufPair *pair = gguf_find(&b->model->gguf, key);
    if (b->ok && !pair)
        b->ok = fault_set(b->fault, "key '%s' is missing: a %s model needs it for each layer",
                          key, b->model->recipe->arch);
    return pair ? listed(b, key, pair, layer, -1e3, 1e3) : 0;
}

/* ------------------------------------------------------------------ what files say twice */

static bool check_fixed_more(Binder *b) {
    const ModelExtras *x = extras_of(b);
    const Quirks *q = x->quirks;
    const bool renormalized = q->renormalize || q->router == ROUTER_SOFTMAX_CHOSEN;
    const FixedKey fixed[] = {
        {"attention.causal", true, !q->bidirectional,
         q->bidirectional ? "attention of this family is bidirectional"
                          : "attention of this family is causal"},
        {"attention.max_alibi_bias", false, (double)x->max_bias,
         "this family fixes its ALiBi bias"},
        {"expert_gating_func", false, q->router == ROUTER_SIGMOID ? 2 : 1,
         "this family fixes how experts are weighted: softmax (1) or sigmoid (2)"},
        {"expert_weights_norm", true, renormalized,
         "this family fixes how the weights of chosen experts are computed"},
        {"expert_weights_scale", false, 1,
         "in this family the weights of the chosen experts sum to 1"},
        {"expert_group_count", false, 1, "this family has no expert groups"},
        {"expert_group_used_count", false, 1, "this family has no expert groups"},
    };
    return check_fixed(b, fixed, sizeof fixed / sizeof *fixed);
}

/* Without attention, files say 0 heads or those of the state-space layers. */
static bool check_no_heads(Binder *b) {
    const Model *m = b->model;
    const char *key = "attention.head_count";
    const size_t ssm = m->layers[0].extras->ssm_heads;
    char wanted[40];
    for (size_t l = 0; l < m->sizes.layers; l++)
        if (m->layers[l].heads) return true;
    size_t heads = key_of_layer(b, key, 0, 0, 0, SIZE_MAX);
    if (!b->ok || heads == 0 || heads == ssm) return b->ok;
    snprintf(wanted, sizeof wanted, ssm ? "0 or %zu" : "%zu", ssm);
    return refuse_key(b, key, wanted, "no block of this file has attention");
}

static bool check_information_more(Binder *b) {
    const Quirks *q = quirks_in(b);
    find_key(b, "full_attention_interval"), find_key(b, "attention.recurrent_layers");
    if (b->model->recipe->rope == ROPE_NONE && q->latents)
        find_key(b, "rope.freq_base"); /* no rotation */
    /* the tensors show all of these */
    key_size(b, "interleave_moe_layer_step", 0, 0, MODEL_LAYERS);
    key_size(b, "leading_dense_block_count", 0, 0, MODEL_LAYERS);
    key_size(b, "moe_every_n_layers", 0, 0, MODEL_LAYERS);
    if (q->relative) /* for T5's decoder, in an encoder's file */
        find_key(b, "decoder_start_token_id"), find_key(b, "decoder_block_count");
    return b->ok;
}

bool check_more_keys(Binder *b) {
    return check_fixed_more(b) && check_information_more(b) && check_no_heads(b);
}
