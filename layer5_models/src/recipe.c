/* recipe.c - all families in one table.  See recipe.h. */
#include "recipe.h"

static const Recipe recipes[] = {
    {.arch = "llama",
     .models = "Llama 1-3, Mistral, Mixtral, SmolLM2, TinyLlama, the storyteller",
     .norm = NORM_RMS,
     .rope = ROPE_INTERLEAVED,
     .act = ACT_SILU,
     .gated = true},
    {.arch = "mistral3",
     .models = "Ministral 3",
     .norm = NORM_RMS,
     .rope = ROPE_INTERLEAVED,
     .act = ACT_SILU,
     .gated = true,
     .temperature = true},
    {.arch = "qwen2",
     .models = "Qwen 1.5, 2, 2.5",
     .norm = NORM_RMS,
     .rope = ROPE_HALF_SPLIT,
     .act = ACT_SILU,
     .gated = true},
    {.arch = "qwen3",
     .models = "Qwen 3",
     .norm = NORM_RMS,
     .rope = ROPE_HALF_SPLIT,
     .act = ACT_SILU,
     .gated = true,
     .head_norms = true},
    {.arch = "gemma",
     .models = "Gemma 1",
     .norm = NORM_RMS,
     .rope = ROPE_HALF_SPLIT,
     .act = ACT_GELU_TANH,
     .gated = true,
     .scale_embedding = true},
    {.arch = "gemma2",
     .models = "Gemma 2",
     .norm = NORM_RMS,
     .rope = ROPE_HALF_SPLIT,
     .act = ACT_GELU_TANH,
     .gated = true,
     .post_norms = true,
     .scale_embedding = true,
     .attn_softcap = 50,
     .logit_softcap = 30,
     .window = 4096,
     .window_pattern = 2,
     .scale_by_dim_layers = 46},
    {.arch = "gemma3",
     .models = "Gemma 3",
     .norm = NORM_RMS,
     .rope = ROPE_HALF_SPLIT,
     .act = ACT_GELU_TANH,
     .gated = true,
     .head_norms = true,
     .post_norms = true,
     .scale_embedding = true,
     .logit_softcap = -1,
     .window_pattern = 6,
     .window_theta = 10000,
     .scale_by_dim_layers = 62},
    {.arch = "gpt2",
     .models = "GPT-2, DistilGPT-2",
     .norm = NORM_LAYER,
     .rope = ROPE_NONE,
     .learned_positions = true,
     .act = ACT_GELU_TANH},
};

const Recipe *recipe_find(Text arch) {
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (text_equal(arch, text_of(recipes[i].arch))) return &recipes[i];
    return NULL;
}

size_t recipe_list(const Recipe **list) {
    *list = recipes;
    return sizeof recipes / sizeof *recipes;
}
