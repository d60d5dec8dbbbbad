/* a model's keys: types, ranges, and the effect of those for positions and windows */
#include "families.h"
#include "loader_case.h"

/* A key of the wrong type or out of range is refused. */
static void types_and_ranges_are_checked(void **state) {
    (void)state;
    const Case cases[] = {
        {"llama", WORD("llama.rope.freq_base", "10000"), "is \"10000\", wanted a number"},
        {"llama", REAL("llama.rope.freq_base", 0), "is 0, wanted a number from 2"},
        {"llama", REAL("llama.rope.freq_base", -1), "is -1, wanted"},
        {"llama", REAL("llama.rope.freq_base", NAN), "nan, wanted"},
        {"llama", REAL("llama.rope.freq_base", INFINITY), "is inf, wanted"},
        {"llama", WHOLE("llama.rope.freq_base", 10000), NULL},
        {"llama", KEY("llama.rope.freq_base", .type = GGUF_F64, .number = 10000), NULL},
        {"llama", LIST("llama.rope.freq_base", 10000, 3), "an array of 3 u32"},
        {"llama", FLAG("llama.rope.freq_base", 1), "is true, wanted a number"},
        {"llama", REAL("llama.attention.layer_norm_rms_epsilon", 1), "from 0 to 0.1"},
        {"llama", REAL("llama.attention.layer_norm_rms_epsilon", -1), "from 0 to 0.1"},
        {"llama", GONE("llama.attention.layer_norm_rms_epsilon"), "is missing, wanted"},
        {"llama", LIST("llama.attention.head_count", 4, 2), "one for each of 3 layers"},
        {"llama", LIST("llama.attention.head_count", 4, 3), NULL},
        {"llama", LIST("llama.attention.head_count_kv", 2, 3), NULL},
        {"llama", LIST("llama.feed_forward_length", 16, 4), "an array of 4 u32"},
        {"llama", LIST("llama.block_count", 3, 3), "llama.block_count"},
        {"llama", WHOLE("llama.block_count", 2), "'blk.2."},
        {"llama", REAL("llama.block_count", 3), "wanted an integer"},
        {"llama", FLAG("llama.block_count", 1), "wanted an integer"},
        {"llama", KEY("llama.context_length", .type = GGUF_I32, .number = -5), "is -5"},
        {"llama", WHOLE("llama.attention.head_count_kv", 0), "is 0, wanted"},
        {"llama", WHOLE("llama.rope.dimension_count", 6), "is 6, wanted"},
        {"llama", WHOLE("llama.rope.dimension_count", 2), NULL},
        {"llama", WHOLE("llama.rope.dimension_count", 3), "cannot rotate 3"},
        {"llama", WHOLE("llama.rope.dimension_count", 0), "cannot rotate 0"},
        {"llama", LIST("llama.attention.head_count", 0, 3), "one for each of 3 layers"},
        {"llama", WORD("llama.block_count", "a number that is a text of more than forty bytes"),
         "is \"a number that is a text of more than for\", wanted"},
        {"gemma2", REAL("gemma2.attn_logit_softcapping", 0), "is 0, wanted"},
        {"gemma2", REAL("gemma2.final_logit_softcapping", -30), "is -30, wanted"},
        {"llama", WORD("llama.attention.key_length", "4"), "is \"4\", wanted"},
        {"mistral3", REAL("mistral3.attention.temperature_scale", -1), "is -1, wanted"},
        {"gemma2", WORD("gemma2.attention.sliding_window", "6"), "wanted an integer"},
        {"llama", WHOLE("llama.tensor_data_layout", 1), "wanted a text"},
        {"qwen2", WHOLE("qwen2.tensor_data_layout", 1), "wanted a text"},
        {"llama", WHOLE("general.alignment", 2), "a power of two from 8"},
        {"llama", LIST("general.alignment", 32, 1), "general.alignment is of type array"},
        {"llama", REAL("llama.attention.layer_norm_rms_epsilon", 0.1), NULL},
        {"llama", REAL("llama.attention.layer_norm_rms_epsilon", 0.11), "from 0 to 0.1"},
        {"granite", REAL("granite.logit_scale", 1e-6), NULL},
        {"llama", FLAG("llama.use_parallel_residual", 1), "branches follow each other"},
        {"llama", FLAG("llama.use_parallel_residual", 0), NULL},
        {"qwen2", FLAG("qwen2.use_parallel_residual", 1), NULL}, /* old converters' */
    };
    CHECK(cases);
}

/* More heads than numbers of the stream, where no key says how long a head is. */
static void heads_have_a_length(void **state) {
    (void)state;
    MakeModel m = small("llama");
    m.heads = 32;
    const Edit edit = GONE("llama.attention.key_length");
    size_t size, edited_size;
    Model model;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size),
                  *edited = edit_model(bytes, size, &edit, &edited_size);
    assert_false(model_open_memory(&model, edited, edited_size, &fault));
    assert_contains(fault.text, "heads of 0 numbers");
    free(bytes), free(edited);
}

/* Gemma 2 and 3 scale queries by another number in the largest size, known by its layers. */
static void the_largest_gemmas_scale_by_the_dim(void **state) {
    (void)state;
    static const struct {
        const char *arch;
        size_t layers;
        float scale; /* the root of 1 / (16 / 2), or of 1 / head_dim */
    } cases[] = {
        {"gemma2", 46, 0.35355339f}, {"gemma2", 45, 0.5f}, {"gemma3", 62, 0.35355339f}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MakeModel m = small(cases[i].arch);
        m.layers = cases[i].layers, m.heads = m.kv_heads = 2;
        size_t size;
        Model model;
        Fault fault;
        unsigned char *bytes = make_model(&m, &size);
        if (!model_open_memory(&model, bytes, size, &fault)) fail_msg("%s", fault.text);
        assert_near(model.blocks[0].attention.shape.scale, cases[i].scale, 1e-7);
        model_close(&model), free(bytes);
    }
}

static void stretched_contexts_are_known_or_refused(void **state) {
    (void)state;
    const Case cases[] = {
        {"llama", WORD("llama.rope.scaling.type", "longrope"), "\"longrope\", wanted none"},
        {"llama", WORD("llama.rope.scaling.type", "banana"), "\"banana\", wanted none"},
        {"llama", WHOLE("llama.rope.scaling.type", 2), "wanted a text"},
        {"llama", WORD("llama.rope.scaling.type", "none"), NULL},
        {"llama", WORD("llama.rope.scaling.type", "linear"), NULL},
        {"llama", WORD("llama.rope.scaling.type", "yarn"), "factor' is missing"},
        {"llama", REAL("llama.rope.scaling.factor", 4), NULL},
        {"llama", REAL("llama.rope.scale_linear", 4), NULL},
        {"llama", REAL("llama.rope.scaling.factor", 0), "is 0, wanted"},
        {"llama", REAL("llama.rope.scaling.factor", NAN), "nan, wanted"},
        {"llama", REAL("llama.rope.scaling.yarn_beta_fast", 32), "not used"},
        {"llama", REAL("llama.rope.scaling.attn_factor", 1.19), "wanted 1"},
        {"llama", REAL("llama.rope.scaling.alpha", 50), "rope.scaling.alpha"},
        {"llama", WHOLE("llama.rope.scaling.original_context_length", 16), NULL},
        {"llama", FLAG("llama.rope.scaling.finetuned", 1), NULL},
        {"llama", WHOLE("llama.rope.dimension_count_swa", 2), "wanted 4"},
        {"llama rope.scaling.factor=4.0", REAL("llama.rope.scale_linear", 4), NULL},
        {"llama rope.scaling.factor=4.0", REAL("llama.rope.scale_linear", 2),
         "'llama.rope.scale_linear' is 2, wanted 4"},
        {"yarn", REAL("llama.rope.scaling.yarn_beta_fast", 4), NULL},
        {"yarn", REAL("llama.rope.scaling.yarn_beta_fast", 0), "is 0, wanted"},
        {"yarn", REAL("llama.rope.scaling.yarn_beta_slow", 64), "from 0.001 to 32"},
        {"yarn", REAL("llama.rope.scaling.yarn_ext_factor", 0.5), "wanted 1"},
        {"yarn", REAL("llama.rope.scaling.yarn_attn_factor", 1.2), "different ways"},
        {"yarn", REAL("llama.rope.scaling.yarn_log_multiplier", 1), "not used"},
        {"gemma3 yarn", REAL("gemma3.rope.scaling.yarn_log_multiplier", 1), "not used"},
        {"mistral3", REAL("mistral3.rope.scaling.yarn_log_multiplier", 1), NULL},
        {"yarn", REAL("llama.rope.scaling.factor", 0.5), "from 1 to"},
        {"yarn", REAL("llama.rope.scale_linear", 2), "scale_linear"},
        {"yarn", WORD("llama.rope.scaling.type", "none"), "wanted 1"},
    };
    CHECK(cases);
}

/* The window of each layer of a model, as "6.." for one with a window and two without. */
static void windows_of(const Edit *edit, char *out) {
    MakeModel m = small("gemma3");
    size_t size, edited_size;
    Model model;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size),
                  *edited = edit_model(bytes, size, edit, &edited_size);
    if (!model_open_memory(&model, edited, edited_size, &fault)) fail_msg("%s", fault.text);
    for (size_t l = 0; l < 3; l++)
        out[l] = model.blocks[l].attention.shape.mask.window == 6 ? '6' : '.';
    for (size_t l = 0; l < 3; l++)
        assert_ptr_equal(model.blocks[l].attention.rope, &model.ropes[out[l] == '6']);
    model_close(&model);
    free(bytes), free(edited);
}

static void window_patterns_are_followed(void **state) {
    (void)state;
    const char *key = "gemma3.attention.sliding_window_pattern";
    const struct {
        Edit edit;
        const char *windows;
    } patterns[] = {{{.tensor = "none", .shape = {0}}, "666"},
                    {{.key = key, .type = GGUF_U32, .number = 2}, "6.6"},
                    {{.key = key, .type = GGUF_U32, .number = 3}, "66."},
                    {{.key = key, .type = GGUF_U32, .number = 1}, "..."},
                    {{.key = key, .type = GGUF_ARRAY, .number = 0, .count = 3}, "..."},
                    {{.key = key, .type = GGUF_ARRAY, .number = 1, .count = 3}, "666"},
                    {{.key = "gemma3.attention.sliding_window", .type = GGUF_TYPES}, "..."}};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char windows[4] = "";
        windows_of(&patterns[i].edit, windows);
        assert_string_equal(windows, patterns[i].windows);
    }
    const Case wrong[] = {
        {"gemma3", LIST("gemma3.attention.sliding_window_pattern", 1, 2), "for each layer"},
        {"gemma3", LIST("gemma3.attention.sliding_window_pattern", 2, 3), "for each layer"},
        {"gemma3", LIST("gemma3.attention.sliding_window_pattern", -1, 3), "for each layer"},
        {"gemma3", WORDS("gemma3.attention.sliding_window_pattern", "1", 3), "for each layer"},
        {"gemma3", WHOLE("gemma3.attention.sliding_window_pattern", 0), "is 0, wanted"},
        {"llama", WHOLE("llama.attention.sliding_window_pattern", 2), "window_pattern"}};
    CHECK(wrong);
}

/* yarn_log_multiplier is divided out of YaRN's magnitude: with 1 nothing is left. */
static void yarn_log_multiplier_is_used(void **state) {
    (void)state;
    const double multiplier[] = {0, 0.5, 1};
    for (int i = 0; i < 3; i++) {
        MakeModel m = small("mistral3");
        Edit edit = REAL("mistral3.rope.scaling.yarn_log_multiplier", multiplier[i]);
        size_t size, edited_size;
        Model model;
        unsigned char *bytes = make_model(&m, &size),
                      *edited = edit_model(bytes, size, &edit, &edited_size);
        assert_true(model_open_memory(&model, edited, edited_size, NULL));
        double grown = 1 + 0.1 * log(4);
        assert_float_equal(model.ropes[0].magnitude, grown / (1 + 0.1 * multiplier[i] * log(4)),
                           1e-6);
        model_close(&model);
        free(bytes), free(edited);
    }
}

/* Logits of tokens that the file suppresses are -infinity, those of others as they were. */
static void suppressed_tokens_are_never_predicted(void **state) {
    (void)state;
    MakeModel m = small("llama");
    Edit edit = LIST("tokenizer.ggml.suppress_tokens", 7, 1);
    size_t size, edited_size;
    unsigned char *bytes = make_model(&m, &size),
                  *edited = edit_model(bytes, size, &edit, &edited_size);
    const unsigned char *files[2] = {bytes, edited};
    float logits[2][2 * MAKE_VOCAB];
    for (int i = 0; i < 2; i++) {
        Model model;
        Session session;
        Fault fault = {""};
        SessionConfig config = {.sequences = 1, .max_tokens = 2, .max_logits = 2};
        if (!model_open_memory(&model, files[i], i ? edited_size : size, &fault) ||
            !session_open(&session, &model, NULL, config, &fault) ||
            !session_eval(&session, (int32_t[]){3, 5}, 2, true, &fault))
            fail_msg("%s", fault.text);
        memcpy(logits[i], session.logits, sizeof *logits);
        session_close(&session), model_close(&model);
    }
    assert_true(isinf(logits[1][7]) && isinf(logits[1][MAKE_VOCAB + 7]));
    logits[1][7] = logits[0][7], logits[1][MAKE_VOCAB + 7] = logits[0][MAKE_VOCAB + 7];
    assert_memory_equal(logits[0], logits[1], sizeof *logits);
    free(bytes), free(edited);
}

/* A layer's q, k, v and gate in one matrix, key head by key head; the caller frees the file. */
static unsigned char *fused_in(const unsigned char *bytes, size_t size, size_t *new_size) {
    enum {
        D = 4,
        KEYS = MAKE_DELTA_KEYS,
        V = MAKE_DELTA_HEADS / KEYS * D,
        G = 2 * D + 2 * V,
        DIM = 16
    };
    static float rows[KEYS * G][DIM];
    Gguf g;
    unsigned char *out;
    char name[96];
    assert_true(gguf_parse(&g, bytes, size, NULL));
    GgufWriter *w = gguf_writer_open(NULL);
    for (size_t i = 0; i < g.n_pairs; i++) gguf_put_pair(w, &g.pairs[i]);
    for (size_t i = 0; i < g.n_tensors; i++) {
        Tensor t = gguf_tensor_view(&g.tensors[i]);
        snprintf(name, sizeof name, "%.*s", (int)g.tensors[i].name.size,
                 g.tensors[i].name.data);
        if (strstr(name, "attn_gate")) continue;
        if (!strstr(name, "attn_qkv")) {
            gguf_put_tensor(w, name, &t);
            continue;
        }
        const float(*qkv)[DIM] = t.data, (*gate)[DIM];
        memcpy(strstr(name, "attn_qkv"), "attn_gate.weight", 17);
        gate = (const float(*)[DIM])(const void *)gguf_find_tensor(&g, name)->data;
        memcpy(strstr(name, "attn_gate"), "ssm_in.weight", 14);
        for (int h = 0; h < KEYS; h++) {
            memcpy(rows[h * G], qkv[h * D], sizeof *rows * D);
            memcpy(rows[h * G + D], qkv[(KEYS + h) * D], sizeof *rows * D);
            memcpy(rows[h * G + 2 * D], qkv[2 * KEYS * D + h * V], sizeof *rows * V);
            memcpy(rows[h * G + 2 * D + V], gate[h * V], sizeof *rows * V);
        }
        Tensor in = tensor_view(DTYPE_F32, 2, (size_t[]){KEYS * G, DIM}, rows);
        gguf_put_tensor(w, name, &in);
    }
    assert_true(gguf_write_memory(w, &out, new_size, NULL));
    gguf_writer_close(w), gguf_free(&g);
    return out;
}

/* Qwen3-Next as its first converters wrote it: the same logits. */
static void fused_in_is_split(void **state) {
    (void)state;
    MakeModel m = small("qwen3next");
    float logits[2][MAKE_VOCAB];
    for (int i = 0; i < 2; i++) {
        size_t size, fused_size = 0;
        Model model;
        Session session;
        Fault fault = {""};
        unsigned char *bytes = make_model(&m, &size),
                      *fused = i ? fused_in(bytes, size, &fused_size) : NULL;
        SessionConfig config = {.sequences = 1, .max_tokens = 3, .max_logits = 3};
        if (!model_open_memory(&model, i ? fused : bytes, i ? fused_size : size, &fault) ||
            !session_open(&session, &model, NULL, config, &fault) ||
            !session_eval(&session, (int32_t[]){3, 5, 9}, 3, true, &fault))
            fail_msg("%s", fault.text);
        memcpy(logits[i], session.logits + 2 * MAKE_VOCAB, sizeof *logits);
        session_close(&session), model_close(&model), free(bytes), free(fused);
    }
    assert_memory_equal(logits[0], logits[1], sizeof *logits);
}

/* The last row of a text's logits, with a context and a choice. */
static void long_row(size_t ctx, const char *which, float *row) {
    MakeModel m = small("phi3 long_rope:16");
    size_t size;
    Model model;
    Session session;
    Fault fault = {""};
    unsigned char *bytes = make_model(&m, &size);
    SessionConfig config = {.sequences = 1, .max_tokens = 8, .max_logits = 8, .ctx = ctx};
    if (!model_open_memory(&model, bytes, size, &fault) ||
        (which && !model_choose_rope(&model, which, &fault)) ||
        !session_open(&session, &model, NULL, config, &fault) ||
        !session_eval(&session, (int32_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 8, true, &fault))
        fail_msg("%s", fault.text);
    memcpy(row, session.logits + 7 * MAKE_VOCAB, MAKE_VOCAB * sizeof *row);
    session_close(&session), model_close(&model), free(bytes);
}

/* Short or long by the context (16 and 32 of 16 positions), or as chosen. */
static void longrope_can_be_chosen(void **state) {
    (void)state;
    const size_t bytes = MAKE_VOCAB * sizeof(float);
    float near[MAKE_VOCAB], far[MAKE_VOCAB], got[MAKE_VOCAB];
    long_row(16, NULL, near), long_row(32, "auto", far);
    assert_memory_not_equal(near, far, bytes);
    Model plain = {0};
    Fault fault;
    assert_true(model_choose_rope(&plain, "auto", &fault)); /* the default of every model */
    assert_false(model_choose_rope(&plain, "long", &fault));
    assert_contains(fault.text, "one list of rotary positions");
    assert_false(model_choose_rope(&plain, "longer", &fault));
    assert_contains(fault.text, "'longer' is not auto, short or long");
    long_row(32, "short", got), assert_memory_equal(got, near, bytes);
    long_row(16, "long", got), assert_memory_equal(got, far, bytes);
}

RUN(TEST(types_and_ranges_are_checked), TEST(stretched_contexts_are_known_or_refused),
    TEST(window_patterns_are_followed), TEST(yarn_log_multiplier_is_used),
    TEST(suppressed_tokens_are_never_predicted), TEST(longrope_can_be_chosen),
    TEST(fused_in_is_split), TEST(heads_have_a_length),
    TEST(the_largest_gemmas_scale_by_the_dim))
