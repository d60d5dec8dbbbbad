/* class_rows.h - the classes of models that can be converted; included by families.c.
 *
 * Of rows for one class the first whose `when` fits counts. */
#ifndef STRATA_CLASS_ROWS_H
#define STRATA_CLASS_ROWS_H

#include "name_rules_more.h"

/* What config.json omits.
 *
 * Source   the configuration classes of the transformers library */
#define LLAMA_TEXT                                                                  \
    "{\"hidden_size\": 4096, \"intermediate_size\": 11008, \"num_hidden_layers\": " \
    "32, \"num_attention_heads\": 32, \"max_position_embeddings\": 2048, "          \
    "\"rms_norm_eps\": 1e-6, \"vocab_size\": 32000, \"tie_word_embeddings\": false}"
#define GEMMA3_TEXT                                                                         \
    "{\"num_attention_heads\": 8, \"num_key_value_heads\": 4, \"head_dim\": 256, "          \
    "\"max_position_embeddings\": 131072, \"rms_norm_eps\": 1e-6, \"rope_theta\": 1e6, "    \
    "\"rope_local_base_freq\": 10000, \"query_pre_attn_scalar\": 256, \"sliding_window\": " \
    "4096}"

#define ARWKV7      "head_size wkv_version wkv_has_gate intermediate_size"
#define ARWKV7_ADDS "context_length=1048576 attention.head_count=0 token_shift_count=1"

#define CLIP_VISION                                                                    \
    "{\"hidden_size\": 1024, \"intermediate_size\": 4096, \"num_hidden_layers\": 24, " \
    "\"num_attention_heads\": 16, \"layer_norm_eps\": 1e-5, \"hidden_act\": \"quick_gelu\"}"

#define SIGLIP                                                          \
    "\"hidden_act\": \"gelu_pytorch_tanh\", \"layer_norm_eps\": 1e-6, " \
    "\"num_hidden_layers\": 12, \"intermediate_size\": 3072, "
#define SIGLIP_VISION                                                \
    "{" SIGLIP "\"hidden_size\": 768, \"num_attention_heads\": 12, " \
    "\"image_size\": 224, \"patch_size\": 16, \"mm_tokens_per_image\": 256}"
#define IDEFICS3_VISION                                               \
    "{" SIGLIP "\"hidden_size\": 1152, \"num_attention_heads\": 16, " \
    "\"image_size\": 224, \"patch_size\": 32, \"scale_factor\": 2}"
#define INTERNVIT                                                                       \
    "{\"hidden_size\": 1024, \"intermediate_size\": 4096, \"num_hidden_layers\": 24, "  \
    "\"num_attention_heads\": 16, \"layer_norm_eps\": 1e-6, \"hidden_act\": \"gelu\", " \
    "\"image_size\": 448, \"patch_size\": 14, \"downsample_ratio\": 0.5}"

#define PIXTRAL_EYE                                                                    \
    "{\"hidden_size\": 1024, \"intermediate_size\": 4096, \"num_hidden_layers\": 24, " \
    "\"num_attention_heads\": 16, \"image_size\": 1024, \"patch_size\": 16, "          \
    "\"layer_norm_eps\": 1e-5, \"hidden_act\": \"gelu\"}"
/* All of the language model but its embedding, which has the row that ends lines. */
#define PIXTRAL_TEXT                                                                   \
    "language_model.model.layers.|language_model.model.norm.|language_model.lm_head.|" \
    "model.language_model.layers.|model.language_model.norm.|lm_head."
#define PIXTRAL                                                                              \
    "vision_tower.|model.vision_tower.|multi_modal_projector.|model.multi_modal_projector.|" \
    "language_model.model.|model.language_model."
#define LLAMA4_EYE                                                                    \
    "{\"hidden_size\": 768, \"intermediate_size\": 5632, \"num_hidden_layers\": 34, " \
    "\"num_attention_heads\": 16, \"image_size\": 448, \"patch_size\": 14, "          \
    "\"norm_eps\": 1e-5, \"hidden_act\": \"gelu\", \"pixel_shuffle_ratio\": 0.5, "    \
    "\"rope_theta\": 10000}"

/* The size of pictures is not in the folder, and not used: what llama.cpp writes. */
#define GEMMA4_EYE                                                                    \
    "{\"hidden_size\": 768, \"intermediate_size\": 3072, \"num_hidden_layers\": 16, " \
    "\"num_attention_heads\": 12, \"head_dim\": 64, \"patch_size\": 16, "             \
    "\"pooling_kernel_size\": 3, \"rms_norm_eps\": 1e-6, \"image_size\": 224, "       \
    "\"hidden_activation\": \"gelu_pytorch_tanh\"}"

#define QWEN_EYE                                                                   \
    "{\"depth\": 32, \"num_heads\": 16, \"image_size\": 560, \"patch_size\": 14, " \
    "\"layer_norm_eps\": 1e-6, "
#define QWEN3_EYE                                                                         \
    "{\"depth\": 27, \"num_heads\": 16, \"hidden_size\": 1152, \"patch_size\": 16, "      \
    "\"intermediate_size\": 4304, \"out_hidden_size\": 3584, \"spatial_merge_size\": 2, " \
    "\"num_position_embeddings\": 2304, \"hidden_act\": \"gelu_pytorch_tanh\", "          \
    "\"layer_norm_eps\": 1e-6"
#define QWEN_TEXT "model.layers.|model.embed_tokens.|model.norm.|model.language_model.|lm_head."

/* Parts of folders that hold a language model and more. */
#define BESIDE(DEFAULTS) .part = "text_config", .defaults = DEFAULTS, .others = VISION
#define VISION                                                                \
    "vision_tower.|vision_model.|multi_modal_projector.|model.vision_tower.|" \
    "model.multi_modal_projector.|model.vision_model.|model.connector.|model.visual.|visual."
#define HUNYUAN_VISION "vit.|model.vit.|model.visual."
#define PADDLE_VISION  "model.visual.|visual.|model.projector.|mlp_AR."
#define AUDIO \
    "|model.audio_tower.|model.embed_vision.|model.embed_audio.|model.vision_embedder."
#define INSIDE "language_model.model.|model.language_model.|language_model.|model."

#define ROPE "rope_theta|rope_parameters"
#define GEMMA3N                                                                       \
    "layer_types sliding_window final_logit_softcapping activation_sparsity_pattern " \
    "num_kv_shared_layers hidden_size_per_layer_input altup_num_inputs"
#define GEMMA4                                                         \
    "layer_types sliding_window rope_parameters num_kv_shared_layers " \
    "hidden_size_per_layer_input"
#define QWEN35                                                                        \
    "rope_parameters linear_key_head_dim linear_value_head_dim linear_num_key_heads " \
    "linear_num_value_heads linear_conv_kernel_dim layer_types"
#define VALUES "ssm.inner_size=linear_value_head_dim*linear_num_value_heads"
#define T5     "d_kv relative_attention_num_buckets layer_norm_epsilon"

/* T5's context is unlimited: by default what it was trained with. */
#define T5_ADDS \
    "context_length=n_positions|512 attention.key_length=d_kv attention.value_length=d_kv"

/* One latent for all heads, as keys and values. */
#define LATENTS                                                                     \
    "attention.head_count_kv=1 attention.key_length=kv_lora_rank+qk_rope_head_dim " \
    "attention.value_length=kv_lora_rank rope.dimension_count=qk_rope_head_dim "    \
    "attention.key_length_mla=qk_nope_head_dim+qk_rope_head_dim"

#define KIMI_LATENTS                                                             \
    "attention.key_length=kv_lora_rank+qk_rope_head_dim "                        \
    "attention.value_length=kv_lora_rank rope.dimension_count=qk_rope_head_dim " \
    "attention.key_length_mla=qk_nope_head_dim+qk_rope_head_dim"

/* Latents that are turned back into a key and a value of each head. */
#define HEAD_LATENTS                                                                     \
    "attention.head_count_kv=num_attention_heads rope.dimension_count=qk_rope_head_dim " \
    "attention.key_length=qk_nope_head_dim+qk_rope_head_dim "                            \
    "attention.value_length=v_head_dim"

/* A gated network of two thirds of the size. */
#define NEO "feed_forward_length=2*intermediate_size/3"

/* clang-format off */
static const ConvertFamily families[] = {
    {"LlamaForCausalLM|LLaMAForCausalLM|LlamaModel|InternLM3ForCausalLM", "llama", "model.",
     {ends, pre_norms, permuted, gated}},
    {"MistralForCausalLM|MistralModel", "llama", "model.", {ends, pre_norms, permuted, gated},
     .needs = "sliding_window?"},
    {"Mistral3ForConditionalGeneration", "mistral3", INSIDE,
     {ends, pre_norms, permuted, gated}, .when = "model_type=ministral3",
     .needs = "rope_parameters sliding_window?", BESIDE("{}")},
    {"Mistral3ForConditionalGeneration", "mistral4", INSIDE,
     {ends, pre_norms, latents, gated, joined_experts, experts, shared_experts},
     .when = "model_type=mistral4", .needs = "kv_lora_rank qk_nope_head_dim v_head_dim "
     "rope_parameters", .adds = LATENTS, BESIDE("{}")},
    {"Ministral3ForCausalLM", "mistral3", "model.", {ends, pre_norms, permuted, gated},
     .needs = "rope_parameters sliding_window?"},
    {"Mistral4ForCausalLM", "mistral4", "model.",
     {ends, pre_norms, latents, gated, joined_experts, experts, shared_experts},
     .needs = "kv_lora_rank qk_nope_head_dim v_head_dim rope_parameters", .adds = LATENTS},
    {"Mistral3ForConditionalGeneration", "llama", INSIDE, {ends, pre_norms, permuted, gated},
     .needs = ROPE " sliding_window?", BESIDE("{}")},
    {"LlavaForConditionalGeneration", "llama", INSIDE, {ends, pre_norms, permuted, gated},
     BESIDE(LLAMA_TEXT)},
    {"LlavaForConditionalGeneration", "clip", PIXTRAL, {pixtral_tower},
     .projector = "pixtral", .when = "model_type=pixtral", .part = "vision_config",
     .defaults = PIXTRAL_EYE, .others = PIXTRAL_TEXT},
    {"Mistral3ForConditionalGeneration", "clip", PIXTRAL, {pixtral_tower},
     .projector = "pixtral", .part = "vision_config", .defaults = PIXTRAL_EYE,
     .others = PIXTRAL_TEXT},
    {"Llama4ForConditionalGeneration", "clip", "vision_model.|multi_modal_projector.",
     {llama4_tower}, .projector = "llama4", .part = "vision_config", .defaults = LLAMA4_EYE,
     .others = "language_model."},
    {"LlavaForConditionalGeneration", "clip",
     "vision_tower.vision_model.|model.vision_tower.vision_model.", {clip}, .projector = "mlp",
     .part = "vision_config", .defaults = CLIP_VISION,
     .others = "language_model.|model.language_model.|lm_head."},
    {"Gemma3ForConditionalGeneration", "clip",
     "vision_tower.vision_model.|model.vision_tower.vision_model.|multi_modal_projector.|"
     "model.multi_modal_projector.", {clip, gemma3_projector}, .projector = "gemma3",
     .add_one = true, .part = "vision_config", .defaults = SIGLIP_VISION,
     .others = "language_model.|model.language_model.|lm_head."},
    {"Gemma4ForConditionalGeneration", "clip", "model.vision_tower.|model.embed_vision.",
     {gemma4_tower}, .projector = "gemma4v", .part = "vision_config", .defaults = GEMMA4_EYE,
     .others = "model.language_model.|lm_head.|model.audio_tower.|model.embed_audio."},
    {"Idefics3ForConditionalGeneration|SmolVLMForConditionalGeneration", "clip",
     "model.vision_model.|model.connector.", {clip, idefics3_projector},
     .projector = "idefics3", .part = "vision_config", .defaults = IDEFICS3_VISION,
     .others = "model.text_model.|lm_head."},
    {"InternVLForConditionalGeneration", "qwen2", INSIDE, {ends, pre_norms, straight, gated},
     .when = "model_type=qwen2", BESIDE("{}")},
    {"InternVLForConditionalGeneration", "qwen3", INSIDE, {ends, pre_norms, straight, gated},
     .when = "model_type=qwen3", BESIDE("{}")},
    {"InternVLChatModel", "qwen2", INSIDE, {ends, pre_norms, straight, gated},
     .when = "model_type=qwen2", .part = "llm_config", .defaults = "{}",
     .others = "vision_model.|mlp1."},
    {"InternVLChatModel", "qwen3", INSIDE, {ends, pre_norms, straight, gated},
     .when = "model_type=qwen3", .part = "llm_config", .defaults = "{}",
     .others = "vision_model.|mlp1."},
    {"InternVLForConditionalGeneration", "clip",
     "vision_tower.|model.vision_tower.|multi_modal_projector.|model.multi_modal_projector.",
     {internvit, internvl_projector}, .projector = "internvl",
     .part = "vision_config", .defaults = INTERNVIT,
     .others = "language_model.|model.language_model.|lm_head."},
    {"InternVLChatModel", "clip", "vision_model.", {internvl_chat}, .projector = "internvl",
     .part = "vision_config", .defaults = INTERNVIT, .others = "language_model."},
    {"LlamaForCausalLMEagle3|Eagle3DraftModel", "eagle3", "", {eagle3, eagle3_maps}},
    {"Eagle3Speculator", "eagle3", "", {eagle3, eagle3_maps},
     .part = "transformer_layer_config", .defaults = "{}"},
    {"Idefics3ForConditionalGeneration|SmolVLMForConditionalGeneration", "llama",
     "model.text_model.", {ends, pre_norms, permuted, gated}, .needs = ROPE, BESIDE("{}")},
    {"MixtralForCausalLM", "llama", "model.", {ends, pre_norms, permuted, mixtral},
     .needs = ROPE},
    {"QWenLMHeadModel", "qwen", "transformer.", {qwen1},
     .needs = "rotary_emb_base layer_norm_epsilon"},
    {"Qwen2ForCausalLM|Qwen2Model", "qwen2", "model.", {ends, pre_norms, straight, gated}},
    {"InternLM2ForCausalLM", "internlm2", "model.", {internlm2}, .needs = ROPE},
    {"XverseForCausalLM", "xverse", "model.", {ends, pre_norms, permuted, gated}},
    {"OrionForCausalLM", "orion", "model.", {ends, pre_norms, straight, gated},
     .needs = "rms_norm_eps"},
    {"NemotronForCausalLM", "nemotron", "model.", {ends, pre_norms, straight, gated},
     .add_one = true, .needs = "norm_eps partial_rotary_factor|rope_parameters " ROPE},
    {"OlmoForCausalLM", "olmo", "model.", {ends, permuted, gated},
     .needs = ROPE, .adds = "attention.layer_norm_epsilon=1e-5/1"},
    {"ExaoneForCausalLM", "exaone", "transformer.", {exaone}, .needs = "layer_norm_epsilon " ROPE},
    {"ChatGLMModel|ChatGLMForConditionalGeneration", "chatglm", "transformer.", {chatglm},
     .needs = "num_layers ffn_hidden_size kv_channels layernorm_epsilon seq_length",
     .adds = "rope.freq_base=10000*rope_ratio/1|10000/1"},
    {"GlmForCausalLM", "chatglm", "model.", {ends, pre_norms, straight, glm},
     .needs = "partial_rotary_factor|rope_parameters " ROPE},
    {"PlamoForCausalLM", "plamo", "model.", {ends, plamo}, .needs = "n_shared_head",
     .adds = "context_length=max_position_embeddings|4096 "
             "attention.head_count_kv=num_attention_heads/n_shared_head"},
    {"BaichuanForCausalLM|BaiChuanForCausalLM", "baichuan", "model.",
     {baichuan2_head, ends, pre_norms, baichuan, gated}, .when = "vocab_size=125696"},
    {"BaichuanForCausalLM|BaiChuanForCausalLM", "baichuan", "model.",
     {baichuan2_head, ends, pre_norms, baichuan, gated}, .when = "z_loss_weight=0"},
    {"BaichuanForCausalLM|BaiChuanForCausalLM", "baichuan", "model.",
     {ends, pre_norms, baichuan, gated}},
    {"OpenELMForCausalLM", "openelm", "transformer.", {openelm},
     .needs = "model_dim num_query_heads num_kv_heads head_dim rope_freq_constant",
     .adds = "attention.layer_norm_rms_epsilon=1e-6/1"},
    {"PLMForCausalLM", "plm", "model.", {ends, pre_norms, plain_latents, gated},
     .needs = "kv_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim " ROPE,
     .adds = HEAD_LATENTS},
    {"GPTRefactForCausalLM", "refact", "transformer.", {refact}, .needs = "layer_norm_epsilon",
     .adds = "attention.head_count_kv=1"},
    {"CodeShellForCausalLM", "codeshell", "transformer.", {codeshell, gpt2_ends, bigcode},
     .needs = "num_query_groups layer_norm_epsilon",
     .adds = "feed_forward_length=n_inner|4*n_embd"},
    {"DeciLMForCausalLM|DeciForCausalLM", "deci", "model.",
     {ends, pre_norms, permuted, gated, deci}, .needs = ROPE},
    {"DreamModel", "dream", "model.", {ends, pre_norms, straight, gated}, .needs = ROPE},
    {"Qwen2MoeForCausalLM", "qwen2moe", "model.",
     {ends, pre_norms, straight, experts, shared_expert}},
    {"Qwen3ForCausalLM|Qwen3Model", "qwen3", "model.", {ends, pre_norms, straight, gated}},
    {"Qwen2VLForConditionalGeneration", "clip", "visual.|model.visual.", {qwen_tower},
     .projector = "qwen2vl_merger", .part = "vision_config", .alone = true,
     .defaults = QWEN_EYE "\"hidden_act\": \"quick_gelu\", \"mlp_ratio\": 4}", .others = QWEN_TEXT},
    {"Qwen2_5_VLForConditionalGeneration", "clip", "visual.|model.visual.", {qwen_tower},
     .projector = "qwen2.5vl_merger", .part = "vision_config", .alone = true,
     .defaults = QWEN_EYE "\"hidden_act\": \"silu\"}", .others = QWEN_TEXT},
    {"Qwen2VLForConditionalGeneration|Qwen2_5_VLForConditionalGeneration", "qwen2vl", INSIDE,
     {ends, pre_norms, straight, gated}, .needs = ROPE, .when = "hidden_size", BESIDE("{}")},
    {"Qwen2VLForConditionalGeneration|Qwen2_5_VLForConditionalGeneration", "qwen2vl", INSIDE,
     {ends, pre_norms, straight, gated}, .needs = ROPE, .others = VISION},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr", INSIDE,
     {ends, pre_norms, straight, gated}, .needs = ROPE, .when = "hidden_size",
     .part = "text_config", .defaults = "{}", .others = PADDLE_VISION},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr", INSIDE,
     {ends, pre_norms, straight, gated}, .needs = ROPE, .others = PADDLE_VISION},
    {"Qwen3VLForConditionalGeneration|Qwen3VLMoeForConditionalGeneration", "clip",
     "model.visual.|visual.", {qwen3_tower, qwen3_deep}, .projector = "qwen3vl_merger",
     .part = "vision_config", .alone = true,
     .defaults = QWEN3_EYE ", \"deepstack_visual_indexes\": [8, 16, 24]}", .others = QWEN_TEXT},
    {"Qwen3_5ForConditionalGeneration|Qwen3_5MoeForConditionalGeneration", "clip",
     "model.visual.|visual.", {qwen3_tower, qwen3_deep}, .projector = "qwen3vl_merger",
     .part = "vision_config", .alone = true, .defaults = QWEN3_EYE "}",
     .others = QWEN_TEXT "|mtp."},
    {"Qwen3VLForConditionalGeneration", "qwen3vl", INSIDE, {ends, pre_norms, straight, gated},
     .needs = ROPE, BESIDE("{}")},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3vlmoe", INSIDE,
     {ends, pre_norms, straight, turned_experts, experts}, .needs = ROPE, BESIDE("{}")},
    {"Qwen3MoeForCausalLM", "qwen3moe", "model.", {ends, pre_norms, straight, experts},
     .needs = "norm_topk_prob"},
    {"RND1", "rnd1", "model.", {ends, pre_norms, straight, experts},
     .needs = "norm_topk_prob " ROPE},
    {"Qwen3NextForCausalLM", "qwen3next", "model.",
     {ends, moved_norm, straight, qwen3next, experts, shared_expert, draft_head}, .add_one = true,
     .needs = "partial_rotary_factor|rope_parameters linear_key_head_dim linear_value_head_dim "
              "linear_num_key_heads linear_num_value_heads linear_conv_kernel_dim " ROPE,
     .adds = "ssm.inner_size=linear_value_head_dim*linear_num_value_heads", .others = "mtp."},
    {"Qwen3_5ForCausalLM", "qwen35", "model.", {ends, moved_norm, straight, qwen35, gated, draft_head},
     .add_one = true, .needs = QWEN35, .adds = VALUES, .others = "mtp.|model.mtp."},
    {"Qwen3_5ForConditionalGeneration", "qwen35", INSIDE,
     {ends, moved_norm, straight, qwen35, gated, draft_head}, .add_one = true, .needs = QWEN35,
     .adds = VALUES, .part = "text_config", .defaults = "{}", .others = VISION "|mtp."},
    {"Qwen3_5MoeForCausalLM", "qwen35moe", "model.",
     {ends, moved_norm, straight, qwen35, joined_experts, experts, shared_expert,
      draft_head},
     .add_one = true, .needs = QWEN35, .adds = VALUES, .others = "mtp.|model.mtp."},
    {"Qwen3_5MoeForConditionalGeneration", "qwen35moe", INSIDE,
     {ends, moved_norm, straight, qwen35, joined_experts, experts, shared_expert,
      draft_head},
     .add_one = true, .needs = QWEN35, .adds = VALUES, .part = "text_config",
     .defaults = "{}", .others = VISION "|mtp."},
    {"GemmaForCausalLM", "gemma", "model.", {ends, pre_norms, straight, gated},
     .add_one = true},
    {"Gemma2ForCausalLM", "gemma2", "model.", {ends, gemma2_norms, straight, gated},
     .add_one = true,
     .needs = "attn_logit_softcapping final_logit_softcapping query_pre_attn_scalar"},
    {"Gemma3ForCausalLM", "gemma3", "model.", {ends, gemma2_norms, straight, gated},
     .add_one = true, .needs = ROPE " sliding_window query_pre_attn_scalar"},
    {"Gemma3ForConditionalGeneration", "gemma3", INSIDE,
     {ends, gemma2_norms, straight, gated}, .add_one = true,
     .needs = "sliding_window query_pre_attn_scalar", BESIDE(GEMMA3_TEXT)},
    {"Gemma3nForCausalLM|Gemma3nTextModel", "gemma3n", "model.",
     {ends, gemma2_norms, straight, gated, inputs_of_layers, gemma3n}, .needs = GEMMA3N},
    {"Gemma3nForConditionalGeneration", "gemma3n", INSIDE,
     {ends, gemma2_norms, straight, gated, inputs_of_layers, gemma3n}, .needs = GEMMA3N,
     .part = "text_config", .defaults = "{}", .others = VISION AUDIO},
    {"Gemma4ForCausalLM", "gemma4", "model.",
     {ends, gemma2_norms, straight, gated, inputs_of_layers, gemma4, joined_experts},
     .needs = GEMMA4},
    {"Gemma4ForConditionalGeneration|Gemma4UnifiedForConditionalGeneration", "gemma4", INSIDE,
     {ends, gemma2_norms, straight, gated, inputs_of_layers, gemma4, joined_experts},
     .needs = GEMMA4, .part = "text_config", .defaults = "{}", .others = VISION AUDIO},
    {"Gemma4AssistantForCausalLM|Gemma4UnifiedAssistantForCausalLM", "gemma4-assistant",
     "model.", {ends, gemma2_norms, straight, gated, gemma4, gemma4_assistant},
     .needs = "layer_types sliding_window rope_parameters backbone_hidden_size",
     .part = "text_config", .defaults = "{}"},
    {"GptOssForCausalLM", "gpt-oss", "model.", {ends, moved_norm, straight, gpt_oss},
     .needs = "sliding_window " ROPE, .adds = "expert_feed_forward_length=intermediate_size"},
    {"Llama4ForCausalLM", "llama4", "model.", {ends, pre_norms, straight, llama4},
     .needs = "intermediate_size_mlp " ROPE},
    {"Llama4ForConditionalGeneration", "llama4", INSIDE, {ends, pre_norms, straight, llama4},
     .needs = "intermediate_size_mlp " ROPE, BESIDE("{}")},
    {"DeepseekV2ForCausalLM|DeepseekV3ForCausalLM|Glm4MoeLiteForCausalLM", "deepseek2",
     "model.", {ends, pre_norms, latents, gated, experts, shared_experts, draft_head},
     .needs = "kv_lora_rank qk_nope_head_dim v_head_dim " ROPE, .adds = LATENTS},
    {"DeepseekV32ForCausalLM", "deepseek32", "model.",
     {ends, pre_norms, latents, indexer, gated, experts, shared_experts, draft_head},
     .needs = "kv_lora_rank qk_nope_head_dim v_head_dim index_topk " ROPE, .adds = LATENTS},
    {"GlmMoeDsaForCausalLM", "glm-dsa", "model.",
     {ends, pre_norms, latents, indexer, gated, experts, shared_experts, draft_head},
     .needs = "kv_lora_rank qk_nope_head_dim v_head_dim index_topk " ROPE, .adds = LATENTS},
    {"Glm4MoeForCausalLM|SolarOpenForCausalLM", "glm4moe", "model.",
     {ends, moved_norm, straight, gated, experts, shared_experts, draft_head},
     .needs = "partial_rotary_factor|rope_parameters norm_topk_prob",
     .adds = "expert_gating_func=2"},
    {"ExaoneMoEForCausalLM|ExaoneMoeForCausalLM", "exaone-moe", "model.",
     {ends, pre_norms, straight, gated, experts, shared_experts, choice_biases, draft_head},
     .needs = "num_experts num_shared_experts norm_topk_prob routed_scaling_factor "
              "sliding_window " ROPE,
     .adds = "expert_gating_func=2", .others = "mtp."},
    {"BailingMoeV2ForCausalLM", "bailingmoe2", "model.",
     {ends, pre_norms, bailing, gated, experts, shared_experts, choice_biases, draft_head},
     .needs = "partial_rotary_factor|rope_parameters norm_topk_prob routed_scaling_factor "
              "num_shared_experts " ROPE,
     .adds = "expert_gating_func=2"},
    {"AfmoeForCausalLM", "afmoe", "model.",
     {ends, afmoe, straight, gated, experts, shared_experts, choice_biases},
     .needs = "num_experts num_shared_experts num_dense_layers route_scale sliding_window "
              "mup_enabled " ROPE, .adds = "expert_gating_func=2"},
    {"MellumForCausalLM", "mellum", "model.", {ends, pre_norms, straight, joined_experts, experts},
     .needs = "layer_types sliding_window rope_parameters norm_topk_prob"},
    {"MiMoV2FlashForCausalLM|MiMoV2ForCausalLM", "mimo2", "model.",
     {ends, pre_norms, straight, gated, experts, mimo2},
     .needs = "hybrid_layer_pattern sliding_window v_head_dim partial_rotary_factor "
              "swa_rope_theta swa_num_key_value_heads rope_theta layernorm_epsilon",
     .others = "model.mtp.|visual.|audio_encoder.|speech_embeddings."},
    {"Step3p5ForCausalLM", "step35", "model.", {ends, pre_norms, straight, gated, step35, draft_head},
     .add_one = true,
     .needs = "layer_types sliding_window num_attention_groups moe_num_experts moe_top_k "
              "share_expert_dim rope_theta moe_router_scaling_factor norm_expert_weight",
     .adds = "expert_gating_func=2"},
    {"HunYuanMoEV1ForCausalLM", "hunyuan-moe", "model.",
     {ends, pre_norms, straight, hunyuan, experts, hunyuan_experts}, .needs = "moe_topk"},
    {"Dots1ForCausalLM", "dots1", "model.",
     {ends, pre_norms, straight, gated, experts, shared_experts},
     .needs = "scoring_func norm_topk_prob routed_scaling_factor"},
    {"DeepseekForCausalLM", "deepseek", "model.",
     {ends, pre_norms, permuted, gated, experts, shared_experts}},
    {"BailingMoeForCausalLM", "bailingmoe", "model.",
     {ends, pre_norms, bailing1, gated, experts, shared_experts},
     .needs = "num_experts norm_topk_prob"},
    {"DbrxForCausalLM", "dbrx", "transformer.", {dbrx}, .needs = "rope_theta kv_n_heads",
     .part = "attn_config|ffn_config", .defaults = "{\"layer_norm_epsilon\": 1e-5}"},
    {"ArcticForCausalLM", "arctic", "model.", {ends, permuted, arctic, mixtral},
     .needs = "parallel_attn_mlp_res"},
    {"SmallThinkerForCausalLM|SmallthinkerForCausalLM", "smallthinker", "model.",
     {ends, pre_norms, straight, smallthinker},
     .needs = "moe_num_primary_experts moe_num_active_primary_experts moe_ffn_hidden_size "
              "moe_primary_router_apply_softmax rope_layout sliding_window_layout " ROPE,
     .adds = "expert_feed_forward_length=moe_ffn_hidden_size"},
    {"GroveMoeForCausalLM", "grovemoe", "model.", {ends, pre_norms, straight, experts, grovemoe},
     .needs = "moe_intermediate_size " ROPE,
     .adds = "expert_chunk_feed_forward_length=head_dim|128 experts_per_group=2 "
             "expert_group_scale=0.05/1"},
    {"Grok1ForCausalLM|GrokForCausalLM", "grok", "transformer.", {grok},
     .needs = "embedding_multiplier_scale output_multiplier_scale attn_output_multiplier"},
    {"MiniMaxM2ForCausalLM", "minimax-m2", "model.", {ends, pre_norms, straight, mixtral},
     .needs = "rotary_dim", .adds = "expert_feed_forward_length=intermediate_size"},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5-moe", "model.",
     {ends, pre_norms, straight, gated, experts, shared_experts}, .needs = ROPE,
     .adds = "expert_shared_feed_forward_length=moe_intermediate_size*moe_num_shared_experts"},
    {"PhiMoEForCausalLM|PhimoeForCausalLM", "phimoe", "model.",
     {ends, pre_norms, straight, mixtral}},
    {"Phi3ForCausalLM", "phi3", "model.", {ends, pre_norms, phi3}},
    {"GPT2LMHeadModel", "gpt2", "transformer.", {gpt2_ends, gpt2},
     .adds = "feed_forward_length=n_inner|4*n_embd"},
    {"GPTBigCodeForCausalLM", "starcoder", "transformer.", {gpt2_ends, bigcode},
     .needs = "multi_query",
     .adds = "feed_forward_length=n_inner|4*n_embd attention.head_count_kv=1"},
    {"GPTJForCausalLM", "gptj", "transformer.", {gpt2_ends, gptj}, .needs = "rotary_dim",
     .adds = "feed_forward_length=n_inner|4*n_embd"},
    {"GPTNeoXForCausalLM", "gptneox", "gpt_neox.", {pre_norms, gptneox},
     .needs = "rotary_pct|partial_rotary_factor"},
    {"FalconForCausalLM|RWForCausalLM", "falcon", "transformer.", {falcon},
     .needs = "layer_norm_epsilon parallel_attn",
     .adds = "feed_forward_length=ffn_hidden_size|4*hidden_size "
             "context_length=max_position_embeddings|2048"},
    {"BloomForCausalLM|BloomModel", "bloom", "transformer.", {falcon},
     .needs = "layer_norm_epsilon", .adds = "feed_forward_length=4*hidden_size|4*n_embed "
                                            "context_length=seq_length|2048"},
    {"Starcoder2ForCausalLM", "starcoder2", "model.", {ends, pre_norms, straight, starcoder2}},
    {"MPTForCausalLM|MptForCausalLM", "mpt", "transformer.", {mpt},
     .adds = "feed_forward_length=expansion_ratio*d_model|4*d_model "
             "attention.max_alibi_bias=alibi_bias_max/1|8/1 attention.clamp_kqv=clip_qkv/1",
     .part = "attn_config", .defaults = "{\"layer_norm_epsilon\": 1e-5}"},
    {"Jais2ForCausalLM", "jais2", "model.", {ends, pre_norms, straight, gated},
     .needs = "layer_norm_eps " ROPE},
    {"ApertusForCausalLM", "apertus", "model.", {ends, apertus, straight, gated},
     .needs = "rope_parameters|rope_scaling"},
    {"BitnetForCausalLM", "bitnet", "model.", {ends, pre_norms, bitnet}},
    {"MiniCPMForCausalLM", "minicpm", "model.", {ends, pre_norms, permuted, gated},
     .needs = "scale_emb scale_depth dim_model_base",
     .adds = "logit_scale=hidden_size/dim_model_base "
             "residual_scale=scale_depth/sqrt.num_hidden_layers"},
    {"MiniCPM3ForCausalLM", "minicpm3", "model.", {ends, pre_norms, plain_latents, gated},
     .needs = "kv_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim",
     .adds = HEAD_LATENTS},
    {"GraniteForCausalLM", "granite", "model.", {ends, pre_norms, permuted, gated},
     .needs = "attention_multiplier"},
    {"GraniteMoeForCausalLM|GraniteMoeSharedForCausalLM", "granitemoe", "model.",
     {ends, pre_norms, permuted, granite_experts}, .needs = "attention_multiplier"},
    {"GraniteMoeHybridForCausalLM", "granitehybrid", "model.",
     {ends, pre_norms, permuted, granite_experts, mamba2},
     .needs = "attention_multiplier layer_types mamba_n_heads mamba_n_groups mamba_d_state "
              "mamba_d_conv mamba_expand",
     .adds = "ssm.inner_size=mamba_expand*hidden_size"},
    {"Olmo2ForCausalLM|Olmo3ForCausalLM", "olmo2", "model.",
     {ends, olmo2_norms, straight, gated}},
    {"OlmoeForCausalLM", "olmoe", "model.", {ends, pre_norms, straight, experts},
     .needs = "norm_topk_prob"},
    {"SmolLM3ForCausalLM", "smollm3", "model.", {ends, pre_norms, permuted, gated},
     .needs = ROPE " no_rope_layers|no_rope_layer_interval"},
    {"ArceeForCausalLM", "arcee", "model.", {ends, pre_norms, permuted, gated}},
    {"Ernie4_5ForCausalLM|Ernie4_5_ForCausalLM", "ernie4_5", "model.",
     {ends, pre_norms, straight, gated}, .needs = ROPE},
    {"SeedOssForCausalLM", "seed_oss", "model.", {ends, moved_norm, straight, gated}},
    {"PanguEmbeddedForCausalLM", "pangu-embedded", "model.",
     {ends, pre_norms, straight, gated}, .needs = ROPE},
    {"MaincoderForCausalLM", "maincoder", "model.", {ends, pre_norms, straight, gated},
     .needs = ROPE},
    {"HunYuanVLForConditionalGeneration", "hunyuan_vl", INSIDE,
     {ends, pre_norms, straight, hunyuan, gated}, .needs = ROPE, .when = "hidden_size",
     .part = "text_config", .defaults = "{}", .others = HUNYUAN_VISION},
    {"HunYuanVLForConditionalGeneration", "hunyuan_vl", INSIDE,
     {ends, pre_norms, straight, hunyuan, gated}, .needs = ROPE, .others = HUNYUAN_VISION},
    {"HunYuanDenseV1ForCausalLM", "hunyuan-dense", "model.",
     {ends, pre_norms, straight, hunyuan, gated}},
    {"Exaone4ForCausalLM", "exaone4", "model.", {ends, olmo2_norms, straight, gated},
     .needs = "sliding_window?"},
    {"Glm4ForCausalLM", "glm4", "model.", {ends, glm4, straight},
     .needs = "partial_rotary_factor|rope_parameters"},
    {"CohereForCausalLM", "command-r", "model.", {ends, one_norm, straight, gated},
     .needs = "logit_scale layer_norm_eps"},
    {"Cohere2ForCausalLM", "cohere2", "model.", {ends, one_norm, straight, gated},
     .needs = "logit_scale layer_norm_eps sliding_window"},
    {"StableLmForCausalLM", "stablelm", "model.",
     {ends, pre_norms, straight, own_norms, gated},
     .needs = "partial_rotary_factor|rope_pct layer_norm_eps|norm_eps"},
    {"PhiForCausalLM", "phi2", "model.", {ends, one_norm, straight, phi2},
     .needs = "partial_rotary_factor layer_norm_eps"},
    {"MambaForCausalLM|MambaLMHeadModel", "mamba", "backbone.", {mamba_ends, mamba},
     .needs = "intermediate_size time_step_rank layer_norm_epsilon",
     .adds = "ssm.inner_size=intermediate_size context_length=1048576"},
    {"FalconMambaForCausalLM", "mamba", "backbone.", {mamba_ends, mamba},
     .needs = "intermediate_size time_step_rank layer_norm_epsilon",
     .adds = "ssm.inner_size=intermediate_size context_length=1048576 ssm.dt_b_c_rms=true"},
    {"Mamba2ForCausalLM", "mamba2", "backbone.", {mamba_ends, mamba2}, .needs = "expand",
     .adds = "ssm.inner_size=expand*hidden_size "
             "context_length=max_position_embeddings|1048576"},
    {"Rwkv6ForCausalLM", "rwkv6", "rwkv.", {rwkv6},
     .needs = "head_size layer_norm_epsilon rescale_every intermediate_size?",
     .adds = "context_length=1048576 attention.head_count=0 "
             "feed_forward_length=intermediate_size|7*hidden_size/2"},
    {"RWKV6Qwen2ForCausalLM", "rwkv6qwen2", "model.", {ends, pre_norms, gated, qrwkv6},
     .needs = "num_attention_heads num_key_value_heads intermediate_size",
     .adds = "context_length=1048576 attention.head_count=0 token_shift_count=1 "
             "wkv.head_size=head_dim|hidden_size/num_attention_heads"},
    {"RwkvHybridForCausalLM", "arwkv7", "model.", {arwkv7_values, ends, pre_norms, gated, arwkv7},
     .when = "wkv_has_gate", .needs = ARWKV7, .adds = ARWKV7_ADDS},
    {"RwkvHybridForCausalLM", "arwkv7", "model.",
     {arwkv7_values, no_gate, ends, pre_norms, gated, arwkv7}, .needs = ARWKV7,
     .adds = ARWKV7_ADDS},
    {"RWKV7ForCausalLM|Rwkv7ForCausalLM", "rwkv7", "model.", {rwkv7},
     .needs = "head_dim decay_low_rank_dim a_low_rank_dim v_low_rank_dim gate_low_rank_dim "
              "intermediate_size norm_eps",
     .adds = "context_length=1048576 attention.head_count=0"},
    {"JambaForCausalLM", "jamba", "model.", {ends, straight, mamba, jamba},
     .needs = "mamba_expand mamba_d_state mamba_d_conv mamba_dt_rank",
     .adds = "ssm.inner_size=mamba_expand*hidden_size"},
    {"NemotronHForCausalLM", "nemotron_h_moe", "backbone.|model.",
     {mamba_ends, mamba2, nemotron_h, nemotron_experts}, .when = "n_routed_experts",
     .needs = "mamba_num_heads mamba_head_dim ssm_state_size n_groups conv_kernel "
              "norm_topk_prob routed_scaling_factor",
     .adds = "ssm.inner_size=mamba_num_heads*mamba_head_dim expert_gating_func=2",
     .others = "mtp."},
    {"NemotronHForCausalLM", "nemotron_h", "backbone.|model.", {mamba_ends, mamba2, nemotron_h},
     .needs = "mamba_num_heads mamba_head_dim ssm_state_size n_groups conv_kernel",
     .adds = "ssm.inner_size=mamba_num_heads*mamba_head_dim"},
    {"FalconH1ForCausalLM", "falcon-h1", "model.",
     {ends, straight, falcon_h1, mamba2},
     .needs = "mamba_d_ssm mamba_n_heads mamba_n_groups mamba_d_state mamba_d_conv " ROPE,
     .times = "token_embd=embedding_multiplier output=lm_head_multiplier "
              "attn_q=attention_in_multiplier attn_k=attention_in_multiplier*key_multiplier "
              "attn_v=attention_in_multiplier attn_output=attention_out_multiplier "
              "ssm_in=ssm_in_multiplier ssm_out=ssm_out_multiplier "
              "ffn_gate=mlp_multipliers.0 ffn_down=mlp_multipliers.1"},
    {"KimiLinearForCausalLM|KimiLinearModel", "kimi-linear", "model.",
     {ends, pre_norms, latents, kimi, gated, mixtral},
     .needs = "kv_lora_rank qk_nope_head_dim v_head_dim short_conv_kernel_size "
              "moe_renormalize routed_scaling_factor num_shared_experts model_max_length",
     .adds = KIMI_LATENTS " expert_gating_func=2",
     .part = "linear_attn_config", .defaults = "{}"},
    {"Lfm2ForCausalLM|LFM2ForCausalLM", "lfm2", "model.", {lfm2, straight},
     .needs = "conv_L_cache norm_eps"},
    {"Lfm2MoeForCausalLM", "lfm2moe", "model.", {lfm2, straight},
     .needs = "conv_L_cache norm_eps"},
    {"BertModel|BertForMaskedLM|BertForPreTraining", "bert", "bert.",
     {bert, from_zero, bert_vectors}, .needs = "layer_norm_eps"},
    {"BertForSequenceClassification", "bert", "bert.", {bert, from_zero, bert_scores},
     .needs = "layer_norm_eps"},
    {"XLMRobertaModel", "jina-bert-v3", "roberta.",
     {nomic_bert, jina3}, .when = "lora_adaptations", .needs = "layer_norm_eps"},
    {"DistilBertModel|DistilBertForMaskedLM", "bert", "distilbert.", {distilbert, from_zero},
     .adds = "attention.layer_norm_epsilon=1e-12/1"},
    {"JinaBertModel|JinaBertForMaskedLM", "jina-bert-v2", "bert.",
     {bert, jina2, bert_vectors}, .needs = "layer_norm_eps"},
    {"NeoBERT|NeoBERTLMHead", "neo-bert", "model.", {neo_bert}, .adds = NEO},
    {"NeoBERTForSequenceClassification", "neo-bert", "model.", {neo_bert, neo_scores},
     .adds = NEO},
    {"LLaDAModelLM", "llada", "model.transformer.", {llada}, .needs = "rope_theta",
     .adds = "/diffusion.shift_logits=false"},
    {"LLaDAMoEModelLM|LLaDAMoEModel", "llada-moe", "model.",
     {ends, pre_norms, straight, experts}, .needs = "rope_theta",
     .adds = "/diffusion.shift_logits=false"},
    {"Gemma3TextModel", "gemma-embedding", "model.",
     {ends, gemma2_norms, straight, gated, dense},
     .add_one = true, .needs = ROPE " sliding_window use_bidirectional_attention"},
    {"RobertaModel|RobertaForMaskedLM|CamembertModel|CamembertForMaskedLM|XLMRobertaModel|XLMRobertaForMaskedLM", "bert",
     "roberta.", {bert, from_pad, roberta_vectors}, .needs = "layer_norm_eps"},
    {"RobertaForSequenceClassification|XLMRobertaForSequenceClassification", "bert",
     "roberta.", {bert, from_pad, roberta_scores}, .needs = "layer_norm_eps"},
    {"ModernBertModel|ModernBertForMaskedLM", "modern-bert", "model.",
     {modern_bert, modern_vectors}, .needs = "local_attention global_rope_theta norm_eps"},
    {"ModernBertForSequenceClassification", "modern-bert", "model.",
     {modern_bert, modern_scores}, .needs = "local_attention global_rope_theta norm_eps"},
    {"NomicBertModel", "nomic-bert-moe", "", {nomic_bert, nomic_experts},
     .when = "moe_every_n_layers",
     .needs = "layer_norm_epsilon rotary_emb_base rotary_emb_fraction num_experts moe_top_k",
     .adds = "context_length=max_position_embeddings|512"},
    {"NomicBertModel", "nomic-bert", "", {nomic_bert},
     .needs = "layer_norm_epsilon rotary_emb_base rotary_emb_fraction"},
    {"EuroBertModel|JinaEmbeddingsV5Model", "eurobert", "model.", {ends, pre_norms, straight, gated}, .needs = ROPE},
    {"LlamaBidirectionalModel", "llama-embed", "model.", {ends, pre_norms, permuted, gated}},
    {"T5ForConditionalGeneration|MT5ForConditionalGeneration|UMT5ForConditionalGeneration",
     "t5", "", {t5_encoder, t5_decoder}, .needs = T5 " decoder_start_token_id",
     .adds = T5_ADDS},
    {"T5EncoderModel|MT5EncoderModel|UMT5EncoderModel", "t5encoder", "", {t5_encoder},
     .needs = T5, .adds = T5_ADDS},
};
/* clang-format on */

#endif
