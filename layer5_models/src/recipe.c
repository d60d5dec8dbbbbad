/* recipe.c - the families of plain decoders in one table.  See recipe.h. */
#include "model/bind.h"

/* clang-format off */
static const Recipe recipes[] = {
    /* Llama and relatives: RMS norms, rotary positions, a gated network */
    {"llama", "Llama 1-3, Mistral, SmolLM2, TinyLlama, the storyteller", RMS, PAIRS,
     SWIGLU, .rope_freqs = true, .window_everywhere = true},
    {"qwen2", "Qwen 1.5, 2, 2.5", RMS, HALVES, SWIGLU},
    {"qwen3", "Qwen 3", RMS, HALVES, SWIGLU, .head_norms = HEAD_NORMS_SHARED},
    {"smollm3", "SmolLM 3", RMS, PAIRS, SWIGLU, .no_rope_every = 4},
    {"olmo2", "OLMo 2, OLMo 3", RMS, HALVES, SWIGLU, .no_pre_norms = true, .post_norms = true,
     .head_norms = HEAD_NORMS_ROW, .window_pattern = 4, .window_rope = WINDOW_ROPE_AS_TRAINED},
    {"phi3", "Phi 3, Phi 4", RMS, HALVES, SWIGLU, .window_everywhere = true, .gate_in_up = true},
    {"ernie4_5", "ERNIE 4.5", RMS, PAIRS, SWIGLU},
    {"pangu-embedded", "openPangu Embedded", RMS, HALVES, SWIGLU, .rope_freqs = true},
    {"arcee", "Arcee AFM", RMS, PAIRS, .act = ACT_RELU_SQUARED, .rope_freqs = true},

    /* GPT and relatives: norms with a mean, biases, most networks without a gate */
    {"phi2", "Phi 1, 1.5, 2", LAYER, HALVES, .act = ACT_GELU_TANH, .wiring = &parallel_wiring},
    {"gptj", "GPT-J", LAYER, PAIRS, .act = ACT_GELU_TANH, .wiring = &parallel_wiring},
    {"gptneox", "GPT-NeoX, Pythia", LAYER, HALVES, .act = ACT_GELU_TANH, .parallel_by_key = true},
    {"gpt2", "GPT-2, DistilGPT-2", LAYER, .act = ACT_GELU_TANH, .learned_positions = true},
    {"starcoder", "StarCoder, SantaCoder", LAYER, .act = ACT_GELU_TANH, .learned_positions = true},
    {"starcoder2", "StarCoder 2", LAYER, HALVES, .act = ACT_GELU_TANH, .window_everywhere = true},
    {"jais2", "Jais 2", LAYER, HALVES, .act = ACT_RELU_SQUARED},

    /* Gemma: norms before and after, scaled embeddings */
    {"gemma", "Gemma 1", RMS, HALVES, GEGLU, .scale_embedding = true},
    {"gemma2", "Gemma 2", RMS, HALVES, GEGLU, .post_norms = true, .scale_embedding = true,
     .attn_softcap = 50, .logit_softcap = 30, .window = 4096, .window_pattern = 2,
     .scale_by_dim_layers = 46},
    {"gemma3", "Gemma 3", RMS, HALVES, GEGLU, .head_norms = HEAD_NORMS_SHARED, .post_norms = true,
     .scale_embedding = true, .logit_softcap = -1, .window_pattern = 6, .window_theta = 10000,
     .window_rope = WINDOW_ROPE_UNSCALED, .scale_by_dim_layers = 62},
};
/* clang-format on */

enum { CORE_RECIPES = sizeof recipes / sizeof *recipes };

const Recipe *recipe_row(size_t i) {
    if (i < CORE_RECIPES) return &recipes[i];
    return i - CORE_RECIPES < more_families.n_rows ? &more_families.rows[i - CORE_RECIPES]
                                                   : NULL;
}

const Recipe *recipe_find(Text arch) {
    const Recipe *row;
    for (size_t i = 0; (row = recipe_row(i)); i++)
        if (text_equal(arch, text_of(row->arch))) return row;
    return NULL;
}
