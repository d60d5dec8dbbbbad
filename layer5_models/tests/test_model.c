/* binding: errors name what is wrong; broken files never crash */
#include "check.h"
#include "fuzz/damage.h"
#include "quant_preset.h"

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
    make_keys(w, &lie), make_tokenizer(w, &lie);
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
    refused(bytes, size, "strata inspect --families");
    free(bytes);
    assert_false(model_open(&model, "/no/such/file.gguf", &fault));
    assert_contains(fault.text, "/no/such/file.gguf");
}

static void a_vocabulary_alone_is_no_model(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    GgufWriter *w = gguf_writer_open(NULL);
    unsigned char *bytes;
    size_t size;
    make_keys(w, &m), make_tokenizer(w, &m);
    assert_true(gguf_write_memory(w, &bytes, &size, NULL));
    gguf_writer_close(w);
    refused(bytes, size, "the file has no tensors, it is a vocabulary alone");
    free(bytes);
}

/* 32 rows of one number have the shape of one row of 32, but not its blocks. */
static void rows_are_whole_blocks(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    m.dim = 32, m.hidden = 1;
    size_t size, shape[1] = {32};
    unsigned char *bytes = make_model(&m, &size), block[34] = {0}, *out;
    Gguf g;
    char name[100];
    assert_true(gguf_parse(&g, bytes, size, NULL));
    GgufWriter *w = gguf_writer_open(NULL);
    for (size_t i = 0; i < g.n_pairs; i++) gguf_put_pair(w, &g.pairs[i]);
    for (size_t i = 0; i < g.n_tensors; i++) {
        bool down = text_equal(g.tensors[i].name, text_of("blk.0.ffn_down.weight"));
        Tensor t =
            down ? tensor_view(DTYPE_Q8_0, 1, shape, block) : gguf_tensor_view(&g.tensors[i]);
        snprintf(name, sizeof name, "%.*s", (int)g.tensors[i].name.size,
                 g.tensors[i].name.data);
        gguf_put_tensor(w, name, &t);
    }
    assert_true(gguf_write_memory(w, &out, &size, NULL));
    gguf_writer_close(w), gguf_free(&g);
    refused(out, size, "'blk.0.ffn_down.weight' is in Q8_0: rows of 1 do not divide into its");
    free(bytes), free(out);
}

/* A few; make fuzz tries more, under sanitizers. */
static void damaged_models_never_crash(void **state) {
    (void)state;
    static Header header;
    size_t outcome[TRIALS] = {0}, size;
    MakeModel m;
    assert_true(seed_model(0, &m));
    unsigned char *bytes = make_model(&m, &size);
    find_fields(&header, bytes, size);
    assert_true(header.count > 100);
    for (uint64_t number = 0; number < 3000; number++) {
        size_t n = size;
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        damage(copy, &n, &header, number);
        outcome[try_file(copy, n)]++;
        free(copy);
    }
    assert_true(outcome[TRIAL_REFUSED] > 2000 && outcome[TRIAL_RAN] > 100);
    free(bytes);
}

static void recipes_are_found_by_name(void **state) {
    (void)state;
    assert_string_equal(recipe_find(text_of("gemma2"))->arch, "gemma2");
    assert_null(recipe_find(text_of("gemm")));
    /* a plain decoder: no quirks, no extras, no vision tower */
    static const Quirks none;
    MakeModel make = make_model_defaults("llama");
    size_t size;
    Model model;
    unsigned char *bytes = make_model(&make, &size);
    assert_true(model_open_memory(&model, bytes, size, NULL));
    assert_memory_equal(quirks_of(model.recipe), &none, sizeof none);
    assert_null(model.blocks[0].extras);
    assert_int_equal(model_extras(&model)->encoder, 0);
    assert_int_equal(model_extras(&model)->vision.patch, 0);
    model_close(&model), free(bytes);
}

/* Mixes: which matrix gets which format. */
static void mixes_favour_some_matrices(void **state) {
    (void)state;
    Fault fault;
    const QuantPreset *m = quant_preset_find("q4_k_m", &fault);
    assert_non_null(m);
    assert_int_equal(quant_preset_dtype(m, text_of("output.weight"), 32, 4096, false),
                     DTYPE_Q6_K);
    assert_int_equal(quant_preset_dtype(m, text_of("output.weight"), 32, 4096, true),
                     DTYPE_Q4_K);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.0.attn_v.weight"), 32, 4096, false),
                     DTYPE_Q6_K);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.4.attn_v.weight"), 32, 4096, false),
                     DTYPE_Q4_K);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.6.ffn_down.weight"), 32, 4096, false),
                     DTYPE_Q6_K);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.0.attn_q.weight"), 32, 4096, false),
                     DTYPE_Q4_K);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.0.attn_q.weight"), 32, 96, false),
                     DTYPE_Q5_0);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.0.attn_q.weight"), 32, 50, false),
                     DTYPE_F16);
    m = quant_preset_find("iq3_xxs", &fault);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.0.attn_q.weight"), 32, 4096, false),
                     DTYPE_IQ2_S);
    assert_int_equal(quant_preset_dtype(m, text_of("output.weight"), 32, 4096, false),
                     DTYPE_Q5_K);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.0.attn_q.weight"), 32, 96, false),
                     DTYPE_IQ4_NL);
    m = quant_preset_find("iq2_xs", &fault);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.3.ffn_down.weight"), 32, 4096, false),
                     DTYPE_Q2_K);
    assert_int_equal(quant_preset_dtype(m, text_of("blk.4.ffn_down.weight"), 32, 4096, false),
                     DTYPE_IQ2_XS);
    assert_null(quant_preset_find("Q9", &fault));
    assert_contains(fault.text, "--list");
}

/* A file in another format opens as a model; importance changes it, and importance of the wrong
 * width is refused. */
static void files_are_requantized(void **state) {
    (void)state;
    MakeModel make = make_model_defaults("llama");
    make.dim = 256, make.head_dim = 64, make.hidden = 256;
    size_t size, sizes[3];
    Fault fault;
    Gguf gguf, important;
    unsigned char *bytes = make_model(&make, &size), *made[3] = {NULL}, *weights[2];
    assert_true(gguf_parse(&gguf, bytes, size, &fault));
    for (int wrong = 0; wrong < 2;
         wrong++) { /* the importance of one matrix, the right width and not */
        float sums[256];
        size_t width = wrong ? 128 : 256, bytes_of;
        for (int i = 0; i < 256; i++) sums[i] = i % 7 == 0 ? 100.0f : 1.0f;
        GgufWriter *writer = gguf_writer_open(&fault);
        Tensor t = tensor_view(DTYPE_F32, 1, &width, sums);
        gguf_put_tensor(writer, "blk.0.attn_q.weight.in_sum2", &t);
        assert_true(gguf_write_memory(writer, &weights[wrong], &bytes_of, &fault));
        gguf_writer_close(writer);
        assert_true(gguf_parse(&important, weights[wrong], bytes_of, &fault));
        for (int with = 0; with < 2; with++) {
            Requantize how = {.preset = quant_preset_find("Q4_K_S", &fault),
                              .importance = with ? &important : NULL};
            writer = gguf_writer_open(&fault);
            bool ok = requantize(&gguf, &how, NULL, writer, NULL, NULL, &fault);
            assert_int_equal(ok, !(wrong && with));
            if (ok && !wrong)
                assert_true(gguf_write_memory(writer, &made[with], &sizes[with], &fault));
            gguf_writer_close(writer);
        }
        gguf_free(&important);
    }
    assert_contains(fault.text, "of another model");
    assert_int_equal(sizes[0], sizes[1]);
    assert_true(memcmp(made[0], made[1], sizes[0]) != 0);
    Gguf quantized;
    assert_true(gguf_parse(&quantized, made[1], sizes[1], &fault));
    for (size_t i = 0; i < quantized.n_tensors; i++) /* vectors and norms are not */
        assert_int_equal(quantized.tensors[i].ndim == 1,
                         quantized.tensors[i].dtype == DTYPE_F32);
    gguf_free(&quantized);
    Model model;
    assert_true(model_open_memory(&model, made[1], sizes[1], &fault));
    assert_int_equal(model.blocks[0].attention.q.w.dtype, DTYPE_Q4_K);
    assert_true(model_pack(&model, NULL, NULL, NULL, &fault));
    assert_non_null(model.blocks[0].attention.q.packed);
    model_close(&model);
    gguf_free(&gguf);
    free(bytes), free(made[0]), free(made[1]), free(weights[0]), free(weights[1]);
}

static void count_packed(void *context, double bytes) {
    double *last = context;
    assert_true(bytes > *last);
    *last = bytes;
}

/* Experts are matrices of their own; what is packed is not packed again. */
static void experts_are_packed_each(void **state) {
    (void)state;
    for (int quantized = 0; quantized < 2; quantized++) {
        MakeModel make = make_model_of("llama", "experts:4");
        if (quantized) make.dtype = DTYPE_Q8_0;
        size_t size;
        Model model;
        Fault fault;
        double packed = 0;
        unsigned char *bytes = make_model(&make, &size);
        if (!model_open_memory(&model, bytes, size, &fault)) fail_msg("%s", fault.text);
        size_t all = model_packed_bytes(&model);
        assert_int_equal(all > 0, quantized);
        assert_true(model_pack(&model, NULL, count_packed, &packed, &fault));
        assert_true(packed == (double)all);
        const PackedWeights *first = model.packed;
        assert_int_equal(first != NULL, quantized);
        assert_true(model_pack(&model, NULL, count_packed, &packed, &fault));
        assert_ptr_equal(model.packed, first);
        model_close(&model), free(bytes);
    }
}

/* A file of one tensor with rows of 256 numbers, in memory. */
static unsigned char *file_of(const char *name, size_t rows, Gguf *gguf) {
    float numbers[8 * 256];
    size_t size, shape[2] = {rows, 256};
    unsigned char *bytes = NULL;
    Fault fault;
    uint64_t state = 1;
    for (size_t i = 0; i < rows * 256; i++)
        numbers[i] = rows > 1 ? check_noise(&state) : i % 7 == 0 ? 100.0f : 1.0f;
    GgufWriter *writer = gguf_writer_open(&fault);
    Tensor t = tensor_view(DTYPE_F32, 2, shape, numbers);
    gguf_put_tensor(writer, name, &t);
    assert_true(gguf_write_memory(writer, &bytes, &size, &fault));
    gguf_writer_close(writer);
    assert_true(gguf_parse(gguf, bytes, size, &fault));
    return bytes;
}

/* Rows that do not divide into blocks of 256 get blocks of 32, and are counted. */
static void matrices_of_similar_formats_are_counted(void **state) {
    (void)state;
    for (size_t dim = 128; dim <= 256; dim += 128) {
        MakeModel make = make_model_defaults("llama");
        make.dim = make.hidden = dim, make.head_dim = 64;
        size_t size, matrices = 0;
        Fault fault;
        Gguf gguf;
        unsigned char *bytes = make_model(&make, &size);
        Requantize k = {.preset = quant_preset_find("Q4_K_S", &fault)},
                   plain = {.preset = quant_preset_find("Q8_0", &fault)};
        assert_true(gguf_parse(&gguf, bytes, size, &fault));
        for (size_t i = 0; i < gguf.n_tensors; i++)
            matrices += gguf.tensors[i].ndim == 2 && gguf.tensors[i].shape[1] % 256 != 0;
        assert_true(dim == 128 ? matrices > 10 : matrices == 0);
        assert_int_equal(requantize_misfits(&gguf, &plain), 0);
        assert_int_equal(requantize_misfits(&gguf, &k), matrices);
        gguf_free(&gguf), free(bytes);
    }
}

/* The file in a mix's main format; NULL: refused. */
static unsigned char *in_format(const Gguf *gguf, const QuantPreset *preset,
                                const Gguf *importance, size_t *size, Fault *fault) {
    unsigned char *bytes = NULL;
    Requantize how = {.preset = preset, .pure = true, .importance = importance};
    GgufWriter *writer = gguf_writer_open(fault);
    if (requantize(gguf, &how, NULL, writer, NULL, NULL, fault))
        assert_true(gguf_write_memory(writer, &bytes, size, fault));
    gguf_writer_close(writer);
    return bytes;
}

static void importance_is_used_or_refused(void **state) {
    (void)state;
    size_t size;
    Fault fault;
    Gguf gguf, important, strange;
    unsigned char *file = file_of("blk.0.attn_q.weight", 8, &gguf),
                  *known = file_of("blk.0.attn_q.weight.in_sum2", 1, &important),
                  *unknown = file_of("other.weight.in_sum2", 1, &strange);
    const QuantPreset *presets;
    size_t used = 0, count = quant_preset_list(&presets);
    for (size_t i = 0; i < count; i++) {
        unsigned char *plain = in_format(&gguf, &presets[i], NULL, &size, &fault),
                      *weighted = in_format(&gguf, &presets[i], &important, &size, &fault);
        assert_non_null(plain);
        if (weighted && memcmp(plain, weighted, size) == 0)
            fail_msg("%s ignores the importance", presets[i].name);
        used += weighted != NULL;
        free(plain), free(weighted);
    }
    assert_int_equal(used, 22);
    assert_null(in_format(&gguf, quant_preset_find("Q8_0", &fault), &important, &size, &fault));
    assert_contains(fault.text, "changes nothing in Q8_0");
    assert_null(in_format(&gguf, quant_preset_find("Q4_K_M", &fault), &strange, &size, &fault));
    assert_contains(fault.text, "names none");
    gguf_free(&gguf), gguf_free(&important), gguf_free(&strange);
    free(file), free(known), free(unknown);
}

/* A number that a format cannot represent would silently become another one. */
static void numbers_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const float odd[] = {NAN, INFINITY, 1e30f, 65505};
    static const char *const names[] = {"Q4_K_M", "Q8_0", "F16"};
    Fault fault;
    Gguf gguf;
    size_t size;
    unsigned char *file = file_of("blk.0.attn_q.weight", 8, &gguf);
    float *numbers = (float *)(uintptr_t)gguf.tensors[0].data, kept = numbers[777];
    for (size_t n = 0; n < 3; n++) {
        const QuantPreset *preset = quant_preset_find(names[n], &fault);
        for (size_t i = 0; i < 4; i++) {
            numbers[777] = odd[i];
            assert_null(in_format(&gguf, preset, NULL, &size, &fault));
            assert_contains(fault.text, "'blk.0.attn_q.weight' holds a number that");
        }
        numbers[777] = kept;
        unsigned char *fine = in_format(&gguf, preset, NULL, &size, &fault);
        assert_non_null(fine);
        free(fine);
    }
    gguf_free(&gguf), free(file);
}

/* n tokens of sequence 0 from `position` on, each with logits or none. */
static bool forward(Session *s, int32_t token, size_t position, size_t n, bool wanted,
                    Fault *fault) {
    int32_t tokens[8], sequences[8] = {0}, positions[8];
    bool wants[8];
    for (size_t i = 0; i < n; i++)
        tokens[i] = token, positions[i] = (int32_t)(position + i), wants[i] = wanted;
    const Batch batch = {.token = tokens,
                         .sequence = sequences,
                         .position = positions,
                         .wanted = wants,
                         .count = n};
    return session_forward(s, &batch, fault);
}

/* What a batch wants that there is no room for; nothing of it is kept then. */
static void batches_without_room_are_refused(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    m.ctx = 2 * KV_PAGE;
    size_t size, cache, work;
    Model model;
    Session s;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(model_open_memory(&model, bytes, size, &fault));
    SessionConfig c = {.sequences = 1, .max_tokens = 8, .max_logits = 1, .pages = m.layers};
    session_plan(&model, c, &cache, &work);
    assert_true(session_open(&s, &model, NULL, c, &fault));
    assert_int_equal(s.arena.used, cache + work);
    assert_false(forward(&s, -1, 0, 1, false, &fault));
    assert_contains(fault.text, "token -1 is not in the vocabulary");
    assert_false(forward(&s, MAKE_VOCAB, 0, 1, false, &fault));
    assert_contains(fault.text, "is not in the vocabulary");
    assert_false(forward(&s, 1, 0, 2, true, &fault));
    assert_contains(fault.text, "2 rows of logits are wanted at once, there is room for 1");
    for (size_t at = 0; at + 4 < KV_PAGE; at += 4)
        assert_true(forward(&s, 1, at, 4, false, &fault));
    assert_false(forward(&s, 1, KV_PAGE - 4, 8, false, &fault));
    assert_contains(fault.text, "pages, is full at");
    assert_int_equal(s.kv.length[0], KV_PAGE - 4);
    session_close(&s);
    c.ctx = 6, c.pages = 0;
    assert_true(session_open(&s, &model, NULL, c, &fault));
    assert_true(forward(&s, 1, 0, 4, false, &fault));
    assert_false(forward(&s, 1, 4, 4, false, &fault));
    assert_contains(fault.text, "the context is full at 6 tokens");
    assert_int_equal(s.kv.length[0], 4);
    session_close(&s), model_close(&model), free(bytes);
}

/* Queries of a Q8_0 cache are kept in 8 bits, in a buffer of 1,024 numbers. */
static void long_keys_are_not_kept_in_8_bits(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    m.heads = m.kv_heads = 1, m.head_dim = KV_BYTE_KEY + 32, m.ctx = 8;
    size_t size;
    Model model;
    Session s;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size);
    SessionConfig c = {.sequences = 1, .max_tokens = 1, .max_logits = 1};
    if (!model_open_memory(&model, bytes, size, &fault)) fail_msg("%s", fault.text);
    assert_true(kv_format_read("q8_0", &c.kv, &fault));
    assert_false(session_open(&s, &model, NULL, c, &fault));
    assert_contains(fault.text, "keys of 1056 numbers cannot be kept as q8_0");
    assert_true(kv_format_read("f16", &c.kv, &fault));
    assert_true(session_open(&s, &model, NULL, c, &fault));
    session_close(&s), model_close(&model), free(bytes);
}

static size_t layers_left;
static bool while_layers_are_left(void *context) {
    (void)context;
    return layers_left-- > 0;
}

/* A batch that is cancelled between layers is rolled back, and the session says so until the
 * next; pages that no window reaches are given back, token by token too. */
static void cancelled_batches_are_rolled_back(void **state) {
    (void)state;
    MakeModel m = make_model_of("llama", "window:6 ctx:512");
    size_t size, used[2];
    Model model;
    Session s;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(model_open_memory(&model, bytes, size, &fault));
    SessionConfig c = {.sequences = 1, .max_tokens = 8, .max_logits = 1};
    assert_true(session_open(&s, &model, NULL, c, &fault));
    assert_true(forward(&s, 1, 0, 4, false, &fault));
    s.is_wanted = while_layers_are_left, layers_left = 1;
    assert_false(forward(&s, 1, 4, 8, false, &fault));
    assert_contains(fault.text, "the forward pass was cancelled");
    assert_true(s.stopped && s.kv.length[0] == 4);
    s.is_wanted = NULL;
    assert_true(forward(&s, 1, 4, 1, false, &fault) && !s.stopped);
    for (size_t at = 5; at < 6 * KV_PAGE; at++) {
        assert_true(forward(&s, 1, at, 1, false, &fault));
        used[at >= 3 * KV_PAGE] = s.kv.pages.count - s.kv.pages.free_count;
    }
    assert_int_equal(used[1], used[0]);
    session_close(&s), model_close(&model), free(bytes);
}

RUN(TEST(batches_without_room_are_refused), TEST(cancelled_batches_are_rolled_back),
    TEST(long_keys_are_not_kept_in_8_bits), TEST(experts_are_packed_each),
    TEST(a_vocabulary_alone_is_no_model), TEST(rows_are_whole_blocks),
    TEST(numbers_that_do_not_fit_are_refused), TEST(mixes_favour_some_matrices),
    TEST(files_are_requantized), TEST(matrices_of_similar_formats_are_counted),
    TEST(importance_is_used_or_refused), TEST(wrong_files_are_explained),
    TEST(shapes_are_checked_against_metadata), TEST(damaged_models_never_crash),
    TEST(recipes_are_found_by_name))
