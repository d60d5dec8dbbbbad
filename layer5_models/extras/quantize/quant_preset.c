/* quant_preset.c - see quant_preset.h. */
#include "quant_preset.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* general.file_type of presets that give some matrices more bits. */
enum {
    FILE_Q2_K = 10,
    FILE_Q3_K_M = 12,
    FILE_Q3_K_L = 13,
    FILE_Q4_K_S = 14,
    FILE_Q4_K_M = 15,
    FILE_Q5_K_M = 17
};

static const QuantPreset presets[] = {
    {"F32", 0, DTYPE_F32, "everything"},
    {"F16", 1, DTYPE_F16, "half precision"},
    {"BF16", 32, DTYPE_BF16, "half precision, the range of F32"},
    {"Q8_0", 7, DTYPE_Q8_0, "hardly different from F16"},
    {"Q6_K", 18, DTYPE_Q6_K, "very small loss"},
    {"Q5_K_M", FILE_Q5_K_M, DTYPE_Q5_K, "small loss"},
    {"Q5_K_S", 16, DTYPE_Q5_K, "Q5_K for all but the output"},
    {"Q5_1", 9, DTYPE_Q5_1, "the older five bits, with an offset"},
    {"Q5_0", 8, DTYPE_Q5_0, "the older five bits"},
    {"Q4_K_M", FILE_Q4_K_M, DTYPE_Q4_K, "what most people use"},
    {"Q4_K_S", FILE_Q4_K_S, DTYPE_Q4_K, "Q4_K nearly throughout"},
    {"IQ4_NL", 25, DTYPE_IQ4_NL, "four bits, levels closer near zero"},
    {"IQ4_XS", 30, DTYPE_IQ4_XS, "the same in larger blocks"},
    {"Q4_1", 3, DTYPE_Q4_1, "the older four bits, with an offset"},
    {"Q4_0", 2, DTYPE_Q4_0, "the older four bits, the fastest"},
    {"NVFP4", 39, DTYPE_NVFP4, "four-bit floats, a scale for each 16"},
    {"MXFP4", 38, DTYPE_MXFP4, "four-bit floats, a power of two for each 32"},
    {"Q3_K_L", FILE_Q3_K_L, DTYPE_Q3_K, "three bits, much of it in five"},
    {"Q3_K_M", FILE_Q3_K_M, DTYPE_Q3_K, "three bits, some of it in four and five"},
    {"Q3_K_S", 11, DTYPE_Q3_K, "three bits nearly throughout"},
    {"IQ3_S", 26, DTYPE_IQ3_S, "points of a grid; from here on with --importance"},
    {"IQ3_XXS", 23, DTYPE_IQ3_XXS, "three bits, some of it in two and four"},
    {"Q2_K", FILE_Q2_K, DTYPE_Q2_K, "two bits, some of it in three and four"},
    {"IQ2_S", 28, DTYPE_IQ2_S, "two and a half bits, some of it in three and four"},
    {"IQ2_XS", 20, DTYPE_IQ2_XS, "the same with a smaller grid"},
    {"IQ2_XXS", 19, DTYPE_IQ2_XXS, "the same with a still smaller one"},
    {"IQ1_M", 31, DTYPE_IQ1_M, "one bit and three quarters"},
    {"IQ1_S", 24, DTYPE_IQ1_S, "one bit and a half: little is left"},
    {"TQ2_0", 37, DTYPE_TQ2_0, "for models trained with weights -1, 0, 1"},
    {"TQ1_0", 36, DTYPE_TQ1_0, "the same in five digits a byte"},
    {"Q1_0", 40, DTYPE_Q1_0, "for models trained with weights -1, 1"},
};
enum { PRESETS = sizeof presets / sizeof *presets };

size_t quant_preset_list(const QuantPreset **list) {
    *list = presets;
    return PRESETS;
}

const QuantPreset *quant_preset_find(const char *name, Fault *fault) {
    const char *wanted = strcasecmp(name, "Q4_K") == 0   ? "Q4_K_M"
                         : strcasecmp(name, "Q5_K") == 0 ? "Q5_K_M"
                         : strcasecmp(name, "Q3_K") == 0 ? "Q3_K_M"
                                                         : name;
    for (size_t i = 0; i < PRESETS; i++)
        if (strcasecmp(wanted, presets[i].name) == 0) return &presets[i];
    char names[PRESETS * 16] = "", hint[80];
    for (size_t i = 0; i < PRESETS; i++) strcat(strcat(names, " "), presets[i].name);
    fault_set(fault,
              "no format '%.20s' that can be written: strata quantize --list names them%s",
              name, nearest_hint(hint, sizeof hint, text_of(name), names));
    return NULL;
}

static size_t quant_preset_layer_of(Text name) {
    return name.size > 4 && memcmp(name.data, "blk.", 4) == 0 ? strtoul(name.data + 4, NULL, 10)
                                                              : 0;
}

/* The first eighth, the last eighth and every third layer between. */
static bool use_more_bits(size_t layer, size_t layers) {
    return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

static Dtype value_dtype(const QuantPreset *m, size_t layer, size_t layers) {
    switch (m->file_type) {
    case FILE_Q4_K_M:
    case FILE_Q5_K_M: return use_more_bits(layer, layers) ? DTYPE_Q6_K : m->dtype;
    case FILE_Q4_K_S: return layer < 4 ? DTYPE_Q5_K : m->dtype;
    case FILE_Q3_K_L: return DTYPE_Q5_K;
    case FILE_Q3_K_M: return layer < 2 ? DTYPE_Q5_K : DTYPE_Q4_K;
    case FILE_Q2_K: return DTYPE_Q4_K;
    default: return m->dtype;
    }
}

static Dtype down_dtype(const QuantPreset *m, size_t layer, size_t layers) {
    switch (m->file_type) {
    case FILE_Q4_K_M:
    case FILE_Q5_K_M: return use_more_bits(layer, layers) ? DTYPE_Q6_K : m->dtype;
    case FILE_Q4_K_S: return layer < layers / 8 ? DTYPE_Q5_K : m->dtype;
    case FILE_Q3_K_L: return DTYPE_Q5_K;
    case FILE_Q3_K_M:
        return layer < layers / 16            ? DTYPE_Q5_K
               : use_more_bits(layer, layers) ? DTYPE_Q4_K
                                              : DTYPE_Q3_K;
    case FILE_Q2_K: return DTYPE_Q3_K;
    default: return m->dtype;
    }
}

bool quant_preset_is_fitted(Dtype dtype) {
    return dtype_is_quantized(dtype) && dtype != DTYPE_Q8_0 && dtype != DTYPE_MXFP4 &&
           dtype != DTYPE_NVFP4 && dtype != DTYPE_TQ1_0 && dtype != DTYPE_TQ2_0 &&
           dtype != DTYPE_Q1_0;
}

/* What the files of the IQ1 to IQ3 formats have in others. */
typedef struct GridMix {
    Dtype of, output, embedding, mixed, query_key; /* mixed: attention's output */
    Dtype first_down;                              /* of the first eighth of the layers */
} GridMix;

static const GridMix grid_mixes[] = {
    {DTYPE_IQ1_S, DTYPE_Q5_K, DTYPE_Q2_K, DTYPE_IQ2_XXS, DTYPE_IQ1_S, DTYPE_Q2_K},
    {DTYPE_IQ1_M, DTYPE_Q5_K, DTYPE_Q2_K, DTYPE_IQ2_XXS, DTYPE_IQ1_M, DTYPE_Q2_K},
    {DTYPE_IQ2_XXS, DTYPE_Q5_K, DTYPE_Q2_K, DTYPE_IQ2_XXS, DTYPE_IQ2_XXS, DTYPE_Q2_K},
    {DTYPE_IQ2_XS, DTYPE_Q5_K, DTYPE_Q2_K, DTYPE_IQ2_XS, DTYPE_IQ2_XS, DTYPE_Q2_K},
    {DTYPE_IQ2_S, DTYPE_Q5_K, DTYPE_IQ3_S, DTYPE_IQ3_S, DTYPE_IQ2_S, DTYPE_IQ3_S},
    {DTYPE_IQ3_XXS, DTYPE_Q5_K, DTYPE_IQ3_S, DTYPE_IQ3_S, DTYPE_IQ2_S, DTYPE_IQ3_XXS},
    {DTYPE_IQ3_S, DTYPE_Q6_K, DTYPE_IQ3_S, DTYPE_IQ3_S, DTYPE_IQ3_S, DTYPE_IQ3_S},
};

static Dtype by_mix(const GridMix *mix, Text name, size_t layers) {
    if (text_equal(name, text_of("output.weight"))) return mix->output;
    if (text_equal(name, text_of("token_embd.weight"))) return mix->embedding;
    if (text_ends(name, text_of("attn_v.weight"))) return DTYPE_Q4_K;
    if (text_ends(name, text_of("attn_output.weight"))) return mix->mixed;
    if (text_ends(name, text_of("attn_q.weight")) || text_ends(name, text_of("attn_k.weight")))
        return mix->query_key;
    if (text_ends(name, text_of("ffn_down.weight")) && quant_preset_layer_of(name) < layers / 8)
        return mix->first_down;
    return mix->of;
}

static Dtype by_rule(const QuantPreset *m, Text name, size_t layers) {
    bool small = quant_preset_is_fitted(m->dtype);
    for (size_t i = 0; i < sizeof grid_mixes / sizeof *grid_mixes; i++)
        if (grid_mixes[i].of == m->dtype) return by_mix(&grid_mixes[i], name, layers);
    if (text_equal(name, text_of("output.weight"))) return small ? DTYPE_Q6_K : m->dtype;
    if (text_ends(name, text_of("attn_v.weight")))
        return value_dtype(m, quant_preset_layer_of(name), layers);
    if (text_ends(name, text_of("ffn_down.weight")))
        return down_dtype(m, quant_preset_layer_of(name), layers);
    if (text_ends(name, text_of("attn_output.weight"))) {
        if (m->file_type == FILE_Q3_K_L) return DTYPE_Q5_K;
        if (m->file_type == FILE_Q3_K_M) return DTYPE_Q4_K;
        if (m->file_type == FILE_Q2_K) return DTYPE_Q3_K;
    }
    return m->dtype;
}

/* The format with blocks of 32 that takes about as many bits. */
static Dtype fallback(Dtype dtype) {
    switch (dtype) {
    case DTYPE_Q6_K: return DTYPE_Q8_0;
    case DTYPE_Q5_K: return DTYPE_Q5_1;
    case DTYPE_Q4_K: return DTYPE_Q5_0;
    case DTYPE_Q2_K:
    case DTYPE_Q3_K:
    case DTYPE_IQ1_S:
    case DTYPE_IQ1_M:
    case DTYPE_IQ2_XXS:
    case DTYPE_IQ2_XS:
    case DTYPE_IQ2_S:
    case DTYPE_IQ3_XXS:
    case DTYPE_IQ3_S:
    case DTYPE_NVFP4:
    case DTYPE_IQ4_XS: return DTYPE_IQ4_NL;
    default: return DTYPE_F16;
    }
}

Dtype quant_preset_dtype(const QuantPreset *preset, Text name, size_t layers, size_t row,
                         bool pure) {
    Dtype dtype = pure ? preset->dtype : by_rule(preset, name, layers);
    while (row % dtype_info(dtype)->block) dtype = fallback(dtype);
    return dtype;
}

bool quant_preset_keeps(Text name, int ndim) {
    static const char *const parts[] = {"_norm",          "ffn_gate_inp",   "position_embd",
                                        "ssm_conv1d",     "attn_rel_b",     "time_mix_lerp",
                                        "time_mix_decay", "time_mix_first", "time_mix_w0",
                                        "time_mix_w1",    "time_mix_w2",    "time_mix_a0",
                                        "time_mix_a1",    "time_mix_a2",    "time_mix_v0",
                                        "time_mix_v1",    "time_mix_v2",    "time_mix_g1",
                                        "time_mix_g2"}; /* RWKV's small ones */
    if (ndim < 2 || !text_ends(name, text_of(".weight"))) return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memmem(name.data, name.size, parts[i], strlen(parts[i]))) return true;
    return false;
}

bool quant_preset_misfit(const char *tensor, Dtype dtype, Fault *fault) {
    return fault_set(fault, "'%s' holds a number that %s cannot: none, infinite or too large",
                     tensor, dtype_name(dtype));
}
