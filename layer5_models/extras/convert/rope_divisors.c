/* rope_divisors.c - rope scaling that becomes a tensor: a divisor for each pair.  See parts.h
 * and rope_scaling.c. */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const divisor_names[3] = {"rope_freqs.weight", "rope_factors_long.weight",
                                      "rope_factors_short.weight"};

/* Fast pairs of the old context are unchanged, slow ones divided by the factor, with a ramp
 * between.
 *
 * Source   the transformers library's rope_utils, _compute_llama3_parameters. */
static double divisor(double wavelength, double factor, double low, double high,
                      double trained) {
    if (wavelength < trained / high) return 1;
    if (wavelength > trained / low) return factor;
    double smooth = (trained / wavelength - low) / (high - low);
    return 1 / ((1 - smooth) / factor + smooth);
}

/* Memory for a list; the number of pairs that rotate is c->n_divisors. */
static float *new_divisors(Conversion *c, int which) {
    c->divisors[which] = malloc((c->n_divisors + 1) * sizeof(float));
    if (!c->divisors[which]) REFUSE(c, "no memory for %zu divisors", c->n_divisors);
    return c->divisors[which];
}

bool plan_divisors(Conversion *c, const JsonValue *scaling, double theta) {
    static const char *const known[] = {"type",
                                        "rope_type",
                                        "factor",
                                        "rope_theta",
                                        "low_freq_factor",
                                        "high_freq_factor",
                                        "original_max_position_embeddings",
                                        NULL};
    double factor, low, high, trained;
    if (!json_number(json_get(scaling, "factor"), &factor) ||
        !json_number(json_get(scaling, "low_freq_factor"), &low) ||
        !json_number(json_get(scaling, "high_freq_factor"), &high) ||
        !json_number(json_get(scaling, "original_max_position_embeddings"), &trained))
        return REFUSE(c,
                      "config.json: rope_scaling of type llama3 needs factor, low_freq_factor, "
                      "high_freq_factor and original_max_position_embeddings");
    if (!c->recipe->rope_freqs)
        return REFUSE(c,
                      "config.json: models of this family have no rope_scaling of type llama3");
    if (!(factor > 0 && low > 0 && high > low && trained > 0))
        return REFUSE(c, "config.json: rope_scaling has impossible numbers");
    /* Step 3.5 rotates half of a head where it stretches */
    const size_t rotary = c->head_dim / (quirks_of(c->recipe)->rope_full_half ? 2 : 1);
    c->n_divisors = c->head_dim / 2;
    float *divisors = new_divisors(c, 0);
    if (!divisors) return false;
    for (size_t i = 0; i < c->n_divisors; i++) {
        double wavelength =
            2 * 3.14159265358979323846 * pow(theta, 2 * (double)i / (double)rotary);
        divisors[i] =
            i < rotary / 2 ? (float)divisor(wavelength, factor, low, high, trained) : 1;
    }
    return only_keys(c, scaling, known);
}

/* Gemma 4: the first pairs of a head rotate as usual, the others by next to nothing. */
bool plan_part(Conversion *c, const JsonValue *scaling) {
    static const char *const known[] = {"rope_type", "rope_theta", "partial_rotary_factor",
                                        NULL};
    const double part = number_or(scaling, "partial_rotary_factor", 1);
    if (!quirks_of(c->recipe)->rope_freqs_needed || !(part > 0 && part <= 1))
        return REFUSE(c, "config.json: %g of a head cannot rotate in this family", part);
    c->n_divisors = c->head_dim / 2;
    float *divisors = new_divisors(c, 0);
    const size_t turned = (size_t)((double)c->head_dim * part / 2);
    for (size_t i = 0; divisors && i < c->n_divisors; i++) divisors[i] = i < turned ? 1 : 1e30F;
    return divisors && only_keys(c, scaling, known);
}

static bool read_long(Conversion *c, const JsonValue *scaling, const char *key, int which) {
    const JsonValue *list = json_get(scaling, key);
    double number;
    if (!list || list->kind != JSON_ARRAY || list->count == 0 ||
        (c->n_divisors && list->count != c->n_divisors))
        return REFUSE(
            c, "config.json: %s of rope_scaling is not a list of a number for each pair", key);
    c->n_divisors = list->count;
    float *divisors = new_divisors(c, which);
    for (size_t i = 0; divisors && i < list->count; i++) {
        if (!json_number(&list->items[i], &number))
            return REFUSE(c, "config.json: %s of rope_scaling is not a list of numbers", key);
        divisors[i] = (float)number;
    }
    return divisors != NULL;
}

/* The magnitude of rotated vectors follows from how much longer the context is. */
bool put_long(Conversion *c, const JsonValue *scaling) {
    static const char *const known[] = {"type",
                                        "rope_type",
                                        "rope_theta",
                                        "short_factor",
                                        "long_factor",
                                        "factor",
                                        "short_mscale",
                                        "long_mscale",
                                        "attention_factor",
                                        "original_max_position_embeddings",
                                        NULL};
    const JsonValue *config = c->folder.sizes;
    double trained = number_or(scaling, "original_max_position_embeddings",
                               number_or(config, "original_max_position_embeddings", 0)),
           factor = number_or(config, "max_position_embeddings", 0) / trained;
    if (!quirks_of(c->recipe)->rope_long && strcmp(c->family->arch, "phi3") != 0)
        return REFUSE(
            c, "config.json: models of this family have no rope_scaling of type longrope");
    if (!(trained > 1))
        return REFUSE(c, "config.json: longrope needs original_max_position_embeddings");
    double usual = factor > 1 ? sqrt(1 + log(factor) / log(trained)) : 1,
           magnitude =
               number_or(scaling, "attention_factor", number_or(scaling, "long_mscale", usual));
    if (number_or(scaling, "short_mscale", magnitude) != magnitude)
        return REFUSE(c, "config.json: short_mscale and long_mscale differ, wanted one number");
    put_size(c, "rope.scaling.original_context_length", (size_t)trained);
    put_number(c, "rope.scaling.attn_factor", magnitude);
    return read_long(c, scaling, "long_factor", 1) &&
           read_long(c, scaling, "short_factor", 2) && only_keys(c, scaling, known);
}
