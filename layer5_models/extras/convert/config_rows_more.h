/* config_rows_more.h - keys of config.json in single families, which come before those of all
 * (config_rows.h); included by config_keys.c.
 *
 * Source   the configuration classes of the transformers library, and those published beside
 *          the models */
#ifndef STRATA_CONFIG_ROWS_MORE_H
#define STRATA_CONFIG_ROWS_MORE_H

#include "parts.h"

#define ASSISTANT "gemma4-assistant"
#define GEMMA4S   "gemma4 " ASSISTANT
#define GEMMAS    "gemma3n gemma-embedding " GEMMA4S
#define QWEN35    "qwen35 qwen35moe"
#define JINAS     "jina-bert-v2 jina-bert-v3"
#define ROUTED    "exaone-moe bailingmoe bailingmoe2 afmoe kimi-linear"

/* clang-format off */
static const ConfigKey more_keys[] = {
    /* sizes */
    {"dim", SIZE, "embedding_length", "bert"}, /* DistilBERT */
    {"hidden_dim", SIZE, "feed_forward_length", "bert"},
    {"n_heads", SIZE, "attention.head_count", "bert"},
    {"n_layers", SIZE, "block_count", "bert"},
    {"activation", ACT, NULL, "bert"},
    {"sinusoidal_pos_embds", ONLY, "false", "bert"},
    {"dropout qa_dropout seq_classif_dropout tie_weights_", NOTHING, NULL, "bert"},
    {"n_layers", SIZE, "block_count", "mpt llada dbrx"},
    {"max_seq_len", SIZE, "context_length", "mpt dbrx"},
    {"max_sequence_length", SIZE, "context_length", "llada"},
    {"max_length", SIZE, "context_length", "neo-bert"},
    {"model_max_length", SIZE, "context_length", "kimi-linear"},
    {"max_position_embeddings n_positions max_trained_positions", READ, NULL, "nomic-bert-moe"},
    {"n_heads", SIZE, "attention.head_count", "mpt llada dbrx"},
    {"kv_n_heads n_kv_heads", SIZE, "attention.head_count_kv", "mpt llada dbrx"},
    {"num_attention_groups", SIZE, "attention.head_count_kv", "step35"},
    {"num_key_value_heads", READ, NULL, "mistral4 minicpm3 plm kimi-linear falcon-h1 nemotron_h_moe "
                                        QWEN35},
    {"mlp_hidden_size", SIZE, "feed_forward_length", "llada"},
    {"n_inner", SIZE, "feed_forward_length", "nomic-bert-moe"},
    {"intermediate_size", READ, NULL, "nemotron_h_moe neo-bert gemma4"},
    {"kv_lora_rank", SIZE, "attention.kv_lora_rank", "mistral4 minicpm3 plm kimi-linear"},
    {"q_lora_rank", SIZE, "attention.q_lora_rank", "mistral4 minicpm3 plm kimi-linear"},
    {"v_head_dim", SIZE, "attention.value_length_mla", "mistral4 kimi-linear"},
    {"v_head_dim swa_v_head_dim swa_head_dim swa_num_key_value_heads swa_num_attention_heads "
     "hybrid_layer_pattern add_swa_attention_sink_bias add_full_attention_sink_bias "
     "moe_layer_freq hybrid_block_size", READ, NULL, "mimo2"},
    {"v_head_dim qk_nope_head_dim qk_rope_head_dim qk_head_dim", READ, NULL,
     "mistral4 minicpm3 plm kimi-linear"},
    {"head_dim", SIZE, "kda.head_dim", "kimi-linear"},
    {"short_conv_kernel_size", SIZE, "ssm.conv_kernel", "kimi-linear"},
    {"num_heads full_attn_layers kda_layers", READ, NULL, "kimi-linear"},
    {"mamba_d_ssm", SIZE, "ssm.inner_size", "falcon-h1"},
    {"moe_latent_size", SIZE, "moe_latent_size", "nemotron_h_moe"},
    {"hidden_size_per_layer_input", SIZE, "embedding_length_per_layer_input", GEMMAS},
    {"num_kv_shared_layers", READ, NULL, ASSISTANT},
    {"num_kv_shared_layers", SIZE, "attention.shared_kv_layers", GEMMAS},
    {"backbone_hidden_size", SIZE, "embedding_length_out", ASSISTANT},
    {"altup_num_inputs", SIZE, "altup.num_inputs", "gemma3n"},
    {"global_head_dim num_global_key_value_heads per_layer_config attention_k_eq_v", READ, NULL,
     GEMMA4S},

    {"vision_config image_token_id im_start_id im_end_id im_newline_id text_start_id text_end_id "
     "eod_token_id sep_token_id pad_id org_vocab_size attention_head_dim cla_share_factor "
     "routed_scaling_factor", NOTHING, NULL, "hunyuan_vl"},
    {"use_qk_norm", ONLY, "true", "hunyuan_vl"},
    {"num_experts", ONLY, "1", "hunyuan_vl"},
    {"use_cla", ONLY, "false", "hunyuan_vl"},
    {"norm_type", ONLY, "rms", "hunyuan_vl"},
    {"vision_config image_token_id video_token_id vision_start_token_id vision_end_token_id "
     "ignored_index weight_share_add_bias max_sequence_length hidden_dropout_prob "
     "attention_probs_dropout_prob use_flash_attention", NOTHING, NULL, "paddleocr"},
    {"use_3d_rope rope_is_neox_style", ONLY, "true", "paddleocr"},
    {"compression_ratio", ONLY, "1 1.0", "paddleocr"},

    {"head_size", SIZE, "wkv.head_size", "rwkv6"},
    {"rescale_every", SIZE, "rescale_every_n_layers", "rwkv6"},
    {"head_size_divisor", ONLY, "8", "rwkv6"}, /* the norm per head: eps = 1e-5 of its square */
    {"num_attention_heads attention_hidden_size model_version", NOTHING, NULL, "rwkv6"},
    {"intermediate_size", READ, NULL, "rwkv6"},
    {"num_attention_heads", READ, NULL, "rwkv6qwen2"},
    {"gate_rank_type", ONLY, "1", "rwkv6qwen2"}, /* one matrix */
    {"groupnorm_att use_pos_emb use_rope", ONLY, "false", "rwkv6qwen2"},
    {"use_tokenshift balance_state", ONLY, "true", "rwkv6qwen2"},
    {"lora_rank_tokenshift lora_rank_decay attention_output_bias",
     NOTHING, NULL, "rwkv6qwen2"}, /* by the tensors */
    {"head_size", SIZE, "wkv.head_size", "arwkv7"},
    {"head_size_divisor", ONLY, "8", "arwkv7"},
    {"wkv_version", ONLY, "7", "arwkv7"},
    {"wkv_has_gate", READ, NULL, "arwkv7"},
    {"v_first_with_embedding", ONLY, "false", "arwkv7"},
    {"num_attention_heads num_key_value_heads num_wkv_heads wkv_layers wkv_has_group_norm",
     NOTHING, NULL, "arwkv7"}, /* by the tensors */
    {"max_position_embeddings rope_theta rope_scaling", NOTHING, NULL, "rwkv6qwen2 arwkv7"},
    {"head_dim", SIZE, "wkv.head_size", "rwkv7"},
    {"decay_low_rank_dim", SIZE, "attention.decay_lora_rank", "rwkv7"},
    {"a_low_rank_dim", SIZE, "attention.iclr_lora_rank", "rwkv7"},
    {"v_low_rank_dim", SIZE, "attention.value_residual_mix_lora_rank", "rwkv7"},
    {"gate_low_rank_dim", SIZE, "attention.gate_lora_rank", "rwkv7"},
    {"norm_eps", NUMBER, "attention.layer_norm_epsilon", "rwkv7"},
    {"max_position_embeddings num_heads hidden_ratio value_dim attn_mode fuse_norm fuse_cross_entropy "
     "fuse_linear_cross_entropy use_l2warp initializer_range", NOTHING, NULL, "rwkv7"},
    {"norm_first norm_bias", ONLY, "true", "rwkv7"},
    {"hidden_act", ONLY, "sqrelu", "rwkv7"},
    {"attn", ONLY, "", "rwkv7"},

    {"model_dim", SIZE, "embedding_length", "openelm"},
    {"num_transformer_layers", SIZE, "block_count", "openelm"},
    {"max_context_length", SIZE, "context_length", "openelm"},
    {"num_query_heads", SIZE, "attention.head_count", "openelm"},
    {"num_kv_heads", SIZE, "attention.head_count_kv", "openelm"},
    {"rope_freq_constant", NUMBER, "rope.freq_base", "openelm"},
    {"share_input_output_layers", READ, NULL, "openelm"},
    {"ffn_multipliers ffn_dim_divisor qkv_multipliers num_gqa_groups rope_max_length",
     NOTHING, NULL, "openelm"}, /* tensors show */
    {"activation_fn_name", ACT, NULL, "openelm"},
    {"normalization_layer_name", ONLY, "rms_norm", "openelm"},
    {"normalize_qk_projections ffn_with_glu", ONLY, "true", "openelm"},
    {"num_query_groups", SIZE, "attention.head_count_kv", "codeshell"},
    {"multi_query_group_num", SIZE, "attention.head_count_kv", "chatglm"},
    {"rope_ratio kv_channels", READ, NULL, "chatglm"},
    {"ffn_hidden_size", SIZE, "feed_forward_length", "chatglm"},
    {"seq_length", SIZE, "context_length", "chatglm"},
    {"layernorm_epsilon layer_norm_epsilon", NUMBER, "attention.layer_norm_rms_epsilon",
     "chatglm exaone refact"},
    {"rms_norm_eps", NUMBER, "attention.layer_norm_epsilon", "orion"}, /* in name only RMS */
    {"model_max_length max_sequence_length", SIZE, "context_length", "baichuan orion"},
    {"clip_qkv", NUMBER, "attention.clamp_kqv", "olmo"},
    {"n_shared_head", READ, NULL, "plamo"},
    {"block_configs num_key_value_heads_per_layer", READ, NULL, "deci"},

    {"image_size", SIZE, "image_size", "clip"},
    {"depth", SIZE, "block_count", "clip"}, /* Qwen's */
    {"num_heads", SIZE, "attention.head_count", "clip"},
    {"spatial_merge_size", SIZE, "spatial_merge_size", "clip"},
    {"out_hidden_size", SIZE, "projection_dim", "clip"},
    {"in_chans in_channels", ONLY, "3", "clip"},
    {"temporal_patch_size", ONLY, "2", "clip"},
    {"window_size", ONLY, "112", "clip"},
    {"fullatt_block_indexes embed_dim mlp_ratio hidden_size num_position_embeddings "
     "deepstack_visual_indexes", READ, NULL, "clip"},
    {"spatial_patch_size tokens_per_second", NOTHING, NULL, "clip"}, /* of films */
    {"max_dynamic_patch", SIZE, "preproc_max_tiles", "clip"},
    {"min_dynamic_patch", SIZE, "preproc_min_tiles", "clip"},
    {"dynamic_image_size use_thumbnail", ONLY, "true", "clip"},
    {"pad2square", ONLY, "false", "clip"},
    {"force_image_size", READ, NULL, "clip"},
    {"patch_size", SIZE, "patch_size", "clip"},
    {"projection_dim", SIZE, "projection_dim", "clip"},
    {"num_hidden_layers", SIZE, "block_count", "clip"},
    {"layer_norm_eps", NUMBER, "attention.layer_norm_epsilon", "clip"},
    {"rms_norm_eps", NUMBER, "attention.layer_norm_epsilon", "clip"},
    {"hidden_act hidden_activation", ONLY, "quick_gelu gelu gelu_pytorch_tanh silu", "clip"},
    {"num_key_value_heads global_head_dim pooling_kernel_size use_clipped_linears standardize",
     READ, NULL, "clip"}, /* Gemma 4's */
    {"position_embedding_size default_output_length max_position_embeddings id2label label2id "
     "problem_type audio_config audio_token_id boa_token_id eoa_token_id eoa_token_index "
     "video_token_id vision_soft_tokens_per_image", NOTHING, NULL, "clip"},
    {"mm_tokens_per_image scale_factor downsample_ratio pixel_shuffle_ratio rope_theta "
     "rope_parameters head_dim vision_feature_select_strategy", READ, NULL, "clip"},
    {"norm_eps", NUMBER, "attention.layer_norm_epsilon", "clip"},
    {"multi_modal_projector_bias", ONLY, "false", "clip"}, /* Llama 4's */
    {"projector_dropout projector_input_dim projector_output_dim vision_output_dim "
     "is_composition image_token_id", NOTHING, NULL, "clip"}, /* tensors show the sizes */
    {"downsample_ratio dynamic_image_size force_image_size max_dynamic_patch min_dynamic_patch "
     "pad2square use_thumbnail template system_message use_backbone_lora use_llm_lora "
     "ps_version select_layer", NOTHING, NULL, "qwen2 qwen3"}, /* InternVL's vision encoder */
    {"neftune_noise_alpha pixel_shuffle_factor perceiver_config use_reentrant_checkpointing",
     NOTHING, NULL, "llama"}, /* SmolVLM's: training, and its vision encoder's */
    {"qk_layer_norms use_resampler", ONLY, "false", "llama"},
    {"use_qk_norm qk_normalization use_mask_token vision_use_head use_moe", ONLY, "false",
     "clip"},
    /* InternVL's: of experts, which no published one has (use_moe) */
    {"capacity_factor eval_capacity_factor laux_allreduce moe_coeff_ratio "
     "moe_intermediate_size moe_output_scale noisy_gate_policy num_experts num_routed_experts "
     "num_shared_experts shared_expert_intermediate_size use_residual use_rts "
     "use_weighted_residual", NOTHING, NULL, "clip"},
    {"norm_type", ONLY, "layer_norm", "clip"},
    {"use_absolute_position_embeddings use_mean_pooling", ONLY, "true", "clip"},
    {"ps_version", ONLY, "v2", "clip"},
    {"select_layer", ONLY, "-1", "clip"},
    /* how the language model is told of pictures */
    {"boi_token_index eoi_token_index boi_token_id eoi_token_id max_image_size size "
     "use_base_siglip dropout drop_path_rate projection_dropout hidden_dropout_prob "
     "layer_scale_init_value llm_config template system_message use_backbone_lora "
     "use_llm_lora use_flash_attn use_reentrant_checkpointing", NOTHING, NULL, "clip"},
    {"projector_hidden_act", ONLY, "gelu", "clip"},
    {"num_channels", ONLY, "3", "clip"},
    {"vision_feature_layer", READ, NULL, "clip"},
    {"text_config ignore_index image_token_index image_seq_length attention_dropout "
     "initializer_factor vocab_size multimodal_projector_bias image_token_id "
     "tie_word_embeddings", NOTHING, NULL, "clip"},
    {"draft_vocab_size speculators_model_type speculators_config speculators_version "
     "embed_requires_grad has_no_defaults_at_init", NOTHING, NULL, "eagle3"}, /* tensors show */
    {"target_hidden_size norm_before_residual", READ, NULL, "eagle3"},

    /* experts */
    {"num_experts", SIZE, "expert_count", ROUTED " " QWEN35 " gemma4 mellum grovemoe llada-moe "
                                          "nomic-bert-moe"},
    {"n_routed_experts", SIZE, "expert_count", "mistral4 nemotron_h_moe mimo2"},
    {"moe_num_experts", SIZE, "expert_count", "step35 dbrx"},
    {"ffn_hidden_size", SIZE, "feed_forward_length", "dbrx"},
    {"num_experts_per_token top_k_experts moe_topk moe_top_k", SIZE, "expert_used_count",
     "kimi-linear gemma4 hunyuan-moe nomic-bert-moe step35 dbrx"},
    {"expert_intermediate_size", SIZE, "expert_feed_forward_length", "llada-moe gemma4"},
    {"moe_shared_expert_intermediate_size share_expert_dim", SIZE,
     "expert_shared_feed_forward_length", "nemotron_h_moe bailingmoe2 step35"},
    {"num_shared_experts n_shared_experts", SIZE, "expert_shared_count",
     ROUTED " mistral4 nemotron_h_moe"},
    {"n_shared_experts", NOTHING, NULL, "mimo2"}, /* null: none */
    {"num_shared_expert", NOTHING, NULL, "hunyuan-moe"}, /* tensors show */
    {"first_k_dense_replace num_dense_layers", SIZE, "leading_dense_block_count",
     ROUTED " mistral4"},
    {"routed_scaling_factor route_scale moe_router_scaling_factor", NUMBER,
     "expert_weights_scale", ROUTED " mistral4 nemotron_h_moe step35"},
    {"norm_topk_prob route_norm norm_expert_weight", FLAG, "expert_weights_norm",
     "exaone-moe bailingmoe bailingmoe2 afmoe mistral4 nemotron_h_moe step35"},
    {"moe_renormalize norm_topk_prob", ONLY, "true", "kimi-linear mimo2"},
    {"norm_topk_prob", ONLY, "false", "llada-moe"},
    {"routed_scaling_factor", ONLY, "1 1.0", "mimo2 llada-moe"},
    {"scoring_func score_function", ONLY, "softmax", "deepseek bailingmoe"},
    {"routed_scaling_factor n_group topk_group", ONLY, "1 1.0", "deepseek bailingmoe"},
    {"topk_method", ONLY, "greedy", "deepseek"},
    {"num_nextn_predict_layers", ONLY, "0", "deepseek"},
    {"scoring_func score_func score_function moe_router_activation_func moe_router_activation",
     ONLY, "sigmoid", ROUTED " mimo2 step35"},
    {"n_group num_expert_group num_expert_groups", SIZE, "expert_group_count",
     "bailingmoe2 mistral4"},
    {"topk_group num_limited_groups", SIZE, "expert_group_used_count", "bailingmoe2 mistral4"},
    {"n_group topk_group num_expert_group num_expert_groups num_limited_groups moe_layer_freq "
     "num_experts_per_group", ONLY, "1",
     "exaone-moe afmoe kimi-linear nemotron_h_moe mimo2"},
    {"topk_method use_grouped_topk load_balance_coeff use_grouped_mm mlp_layer_types "
     "is_moe_layer first_last_k_dense_replace moe_router_enable_expert_bias router_dtype "
     "moe_layer_freq use_expert_bias enable_moe_block moe_shared_expert_overlap "
     "num_nextn_predict_layers mtp_hybrid_override_pattern mtp_layers_block_type "
     "mtp_num_hidden_layers mtp_use_dedicated_embeddings mtp_loss_scaling_factor "
     "dense_intermediate_size", NOTHING, NULL,
     ROUTED " mimo2 mellum nemotron_h_moe llada-moe gemma4 " QWEN35},
    {"moe_num_primary_experts", SIZE, "expert_count", "smallthinker"},
    {"moe_num_active_primary_experts", SIZE, "expert_used_count", "smallthinker"},
    {"moe_ffn_hidden_size", SIZE, "feed_forward_length", "smallthinker"},
    {"moe_primary_router_apply_softmax", ONLY, "true false", "smallthinker"}, /* sizes.c */
    {"sliding_window_layout sliding_window_size rope_layout", READ, NULL, "smallthinker"},
    {"moe_enable_early_router", ONLY, "true", "smallthinker"},
    {"moe_enable_secondary_experts use_qk_norm profile_sparsity", ONLY, "false", "smallthinker"},
    {"moe_shared_primary_experts moe_num_secondary_experts", ONLY, "0", "smallthinker"},
    {"moe_layer_layout moe_secondary_expert_size dense_ffn_hidden_size model_name", NOTHING,
     NULL, "smallthinker"}, /* tensors show */
    {"num_local_experts", SIZE, "expert_count", "arctic grok"},
    {"embedding_multiplier_scale", NUMBER, "embedding_scale", "grok"},
    {"output_multiplier_scale", NUMBER, "logit_scale", "grok"},
    {"attn_output_multiplier", NUMBER, "attention.output_scale", "grok"},
    {"attn_logit_softcapping max_attn_value", NUMBER, "attn_logit_softcapping", "grok"},
    {"router_logit_softcapping", NUMBER, "router_logit_softcapping", "grok"},
    {"residual_moe", ONLY, "false", "grok"}, /* Grok 2's */
    {"parallel_attn_mlp_res use_residual", ONLY, "true", "arctic"},
    {"moe_layer_frequency moe_eval_capacity_factor moe_train_capacity_factor moe_min_capacity "
     "moe_token_dropping enable_expert_tensor_parallelism max_sequence_length", NOTHING, NULL,
     "arctic"}, /* training; the tensors show which layers have experts */
    {"moe_normalize_expert_weights", ONLY, "1 1.0", "dbrx"},
    {"uniform_expert_assignment", ONLY, "false", "dbrx"},
    {"clip_qkv", NUMBER, "attention.clamp_kqv", "dbrx"},
    {"ffn_act_fn", ACT, NULL, "dbrx"},
    {"moe_jitter_eps moe_loss_weight emb_pdrop", NOTHING, NULL, "dbrx"},
    {"norm_head norm_softmax multi_gate", ONLY, "false", "bailingmoe"},
    {"output_dropout", NOTHING, NULL, "bailingmoe bailingmoe2"},
    {"moe_every_n_layers", SIZE, "moe_every_n_layers", "nomic-bert-moe"},
    {"use_moe use_moe_router_bias need_fp32_gate use_head_wise_attn_gate use_qk_norm zero_centered",
     ONLY, "true", "step35"},
    {"moe_every_n_layer", ONLY, "1", "step35"},
    {"moe_layers_enum moe_layer_offset att_impl_type num_nextn_predict_layers sink mtp_base_num_layers", NOTHING, NULL,
     "step35"},
    {"attention_other_setting swiglu_limits swiglu_limits_shared rope_theta "
     "partial_rotary_factors yarn_only_types max_seq_len use_rope_layers", READ, NULL,
     "step35"},

    /* numbers and flags */
    {"scale_emb", NUMBER, "embedding_scale", "minicpm"},
    {"scale_depth dim_model_base", READ, NULL, "minicpm"},
    {"scale_emb", ONLY, "12 12.0", "minicpm3"},
    {"scale_depth", ONLY, "1.4", "minicpm3"},
    {"dim_model_base", ONLY, "256", "minicpm3"},
    {"mup_denominator", NOTHING, NULL, "minicpm"},
    {"layer_norm_epsilon norm_eps", NUMBER, "attention.layer_norm_rms_epsilon", "qwen nemotron_h_moe"},
    {"layernorm_epsilon norm_eps", NUMBER, "attention.layer_norm_rms_epsilon", "mimo2 neo-bert"},
    {"final_logit_softcapping", NUMBER, "final_logit_softcapping", "gemma3n gemma4"},
    {"rope_local_base_freq swa_rope_theta", NUMBER, "rope.freq_base_swa",
     GEMMAS " mimo2"},
    {"attention_value_scale", NUMBER, "attention.value_scale", "mimo2"},
    {"attention_bias", READ, NULL, "mimo2"},
    {"attention_chunk_size sliding_window_size", NOTHING, NULL, "mimo2"}, /* the window */
    {"rotary_emb_base", NUMBER, "rope.freq_base", "nomic-bert-moe"},
    {"activation_sparsity_pattern", READ, NULL, "gemma3n"},
    {"query_pre_attn_scalar", READ, NULL, GEMMAS},

    /* in the class's formulas */
    {"alibi_bias_max clip_qkv", READ, NULL, "mpt"},
    {"lm_head_multiplier embedding_multiplier mlp_multipliers key_multiplier "
     "attention_out_multiplier attention_in_multiplier ssm_multipliers ssm_in_multiplier "
     "ssm_out_multiplier linear_value_head_dim", READ, NULL, "falcon-h1 " QWEN35},
    {"mask_token_id", READ, NULL, "llada llada-moe"},

    /* read elsewhere */
    {"layers_block_type attention_head_dim kv_channels embedding_size", READ, NULL,
     "nemotron_h_moe hunyuan-moe qwen llada"},
    {"use_qk_norm", READ, NULL, "bailingmoe2"},
    {"qk_layernorm", READ, NULL, "llada-moe"},
    {"rope_interleave", ONLY, "true", "mistral4"},
    {"type_vocab_size id2label sentence_transformers cls_token_id sep_token_id", READ, NULL,
     JINAS " nomic-bert-moe neo-bert gemma-embedding"},
    {"_sliding_window_pattern sliding_window_pattern", READ, NULL, GEMMAS},

    /* only one value is built in */
    {"rmsnorm post_layer_norm multi_query_attention original_rope multi_query", ONLY, "true",
     "chatglm refact"},
    {"apply_residual_connection_post_layernorm add_bias_linear pre_seq_len quantization_bit "
     "prefix_projection", ONLY, "false 0", "chatglm"},
    {"padded_vocab_size add_qkv_bias apply_query_key_layer_scaling attention_softmax_in_fp32 "
     "bias_dropout_fusion fp32_residual_connection classifier_dropout", NOTHING, NULL,
     "chatglm"}, /* tensors show; how others compute it */
    {"position_embedding_type", ONLY, "rope", "codeshell"},
    {"group_query_attention", ONLY, "true", "codeshell"},
    {"n_inner", READ, NULL, "codeshell refact"},
    {"scale_attn_weights", ONLY, "true", "codeshell refact"},
    {"attention_bias_in_fp32 attention_softmax_in_fp32 scale_attention_softmax_in_fp32 "
     "summary_type summary_use_proj summary_activation "
     "summary_first_dropout summary_proj_to_labels", NOTHING, NULL, "codeshell refact"},
    {"embed_dropout z_loss_weight _from_model_config max_tokenizer_truncation", NOTHING, NULL,
     "exaone baichuan xverse"},
    {"sliding_window_pattern", ONLY, "LLLG 4", "exaone-moe"},
    {"global_attn_every_n_layers", ONLY, "4", "afmoe"},
    {"mup_enabled", ONLY, "true", "afmoe"},
    {"qk_norm use_qk_norm", ONLY, "true", "apertus hunyuan-moe"},
    {"post_norm use_cla use_mla use_mixed_mlp_moe moe_drop_tokens add_classification_head "
     "moe_random_routing_dropped_token", ONLY, "false", "apertus hunyuan-moe"},
    {"norm_type position_embedding_type", ONLY, "rms rope hf_rms", "hunyuan-moe"},
    {"use_rotary_pos_emb mlp_bias attention_bias", NOTHING, NULL, "hunyuan-moe"},
    {"capacity_factor cla_share_factor class_num group_limited_greedy kv_lora_rank q_lora_rank "
     "mask_init_id num_media_embeds moe_layer_num_skipped n_group topk_group org_vocab_size "
     "pool_type qk_nope_head_dim qk_rope_head_dim v_head_dim routed_scaling_factor "
     "text_end_id text_start_id vit_add_patchemb_bias vit_input_resolution vit_mapping_type "
     "vit_norm_type vit_patch vit_path vit_remove_prenorm vit_token vit_type vit_used_rms_norm "
     "xdrope_section skip_cls_token dense_list enable_lm_head_fp32 eod_token_id eot_token_id "
     "im_end_id im_newline_id im_start_id image_token_id position_embedding_xdrope "
     "use_cache_kernel anyres_pooling_size anyres_vit_max_image_size anyres_vit_two_views "
     "norm_topk_prob tie_word_embeddings_ sep_token_id moe_drop_token bos_token", NOTHING, NULL,
     "hunyuan-moe"}, /* of other models of the same code */
    {"attn_type", ONLY, "multihead_attention", "mpt"},
    {"alibi", ONLY, "true", "mpt"},
    {"alibi", ONLY, "false", "llada"},
    {"prefix_lm qk_ln attn_uses_sequence_id learned_pos_emb rope", ONLY, "false", "mpt"},
    {"softmax_scale logit_scale", ONLY, "", "mpt"},
    {"expansion_ratio", READ, NULL, "mpt"},
    {"no_bias", ONLY, "true", "mpt qwen"},
    {"norm_type", ONLY, "low_precision_layernorm layernorm", "mpt"},
    {"attn_impl emb_pdrop resid_pdrop embedding_fraction init_device init_config verbose "
     "fc_type ffn_config attn_pdrop use_pad_tok_in_ffn tokenizer_name", NOTHING, NULL, "mpt"},
    {"rotary_pct", ONLY, "1 1.0", "qwen"},
    {"use_logn_attn use_dynamic_ntk", NOTHING, NULL, "qwen"}, /* beyond the trained context */
    {"use_cache_quantization", ONLY, "false", "qwen"},
    {"seq_length scale_attn_weights bf16 fp16 fp32 onnx_safe use_cache_kernel softmax_in_fp32 "
     "emb_dropout_prob attn_dropout_prob use_flash_attn", NOTHING, NULL, "qwen"},
    {"activation_type", ONLY, "silu", "llada"},
    {"block_type", ONLY, "llama", "llada"},
    {"layer_norm_type", ONLY, "rms", "llada"},
    {"rope layer_norm_with_affine", ONLY, "true", "llada"},
    {"attention_layer_norm input_emb_norm scale_logits weight_tying include_bias "
     "include_qkv_bias bias_for_layer_norm", ONLY, "false", "llada"},
    {"multi_query_attention", ONLY, "false", "llada"},
    {"block_group_size", ONLY, "1", "llada"},
    {"alibi_bias_max attention_layer_norm_with_affine embedding_dropout flash_attention "
     "init_cutoff_factor init_device init_fn init_std mlp_ratio precision "
     "rope_full_precision", NOTHING, NULL, "llada"},
    {"weight_bits", ONLY, "1", "bitnet"},
    {"input_bits", NOTHING, NULL, "bitnet"},
    {"altup_active_idx", ONLY, "0", "gemma3n"},
    {"altup_correct_scale", ONLY, "true", "gemma3n"},
    {"laurel_rank", ONLY, "64", "gemma3n"},
    /* in training */
    {"altup_coef_clip altup_lr_multiplier vocab_size_per_layer_input", NOTHING, NULL, GEMMAS},
    {"use_double_wide_mlp", NOTHING, NULL, "gemma4"}, /* tensors show */
    {"use_bidirectional_attention", ONLY, "vision false", GEMMA4S},
    {"enable_moe_block use_double_wide_mlp", ONLY, "false", ASSISTANT},
    /* a head that computes the logits of some clusters alone; here it computes all */
    {"use_ordered_embeddings num_centroids centroid_intermediate_top_k block_size", NOTHING,
     NULL, ASSISTANT},
    {"use_bidirectional_attention", ONLY, "true", "gemma-embedding"},
    {"attn_logit_softcapping", ONLY, "", GEMMAS},
    {"attn_output_gate", ONLY, "true", QWEN35},
    {"full_attention_interval mamba_ssm_dtype", NOTHING, NULL, QWEN35},
    {"mla_use_nope", ONLY, "true", "kimi-linear"},
    {"rope_theta rope_scaling dtype attention_dropout", NOTHING, NULL, "kimi-linear"},
    {"mamba_norm_before_gate", ONLY, "false", "falcon-h1"},
    {"mamba_rms_norm mamba_use_mlp projectors_bias attn_layer_indices mlp_expansion_factor", NOTHING, NULL,
     "falcon-h1"}, /* tensors show */
    {"feed_forward_type", ONLY, "geglu", "jina-bert-v2"},
    {"position_embedding_type", ONLY, "alibi", "jina-bert-v2"},
    {"position_embedding_type", ONLY, "rotary", "jina-bert-v3"},
    {"emb_pooler attn_implementation model_max_length output_past", NOTHING, NULL, JINAS},
    {"lora_adaptations lora_alpha lora_dropout_p lora_main_params_trainable lora_rank "
     "task_instructions load_trained_adapters matryoshka_dimensions truncate_dim "
     "use_reentrant", NOTHING, NULL, "jina-bert-v3"},
    {"rotary_emb_base", NUMBER, "rope.freq_base", "jina-bert-v3"},
    {"prenorm causal rotary_emb_interleaved parallel_block use_rms_norm", ONLY, "false",
     "nomic-bert-moe"},
    {"rotary_emb_scale_base rotary_scaling_factor", ONLY, "", "nomic-bert-moe"},
    {"rotary_emb_fraction", READ, NULL, "nomic-bert-moe"},
    {"moe_normalize_expert_weights", ONLY, "false", "nomic-bert-moe"},
    {"qkv_proj_bias mlp_fc1_bias mlp_fc2_bias fused_bias_fc fused_dropout_add_ln use_xentropy "
     "pad_vocab_size_multiple parallel_block_tied_norm scale_attn_by_inverse_layer_idx "
     "scale_attn_weights reorder_and_upcast_attn summary_type summary_use_proj "
     "summary_activation summary_first_dropout summary_proj_to_labels expert_choice_router "
     "ffn_div dense_seq_output moe_impl moe_resid_pdrop num_shared_experts add_pooling_layer router_aux_loss_coef",
     NOTHING, NULL, "nomic-bert-moe"},
    {"rope_theta", NUMBER, "rope.freq_base", "neo-bert"},
    {"rms_norm rope", ONLY, "true", "neo-bert"},
    {"embedding_init_range decoder_init_range dropout flash_attention base_scale ngpt dim_head "
     "kwargs", NOTHING, NULL, "neo-bert"},
    {"hidden_dropout_prob attention_probs_dropout_prob label2id problem_type", NOTHING, NULL,
     JINAS " nomic-bert-moe neo-bert"},
    {"audio_config boa_token_id eoa_token_id eoa_token_index audio_token_id "
     "audio_soft_tokens_per_image vision_soft_tokens_per_image audio_soft_tokens_per_video "
     "boi_token_id eoi_token_id", NOTHING, NULL, "gemma3n " GEMMA4S},
    {"vision_config image_token_id video_token_id vision_start_token_id vision_end_token_id "
     "image_token_index multimodal_projector_bias projector_hidden_act spatial_merge_size "
     "vision_feature_layer language_model_only", NOTHING, NULL,
     "gemma3n mistral3 mistral4 " GEMMA4S " " QWEN35},
};
/* clang-format on */

#endif
