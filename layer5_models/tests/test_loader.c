/* what a file says is used or refused, never ignored */
#include "check.h"
#include "edit_model.h"

#define KEY(name, ...) \
    { .key = name, __VA_ARGS__ }
#define FLAG(name, value)    KEY(name, .type = GGUF_BOOL, .number = value)
#define WHOLE(name, value)   KEY(name, .type = GGUF_U32, .number = value)
#define REAL(name, value)    KEY(name, .type = GGUF_F32, .number = value)
#define WORD(name, value)    KEY(name, .type = GGUF_STRING, .text = value)
#define LIST(name, value, n) KEY(name, .type = GGUF_ARRAY, .number = value, .count = n)
#define GONE(name)           KEY(name, .type = GGUF_TYPES)
#define EXTRA(name, ...)                         \
    {                                            \
        .tensor = name, .shape = { __VA_ARGS__ } \
    }

/* One edit of a model that opens, and what the fault must say; NULL: it opens still. */
typedef struct Case {
    const char *arch;
    Edit edit;
    const char *says;
} Case;

static MakeModel small(const char *arch) {
    MakeModel m = make_model_defaults(arch);
    m.layers = 3, m.dim = m.hidden = 16, m.heads = 4, m.head_dim = 4, m.ctx = 32;
    if (strcmp(arch, "gpt2") != 0) m.kv_heads = 2;
    if (m.window) m.window = 6;
    if (strcmp(arch, "mixtral") == 0) m.arch = "llama", m.experts = 4;
    if (strcmp(arch, "yarn") == 0) m.arch = "llama", m.yarn = true;
    return m;
}

static void check_cases(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        MakeModel m = small(cases[i].arch);
        size_t size, edited_size;
        Model model;
        Fault fault = {""};
        unsigned char *bytes = make_model(&m, &size),
                      *edited = edit_model(bytes, size, &cases[i].edit, &edited_size);
        const char *name = cases[i].edit.key ? cases[i].edit.key : cases[i].edit.tensor;
        assert_non_null(edited);
        bool opened = model_open_memory(&model, edited, edited_size, &fault);
        if (opened) model_close(&model);
        if (opened != !cases[i].says)
            fail_msg("%s, %s: %s", cases[i].arch, name, opened ? "it opens" : fault.text);
        if (cases[i].says) assert_contains(fault.text, cases[i].says);
        free(bytes), free(edited);
    }
}

#define CHECK(cases) check_cases(cases, sizeof cases / sizeof *(cases))

/* A tensor that nobody computes with. */
static void left_over_tensors_are_refused(void **state) {
    (void)state;
    const Case cases[] = {
        {"llama", EXTRA("blk.3.attn_norm.weight", 16), "of 3 blocks"},
        {"llama", EXTRA("blk.0.attn_sinks.weight", 4),
         "'blk.0.attn_sinks.weight' (4) plays no"},
        {"llama", EXTRA("blk.0.attn_q_norm.weight", 4), "attn_q_norm.weight"},
        {"llama", EXTRA("blk.0.post_attention_norm.weight", 16), "post_attention_norm"},
        {"llama", EXTRA("blk.1.attn_norm.bias", 16), "blk.1.attn_norm.bias"},
        {"llama", EXTRA("output_norm.bias", 16), "output_norm.bias"},
        {"llama", EXTRA("blk.0.ffn_gate_inp_shexp.weight", 16), "shexp"},
        {"llama", EXTRA("blk.0.attn_qkv.weight", 32, 16), "attn_q.weight"},
        {"llama", EXTRA("blk.0.attn_q.scale", 1), "attn_q.scale"},
        {"llama", EXTRA("rope_factors_long.weight", 2), "rope_factors_long"},
        {"llama", EXTRA("token_embd_norm.weight", 16), "token_embd_norm"},
        {"llama", EXTRA("position_embd.weight", 32, 16), "position_embd"},
        {"llama", EXTRA("cls.output.weight", 2, 16), "cls.output"},
        {"llama", EXTRA("something", 1), "'something' (1)"},
        {"mixtral", EXTRA("blk.0.ffn_gate_exps.bias", 4, 16), "ffn_gate_exps.bias"},
        {"mixtral", EXTRA("blk.0.ffn_up.weight", 16, 16), "blk.0.ffn_up.weight"},
        {"mixtral", EXTRA("blk.2.exp_probs_b.bias", 4), "exp_probs_b"},
        {"gpt2", EXTRA("rope_freqs.weight", 2), "rope_freqs"},
        {"gpt2", EXTRA("blk.0.ffn_gate.weight", 16, 16), "ffn_gate"},
        {"qwen3", EXTRA("blk.1.attn_q_norm.weight", 0), "attn_q_norm.weight' is missing"},
        {"gemma2", EXTRA("blk.1.post_ffw_norm.weight", 0), "post_ffw_norm.weight' is missing"},
        {"llama", EXTRA("rope_freqs.weight", 2), NULL},
        {"llama", EXTRA("blk.0.attn_q.bias", 16), NULL},
        {"gpt2", EXTRA("output_norm.bias", 16), NULL},
        {"gemma", EXTRA("output.weight", MAKE_VOCAB, 15), "wanted (258, 16)"},
    };
    CHECK(cases);
}

/* A key that nobody computes with, or that says what we do not compute. */
static void left_over_keys_are_refused(void **state) {
    (void)state;
    const Case cases[] = {
        {"llama", WHOLE("llama.foo", 3), "'llama.foo' is 3, and nothing asks for it"},
        {"llama", WHOLE("adapter.lora.alpha", 3), "adapter.lora.alpha"},
        {"llama", FLAG("llama.attention.causal", 0), "causal' is false, wanted true"},
        {"llama", FLAG("llama.attention.causal", 1), NULL},
        {"llama", WHOLE("llama.attention.causal", 1), "is 1, wanted true"},
        {"llama", WHOLE("llama.attention.value_length", 8), "is 8, wanted 4"},
        {"llama", WHOLE("llama.attention.value_length", 4), NULL},
        {"llama", WHOLE("llama.vocab_size", 259), "is 259, wanted 258"},
        {"llama", WHOLE("llama.vocab_size", 258), NULL},
        {"llama", WHOLE("llama.attention.sliding_window", 6), "context_length"},
        {"llama", WHOLE("llama.attention.sliding_window", 32), NULL},
        {"llama", REAL("llama.attn_logit_softcapping", 50), "attn_logit_softcapping"},
        {"llama", REAL("llama.final_logit_softcapping", 30), "final_logit_softcapping"},
        {"gemma3", REAL("gemma3.attn_logit_softcapping", 50), "attn_logit_softcapping"},
        {"gemma3", REAL("gemma3.final_logit_softcapping", 30), NULL},
        {"gemma2", REAL("gemma2.final_logit_softcapping", 30), NULL},
        {"llama", REAL("llama.attention.max_alibi_bias", 8), "wanted 0"},
        {"llama", REAL("llama.attention.clamp_kqv", 8), "wanted 0"},
        {"llama", REAL("llama.attention.scale", 0.5), "llama.attention.scale"},
        {"llama", REAL("llama.attention.temperature_scale", 0.1), "temperature_scale"},
        {"mistral3", REAL("mistral3.attention.temperature_scale", 0.1), NULL},
        {"llama", REAL("llama.embedding_scale", 12), "wanted 1"},
        {"gemma", REAL("gemma.embedding_scale", 4), NULL},
        {"llama", REAL("llama.logit_scale", 0.25), "wanted 1"},
        {"llama", REAL("llama.residual_scale", 0.25), "wanted 1"},
        {"llama", WHOLE("llama.pooling_type", 3), "embedding or ranking"},
        {"llama", WORD("llama.tensor_data_layout", "other"), "no other order of rows"},
        {"llama", WORD("llama.tensor_data_layout", "Meta AI original pth"), NULL},
        {"qwen2", FLAG("qwen2.use_parallel_residual", 1), NULL},
        {"qwen2", FLAG("qwen2.use_parallel_residual", 0), NULL},
        {"llama", WHOLE("llama.expert_used_count", 2), "from 0 to 0"},
        {"llama", WHOLE("llama.expert_feed_forward_length", 16), "expert_feed_forward_length"},
        {"mixtral", WHOLE("llama.expert_feed_forward_length", 16), NULL},
        {"mixtral", REAL("llama.expert_weights_scale", 2.5), "wanted 1"},
        {"mixtral", FLAG("llama.expert_weights_norm", 0), "wanted true"},
        {"mixtral", WHOLE("llama.expert_gating_func", 2), "softmax"},
        {"mixtral", WHOLE("llama.expert_gating_func", 1), NULL},
        {"mixtral", WHOLE("llama.expert_used_count", 5), "from 1 to 4"},
        {"mixtral", GONE("llama.expert_used_count"), "is missing"},
        {"gpt2", REAL("gpt2.rope.freq_base", 10000), "rope.freq_base"},
        {"gpt2", REAL("gpt2.attention.layer_norm_rms_epsilon", 1e-5), "rms_epsilon"},
        {"llama", REAL("mine.note", 1), NULL},
        {"llama", WORD("general.type", "model"), NULL},
        {"llama", WORD("general.type", "adapter"), "general.type is 'adapter'"},
        {"llama", WORD("general.type", "imatrix"), "general.type is 'imatrix'"},
        {"llama", WHOLE("split.count", 3), "--merge"},
        {"llama", WHOLE("split.count", 1), NULL},
    };
    CHECK(cases);
}

/* A key of the wrong type or out of its range is no reason to go on with another value. */
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
        {"llama", REAL("llama.block_count", 3), "wanted a whole number"},
        {"llama", FLAG("llama.block_count", 1), "wanted a whole number"},
        {"llama", KEY("llama.context_length", .type = GGUF_I32, .number = -5), "is -5"},
        {"llama", WHOLE("llama.attention.head_count_kv", 0), "is 0, wanted"},
        {"llama", WHOLE("llama.rope.dimension_count", 6), "is 6, wanted"},
        {"llama", WHOLE("llama.rope.dimension_count", 2), NULL},
        {"llama", WHOLE("llama.rope.dimension_count", 3), "cannot turn 3"},
        {"gemma2", REAL("gemma2.attn_logit_softcapping", 0), "is 0, wanted"},
        {"gemma2", REAL("gemma2.final_logit_softcapping", -30), "is -30, wanted"},
        {"llama", WORD("llama.attention.key_length", "4"), "is \"4\", wanted"},
        {"mistral3", REAL("mistral3.attention.temperature_scale", -1), "is -1, wanted"},
        {"gemma2", WORD("gemma2.attention.sliding_window", "6"), "wanted a whole number"},
        {"llama", WHOLE("llama.tensor_data_layout", 1), "wanted a text"},
        {"llama", WHOLE("general.alignment", 2), "a power of two from 8"},
    };
    CHECK(cases);
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
        {"llama", REAL("llama.rope.scaling.yarn_beta_fast", 32), "nothing asks for it"},
        {"llama", REAL("llama.rope.scaling.attn_factor", 1.19), "wanted 1"},
        {"llama", REAL("llama.rope.scaling.alpha", 50), "rope.scaling.alpha"},
        {"llama", WHOLE("llama.rope.scaling.original_context_length", 16), NULL},
        {"llama", FLAG("llama.rope.scaling.finetuned", 1), NULL},
        {"llama", WHOLE("llama.rope.dimension_count_swa", 2), "wanted 4"},
        {"yarn", REAL("llama.rope.scaling.yarn_beta_fast", 4), NULL},
        {"yarn", REAL("llama.rope.scaling.yarn_beta_fast", 0), "is 0, wanted"},
        {"yarn", REAL("llama.rope.scaling.yarn_beta_slow", 64), "from 0.001 to 32"},
        {"yarn", REAL("llama.rope.scaling.yarn_ext_factor", 0.5), "wanted 1"},
        {"yarn", REAL("llama.rope.scaling.yarn_attn_factor", 1.2), "different ways"},
        {"yarn", REAL("llama.rope.scaling.yarn_log_multiplier", 1), NULL},
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
    for (size_t l = 0; l < 3; l++) out[l] = model.blocks[l].attn.mask.window == 6 ? '6' : '.';
    for (size_t l = 0; l < 3; l++)
        assert_ptr_equal(model.blocks[l].rope, &model.ropes[out[l] == '6']);
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
        {"gemma3", WHOLE("gemma3.attention.sliding_window_pattern", 0), "is 0, wanted"},
        {"llama", WHOLE("llama.attention.sliding_window_pattern", 2), "window_pattern"}};
    CHECK(wrong);
}

/* What yarn_log_multiplier says is divided out of YaRN's magnitude: with 1 nothing is left. */
static void yarn_log_multiplier_is_used(void **state) {
    (void)state;
    const double multiplier[] = {0, 0.5, 1};
    for (int i = 0; i < 3; i++) {
        MakeModel m = small("yarn");
        Edit edit = REAL("llama.rope.scaling.yarn_log_multiplier", multiplier[i]);
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

/* A format that cannot be computed with is refused with those that can. */
static void formats_are_listed_from_the_table(void **state) {
    (void)state;
    MakeModel m = small("llama");
    size_t size;
    Gguf g;
    Model model;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(gguf_parse(&g, bytes, size, NULL));
    const GgufTensor *t = gguf_find_tensor(&g, "output_norm.weight");
    unsigned char *dtype =
        (unsigned char *)t->name.data + t->name.size + 4 + 8; /* dims, one extent */
    *dtype = DTYPE_I32;
    gguf_free(&g);
    assert_false(model_open_memory(&model, bytes, size, &fault));
    for (uint32_t id = 0; id < DTYPE_COUNT; id++)
        if (dtype_is_computable(id)) assert_contains(fault.text, dtype_name(id));
    free(bytes);
}

RUN(TEST(left_over_tensors_are_refused), TEST(left_over_keys_are_refused),
    TEST(types_and_ranges_are_checked), TEST(stretched_contexts_are_known_or_refused),
    TEST(window_patterns_are_followed), TEST(yarn_log_multiplier_is_used),
    TEST(formats_are_listed_from_the_table))
