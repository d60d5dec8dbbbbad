/* more_families.c - families beyond plain decoders: their rows, and the quirks of plain
 * families' files.  See families.h.  This table replaces the core's empty one in programs that
 * link the extras. */
#include "families/parts.h"

/* With two norms (40B), attention has its own and the feed-forward reads the first. */
static const RoleName falcon_names[] = {{ROLE_ATTN_NORM, "attn_norm_2", "attn_norm_2"},
                                        {ROLE_FFN_NORM, "attn_norm", "attn_norm_2"},
                                        {0}};

/* The norm before the feed-forward is named after the attention it follows. */
static const RoleName moved_names[] = {{ROLE_FFN_NORM, "post_attention_norm", NULL}, {0}};

static const RoleName dbrx_names[] = {{ROLE_FFN_NORM, "attn_output_norm", NULL}, {0}};

static const RoleName grok_names[] = {{ROLE_ATTN_POST_NORM, "attn_output_norm", NULL},
                                      {ROLE_FFN_POST_NORM, "layer_output_norm", NULL},
                                      {0}};

/* A block is a mixer or a feed-forward, after a single norm. */
static const RoleName nemotron_h_names[] = {
    {ROLE_FFN_NORM, "attn_norm", "ffn_up"}, {ROLE_FFN_NORM, "attn_norm", "ffn_gate_inp"}, {0}};

/* Kimi's delta net has low-rank maps, or names them like attention's. */
static const RoleName kda_names[] = {{ROLE_DELTA_DECAY, "ssm_f_b", NULL},
                                     {ROLE_DELTA_GATE, "ssm_g_b", NULL},
                                     {ROLE_DELTA_OUT, "attn_output", NULL},
                                     {0}};

/* Norms come after the branches, which shows in their names. */
static const RoleName bert_names[] = {{ROLE_ATTN_NORM, "attn_output_norm", NULL},
                                      {ROLE_FFN_NORM, "layer_output_norm", NULL},
                                      {0}};

static const RoleName t5_names[] = {{ROLE_ATTN_OUTPUT, "attn_o", NULL}, {0}};

static const RoleName clip_names[] = {{ROLE_ATTN_NORM, "ln1", NULL},
                                      {ROLE_ATTN_OUTPUT, "attn_out", NULL},
                                      {ROLE_FFN_NORM, "ln2", NULL},
                                      {ROLE_ATTN_POST_NORM, "attn_post_norm", NULL},
                                      {ROLE_FFN_POST_NORM, "ffn_post_norm", NULL},
                                      {0}};

/* The norms of the two joined halves: the token and h. */
static const RoleName eagle_names[] = {{ROLE_JOIN_TOKEN_NORM, "attn_norm", NULL},
                                       {ROLE_JOIN_HIDDEN_NORM, "attn_norm_2", NULL},
                                       {0}};

/* Experts, and the function that makes their weights.  BY_KEY: with expert_gating_func,
 * expert_weights_norm and expert_weights_scale, and a bias on the choice. */
#define EXPERTS(SCORE) .experts = true, .router = ROUTER_##SCORE
#define EXPERTS_BY_KEY(SCORE) \
    EXPERTS(SCORE), .router_by_key = true, .weights_by_key = true, .choice_bias = true

/* an encoder; BERT's norms come after the branches */
#define ENCODER .bidirectional = true, .vectors = true
#define BERT                                                                   \
    ENCODER, .names = bert_names, .no_out_norm = true, .embedding_norm = true, \
             .token_types = true

/* relative biases; scores are not scaled */
#define T5 .gate_or_relu = true, .names = t5_names, .relative = true, .score_scale = 1

#define QUIRKS(...) \
    .quirks = &(const Quirks) { __VA_ARGS__ }

/* clang-format off */
static const Recipe rows[] = {
    /* Llama and relatives: RMS norms, rotary positions, a gated network */
    {"mistral3", "Ministral 3", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(EXPERTS(SOFTMAX_CHOSEN), .yarn_multiplier = true, .temperature = true)},
    {"granite", "Granite 3", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(EXPERTS(SOFTMAX_CHOSEN), .rope_by_key = true, .scales = SCALES_GRANITE)},
    {"qwen", "Qwen 1", RMS, HALVES, SWIGLU, QUIRKS(.half_hidden = true)},
    {"seed_oss", "Seed-OSS", RMS, HALVES, SWIGLU, QUIRKS(.names = moved_names)},
    {"glm4", "GLM 4", RMS, PAIRS, SWIGLU, .post_norms = true, .gate_in_up = true,
     QUIRKS(.draft_heads = true)},
    {"exaone4", "EXAONE 4", RMS, HALVES, SWIGLU, .rope_freqs = true, .no_pre_norms = true,
     .post_norms = true,
     .head_norms = HEAD_NORMS_SHARED, .window_pattern = 4, .window = 4096,
     QUIRKS(.rope_windows_only = true, .window_layers = 64, .draft_heads = true)},
    {"hunyuan-dense", "Hunyuan", RMS, HALVES, SWIGLU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(.rope_alpha = true, .head_norms_late = true)},
    {"hunyuan_vl", "HunyuanOCR, its text", RMS, HALVES, SWIGLU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(.rope_alpha = true, .text_sections = true, .head_norms_late = true)},
    {"minicpm", "MiniCPM 1, 2, 4", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(.rope_long = true, .scales = SCALES_MINICPM)},
    {"maincoder", "Maincoder", RMS, PAIRS, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(.head_norms_late = true)},
    {"qwen2vl", "Qwen 2 VL, 2.5 VL, their text", RMS, HALVES, SWIGLU,
     QUIRKS(.rope_sections = SECTIONS_IN_ORDER)},
    {"paddleocr", "PaddleOCR-VL, its text", RMS, HALVES, SWIGLU,
     QUIRKS(.rope_sections = SECTIONS_IN_ORDER)},
    {"qwen3vl", "Qwen 3 VL, its text", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(.rope_sections = SECTIONS_MIXED, .ranks = true, .rank_softmax = true)},
    {"qwen3vlmoe", "Qwen 3 VL MoE, its text", RMS, HALVES, SWIGLU,
     .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .renormalize = true, .split_hidden = true,
            .rope_sections = SECTIONS_MIXED)},
    {"internlm2", "InternLM 2, 2.5", RMS, PAIRS, SWIGLU},
    {"xverse", "XVERSE", RMS, PAIRS, SWIGLU},
    {"exaone", "EXAONE 3, 3.5", RMS, HALVES, SWIGLU, .rope_freqs = true},
    {"chatglm", "ChatGLM 2, 3, GLM 4 9B", RMS, PAIRS, SWIGLU, .gate_in_up = true},
    {"plamo", "PLaMo 1", RMS, HALVES, SWIGLU, .wiring = &parallel_wiring},
    {"baichuan", "Baichuan 1, 2", RMS, PAIRS, SWIGLU, QUIRKS(.alibi_layers = 40)},
    {"refact", "Refact", RMS, SWIGLU, QUIRKS(.max_bias = 8)},
    {"deci", "Llama Nemotron Super and Ultra, DeciLM", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(.optional_parts = true)},
    {"openelm", "OpenELM", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED},
    {"bitnet", "BitNet b1.58", RMS, HALVES, SWIGLU, QUIRKS(.sub_norms = true)},
    {"apertus", "Apertus", RMS, HALVES, .act = ACT_XIELU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(.xielu = true)},

    /* GPT and relatives: norms with a mean, biases, most networks without a gate */
    {"stablelm", "StableLM", LAYER, HALVES, SWIGLU,
     QUIRKS(.parallel_by_norm = true, .head_norms_own = true)},
    {"command-r", "Command R", LAYER, PAIRS, SWIGLU, .wiring = &parallel_wiring,
     QUIRKS(.head_norms_own = true, .scales = SCALES_COHERE)},
    {"falcon", "Falcon 7B, 40B", LAYER, HALVES, .act = ACT_GELU_TANH,
     .wiring = &parallel_wiring,
     QUIRKS(.names = falcon_names)},
    {"bloom", "BLOOM", LAYER, .act = ACT_GELU_TANH,
     QUIRKS(.embedding_norm = true, .max_bias = 8)},
    {"mpt", "MPT", LAYER, .act = ACT_GELU_TANH, QUIRKS(.max_bias = -1, .clamp = true)},
    {"cohere2", "Command R7B, Command A", LAYER, PAIRS, SWIGLU, .wiring = &parallel_wiring,
     .window_pattern = 4,
     QUIRKS(.rope_windows_only = true, .scales = SCALES_COHERE)},
    {"nemotron", "Nemotron 3, 4, Minitron", LAYER, HALVES, .act = ACT_RELU_SQUARED},
    {"orion", "Orion", LAYER, HALVES, SWIGLU},
    {"codeshell", "CodeShell", LAYER, HALVES, .act = ACT_GELU_TANH,
     QUIRKS(.head_embeds = true)},
    {"olmo", "OLMo 1", LAYER, PAIRS, SWIGLU, QUIRKS(.no_gains = true, .clamp = true)},

    /* Gemma: norms before and after, scaled embeddings */
    {"gemma3n", "Gemma 3n", RMS, HALVES, GEGLU, .wiring = &laurel_wiring,
     .head_norms = HEAD_NORMS_SHARED, .post_norms = true, .scale_embedding = true,
     .logit_softcap = 30, .window_pattern = 5, .window_theta = 10000,
     .window_rope = WINDOW_ROPE_UNSCALED,
     QUIRKS(.sparse_layers = 10, .value_norms = true, .score_scale = 1, .kv_layers = 20,
            .unused_kv_maps = true, .layer_input = 256, .streams = 4, .laurel = 64)},
    {"gemma4", "Gemma 4", RMS, HALVES, GEGLU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED, .post_norms = true, .scale_embedding = true,
     .logit_softcap = -1, .window_theta = 10000, .window_rope = WINDOW_ROPE_UNSCALED,
     QUIRKS(EXPERTS(SOFTMAX), .rope_freqs_needed = true, .rope_freqs_full = true,
            .renormalize = true, .dense_and_experts = true, .value_norms = true, .keys_as_values = true,
            .score_scale = 1, .kv_layers = ALL_LAYERS, .unused_kv_maps = true,
            .layer_input = LAYER_INPUT_FROM_KEY, .output_scale = true, .window_listed = true,
            .window_heads = true, .groups_in_windows = true)},

    /* Mixtures of experts */
    {"llama4", "Llama 4", RMS, PAIRS, SWIGLU, .rope_freqs = true, .no_rope_every = 4,
     QUIRKS(EXPERTS(SIGMOID), .chunk = 8192, .no_rope_temperature_ctx = 8192,
            .head_norms_unit = true, .choice_bias = true, .weight_input = true)},
    {"qwen3moe", "Qwen 3 MoE", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .renormalize = true, .split_hidden = true)},
    {"granitemoe", "Granite 3 MoE", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(EXPERTS(SOFTMAX), .rope_by_key = true, .renormalize = true,
            .scales = SCALES_GRANITE)},
    {"qwen2moe", "Qwen 1.5 MoE, Qwen 2 MoE", RMS, HALVES, SWIGLU,
     QUIRKS(EXPERTS(SOFTMAX), .shared_gate = true, .split_hidden = true)},
    {"olmoe", "OLMoE", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_ROW,
     QUIRKS(EXPERTS(SOFTMAX))},
    {"phimoe", "Phi 3.5 MoE", RMS, HALVES, SWIGLU, .window_everywhere = true,
     QUIRKS(EXPERTS(SOFTMAX), .norm_bias = true, .rope_long = true, .renormalize = true)},
    {"gpt-oss", "gpt-oss", RMS, HALVES, .act = ACT_SWIGLU_CLAMPED, .gated = true,
     .window_pattern = 2,
     QUIRKS(EXPERTS(SOFTMAX_CHOSEN), .names = moved_names, .sinks = true)},
    {"ernie4_5-moe", "ERNIE 4.5 MoE", RMS, PAIRS, SWIGLU,
     QUIRKS(EXPERTS(SOFTMAX), .renormalize = true, .choice_bias = true)},
    {"glm4moe", "GLM 4.5, 4.6", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .names = moved_names, .head_norms_optional = true,
            .draft_heads = true)},
    {"exaone-moe", "K-EXAONE", RMS, HALVES, SWIGLU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED, .window_pattern = 4,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .rope_windows_only = true, .draft_heads = true)},
    {"hunyuan-moe", "Hunyuan A13B", RMS, HALVES, SWIGLU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .rope_alpha = true, .head_norms_late = true,
            .renormalize = true)},
    {"minimax-m2", "MiniMax M2", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_ROW,
     QUIRKS(EXPERTS(SIGMOID), .router_by_key = true, .renormalize = true,
            .choice_bias = true)},
    {"bailingmoe2", "Ling 2, Ring 2", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .draft_heads = true)},
    {"dots1", "dots.llm1", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS_BY_KEY(SOFTMAX))},
    {"deepseek", "DeepSeek 1 MoE", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(EXPERTS(SOFTMAX), .weights_by_key = true)},
    {"bailingmoe", "Ling 1, Ring 1", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(EXPERTS(SOFTMAX), .weights_by_key = true)},
    {"dbrx", "DBRX", LAYER, HALVES, SWIGLU,
     QUIRKS(EXPERTS(SOFTMAX), .names = dbrx_names, .clamp = true, .renormalize = true)},
    {"arctic", "Snowflake Arctic", RMS, PAIRS, SWIGLU,
     QUIRKS(EXPERTS(SOFTMAX), .renormalize = true, .experts_ahead = true)},
    {"smallthinker", "SmallThinker", RMS, HALVES, .act = ACT_RELU, .gated = true,
     .window_pattern = 4,
     QUIRKS(EXPERTS(SIGMOID), .window_after = true, .rope_windows_only = true,
            .router_by_key = true, .router_ahead = true, .renormalize = true)},
    {"grovemoe", "GroveMoE", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .renormalize = true, .split_hidden = true, .adjugates = true)},
    {"grok", "Grok 1", RMS, HALVES, GEGLU, .post_norms = true, .attn_softcap = 30,
     QUIRKS(EXPERTS(SOFTMAX), .names = grok_names, .router_softcap = true, .renormalize = true,
            .scales = SCALES_GROK)},
    {"mellum", "Mellum", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     .window_pattern = 4, .window_rope = WINDOW_ROPE_AS_TRAINED,
     QUIRKS(EXPERTS(SOFTMAX), .renormalize = true)},
    {"afmoe", "Trinity", RMS, HALVES, SWIGLU, .post_norms = true, .no_rope_every = 4,
     .head_norms = HEAD_NORMS_SHARED, .window_pattern = 4, .scale_embedding = true,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .gate = GATE_NUMBER)},
    {"mimo2", "MiMo V2", RMS, HALVES, SWIGLU, .window_theta = 10000,
     .window_rope = WINDOW_ROPE_UNSCALED,
     QUIRKS(EXPERTS(SIGMOID), .sinks_optional = true, .value_scale = true, .window_listed = true,
            .renormalize = true, .choice_bias = true, .draft_heads = true)},
    {"step35", "Step 3.5", RMS, HALVES, SWIGLU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED, .window_theta = 10000,
     .window_rope = WINDOW_ROPE_UNSCALED,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .rope_freqs_full = true, .rope_full_half = true,
            .head_norms_optional = true, .gate = GATE_HEAD, .window_listed = true, .limits = true,
            .draft_heads = true, .draft_before_norm = true)},

    /* Latent attention */
    {"deepseek2", "DeepSeek V2, V3, R1, Kimi K2", RMS, PAIRS, SWIGLU,
     QUIRKS(EXPERTS_BY_KEY(SOFTMAX), .latents = true, .draft_heads = true)},
    {"deepseek32", "DeepSeek V3.2", RMS, PAIRS, SWIGLU,
     QUIRKS(EXPERTS_BY_KEY(SOFTMAX), .latents = true, .indexer = INDEXER_CHOOSES,
            .draft_heads = true)},
    {"glm-dsa", "GLM 5", RMS, PAIRS, SWIGLU,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .latents = true, .indexer = INDEXER_IDLE,
            .draft_heads = true)},
    {"mistral4", "Mistral Small 4", RMS, PAIRS, SWIGLU,
     QUIRKS(EXPERTS_BY_KEY(SOFTMAX), .latents = true, .temperature = true)},
    {"plm", "PLM", RMS, PAIRS, .act = ACT_RELU_SQUARED, QUIRKS(.latents = true)},
    {"minicpm3", "MiniCPM 3", RMS, HALVES, SWIGLU, .rope_freqs = true,
     QUIRKS(.rope_long = true, .latents = true, .scales = SCALES_MINICPM3)},

    /* Recurrent layers beside attention, or in its place */
    {"mamba", "Mamba, Falcon Mamba", RMS, QUIRKS(.recurrent = RECURRENT_MAMBA)},
    {"mamba2", "Mamba 2, Codestral Mamba", RMS, QUIRKS(.recurrent = RECURRENT_MAMBA2)},
    {"rwkv6", "RWKV 6", LAYER, QUIRKS(.embedding_norm = true, .recurrent = RECURRENT_RWKV6)},
    {"rwkv6qwen2", "QRWKV 6", RMS, SWIGLU, QUIRKS(.recurrent = RECURRENT_RWKV6)},
    {"rwkv7", "RWKV 7", LAYER, QUIRKS(.embedding_norm = true, .recurrent = RECURRENT_RWKV)},
    {"arwkv7", "ARWKV 7", RMS, SWIGLU, QUIRKS(.recurrent = RECURRENT_RWKV)},
    {"jamba", "Jamba", RMS, SWIGLU,
     QUIRKS(EXPERTS(SOFTMAX), .recurrent = RECURRENT_MAMBA, .ssm_norms = true)},
    {"granitehybrid", "Granite 4 H", RMS, PAIRS, SWIGLU,
     QUIRKS(EXPERTS(SOFTMAX), .rope_by_key = true, .recurrent = RECURRENT_MAMBA2,
            .renormalize = true, .scales = SCALES_GRANITE)},
    {"falcon-h1", "Falcon H1", RMS, HALVES, SWIGLU,
     QUIRKS(.recurrent = RECURRENT_MAMBA2, .ssm_norm_optional = true)},
    {"nemotron_h", "Nemotron H, Nemotron Nano 2", RMS, .act = ACT_RELU_SQUARED,
     QUIRKS(.names = nemotron_h_names, .recurrent = RECURRENT_MAMBA2)},
    {"lfm2", "LFM 2", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(.out_norm = "token_embd_norm", .recurrent = RECURRENT_SHORT_CONV)},
    {"lfm2moe", "LFM 2 MoE", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SIGMOID), .out_norm = "token_embd_norm", .recurrent = RECURRENT_SHORT_CONV,
            .choice_bias = true, .renormalize = true)},
    {"nemotron_h_moe", "Nemotron 3 Nano", RMS, .act = ACT_RELU_SQUARED,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .names = nemotron_h_names, .recurrent = RECURRENT_MAMBA2,
            .latent_experts = true)},
    {"qwen35", "Qwen 3.5", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(.names = moved_names, .rope_sections = SECTIONS_MIXED, .gate = GATE_IN_Q,
            .recurrent = RECURRENT_DELTA_TILED, .draft_heads = true)},
    {"qwen35moe", "Qwen 3.5 MoE", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .names = moved_names, .rope_sections = SECTIONS_MIXED, .gate = GATE_IN_Q,
            .recurrent = RECURRENT_DELTA_TILED, .shared_gate = true, .renormalize = true,
            .draft_heads = true)},
    {"qwen3next", "Qwen 3 Next", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .names = moved_names, .gate = GATE_IN_Q,
            .recurrent = RECURRENT_DELTA, .shared_gate = true, .renormalize = true,
            .draft_heads = true)},
    {"kimi-linear", "Kimi Linear", RMS, SWIGLU,
     QUIRKS(EXPERTS_BY_KEY(SIGMOID), .names = kda_names, .latents = true,
            .recurrent = RECURRENT_KDA, .renormalize = true)},

    /* Encoder-decoder */
    {"t5", "T5, Flan-T5, mT5, umT5", RMS, GEGLU,
     QUIRKS(T5, .blocks = "dec.blk", .encoder = "enc.blk", .out_norm = "dec.output_norm",
            .scale_tied = true)},

    /* Bidirectional */
    {"llada", "LLaDA", RMS, PAIRS, SWIGLU, QUIRKS(.bidirectional = true)},
    {"llada-moe", "LLaDA MoE", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .bidirectional = true)},
    {"dream", "Dream", RMS, HALVES, SWIGLU, QUIRKS(.bidirectional = true)},
    {"rnd1", "RND1", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     QUIRKS(EXPERTS(SOFTMAX), .bidirectional = true, .renormalize = true)},
    {"t5encoder", "encoders of T5, mT5, umT5", RMS, GEGLU,
     QUIRKS(ENCODER, T5, .blocks = "enc.blk", .out_norm = "enc.output_norm")},
    {"bert", "BERT, RoBERTa, MiniLM, BGE, E5, GTE, bge-reranker", LAYER,
     .wiring = &after_wiring, .act = ACT_GELU_TANH, .learned_positions = true,
     QUIRKS(BERT, .ranks = true)},
    {"nomic-bert", "Nomic Embed Text 1, 1.5", LAYER, .wiring = &after_wiring, HALVES,
     SWIGLU,
     QUIRKS(BERT)},
    {"nomic-bert-moe", "Nomic Embed Text 2", LAYER, .wiring = &after_wiring, HALVES,
     .act = ACT_GELU_TANH,
     QUIRKS(BERT, EXPERTS(SOFTMAX))},
    {"jina-bert-v2", "Jina Embeddings 2, Jina Reranker 1", LAYER, .wiring = &after_wiring,
     GEGLU, .head_norms = HEAD_NORMS_ROW,
     QUIRKS(BERT, .second_norm = true, .head_norms_optional = true, .max_bias = 8,
            .gate_optional = true, .ranks = true)},
    {"jina-bert-v3", "Jina Embeddings 3", LAYER, .wiring = &after_wiring, HALVES,
     .act = ACT_GELU_TANH,
     QUIRKS(BERT)},
    {"modern-bert", "ModernBERT, GTE ModernBERT, Granite Embedding 2", LAYER, HALVES, GEGLU,
     .window_pattern = 3, .window_theta = 10000, .window_rope = WINDOW_ROPE_UNSCALED,
     .gate_in_up = true,
     QUIRKS(ENCODER, .first_without_norm = true, .embedding_norm = true, .window_after = true,
            .act_by_key = true, .ranks = true, .rank_mean = true, .rank_gelu = true)},
    {"neo-bert", "NeoBERT", RMS, PAIRS, SWIGLU, .gate_in_up = true,
     QUIRKS(ENCODER, .out_norm = "enc.output_norm", .ranks = true)},
    {"eurobert", "EuroBERT, Jina Embeddings 5", RMS, HALVES, SWIGLU, QUIRKS(ENCODER)},
    {"llama-embed", "Llama Embed Nemotron", RMS, PAIRS, SWIGLU, .rope_freqs = true,
     QUIRKS(ENCODER)},
    {"gemma-embedding", "EmbeddingGemma", RMS, HALVES, GEGLU, .post_norms = true,
     .head_norms = HEAD_NORMS_SHARED, .window_pattern = 6, .window = 512,
     .window_theta = 10000, .window_rope = WINDOW_ROPE_UNSCALED, .scale_embedding = true,
     QUIRKS(ENCODER, .dense = true)},
    {"clip", "CLIP, SigLIP, InternViT: vision towers", LAYER,
     QUIRKS(ENCODER, .is_vision_tower = true, .keys = "clip.vision", .names = clip_names,
            .blocks = "v.blk")},

    /* Draft heads for other models */
    {"eagle3", "EAGLE-3, a draft head for another model", RMS, PAIRS, SWIGLU,
     .wiring = &joined_wiring, .rope_freqs = true,
     QUIRKS(.is_draft_head = true, .names = eagle_names, .draft_before_norm = true)},
    {"gemma4-assistant", "Gemma 4's assistants, which draft for it", RMS, HALVES, GEGLU,
     .rope_freqs = true, .head_norms = HEAD_NORMS_SHARED, .post_norms = true,
     .window_theta = 10000, .window_rope = WINDOW_ROPE_UNSCALED,
     QUIRKS(.assists = "gemma4", .rope_freqs_needed = true, .rope_freqs_full = true,
            .score_scale = 1, .output_scale = true, .window_listed = true,
            .window_heads = true)},
};
/* clang-format on */

/* ------------------------------------------------------------------ files of plain families */

static bool has_experts(const Gguf *gguf) {
    double count = 0, used = 0;
    gguf_float(gguf_find(gguf, "llama.expert_count"), 0, &count);
    gguf_float(gguf_find(gguf, "llama.expert_used_count"), 0, &used);
    return count > 0 || used > 0;
}

static bool has_scores(const Gguf *gguf) {
    return gguf_find_tensor(gguf, "cls.output.weight") || gguf_find_tensor(gguf, "cls.weight");
}

static bool has_long_rope(const Gguf *gguf) {
    return gguf_find_tensor(gguf, "rope_factors_long.weight") ||
           gguf_find_tensor(gguf, "rope_factors_short.weight");
}

const MoreFiles more_files[] = {
    {"llama", has_experts, &(const Quirks){EXPERTS(SOFTMAX_CHOSEN)}, "Mixtral"},
    {"phi3", has_long_rope, &(const Quirks){.rope_long = true}, NULL},
    {"qwen3", has_scores, &(const Quirks){.ranks = true, .rank_softmax = true}, NULL},
    {0},
};

const MoreFamilies more_families = {
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .roles = more_roles,
    .n_roles = ROLES - CORE_ROLES,
    .find = find_more,
    .check_session = check_more_session,
    .layout_session = layout_more_session,
    .advice = "",
    .advice_on = advice_on_type,
};
