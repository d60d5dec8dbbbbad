/* what the files of each family must, may and must not have: keys and tensors of every
 * recipe */
#include "families.h"
#include "loader_case.h"

/* Keys that one family reads and another does not. */
static void keys_of_families_are_checked(void **state) {
    (void)state;
    const Case cases[] = {
        {"granite", GONE("granite.logit_scale"), "granite.logit_scale' is missing"},
        {"granite", REAL("granite.logit_scale", 0), "is 0, wanted"},
        {"granite", REAL("granite.embedding_scale", 0), "is 0, wanted"},
        {"granite", REAL("granite.residual_scale", -1), "is -1, wanted"},
        {"granite", WORD("granite.residual_scale", "half"), "is \"half\", wanted a number"},
        {"granite", REAL("granite.attention.scale", NAN), "nan, wanted"},
        {"granite", GONE("granite.attention.scale"), NULL},
        {"granite", WHOLE("granite.rope.scaling.finetuned", 1), "wanted true or false"},
        {"granite", FLAG("granite.rope.scaling.finetuned", 0), NULL},
        {"granitemoe", WHOLE("granitemoe.expert_shared_feed_forward_length", 9),
         "ffn_gate_shexp.weight' is (8, 16), wanted (9, 16)"},
        {"granitemoe", WHOLE("granitemoe.expert_shared_feed_forward_length", 0), "shexp"},
        {"command-r", GONE("command-r.logit_scale"), "logit_scale' is missing"},
        {"cohere2", REAL("cohere2.logit_scale", -1), "is -1, wanted"},
        {"cohere2", WHOLE("cohere2.attention.sliding_window_pattern", 0), "is 0, wanted"},
        {"cohere2", REAL("cohere2.rope.freq_base_swa", 5000), NULL},
        {"llama", REAL("llama.rope.freq_base_swa", 5000), "rope.freq_base_swa"},
        {"gemma3", REAL("gemma3.rope.freq_base_swa", 1), "is 1, wanted a number from 2"},
        {"gptneox", GONE("gptneox.use_parallel_residual"), "is missing, wanted true or false"},
        {"gptneox", WHOLE("gptneox.use_parallel_residual", 1), "is 1, wanted true or false"},
        {"gptneox", FLAG("gptneox.use_parallel_residual", 0), NULL},
        {"falcon", FLAG("falcon.use_parallel_residual", 0), "wanted true"},
        {"phi2", FLAG("phi2.use_parallel_residual", 1), NULL},
        {"mpt", REAL("mpt.attention.clamp_kqv", -1), "is -1, wanted"},
        {"mpt", WORD("mpt.attention.clamp_kqv", "8"), "wanted a number"},
        {"mpt", REAL("mpt.attention.max_alibi_bias", 8), NULL},
        {"mpt", REAL("mpt.attention.max_alibi_bias", -8), "is -8, wanted"},
        {"bloom", REAL("bloom.attention.max_alibi_bias", 8), NULL},
        {"bloom", REAL("bloom.attention.max_alibi_bias", 4), "is 4, wanted 8"},
        {"bloom", GONE("bloom.attention.layer_norm_epsilon"), "layer_norm_epsilon' is missing"},
        {"bloom", REAL("bloom.rope.freq_base", 10000), "rope.freq_base"},
        {"phi3", WHOLE("phi3.attention.sliding_window", 8), NULL},
        {"phi3", GONE("phi3.attention.sliding_window"), NULL},
        {"phi3", WHOLE("phi3.attention.sliding_window_pattern", 2), "sliding_window_pattern"},
        {"phi2", WHOLE("phi2.attention.sliding_window", 8), "see everything"},
        {"qwen", WHOLE("qwen.feed_forward_length", 30), "(16, 16), wanted (15, 16)"},
        {"qwen2moe", WHOLE("qwen2moe.expert_feed_forward_length", 16), "wanted (4, 16, 16)"},
        {"qwen2moe", WHOLE("qwen2moe.expert_feed_forward_length", 0), "is 0, wanted"},
        {"qwen2moe", WHOLE("qwen2moe.expert_feed_forward_length", 8), NULL},
        {"qwen2moe", FLAG("qwen2moe.expert_weights_norm", 1), "wanted false"},
        {"qwen2moe", WHOLE("qwen2moe.expert_shared_count", 1), NULL},
        {"qwen2moe", WHOLE("qwen2moe.expert_shared_count", 2), "(8, 16), wanted (16, 16)"},
        {"dots1", WHOLE("dots1.expert_shared_count", 0), "shexp.weight' (8, 16) plays no"},
        {"dots1", WHOLE("dots1.expert_gating_func", 4), "is 4, wanted"},
        {"dots1", WHOLE("dots1.expert_group_count", 4), "expert_group_used_count' is missing"},
        {"deepseek", FLAG("deepseek.expert_weights_norm", 1), NULL},
        {"deepseek", WHOLE("deepseek.expert_gating_func", 2), "is 2, wanted 1"},
        {"deepseek", WORD("deepseek.leading_dense_block_count", "1"), "is \"1\", wanted an"},
        {"deepseek", WHOLE("deepseek.leading_dense_block_count", 5000), "is 5000, wanted an"},
        {"arctic", WHOLE("arctic.feed_forward_length", 8), "ffn_gate_exps.weight' is"},
        {"arctic", WHOLE("arctic.expert_feed_forward_length", 9), "ffn_gate_exps.weight' is"},
        {"smallthinker", GONE("smallthinker.attention.sliding_window"), NULL},
        {"smallthinker", WHOLE("smallthinker.expert_gating_func", 0), "is 0, wanted"},
        {"smallthinker", REAL("smallthinker.expert_weights_scale", 2), "is 2, wanted 1"},
        {"grovemoe", GONE("grovemoe.expert_chunk_feed_forward_length"), NULL},
        {"grovemoe", WHOLE("grovemoe.expert_chunk_feed_forward_length", 9), "ffn_gate_chexps"},
        {"grovemoe", GONE("grovemoe.experts_per_group"), "experts_per_group' is missing"},
        {"grovemoe", WHOLE("grovemoe.experts_per_group", 4), "is 4, wanted a divisor of"},
        {"grovemoe", WHOLE("grovemoe.experts_per_group", 3), "chexps.weight' is"},
        {"grovemoe", GONE("grovemoe.expert_group_scale"), "expert_group_scale' is missing"},
        {"qwen3moe", WHOLE("qwen3moe.experts_per_group", 2), "experts_per_group"},
        {"grok", GONE("grok.embedding_scale"), NULL},
        {"grok", REAL("grok.attention.output_scale", 0), "is 0, wanted"},
        {"grok", REAL("grok.router_logit_softcapping", -1), "is -1, wanted"},
        {"grok", WHOLE("grok.attention.temperature_length", 1024), "temperature_length"},
        {"grok", REAL("grok.final_logit_softcapping", 50), "final_logit_softcapping"},
        {"dbrx", GONE("dbrx.attention.clamp_kqv"), NULL},
        {"dbrx", REAL("dbrx.attention.clamp_kqv", -1), "is -1, wanted"},
        {"bailingmoe2", WHOLE("bailingmoe2.expert_group_count", 5), "of 12 experts have no"},
        {"bailingmoe2", REAL("bailingmoe2.expert_weights_scale", -1), "is -1, wanted"},
        {"hunyuan-moe", FLAG("hunyuan-moe.expert_weights_norm", 0), "wanted true"},
        {"hunyuan-dense", REAL("hunyuan-dense.rope.scaling.alpha", 0), "is 0, wanted"},
        {"hunyuan_vl", GONE("hunyuan_vl.rope.dimension_sections"), NULL},
        {"hunyuan_vl", LIST("hunyuan_vl.rope.dimension_sections", 1, 4), "of all that rotate"},
        {"qwen3vl", GONE("qwen3vl.rope.dimension_sections"), "is missing, wanted four numbers"},
        {"qwen3vl", LIST("qwen3vl.rope.dimension_sections", 1, 4), "the last 0"},
        {"qwen3", LIST("qwen3.rope.dimension_sections", 1, 4), "rope.dimension_sections"},
        {"deepseek2", GONE("deepseek2.attention.kv_lora_rank"), "kv_lora_rank' is missing"},
        {"deepseek2", WHOLE("deepseek2.attention.kv_lora_rank", 7), "wanted 9, 7 and 1 by"},
        {"deepseek2", WHOLE("deepseek2.attention.key_length_mla", 2), "have none beside the 2"},
        {"deepseek2", WHOLE("deepseek2.attention.key_length_mla", 4), "attn_q_b.weight' is"},
        {"deepseek2", WHOLE("deepseek2.attention.q_lora_rank", 0), "attn_q.weight' is missing"},
        {"deepseek2", WHOLE("deepseek2.attention.head_count_kv", 4), "wanted 8, 6 and 1 by"},
        {"minicpm3", WHOLE("minicpm3.attention.key_length_mla", 5), "key_length_mla"},
        {"minicpm3", REAL("minicpm3.logit_scale", 2), "is 2, wanted"},
        {"mistral4", GONE("mistral4.attention.temperature_length"), "length' is missing"},
        {"qwen35", GONE("qwen35.ssm.group_count"), "group_count' is missing"},
        {"qwen35", WHOLE("qwen35.ssm.group_count", 3), "do not divide among 3"},
        {"qwen35", WHOLE("qwen35.ssm.group_count", 1), "is (32, 16), wanted (24, 16)"},
        {"qwen35", WHOLE("qwen35.ssm.state_size", 5), "of 5 (ssm.state_size) are not 16"},
        {"qwen35", WHOLE("qwen35.ssm.conv_kernel", 3), "is (32, 4), wanted (32, 3)"},
        {"qwen3next", WHOLE("qwen3next.ssm.time_step_rank", 2), "are not 16"},
        {"qwen3next", WHOLE("qwen3next.attention.value_length", 2), "value_length' is 2"},
        {"kimi-linear", GONE("kimi-linear.kda.head_dim"), "kda.head_dim' is missing"},
        {"kimi-linear", REAL("kimi-linear.rope.freq_base", 1e4), NULL}, /* no rotation */
        {"llada", FLAG("llada.attention.causal", 1), "causal' is true, wanted false"},
        {"llada", GONE("llada.attention.causal"), NULL},
        {"llada", WHOLE("diffusion.shift_logits", 1), "shift_logits' is 1, wanted true or"},
        {"llada", FLAG("diffusion.steps", 1), "'diffusion.steps' is true, and not used"},
        {"qwen2", FLAG("diffusion.shift_logits", 1), "'diffusion.shift_logits' is true"},
        {"qwen2", FLAG("qwen2.attention.causal", 0), "causal' is false, wanted true"},
        {"dream", FLAG("diffusion.shift_logits", 0), NULL},
        {"rwkv6", GONE("rwkv6.wkv.head_size"), "head_size' is missing"},
        {"rwkv6", WHOLE("rwkv6.wkv.head_size", 5), "do not divide into heads of 5"},
        {"rwkv6", GONE("rwkv6.time_mix_extra_dim"), "time_mix_extra_dim' is missing"},
        {"rwkv6", WHOLE("rwkv6.time_mix_extra_dim", 9), "wanted (45, 16)"},
        {"rwkv6", WHOLE("rwkv6.time_decay_extra_dim", 9), "wanted (9, 16)"},
        {"rwkv6", WHOLE("rwkv6.attention.head_count_kv", 3), "do not divide among 3 of keys"},
        {"rwkv6", GONE("rwkv6.rescale_every_n_layers"), NULL},
        {"rwkv6", WHOLE("rwkv6.token_shift_count", 2), NULL},
        {"rwkv6", WHOLE("rwkv6.token_shift_count", 1), "shift_count' is 1, wanted 2"},
        {"rwkv6qwen2", WHOLE("rwkv6qwen2.token_shift_count", 2), "shift_count' is 2, wanted 1"},
        {"rwkv6qwen2", WHOLE("rwkv6qwen2.rescale_every_n_layers", 6), "rescale_every_n_layers"},
        {"rwkv6qwen2", WHOLE("rwkv6qwen2.attention.head_count_kv", 0),
         "is (8, 16), wanted (16"},
        {"rwkv7", GONE("rwkv7.wkv.head_size"), "head_size' is missing"},
        {"rwkv7", WHOLE("rwkv7.wkv.head_size", 5), "do not divide into heads of 5"},
        {"rwkv7", WHOLE("rwkv7.attention.gate_lora_rank", 9), "wanted (9, 16)"},
        {"rwkv7", WHOLE("rwkv7.attention.iclr_lora_rank", 9), "wanted (9, 16)"},
        {"rwkv7", GONE("rwkv7.attention.decay_lora_rank"), "decay_lora_rank' is missing"},
        {"rwkv7", GONE("rwkv7.feed_forward_length"), "feed_forward_length' is missing"},
        {"rwkv7", WHOLE("rwkv7.feed_forward_length", 9), "is (16, 16), wanted (9, 16)"},
        {"rwkv7", WHOLE("rwkv7.attention.head_count", 4), "no block of this file has att"},
        {"rwkv7", WHOLE("rwkv7.rescale_every_n_layers", 6), "rescale_every_n_layers"},
        {"arwkv7", WHOLE("arwkv7.attention.gate_lora_rank", 0), "wanted (5, 16)"},
        {"arwkv7 bare_mix", GONE("arwkv7.attention.gate_lora_rank"), NULL},
        {"mimo2", GONE("mimo2.attention.sliding_window_pattern"), "is missing, wanted true"},
        {"mimo2", REAL("mimo2.attention.value_scale", 0), "is 0, wanted"},
        {"step35", LIST("step35.swiglu_clamp_exp", 1, 2), "for each layer"},
        {"apertus", GONE("xielu.beta"), "key 'xielu.beta' is missing"},
        {"apertus", REAL("xielu.eps", 1), "'xielu.eps' is 1, wanted a number"},
        {"minicpm", GONE("minicpm.logit_scale"), "logit_scale' is missing"},
        {"exaone4", WHOLE("exaone4.attention.sliding_window", 6), "see everything"},
        {"exaone-moe", WHOLE("exaone-moe.attention.sliding_window_pattern", 2), NULL},
        {"qwen3moe", FLAG("qwen3moe.expert_weights_norm", 1), NULL},
        {"llama4", WHOLE("llama4.expert_gating_func", 2), NULL},
        {"llama4", WHOLE("llama4.expert_gating_func", 1), "is 1, wanted 2"},
        {"llama4", WHOLE("llama4.interleave_moe_layer_step", 2), NULL},
        {"llama4", WHOLE("llama4.expert_group_count", 2), "no expert groups"},
        {"gpt-oss", WHOLE("gpt-oss.expert_used_count", 5), "from 1 to 4"},
        {"gpt-oss", REAL("gpt-oss.attn_logit_softcapping", 50), "attn_logit_softcapping"},
        {"qwen2", WHOLE("qwen2.expert_count", 0), NULL},
        {"qwen2 experts:4", GONE("qwen2.foo"), "'qwen2.expert_count' is 4, wanted 0"},
        {"gemma experts:4", GONE("gemma.foo"), "'gemma.expert_count' is 4, wanted 0"},
        {"phi3 experts:4", GONE("phi3.foo"), "'phi3.expert_count' is 4, wanted 0"},
        {"granite experts:4", GONE("granite.foo"), NULL},
        {"mistral3 experts:4", GONE("mistral3.foo"), NULL},
        {"mamba", GONE("mamba.ssm.inner_size"), "ssm.inner_size' is missing"},
        {"mamba", WHOLE("mamba.ssm.inner_size", 31), "is (64, 16), wanted (62, 16)"},
        {"mamba", WHOLE("mamba.ssm.state_size", 0), "is 0, wanted"},
        {"mamba", WHOLE("mamba.ssm.state_size", 19), "ssm_x.weight' is (44, 32), wanted (42"},
        {"mamba", WHOLE("mamba.ssm.conv_kernel", 3), "is (32, 4), wanted (32, 3)"},
        {"mamba", WHOLE("mamba.ssm.group_count", 1), "ssm.group_count"},
        {"mamba", FLAG("mamba.ssm.dt_b_c_rms", 1), NULL},
        {"mamba", WHOLE("mamba.ssm.dt_b_c_rms", 1), "wanted true or false"},
        {"mamba", WHOLE("mamba.attention.head_count", 0), NULL},
        {"mamba", WHOLE("mamba.attention.head_count", 4), "no block of this file has att"},
        {"mamba", WHOLE("mamba.feed_forward_length", 0), NULL},
        {"mamba", WHOLE("mamba.feed_forward_length", 8), "ffn_norm.weight' is missing"},
        {"mamba", REAL("mamba.rope.freq_base", 10000), "rope.freq_base"},
        {"mamba2", FLAG("mamba2.ssm.dt_b_c_rms", 1), "ssm.dt_b_c_rms"},
        {"mamba2", GONE("mamba2.ssm.group_count"), "ssm.group_count' is missing"},
        {"mamba2", WHOLE("mamba2.ssm.group_count", 3), "do not divide among"},
        {"mamba2", WHOLE("mamba2.ssm.time_step_rank", 3), "do not divide among"},
        {"mamba2", WHOLE("mamba2.attention.head_count", 2), NULL}, /* as its own heads */
        {"mamba2", WHOLE("mamba2.attention.head_count", 3), "is 3, wanted 0 or 2"},
        {"llama", WHOLE("llama.ssm.inner_size", 32), "llama.ssm.inner_size"},
        {"jamba", WHOLE("jamba.ssm.group_count", 0), NULL},
        {"jamba", WHOLE("jamba.ssm.group_count", 1), "is 1, wanted"},
        {"jamba", GONE("jamba.attention.head_count"), "head_count' is missing"},
        {"jamba", WHOLE("jamba.attention.head_count_kv", 0), "is 0, wanted"},
        {"lfm2", GONE("lfm2.shortconv.l_cache"), "l_cache' is missing"},
        {"lfm2", WHOLE("lfm2.shortconv.l_cache", 4), "(16, 3), wanted (16, 4)"},
        {"lfm2", WHOLE("lfm2.shortconv.l_cache", 1), "is 1, wanted"},
        {"falcon-h1", REAL("falcon-h1.rope.freq_base", 1e6), NULL},
        {"phi3 long_rope:16", GONE("phi3.rope.scaling.original_context_length"), "is missing"},
        {"phi3 long_rope:16", WORD("phi3.rope.scaling.type", "longrope"), NULL},
        {"phi3 long_rope:16", WORD("phi3.rope.scaling.type", "su"), "is \"su\", wanted"},
        {"phi3", WORD("phi3.rope.scaling.type", "longrope"), "wanted none, linear or yarn"},
        {"phi3", REAL("phi3.rope.scaling.attn_factor", 1.2), "is 1.2"},
        {"deepseek32", GONE("deepseek32.attention.indexer.top_k"), "top_k' is missing"},
        {"deepseek32", WHOLE("deepseek32.attention.indexer.top_k", 0), "is 0, wanted"},
        {"deepseek32", WHOLE("deepseek32.attention.indexer.head_count", 15), "wanted (60, 12)"},
        {"deepseek32", WHOLE("deepseek32.attention.indexer.key_length", 1),
         "its numbers are rotated"},
        {"deepseek32", GONE("deepseek32.attention.q_lora_rank"), "wanted more than 0"},
        {"glm-dsa", GONE("glm-dsa.attention.indexer.head_count"), "head_count' is missing"},
        {"deepseek2", WHOLE("deepseek2.attention.indexer.top_k", 8), "not used"},
        {"gemma4", GONE("gemma4.embedding_length_per_layer_input"),
         "per_layer_input' is missing"},
        {"gemma4", WHOLE("gemma4.embedding_length_per_layer_input", 11), "wanted (258, 77)"},
        {"gemma4", WHOLE("gemma4.embedding_length_per_layer_input", 0), "plays no part"},
        {"gemma4", GONE("gemma4.attention.key_length_swa"), "key_length_swa' is missing"},
        {"gemma4", WHOLE("gemma4.attention.value_length_swa", 3), "(6, 16) by"},
        {"gemma4", WHOLE("gemma4.rope.dimension_count_swa", 1), "cannot rotate 1"},
        {"gemma4", GONE("gemma4.attention.sliding_window_pattern"), "true or false for each"},
        {"gemma4", GONE("gemma4.attention.shared_kv_layers"), "attn_k.weight' is missing"},
        {"gemma4", WHOLE("gemma4.attention.shared_kv_layers", 6), "none of the first 1"},
        {"gemma4", WHOLE("gemma4.attention.shared_kv_layers", 8), "is 8, wanted"},
        {"gemma3n", WHOLE("gemma3n.attention.shared_kv_layers", 2),
         "attn_k.weight' is missing"},
        {"gemma3n", WHOLE("gemma3n.altup.num_inputs", 4), "(2, 16, 16), wanted (3, 16, 16)"},
        {"gemma3n", GONE("gemma3n.altup.num_inputs"),
         "wanted (3, 16, 16)"}, /* the family's 4 */
        {"gemma3n", WHOLE("gemma3n.altup.num_inputs", 9), "is 9, wanted"},
        {"gemma3n", WHOLE("gemma3n.altup.active_idx", 0), NULL},
        {"gemma3n", WHOLE("gemma3n.altup.active_idx", 1), "is 1, wanted"},
        {"gemma3n", LIST("gemma3n.activation_sparsity_scale", 0, 6), "wanted above 0"},
        {"gemma3n", LIST("gemma3n.activation_sparsity_scale", 2, 5), "for each layer"},
        {"gemma3n", LIST("gemma3n.activation_sparsity_scale", 2, 6), NULL},
        {"gemma3", WHOLE("gemma3.attention.shared_kv_layers", 1), "not used"},
        {"nemotron_h_moe", WHOLE("nemotron_h_moe.moe_latent_size", 9), "wanted (6, 8, 9)"},
        {"nemotron_h_moe", GONE("nemotron_h_moe.moe_latent_size"), "wanted (6, 8, 16)"},
        {"t5", GONE("t5.decoder_start_token_id"), "decoder_start_token_id' is missing"},
        {"t5", WHOLE("t5.decoder_start_token_id", 257), "the one that ends a text"},
        {"t5", WHOLE("t5.decoder_start_token_id", 258), "is 258, wanted"},
        {"t5", GONE("t5.decoder_block_count"), NULL}, /* as many as the encoder has */
        {"t5", WHOLE("t5.decoder_block_count", 2), "'dec.blk.2.attn_norm.weight' (16) plays"},
        {"t5", WHOLE("t5.decoder_block_count", 4), "'dec.blk.3.attn_norm.weight' is missing"},
        {"t5", WHOLE("t5.decoder_block_count", 0), "is 0, wanted"},
        {"t5", WHOLE("t5.block_count", 2), "'enc.blk.2.attn_norm.weight' (16) plays"},
        {"t5", GONE("t5.attention.relative_buckets_count"), "buckets_count' is missing"},
        {"t5", WHOLE("t5.attention.relative_buckets_count", 8), "is (16, 4), wanted (8, 4)"},
        {"t5", WHOLE("t5.attention.relative_buckets_count", 3), "is 3, wanted"},
        {"t5", REAL("t5.attention.layer_norm_epsilon", 1e-5), NULL},
        {"t5", REAL("t5.attention.layer_norm_epsilon", 1e-6), "is 9.99999997e-07, wanted 1e"},
        {"t5", REAL("t5.rope.freq_base", 10000), "rope.freq_base"},
        {"t5", WHOLE("t5.feed_forward_length", 8), "is (16, 16), wanted (8, 16)"},
        {"t5encoder", WHOLE("t5encoder.decoder_start_token_id", 0), NULL}, /* of what is gone */
        {"t5encoder", WHOLE("t5encoder.decoder_block_count", 9), NULL},
        {"llama", WHOLE("llama.decoder_start_token_id", 0), "decoder_start_token_id"},
        {"llama", WHOLE("llama.decoder_block_count", 1), "decoder_block_count"},
        {"llama", WHOLE("llama.attention.relative_buckets_count", 32), "relative_buckets"},
        {"bert", GONE("bert.attention.causal"), NULL},
        {"bert", FLAG("bert.attention.causal", 1), "is true, wanted false"},
        {"llama", FLAG("llama.attention.causal", 0), "is false, wanted true"},
        {"bert", GONE("bert.pooling_type"), NULL}, /* the mean */
        {"bert", WHOLE("bert.pooling_type", 4), "is 4, wanted 0 to 3: the file has no head"},
        {"bert", WHOLE("bert.pooling_type", 5), "is 5, wanted an integer from 0 to 4"},
        {"bert", LIST("bert.classifier.output_labels", 1, 2), "output_labels"},
        {"bert scores:2", GONE("bert.classifier.output_labels"), "is (2, 16), wanted (1, 16)"},
        {"bert scores:1", WHOLE("bert.classifier.output_labels", 1), "wanted a list of names"},
        {"bert", GONE("bert.attention.layer_norm_epsilon"), "layer_norm_epsilon' is missing"},
        {"bert", REAL("bert.rope.freq_base", 10000), "rope.freq_base"},
        {"bert", WHOLE("bert.attention.sliding_window", 6), "see everything"},
        {"nomic-bert-moe", WHOLE("nomic-bert-moe.expert_used_count", 0), "is 0, wanted"},
        {"modern-bert", WORD("modern-bert.hidden_activation", "silu"), NULL},
        {"modern-bert", WORD("modern-bert.hidden_activation", "relu"), "wanted gelu or silu"},
        {"modern-bert", GONE("modern-bert.attention.sliding_window"), NULL},
        {"neo-bert", WORD("neo-bert.hidden_activation", "silu"), "hidden_activation"},
        {"gemma-embedding", WHOLE("gemma-embedding.dense_2_feat_out", 32), NULL},
        {"gemma-embedding", WHOLE("gemma-embedding.dense_2_feat_out", 8), "wanted (8, 16)"},
        {"gemma-embedding", WHOLE("gemma-embedding.dense_3_feat_in", 8), "is 8, wanted"},
        {"nemotron_h", WHOLE("nemotron_h.feed_forward_length", 16),
         "ffn_norm.weight' is missing"},
    };
    CHECK(cases);
}

/* Tensors of one family in the file of another, or one too many. */
static void tensors_of_families_are_checked(void **state) {
    (void)state;
    const Case cases[] = {
        {"olmo2", EXTRA("blk.0.attn_norm.weight", 16),
         "'blk.0.attn_norm.weight' (16) plays no"},
        {"olmo2", EXTRA("blk.0.ffn_norm.weight", 16), "blk.0.ffn_norm.weight"},
        {"olmoe", EXTRA("blk.0.attn_k_norm.weight", 4), "is (4), wanted (8)"},
        {"qwen3", EXTRA("blk.0.attn_k_norm.weight", 8), "is (8), wanted (4)"},
        {"stablelm", EXTRA("blk.0.attn_k_norm.weight", 4), "is (4), wanted (2, 4)"},
        {"llama4", EXTRA("blk.0.attn_q_norm.weight", 4), "attn_q_norm"},
        {"gpt-oss", EXTRA("blk.0.attn_sinks.weight", 3), "is (3), wanted (4)"},
        {"gpt-oss", EXTRA("blk.0.ffn_norm.weight", 16), "blk.0.ffn_norm.weight"},
        {"gpt-oss", EXTRA("blk.0.post_ffw_norm.weight", 16), "blk.0.post_ffw_norm.weight"},
        {"llama", EXTRA("blk.0.attn_norm_2.weight", 16), "attn_norm_2"},
        {"falcon", EXTRA("blk.0.ffn_norm.weight", 16), NULL}, /* as Falcon 2 has it */
        {"falcon two_norms", EXTRA("blk.0.attn_norm.weight", 0),
         "'blk.0.attn_norm.weight' is missing"},
        {"bloom", EXTRA("token_embd_norm.bias", 15), "is (15), wanted (16)"},
        {"gpt2", EXTRA("position_embd.weight", 31, 16), "is (31, 16), wanted (32, 16)"},
        {"mpt", EXTRA("position_embd.weight", 32, 16), "position_embd"},
        {"phi3", EXTRA("blk.0.ffn_gate.weight", 16, 16), "ffn_gate"},
        {"llama4", EXTRA("blk.0.exp_probs_b.bias", 4), NULL},
        {"qwen3moe", EXTRA("blk.0.exp_probs_b.bias", 4), "exp_probs_b"},
        {"qwen3moe", EXTRA("blk.0.ffn_gate_inp_shexp.weight", 16), "shexp"},
        {"qwen3moe", EXTRA("blk.0.ffn_up_exps.weight", 4, 8, 15), "wanted (4, 8, 16)"},
        {"command-r", EXTRA("blk.0.attn_q_norm.weight", 0),
         "attn_k_norm.weight' (2, 4) plays no"},
        {"command-r", EXTRA("blk.0.attn_k_norm.weight", 0), "attn_k_norm.weight' is missing"},
        {"llama4", EXTRA("rope_freqs.weight", 2), NULL},
        {"exaone4", EXTRA("rope_freqs.weight", 2), NULL},
        {"mistral3", EXTRA("rope_freqs.weight", 2), NULL},
        {"granite", EXTRA("rope_freqs.weight", 2), NULL},
        {"granitemoe", EXTRA("rope_freqs.weight", 2), NULL},
        {"qwen2", EXTRA("rope_freqs.weight", 2), "'rope_freqs.weight' (2) plays no part"},
        {"qwen3", EXTRA("rope_freqs.weight", 2), "rope_freqs"},
        {"gemma3", EXTRA("rope_freqs.weight", 2), "rope_freqs"},
        {"phi3", EXTRA("rope_freqs.weight", 1), "rope_freqs"},
        {"gpt-oss", EXTRA("rope_freqs.weight", 2), "rope_freqs"},
        {"llama", EXTRA("output_norm.weight", 1, 16), NULL},
        {"llama", EXTRA("output_norm.weight", 2, 16), "is (2, 16), wanted (16)"},
        {"phimoe", EXTRA("blk.0.attn_norm.bias", 0), "attn_norm.bias' is missing"},
        {"phi2", EXTRA("output.bias", 257), "is (257), wanted (258)"},
        {"llama", EXTRA("blk.0.ssm_in.weight", 64, 16), "'blk.0.ssm_in.weight' (64, 16) plays"},
        {"mamba", EXTRA("blk.0.attn_q.weight", 16, 16), "head_count' is missing"},
        {"mamba", EXTRA("blk.0.ffn_up.weight", 16, 16), "ffn_up.weight' (16, 16) plays no"},
        {"mamba", EXTRA("blk.0.ssm_norm.weight", 32), "'blk.0.ssm_norm.weight' (32) plays no"},
        {"mamba", EXTRA("blk.0.ssm_dt_norm.weight", 4), "ssm_dt_norm"},
        {"mamba2", EXTRA("blk.0.ssm_x.weight", 44, 32), "ssm_x.weight' (44, 32) plays no"},
        {"mamba2", EXTRA("blk.0.ssm_conv1d.bias", 0), "'blk.0.ssm_conv1d.bias' is missing"},
        {"granitehybrid", EXTRA("blk.0.ssm_in.weight", 0), "plays no part"},
        {"lfm2", EXTRA("output_norm.weight", 16), "'output_norm.weight' (16) plays no"},
        {"lfm2", EXTRA("blk.0.shortconv.out_proj.weight", 0), "out_proj.weight' is missing"},
        {"qwen35", EXTRA("blk.0.ssm_ba.weight", 8, 16), "ssm_alpha.weight' (4, 16) plays no"},
        {"qwen35", EXTRA("blk.0.attn_k.weight", 8, 16), "attn_k.weight' (8, 16) plays no"},
        {"qwen3", EXTRA("blk.0.attn_gate.weight", 16, 16), "attn_gate.weight' (16, 16) plays"},
        {"llama", EXTRA("blk.0.attn_kv_a_mqa.weight", 8, 16), "attn_kv_a_mqa.weight' (8, 16)"},
        {"llama", EXTRA("blk.0.ffn_sub_norm.weight", 16), "ffn_sub_norm"},
        {"bitnet", EXTRA("blk.0.attn_q.scale", 1), NULL},
        {"phi3 long_rope:16", EXTRA("rope_factors_long.weight", 0), "long.weight' is missing"},
        {"phi3 long_rope:16", EXTRA("rope_factors_short.weight", 0),
         "short.weight' is missing"},
        {"phi3 long_rope:16", EXTRA("rope_factors_short.weight", 3), "is (3), wanted (1)"},
        {"qwen2", EXTRA("rope_factors_long.weight", 2), "rope_factors_long"},
        {"glm-dsa", EXTRA("blk.0.indexer.proj.weight", 0), "indexer.proj.weight' is missing"},
        {"deepseek2", EXTRA("blk.0.indexer.proj.weight", 16, 16), "indexer.proj"},
        {"gemma4", EXTRA("blk.5.attn_k.weight", 4, 16), NULL}, /* there, and idle: E2B */
        {"gemma4", EXTRA("blk.5.attn_k.weight", 5, 16), "is (5, 16), wanted (4, 16)"},
        {"gemma4", EXTRA("blk.0.attn_v.weight", 8, 16), NULL}, /* in place of keys */
        {"gemma4", EXTRA("blk.1.attn_v.weight", 0), "blk.1.attn_v.weight' is missing"},
        {"gemma4", EXTRA("blk.0.layer_output_scale.weight", 2), "is (2), wanted (1)"},
        {"gemma4", EXTRA("altup_proj.weight", 3, 16, 16),
         "'altup_proj.weight' (3, 16, 16) plays"},
        {"gemma3", EXTRA("blk.0.laurel_l.weight", 64, 16),
         "laurel_l.weight' (64, 16) plays no"},
        {"gemma3", EXTRA("per_layer_token_embd.weight", 258, 15), "per_layer_token_embd"},
        {"gemma3n", EXTRA("blk.5.attn_k.weight", 8, 16), NULL}, /* there, and idle */
        {"gemma3n", EXTRA("blk.5.attn_k.weight", 9, 16), "is (9, 16), wanted (8, 16)"},
        {"gemma3n", EXTRA("blk.0.layer_output_scale.weight", 1), "layer_output_scale"},
        {"qwen3moe", EXTRA("blk.0.ffn_gate_up_exps.weight", 4, 15, 16), "wanted (4, 16, 16)"},
        {"qwen3moe", EXTRA("blk.0.ffn_gate_up_exps.weight", 4, 16, 16),
         "ffn_gate_exps.weight' (4, 8, 16) plays no"},
        {"qwen3moe joined_experts", EXTRA("blk.0.ffn_gate_up_exps.weight", 0),
         "ffn_gate_exps.weight' is missing"},
        {"qwen3moe joined_experts", EXTRA("blk.0.ffn_gate_up_exps.bias", 4, 16),
         "ffn_gate_up_exps.bias'"},
        {"qwen3moe", EXTRA("blk.0.ffn_down_exps.scale", 4), NULL},
        {"qwen3moe", EXTRA("blk.0.ffn_down_exps.scale", 1), "'blk.0.ffn_down_exps.scale' (1)"},
        {"qwen3moe", EXTRA("blk.0.ffn_latent_down.weight", 8, 16), "ffn_latent_down"},
        {"rwkv6", EXTRA("blk.0.time_mix_w2.weight", 5, 16, 9), "wanted (5, 16, 6)"},
        {"rwkv6", EXTRA("blk.0.time_mix_lerp_w.weight", 16), "time_mix_lerp_k.weight' is mis"},
        {"rwkv6 apart_mu", EXTRA("blk.1.time_mix_lerp_fused.weight", 5, 16),
         "(5, 16) plays no"},
        {"rwkv6qwen2", EXTRA("blk.0.time_mix_first.weight", 2, 8),
         "time_mix_first.weight' (2, 8)"},
        {"rwkv6qwen2", EXTRA("blk.1.time_mix_key.bias", 16), "is (16), wanted (8)"},
        {"arwkv7", EXTRA("blk.0.time_mix_ln.weight", 0), "'blk.0.time_mix_ln.bias' (16) plays"},
        {"arwkv7", EXTRA("blk.0.time_mix_g2.weight", 0), "time_mix_g2.weight' is missing"},
        {"rwkv7", EXTRA("blk.0.attn_q.weight", 16, 16), "attn_q.weight' (16, 16) plays no"},
        {"rwkv7", EXTRA("blk.1.time_mix_v1.weight", 8, 16), "wanted (20, 16)"},
        {"rwkv7", EXTRA("blk.0.time_mix_lerp_fused.weight", 5, 16), "wanted (6, 16)"},
        {"falcon-h1", EXTRA("blk.0.ffn_norm.weight", 16), "'blk.0.ffn_norm' (16) plays no"},
        {"t5", EXTRA("dec.blk.1.attn_rel_b.weight", 16, 4), NULL}, /* of its own */
        {"t5", EXTRA("dec.blk.0.attn_rel_b.weight", 0), "attn_rel_b.weight' is missing"},
        {"t5", EXTRA("dec.blk.0.cross_attn_rel_b.weight", 16, 4), NULL}, /* there, and idle */
        {"t5", EXTRA("dec.blk.1.cross_attn_rel_b.weight", 16, 4), "cross_attn_rel_b"},
        {"t5", EXTRA("enc.blk.0.cross_attn_q.weight", 16, 16), "cross_attn_q.weight' (16, 16)"},
        {"t5", EXTRA("blk.0.attn_q.weight", 16, 16), "'blk.0.attn_q.weight' (16, 16) plays"},
        {"t5", EXTRA("output_norm.weight", 16), "'output_norm.weight' (16) plays no part"},
        {"t5", EXTRA("enc.output_norm.weight", 0), "'enc.output_norm.weight' is missing"},
        {"t5encoder", EXTRA("dec.output_norm.weight", 16),
         "'dec.output_norm.weight' (16) plays"},
        {"t5encoder", EXTRA("output.weight", 258, 16), "'output.weight' (258, 16) plays"},
        {"llama", EXTRA("blk.0.attn_rel_b.weight", 16, 4), "attn_rel_b"},
        {"llama", EXTRA("blk.0.cross_attn_q.weight", 16, 16), "cross_attn_q"},
        {"bert", EXTRA("output.weight", 258, 16), "'output.weight' (258, 16) plays no part"},
        {"bert", EXTRA("output_norm.weight", 16), "'output_norm.weight' (16) plays no part"},
        {"bert", EXTRA("blk.0.attn_norm.weight", 16), "'blk.0.attn_norm.weight' (16) plays"},
        {"bert", EXTRA("blk.0.attn_norm_2.weight", 16), "attn_norm_2"},
        {"bert", EXTRA("blk.0.attn_q_norm.weight", 16), "attn_q_norm"},
        {"bert", EXTRA("cls.norm.weight", 16), "'cls.norm.weight' (16) plays no part"},
        {"bert", EXTRA("token_types.weight", 1, 16), NULL}, /* as RoBERTa has it */
        {"bert", EXTRA("token_types.weight", 3, 16), "is (3, 16), wanted (2, 16)"},
        {"bert", EXTRA("dense_2.weight", 16, 16), "'dense_2.weight' (16, 16) plays no part"},
        {"nomic-bert", EXTRA("cls.output.weight", 1, 16), "'cls.output.weight' (1, 16) plays"},
        {"llama", EXTRA("cls.output.weight", 1, 16), "'cls.output.weight' (1, 16) plays"},
        {"llama", EXTRA("token_types.weight", 2, 16), "'token_types.weight' (2, 16) plays"},
        {"modern-bert", EXTRA("blk.0.attn_norm.weight", 16), NULL},
        {"modern-bert", EXTRA("blk.1.attn_norm.weight", 0), "attn_norm.weight' is missing"},
        {"jina-bert-v2", EXTRA("blk.0.attn_norm_2.weight", 16), NULL},
        {"jina-bert-v2", EXTRA("blk.0.attn_q_norm.weight", 16), "attn_k_norm.weight' is miss"},
        {"jina-bert-v2 plain", EXTRA("blk.0.ffn_up.weight", 24, 16), "ffn_up.weight' is (24"},
        {"gemma-embedding", EXTRA("dense_3.weight", 0), "'dense_3.weight' one is missing"},
        {"eagle3", GONE("eagle3.target_layers"), "is missing, wanted three numbers of layers"},
        {"eagle3", LIST("eagle3.target_layers", 2, 2), "wanted three numbers of layers"},
        {"eagle3", LIST("eagle3.target_layers", -1, 3), "wanted three numbers of layers"},
        {"eagle3", WHOLE("eagle3.target_layers", 2), "is 2, wanted three numbers of layers"},
        {"eagle3", GONE("eagle3.target_hidden_size"), "target_hidden_size' is missing"},
        {"eagle3", WHOLE("eagle3.target_hidden_size", 8),
         "fc.weight' is (16, 48), wanted (16,"},
        {"eagle3", FLAG("eagle3.norm_before_residual", 1), NULL},
        {"eagle3", WHOLE("eagle3.norm_before_residual", 1), "is 1, wanted true or false"},
        {"eagle3", WHOLE("eagle3.block_count", 2), "is 2, wanted an integer from 1 to 1"},
        {"eagle3", EXTRA("d2t", 100),
         "tensor 'd2t' is (100) in F32, wanted at most 258 in I64"},
        {"eagle3", EXTRA("fc.bias", 16), NULL},
        {"eagle3", EXTRA("blk.0.nextn.eh_proj.weight", 16, 32), "eh_proj.weight' (16, 32)"},
        {"gemma4-assistant", GONE("gemma4-assistant.embedding_length_out"),
         "embedding_length_out' is missing"},
        {"gemma4-assistant", WHOLE("gemma4-assistant.embedding_length_out", 63),
         "is (16, 128), wanted (16, 126)"},
        {"gemma4-assistant", WHOLE("gemma4-assistant.nextn_predict_layers", 1),
         "nextn_predict_layers' is 1, wanted"},
        {"gemma4-assistant", WHOLE("gemma4-assistant.attention.shared_kv_layers", 0),
         "shared_kv_layers' is 0, wanted"},
        {"gemma4-assistant", GONE("gemma4-assistant.attention.shared_kv_layers"), NULL},
        {"gemma4-assistant", WHOLE("gemma4-assistant.embedding_length_per_layer_input", 4),
         "embedding_length_per_layer_input' is 4, wanted"},
        {"gemma4-assistant", EXTRA("blk.0.attn_k.weight", 8, 16), "plays no part"},
        {"gemma4-assistant", EXTRA("masked_embd_centroids.weight", 8, 16), NULL}, /* E2B */
        {"gemma4", EXTRA("nextn.pre_projection.weight", 16, 128), "plays no part"},
        {"llama", EXTRA("fc.weight", 16, 48), "'fc.weight' (16, 48) plays no part"},
        {"llama", LIST("llama.target_layers", 2, 3), "target_layers"},
    };
    CHECK(cases);
}

/* May a file of this family lack a tensor?  Biases and heads are optional. */
static bool may_lack(const char *arch, const char *name) {
    if (strcmp(arch, "eagle3") == 0) return strcmp(name, "token_embd.weight") == 0;
    if (strstr(name, "ssm_dt.bias") || strstr(name, "time_mix_ln.bias") ||
        strstr(name, "indexer.k_norm.bias"))
        return false;
    for (int i = 0; i < 3; i++) /* of the first layer, unused there */
        if (strncmp(name, "blk.0.time_mix_v", 16) == 0 && name[16] == '0' + i) return true;
    if (strstr(name, "ssm_norm")) return strcmp(arch, "falcon-h1") == 0;
    if (strcmp(strrchr(name, '.'), ".bias") == 0)
        return strcmp(arch, "phimoe") != 0 || !strstr(name, "norm");
    if (strstr(name, "ffn_gate.") && strstr(arch, "t5")) return true; /* a ReLU then */
    if (strstr(name, "v.blk.1.")) return true; /* the input of the last block is used */
    if (strstr(name, "attn_sinks")) return strcmp(arch, "mimo2") == 0;
    if (strcmp(name, "rope_freqs.weight") == 0) return strncmp(arch, "gemma4", 6) != 0;
    if (strcmp(name, "output.weight") == 0) return !word_in(make_family(arch), "no_embedding");
    return strcmp(name, "token_types.weight") == 0;
}

/* Which tensor is reported missing instead, if not this one. */
static const char *missed_for(const char *name) {
    static const char *const others[][2] = {
        {"ssm_ba", "ssm_alpha"},
        {"attn_qkv", "attn_q.weight"},
        {"attn_kv_a_mqa", "attn_"},
        {"attn_k_b", "key_length"},
        {"ffn_gate_inp.", "ffn_"},
        {"_shexp", "_shexp"},
        {"ffn_up.", "ffn_"},
        {"ffn_gate.", "ffn_gate"},
        {"ffn_norm", "ffn_norm"},
        {"attn_q_norm", "_norm"},
        {"ssm_in.", "plays no part"},
        {"shortconv.conv", "plays no part"},
        {"time_mix_ln", "time_mix_ln"},
        {"d2t", "output.weight' is (100, 16), wanted (258, 16)"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(name, others[i][0])) return others[i][1];
    return name;
}

/* Does this tensor show that a block has a mixer?  Without it, all of the mixer is unused. */
static bool shows_mixer(const char *words, const char *name) {
    if (word_in(words, "kda")) return strstr(name, "ssm_f_a.") || strstr(name, "attn_kv_a_mqa");
    if (word_in(words, "delta") && strstr(name, "ssm_out")) return true;
    return strstr(name, "attn_q.") &&
           (word_in(words, "ssm") || word_in(words, "delta") || word_in(words, "short_conv"));
}

/* Does another block have this bias, too?  Then it was lost here. */
static bool others_have(const Gguf *gguf, const char *name) {
    const char *end = strncmp(name, "blk.", 4) == 0 ? strchr(name + 4, '.') : NULL;
    size_t count = 0;
    for (size_t i = 0; end && i < gguf->n_tensors; i++) {
        const Text t = gguf->tensors[i].name;
        count += text_begins(t, text_of("blk.")) && text_ends(t, text_of(end)) &&
                 !text_equal(t, text_of(name));
    }
    return count > 0 && strcmp(strrchr(name, '.'), ".bias") == 0;
}

static void check_without(const char *arch, const unsigned char *bytes, size_t size,
                          const Gguf *gguf, const char *name) {
    Model model;
    Fault fault = {""};
    Edit edit = {.tensor = name};
    size_t edited_size;
    unsigned char *edited = edit_model(bytes, size, &edit, &edited_size);
    bool sees = word_in(make_family(arch), "sees"),
         opened = sees ? model_open_vision(&model, edited, edited_size, CLASS_FIRST, &fault)
                       : model_open_memory(&model, edited, edited_size, &fault);
    if (opened) model_close(&model);
    const bool lost = !strstr(name, "exp_probs_b") && others_have(gguf, name);
    if (opened != (may_lack(arch, name) && !lost))
        fail_msg("%s without %s: %s", arch, name, opened ? "it opens" : fault.text);
    const char *words = make_family(arch);
    bool by_looking = shows_mixer(words, name);
    if (!opened) assert_contains(fault.text, by_looking ? "plays no part" : missed_for(name));
    free(edited);
}

static void every_tensor_is_missed(void **state) {
    (void)state;
    const Recipe *row;
    size_t size;
    for (size_t i = 0; (row = recipe_row(i)); i++) {
        MakeModel m = small(row->arch);
        bool two =
            make_says(&m, "dense_first") || make_says(&m, "rwkv") || make_says(&m, "sees");
        size_t least = make_says(&m, "single") ? 3 : two ? 2 : 1;
        if (make_says(&m, "own_kv")) least = m.layers;
        m.layers = make_size(&m, "attention_every", least);
        unsigned char *bytes = make_model(&m, &size);
        Gguf gguf;
        assert_true(gguf_parse(&gguf, bytes, size, NULL));
        for (size_t t = 0; t < gguf.n_tensors; t++) {
            char name[100];
            snprintf(name, sizeof name, "%.*s", (int)gguf.tensors[t].name.size,
                     gguf.tensors[t].name.data);
            check_without(m.arch, bytes, size, &gguf, name);
        }
        gguf_free(&gguf);
        free(bytes);
    }
}

/* The caller closes the model and frees the file. */
static unsigned char *open_small(const char *arch, size_t layers, Model *model) {
    MakeModel m = small(arch);
    Fault fault;
    size_t size;
    m.layers = layers;
    if (strstr(arch, "default_window")) m.window = 0;
    unsigned char *bytes = make_model(&m, &size);
    if (!model_open_memory(model, bytes, size, &fault)) fail_msg("%s: %s", arch, fault.text);
    return bytes;
}

/* Constants that only matter too far into a text for a test that runs the model. */
static void constants_of_families(void **state) {
    (void)state;
    Model m;
    unsigned char *bytes = open_small("llama4", 4, &m);
    for (size_t l = 0; l < 4; l++) {
        const Attention *a = &m.blocks[l].attention;
        assert_int_equal(a->shape.mask.chunk, l == 3 ? 0 : 8192);
        assert_near(a->q_temperature, l == 3 ? 0.1f : 0, 0);
        if (l == 3) assert_near(a->temperature_ctx, 8192, 0);
        if (l == 3) assert_int_equal(a->temperature_from, 1);
    }
    model_close(&m), free(bytes);
    bytes = open_small("gemma2 default_window", 2, &m);
    assert_int_equal(m.blocks[0].attention.shape.mask.window, 4096);
    assert_int_equal(m.blocks[1].attention.shape.mask.window, 0);
    model_close(&m), free(bytes);
}

/* A list of numbers gives each layer its own. */
static void layers_have_sizes_of_their_own(void **state) {
    (void)state;
    Model m;
    unsigned char *bytes = open_small("llama uneven", 4, &m);
    for (size_t l = 0; l < 4; l++) {
        size_t part = l % 2 ? 2 : 1;
        assert_int_equal(m.layers[l].heads, 4 / part);
        assert_int_equal(m.layers[l].kv_heads, 2 / part);
        assert_int_equal(m.layers[l].hidden, 16 / part);
        assert_int_equal(m.blocks[l].attention.shape.heads, 4 / part);
        assert_int_equal(m.blocks[l].ffn.net.up.w.shape[0], 16 / part);
    }
    model_close(&m), free(bytes);
}

RUN(TEST(keys_of_families_are_checked), TEST(tensors_of_families_are_checked),
    TEST(every_tensor_is_missed), TEST(constants_of_families),
    TEST(layers_have_sizes_of_their_own))
