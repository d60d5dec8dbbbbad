/* test_adapter.c - adapters against a model whose weights were changed by hand; refusals. */
#include "check.h"
#include "scratch_folder.h"
#include "../../tests/make_model.h"
#include "adapter.h"
#include "quant_preset.h"

#include <sys/stat.h>
#include <unistd.h>

enum { TOKENS = 24, RANK = 3 };

static void random_numbers(float *out, size_t n, uint64_t stream) {
    Rng rng = {5, stream, 0};
    for (size_t i = 0; i < n; i++) out[i] = (float)rng_normal(&rng) * 0.3f;
}

static void put(GgufWriter *w, const char *name, const char *end, size_t rows, size_t cols,
                const float *numbers) {
    char full[120];
    snprintf(full, sizeof full, "%s.weight.%s", name, end);
    Tensor t = tensor_view(DTYPE_F32, 2, (size_t[]){rows, cols}, (void *)numbers);
    gguf_put_tensor(w, full, &t);
}

static GgufWriter *adapter_file(const char *arch, double alpha) {
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, "general.type", text_of("adapter"));
    gguf_put_string(w, "general.architecture", text_of(arch));
    gguf_put_string(w, "adapter.type", text_of("lora"));
    gguf_put_float(w, "adapter.lora.alpha", GGUF_F32, alpha);
    return w;
}

static void write_file(GgufWriter *w, const char *path) {
    Fault fault;
    if (!gguf_write_file(w, path, &fault)) fail_msg("%s", fault.text);
    gguf_writer_close(w);
}

static void logits_of(const Model *model, float *out) {
    Session session;
    Fault fault;
    int32_t tokens[TOKENS];
    for (int i = 0; i < TOKENS; i++)
        tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % MAKE_VOCAB);
    assert_true(session_open(
        &session, model, NULL,
        (SessionConfig){.sequences = 1, .max_tokens = TOKENS, .max_logits = TOKENS}, &fault));
    assert_true(session_eval(&session, tokens, TOKENS, true, &fault));
    memcpy(out, session.logits, sizeof *out * TOKENS * MAKE_VOCAB);
    session_close(&session);
}

/* Every matrix but the embedding. */
static bool is_adapted(const GgufTensor *t) {
    return !quant_preset_keeps(t->name, t->ndim) &&
           !text_equal(t->name, text_of("token_embd.weight"));
}

/* An adapter for all matrices of a file; W in the file becomes W + s B A. */
static void adapt_by_hand(unsigned char *bytes, size_t size, double strength, uint64_t seed,
                          GgufWriter *w) {
    Gguf gguf;
    assert_true(gguf_parse(&gguf, bytes, size, NULL));
    for (size_t i = 0; i < gguf.n_tensors; i++) {
        const GgufTensor *t = &gguf.tensors[i];
        size_t out = t->shape[0], in = t->shape[1];
        char name[120];
        if (!is_adapted(t)) continue;
        snprintf(name, sizeof name, "%.*s", (int)t->name.size - 7, t->name.data);
        float *a = malloc(RANK * in * sizeof *a), *b = malloc(out * RANK * sizeof *b),
              *weights = (float *)(void *)(bytes + (t->data - bytes));
        random_numbers(a, RANK * in, seed + i), random_numbers(b, out * RANK, seed + 1000 + i);
        put(w, name, "lora_a", RANK, in, a), put(w, name, "lora_b", out, RANK, b);
        for (size_t r = 0; r < out; r++)
            for (size_t c = 0; c < in; c++)
                for (size_t k = 0; k < RANK; k++)
                    weights[r * in + c] +=
                        (float)(strength * (double)b[r * RANK + k] * (double)a[k * in + c]);
        free(a), free(b);
    }
    gguf_free(&gguf);
}

static void check_family(const char *arch) {
    MakeModel m = make_model_of(arch, NULL);
    size_t size, count = TOKENS * MAKE_VOCAB;
    Fault fault;
    Model plain, changed;
    unsigned char *bytes = make_model(&m, &size), *other = make_model(&m, &size);
    GgufWriter *w[2] = {adapter_file(arch, 6), adapter_file(arch, 0)};
    adapt_by_hand(other, size, 6.0 / RANK * 0.5, 0, w[0]); /* alpha / rank * strength */
    adapt_by_hand(other, size, -0.25, 77, w[1]);           /* alpha 0 is no factor */
    write_file(w[0], in_folder("one.gguf")), write_file(w[1], in_folder("two.gguf"));
    float *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    assert_true(model_open_memory(&plain, bytes, size, &fault));
    assert_true(model_open_memory(&changed, other, size, &fault));
    if (!model_adapt(&plain, in_folder("one.gguf"), 0.5, &fault) ||
        !model_adapt(&plain, in_folder("two.gguf"), -0.25, &fault))
        fail_msg("%s: %s", arch, fault.text);
    logits_of(&plain, x), logits_of(&changed, y);
    double error = 0, power = 0;
    for (size_t i = 0; i < count; i++)
        error += pow((double)x[i] - (double)y[i], 2), power += pow((double)y[i], 2);
    if (!(error / power < 1e-8)) fail_msg("%s: normalized error %g", arch, error / power);
    model_close(&plain), model_close(&changed);
    free(x), free(y), free(bytes), free(other);
}

static void acts_as_changed_weights(void **state) {
    (void)state;
    check_family("llama");
    check_family("phi3"); /* q, k and v in one matrix, gate and up in one */
    check_family("gpt2");
    check_family("mamba2");
}

/* Texts of one batch: without an adapter, with one, with half of it, with both.  Each has the
 * logits, to the bit, that it has alone. */
static void texts_share_a_batch(void **state) {
    (void)state;
    enum { TEXTS = 4, LENGTH = 5, ALL = TEXTS * LENGTH };
    static const float factors[2][TEXTS] = {{0, 1, 0.5f, 1}, {0, 0, 0, -1}};
    MakeModel m = make_model_of("llama", NULL);
    AdapterRows rows[2] = {0};
    float factor[2][ALL];
    int32_t token[ALL], sequence[ALL], position[ALL];
    bool wanted[ALL];
    size_t size;
    Fault fault;
    Model model;
    Session session;
    unsigned char *bytes = make_model(&m, &size), *other = make_model(&m, &size);
    GgufWriter *w[2] = {adapter_file("llama", 6), adapter_file("llama", 6)};
    for (int i = 0; i < 2; i++) {
        adapt_by_hand(other, size, 0, i * 50, w[i]);
        write_file(w[i], in_folder(i ? "two.gguf" : "one.gguf"));
    }
    assert_true(model_open_memory(&model, bytes, size, &fault));
    if (!model_adapt_rows(&model, in_folder("one.gguf"), &rows[0], &fault) ||
        !model_adapt_rows(&model, in_folder("two.gguf"), &rows[1], &fault))
        fail_msg("%s", fault.text);
    assert_true(session_open(
        &session, &model, NULL,
        (SessionConfig){.sequences = TEXTS, .max_tokens = ALL, .max_logits = TEXTS}, &fault));
    for (int i = 0; i < ALL; i++) {
        token[i] = 3 + i % LENGTH * 7, sequence[i] = i / LENGTH, position[i] = i % LENGTH;
        wanted[i] = i % LENGTH == LENGTH - 1;
        for (int a = 0; a < 2; a++) factor[a][i] = factors[a][sequence[i]];
    }
    const Batch batch = {ALL, token, sequence, position, wanted, NULL};
    for (int a = 0; a < 2; a++) rows[a] = (AdapterRows){{factor[a]}, {factors[a]}};
    assert_true(session_forward(&session, &batch, &fault));
    float *together = malloc(sizeof *together * TEXTS * MAKE_VOCAB);
    memcpy(together, session.logits, sizeof *together * TEXTS * MAKE_VOCAB);
    for (int t = 0; t < TEXTS; t++) {
        Model alone;
        Session own;
        assert_true(model_open_memory(&alone, bytes, size, &fault));
        for (int a = 0; a < 2; a++)
            if (factors[a][t] != 0)
                assert_true(model_adapt(&alone, in_folder(a ? "two.gguf" : "one.gguf"),
                                        (double)factors[a][t], &fault));
        assert_true(session_open(
            &own, &alone, NULL,
            (SessionConfig){.sequences = 1, .max_tokens = LENGTH, .max_logits = 1}, &fault));
        assert_true(session_eval(&own, token, LENGTH, false, &fault));
        assert_memory_equal(own.logits, together + t * MAKE_VOCAB,
                            sizeof *own.logits * MAKE_VOCAB);
        if (t) assert_memory_not_equal(own.logits, together, sizeof *own.logits * MAKE_VOCAB);
        session_close(&own), model_close(&alone);
    }
    session_close(&session), model_close(&model);
    free(bytes), free(other), free(together);
}

/* A recurrent layer's rows are not the batch's. */
static void refuses_rows_of_its_own(void **state) {
    (void)state;
    MakeModel m = make_model_of("mamba2", NULL);
    size_t size;
    Fault fault;
    Model model;
    AdapterRows rows = {0};
    unsigned char *bytes = make_model(&m, &size), *other = make_model(&m, &size);
    GgufWriter *w = adapter_file("mamba2", 6);
    adapt_by_hand(other, size, 1, 0, w);
    write_file(w, in_folder("mamba.gguf"));
    assert_true(model_open_memory(&model, bytes, size, &fault));
    assert_false(model_adapt_rows(&model, in_folder("mamba.gguf"), &rows, &fault));
    assert_contains(fault.text, "cannot be adapted for single texts");
    model_close(&model), free(bytes), free(other);
}

static const struct {
    const char *says;
    const char *arch, *name;
    size_t in, out, rank_b;
    const char *key;
} wrong[] = {
    {"general.architecture is qwen3", "qwen3", "blk.0.attn_q", 64, 64, RANK, NULL},
    {"has no matrix 'blk.9.attn_q'", "llama", "blk.9.attn_q", 64, 64, RANK, NULL},
    {"has no matrix 'token_embd'", "llama", "token_embd", 64, 64, RANK, NULL},
    {"has no matrix 'blk.0.attn_norm'", "llama", "blk.0.attn_norm", 64, 64, RANK, NULL},
    {"is for a matrix (64, 32)", "llama", "blk.0.attn_q", 32, 64, RANK, NULL},
    {"is for a matrix (32, 64)", "llama", "blk.0.attn_q", 64, 32, RANK, NULL},
    {"ranks 3 and 4", "llama", "blk.0.attn_q", 64, 64, 4, NULL},
    {"'adapter.alora.x' is not known", "llama", "blk.0.attn_q", 64, 64, RANK,
     "adapter.alora.x"},
};

static void refuses_what_does_not_fit(void **state) {
    (void)state;
    MakeModel m = make_model_of("llama", NULL);
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Model model;
        Fault fault = {""};
        float numbers[64 * 64] = {0};
        GgufWriter *w = adapter_file(wrong[i].arch, 6);
        if (wrong[i].key) gguf_put_int(w, wrong[i].key, GGUF_U32, 1);
        put(w, wrong[i].name, "lora_a", RANK, wrong[i].in, numbers);
        put(w, wrong[i].name, "lora_b", wrong[i].out, wrong[i].rank_b, numbers);
        write_file(w, in_folder("wrong.gguf"));
        assert_true(model_open_memory(&model, bytes, size, &fault));
        if (model_adapt(&model, in_folder("wrong.gguf"), 1, &fault))
            fail_msg("%s: taken", wrong[i].says);
        if (!strstr(fault.text, wrong[i].says)) fail_msg("%s: %s", wrong[i].says, fault.text);
        model_close(&model);
    }
    free(bytes);
}

/* ------------------------------------------------------------------ PEFT */

/* One map of layer 0 in PEFT's form: the first rows of B, those of heads that rotate, are in
 * the order of the published model. */
static void write_peft_of(const char *module, const float *a, const float *b, size_t rows,
                          size_t rotated, const char *config) {
    char header[600];
    float turned[128 * RANK];
    FILE *out;
    memcpy(turned, b, rows * RANK * sizeof *b);
    for (size_t h = 0; h < rotated / 16; h++) /* here pairs side by side, there apart */
        for (size_t i = 0; i < 8; i++)
            for (size_t s = 0; s < 2; s++)
                memcpy(turned + (h * 16 + s * 8 + i) * RANK, b + (h * 16 + 2 * i + s) * RANK,
                       RANK * sizeof *b);
    const size_t end = (64 + rows) * RANK * sizeof *b;
    int n = snprintf(header, sizeof header,
                     "{\"base_model.model.model.layers.0.%s.lora_A.weight\":{\"dtype\":\"F32\","
                     "\"shape\":[3,64],\"data_offsets\":[0,768]},"
                     "\"base_model.model.model.layers.0.%s.lora_B.weight\":{\"dtype\":\"F32\","
                     "\"shape\":[%zu,3],\"data_offsets\":[768,%zu]}}",
                     module, module, rows, end);
    uint64_t size = (uint64_t)n;
    mkdir(in_folder("peft"), 0777);
    assert_non_null(out = fopen(in_folder("peft/adapter_model.safetensors"), "wb"));
    fwrite(&size, 8, 1, out), fwrite(header, 1, (size_t)n, out);
    fwrite(a, sizeof *a, RANK * 64, out), fwrite(turned, sizeof *b, rows * RANK, out);
    fclose(out);
    assert_non_null(out = fopen(in_folder("peft/adapter_config.json"), "wb"));
    fputs(config, out);
    fclose(out);
}

static void write_peft(const float *a, const float *b, const char *config) {
    write_peft_of("self_attn.q_proj", a, b, 64, 64, config);
}

/* The adapter in one.gguf and the one in the folder peft give the model the same logits. */
static void assert_both_forms_agree(const unsigned char *bytes, size_t size) {
    static const char *const paths[] = {"one.gguf", "peft"};
    const size_t count = TOKENS * MAKE_VOCAB;
    float *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    Model model;
    Fault fault;
    for (int i = 0; i < 2; i++) {
        assert_true(model_open_memory(&model, bytes, size, &fault));
        if (!model_adapt(&model, in_folder(paths[i]), 1, &fault)) fail_msg("%s", fault.text);
        logits_of(&model, i ? y : x);
        model_close(&model);
    }
    assert_memory_equal(x, y, count * sizeof *x);
    free(x), free(y);
}

static void reads_peft(void **state) {
    (void)state;
    MakeModel m = make_model_of("llama", NULL);
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    float a[RANK * 64], b[64 * RANK];
    Model model;
    Fault fault;
    random_numbers(a, RANK * 64, 1), random_numbers(b, 64 * RANK, 2);
    GgufWriter *w = adapter_file("llama", 6);
    put(w, "blk.0.attn_q", "lora_a", RANK, 64, a),
        put(w, "blk.0.attn_q", "lora_b", 64, RANK, b);
    write_file(w, in_folder("one.gguf"));
    write_peft(a, b,
               "{\"peft_type\":\"LORA\",\"r\":3,\"lora_alpha\":6,\"bias\":\"none\","
               "\"use_dora\":false,\"rank_pattern\":{},\"modules_to_save\":null}");
    assert_both_forms_agree(bytes, size);
    static const char *const odd[][2] = {
        {"\"lora_alpha\":6,\"use_dora\":true", "'use_dora'"},
        {"\"lora_alpha\":\"6\"", "'lora_alpha' a number"},
        {"\"lora_alpha\":0", "'lora_alpha' a number that is not 0"},
        {"\"lora_alpha\":6,\"use_rslora\":\"yes\"", "'use_rslora' true or false"},
        {"\"lora_alpha\":6,\"r\":\"3\"", "'r' an integer"},
        {"\"lora_alpha\":6,\"r\":0", "'r' an integer"},
        {"\"lora_alpha\":6,\"r\":4", "has rank 3, and adapter_config.json an r of 4"},
        {"\"peft_type\":\"LOHA\"", "'peft_type' LORA"},
        {"\"r\":3", "has no lora_alpha"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char config[120];
        snprintf(config, sizeof config, "{%s}", odd[i][0]);
        write_peft(a, b, config);
        assert_true(model_open_memory(&model, bytes, size, &fault));
        if (model_adapt(&model, in_folder("peft"), 1, &fault)) fail_msg("%s: taken", config);
        assert_contains(fault.text, odd[i][1]);
        model_close(&model);
    }
    free(bytes);
}

/* The same adapter as GGUF file and as folder: a map of `rows` rows, of which the first
 * `turned` rotate.  A folder whose map has too few rows is refused. */
static void same_in_both_forms(const char *arch, const char *map, const char *module,
                               size_t rows, size_t turned, size_t few) {
    static const char config[] = "{\"r\":3,\"lora_alpha\":6}";
    MakeModel m = make_model_of(arch, NULL);
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    float a[RANK * 64], b[128 * RANK];
    Model model;
    Fault fault;
    random_numbers(a, RANK * 64, 1), random_numbers(b, rows * RANK, 2);
    GgufWriter *w = adapter_file(arch, 6);
    put(w, map, "lora_a", RANK, 64, a), put(w, map, "lora_b", rows, RANK, b);
    write_file(w, in_folder("one.gguf"));
    write_peft_of(module, a, b, rows, turned, config);
    assert_both_forms_agree(bytes, size);
    write_peft_of(module, a, b, few, 0, config);
    assert_true(model_open_memory(&model, bytes, size, &fault));
    assert_false(model_adapt(&model, in_folder("peft"), 1, &fault));
    assert_contains(fault.text, "is not a matrix of its own");
    model_close(&model);
    free(bytes);
}

/* Queries, keys and values in one map: 64, 32 and 32 rows; keys of a layer that has heads of
 * its own. */
static void reads_peft_of_other_maps(void **state) {
    (void)state;
    same_in_both_forms("bailingmoe", "blk.0.attn_qkv", "attention.query_key_value", 128, 96, 4);
    same_in_both_forms("deci", "blk.0.attn_k", "self_attn.k_proj", 32, 32, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acts_as_changed_weights),
        cmocka_unit_test(texts_share_a_batch),
        cmocka_unit_test(refuses_rows_of_its_own),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(reads_peft),
        cmocka_unit_test(reads_peft_of_other_maps),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
