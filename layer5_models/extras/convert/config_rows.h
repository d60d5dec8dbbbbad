/* config_rows.h - the known keys of config.json; included by config_keys.c.  The first row with
 * a key's name and the family counts. */
#ifndef STRATA_CONFIG_ROWS_H
#define STRATA_CONFIG_ROWS_H

#include "parts.h"

#define RMS   "attention.layer_norm_rms_epsilon"
#define LAYER "attention.layer_norm_epsilon"

#define T5 "t5 t5encoder"

#define BERTS    "bert modern-bert nomic-bert eurobert"
#define GPT2S    "gpt2 starcoder gptj"
#define FALCONS  "falcon bloom"
#define HYBRIDS  "lfm2 lfm2moe jamba granitehybrid nemotron_h nemotron_h_moe falcon-h1"
#define GRANITES "granite granitemoe granitehybrid"
#define QWENS    "qwen2moe qwen3moe qwen3vlmoe olmoe rnd1 qwen3next lfm2moe jamba hunyuan-moe"
#define LATENT   "deepseek2 deepseek32 glm-dsa"
#define SHARED   LATENT " glm4moe dots1 deepseek"

/* clang-format off */
static const ConfigKey keys[] = {
    /* integers */
    {"num_hidden_layers n_layer num_layers", SIZE, "block_count", NULL},
    {"num_decoder_layers", SIZE, "decoder_block_count", "t5"},
    {"num_decoder_layers decoder_start_token_id", NOTHING, NULL, "t5encoder"},
    {"max_position_embeddings n_positions", READ, NULL, "mamba mamba2 falcon " T5},
    {"max_position_embeddings n_positions", SIZE, "context_length", NULL},
    {"hidden_size n_embd d_model n_embed", SIZE, "embedding_length", NULL},
    {"intermediate_size", SIZE, "expert_feed_forward_length", "llama4"},
    {"intermediate_size", READ, NULL, "mamba nemotron_h lfm2"},
    {"intermediate_size d_ff intermediate_size_mlp n_inner", SIZE, "feed_forward_length",
     "llama4 nomic-bert " T5},
    {"intermediate_size", SIZE, "feed_forward_length", NULL},
    {"num_heads", SIZE, "ssm.time_step_rank", "mamba2"},
    {"num_attention_heads n_head num_heads", SIZE, "attention.head_count", NULL},
    {"relative_attention_num_buckets", SIZE, "attention.relative_buckets_count", T5},
    {"decoder_start_token_id", SIZE, "decoder_start_token_id", "t5"},
    {"num_key_value_heads", READ, NULL, LATENT " " HYBRIDS},
    {"num_key_value_heads", SIZE, "attention.head_count_kv", NULL},
    {"rotary_dim", SIZE, "rope.dimension_count", "gptj minimax-m2"},
    {"kv_lora_rank", SIZE, "attention.kv_lora_rank", LATENT},
    {"q_lora_rank", SIZE, "attention.q_lora_rank", LATENT},
    {"v_head_dim", SIZE, "attention.value_length_mla", LATENT},
    {"index_n_heads", SIZE, "attention.indexer.head_count", LATENT},
    {"index_head_dim", SIZE, "attention.indexer.key_length", LATENT},
    {"index_topk", SIZE, "attention.indexer.top_k", LATENT},
    {"local_attention", SIZE, "attention.sliding_window", "modern-bert"},
    {"conv_L_cache", SIZE, "shortconv.l_cache", "lfm2 lfm2moe"},
    {"conv_kernel mamba_d_conv linear_conv_kernel_dim", SIZE, "ssm.conv_kernel", NULL},
    {"state_size ssm_state_size mamba_d_state linear_key_head_dim", SIZE, "ssm.state_size",
     NULL},
    {"n_groups mamba_n_groups linear_num_key_heads", SIZE, "ssm.group_count", NULL},
    {"time_step_rank", NOTHING, NULL, "mamba2"}, /* it has one step per head */
    {"time_step_rank mamba_dt_rank mamba_n_heads mamba_num_heads linear_num_value_heads", SIZE,
     "ssm.time_step_rank", NULL},

    /* experts */
    {"num_local_experts", SIZE, "expert_count",
     "llama granitemoe granitehybrid gpt-oss llama4 minimax-m2 phimoe"},
    {"num_experts", SIZE, "expert_count", QWENS},
    {"n_routed_experts", SIZE, "expert_count", SHARED},
    {"moe_num_experts", SIZE, "expert_count", "ernie4_5-moe"},
    {"num_experts_per_tok experts_per_token moe_k", SIZE, "expert_used_count", NULL},
    {"moe_intermediate_size", SIZE, "expert_feed_forward_length", NULL},
    {"shared_expert_intermediate_size", SIZE, "expert_shared_feed_forward_length", NULL},
    {"shared_intermediate_size", SIZE, "expert_shared_feed_forward_length",
     "granitemoe granitehybrid"},
    {"n_shared_experts", SIZE, "expert_shared_count", SHARED},
    {"moe_num_shared_experts", SIZE, "expert_shared_count", "ernie4_5-moe"},
    {"first_k_dense_replace", SIZE, "leading_dense_block_count", SHARED},
    {"num_dense_layers", SIZE, "leading_dense_block_count", "lfm2moe"},
    {"moe_layer_start_index", SIZE, "leading_dense_block_count", "ernie4_5-moe"},
    {"interleave_moe_layer_step", SIZE, "interleave_moe_layer_step", "llama4"},
    {"routed_scaling_factor", NUMBER, "expert_weights_scale", SHARED},
    {"norm_topk_prob", FLAG, "expert_weights_norm", SHARED},
    {"norm_topk_prob", ONLY, "false", "qwen2moe olmoe"},
    {"norm_topk_prob", ONLY, "true", NULL},
    {"n_group topk_group scoring_func topk_method num_nextn_predict_layers", READ, NULL,
     SHARED},
    {"scoring_func", ONLY, "sigmoid", "minimax-m2"},
    {"routed_scaling_factor", ONLY, "1 1.0", "lfm2moe"},
    /* tensors show */
    {"use_expert_bias use_routing_bias moe_use_aux_free", NOTHING, NULL, NULL},
    {"ep_size moe_layer_freq", ONLY, "1", SHARED},
    {"moe_layer_interval", ONLY, "1", "ernie4_5-moe"},
    {"moe_layer_end_index moe_capacity moe_gate use_correction_bias", NOTHING, NULL,
     "ernie4_5-moe"},
    {"decoder_sparse_step", ONLY, "1", NULL},
    {"mlp_only_layers", ONLY, "[]", NULL},
    {"moe_layers expert_layer_period expert_layer_offset attn_layer_period attn_layer_offset "
     "full_attention_interval hybrid_override_pattern", NOTHING, NULL, NULL}, /* tensors show */

    /* numbers and flags */
    {"rms_norm_eps", NUMBER, RMS, NULL},
    {"norm_eps block_norm_eps layer_norm_epsilon", READ, NULL, "jamba"},
    {"norm_eps layer_norm_epsilon", NUMBER, RMS, "lfm2 lfm2moe nemotron_h mamba mamba2 " T5},
    {"layer_norm_eps layer_norm_epsilon norm_epsilon norm_eps", NUMBER, LAYER, NULL},
    {"rope_theta rotary_emb_base global_rope_theta", NUMBER, "rope.freq_base", NULL},
    {"rope_local_base_freq", NUMBER, "rope.freq_base_swa", "gemma3"},
    {"local_rope_theta", NUMBER, "rope.freq_base_swa", "modern-bert"},
    {"attn_logit_softcapping", NUMBER, "attn_logit_softcapping", "gemma2"},
    {"final_logit_softcapping", NUMBER, "final_logit_softcapping", "gemma2 gemma3"},
    {"attention_multiplier", NUMBER, "attention.scale", GRANITES},
    {"embedding_multiplier", NUMBER, "embedding_scale", GRANITES},
    {"residual_multiplier", NUMBER, "residual_scale", GRANITES},
    {"logits_scaling", NUMBER, "logit_scale", GRANITES},
    {"logit_scale", NUMBER, "logit_scale", "command-r cohere2"},
    {"use_parallel_residual", FLAG, "use_parallel_residual", "gptneox stablelm"},

    /* read in other files of this folder, or by a formula of the class */
    {"hidden_act hidden_activation activation_function", ACT, NULL, NULL},
    {"activation", ACT, NULL, "falcon"},
    {"mamba_hidden_act", ONLY, "silu", NULL},
    {"mlp_hidden_act", ACT, NULL, "nemotron_h nemotron_h_moe"},
    {"classifier_activation", ONLY, "gelu", "modern-bert"},
    {"head_dim rope_scaling rope_parameters vocab_size architectures tie_word_embeddings "
     "bos_token_id eos_token_id pad_token_id sliding_window use_sliding_window layer_types "
     "partial_rotary_factor quantization_config", READ, NULL, NULL},
    {"expand mamba_expand time_step_limit mamba_d_head mamba_head_dim", READ, NULL, NULL},
    {"linear_value_head_dim", READ, NULL, "qwen3next"},
    {"qk_nope_head_dim qk_rope_head_dim", READ, NULL, LATENT},
    {"n_ctx n_inner", READ, NULL, GPT2S},
    {"d_kv feed_forward_proj", READ, NULL, T5},
    {"rotary_pct rope_pct rotary_emb_fraction", READ, NULL,
     "gptneox cohere2 stablelm nomic-bert"},
    {"no_rope_layers use_qk_norm", READ, NULL, "smollm3 llama4"},
    {"use_qk_norm", READ, NULL, "command-r glm4moe"},
    {"qk_layernorm", READ, NULL, "stablelm phi2"},
    {"use_qk_norm", ONLY, "true", "minimax-m2 hunyuan-dense maincoder"},
    {"query_pre_attn_scalar", READ, NULL, "gemma2 gemma3"},
    {"sliding_window_pattern", ONLY, "LLLG 4", "exaone4"},
    {"sliding_window_pattern _sliding_window_pattern", READ, NULL, "gemma3 cohere2"},
    {"type_vocab_size id2label sentence_transformers cls_token_id sep_token_id", READ, NULL,
     BERTS},
    {"original_max_position_embeddings", READ, NULL, "phi3 phimoe"},
    {"initial_context_length", READ, NULL, "gpt-oss"},
    {"num_kv_heads n_head_kv multi_query ffn_hidden_size seq_length", READ, NULL, FALCONS},
    {"layers_block_type", READ, NULL, HYBRIDS},

    /* only one value is built in */
    {"no_rope_layer_interval", ONLY, "4", "smollm3"},
    {"layer_switch", ONLY, "4", "cohere2"},
    {"order_of_interleaved_layers", ONLY, "local_attn_first", "cohere2"},
    {"position_embedding_type", ONLY, "rope_gptj", "cohere2"},
    {"position_embedding_type", ONLY, "rope nope", GRANITES},
    {"normalization_function", ONLY, "rmsnorm", GRANITES},
    {"use_embedding_sharing use_gated_activation use_parallel_block", ONLY, "true", "cohere2"},
    {"compression_ratio", ONLY, "1 1.0", "ernie4_5"},
    {"norm_type", ONLY, "layer_norm", "starcoder2"},
    {"mlp_type", ONLY, "default", "starcoder2"},
    {"scale_attn_weights multi_query", ONLY, "true", GPT2S},
    {"scale_attn_by_inverse_layer_idx", ONLY, "false", GPT2S},
    {"attention_softmax_in_fp32 scale_attention_softmax_in_fp32 attn_softmax_in_fp32 "
     "scale_attention_softmax inference_runner max_batch_size max_sequence_length "
     "pad_key_length pre_allocate_kv_cache validate_runner_input rotary n_special "
     "predict_special_tokens", NOTHING, NULL, GPT2S},
    {"swiglu_limit", ONLY, "7 7.0", "gpt-oss"},
    {"attention_chunk_size", ONLY, "8192", "llama4"},
    {"attn_temperature_tuning", ONLY, "true 4", "llama4"},
    {"attn_scale", ONLY, "0.1", "llama4"},
    {"floor_scale", ONLY, "8192", "llama4"},
    {"for_llm_compressor", NOTHING, NULL, "llama4"},
    {"alibi", ONLY, "false", "falcon"},
    {"parallel_attn", ONLY, "true", "falcon"},
    {"new_decoder_architecture num_ln_in_parallel_attn", NOTHING, NULL, "falcon"}, /* tensors */
    {"apply_residual_connection_post_layernorm slow_but_exact", ONLY, "false", FALCONS},
    {"bias masked_softmax_fusion attention_softmax_in_fp32 n_embed_offset unk_token_id "
     "bias_dropout_fusion skip_bias_add skip_bias_add_qkv offset_alibi", NOTHING, NULL, FALCONS},
    {"global_attn_every_n_layers", ONLY, "3", "modern-bert"},
    {"classifier_pooling", READ, NULL, "modern-bert"},
    {"use_mamba_kernels mamba_proj_bias mamba_conv_bias mamba_chunk_size num_logits_to_keep "
     "mamba_inner_layernorms calc_logits_for_entire_prompt init_method",
     NOTHING, NULL, HYBRIDS},
    {"attention_head_dim", READ, NULL, HYBRIDS},
    {"mamba_ssm_cache_dtype use_mamba_kernels use_mambapy use_cache_for_inference", NOTHING,
     NULL, NULL},
    {"norm_before_gate", ONLY, "false", "mamba2"},
    {"rms_norm use_rms_norm", ONLY, "true", "mamba mamba2"},
    {"mixer_rms_eps", READ, NULL, "mamba"},
    {"block_auto_adjust_ff_dim block_dim block_ff_dim block_ffn_dim_multiplier "
     "block_mlp_init_scale block_multiple_of block_norm_eps block_out_init_scale block_use_swiglu "
     "block_use_xavier_init conv_bias conv_dim conv_dim_out conv_use_xavier_init full_attn_idxs theta "
     "use_pos_enc tie_embedding",
     NOTHING, NULL, "lfm2 lfm2moe"},
    {"is_decoder", ONLY, "false", BERTS},
    {"is_decoder", ONLY, "true false", NULL},
    {"position_embedding_type", ONLY, "absolute", BERTS},
    {"relative_attention_max_distance", ONLY, "128", T5},
    {"is_encoder_decoder", ONLY, "true", "t5"},
    {"is_encoder_decoder", ONLY, "true false", "t5encoder"},
    {"is_encoder_decoder add_cross_attention use_bidirectional_attention tie_encoder_decoder "
     "use_mrope", ONLY, "false", NULL},
    {"attention_value_scale", ONLY, "1 1.0", NULL},
    {"clip_qkv", ONLY, "", NULL},
    {"rope_interleave", ONLY, "true", LATENT},
    {"rope_interleaved", ONLY, "false", NULL}, /* pairs must be half a head apart */
    {"is_llama_config", ONLY, "true", "llama"},
    {"pruned_heads", ONLY, "{}", NULL},
    {"sbert_ce_default_activation_function", ONLY, IDENTITY, BERTS},
    {"prenorm causal rotary_emb_interleaved parallel_block use_rms_norm", ONLY, "false",
     "nomic-bert"},
    {"rotary_emb_scale_base rotary_scaling_factor", ONLY, "", "nomic-bert"},
    {"qkv_proj_bias mlp_fc1_bias mlp_fc2_bias fused_bias_fc fused_dropout_add_ln use_xentropy "
     "max_trained_positions pad_vocab_size_multiple parallel_block_tied_norm "
     "scale_attn_by_inverse_layer_idx scale_attn_weights reorder_and_upcast_attn summary_type "
     "summary_use_proj summary_activation summary_first_dropout summary_proj_to_labels",
     NOTHING, NULL, "nomic-bert"},
    {"fused_add_norm pad_vocab_size_multiple ssm_cfg d_inner attn_layer_indices", NOTHING, NULL,
     "mamba mamba2"},
    {"qk_norm_type", ONLY, "per_layer", "minimax-m2"},
    {"shared_intermediate_size", ONLY, "0", "minimax-m2"},
    {"attn_type_list num_mtp_modules mtp_transformer_layers use_mtp shared_moe_mode", NOTHING,
     NULL, "minimax-m2"},
    {"bias", ONLY, "false", "internlm2 dream qwen2 pangu-embedded"},
    {"mask_token_id fuse_max_thw", READ, NULL, "dream rnd1"},

    /* the tensors show which maps have a bias */
    {"attention_bias mlp_bias use_bias use_conv_bias qkv_bias decoder_bias norm_bias "
     "classifier_bias lm_head_bias attention_out_bias use_qkv_bias", NOTHING, NULL, NULL},

    /* how it was trained, and how other programs run it */
    {"model_type _name_or_path _attn_implementation _attn_implementation_autoset "
     "_flash_attn_2_enabled output_attentions output_hidden_states return_dict "
     "use_return_dict torchscript use_bfloat16 chunk_size_feed_forward transformers.js_config "
     "auto_map torch_dtype dtype transformers_version unsloth_version unsloth_fixed use_cache "
     "cache_implementation gradient_checkpointing initializer_range initializer_factor "
     "initializer_cutoff_factor rescale_prenorm_residual time_step_min time_step_max "
     "time_step_floor time_step_init_scheme time_step_scale chunk_size pretraining_tp "
     "attention_dropout hidden_dropout residual_dropout embedding_dropout classifier_dropout "
     "mlp_dropout ffn_dropout router_jitter_noise input_jitter_noise attn_pdrop embd_pdrop "
     "resid_pdrop task_specific_params output_router_logits router_aux_loss_coef aux_loss_alpha "
     "seq_aux max_window_layers attn_implementation residual_in_fp32 reference_compile "
     "deterministic_flash_attn repad_logits_with_grad sparse_prediction sparse_pred_ignore_index "
     "use_flash_attn", NOTHING, NULL, NULL},
    {"use_parallel_embedding", NOTHING, NULL, "cohere2"}, /* over several GPUs */
    {"summary_type summary_use_proj summary_activation summary_first_dropout "
     "summary_proj_to_labels reorder_and_upcast_attn gradient_checkpointing", NOTHING, NULL,
     GPT2S},
    {"dropout_rate dense_act_fn is_gated_act scalable_attention tokenizer_class output_past",
     NOTHING, NULL, T5}, /* the second and third follow from feed_forward_proj */
    {"hidden_dropout_prob attention_probs_dropout_prob label2id problem_type output_past "
     "directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "
     "pooler_size_per_head pooler_type", NOTHING, NULL, BERTS},

    /* parts that are left out */
    {"vision_config boi_token_index eoi_token_index image_token_index image_token_id "
     "video_token_id mm_tokens_per_image spatial_merge_size projector_hidden_act "
     "multimodal_projector_bias vision_feature_layer vision_feature_select_strategy "
     "image_seq_length scale_factor", NOTHING, NULL,
     "llama gemma3 llama4 qwen2vl qwen3vl qwen3vlmoe qwen2 qwen3"},
    {"vision_start_token_id vision_end_token_id vision_token_id", NOTHING, NULL,
     "qwen2vl qwen3vl qwen3vlmoe"},

    /* how texts were drawn, as older folders list it for all of their parts */
    {"do_sample early_stopping output_scores remove_invalid_values return_dict_in_generate "
     "tf_legacy_loss", ONLY, "false", NULL},
    {"diversity_penalty encoder_no_repeat_ngram_size no_repeat_ngram_size min_length", ONLY,
     "0 0.0", NULL},
    {"length_penalty repetition_penalty temperature top_p typical_p num_beam_groups num_beams "
     "num_return_sequences", ONLY, "1 1.0", NULL},
    {"max_length", ONLY, "20", NULL},
    {"top_k", ONLY, "50", NULL},
    {"id2label label2id", NOTHING, NULL, "llama qwen2 qwen3"},
};
/* clang-format on */

#endif
