/* config_keys.c - the keys of config.json that are known: see config.c, which acts on them. */
#include "parts.h"

#include <string.h>

#define GELUS "gelu_pytorch_tanh gelu_new gelu_fast gelu"
#define RMS   "attention.layer_norm_rms_epsilon"
#define LAYER "attention.layer_norm_epsilon"

#define T5 "t5 t5encoder"

static const ConfigKey keys[] = {
    {"num_hidden_layers", SIZE, "block_count", NULL},
    {"n_layer", SIZE, "block_count", "gpt2"},
    {"num_layers", SIZE, "block_count", T5},
    {"num_decoder_layers", SIZE, "decoder_block_count", "t5"},
    {"num_decoder_layers", NOTHING, NULL, "t5encoder"},
    {"max_position_embeddings", SIZE, "context_length", NULL},
    {"n_positions", SIZE, "context_length", "gpt2 " T5},
    {"hidden_size", SIZE, "embedding_length", NULL},
    {"n_embd", SIZE, "embedding_length", "gpt2"},
    {"d_model", SIZE, "embedding_length", T5},
    {"intermediate_size", SIZE, "feed_forward_length", NULL},
    {"n_inner", SIZE, "feed_forward_length", "gpt2"},
    {"d_ff", SIZE, "feed_forward_length", T5},
    {"num_attention_heads", SIZE, "attention.head_count", NULL},
    {"n_head", SIZE, "attention.head_count", "gpt2"},
    {"num_heads", SIZE, "attention.head_count", T5},
    {"relative_attention_num_buckets", SIZE, "attention.relative_buckets_count", T5},
    {"decoder_start_token_id", SIZE, "decoder_start_token_id", "t5"},
    {"decoder_start_token_id", NOTHING, NULL, "t5encoder"},
    {"num_key_value_heads", SIZE, "attention.head_count_kv", NULL},
    {"rms_norm_eps", NUMBER, RMS, NULL},
    {"layer_norm_eps", NUMBER, LAYER, "gptneox bert"},
    {"layer_norm_epsilon", NUMBER, RMS, "mamba2 " T5},
    {"layer_norm_epsilon", NUMBER, LAYER, "gpt2"},
    {"norm_epsilon", NUMBER, LAYER, "starcoder2"},
    {"rope_theta", NUMBER, "rope.freq_base", NULL},
    {"rotary_emb_base", NUMBER, "rope.freq_base", "gptneox"},
    {"rope_local_base_freq", NUMBER, "rope.freq_base_swa", "gemma3"},
    {"attn_logit_softcapping", NUMBER, "attn_logit_softcapping", "gemma2"},
    {"final_logit_softcapping", NUMBER, "final_logit_softcapping", "gemma2 gemma3"},
    {"num_local_experts", SIZE, "expert_count", "llama granitemoe"},
    {"num_experts", SIZE, "expert_count", "qwen2moe qwen3moe"},
    {"num_experts_per_tok", SIZE, "expert_used_count", "llama granitemoe qwen2moe qwen3moe"},
    {"moe_intermediate_size", SIZE, "expert_feed_forward_length", "qwen2moe qwen3moe"},
    {"shared_expert_intermediate_size", SIZE, "expert_shared_feed_forward_length", "qwen2moe"},
    {"shared_intermediate_size", SIZE, "expert_shared_feed_forward_length", "granitemoe"},
    {"attention_multiplier", NUMBER, "attention.scale", "granite granitemoe"},
    {"embedding_multiplier", NUMBER, "embedding_scale", "granite granitemoe"},
    {"residual_multiplier", NUMBER, "residual_scale", "granite granitemoe"},
    {"logits_scaling", NUMBER, "logit_scale", "granite granitemoe"},
    {"use_parallel_residual", FLAG, "use_parallel_residual", "gptneox"},
    {"conv_kernel", SIZE, "ssm.conv_kernel", "mamba2"},
    {"state_size", SIZE, "ssm.state_size", "mamba2"},
    {"n_groups", SIZE, "ssm.group_count", "mamba2"},
    {"num_heads", SIZE, "ssm.time_step_rank", "mamba2"},

    {"head_dim", READ, NULL, NULL},
    {"expand", READ, NULL, "mamba2"},
    {"n_ctx", READ, NULL, "gpt2"},
    {"d_kv", READ, NULL, T5},
    {"feed_forward_proj", READ, NULL, T5},
    {"rotary_pct", READ, NULL, "gptneox"},
    {"partial_rotary_factor", READ, NULL, NULL},
    {"query_pre_attn_scalar", READ, NULL, "gemma2 gemma3"},
    {"sliding_window", READ, NULL, NULL},
    {"sliding_window_pattern", READ, NULL, "gemma3"},
    {"_sliding_window_pattern", READ, NULL, "gemma3"},
    {"use_sliding_window", READ, NULL, NULL},
    {"layer_types", READ, NULL, NULL},
    {"type_vocab_size", READ, NULL, "bert"},
    {"id2label", READ, NULL, "bert"},
    {"rope_scaling", READ, NULL, NULL},
    {"rope_parameters", READ, NULL, NULL},
    {"original_max_position_embeddings", READ, NULL, "phi3"},
    {"vocab_size", READ, NULL, NULL},
    {"architectures", READ, NULL, NULL},
    {"tie_word_embeddings", READ, NULL, NULL},
    {"bos_token_id", READ, NULL, NULL},
    {"eos_token_id", READ, NULL, NULL},
    {"pad_token_id", READ, NULL, NULL},

    {"hidden_act", ONLY, "silu",
     "llama qwen2 qwen3 qwen2moe qwen3moe phi3 granite granitemoe olmo2 mamba2"},
    {"hidden_act", ONLY, GELUS, "gemma gemma2 gptneox starcoder2 bert"},
    {"hidden_activation", ONLY, GELUS, "gemma gemma2 gemma3"},
    {"activation_function", ONLY, GELUS, "gpt2"},
    {"norm_topk_prob", ONLY, "true", "qwen3moe"},
    {"norm_topk_prob", ONLY, "false", "qwen2moe"},
    {"decoder_sparse_step", ONLY, "1", NULL},
    {"mlp_only_layers", ONLY, "[]", NULL},
    {"norm_type", ONLY, "layer_norm", "starcoder2"},
    {"mlp_type", ONLY, "default", "starcoder2"},
    {"scale_attn_weights", ONLY, "true", "gpt2"},
    {"scale_attn_by_inverse_layer_idx", ONLY, "false", "gpt2"},
    {"add_cross_attention", ONLY, "false", NULL},
    {"is_decoder", ONLY, "false", "bert"},
    {"is_decoder", ONLY, "true false", NULL},
    {"position_embedding_type", ONLY, "absolute", "bert"},
    {"relative_attention_max_distance", ONLY, "128", T5},
    {"is_encoder_decoder", ONLY, "true", "t5"},
    {"is_encoder_decoder", ONLY, "true false", "t5encoder"},
    {"is_encoder_decoder", ONLY, "false", NULL},
    {"use_bidirectional_attention", ONLY, "false", NULL},
    {"attention_value_scale", ONLY, "1 1.0", NULL},
    {"clip_qkv", ONLY, "", NULL},
    {"rms_norm", ONLY, "true", "mamba2"},
    {"residual_in_fp32", NOTHING, NULL, NULL},
    {"time_step_limit", READ, NULL, "mamba2"},
    {"norm_before_gate", ONLY, "false", "mamba2"},
    {"router_jitter_noise", NOTHING, NULL, NULL},

    /* the tensors show which maps have a bias */
    {"attention_bias", NOTHING, NULL, NULL},
    {"mlp_bias", NOTHING, NULL, NULL},
    {"use_bias", NOTHING, NULL, NULL},
    {"use_conv_bias", NOTHING, NULL, NULL},
    {"qkv_bias", NOTHING, NULL, NULL},
    /* how it was made, and how other programs run it */
    {"model_type", NOTHING, NULL, NULL},
    {"_name_or_path", NOTHING, NULL, NULL},
    {"_attn_implementation_autoset", NOTHING, NULL, NULL},
    {"auto_map", NOTHING, NULL, NULL},
    {"torch_dtype", NOTHING, NULL, NULL},
    {"dtype", NOTHING, NULL, NULL},
    {"transformers_version", NOTHING, NULL, NULL},
    {"unsloth_version", NOTHING, NULL, NULL},
    {"unsloth_fixed", NOTHING, NULL, NULL},
    {"use_cache", NOTHING, NULL, NULL},
    {"cache_implementation", NOTHING, NULL, NULL},
    {"gradient_checkpointing", NOTHING, NULL, NULL},
    {"initializer_range", NOTHING, NULL, NULL},
    {"initializer_factor", NOTHING, NULL, NULL},
    {"rescale_prenorm_residual", NOTHING, NULL, NULL},
    {"time_step_rank", NOTHING, NULL, "mamba2"}, /* Mamba 2 has a step for each head */
    {"time_step_min", NOTHING, NULL, NULL},
    {"time_step_max", NOTHING, NULL, NULL},
    {"time_step_floor", NOTHING, NULL, NULL},
    {"chunk_size", NOTHING, NULL, NULL},
    {"pretraining_tp", NOTHING, NULL, NULL},
    {"attention_dropout", NOTHING, NULL, NULL},
    {"hidden_dropout_prob", NOTHING, NULL, "bert"},
    {"dropout_rate", NOTHING, NULL, T5},
    {"dense_act_fn", NOTHING, NULL, T5}, /* these two follow from feed_forward_proj */
    {"is_gated_act", NOTHING, NULL, T5},
    {"scalable_attention", NOTHING, NULL, T5},
    {"tokenizer_class", NOTHING, NULL, T5},
    {"output_past", NOTHING, NULL, T5},
    {"attention_probs_dropout_prob", NOTHING, NULL, "bert"},
    {"label2id", NOTHING, NULL, "bert"}, /* id2label the other way */
    {"problem_type", NOTHING, NULL, "bert"},
    {"output_past", NOTHING, NULL, "bert"},
    {"directionality", NOTHING, NULL, "bert"},
    {"pooler_fc_size", NOTHING, NULL, "bert"},
    {"pooler_num_attention_heads", NOTHING, NULL, "bert"},
    {"pooler_num_fc_layers", NOTHING, NULL, "bert"},
    {"pooler_size_per_head", NOTHING, NULL, "bert"},
    {"pooler_type", NOTHING, NULL, "bert"},
    {"hidden_dropout", NOTHING, NULL, NULL},
    {"residual_dropout", NOTHING, NULL, NULL},
    {"embedding_dropout", NOTHING, NULL, NULL},
    {"classifier_dropout", NOTHING, NULL, NULL},
    {"attn_pdrop", NOTHING, NULL, NULL},
    {"embd_pdrop", NOTHING, NULL, NULL},
    {"resid_pdrop", NOTHING, NULL, NULL},
    {"summary_type", NOTHING, NULL, "gpt2"},
    {"summary_use_proj", NOTHING, NULL, "gpt2"},
    {"summary_activation", NOTHING, NULL, "gpt2"},
    {"summary_first_dropout", NOTHING, NULL, "gpt2"},
    {"summary_proj_to_labels", NOTHING, NULL, "gpt2"},
    {"task_specific_params", NOTHING, NULL, NULL},
    {"reorder_and_upcast_attn", NOTHING, NULL, "gpt2"},
    {"output_router_logits", NOTHING, NULL, NULL},
    {"router_aux_loss_coef", NOTHING, NULL, NULL},
    {"max_window_layers", NOTHING, NULL, NULL},
    {"attn_implementation", NOTHING, NULL, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Is a word in a list of words?  "" is in none. */
bool listed(const char *words, Text word) {
    for (const char *at = words; at && *at;) {
        size_t n = strcspn(at, " ");
        if (text_equal((Text){at, n}, word)) return true;
        at += n + (at[n] != 0);
    }
    return false;
}

const ConfigKey *config_key(const Conversion *c, Text name) {
    for (size_t i = 0; i < KEYS; i++)
        if (text_equal(name, text_of(keys[i].name)) &&
            (!keys[i].archs || listed(keys[i].archs, text_of(c->family->arch))))
            return &keys[i];
    return NULL;
}
