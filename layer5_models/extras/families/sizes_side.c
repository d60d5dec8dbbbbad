/* sizes_side.c - a layer's side inputs: per-layer inputs, parallel streams, shared keys and
 * values, a source.  See parts.h. */
#include "families/parts.h"

#include <math.h>

enum { MAX_INPUT = 65536, MAX_RANK = 65536 };

/* The last layer before `own` of the same kind as layer l; own: none. */
static size_t last_of_kind(Binder *b, size_t l, size_t own) {
    bool windowed = window_of(b, l) > 0;
    for (size_t k = own; k > 0; k--)
        if ((window_of(b, k - 1) > 0) == windowed) return k - 1;
    return own;
}

/* All layers of an assistant share those of its model. */
static bool read_lent_kv(Binder *b, LayerExtras *e) {
    const size_t layers = b->model->sizes.layers;
    key_size(b, "attention.shared_kv_layers", layers, layers, layers);
    e->kv_back = 1; /* before any */
    return b->ok;
}

/* Layers from `own` on share the keys and values of the last earlier layer of their kind. */
bool read_shared_kv(Binder *b, size_t l, LayerSizes *s) {
    size_t layers = b->model->sizes.layers, own = quirks_in(b)->kv_layers;
    if (quirks_in(b)->assists) return read_lent_kv(b, s->extras);
    if (own == 0 || !b->ok) return b->ok;
    size_t usual = own < layers ? layers - own : 0;
    own = layers - key_size(b, "attention.shared_kv_layers", usual, 0, layers);
    if (!b->ok || l < own) return b->ok;
    size_t from = last_of_kind(b, l, own);
    if (from == own)
        return b->ok = fault_set(b->fault,
                                 "layer %zu shares keys and values with an earlier layer %s a "
                                 "window, and none "
                                 "of the first %zu (attention.shared_kv_layers) is one",
                                 l, s->window ? "with" : "without", own);
    const LayerSizes *z = &b->model->layers[from];
    if (z->kv_heads != s->kv_heads || z->head_dim != s->head_dim ||
        z->value_dim != s->value_dim)
        return b->ok = fault_set(b->fault,
                                 "layer %zu shares %zu keys and values of %zu and %zu numbers "
                                 "with layer %zu, which has %zu of %zu and %zu "
                                 "(attention.head_count_kv, key_length, value_length)",
                                 l, s->kv_heads, s->head_dim, s->value_dim, from, z->kv_heads,
                                 z->head_dim, z->value_dim);
    s->extras->kv_back = l - from;
    return true;
}

/* Is it an encoder layer, or has it cross attention?  And relative position biases. */
bool read_source(Binder *b, size_t l, LayerExtras *s) {
    const ModelExtras *m = b->model->extras;
    const char *eps = "attention.layer_norm_epsilon";
    s->encodes = l < m->encoder, s->cross = m->encoder && !s->encodes;
    s->first = l == 0 || l == m->encoder;
    if (!quirks_in(b)->relative) return b->ok;
    s->buckets = need_size(b, "attention.relative_buckets_count", 4, RELATIVE_BUCKETS);
    /* converters write a second epsilon */
    key_number(b, eps, 0, (double)b->model->eps, (double)b->model->eps);
    return b->ok;
}

static size_t input_width(Binder *b) {
    size_t usual = quirks_in(b)->layer_input;
    bool said = usual == LAYER_INPUT_FROM_KEY;
    if (usual == 0) return 0;
    return said ? need_size(b, "embedding_length_per_layer_input", 0, MAX_INPUT)
                : key_size(b, "embedding_length_per_layer_input", usual, 0, MAX_INPUT);
}

bool read_side_inputs(Binder *b, LayerExtras *e) {
    e->input = input_width(b);
    e->streams = extras_of(b)->streams, e->laurel = quirks_in(b)->laurel;
    return b->ok;
}

/* The 95th percentile of the standard normal distribution. */
static const double NINETY_FIVE = 1.6448533535003662;

float read_sparsity(Binder *b, size_t l) {
    const char *key = "activation_sparsity_scale";
    double usual = l < quirks_in(b)->sparse_layers ? NINETY_FIVE : -INFINITY,
           cut = number_of_layer(b, key, l, usual, -INFINITY, 100);
    if (cut > 0) return (float)cut;
    if (cut > -INFINITY)
        refuse_key(b, key, "above 0, or minus infinity where all pass, for each layer",
                   "fewer than half are 0 below that");
    return 0;
}
