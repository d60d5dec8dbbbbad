/* recipe.c - all families in one table.  See recipe.h; which tensors they have: recipe_need.c. */
#include "recipe.h"

/* With two norms (40B), attention has one of its own and the feed-forward reads the first. */
static const RoleName falcon_names[] = {{ROLE_ATTN_NORM, "attn_norm_2", "attn_norm_2"},
                                        {ROLE_FFN_NORM, "attn_norm", "attn_norm_2"},
                                        {0}};

/* The norm before the feed-forward, which stands after attention. */
static const RoleName moved_names[] = {{ROLE_FFN_NORM, "post_attention_norm", NULL}, {0}};

/* A block is one thing, a mixer or a network, behind the one norm. */
static const RoleName nemotron_h_names[] = {
    {ROLE_FFN_NORM, "attn_norm", "ffn_up"}, {ROLE_FFN_NORM, "attn_norm", "ffn_gate_inp"}, {0}};

/* Maps of Kimi's delta net go by way of few numbers, or are called as those of attention. */
static const RoleName kda_names[] = {{ROLE_DELTA_DECAY, "ssm_f_b", NULL},
                                     {ROLE_DELTA_GATE, "ssm_g_b", NULL},
                                     {ROLE_DELTA_OUT, "attn_output", NULL},
                                     {0}};

/* Norms stand behind the branches, and say so in their names. */
static const RoleName bert_names[] = {{ROLE_ATTN_NORM, "attn_output_norm", NULL},
                                      {ROLE_FFN_NORM, "layer_output_norm", NULL},
                                      {0}};

static const RoleName t5_names[] = {{ROLE_ATTN_OUTPUT, "attn_o", NULL}, {0}};

static const RoleName clip_names[] = {{ROLE_ATTN_NORM, "ln1", NULL},
                                      {ROLE_ATTN_OUTPUT, "attn_out", NULL},
                                      {ROLE_FFN_NORM, "ln2", NULL},
                                      {0}};

/* The norms of the two halves that attention reads, a token and what the model knew. */
static const RoleName eagle_names[] = {{ROLE_JOIN_TOKEN_NORM, "attn_norm", NULL},
                                       {ROLE_JOIN_HIDDEN_NORM, "attn_norm_2", NULL},
                                       {0}};

/* What most rows say, in a word: the norm, which numbers of a head turn together, the network between up
 * and down, experts and what their weights are a function of.  The keys are expert_gating_func,
 * expert_weights_norm and expert_weights_scale; with them comes a bias on the choice. */
#define RMS            .norm = NORM_RMS
#define LAYER          .norm = NORM_LAYER
#define PAIRS          .rope = ROPE_INTERLEAVED
#define HALVES         .rope = ROPE_HALF_SPLIT
#define SWIGLU         .act = ACT_SILU, .gated = true
#define GEGLU          .act = ACT_GELU_TANH, .gated = true
#define EXPERTS(SCORE) .experts = true, .router = ROUTER_##SCORE
#define EXPERTS_BY_KEY(SCORE) \
    EXPERTS(SCORE), .router_by_key = true, .weights_by_key = true, .choice_bias = true
/* Reads, and does not write; and so BERT, whose norms stand behind the branches */
#define ENCODER .both_ways = true, .vectors = true
#define BERT                                                                           \
    ENCODER, LAYER, .names = bert_names, .wiring = &after_wiring, .no_out_norm = true, \
                    .embedding_norm = true, .token_types = true

/* Distances have biases, and nothing scales scores: the weights do */
#define T5                                                                             \
    RMS, .act = ACT_GELU_TANH, .gated = true, .gate_or_relu = true, .names = t5_names, \
         .relative = true, .score_scale = 1

/* clang-format off */
static const Recipe recipes[] = {
    /* Llama and its line: RMS norms, rotation, a gated network */
    {"llama", "Llama 1-3, Mistral, Mixtral, SmolLM2, TinyLlama, the storyteller", RMS, PAIRS,
     SWIGLU, EXPERTS(SOFTMAX_CHOSEN), .rope_freqs = true, .window_everywhere = true},
    {"mistral3", "Ministral 3", RMS, PAIRS, SWIGLU, EXPERTS(SOFTMAX_CHOSEN), .rope_freqs = true,
     .yarn_multiplier = true, .temperature = true},
    {"qwen2", "Qwen 1.5, 2, 2.5", RMS, HALVES, SWIGLU},
    {"qwen3", "Qwen 3", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED, .ranks = true,
     .rank_softmax = true},
    {"smollm3", "SmolLM 3", RMS, PAIRS, SWIGLU, .no_rope_every = 4},
    {"granite", "Granite 3", RMS, PAIRS, SWIGLU, EXPERTS(SOFTMAX_CHOSEN), .rope_by_key = true,
     .rope_freqs = true, .scales = SCALES_GRANITE},
    {"qwen", "Qwen 1", RMS, HALVES, SWIGLU, .half_hidden = true},
    {"olmo2", "OLMo 2, OLMo 3", RMS, HALVES, SWIGLU, .no_pre_norms = true, .post_norms = true,
     .head_norms = HEAD_NORMS_ROW, .window_pattern = 4, .window_stretching = WINDOW_AS_TRAINED},
    {"phi3", "Phi 3, Phi 4", RMS, HALVES, SWIGLU, .rope_long = true, .window_everywhere = true,
     .gate_in_up = true},
    {"ernie4_5", "ERNIE 4.5", RMS, PAIRS, SWIGLU},
    {"seed_oss", "Seed-OSS", RMS, HALVES, SWIGLU, .names = moved_names},
    {"glm4", "GLM 4", RMS, PAIRS, SWIGLU, .post_norms = true, .gate_in_up = true, .draft_heads = true},
    {"exaone4", "EXAONE 4", RMS, HALVES, SWIGLU, .no_pre_norms = true, .post_norms = true,
     .rope_windows_only = true, .head_norms = HEAD_NORMS_SHARED, .window_pattern = 4,
     .window = 4096, .window_layers = 64, .draft_heads = true},
    {"hunyuan-dense", "Hunyuan", RMS, HALVES, SWIGLU, .rope_freqs = true, .rope_alpha = true,
     .head_norms = HEAD_NORMS_SHARED, .head_norms_late = true},
    {"minicpm", "MiniCPM 1, 2, 4", RMS, PAIRS, SWIGLU, .rope_long = true, .rope_freqs = true,
     .scales = SCALES_MINICPM},
    {"maincoder", "Maincoder", RMS, PAIRS, SWIGLU, .head_norms = HEAD_NORMS_SHARED,
     .head_norms_late = true},
    {"pangu-embedded", "openPangu Embedded", RMS, HALVES, SWIGLU, .rope_freqs = true},
    {"qwen3vl", "Qwen 3 VL, its text", RMS, HALVES, SWIGLU, .rope_sections = true,
     .head_norms = HEAD_NORMS_SHARED, .ranks = true, .rank_softmax = true},
    {"arcee", "Arcee AFM", RMS, PAIRS, .act = ACT_RELU_SQUARED, .rope_freqs = true},
    {"bitnet", "BitNet b1.58", RMS, HALVES, SWIGLU, .sub_norms = true},
    {"apertus", "Apertus", RMS, HALVES, .act = ACT_XIELU, .rope_freqs = true,
     .head_norms = HEAD_NORMS_SHARED},

    /* The line of GPT: norms with a mean, biases, most networks without a gate */
    {"stablelm", "StableLM", LAYER, HALVES, SWIGLU, .parallel_by_norm = true,
     .head_norms = HEAD_NORMS_OWN},
    {"command-r", "Command R", LAYER, PAIRS, SWIGLU, .wiring = &parallel_wiring,
     .head_norms = HEAD_NORMS_OWN, .scales = SCALES_COHERE},
    {"phi2", "Phi 1, 1.5, 2", LAYER, HALVES, .act = ACT_GELU_TANH, .wiring = &parallel_wiring},
    {"gptj", "GPT-J", LAYER, PAIRS, .act = ACT_GELU_TANH, .wiring = &parallel_wiring},
    {"gptneox", "GPT-NeoX, Pythia", LAYER, HALVES, .act = ACT_GELU_TANH, .parallel_by_key = true},
    {"falcon", "Falcon 7B, 40B", LAYER, HALVES, .act = ACT_GELU_TANH, .names = falcon_names,
     .wiring = &parallel_wiring},
    {"gpt2", "GPT-2, DistilGPT-2", LAYER, .act = ACT_GELU_TANH, .learned_positions = true},
    {"starcoder", "StarCoder, SantaCoder", LAYER, .act = ACT_GELU_TANH, .learned_positions = true},
    {"starcoder2", "StarCoder 2", LAYER, HALVES, .act = ACT_GELU_TANH, .window_everywhere = true},
    {"bloom", "BLOOM", LAYER, .act = ACT_GELU_TANH, .embedding_norm = true, .max_bias = 8},
    {"mpt", "MPT", LAYER, .act = ACT_GELU_TANH, .max_bias = -1, .clamp = true},
    {"cohere2", "Command R7B, Command A", LAYER, PAIRS, SWIGLU, .wiring = &parallel_wiring,
     .rope_windows_only = true, .window_pattern = 4, .scales = SCALES_COHERE},
    {"jais2", "Jais 2", LAYER, HALVES, .act = ACT_RELU_SQUARED},

    /* Gemma: norms on both sides, large embeddings */
    {"gemma", "Gemma 1", RMS, HALVES, GEGLU, .scale_embedding = true},
    {"gemma2", "Gemma 2", RMS, HALVES, GEGLU, .post_norms = true, .scale_embedding = true,
     .attn_softcap = 50, .logit_softcap = 30, .window = 4096, .window_pattern = 2,
     .scale_by_dim_layers = 46},
    {"gemma3", "Gemma 3", RMS, HALVES, GEGLU, .head_norms = HEAD_NORMS_SHARED, .post_norms = true,
     .scale_embedding = true, .logit_softcap = -1, .window_pattern = 6, .window_theta = 10000,
     .window_stretching = WINDOW_UNSTRETCHED, .scale_by_dim_layers = 62},
    {"gemma3n", "Gemma 3n", RMS, HALVES, GEGLU, .wiring = &laurel_wiring, .cut_layers = 10,
     .head_norms = HEAD_NORMS_SHARED, .post_norms = true, .value_norms = true, .score_scale = 1,
     .own_kv = 20, .idle_kv = true, .layer_input = 256, .streams = 4, .laurel = 64,
     .scale_embedding = true, .logit_softcap = 30, .window_pattern = 5, .window_theta = 10000,
     .window_stretching = WINDOW_UNSTRETCHED},
    {"gemma4", "Gemma 4", RMS, HALVES, GEGLU, EXPERTS(SOFTMAX), .rope_freqs = true,
     .rope_freqs_needed = true, .rope_freqs_full = true, .renormalize = true, .beside = true,
     .head_norms = HEAD_NORMS_SHARED, .post_norms = true, .value_norms = true,
     .keys_as_values = true, .score_scale = 1, .own_kv = ALL_LAYERS,
     .layer_input = LAYER_INPUT_SAID, .output_scale = true, .scale_embedding = true,
     .logit_softcap = -1, .window_listed = true, .window_heads = true, .window_theta = 10000,
     .window_stretching = WINDOW_UNSTRETCHED},

    /* Mixtures of experts */
    {"llama4", "Llama 4", RMS, PAIRS, SWIGLU, EXPERTS(SIGMOID), .rope_freqs = true,
     .no_rope_every = 4, .chunk = 8192, .no_rope_temperature_ctx = 8192,
     .head_norms = HEAD_NORMS_UNIT, .choice_bias = true, .weight_input = true},
    {"qwen3moe", "Qwen 3 MoE", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX),
     .head_norms = HEAD_NORMS_SHARED, .renormalize = true, .split_hidden = true},
    {"granitemoe", "Granite 3 MoE", RMS, PAIRS, SWIGLU, EXPERTS(SOFTMAX), .rope_by_key = true,
     .rope_freqs = true, .renormalize = true, .scales = SCALES_GRANITE},
    {"qwen2moe", "Qwen 1.5 MoE, Qwen 2 MoE", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX),
     .shared_gate = true, .split_hidden = true},
    {"olmoe", "OLMoE", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .head_norms = HEAD_NORMS_ROW},
    {"phimoe", "Phi 3.5 MoE", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .norm_bias = true,
     .rope_long = true, .window_everywhere = true, .renormalize = true},
    {"gpt-oss", "gpt-oss", RMS, HALVES, .act = ACT_SWIGLU_CLAMPED, .gated = true,
     EXPERTS(SOFTMAX_CHOSEN), .names = moved_names, .sinks = true, .window_pattern = 2},
    {"ernie4_5-moe", "ERNIE 4.5 MoE", RMS, PAIRS, SWIGLU, EXPERTS(SOFTMAX), .renormalize = true,
     .choice_bias = true},
    {"glm4moe", "GLM 4.5, 4.6", RMS, HALVES, SWIGLU, EXPERTS_BY_KEY(SIGMOID), .names = moved_names,
     .head_norms = HEAD_NORMS_MAYBE, .draft_heads = true},
    {"exaone-moe", "K-EXAONE", RMS, HALVES, SWIGLU, EXPERTS_BY_KEY(SIGMOID),
     .rope_windows_only = true, .rope_freqs = true, .head_norms = HEAD_NORMS_SHARED,
     .window_pattern = 4, .draft_heads = true},
    {"hunyuan-moe", "Hunyuan A13B", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .rope_freqs = true,
     .rope_alpha = true, .head_norms = HEAD_NORMS_SHARED, .head_norms_late = true,
     .renormalize = true},
    {"minimax-m2", "MiniMax M2", RMS, HALVES, SWIGLU, EXPERTS(SIGMOID),
     .head_norms = HEAD_NORMS_ROW, .router_by_key = true, .renormalize = true, .choice_bias = true},
    {"bailingmoe2", "Ling 2, Ring 2", RMS, HALVES, SWIGLU, EXPERTS_BY_KEY(SIGMOID),
     .head_norms = HEAD_NORMS_SHARED, .draft_heads = true},
    {"dots1", "dots.llm1", RMS, HALVES, SWIGLU, EXPERTS_BY_KEY(SOFTMAX),
     .head_norms = HEAD_NORMS_SHARED},
    {"mellum", "Mellum", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .head_norms = HEAD_NORMS_SHARED,
     .window_pattern = 4, .window_stretching = WINDOW_AS_TRAINED, .renormalize = true},
    {"afmoe", "Trinity", RMS, HALVES, SWIGLU, EXPERTS_BY_KEY(SIGMOID), .post_norms = true,
     .no_rope_every = 4, .head_norms = HEAD_NORMS_SHARED, .gate = GATE_NUMBER, .window_pattern = 4,
     .scale_embedding = true},
    {"mimo2", "MiMo V2", RMS, HALVES, SWIGLU, EXPERTS(SIGMOID), .sinks_maybe = true,
     .value_scale = true, .window_listed = true, .window_theta = 10000,
     .window_stretching = WINDOW_UNSTRETCHED, .renormalize = true, .choice_bias = true, .draft_heads = true},
    {"step35", "Step 3.5", RMS, HALVES, SWIGLU, EXPERTS_BY_KEY(SIGMOID), .rope_freqs = true,
     .rope_freqs_full = true, .rope_full_half = true, .head_norms = HEAD_NORMS_MAYBE,
     .gate = GATE_HEAD, .window_listed = true, .window_theta = 10000,
     .window_stretching = WINDOW_UNSTRETCHED, .limits = true, .draft_heads = true, .draft_bare = true},

    /* Keys and values by way of latents */
    {"deepseek2", "DeepSeek V2, V3, R1, Kimi K2", RMS, PAIRS, SWIGLU, EXPERTS_BY_KEY(SOFTMAX),
     .latents = true, .draft_heads = true},
    {"deepseek32", "DeepSeek V3.2", RMS, PAIRS, SWIGLU, EXPERTS_BY_KEY(SOFTMAX), .latents = true,
     .indexer = INDEXER_CHOOSES, .draft_heads = true},
    {"glm-dsa", "GLM 5", RMS, PAIRS, SWIGLU, EXPERTS_BY_KEY(SIGMOID), .latents = true,
     .indexer = INDEXER_IDLE, .draft_heads = true},
    {"mistral4", "Mistral Small 4", RMS, PAIRS, SWIGLU, EXPERTS_BY_KEY(SOFTMAX), .latents = true,
     .temperature = true},
    {"minicpm3", "MiniCPM 3", RMS, HALVES, SWIGLU, .rope_long = true, .rope_freqs = true,
     .latents = true, .scales = SCALES_MINICPM3},

    /* States beside attention, or in its place */
    {"mamba", "Mamba, Falcon Mamba", RMS, .recurrent = RECURRENT_MAMBA},
    {"mamba2", "Mamba 2, Codestral Mamba", RMS, .recurrent = RECURRENT_MAMBA2},
    {"rwkv7", "RWKV 7", LAYER, .embedding_norm = true, .recurrent = RECURRENT_RWKV},
    {"jamba", "Jamba", RMS, SWIGLU, EXPERTS(SOFTMAX), .recurrent = RECURRENT_MAMBA,
     .ssm_norms = true},
    {"granitehybrid", "Granite 4 H", RMS, PAIRS, SWIGLU, EXPERTS(SOFTMAX), .rope_by_key = true,
     .recurrent = RECURRENT_MAMBA2, .renormalize = true, .scales = SCALES_GRANITE},
    {"falcon-h1", "Falcon H1", RMS, HALVES, SWIGLU, .recurrent = RECURRENT_MAMBA2,
     .ssm_norm_maybe = true},
    {"nemotron_h", "Nemotron H, Nemotron Nano 2", RMS, .act = ACT_RELU_SQUARED,
     .names = nemotron_h_names, .recurrent = RECURRENT_MAMBA2},
    {"lfm2", "LFM 2", RMS, HALVES, SWIGLU, .out_norm = "token_embd_norm",
     .head_norms = HEAD_NORMS_SHARED, .recurrent = RECURRENT_SHORT_CONV},
    {"lfm2moe", "LFM 2 MoE", RMS, HALVES, SWIGLU, EXPERTS(SIGMOID), .out_norm = "token_embd_norm",
     .head_norms = HEAD_NORMS_SHARED, .recurrent = RECURRENT_SHORT_CONV, .choice_bias = true,
     .renormalize = true},
    {"nemotron_h_moe", "Nemotron 3 Nano", RMS, .act = ACT_RELU_SQUARED, EXPERTS_BY_KEY(SIGMOID),
     .names = nemotron_h_names, .recurrent = RECURRENT_MAMBA2, .latent_experts = true},
    {"qwen35", "Qwen 3.5", RMS, HALVES, SWIGLU, .names = moved_names, .rope_sections = true,
     .head_norms = HEAD_NORMS_SHARED, .gate = GATE_IN_Q, .recurrent = RECURRENT_DELTA_TILED, .draft_heads = true},
    {"qwen35moe", "Qwen 3.5 MoE", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .names = moved_names,
     .rope_sections = true, .head_norms = HEAD_NORMS_SHARED, .gate = GATE_IN_Q,
     .recurrent = RECURRENT_DELTA_TILED, .shared_gate = true, .renormalize = true, .draft_heads = true},
    {"qwen3next", "Qwen 3 Next", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .names = moved_names,
     .head_norms = HEAD_NORMS_SHARED, .gate = GATE_IN_Q, .recurrent = RECURRENT_DELTA,
     .shared_gate = true, .renormalize = true, .draft_heads = true},
    {"kimi-linear", "Kimi Linear", RMS, SWIGLU, EXPERTS_BY_KEY(SIGMOID), .names = kda_names,
     .latents = true, .recurrent = RECURRENT_KDA, .renormalize = true},

    /* One text is read both ways, and another one written that looks at it */
    {"t5", "T5, Flan-T5, mT5, umT5", T5, .blocks = "dec.blk", .encoder = "enc.blk",
     .out_norm = "dec.output_norm", .scale_tied = true},

    /* Tokens see both ways */
    {"llada", "LLaDA", RMS, PAIRS, SWIGLU, .both_ways = true},
    {"llada-moe", "LLaDA MoE", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .both_ways = true,
     .head_norms = HEAD_NORMS_SHARED},
    {"dream", "Dream", RMS, HALVES, SWIGLU, .both_ways = true},
    {"rnd1", "RND1", RMS, HALVES, SWIGLU, EXPERTS(SOFTMAX), .both_ways = true,
     .head_norms = HEAD_NORMS_SHARED, .renormalize = true},
    {"t5encoder", "encoders of T5, mT5, umT5", ENCODER, T5, .blocks = "enc.blk",
     .out_norm = "enc.output_norm"},
    {"bert", "BERT, RoBERTa, MiniLM, BGE, E5, GTE, bge-reranker", BERT, .act = ACT_GELU_TANH,
     .learned_positions = true, .ranks = true},
    {"nomic-bert", "Nomic Embed Text 1, 1.5", BERT, HALVES, SWIGLU},
    {"nomic-bert-moe", "Nomic Embed Text 2", BERT, HALVES, .act = ACT_GELU_TANH,
     EXPERTS(SOFTMAX)},
    {"jina-bert-v2", "Jina Embeddings 2, Jina Reranker 1", BERT, GEGLU, .second_norm = true,
     .head_norms = HEAD_NORMS_ROW_MAYBE, .max_bias = 8, .gate_maybe = true, .ranks = true},
    {"jina-bert-v3", "Jina Embeddings 3", BERT, HALVES, .act = ACT_GELU_TANH},
    {"modern-bert", "ModernBERT, GTE ModernBERT, Granite Embedding 2", ENCODER, LAYER, HALVES,
     GEGLU, .first_bare = true, .embedding_norm = true, .window_pattern = 3,
     .window_after = true, .window_theta = 10000, .window_stretching = WINDOW_UNSTRETCHED,
     .act_by_key = true, .gate_in_up = true, .ranks = true, .rank_mean = true,
     .rank_gelu = true},
    {"neo-bert", "NeoBERT", ENCODER, RMS, PAIRS, SWIGLU, .out_norm = "enc.output_norm",
     .gate_in_up = true, .ranks = true},
    {"eurobert", "EuroBERT, Jina Embeddings 5", ENCODER, RMS, HALVES, SWIGLU},
    {"llama-embed", "Llama Embed Nemotron", ENCODER, RMS, PAIRS, SWIGLU, .rope_freqs = true},
    {"gemma-embedding", "EmbeddingGemma", ENCODER, RMS, HALVES, GEGLU, .post_norms = true,
     .head_norms = HEAD_NORMS_SHARED, .window_pattern = 6, .window = 512,
     .window_theta = 10000, .window_stretching = WINDOW_UNSTRETCHED, .scale_embedding = true,
     .dense = true},
    {"clip", "CLIP, the eye of LLaVA 1.5", ENCODER, LAYER, .sees = true, .keys = "clip.vision",
     .names = clip_names, .blocks = "v.blk"},

    /* Guess for another model */
    {"eagle3", "EAGLE-3, a draft head for another model", RMS, PAIRS, SWIGLU, .guesses = true,
     .names = eagle_names, .wiring = &joined_wiring, .rope_freqs = true, .draft_bare = true},
};
/* clang-format on */

const Recipe *recipe_find(Text arch) {
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (text_equal(arch, text_of(recipes[i].arch))) return &recipes[i];
    return NULL;
}

size_t recipe_list(const Recipe **list) {
    *list = recipes;
    return sizeof recipes / sizeof *recipes;
}
