/* rope_scaling.c - rope_scaling (rope_parameters in newer files) as keys.  See parts.h.
 *
 *     linear     positions divided by a factor
 *     yarn       some frequencies divided, others not (layer 3, rope)
 *     llama3     a divisor for each pair, which the file has: rope_freqs.weight */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_or(const JsonValue *object, const char *key, double otherwise) {
    double number;
    return json_number(json_get(object, key), &number) ? number : otherwise;
}

static bool only_keys(Conversion *c, const JsonValue *scaling, const char *const *known) {
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

static bool put_yarn(Conversion *c, const JsonValue *scaling) {
    static const char *const known[] = {"type",
                                        "rope_type",
                                        "factor",
                                        "rope_theta",
                                        "original_max_position_embeddings",
                                        "beta_fast",
                                        "beta_slow",
                                        "attention_factor",
                                        NULL};
    size_t trained = size_or(scaling, "original_max_position_embeddings", 0);
    put_type(c, "yarn");
    if (!put_factor(c, scaling) || !check_magnitude(c, scaling)) return false;
    if (trained) put_size(c, "rope.scaling.original_context_length", trained);
    put_number(c, "rope.scaling.yarn_beta_fast", number_or(scaling, "beta_fast", 32));
    put_number(c, "rope.scaling.yarn_beta_slow", number_or(scaling, "beta_slow", 1));
    return only_keys(c, scaling, known);
}

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

static bool plan_divisors(Conversion *c, const JsonValue *scaling, double theta) {
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
    c->n_divisors = c->head_dim / 2;
    c->rope_divisors = malloc((c->n_divisors + 1) * sizeof *c->rope_divisors);
    if (!c->rope_divisors) return REFUSE(c, "no memory for %zu divisors", c->n_divisors);
    for (size_t i = 0; i < c->n_divisors; i++) {
        double wavelength =
            2 * 3.14159265358979323846 * pow(theta, 2 * (double)i / (double)c->head_dim);
        c->rope_divisors[i] = (float)divisor(wavelength, factor, low, high, trained);
    }
    return only_keys(c, scaling, known);
}

/* Newer files separate windowed layers from others: {"sliding_attention": {...},
 * "full_attention": {...}}.  Returns the latter. */
static const JsonValue *put_windowed(Conversion *c, const JsonValue *parameters) {
    static const char *const known[] = {"rope_type", "rope_theta", NULL};
    const JsonValue *full = json_get(parameters, "full_attention"),
                    *windowed = json_get(parameters, "sliding_attention");
    double theta;
    if (!full || !windowed) return parameters;
    if (strcmp(c->family->arch, "gemma3") != 0 || parameters->count != 2 ||
        !json_number(json_get(windowed, "rope_theta"), &theta) ||
        !json_is(json_get(windowed, "rope_type"), "default") || !only_keys(c, windowed, known))
        return REFUSE(c, "config.json: rope_parameters of layers with a window: wanted those "
                         "of Gemma 3, "
                         "rope_type default and a rope_theta"),
               NULL;
    put_number(c, "rope.freq_base_swa", theta);
    return full;
}

bool put_rope_scaling(Conversion *c, const JsonValue *scaling) {
    const JsonValue *parameters = json_get(c->folder.sizes, "rope_parameters"),
                    *direct = json_get(c->folder.sizes, "rope_theta");
    double theta = number_or(c->folder.sizes, "rope_theta", 10000);
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
    if (json_is(type, "default")) {
        static const char *const known[] = {"type", "rope_type", "rope_theta", NULL};
        return only_keys(c, scaling, known);
    }
    if (json_is(type, "linear")) return put_linear(c, scaling);
    if (json_is(type, "yarn")) return put_yarn(c, scaling);
    if (json_is(type, "llama3")) return plan_divisors(c, scaling, theta);
    return REFUSE(c,
                  "config.json: rope_scaling is of another type than default, linear, yarn and "
                  "llama3, which are built in");
}
