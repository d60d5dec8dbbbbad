/* everything in a file is used or refused, never ignored */
#include "loader_case.h"

#define LONG                                                                                  \
    "a_name_of_more_than_eighty_bytes_which_is_cut_where_a_sentence_has_it_so_that_it_stays_" \
    "short"

/* Everything that llama.cpp's converters write for these families. */
static void files_of_converters_open(void **state) {
    (void)state;
    const struct {
        const char *arch;
        Edit keys[16];
    } files[] = {
        {"llama",
         {WORD("general.type", "model"), WHOLE("general.quantization_version", 2),
          WORD("quantize.imatrix.file", "x"), WHOLE("split.count", 0), WHOLE("split.no", 0),
          WHOLE("llama.vocab_size", MAKE_VOCAB), WHOLE("llama.rope.dimension_count", 4),
          REAL("llama.rope.freq_base", 500000), WHOLE("llama.attention.value_length", 4)}},
        {"llama", /* of 2023 */
         {WORD("llama.tensor_data_layout", "Meta AI original pth"),
          REAL("llama.rope.scale_linear", 4)}},
        {"yarn",
         {FLAG("llama.rope.scaling.finetuned", 1), WHOLE("llama.rope.dimension_count", 4)}},
        {"mixtral",
         {WHOLE("llama.expert_gating_func", 1), WHOLE("llama.vocab_size", MAKE_VOCAB)}},
        {"mistral3",
         {WORD("mistral3.rope.scaling.type", "yarn"), REAL("mistral3.rope.scaling.factor", 16),
          WHOLE("mistral3.rope.scaling.original_context_length", 16),
          REAL("mistral3.rope.scaling.yarn_beta_fast", 32),
          REAL("mistral3.rope.scaling.yarn_beta_slow", 1),
          REAL("mistral3.rope.scaling.yarn_log_multiplier", 1),
          REAL("mistral3.attention.temperature_scale", 0.1),
          WHOLE("mistral3.attention.value_length", 4), REAL("mistral3.rope.freq_base", 1e6)}},
        {"qwen2",
         {FLAG("qwen2.use_parallel_residual", 1), REAL("qwen2.rope.freq_base", 1e6),
          WORD("qwen2.rope.scaling.type", "yarn"), REAL("qwen2.rope.scaling.factor", 4),
          WHOLE("qwen2.rope.scaling.original_context_length", 16)}},
        {"qwen3",
         {REAL("qwen3.rope.freq_base", 1e6), WHOLE("qwen3.attention.value_length", 4)}},
        {"gemma", {WHOLE("gemma.attention.value_length", 4)}},
        {"gemma2",
         {REAL("gemma2.attn_logit_softcapping", 50), REAL("gemma2.final_logit_softcapping", 30),
          WHOLE("gemma2.attention.value_length", 4)}},
        {"gemma3",
         {REAL("gemma3.rope.freq_base", 1e6), REAL("gemma3.rope.freq_base_swa", 1e4),
          WORD("gemma3.rope.scaling.type", "linear"), REAL("gemma3.rope.scaling.factor", 8),
          WHOLE("gemma3.attention.value_length", 4), WHOLE("gemma3.vocab_size", MAKE_VOCAB)}},
        {"gpt2", {WHOLE("general.file_type", 1)}},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        MakeModel m = small(files[i].arch);
        size_t size;
        Model model;
        Fault fault;
        unsigned char *bytes = make_model(&m, &size);
        for (const Edit *e = files[i].keys; e->key; e++) {
            unsigned char *edited = edit_model(bytes, size, e, &size);
            free(bytes);
            bytes = edited;
        }
        if (!model_open_memory(&model, bytes, size, &fault))
            fail_msg("%s: %s", files[i].arch, fault.text);
        model_close(&model);
        free(bytes);
    }
}

/* A tensor that is not used. */
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
        {"llama", EXTRA("blk.0.attn_q.scale", 1), NULL},
        {"llama", EXTRA("blk.0.attn_q.input_scale", 1), NULL}, /* read, and not needed */
        {"llama", EXTRA("blk.0.attn_q.scale", 2), "'blk.0.attn_q.scale' (2) plays no"},
        {"llama", EXTRA("blk.0.attn_q.scale", 1, 2), "'blk.0.attn_q.scale' (1, 2) plays no"},
        {"llama", EXTRA("blk.0.attn_norm.scale", 1), "attn_norm.scale"},
        {"llama", EXTRA("token_embd.scale", 1), "token_embd.scale"},
        {"llama", EXTRA("rope_factors_long.weight", 2), "rope_factors_long"},
        {"llama", EXTRA("token_embd_norm.weight", 16), "token_embd_norm"},
        {"llama", EXTRA("position_embd.weight", 32, 16), "position_embd"},
        {"llama", EXTRA("cls.output.weight", 2, 16), "cls.output"},
        {"llama", EXTRA("something", 1), "'something' (1)"},
        {"llama", EXTRA(LONG, 1), "ce_has_it_so_that_it' (1)"},
        {"mixtral", EXTRA("blk.0.ffn_gate_exps.bias", 4, 16),
         "one too many: all blocks have a bias there, or none"},
        {"mixtral", EXTRA("blk.0.ffn_up.weight", 16, 16), "blk.0.ffn_up.weight"},
        {"mixtral", EXTRA("blk.2.exp_probs_b.bias", 4), "exp_probs_b"},
        {"gpt2", EXTRA("rope_freqs.weight", 2), "rope_freqs"},
        {"gpt2", EXTRA("blk.0.ffn_gate.weight", 16, 16), "ffn_gate"},
        {"qwen3", EXTRA("blk.1.attn_q_norm.weight", 0), "attn_q_norm.weight' is missing"},
        {"gemma2", EXTRA("blk.1.post_ffw_norm.weight", 0), "post_ffw_norm.weight' is missing"},
        {"llama", EXTRA("rope_freqs.weight", 2), NULL},
        {"llama", EXTRA("blk.0.attn_q.bias", 16), "one too many: all blocks have a bias"},
        {"gpt2", EXTRA("output_norm.bias", 16), NULL},
        {"gemma", EXTRA("output.weight", MAKE_VOCAB, 15), "wanted (258, 16)"},
    };
    CHECK(cases);
}

/* A key that is not used, or has an unsupported value. */
static void left_over_keys_are_refused(void **state) {
    (void)state;
    const Case cases[] = {
        {"llama", WHOLE("llama.foo", 3), "'llama.foo' is 3, and not used"},
        {"llama", WHOLE("adapter.lora.alpha", 3), "adapter.lora.alpha"},
        {"llama", WHOLE("llama." LONG, 3), "sentence_has_it_so_t' is 3, and not used"},
        {"llama", FLAG("llama.attention.causal", 0), "causal' is false, wanted true"},
        {"llama", FLAG("llama.attention.causal", 1), NULL},
        {"llama", WHOLE("llama.attention.causal", 1), "is 1, wanted true"},
        {"llama", WHOLE("llama.attention.value_length", 8),
         "attn_v.weight' is (8, 16), wanted (16, 16)"},
        {"llama", WHOLE("llama.attention.value_length", 4), NULL},
        {"llama", WHOLE("llama.vocab_size", 259), "is 259, wanted 258"},
        {"llama", WHOLE("llama.vocab_size", 258), NULL},
        {"llama", LIST("llama.vocab_size", 258, 1), "is an array of 1 u32, wanted 258"},
        {"llama", WORD("llama.vocab_size", "258"), "is \"258\", wanted 258"},
        {"llama", WHOLE("llama.attention.sliding_window", 6), NULL},
        {"qwen2", WHOLE("qwen2.attention.sliding_window", 6), "context_length"},
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
        {"llama", WHOLE("llama.pooling_type", 3), NULL}, /* it does not write then */
        {"llama", WHOLE("llama.pooling_type", 4), "no head that scores"},
        {"llama", WORD("llama.tensor_data_layout", "other"), "no other order of rows"},
        {"llama", WORD("llama.tensor_data_layout", "Meta AI original pth"), NULL},
        {"qwen2", FLAG("qwen2.use_parallel_residual", 1), NULL},
        {"qwen2", FLAG("qwen2.use_parallel_residual", 0), NULL},
        {"llama", WHOLE("llama.expert_used_count", 2), "from 0 to 0"},
        {"llama", WHOLE("llama.expert_feed_forward_length", 16), "expert_feed_forward_length"},
        {"mixtral", WHOLE("llama.expert_feed_forward_length", 16), NULL},
        {"mixtral", REAL("llama.expert_weights_scale", 2.5), "wanted 1"},
        {"mixtral", FLAG("llama.expert_weights_norm", 0), "wanted true"},
        {"mixtral", WHOLE("llama.expert_gating_func", 2), "wanted 1"},
        {"mixtral", WHOLE("llama.expert_gating_func", 1), NULL},
        {"mixtral", WHOLE("llama.expert_used_count", 5), "from 1 to 4"},
        {"mixtral", GONE("llama.expert_used_count"), "is missing"},
        {"gpt2", REAL("gpt2.rope.freq_base", 10000), "rope.freq_base"},
        {"gpt2", REAL("gpt2.attention.layer_norm_rms_epsilon", 1e-5), "rms_epsilon"},
        {"llama", REAL("mine.note", 1), NULL},
        {"llama", WORD("general.type", "model"), NULL},
        {"llama", WORD("general.type", "adapter"), "general.type is \"adapter\""},
        {"llama", WORD("general.type", "imatrix"), "general.type is \"imatrix\""},
        {"llama", WHOLE("general.type", 1), "general.type is 1"},
        {"llama", WHOLE("split.count", 3), "open the first part"},
        {"llama", WHOLE("split.count", 1), NULL},
        {"llama", KEY("split.count", .type = GGUF_I32, .number = -3), "split.count is -3"},
        {"llama", LIST("split.count", 1, 1), "split.count is an array of 1 u32"},
        {"llama", FLAG("split.count", 1), "split.count is true"},
        {"llama", WORD("split.count", "1"), "split.count is \"1\""},
        {"llama", WHOLE("split.no", 1), "split.count is missing"},
    };
    CHECK(cases);
}

/* One part is the whole model, the second of one part is nothing that there is. */
static void parts_of_a_split_are_counted(void **state) {
    (void)state;
    for (int number = 0; number < 2; number++) {
        MakeModel m = small("llama");
        const Edit count = WHOLE("split.count", 1), no = WHOLE("split.no", number);
        size_t size, sizes[2];
        Model model;
        Fault fault;
        unsigned char *bytes = make_model(&m, &size),
                      *counted = edit_model(bytes, size, &count, &sizes[0]),
                      *both = edit_model(counted, sizes[0], &no, &sizes[1]);
        assert_int_equal(model_open_memory(&model, both, sizes[1], &fault), number == 0);
        if (number == 0) model_close(&model);
        if (number == 1) assert_contains(fault.text, "split.count is 1, split.no is 1");
        free(bytes), free(counted), free(both);
    }
}

/* An unsupported format is refused with a list of the supported ones. */
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

RUN(TEST(files_of_converters_open), TEST(left_over_tensors_are_refused),
    TEST(left_over_keys_are_refused), TEST(formats_are_listed_from_the_table),
    TEST(parts_of_a_split_are_counted))
