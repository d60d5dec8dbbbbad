/* The grader of layer 6's facts about candidates, each computed here in double precision. */
#include "../src/candidates/facts.h"
#include "inference.h"
#include "near.h"

enum { MOST = 3000 };

static Candidates c;
static Arena arena;
static Fault fault;
static float logits[MOST];

/* What the candidates are, in double. */
typedef struct Truth {
    double max, sum, entropy, collision;
} Truth;

static Truth truth_of(void) {
    Truth t = {.max = -INFINITY};
    for (size_t i = 0; i < c.count; i++) t.max = fmax(t.max, (double)c.logits[i]);
    for (size_t i = 0; i < c.count; i++) t.sum += exp((double)c.logits[i] - t.max);
    for (size_t i = 0; i < c.count; i++) {
        double p = exp((double)c.logits[i] - t.max) / t.sum;
        if (p > 0) t.entropy -= p * log(p);
        t.collision += p * p;
    }
    return t;
}

static void logs_of(const char *what, const Truth *t) {
    double got = candidates_log_sum(&c), want = t->max + log(t->sum);
    if (fabs(got - want) <= 1e-5) return;
    HINT(!near(got, log(t->sum), 1e-5),
         "%s: candidates_log_sum: the sum is of exp(logit - max), so max is added to its "
         "logarithm: expected %.7g, got %.7g",
         what, want, got);
    HINT(false, "%s: candidates_log_sum: expected %.7g, got %.7g", what, want, got);
}

static void entropy_of(const char *what, const Truth *t) {
    double got = candidates_entropy(&c);
    HINT(got >= 0, "%s: no entropy is below 0: %g is what rounding has left of it", what, got);
    if (near(got, t->entropy, 2e-5)) return;
    HINT(!near(got, t->entropy / log(2), 1e-4),
         "%s: candidates_entropy is in nats, and that is bits: expected %.7g, got %.7g", what,
         t->entropy, got);
    HINT(!near(got, fabs(log(t->sum) + (log(t->sum) - t->entropy)), 1e-4),
         "%s: candidates_entropy: the mean of d = logit - max is subtracted from ln S (d is "
         "below 0): expected %.7g, got %.7g",
         what, t->entropy, got);
    HINT(false,
         "%s: candidates_entropy: -sum p ln p is ln S - (sum d e^d) / S: expected %.7g, "
         "got %.7g",
         what, t->entropy, got);
}

static void probability_of(const char *what, const Truth *t) {
    for (int k = 0; k < 4; k++) {
        size_t entry = fresh_below(c.count);
        int32_t token = candidates_id(&c, entry);
        double want = (double)c.logits[entry] - t->max - log(t->sum),
               got = candidates_log_prob(&c, token);
        if (near(got, want, 1e-5)) {
            double by_sum = (double)c.logits[entry] - t->max - log(candidates_sum(&c));
            HINT(
                got == by_sum || fabs(got - by_sum) < 1e-6,
                "%s: candidates_log_prob of token %d: to the last digits, in double precision: "
                "expected %.12g, got %.12g",
                what, token, by_sum, got);
            continue;
        }
        HINT(!near(got, exp(want), 1e-5),
             "%s: candidates_log_prob is ln p, and %.7g is p: expected %.7g", what, got, want);
        HINT(c.dense,
             "%s: candidates_log_prob of token %d, which is entry %zu here "
             "(candidates_find): expected %.7g, got %.7g",
             what, token, entry, want, got);
        HINT(false, "%s: candidates_log_prob of token %d: expected %.7g, got %.7g", what, token,
             want, got);
    }
    HINT(candidates_log_prob(&c, -1) == -INFINITY &&
             candidates_log_prob(&c, (int32_t)c.vocab) == -INFINITY,
         "%s: a token that is not there has ln p = -infinity", what);
}

static void limit_of(const char *what, const Truth *t) {
    for (int k = 0; k < 4; k++) {
        double log_p = -fresh_between(0.01, 12),
               below = log_p + log(candidates_sum(&c)) - MILLIONTH;
        float got = candidates_limit(&c, log_p), less = nextafterf(got, -INFINITY);
        double slack = 1e-12 * (1 + fabs(t->max));
        HINT(
            (double)got - t->max >= below - slack,
            "%s: candidates_limit(%g): at a logit of %.9g ln p is below that; rounded up where "
            "no float is just right",
            what, log_p, (double)got);
        HINT((double)less - t->max < below + slack,
             "%s: candidates_limit(%g) is %.9g, and a smaller logit has that ln p, too: ln p = "
             "logit - max - ln sum, less a MILLIONTH",
             what, log_p, (double)got);
    }
}

static void facts_of(const char *what) {
    Truth t = truth_of();
    NUMBER(candidates_max(&c), t.max, 0, "%s: candidates_max, the largest of %zu", what,
           c.count);
    NUMBER(candidates_sum(&c), t.sum, 1e-5 * t.sum,
           "%s: candidates_sum: of exp(logit - max), so it is 1 at least", what);
    logs_of(what, &t), entropy_of(what, &t);
    double pairs = candidates_collision(&c);
    HINT(!near(pairs, t.collision * t.sum, 1e-6) || near(pairs, t.collision, 1e-5),
         "%s: candidates_collision: each p has the sum below it, so p^2 its square", what);
    NUMBER(pairs, t.collision, 1e-5, "%s: candidates_collision: sum of p^2", what);
    probability_of(what, &t), limit_of(what, &t);
}

static void fresh_candidates(size_t n, double spread) {
    fresh_floats(logits, n, -spread, spread);
    if (fresh_below(3) == 0)
        for (size_t i = 0; i < n / 2; i++) logits[fresh_below(n)] = -INFINITY;
    logits[fresh_below(n)] = (float)fresh_between(-spread, spread);
    if (!arena.base || c.vocab != n) {
        arena_free(&arena);
        NEED(candidates_open(&c, n, &arena, &fault));
    }
    NEED(candidates_load(&c, logits, &fault));
}

/* A known fact is not computed again, and an unknown one is not trusted. */
static void remembered(void) {
    fresh_candidates(40, 5);
    Truth t = truth_of();
    c.known = 0;
    candidates_sum(&c);
    HINT(!(c.known & (KNOW_SEGMENTS | KNOW_PLACES)),
         "the maxima of the segments, or the positions, are not computed, and `known` says "
         "so");
    HINT(c.known & KNOW_SUMS && c.known & KNOW_MAX,
         "what was worked out is noted in `known` (KNOW_MAX, KNOW_SUMS)");
    c.sums.sum *= 2;
    HINT(near(candidates_sum(&c), 2 * t.sum, 1e-5),
         "the sums are known, and are worked out again: a fact is kept until a logit changes");
    c.known = 0, c.max = 1000, c.sums.sum = 1000;
    NUMBER(
        candidates_max(&c), t.max, 0,
        "the largest logit is not known (its bit in `known` is 0), and an old one is believed");
    HINT(near(candidates_sum(&c), t.sum, 1e-5),
         "the sums are not known (their bit in `known` is 0), and old ones are believed");
    c.known = KNOW_MAX | KNOW_SEGMENTS, c.max = (float)t.max;
    candidates_sum(&c);
    HINT(c.known & KNOW_SEGMENTS,
         "what else is known stays known: set a bit, leave the others");
    c.known = KNOW_SUMS | KNOW_PLACES;
    candidates_max(&c);
    HINT(c.known & KNOW_SUMS && c.known & KNOW_PLACES,
         "what else is known stays known: candidates_max sets a bit, and leaves the others");
    candidates_keep_best(&c, 7);
    c.known = 0, c.max = 1000;
    NUMBER(candidates_max(&c), c.logits[0], 0,
           "of sorted candidates the first has the largest logit");
    NUMBER(
        candidates_sum(&c), truth_of().sum, 1e-5,
        "of sorted candidates the first has the largest logit, and c->max is not asked for it");
    candidates_set(&c, 0, -50);
    NUMBER(
        candidates_max(&c), truth_of().max, 0,
        "the first of sorted candidates was the largest, and its logit was changed: what was "
        "never written to c->max is not known");
}

/* Maxima of segments are used while the candidates are dense, that of the last one, too. */
static void by_segments(void) {
    fresh_candidates(100, 5);
    logits[99] = 50;
    NEED(candidates_load(&c, logits, &fault));
    scan_segment_max(c.logits, c.count, c.segment_max);
    c.known = KNOW_SEGMENTS;
    NUMBER(candidates_max(&c), 50, 0,
           "the largest of 100 is in the last segment, which has %d numbers and not %d",
           100 % SCAN_SEGMENT, SCAN_SEGMENT);
    candidates_keep_above(&c, -1, 3);
    Truth t = truth_of();
    for (size_t i = 0; i < 2; i++) c.segment_max[i] = 1000;
    c.known = KNOW_SEGMENTS;
    NUMBER(candidates_max(&c), t.max, 0,
           "the candidates are compact: segment_max is of those that were there before");
}

/* Where a float has no digits left for what is small. */
static void far_out(void) {
    fresh_candidates(20, 1);
    for (size_t i = 0; i < 20; i++) logits[i] = 1e17f;
    NEED(candidates_load(&c, logits, &fault));
    NUMBER(
        candidates_log_prob(&c, 3), -log(20), 1e-6,
        "twenty logits of 1e17 alike: ln p is -ln 20; beside 1e17 the logarithm of the sum is "
        "lost: take max from the logit first");
    for (size_t i = 1; i < 20; i++) logits[i] = -1000;
    NEED(candidates_load(&c, logits, &fault));
    facts_of("one token far above the others");
    logits[0] = 0;
    for (size_t i = 1; i < 20; i++) logits[i] = -INFINITY;
    NEED(candidates_load(&c, logits, &fault));
    facts_of("one token that is alive");
}

GRADE(facts) {
    for (int round = 0; round < 40; round++) {
        fresh_candidates(1 + fresh_below(round % 3 ? 200 : MOST), round % 2 ? 8 : 60);
        if (round % 5 == 4) {
            logits[0] += 700;
            NEED(candidates_load(&c, logits, &fault));
        }
        facts_of("dense");
        candidates_changed(&c);
        facts_of("dense, with nothing known");
        candidates_keep_above(&c, (float)fresh_between(-8, 0), 3);
        facts_of("compact");
        candidates_keep_best(&c, 1 + fresh_below(5));
        facts_of("compact and sorted");
    }
    for (int round = 0; round < 20; round++) { /* where a float tells a MILLIONTH */
        fresh_candidates(1 + fresh_below(60), 0.4);
        facts_of("near 0");
        for (size_t i = 0; i < c.count; i++) logits[i] = (float)((double)c.logits[i] + 700);
        NEED(candidates_load(&c, logits, &fault));
        facts_of("near 700");
    }
    remembered();
    by_segments();
    far_out();
}

GRADES({"6.13", facts})
