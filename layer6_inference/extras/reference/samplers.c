/* samplers.c - what each sampler that cuts or reshapes is: softmax, sort, running sum,
 * threshold, in double precision.  See sampler_reference.h.
 *
 *     r->token[0 .. n-1]     by falling probability      reference_keep(r, k): the first k stay
 *
 * Two additions to the papers: the row's min_keep, and MILLIONTH (candidates.h): a share that
 * logits in single precision miss by their rounding counts as reached. */
#include "sampler_reference.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ softmax, sort, sum */

static void reference_softmax(ReferenceRow *r) {
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) sum += exp(r->token[i].logit - r->token[0].logit);
    for (size_t i = 0; i < r->n; i++) {
        r->token[i].log_p = r->token[i].logit - r->token[0].logit - log(sum);
        r->token[i].p = exp(r->token[i].log_p);
    }
}

static int reference_order(const void *a, const void *b) {
    const ReferenceToken *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

static void reference_sort(ReferenceRow *r) {
    qsort(r->token, r->n, sizeof *r->token, reference_order);
}

ReferenceToken *reference_row(ReferenceRow *r, const Candidates *c) {
    ReferenceToken *tokens = malloc(c->count * sizeof *tokens);
    NEED_MEMORY(tokens, "a row of %zu tokens", c->count);
    *r = (ReferenceRow){.token = tokens, .min_keep = 1};
    for (size_t i = 0; i < c->count; i++)
        if (c->logits[i] > -INFINITY)
            tokens[r->n++] = (ReferenceToken){.entry = i,
                                              .id = candidates_id(c, i),
                                              .logit = (double)c->logits[i],
                                              .key = (double)c->logits[i]};
    reference_sort(r);
    reference_softmax(r);
    return tokens;
}

/* H = -sum p ln p, in nats. */
static double reference_entropy(const ReferenceRow *r) {
    double entropy = 0;
    for (size_t i = 0; i < r->n; i++) entropy -= r->token[i].p * r->token[i].log_p;
    return entropy;
}

static bool reached(double sum, double share) { return sum >= share * (1 - MILLIONTH); }

static void reference_keep(ReferenceRow *r, size_t n) {
    if (n < r->min_keep) n = r->min_keep;
    if (n < r->n) r->n = n;
}

/* Keep p_i >= limit. */
static void keep_probable(ReferenceRow *r, double limit) {
    size_t n = 0;
    while (n < r->n && reached(r->token[n].p, limit)) n++;
    reference_keep(r, n);
}

/* Keep the first tokens of the row whose probabilities sum to `share`. */
static void keep_share(ReferenceRow *r, double share) {
    double sum = 0;
    size_t n = 0;
    while (n < r->n && !reached(sum, share)) sum += r->token[n++].p;
    reference_keep(r, n);
}

/* ------------------------------------------------------------------ by rank and mass */

/* Fan, Lewis & Dauphin 2018, arXiv:1805.04833: the k most likely. */
static void ref_top_k(ReferenceRow *r, const double *value) {
    double k = value[0];
    if (k < (double)r->n) reference_keep(r, (size_t)k);
}

/* Holtzman et al. 2019, arXiv:1904.09751: the nucleus, the smallest set of the most likely
 * tokens with  sum p_i >= P. */
static void ref_top_p(ReferenceRow *r, const double *value) {
    double p = value[0];
    keep_share(r, p);
}

/* Meister et al. 2022, arXiv:2202.00666: the smallest set with  sum p_i >= P,  in the order of
 * | H + ln p_i |,  how far a token's surprisal -ln p_i is from the expected one, H. */
static void ref_typical(ReferenceRow *r, const double *value) {
    double p = value[0], entropy = reference_entropy(r);
    for (size_t i = 0; i < r->n; i++) r->token[i].key = -fabs(entropy + r->token[i].log_p);
    reference_sort(r);
    keep_share(r, p);
}

/* ------------------------------------------------------------------ by a limit */

/* Nguyen et al. 2024, arXiv:2407.01082:  p_i >= P max p. */
static void ref_min_p(ReferenceRow *r, const double *value) {
    double p = value[0];
    keep_probable(r, p * r->token[0].p);
}

/* BlinkDL 2022, RWKV-LM:  p_i >= A (max p)^2. */
static void ref_top_a(ReferenceRow *r, const double *value) {
    double a = value[0];
    keep_probable(r, a * r->token[0].p * r->token[0].p);
}

/* Hewitt, Manning & Liang 2022, arXiv:2210.15191:  p_i >= epsilon. */
static void ref_epsilon(ReferenceRow *r, const double *value) {
    double epsilon = value[0];
    keep_probable(r, epsilon);
}

/* The same paper:  p_i >= min(epsilon, sqrt(epsilon) e^-H). */
static void ref_eta(ReferenceRow *r, const double *value) {
    double epsilon = value[0];
    keep_probable(r, fmin(epsilon, sqrt(epsilon) * exp(-reference_entropy(r))));
}

/* Tan et al. 2025, arXiv:2509.23234:  p_i >= sum p_j^2. */
static void ref_p_less(ReferenceRow *r, const double *value) {
    double agree = 0;
    (void)value;
    for (size_t i = 0; i < r->n; i++) agree += r->token[i].p * r->token[i].p;
    keep_probable(r, agree);
}

/* Tang et al. 2024, arXiv:2411.07641:  logit_i >= max - N sigma,  sigma the standard deviation
 * of the logits. */
static void ref_top_n_sigma(ReferenceRow *r, const double *value) {
    double n = value[0], mean = 0, variance = 0, count = (double)r->n;
    for (size_t i = 0; i < r->n; i++) mean += r->token[i].logit / count;
    for (size_t i = 0; i < r->n; i++) variance += pow(r->token[i].logit - mean, 2) / count;
    double limit = r->token[0].logit - n * sqrt(variance);
    size_t kept = 0;
    while (kept < r->n && r->token[kept].logit >= limit) kept++;
    reference_keep(r, kept);
}

/* ------------------------------------------------------------------ by shape or chance */

/* Bricken 2019, tail-free sampling: the tail begins where the curve p_1 >= p_2 >= ... becomes
 * straight.  d_i = |p_i - 2 p_{i+1} + p_{i+2}| / sum;  keep 1 + the number of tokens with
 * d_1 + ... + d_i <= Z. */
static void ref_tfs(ReferenceRow *r, const double *value) {
    double z = value[0], all = 0, sum = 0;
    const ReferenceToken *t = r->token;
    size_t n = 1;
    for (size_t i = 0; i + 2 < r->n; i++) all += fabs(t[i].p - 2 * t[i + 1].p + t[i + 2].p);
    if (all == 0) return;
    for (size_t i = 0; i + 2 < r->n; i++, n++)
        if ((sum += fabs(t[i].p - 2 * t[i + 1].p + t[i + 2].p)) > z * all) break;
    reference_keep(r, n);
}

/* Potraghloo et al. 2025, arXiv:2509.02510, as in the authors' code: of the best hundred,
 * renormalized, the first ones whose share of the entropy,  -sum p_i ln p_i,  is at most H of
 * all.  (The paper bounds the entropy of those that stay, renormalized once more.) */
static void ref_top_h(ReferenceRow *r, const double *value) {
    double h = value[0], sum = 0;
    size_t n = 0;
    reference_keep(r, 100);
    reference_softmax(r);
    double bound = h * reference_entropy(r) * (1 + MILLIONTH);
    while (n < r->n && (sum -= r->token[n].p * r->token[n].log_p) <= bound) n++;
    reference_keep(r, n);
}

/* p-e-w 2024, text-generation-webui #6335, exclude top choices: with probability P drop the
 * tokens with  p_i >= T,  all but the least likely of them. */
static void ref_xtc(ReferenceRow *r, const double *value) {
    double chance = value[0], t = value[1];
    size_t likely = 0;
    if (r->u >= chance) return;
    while (likely < r->n && reached(r->token[likely].p, t)) likely++;
    for (; likely > 1 && r->n > r->min_keep; likely--) r->token++, r->n--;
}

/* ------------------------------------------------------------------ reshaping */

/* Ackley, Hinton & Sejnowski 1985:  logit / T;  the limit T -> 0 is the best token.  With a
 * range (llama.cpp's dynamic temperature) T goes from max(0, T - R) to T + R with the
 * entropy's share of its largest value, ln n, to the power of E. */
static void ref_temp(ReferenceRow *r, const double *value) {
    double t = value[0], range = value[1], e = value[2];
    if (range > 0 && t > 0 && r->n > 1) {
        double low = fmax(0, t - range), high = t + range;
        t = low + (high - low) * pow(reference_entropy(r) / log((double)r->n), e);
    }
    if (t < MILLIONTH) reference_keep(r, 1);
    for (size_t i = 0; i < r->n && t >= MILLIONTH; i++) r->token[i].logit /= t;
}

/* Zhang et al. 2024, arXiv:2403.14541:  logit / T',  T' = T 0.8^(THETA / H). */
static void ref_edt(ReferenceRow *r, const double *value) {
    double t = value[0], theta = value[1], entropy = reference_entropy(r);
    t *= theta > 0 ? pow(0.8, theta / entropy) : 1;
    if (t < MILLIONTH) reference_keep(r, 1);
    for (size_t i = 0; i < r->n && t >= MILLIONTH; i++) r->token[i].logit /= t;
}

/* kalomaze 2024, text-generation-webui #5403:  d = logit - max,
 * logit' = max - F (3 - C) / 2 d^2 + F (C - 1) / 2 d^3. */
static void ref_quadratic(ReferenceRow *r, const double *value) {
    double f = value[0], curve = value[1], max = r->token[0].logit;
    for (size_t i = 0; i < r->n; i++) {
        double d = r->token[i].logit - max;
        r->token[i].logit = max - f * (3 - curve) / 2 * d * d + f * (curve - 1) / 2 * d * d * d;
    }
}

/* Chuang et al. 2023, arXiv:2309.03883, DoLa: of the tokens with  p_i >= A max p  the logits
 * ln p_i - ln q_i,  q the softmax of an early layer's logits (at least e^-100). */
static void ref_dola(ReferenceRow *r, const double *value) {
    double a = value[0], sum = 0, max = -INFINITY;
    for (size_t i = 0; i < r->vocab; i++) max = fmax(max, (double)r->amateur[i]);
    for (size_t i = 0; i < r->vocab; i++) sum += exp((double)r->amateur[i] - max);
    keep_probable(r, a * r->token[0].p);
    for (size_t i = 0; i < r->n; i++) {
        double log_q = (double)r->amateur[r->token[i].id] - max - log(sum);
        r->token[i].logit = r->token[i].log_p - fmax(log_q, -100);
    }
}

/* Ding et al. 2026, arXiv:2604.11012:  k = max(argmax_i (l_i - l_{i+1}) / (R i), TAU / R),
 * R = l_1 - l_n. */
static void ref_min_k(ReferenceRow *r, const double *value) {
    double range = r->token[0].logit - r->token[r->n - 1].logit, steep = -1;
    size_t k = 1;
    for (size_t i = 1; i < r->n; i++) {
        double fall = (r->token[i - 1].logit - r->token[i].logit) / (range * (double)i);
        if (fall > steep) steep = fall, k = i;
    }
    if (range > 0)
        reference_keep(r, (size_t)fmax((double)k, fmin(value[0] / range, (double)r->n)));
}

/* ------------------------------------------------------------------ all */

static const struct {
    const char *name;
    SamplerReference *definition;
} definitions[] = {{"top_k", ref_top_k},     {"top_p", ref_top_p},
                   {"typical", ref_typical}, {"min_p", ref_min_p},
                   {"top_a", ref_top_a},     {"epsilon", ref_epsilon},
                   {"eta", ref_eta},         {"p_less", ref_p_less},
                   {"tfs", ref_tfs},         {"top_n_sigma", ref_top_n_sigma},
                   {"top_h", ref_top_h},     {"xtc", ref_xtc},
                   {"temp", ref_temp},       {"quadratic", ref_quadratic},
                   {"edt", ref_edt},         {"dola", ref_dola},
                   {"min_k", ref_min_k}};
enum { DEFINITIONS = sizeof definitions / sizeof *definitions };

SamplerReference *sampler_reference_find(Text name) {
    for (size_t i = 0; i < DEFINITIONS; i++)
        if (text_equal(name, text_of(definitions[i].name))) return definitions[i].definition;
    return NULL;
}

const char *sampler_reference_name(size_t i) {
    return i < DEFINITIONS ? definitions[i].name : NULL;
}
