/* The graders of layer 6: greedy, top-k and top-p on plain arrays. */
#include "edge.h"
#include "heap.h"
#include "inference.h"
#include "near.h"

DECLARE_SHIPPED(pick_top_k);
DECLARE_SHIPPED(pick_top_p);

enum { MOST = 70000, USUAL = 600 }; /* a vocabulary; as many as most rounds have */

static float logits[MOST];
static int32_t ids[MOST];

/* Fresh candidates: some of them equal, all far below zero now and then, a few -infinity. */
static void fresh_candidates(size_t n) {
    double middle = (double[]){0, -1000, 300}[fresh_below(3)];
    bool steps = fresh_below(2), holes = fresh_below(3) == 0;
    for (size_t i = 0; i < n; i++) {
        double x = fresh_between(-6, 6);
        logits[i] = (float)(middle + (steps ? round(x) : x));
        if (holes && fresh_below(4) == 0) logits[i] = -INFINITY;
        ids[i] = (int32_t)(3 * i + fresh_below(3));
    }
    for (size_t i = n; i-- > 1;) {
        size_t k = fresh_below(i + 1);
        int32_t t = ids[i];
        ids[i] = ids[k], ids[k] = t;
    }
}

static bool is_better(const float *x, const int32_t *names, size_t a, size_t b) {
    if (x[a] != x[b]) return x[a] > x[b];
    return names ? names[a] < names[b] : a < b;
}

static void best_of(const int32_t *names, size_t n) {
    float *row = before_the_edge(n * sizeof *row);
    memcpy(row, logits, n * sizeof *row);
    size_t want = 0, got = pick_best(row, names, n);
    HINT(memcmp(row, logits, n * sizeof *row) == 0, "the logits are to be left as they are");
    for (size_t i = 1; i < n; i++)
        if (is_better(logits, names, i, want)) want = i;
    if (got == want) return;
    HINT(!names || got != (size_t)ids[want] || got < n,
         "that is the token, %zu: wanted is its entry, %zu", got, want);
    HINT(got < n, "entry %zu of %zu candidates: entries are 0 to n - 1", got, n);
    HINT(logits[got] == logits[want],
         "entry %zu has the logit %.9g, but entry %zu has %.9g: the best is the largest, "
         "whatever its sign (all may be below zero)",
         got, (double)logits[got], want, (double)logits[want]);
    HINT(logits[want] != 0 || signbit(logits[got]) == signbit(logits[want]),
         "0 and -0 are the same logit: of entries %zu and %zu the lower id wins", want, got);
    HINT(names,
         "entries %zu and %zu have the same logit: the lower id wins (ids are NULL "
         "here, so the lower entry)",
         want, got);
    HINT(false,
         "entries %zu and %zu have the same logit, %g: the lower id wins, and that is %d, "
         "not %d",
         want, got, (double)logits[want], ids[want], ids[got]);
}

/* Two of a few are equal or nearly so, with the lower id first or second. */
static void two_best(float one, float other, int32_t id, int32_t other_id) {
    for (int round = 0; round < 8; round++) {
        size_t n = 2 + fresh_below(6), a = fresh_below(n), b = (a + 1 + fresh_below(n - 1)) % n;
        for (size_t i = 0; i < n; i++) logits[i] = -INFINITY, ids[i] = (int32_t)(10 + i);
        logits[a] = one, logits[b] = other, ids[a] = id, ids[b] = other_id;
        best_of(ids, n), best_of(NULL, n);
    }
}

GRADE(best) {
    for (int round = 0; round < 300; round++) {
        size_t n = round > 296 ? MOST : 1 + fresh_below(round < 100 ? 6 : USUAL);
        fresh_candidates(n);
        if (n == MOST) logits[66000] = logits[69000] = 400; /* far behind, and twice */
        if (n == MOST) ids[66000] = 65530, ids[69000] = 65540;
        best_of(round % 2 ? ids : NULL, n);
    }
    static const int32_t far_apart[][2] = {
        {100, 200}, {20000, 40000}, {65530, 65540}, {1 << 24, (1 << 24) + 1}, {1, INT32_MAX}};
    for (size_t i = 0; i < 5; i++) {
        int32_t low = far_apart[i][0], high = far_apart[i][1];
        two_best(3, 3, low, high), two_best(-INFINITY, -INFINITY, low, high);
        two_best(0, -0.0f, low, high), two_best(-0.0f, 0, low, high);
        two_best(1, nextafterf(1, 2), low, high);
    }
}

static float logit_of(int32_t id, const int32_t *names) {
    size_t i = 0;
    if (!names) return logits[id];
    while (i + 1 < MOST && names[i] != id) i++;
    return logits[i];
}

static void top_k_of(size_t n, size_t k, const int32_t *names) {
    static float got[MOST + 1], want[MOST];
    static int32_t got_ids[MOST + 1], want_ids[MOST], ids_before[MOST];
    static uint64_t keys[MOST + 1], ours[MOST];
    for (size_t i = 0; i <= n; i++) keys[i] = fresh_bits();
    const uint64_t behind = keys[n];
    float *row = before_the_edge(n * sizeof *row);
    memcpy(row, logits, n * sizeof *row), memcpy(ids_before, ids, n * sizeof *ids);
    SHIPPED(pick_top_k)(logits, names, n, k, want, want_ids, ours);
    for (size_t i = 0; i <= n; i++) got[i] = 12345, got_ids[i] = -5;
    pick_top_k(row, names, n, k, got, got_ids, keys);
    HINT(memcmp(row, logits, n * sizeof *row) == 0 &&
             memcmp(ids_before, ids, n * sizeof *ids) == 0,
         "logits and ids are to be left as they are: keys is there to work with");
    HINT(got_ids[k] == -5 && got[k] == 12345, "more than k = %zu are written to best", k);
    HINT(keys[n] == behind, "keys has room for n = %zu numbers, and one more was written", n);
    if (memcmp(got_ids, want_ids, k * sizeof *ids) == 0) {
        for (size_t i = 0; i < k; i++)
            HINT(got[i] == want[i],
                 "the ids are right, the logits in best are not: entry %zu of %zu: expected "
                 "%g, got %g",
                 i, k, (double)want[i], (double)got[i]);
        return;
    }
    for (size_t i = 1; i < k; i++)
        for (size_t j = 0; j < i; j++)
            HINT(got_ids[i] != got_ids[j] || got_ids[i] == -5,
                 "token %d is there twice, at entries %zu and %zu: do not take one again",
                 got_ids[i], j, i);
    bool same = true;
    for (size_t i = 0; i < k; i++) {
        bool found = false;
        for (size_t j = 0; j < k; j++) found = found || got_ids[j] == want_ids[i];
        HINT(got_ids[i] != -5, "only %zu of k = %zu are written", i, k);
        same = same && found;
    }
    size_t at = 0;
    while (got_ids[at] == want_ids[at]) at++;
    HINT(!(same && got[0] <= got[k - 1] && want[0] > want[k - 1]),
         "the right ones, but the best comes first: larger logits before smaller ones");
    HINT(!same || got[at] == want[at],
         "the right ones, but not in order: best first (entry %zu of %zu: expected %g, got %g)",
         at, k, (double)want[at], (double)got[at]);
    HINT(!names || got_ids[at] < 0 || (size_t)got_ids[at] >= n ||
             ids[got_ids[at]] != want_ids[at],
         "best_ids holds entries: where ids is given, the id of entry i is ids[i]");
    HINT(got[at] != 0 || want[at] != 0 ||
             signbit(logit_of(got_ids[at], names)) == signbit(logit_of(want_ids[at], names)),
         "0 and -0 are the same logit: of tokens %d and %d the lower id goes first",
         want_ids[at], got_ids[at]);
    HINT(got[at] != want[at],
         "of equal logits (%g) the lower id goes first: expected token %d, got "
         "%d",
         (double)want[at], want_ids[at], got_ids[at]);
    HINT(false, "the %zu best of %zu: entry %zu is token %d with %g, not token %d with %g", k,
         n, at, want_ids[at], (double)want[at], got_ids[at], (double)got[at]);
}

/* Zeros of both signs; then ids that no float can tell apart. */
static void alike_of(size_t n) {
    for (size_t i = 0; i < n; i++) {
        logits[i] = (float[]){0, -0.0f, -1}[fresh_below(3)];
        ids[i] = (int32_t)((i + n / 2) % n);
    }
    top_k_of(n, 1 + fresh_below(n), ids), top_k_of(n, 1 + fresh_below(n), NULL);
    for (size_t i = 0; i < n; i++) logits[i] = 3, ids[i] += 1 << 30;
    top_k_of(n, 1 + fresh_below(n), ids);
}

GRADE(best_k) {
    const size_t in_use = IN_USE();
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + fresh_below(round < 100 ? 6 : USUAL - 1), k = 1 + fresh_below(n);
        if (round % 7 == 0) k = n;
        if (round % 7 == 1) k = 1;
        fresh_candidates(n);
        top_k_of(n, k, round % 2 ? ids : NULL);
    }
    for (size_t n = 5; n < 25; n++) alike_of(n);
    fresh_candidates(6000), top_k_of(6000, 5000, ids);
    for (int named = 0; named < 2; named++) { /* a vocabulary */
        fresh_candidates(MOST);
        logits[68000] = 500, ids[68000] = 200001;
        top_k_of(MOST, 40, named ? ids : NULL);
    }
    HINT(IN_USE() < in_use + 20000,
         "after some hundred calls %zu bytes more are in use: what is taken is given back "
         "(free), "
         "and keys is there to work with",
         IN_USE() - in_use);
}

/* Weights of probability p in float logits, best first. */
static void falling(size_t n) {
    fresh_candidates(n);
    static float best[MOST];
    static int32_t names[MOST];
    static uint64_t keys[MOST];
    SHIPPED(pick_top_k)(logits, NULL, n, n, best, names, keys);
    memcpy(logits, best, n * sizeof *best);
    if (logits[0] == -INFINITY) logits[0] = 1;
}

static void top_p_of(size_t n, float max, double mass, double rounding) {
    double sum = 0, before = 0;
    float *row = before_the_edge(n * sizeof *row);
    memcpy(row, logits, n * sizeof *row);
    size_t want = 0, alive = 0, got = pick_top_p(row, n, max, mass);
    HINT(memcmp(row, logits, n * sizeof *row) == 0, "the logits are to be left as they are");
    while (alive < n && logits[alive] > -INFINITY) alive++;
    while (want < alive && (want == 0 || sum < mass))
        before = sum, sum += exp((double)logits[want++] - (double)max);
    double slack = rounding * sum; /* exp and sums of another order */
    if (got == want || (got > 0 && got + 1 == want && fabs(before - mass) < slack) ||
        (got == want + 1 && fabs(sum - mass) < slack && got <= alive))
        return;
    HINT(got > 0, "none are kept: always keep the best one");
    HINT(got <= n, "%zu of %zu", got, n);
    HINT(got <= alive,
         "%zu are kept, but only %zu have a logit above -infinity: what weighs nothing "
         "is not needed",
         got, alive);
    HINT(sum != mass || got != want + 1,
         "%zu make exactly the wanted %.9g: enough (the mass is reached, it need not be "
         "passed), got %zu",
         want, mass, got);
    double plain = 0, all = 0, share = 0;
    size_t k = 0, by_share = 0;
    for (; k < alive && (k == 0 || plain < mass); k++) plain += exp((double)logits[k]);
    for (size_t i = 0; i < alive; i++) all += exp((double)logits[i] - (double)max);
    while (by_share < alive && (by_share == 0 || share < mass * all))
        share += exp((double)logits[by_share++] - (double)max);
    HINT(got != k || max == 0,
         "the weight of a logit is exp(logit - max), max = %g: got %zu, expected %zu",
         (double)max, got, want);
    HINT(got != by_share || all == 1,
         "the mass, %g, is a sum of weights exp(logit - max), not a share of them: got %zu, "
         "expected %zu",
         mass, got, want);
    HINT(got + 1 != want,
         "the one that reaches the mass is kept as well: %zu make %.17g of the "
         "wanted %.17g, so %zu are needed, not %zu",
         got, before, mass, want, got);
    HINT(got != want + 1,
         "%zu make %.9g, and %.9g is wanted: enough (the mass is reached, it need "
         "not be passed), got %zu",
         want, sum, mass, got);
    HINT(false,
         "weights exp(logit - %g), best first, up to a mass of %.9g: expected %zu of %zu, got "
         "%zu",
         (double)max, mass, want, n, got);
}

GRADE(mass) {
    static const float few[6] = {5, 4, 3,
                                 2, 2, 2}; /* weights 1, 0.37, 0.14, 0.05, 0.05, 0.05 */
    memcpy(logits, few, sizeof few);
    top_p_of(6, 5, 1.4, 0), top_p_of(6, 5, 0.5, 0), top_p_of(6, 5, 1.2, 0);
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + fresh_below(round < 100 ? 6 : USUAL);
        falling(n);
        float max =
            logits[0] + (round % 3 ? 0 : (float)fresh_between(0, 3)); /* part of a longer row */
        double all = 0;
        for (size_t i = 0; i < n; i++) all += exp((double)logits[i] - (double)max);
        top_p_of(n, max, all * fresh_between(0.01, 0.999), 1e-12);
        top_p_of(n, max, all * 1.01, 0);
        top_p_of(n, max, 0, 0);
    }
    for (size_t n = 4; n < 40; n++) { /* equal ones: a mass that is exactly reached */
        for (size_t i = 0; i < n; i++) logits[i] = -3;
        double some = (double)(1 + fresh_below(n - 1));
        top_p_of(n, -3, some, 0), top_p_of(n, -3, some + 1e-10, 0);
    }
    memset(logits, 0, sizeof logits); /* a vocabulary, and no token above others */
    top_p_of(MOST, 0, MOST - 0.5, 0);
    for (int far = 0; far < 2; far++) { /* weights that a float sum of 1 and more forgets */
        float low = far ? -25 : -17.5f;
        for (size_t i = 0; i < 300; i++) logits[i] = i ? low : 0;
        top_p_of(300, 0, 1 + 200.5 * exp((double)low), 0);
    }
    logits[0] = 0, logits[1] = -60; /* a weight that is nothing beside 1, and yet above 0 */
    top_p_of(2, 0, 2, 0);
}

GRADES({"6.6", best}, {"6.10", best_k}, {"6.11", mass})
