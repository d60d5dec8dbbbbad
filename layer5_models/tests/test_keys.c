/* a model's keys: types, ranges, and the effect of those for positions and windows */
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
        {"gemma2", REAL("gemma2.attn_logit_softcapping", 0), "is 0, wanted"},
        {"gemma2", REAL("gemma2.final_logit_softcapping", -30), "is -30, wanted"},
        {"llama", WORD("llama.attention.key_length", "4"), "is \"4\", wanted"},
        {"mistral3", REAL("mistral3.attention.temperature_scale", -1), "is -1, wanted"},
        {"gemma2", WORD("gemma2.attention.sliding_window", "6"), "wanted an integer"},
        {"llama", WHOLE("llama.tensor_data_layout", 1), "wanted a text"},
        {"llama", WHOLE("general.alignment", 2), "a power of two from 8"},
        {"llama", LIST("general.alignment", 32, 1), "general.alignment is of type array"},
        {"llama", REAL("llama.attention.layer_norm_rms_epsilon", 0.1), NULL},
        {"llama", REAL("llama.attention.layer_norm_rms_epsilon", 0.11), "from 0 to 0.1"},
        {"granite", REAL("granite.logit_scale", 1e-6), NULL},
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

RUN(TEST(types_and_ranges_are_checked), TEST(stretched_contexts_are_known_or_refused),
    TEST(window_patterns_are_followed), TEST(yarn_log_multiplier_is_used))
