/* measure.c - the measures of a chain.
 *
 * Let A be the texts that both the chain c and the world w can generate, V the chain's share of
 * texts in A (valid) and K the world's (kept).  Restricted to A the distributions are c/V and
 * w/K, and
 *
 *     KL(chain | truth) = mean over valid texts   of ln c - ln w,  less ln V, plus ln K
 *     KL(truth | chain) = mean over kept documents of ln w - ln c, less ln K, plus ln V
 *
 * with ln c and ln w of the text given its opening: both are known exactly, so only the means
 * are estimated. */
#include "measure.h"
#include "diversity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = 12, ENOUGH = 10 /* min texts for a divergence */ };

const Measure measures[MEASURES] = {
    {"valid", "valid", true, true, true, 1, "told texts that are true to the world"},
    {"kept", "kept", true, true, true, 1, "documents that it could write whole"},
    {"kl_told", "KL told", true, false, false, 2, "KL(chain | truth), nats a text"},
    {"kl_truth", "KL truth", true, false, false, 2, "KL(truth | chain), nats a text"},
    {"surprisal", "surprise", false, false, false, 3,
     "nats a token under the model, the end token not counted"},
    {"entropy", "entropy", false, false, false, 3,
     "of the model there, nats a token, the end not counted"},
    {"distinct_1", "dist-1", false, false, false, 3, "different words / words"},
    {"distinct_2", "dist-2", false, false, false, 3, "different 2-grams / 2-grams"},
    {"distinct_3", "dist-3", false, false, false, 3, "different 3-grams / 3-grams"},
    {"similarity", "similar", false, false, false, 3, "4-grams that other texts have"},
    {"repetition", "repeats", false, false, false, 3, "4-grams that stood there before"},
    {"words", "words", false, false, false, 0, "of a text"},
};

static void count_reasons(const Sample *samples, size_t n, char *out, size_t size) {
    char names[REASONS][16];
    size_t counts[REASONS] = {0}, used = 0;
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        if (samples[i].right) continue;
        while (k < used && strcmp(names[k], samples[i].verdict.reason) != 0) k++;
        if (k == REASONS) continue;
        if (k == used) snprintf(names[used++], sizeof *names, "%s", samples[i].verdict.reason);
        counts[k]++;
    }
    for (size_t k = 0; k < used; k++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s %zu", k ? " " : "", names[k],
                 counts[k]);
}

/* ------------------------------------------------------------------ opening by opening */

/* Sums over the texts of each opening. */
typedef struct Sums {
    size_t n;             /* openings */
    double *cell, *at[8]; /* cell: all of them; owned */
} Sums;
enum { RIGHT, TOLD_GAP, SURPRISE, UNSURE, TOKENS, REPEATS, TRUE_KEPT, TRUE_GAP };

static bool sums_open(Sums *s, size_t n, Fault *fault) {
    *s = (Sums){.n = n, .cell = calloc(8 * n, sizeof *s->cell)};
    for (size_t i = 0; s->cell && i < 8; i++) s->at[i] = s->cell + i * n;
    return s->cell || fault_set(fault, "no memory for a table");
}

static void measure_add_text(Sums *s, size_t opening, const Opening *o, const Sample *t,
                             double share) {
    s->at[SURPRISE][opening] += t->surprisal, s->at[UNSURE][opening] += t->entropy;
    s->at[TOKENS][opening] += (double)t->tokens;
    s->at[REPEATS][opening] += t->repetition * share;
    if (!t->right) return;
    s->at[RIGHT][opening] += share; /* the gap is ln c - ln w */
    s->at[TOLD_GAP][opening] += share * ((t->verdict.nats - o->unlikely) - t->nats);
}

static void add_up(const Study *study, size_t chain, Sums *s) {
    const size_t each = study->texts / study->n_openings;
    for (size_t i = 0; i < study->texts; i++)
        measure_add_text(s, i / each, &study->openings[i / each],
                         &study->samples[chain * study->texts + i], 1 / (double)each);
    for (size_t i = 0; study->truth && i < s->n; i++) {
        const Truth *t = &study->truth[chain * s->n + i];
        s->at[TRUE_KEPT][i] = t->kept;
        s->at[TRUE_GAP][i] = t->kept ? t->nats - study->openings[i].nats : 0;
    }
}

/* gap / of  less  ln of  plus  ln other:  all three are estimates; their influences add. */
static void estimate_kl(Estimate *e, const Sums *s, int gap, int of, int other) {
    double gaps = 0, p = 0, q = 0;
    for (size_t i = 0; i < s->n; i++)
        gaps += s->at[gap][i], p += s->at[of][i], q += s->at[other][i];
    if (p < ENOUGH || q < ENOUGH) {
        e->n = 0;
        return;
    }
    double n = (double)s->n, mean = gaps / p;
    e->mean = mean - log(p / n) + log(q / n);
    for (size_t i = 0; i < s->n; i++)
        e->influence[i] = (s->at[gap][i] - mean * s->at[of][i] - s->at[of][i]) * n / p + 1 +
                          s->at[other][i] * n / q - 1;
}

static void measure_openings(const Study *study, const Sums *s, bool asked, Estimate *e) {
    estimate_ratio(&e[SURPRISAL], s->at[SURPRISE], s->at[TOKENS]);
    estimate_ratio(&e[ENTROPY], s->at[UNSURE], s->at[TOKENS]);
    estimate_mean(&e[REPETITION], s->at[REPEATS]);
    estimate_mean(&e[VALID], s->at[RIGHT]), estimate_mean(&e[KEPT], s->at[TRUE_KEPT]);
    estimate_kl(&e[KL_TOLD], s, TOLD_GAP, RIGHT, TRUE_KEPT);
    estimate_kl(&e[KL_TRUTH], s, TRUE_GAP, TRUE_KEPT, RIGHT);
    if (!study->world) e[VALID].n = 0;
    if (!study->truth || !asked) e[KEPT].n = e[KL_TOLD].n = e[KL_TRUTH].n = 0;
}

/* ------------------------------------------------------------------ sample by sample */

static bool is_of_samples(size_t m) {
    return m == WORDS || (m >= DISTINCT_1 && m <= SIMILARITY);
}

/* Distinct-n falls with sample size: all samples have the same size, and use each opening once
 * before any repeats. */
static bool measure_samples(const Study *study, size_t chain, Summary *s, Fault *fault) {
    const Sample *samples = study->samples + chain * study->texts;
    const size_t each = study->texts / study->n_openings;
    Text *texts = malloc(s->sample * sizeof *texts);
    double *x = calloc(MEASURES * s->samples, sizeof *x);
    bool ok = (texts && x) || fault_set(fault, "no memory for a table");
    for (size_t k = 0; ok && k < s->samples; k++) {
        Diversity d;
        for (size_t i = 0; i < s->sample; i++) {
            size_t turn = k * s->sample + i;
            const Sample *t =
                &samples[turn % study->n_openings * each + turn / study->n_openings];
            texts[i] = (Text){t->text.bytes, t->text.size};
        }
        ok = diversity_measure(texts, s->sample, &d, fault);
        for (size_t n = 0; n < 3; n++) x[(DISTINCT_1 + n) * s->samples + k] = d.distinct[n];
        x[SIMILARITY * s->samples + k] = d.self_similarity;
        x[WORDS * s->samples + k] = d.words;
    }
    for (size_t m = 0; ok && m < MEASURES; m++)
        if (is_of_samples(m)) estimate_mean(&s->estimate[m], x + m * s->samples);
    free(texts), free(x);
    return ok;
}

static bool open_summary(const Study *study, Summary *s, Fault *fault) {
    size_t wanted = (size_t)study->job->sample;
    *s = (Summary){.sample = wanted < study->texts ? wanted : study->texts};
    s->samples = study->texts / s->sample;
    for (size_t m = 0; m < MEASURES; m++)
        if (!estimate_open(&s->estimate[m], is_of_samples(m) ? s->samples : study->n_openings))
            return fault_set(fault, "no memory for a table");
    return true;
}

static void measure_speed(const Study *study, size_t chain, Summary *s) {
    double tokens = 0, seconds = 0;
    for (size_t i = 0; i < study->texts; i++) {
        const Sample *t = &study->samples[chain * study->texts + i];
        tokens += (double)t->tokens, seconds += t->seconds;
    }
    s->speed = seconds > 0 ? tokens / seconds : 0;
}

bool measure_chain(const Study *study, size_t chain, const Summary *first, Summary *s,
                   Fault *fault) {
    Sums sums = {0};
    bool ok = open_summary(study, s, fault) && sums_open(&sums, study->n_openings, fault) &&
              measure_samples(study, chain, s, fault);
    if (ok) {
        add_up(study, chain, &sums);
        measure_openings(study, &sums, !study->looks_ahead[chain], s->estimate);
        for (size_t m = 0; m < MEASURES; m++) {
            const Estimate *e = &s->estimate[m];
            s->value[m] = measures[m].is_share ? estimate_share(e) : estimate_value(e);
            if (first) s->against[m] = estimate_difference(e, &first->estimate[m]);
        }
        measure_speed(study, chain, s);
        if (study->world)
            count_reasons(study->samples + chain * study->texts, study->texts, s->reasons,
                          sizeof s->reasons);
    }
    free(sums.cell);
    return ok;
}

void measure_close(Summary *s) {
    for (size_t m = 0; m < MEASURES; m++) estimate_close(&s->estimate[m]);
}
