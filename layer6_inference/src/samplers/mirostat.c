/* mirostat.c - keep the text's surprisal at a target: choose k so that a top-k of Zipf-like
 * probabilities would have the wanted surprisal, draw, and correct mu by the surprisal drawn.
 *
 * The surprisal is that of a token among the k that were left, as in llama.cpp; under the whole
 * distribution it is larger.  The authors' code corrects by the latter, and keeps k + 1.
 *
 *     s  = how steeply the best M probabilities fall (least squares in logarithms)
 *     k  = ((s-1) 2^mu / (1 - N^(1-s)))^(1/s)           mu <- mu - eta (surprisal - tau) */
#include "mirostat.h"

#include <math.h>

enum { M = MIROSTAT_ETA + 1 };

void mirostat_begin(const Stage *stage, double *row) {
    row[0] = 2 * stage->value[MIROSTAT_TAU];
}

void mirostat_draw(Stage *stage, Candidates *c, const Step *step) {
    stage_draw.apply(stage, c, step);
    stage->selected = c->chosen;
    stage->observed = -candidates_log_prob(c, c->chosen) / log(2);
}

void mirostat_accept(const Stage *stage, int32_t token, double *row) {
    if (token == stage->selected)
        row[0] -= stage->value[MIROSTAT_ETA] * (stage->observed - stage->value[MIROSTAT_TAU]);
}

/* Least squares over the best `ranks`.  Dense candidates stay: only the copy is cut. */
static double steepness(const Candidates *all, size_t ranks) {
    Candidates best = *all, *c = &best;
    double products = 0, squares = 0;
    if (c->dense) candidates_keep_best(c, ranks);
    for (size_t i = 0; i + 1 < ranks && i + 1 < c->count; i++) {
        if (c->logits[i + 1] == -INFINITY) break;
        double t = log((double)(i + 2) / (double)(i + 1));
        products += t * (double)(c->logits[i] - c->logits[i + 1]);
        squares += t * t;
    }
    return squares > 0 ? products / squares : 1;
}

static double wanted_count(double s, double mu, double n) {
    double e = s - 1;
    if (s <= 1e-6) return n; /* flat: every k has the same mean surprisal */
    double ratio = fabs(e) < 1e-9 ? 1 / log(n) : e / (1 - pow(n, -e));
    return pow(ratio * exp2(mu), 1 / s);
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    double mu = *stage_memory(stage), n = (double)c->vocab;
    size_t ranks = (size_t)stage->value[M];
    if (c->count > 1) {
        if (!c->dense || ranks >= c->count) candidates_sort(c);
        double k = wanted_count(steepness(c, ranks), mu, n);
        if (k >= (double)c->count) candidates_sort(c);
        candidates_keep_best(c, k >= (double)c->count ? c->count : k < 1 ? 1 : (size_t)k);
    }
    mirostat_draw(stage, c, step);
}

const StageKind stage_mirostat = {
    .name = "mirostat",
    .gloss = "hold the surprisal among the survivors at TAU bits: adapts a top-k, and draws",
    .formula =
        "k = ((s-1) 2^mu / (1 - N^(1-s)))^(1/s);  mu' = mu - E (-log2 p_drawn - TAU),  p "
        "among the k, "
        "mu_0 = 2 TAU",
    .advice =
        "long texts that drift into boredom or confusion.  3 to 6 for large vocabularies.",
    .source =
        "Basu et al. 2020, arXiv:2007.14966, algorithm 1; surprisal among the k: llama.cpp",
    .example = "mirostat:2",
    .params = {{.key = "tau", .low = 0, .high = 100, .required = true},
               {.key = "eta", .default_value = 0.1, .low = 0, .high = 1},
               {.key = "m", .default_value = 100, .low = 2, .high = 1e6, .integer = true}},
    .selects = true,
    .apply = apply,
    .memory = 1,
    .begin = mirostat_begin,
    .accept = mirostat_accept};
