/* begin.c - a run that begins with the weights of a model.  See train_runs.h.
 *
 * Invariant: before its first step the run computes what the model computes.  So every tensor
 * of the file is one that the run learns, and every key has the value that the run would
 * write. */
#include "hash.h"
#include "train/trainer.h"
#include "train_runs.h"
#include "train/origin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the same shape */

static const GgufPair *family_pair(const Gguf *gguf, const TrainConfig *c, const char *name) {
    char key[80];
    snprintf(key, sizeof key, "%s.%s", train_family(c), name);
    return gguf_find(gguf, key);
}

typedef struct ShapeKey {
    const char *name;
    size_t *size, most;
} ShapeKey;

static bool take_size(const TrainConfig *c, const Gguf *gguf, const ShapeKey *k, Fault *fault) {
    const GgufPair *pair = family_pair(gguf, c, k->name);
    int64_t size;
    if (!pair || !gguf_int(pair, 0, &size)) return true; /* begin_from says so */
    if (size < 1 || (uint64_t)size > k->most)
        return fault_set(
            fault,
            "the model to begin from says '%s.%s' is %lld: wanted 1 to %zu, what a "
            "run can have",
            train_family(c), k->name, (long long)size, k->most);
    return *k->size = (size_t)size, true;
}

bool train_take_shape(TrainConfig *c, const Gguf *gguf, Fault *fault) {
    TrainShape *s = &c->shape;
    const ShapeKey attention[] = {{"attention.head_count", &s->heads, 1 << 12},
                                  {"attention.head_count_kv", &s->kv_heads, 1 << 12},
                                  {"attention.key_length", &s->head_dim, 1 << 12}},
                   delta[] = {{"ssm.time_step_rank", &s->heads, 1 << 12},
                              {"ssm.group_count", &s->kv_heads, 1 << 12},
                              {"ssm.state_size", &s->head_dim, 1 << 12},
                              {"ssm.conv_kernel", &s->taps, 64}},
                   all[] = {{"embedding_length", &s->dim, 1 << 16},
                            {"feed_forward_length", &s->hidden, 1 << 18},
                            {"block_count", &c->layers, 64},
                            {"context_length", &c->ctx, 1 << 20}};
    const ShapeKey *of_mixer = c->family ? delta : attention;
    bool ok = true;
    for (size_t i = 0; ok && i < 4; i++) ok = take_size(c, gguf, &all[i], fault);
    for (size_t i = 0; ok && i < (c->family ? 4 : 1); i++)
        ok = take_size(c, gguf, &of_mixer[i], fault);
    if (c->family || !ok) return ok;
    s->kv_heads = s->heads, s->head_dim = s->dim / s->heads; /* where the file is silent */
    double base = 10000, eps = (double)s->eps;
    gguf_float(family_pair(gguf, c, "rope.freq_base"), 0, &base);
    gguf_float(family_pair(gguf, c, "attention.layer_norm_rms_epsilon"), 0, &eps);
    c->rope_theta = base, s->eps = (float)eps;
    return take_size(c, gguf, &attention[1], fault) && take_size(c, gguf, &attention[2], fault);
}

/* ------------------------------------------------------------------ the same function */

/* The keys that the run would write, without tensors. */
static bool make_header(const Trainer *t, unsigned char **bytes, Gguf *header, Fault *fault) {
    size_t size;
    GgufWriter *out = gguf_writer_open(fault);
    if (!out) return false;
    train_put_metadata(out, &t->config, "", DTYPE_F16);
    bool ok = gguf_write_memory(out, bytes, &size, fault);
    gguf_writer_close(out);
    if (!ok) return false;
    if (gguf_parse(header, *bytes, size, fault)) return true;
    free(*bytes);
    return false;
}

static const GgufPair *begin_find_key(const Gguf *gguf, Text key) {
    for (size_t i = 0; i < gguf->n_pairs; i++)
        if (text_equal(gguf->pairs[i].key, key)) return &gguf->pairs[i];
    return NULL;
}

/* "heads" of "llama.heads"; empty if the key is not the family's. */
static Text name_in(const char *family, Text key) {
    size_t n = strlen(family);
    if (key.size <= n || memcmp(key.data, family, n) != 0 || key.data[n] != '.')
        return (Text){"", 0};
    return (Text){key.data + n + 1, key.size - n - 1};
}

/* A key that files omit when it has this value. */
static bool goes_without(const TrainConfig *c, Text name) {
    const TrainShape *s = &c->shape;
    static const char *const of_heads[] = {"attention.key_length", "attention.value_length",
                                           "rope.dimension_count"};
    if (text_equal(name, text_of("attention.head_count_kv"))) return s->kv_heads == s->heads;
    if (text_equal(name, text_of("rope.freq_base"))) return c->rope_theta == 10000;
    for (int i = 0; i < 3; i++)
        if (text_equal(name, text_of(of_heads[i]))) return s->head_dim * s->heads == s->dim;
    return text_equal(name, text_of("vocab_size"));
}

static bool check_key(const GgufPair *theirs, const GgufPair *ours, Fault *fault) {
    const Text key = theirs->key;
    const int size = (int)min_size(100, key.size);
    double has = NAN, wanted = NAN;
    if (!ours)
        return fault_set(
            fault,
            "the model to begin from says '%.*s', of which a run knows nothing: it "
            "would train another model",
            size, key.data);
    gguf_float(theirs, 0, &has), gguf_float(ours, 0, &wanted);
    return (float)has == (float)wanted || /* files store fractions as f32 */
           fault_set(fault, "the model to begin from says '%.*s' is %g, and the run has %g",
                     size, key.data, has, wanted);
}

/* The context length may differ. */
static bool is_compared(Text name) {
    return name.size && !text_equal(name, text_of("context_length"));
}

static bool check_keys(const Trainer *t, const Gguf *gguf, const Gguf *header, Fault *fault) {
    const char *family = train_family(&t->config);
    const GgufPair *theirs = gguf_find(gguf, "general.architecture");
    Text said;
    if (!theirs || !gguf_string(theirs, &said) || !text_equal(said, text_of(family)))
        return fault_set(fault,
                         "the model to begin from is of another family than a run like this "
                         "one writes, which is '%s'",
                         family);
    for (size_t i = 0; i < gguf->n_pairs; i++) {
        const GgufPair *pair = &gguf->pairs[i];
        if (is_compared(name_in(family, pair->key)) &&
            !check_key(pair, begin_find_key(header, pair->key), fault))
            return false;
    }
    for (size_t i = 0; i < header->n_pairs; i++) {
        const Text key = header->pairs[i].key, name = name_in(family, key);
        if (is_compared(name) && !begin_find_key(gguf, key) && !goes_without(&t->config, name))
            return fault_set(fault, "the model to begin from does not say '%.*s'",
                             (int)key.size, key.data);
    }
    return true;
}

static bool is_learned(const Trainer *t, Text name) {
    for (size_t i = 0; i < t->n_parameters; i++)
        if (text_equal(text_of(t->parameters[i].name), name)) return true;
    return false;
}

static bool check_same(const Trainer *t, const Gguf *gguf, Fault *fault) {
    unsigned char *bytes;
    Gguf header;
    if (!make_header(t, &bytes, &header, fault)) return false;
    bool ok = check_keys(t, gguf, &header, fault);
    gguf_free(&header), free(bytes);
    for (size_t i = 0; ok && i < gguf->n_tensors; i++) {
        Text name = gguf->tensors[i].name;
        ok = is_learned(t, name) ||
             fault_set(fault,
                       "the model to begin from has the tensor '%.*s', which no run of this "
                       "kind learns: it would be lost",
                       (int)min_size(100, name.size), name.data);
    }
    return ok;
}

/* ------------------------------------------------------------------ its weights */

static bool take_parameter(Trainer *t, const Parameter *p, const Gguf *gguf, Fault *fault) {
    const GgufTensor *found = gguf_find_tensor(gguf, p->name);
    size_t want[2];
    train_file_shape(p, want);
    if (!found) return fault_set(fault, "the model to begin from has no tensor '%s'", p->name);
    size_t rows = found->ndim == 1 ? 1 : found->shape[0], cols = found->shape[found->ndim - 1];
    if (found->ndim > 2 || rows != want[0] || cols != want[1] ||
        !dtype_is_computable(found->dtype))
        return fault_set(fault,
                         "the model to begin from has '%s' as %zu x %zu (%s), wanted %zu x %zu",
                         p->name, rows, cols, dtype_name(found->dtype), want[0], want[1]);
    size_t bytes = dtype_row_bytes((Dtype)found->dtype, cols);
    float *values = t->values + p->offset;
    for (size_t r = 0; r < rows; r++)
        dequantize_row((Dtype)found->dtype, found->data + r * bytes, values + r * cols, cols);
    for (size_t i = 0; p->rate && i < p->cols; i++) {
        if (!(values[i] < 0))
            return fault_set(fault, "the model to begin from has %g in '%s', wanted below 0",
                             (double)values[i], p->name);
        values[i] = (float)real_log(-(double)values[i]);
    }
    return true;
}

bool trainer_begin_from(Trainer *t, const Gguf *gguf, Fault *fault) {
    if (!check_same(t, gguf, fault)) return false;
    for (size_t i = 0; i < t->n_parameters; i++)
        if (!take_parameter(t, &t->parameters[i], gguf, fault)) return false;
    t->origin_hash = hash_bytes(train_origin(t), t->values, t->size * sizeof *t->values);
    return true;
}
