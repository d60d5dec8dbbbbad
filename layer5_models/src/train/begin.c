/* begin.c - a run that begins with the weights of a model.  See train.h.
 *
 * Invariant: what the run computes before its first step is what the model computes.  So every tensor of the file is one
 * that the run learns, and every key of its family says what the run itself would write. */
#include "trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the same function */

/* What the run would write of a model: the keys of its family, without tensors. */
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

/* A text or a number, both as files keep them: f32 for what is no whole number. */
static bool same_value(const GgufPair *a, const GgufPair *b) {
    double x, y;
    Text s, u;
    if (gguf_float(a, 0, &x) && gguf_float(b, 0, &y)) return (float)x == (float)y;
    return gguf_string(a, &s) && gguf_string(b, &u) && text_equal(s, u);
}

/* "heads" of "llama.heads". */
static const char *name_of(const char *key) {
    const char *dot = strchr(key, '.');
    return dot ? dot + 1 : key;
}

/* A key that files leave out when it has this value. */
static bool goes_without(const TrainConfig *c, const char *name) {
    const TrainShape *s = &c->shape;
    bool usual = s->head_dim * s->heads == s->dim;
    if (strcmp(name, "attention.head_count_kv") == 0) return s->kv_heads == s->heads;
    if (strcmp(name, "rope.freq_base") == 0) return c->rope_theta == 10000;
    if (strcmp(name, "vocab_size") == 0 || strcmp(name, "context_length") == 0) return true;
    return usual && (strcmp(name, "attention.key_length") == 0 ||
                     strcmp(name, "attention.value_length") == 0 ||
                     strcmp(name, "rope.dimension_count") == 0);
}

/* What the file says is what the run has; how long its texts may be, each has for itself. */
static bool check_key(const GgufPair *pair, const Gguf *header, const char *arch,
                      Fault *fault) {
    char key[100];
    if (pair->key.size >= sizeof key) return true;
    memcpy(key, pair->key.data, pair->key.size), key[pair->key.size] = 0;
    size_t n = strlen(arch);
    if (strncmp(key, arch, n) != 0 || key[n] != '.' ||
        strcmp(name_of(key), "context_length") == 0)
        return true;
    const GgufPair *ours = gguf_find(header, key);
    if (!ours)
        return fault_set(fault,
                         "the model to begin from says '%s', of which a run knows nothing: it "
                         "would train another model",
                         key);
    double theirs = 0, wanted = 0;
    if (same_value(pair, ours)) return true;
    gguf_float(pair, 0, &theirs), gguf_float(ours, 0, &wanted);
    return fault_set(fault, "the model to begin from says '%s' is %g, and the run has %g", key,
                     theirs, wanted);
}

static bool check_keys(const Trainer *t, const Gguf *gguf, const Gguf *header, Fault *fault) {
    const GgufPair *theirs = gguf_find(gguf, "general.architecture"),
                   *ours = gguf_find(header, "general.architecture");
    Text arch;
    char name[40];
    REQUIRE(ours && gguf_string(ours, &arch) && arch.size < sizeof name, "no family");
    memcpy(name, arch.data, arch.size), name[arch.size] = 0;
    if (!theirs || !same_value(theirs, ours))
        return fault_set(fault,
                         "the model to begin from is of another family than a run like this "
                         "one writes, which is '%s'",
                         name);
    for (size_t i = 0; i < gguf->n_pairs; i++)
        if (!check_key(&gguf->pairs[i], header, name, fault)) return false;
    for (size_t i = 0; i < header->n_pairs; i++) {
        char key[100];
        Text k = header->pairs[i].key;
        REQUIRE(k.size < sizeof key, "a long key");
        memcpy(key, k.data, k.size), key[k.size] = 0;
        if (strncmp(key, "general.", 8) == 0 || gguf_find(gguf, key)) continue;
        if (!goes_without(&t->config, name_of(key)))
            return fault_set(fault, "the model to begin from does not say '%s'", key);
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
        values[i] = logf(-values[i]);
    }
    return true;
}

bool trainer_begin_from(Trainer *t, const Gguf *gguf, Fault *fault) {
    if (!check_same(t, gguf, fault)) return false;
    for (size_t i = 0; i < t->n_parameters; i++)
        if (!take_parameter(t, &t->parameters[i], gguf, fault)) return false;
    t->origin_hash = train_hash(t->origin_hash, t->values, t->size * sizeof *t->values);
    return true;
}
