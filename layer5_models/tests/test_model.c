/* binding: what is wrong with a file is said by name; broken files never crash */
#include "check.h"
#include "make_model.h"

static void refused(const unsigned char *bytes, size_t size, const char *part) {
    Model model;
    Fault fault;
    assert_false(model_open_memory(&model, bytes, size, &fault));
    assert_contains(fault.text, part);
}

/* Change a name or key of the same length everywhere in the file. */
static void rename_all(unsigned char *bytes, size_t size, const char *old, const char *new) {
    size_t n = strlen(old), found = 0;
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(bytes + i, old, n) == 0) memcpy(bytes + i, new, n), found++;
    assert_true(found > 0);
}

static void wrong_files_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *old, *new, *says;
    } cases[] = {
        {"blk.1.ffn_up.weight", "blk.1.ffn_uq.weight", "blk.1.ffn_up.weight"},
        {"blk.0.attn_q.weight", "blk.0.attn_x.weight", "missing"},
        {"llama.block_count", "llama.block_counx", "block_count"},
        {"general.architecture", "general.architecturx", "general.architecture"},
        {"tokenizer.ggml.tokens", "tokenizer.ggml.tokenx", "tokenizer.ggml.tokens"},
        {"tokenizer.ggml.merges", "tokenizer.ggml.mergex", "tokenizer.ggml.merges"},
        {"output_norm.weight", "output_norx.weight", "output_norm.weight"},
        {"layer_norm_rms_epsilon", "layer_norm_rms_epsilox", "layer_norm_rms_epsilon"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MakeModel m = make_model_defaults("llama");
        size_t size;
        unsigned char *bytes = make_model(&m, &size);
        rename_all(bytes, size, cases[i].old, cases[i].new);
        refused(bytes, size, cases[i].says);
        free(bytes);
    }
}

static void shapes_are_checked_against_metadata(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    GgufWriter *w = gguf_writer_open(NULL);
    unsigned char *bytes;
    size_t size;
    MakeModel lie = m;
    lie.hidden = 128; /* the keys say 128, the tensors 96 */
    make_keys(w, &lie), make_tokenizer(w);
    make_matrix(w, &m, "token_embd.weight", MAKE_VOCAB, m.dim, 4);
    for (size_t l = 0; l < m.layers; l++) make_block(w, &m, l);
    make_vector(w, &m, "output_norm.weight", m.dim, 1);
    assert_true(gguf_write_memory(w, &bytes, &size, NULL));
    gguf_writer_close(w);
    Model model;
    Fault fault;
    assert_false(model_open_memory(&model, bytes, size, &fault));
    assert_contains(fault.text, "'blk.0.ffn_gate.weight' is (96, 64), wanted (128, 64)");
    assert_contains(fault.text, "feed_forward_length");
    free(bytes);
    m.arch = "nonsuch";
    bytes = make_model(&m, &size);
    refused(bytes, size, "llama, mistral3, qwen2");
    free(bytes);
    assert_false(model_open(&model, "/no/such/file.gguf", &fault));
    assert_contains(fault.text, "/no/such/file.gguf");
}

static void corrupted_models_never_crash(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    size_t size, opened = 0;
    m.layers = 1;
    unsigned char *bytes = make_model(&m, &size);
    size_t header = 9000 < size ? 9000 : size;
    for (uint64_t round = 0; round < 3000; round++) {
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (uint64_t k = 0; k <= round % 3; k++)
            copy[rng_hash(2, round, k) % header] = (unsigned char)(rng_hash(3, round, k) >> 17);
        Model model;
        Fault fault;
        if (model_open_memory(&model, copy, size, &fault)) {
            Session session;
            SessionConfig config = {
                .ctx = 8, .sequences = 1, .most_tokens = 4, .most_logits = 1};
            if (model.sizes.hidden < 4096 &&
                session_open(&session, &model, NULL, config, &fault)) {
                session_feed(&session, (int32_t[]){1, 2, 3}, 3, false, &fault);
                session_close(&session);
            }
            model_close(&model);
            opened++;
        }
        free(copy);
    }
    assert_true(opened > 100);
    free(bytes);
}

static void recipes_are_found_by_name(void **state) {
    (void)state;
    assert_string_equal(recipe_find(text_of("gemma2"))->arch, "gemma2");
    assert_null(recipe_find(text_of("gemm")));
}

RUN(TEST(wrong_files_are_explained), TEST(shapes_are_checked_against_metadata),
    TEST(corrupted_models_never_crash), TEST(recipes_are_found_by_name))
