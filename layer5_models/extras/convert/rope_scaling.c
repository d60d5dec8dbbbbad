/* rope_scaling.c - rope_scaling (rope_parameters in newer files) as keys.  See parts.h.
 *
 *     linear         positions divided by a factor
 *     yarn           some frequencies divided, others not (layer 3, rope)
 *     llama3         a divisor for each pair, which the file has: rope_freqs.weight
 *     longrope       two lists of them, for short and long contexts
 *     proportional   a part of each head rotates: Gemma 4
 *     dynamic        theta grows with the text, beyond the context only; Hunyuan: by alpha */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double number_or(const JsonValue *object, const char *key, double otherwise) {
    double number;
    return json_number(json_get(object, key), &number) ? number : otherwise;
}

bool only_keys(Conversion *c, const JsonValue *scaling, const char *const *known) {
    for (size_t i = 0; i < scaling->count; i++) {
        bool found = scaling->items[i].kind == JSON_NULL;
        for (const char *const *k = known; *k && !found; k++)
            found = text_equal(scaling->keys[i], text_of(*k));
        if (!found)
            return REFUSE(
                c, "config.json: nothing is known of '%.*s' in rope_scaling of this type",
                (int)min_size(60, scaling->keys[i].size), scaling->keys[i].data);
    }
    return true;
}

static void put_type(Conversion *c, const char *type) {
    char key[96];
    snprintf(key, sizeof key, "%s.rope.scaling.type", c->family->arch);
    gguf_put_string(c->writer, key, text_of(type));
}

static bool put_factor(Conversion *c, const JsonValue *scaling) {
    double factor;
    if (!json_number(json_get(scaling, "factor"), &factor))
        return REFUSE(c, "config.json: rope_scaling has no factor: wanted a number");
    return put_number(c, "rope.scaling.factor", factor), true;
}

static bool put_linear(Conversion *c, const JsonValue *scaling) {
    static const char *const known[] = {"type", "rope_type", "factor", "rope_theta", NULL};
    put_type(c, "linear");
    return put_factor(c, scaling) && only_keys(c, scaling, known);
}

/* YaRN's magnitude follows from the factor; some files have both. */
static bool check_magnitude(Conversion *c, const JsonValue *scaling) {
    const JsonValue *value = json_get(scaling, "attention_factor");
    const double factor = number_or(scaling, "factor", 1),
                 wanted = factor > 1 ? 1 + 0.1 * log(factor) : 1;
    double given = wanted;
    if (value && value->kind != JSON_NULL && !json_number(value, &given))
        return REFUSE(c, "config.json: attention_factor is not a number");
    return fabs(given - wanted) < 1e-6 ||
           REFUSE(
               c,
               "config.json: attention_factor is %g, wanted %g, which follows from the factor",
               given, wanted);
}

/* DeepSeek scales scores by what would scale rotated vectors. */
static bool put_latent_scale(Conversion *c, const JsonValue *scaling) {
    const double all = number_or(scaling, "mscale_all_dim", 0),
                 one = number_or(scaling, "mscale", all);
    if (one != all)
        return REFUSE(c, "config.json: mscale is %g, wanted %g as mscale_all_dim", one, all);
    const Quirks *q = quirks_of(c->recipe);
    if (all != 0 && !q->latents && !q->yarn_multiplier)
        return REFUSE(c, "config.json: models of this family have no mscale_all_dim");
    if (all != 0)
        put_number(c, "rope.scaling.yarn_log_multiplier", q->latents ? 0.1 * all : all);
    return true;
}

/* Queries that grow beyond the trained context: Ministral 3, Mistral Small 4. */
static bool put_temperature(Conversion *c, const JsonValue *scaling, size_t trained) {
    const double beta = number_or(scaling, "llama_4_scaling_beta", 0);
    const Quirks *q = quirks_of(c->recipe);
    if (beta == 0) return true;
    if (!q->temperature)
        return REFUSE(c, "config.json: models of this family have no llama_4_scaling_beta");
    put_number(c, "attention.temperature_scale", beta);
    if (q->latents && trained) put_size(c, "attention.temperature_length", trained);
    return true;
}

static bool put_yarn(Conversion *c, const JsonValue *scaling) {
    static const char *const known[] = {"type",
                                        "rope_type",
                                        "factor",
                                        "rope_theta",
                                        "original_max_position_embeddings",
                                        "beta_fast",
                                        "beta_slow",
                                        "attention_factor",
                                        "mscale",
                                        "mscale_all_dim",
                                        "truncate",
                                        "llama_4_scaling_beta",
                                        "max_position_embeddings",
                                        NULL};
    size_t trained = size_or(scaling, "original_max_position_embeddings", 0);
    put_type(c, "yarn");
    if (!put_factor(c, scaling) || !check_magnitude(c, scaling) ||
        !put_latent_scale(c, scaling) || !put_temperature(c, scaling, trained))
        return false;
    const JsonValue *cut = json_get(scaling, "truncate");
    if (cut && cut->kind == JSON_FALSE)
        convert_note(c, "YaRN's ramp between pairs begins and ends at whole pairs, as in other "
                        "programs that read GGUF files: the folder asks for its exact ends");
    if (trained) put_size(c, "rope.scaling.original_context_length", trained);
    put_number(c, "rope.scaling.yarn_beta_fast", number_or(scaling, "beta_fast", 32));
    put_number(c, "rope.scaling.yarn_beta_slow", number_or(scaling, "beta_slow", 1));
    return only_keys(c, scaling, known);
}

/* HunyuanOCR's four kinds of pairs. */
static bool put_four_sections(Conversion *c, const JsonValue *scaling) {
    const JsonValue *list = json_get(scaling, "xdrope_section");
    int64_t sections[4];
    char key[96];
    if (!list) list = json_get(scaling, "mrope_section");
    if (!list) return true;
    for (size_t i = 0, pairs; i < 4; i++) {
        if (list->kind != JSON_ARRAY || list->count != 4 || !json_size(&list->items[i], &pairs))
            return REFUSE(c,
                          "config.json: xdrope_section is not a list of four numbers of pairs");
        sections[i] = (int64_t)pairs;
    }
    snprintf(key, sizeof key, "%s.rope.dimension_sections", c->family->arch);
    return gguf_put_ints(c->writer, key, GGUF_I32, sections, 4), true;
}

/* Hunyuan's is a fixed theta; the others' grows where texts end here. */
static bool put_dynamic(Conversion *c, const JsonValue *scaling) {
    static const char *const known[] = {"type", "rope_type", "rope_theta", "factor", NULL},
                             *const hunyuan[] = {"type",      "rope_type", "rope_theta",
                                                 "factor",    "alpha",     "beta_fast",
                                                 "beta_slow", "mscale",    "mscale_all_dim",
                                                 NULL},
                             *const ocr[] = {
                                 "type",           "rope_type",      "rope_theta",    "factor",
                                 "alpha",          "beta_fast",      "beta_slow",     "mscale",
                                 "mscale_all_dim", "xdrope_section", "mrope_section", NULL};
    const Quirks *q = quirks_of(c->recipe);
    if (q->rope_alpha) put_number(c, "rope.scaling.alpha", number_or(scaling, "alpha", 1));
    if (q->text_sections && !put_four_sections(c, scaling)) return false;
    return only_keys(c, scaling, q->text_sections ? ocr : q->rope_alpha ? hunyuan : known);
}

/* Newer files separate windowed layers from others: {"sliding_attention": {...},
 * "full_attention": {...}}.  Returns the latter. */
static const JsonValue *put_windowed(Conversion *c, const JsonValue *parameters) {
    static const char *const known[] = {"rope_type", "rope_theta", NULL};
    const JsonValue *full = json_get(parameters, "full_attention"),
                    *windowed = json_get(parameters, "sliding_attention");
    double theta;
    if (!full || !windowed) return parameters;
    const bool own = c->recipe->window_theta > 0;
    if ((!own && c->recipe->window_rope != WINDOW_ROPE_AS_TRAINED) || parameters->count != 2 ||
        !json_number(json_get(windowed, "rope_theta"), &theta) ||
        !json_is(json_get(windowed, "rope_type"), "default") || !only_keys(c, windowed, known))
        return REFUSE(c, "config.json: rope_parameters of layers with a window: wanted those "
                         "of a family with another theta there, rope_type default and a "
                         "rope_theta"),
               NULL;
    if (own || theta != number_or(full, "rope_theta", 10000))
        put_number(c, "rope.freq_base_swa", theta);
    return full;
}

/* Pairs that images rotate by time, height and width; texts rotate all by their position. */
static bool put_sections(Conversion *c, const JsonValue *list) {
    int64_t sections[4] = {11, 11, 10, 0}; /* Qwen 3.5's, where nothing says otherwise */
    char key[96];
    if (!list && !quirks_of(c->recipe)->recurrent)
        return REFUSE(
            c, "config.json: rope_scaling has no mrope_section, which this family needs");
    for (size_t i = 0, pairs; list && i < 3; i++) {
        if (list->kind != JSON_ARRAY || list->count != 3 || !json_size(&list->items[i], &pairs))
            return REFUSE(c,
                          "config.json: mrope_section is not a list of three numbers of pairs");
        sections[i] = (int64_t)pairs;
    }
    snprintf(key, sizeof key, "%s.rope.dimension_sections", c->family->arch);
    return gguf_put_ints(c->writer, key, GGUF_I32, sections, 4), true;
}

/* Step 3.5 lists theta and the part of a head that rotates for each layer. */
static bool put_listed_thetas(Conversion *c, const JsonValue *thetas, double *theta) {
    const JsonValue *types = json_get(c->folder.sizes, "layer_types"),
                    *parts = json_get(c->folder.sizes, "partial_rotary_factors");
    double found[2] = {0, 0}, value;
    for (size_t l = 0; l < c->layers; l++) {
        if (thetas->kind != JSON_ARRAY || !types || types->kind != JSON_ARRAY ||
            l >= thetas->count || l >= types->count || !json_number(&thetas->items[l], &value))
            return REFUSE(c, "config.json: rope_theta is not a list of numbers as long as "
                             "layer_types");
        const bool windowed = json_is(&types->items[l], "sliding_attention");
        if (found[windowed] == 0) found[windowed] = value;
        if (value != found[windowed])
            return REFUSE(c, "config.json: rope_theta of layer %zu is %g, wanted %g", l, value,
                          found[windowed]);
        if (parts && parts->kind == JSON_ARRAY && l < parts->count &&
            json_number(&parts->items[l], &value) && value != (windowed ? 1 : 0.5))
            return REFUSE(c, "config.json: %g of a head rotates in layer %zu, wanted %g", value,
                          l, windowed ? 1 : 0.5);
    }
    if (found[0] > 0) put_number(c, "rope.freq_base", *theta = found[0]);
    if (found[1] > 0) put_number(c, "rope.freq_base_swa", found[1]);
    return true;
}

bool put_rope_scaling(Conversion *c, const JsonValue *scaling) {
    const JsonValue *parameters = json_get(c->folder.sizes, "rope_parameters"),
                    *direct = json_get(c->folder.sizes, "rope_theta");
    double theta = number_or(c->folder.sizes, "rope_theta", 10000);
    if (quirks_of(c->recipe)->rope_full_half && direct) {
        if (!put_listed_thetas(c, direct, &theta)) return false;
        parameters = direct = NULL;
    }
    if (parameters && parameters->kind == JSON_OBJECT &&
        !(scaling = put_windowed(c, parameters)))
        return false;
    if (!scaling || scaling->kind == JSON_NULL) return true;
    if (direct && json_get(scaling, "rope_theta") &&
        theta != number_or(scaling, "rope_theta", 10000))
        return REFUSE(c, "config.json: rope_theta is %g, and %g in rope_parameters", theta,
                      number_or(scaling, "rope_theta", 10000));
    if (!direct && json_get(scaling, "rope_theta"))
        put_number(c, "rope.freq_base", theta = number_or(scaling, "rope_theta", 10000));
    const JsonValue *type = json_get(scaling, "rope_type");
    if (!type) type = json_get(scaling, "type");
    if (json_is(type, "default") || json_is(type, "mrope")) {
        static const char *const known[] = {"type", "rope_type", "rope_theta",
                                            "partial_rotary_factor", NULL},
                                 *const images[] = {"type",
                                                    "rope_type",
                                                    "rope_theta",
                                                    "mrope_section",
                                                    "mrope_interleaved",
                                                    "partial_rotary_factor",
                                                    NULL};
        const bool sections = quirks_of(c->recipe)->rope_sections;
        return (!sections || put_sections(c, json_get(scaling, "mrope_section"))) &&
               only_keys(c, scaling, sections ? images : known);
    }
    if (json_is(type, "proportional")) return plan_part(c, scaling);
    if (json_is(type, "linear")) return put_linear(c, scaling);
    if (json_is(type, "yarn")) return put_yarn(c, scaling);
    if (json_is(type, "llama3")) return plan_divisors(c, scaling, theta);
    if (json_is(type, "longrope") || json_is(type, "su")) return put_long(c, scaling);
    if (json_is(type, "dynamic") ||
        (json_is(type, "xdrope") && quirks_of(c->recipe)->text_sections))
        return put_dynamic(c, scaling);
    return REFUSE(c, "config.json: rope_scaling is of another type than default, linear, yarn, "
                     "llama3, longrope and dynamic, which are built in");
}
