/* arithmetic.c - draw by a code, as an arithmetic decoder does.  See best_of.h.
 *
 *     [0, 1) is divided among the tokens by their probabilities; the token whose part contains
 *     the code is next, and its part, stretched to [0, 1), is divided again
 *
 *         0        .5    .75   1        code .60: token b, and then (.60 - .5) / .25 = .40
 *         |    a    |  b  |  c  |
 *
 * So every text has an interval as long as its probability.  Codes that are spread evenly give
 * texts that are spread evenly, and a uniform one gives a sample.  A code has 53 bits: each
 * stretch brings new ones in from below, drawn by the seed, or it would run out in a few words.
 *
 * Source   Vilnis et al. 2023, arXiv:2210.15458. */
#include "more_stages.h"

#include <math.h>

/* The code after the token whose part begins at `before` and has this weight. */
static double zoom(double at, double before, double weight, double sum, double fresh) {
    double code = (at - before + 0x1p-53 * sum * fresh) / weight;
    return fmin(fmax(code, 0), 1 - 0x1p-53);
}

/* A token, and the part of [0, sum) that is its own. */
typedef struct Part {
    int32_t token;
    double before, weight;
} Part;

/* The part that contains `at`; the last one, where rounding left a remainder behind it. */
static Part part_at(Candidates *c, double at) {
    Part part = {-1, 0, 0};
    double before = 0;
    float max = candidates_max(c), weights[SCAN_CHUNK];
    for (size_t from = 0; from < c->count; from += SCAN_CHUNK) {
        size_t size = c->count - from < SCAN_CHUNK ? c->count - from : SCAN_CHUNK;
        vector_exp(weights, c->logits + from, max, size);
        for (size_t i = 0; i < size; i++) {
            double weight = (double)weights[i];
            if (weight <= 0) continue;
            part = (Part){candidates_id(c, from + i), before, weight};
            if (before + weight > at) return part;
            before += weight;
        }
    }
    return part;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double code = *stage_memory(stage), sum = candidates_sum(c);
    double u = rng_unit(step->seed, step->position, stage->index);
    double at = (code < 0 ? u : code) * sum;
    const Part part = part_at(c, at);
    c->chosen = stage->selected = part.token;
    stage->observed = zoom(at, part.before, part.weight, sum, code < 0 ? 0 : u);
}

/* Codes are a circle: 1 is 0.  A negative one is random. */
static void begin(const Stage *stage, double *row) {
    double code = stage->value[0];
    row[0] = code < 0 ? -1 : fmod(code, 1);
}

/* A token that another stage forced says nothing about the code. */
static void accept(const Stage *stage, int32_t token, double *row) {
    if (token == stage->selected) row[0] = stage->observed;
}

const StageKind stage_arithmetic = {
    .name = "arithmetic",
    .gloss = "pick the token whose part of [0, 1) contains a code; with --best-of, codes that "
             "are spread evenly",
    .formula = "token = the first i with p_0 + ... + p_i > code;  code' = (code - p_0 - ... - "
               "p_(i-1)) / p_i",
    .advice = "many samples that differ, each distributed as draw's: --best-of 8 --chain "
              "temp:0.8,arithmetic.",
    .source = "Vilnis et al. 2023, arXiv:2210.15458",
    .example = "arithmetic:0.5",
    .params = {{.key = "code", .default_value = -1, .low = -1, .high = 1}},
    .selects = true,
    .apply = apply,
    .memory = 1,
    .begin = begin,
    .accept = accept};
