/* convert_case.h - a model of random numbers, published by another program (publish.py) and converted back.
 *
 *     write_model -> in.gguf -> publish -> published/ -> convert_back -> out.gguf -> same_tensors, same_results */
#ifndef STRATA_CONVERT_CASE_H
#define STRATA_CONVERT_CASE_H

#include "check.h"
#include "scratch_folder.h"
#include "inference_extras.h"
#include "make_model.h"
#include "run_draft.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKENS = 40 };

/* A small BERT, as make_families.h has it, but for its vocabulary and normalization. */
#define ENCODER                                                                               \
    "encoder after embedding_norm layer norm_biases biases plain positions types kv_heads:4 " \
    "attention.causal=false"

static inline bool has_python(void) { return system("python3 -c '' 2>/dev/null") == 0; }

/* These tests run where the repository begins. */
static inline void publish(const char *class, const char *options) {
    char command[1200];
    snprintf(command, sizeof command, "rm -rf '%s' && python3 tests/publish.py '%s' '%s' %s %s",
             in_folder("published"), in_folder("in.gguf"), in_folder("published"), class,
             options);
    if (system(command) != 0) fail_msg("%s", command);
}

/* What only some models can be: -s, 0 and s (BitNet); a part of the pairs rotates, and the last
 * two tokens have no inputs (Gemma). */
static inline float round_number(const char *arch, const char *name, size_t k, size_t n,
                                 float x) {
    if (strcmp(arch, "bitnet") == 0 && strncmp(name, "blk.", 4) == 0 && !strstr(name, "norm"))
        return k % 2 ? 0 : x < 0 ? -0.25F : 0.25F;
    if (strcmp(name, "rope_freqs.weight") == 0) return k < n / 4 ? 1 : 1e30F;
    if (strcmp(name, "per_layer_token_embd.weight") == 0 && k >= n - n / MAKE_VOCAB * 2)
        return 0;
    return x;
}

/* What (x - 1) + 1 and -exp(log a) give back exactly. */
static inline void round_numbers(unsigned char *bytes, size_t size) {
    Gguf gguf;
    Fault fault;
    Text kind;
    char arch[40];
    assert_true(gguf_parse(&gguf, bytes, size, &fault));
    assert_true(gguf_string(gguf_find(&gguf, "general.architecture"), &kind));
    snprintf(arch, sizeof arch, "%.*s", (int)kind.size, kind.data);
    for (size_t i = 0; i < gguf.n_tensors; i++) {
        const GgufTensor *t = &gguf.tensors[i];
        char name[120];
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        float *x = (float *)(void *)(bytes + (t->data - bytes));
        if (strncmp(name, "blk.0.time_mix_v", 16) == 0) { /* RWKV's, unread: as those of a */
            char other[40];
            snprintf(other, sizeof other, "blk.0.time_mix_a%s", name + 16);
            const GgufTensor *a = gguf_find_tensor(&gguf, other);
            if (a && a->bytes == t->bytes) memcpy(x, a->data, t->bytes);
        }
        for (size_t k = 0; k < t->bytes / sizeof *x; k++) {
            x[k] = round_number(arch, name, k, t->bytes / sizeof *x, x[k]);
            if (strstr(name, "norm.weight")) x[k] = fminf(fmaxf(x[k], 0.5f), 2);
            if (strstr(name, "ssm_a") && !strstr(name, "alpha")) {
                float rate = (float)log(fabs((double)x[k]) + 0.1);
                x[k] = (float)-exp((double)rate);
            }
        }
    }
    gguf_free(&gguf);
}

/* A model points into itself: it is opened where it stays. */
static inline void open_at(Model *model, const char *path) {
    Fault fault;
    if (!model_open(model, path, &fault)) fail_msg("%s", fault.text);
}

/* Logits of a model that writes, else the vector or the scores of the same tokens.  Returns how many; the caller
 * frees *out. */
static inline size_t results_of(const Model *model, float **out) {
    Session session;
    Fault fault;
    int32_t tokens[TOKENS];
    bool writes = model_writes(model);
    Pooling pooling = pooling_of_model(model);
    for (int i = 0; i < TOKENS; i++)
        tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % MAKE_VOCAB);
    if (model_extras(model)->encoder) tokens[TOKENS / 2] = model_extras(model)->start;
    size_t rows = TOKENS - model_source(model, tokens, TOKENS),
           n = writes ? rows * model->sizes.vocab : pooling_width(model, pooling);
    SessionConfig all = {.sequences = 1, .max_tokens = TOKENS, .max_logits = TOKENS};
    all.bidirectional = model_extras(model)->quirks->bidirectional;
    assert_non_null(*out = malloc(n * sizeof **out));
    assert_true(session_open(&session, model, NULL,
                             writes ? all : pooling_session(model, TOKENS), &fault));
    if (writes) {
        assert_true(session_eval(&session, tokens, TOKENS, true, &fault));
        memcpy(*out, session.logits, n * sizeof **out);
    } else {
        assert_true(pooling_run(&session, pooling, tokens, TOKENS, 0, *out, &fault));
    }
    session_close(&session);
    return n;
}

/* Logits of an assistant beside a random Gemma 4, as of a model by itself. */
static inline size_t results_of_assistant(Model *model, float **out) {
    enum { KNOWN = TOKENS - 9 };
    MakeModel m = make_model_of("gemma4", NULL);
    int32_t tokens[TOKENS];
    size_t size, n = (TOKENS - KNOWN) * model->sizes.vocab;
    Model target;
    Fault fault;
    m.kv_heads = model->layers[0].kv_heads;
    unsigned char *bytes = make_model(&m, &size);
    for (int i = 0; i < TOKENS; i++)
        tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % MAKE_VOCAB);
    assert_non_null(*out = malloc(n * sizeof **out));
    assert_true(model_open_memory(&target, bytes, size, &fault));
    run_assistant(model, &target, tokens, TOKENS, KNOWN, (KvFormat){DTYPE_F32, false}, *out);
    return model_close(&target), free(bytes), n;
}

static inline void same_results(const char *class) {
    Model a, b;
    float *x, *y;
    open_at(&a, in_folder("in.gguf")), open_at(&b, in_folder("out.gguf"));
    const bool assists = assistant_is(&a);
    size_t n = assists ? results_of_assistant(&a, &x) : results_of(&a, &x);
    assert_int_equal(n, assists ? results_of_assistant(&b, &y) : results_of(&b, &y));
    if (memcmp(x, y, n * sizeof *x) != 0) fail_msg("%s: other results", class);
    free(x), free(y);
    model_close(&a), model_close(&b);
}

static inline void parse_at(Gguf *gguf, FileMap *file, const char *path) {
    Fault fault;
    assert_true(file_open(file, path, &fault));
    assert_true(gguf_parse(gguf, file->data, file->size, &fault));
}

/* Every tensor of the one in the other, byte by byte. */
static inline void same_tensors(const char *class) {
    Gguf a, b;
    FileMap files[2];
    parse_at(&a, &files[0], in_folder("in.gguf")),
        parse_at(&b, &files[1], in_folder("out.gguf"));
    for (size_t i = 0; i < a.n_tensors; i++) {
        const GgufTensor *t = &a.tensors[i], *u;
        char name[120];
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        u = gguf_find_tensor(&b, name);
        if (!u || u->bytes != t->bytes || memcmp(u->data, t->data, t->bytes) != 0)
            fail_msg("%s: %s is %s", class, name, u ? "another" : "missing");
    }
    assert_int_equal(a.n_tensors, b.n_tensors);
    gguf_free(&a), gguf_free(&b);
    file_close(&files[0]), file_close(&files[1]);
}

/* The nearest numbers that another program's four or eight bits can represent: of experts as MXFP4, or of maps as an
 * eight-bit float divided by 32. */
static inline void round_to(unsigned char *bytes, size_t size, const char *which, bool four) {
    Gguf gguf;
    Fault fault;
    unsigned char *row = malloc(1 << 16);
    assert_true(row && gguf_parse(&gguf, bytes, size, &fault));
    for (size_t i = 0; i < gguf.n_tensors; i++) {
        const GgufTensor *t = &gguf.tensors[i];
        float *x = (float *)(void *)(bytes + (t->data - bytes));
        if (t->ndim < 2 || !memmem(t->name.data, t->name.size, which, strlen(which))) continue;
        for (size_t k = 0; k < t->bytes / sizeof *x; k += 32) {
            if (four) {
                quantize_row(DTYPE_MXFP4, x + k, NULL, row, 32);
                dequantize_row(DTYPE_MXFP4, row, x + k, 32);
            }
            for (size_t j = k; !four && j < k + 32; j++)
                x[j] = fabsf(x[j]) < 0.03F
                           ? 0
                           : ldexpf(roundf(ldexpf(x[j], 3 - ilogbf(x[j]))), ilogbf(x[j]) - 3);
        }
    }
    gguf_free(&gguf), free(row);
}

static inline void write_model_rounded(const MakeModel *m, const char *which, bool four) {
    size_t size;
    Fault fault;
    unsigned char *bytes = make_model(m, &size);
    round_to(bytes, size, which, four);
    assert_true(file_write(in_folder("in.gguf"), bytes, size, &fault));
    free(bytes);
}

static inline void write_model(const MakeModel *m) {
    size_t size;
    Fault fault;
    unsigned char *bytes = make_model(m, &size);
    round_numbers(bytes, size);
    assert_true(file_write(in_folder("in.gguf"), bytes, size, &fault));
    free(bytes);
}

/* A model as make_families.h has it (and `more`). */
static inline void write_model_of(const char *arch, const char *more) {
    const MakeModel m = make_model_of(arch, more);
    write_model(&m);
}

/* A model of these words alone. */
static inline void write_model_as(const char *arch, const char *family) {
    MakeModel m = make_model_of(arch, family);
    m.family = family, m.more = NULL;
    write_model(&m);
}

static inline void convert_with(const char *what, const Convert *how) {
    Fault fault;
    if (!convert_folder(in_folder("published"), in_folder("out.gguf"), how, NULL, &fault))
        fail_msg("%s: %s", what, fault.text);
}

static inline void convert_back(const char *what, const QuantPreset *preset) {
    const Convert how = {.preset = preset};
    convert_with(what, &how);
}

/* The folder is refused, for this. */
static inline void refuse_back(const char *what, const char *says) {
    Fault fault = {""};
    const Convert how = {0};
    if (convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault))
        fail_msg("%s: taken", what);
    if (!strstr(fault.text, says)) fail_msg("%s: %s", what, fault.text);
}

/* A file that is added to the folder. */
static inline void add_file(const char *file, const char *text) {
    Fault fault;
    char path[500];
    snprintf(path, sizeof path, "%s/%s", in_folder("published"), file);
    assert_true(file_write(path, text, strlen(text), &fault));
}

/* A file of the folder with one text in place of another. */
static inline void edit(const char *file, const char *old, const char *new) {
    FileMap map;
    Fault fault;
    char path[500];
    snprintf(path, sizeof path, "%s/%s", in_folder("published"), file);
    assert_true(file_open(&map, path, &fault));
    char *text = calloc(map.size + strlen(new) + 1, 1);
    memcpy(text, map.data, map.size);
    char *at = memmem(text, map.size, old, strlen(old));
    if (!at) fail_msg("%s: no %s", file, old);
    size_t behind = map.size - (size_t)(at - text) - strlen(old);
    memmove(at + strlen(new), at + strlen(old), behind);
    memcpy(at, new, strlen(new));
    size_t size = map.size - strlen(old) + strlen(new);
    file_close(&map);
    assert_true(file_write(path, text, size, &fault));
    free(text);
}

static inline void keep_notes(void *context, const char *text) {
    char *notes = context;
    snprintf(notes + strlen(notes), 1000 - strlen(notes), "%s\n", text);
}

#endif
