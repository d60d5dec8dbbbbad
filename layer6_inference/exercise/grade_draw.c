/* The grader of layer 6: the entry that a uniform sample selects. */
#include "edge.h"
#include "inference.h"

enum { MOST = 70000, USUAL = 600 }; /* a vocabulary; as many as most rounds have */

/* With exact sums a sample selects one entry; otherwise, near a border, rounding allows two. */
static void drawn_of(const float *weights, size_t n, double coin, bool exact) {
    float *row = before_the_edge(n * sizeof *row);
    memcpy(row, weights, n * sizeof *row);
    size_t want = n, last = n, got = pick_drawn(row, n, coin);
    HINT(memcmp(row, weights, n * sizeof *row) == 0, "the weights are to be left as they are");
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        all += (double)weights[i];
        if (weights[i] > 0) last = i;
        if (want == n && all > coin) want = i;
    }
    if (want == n) want = last;
    if (got == want) return;
    HINT(want < n, "no candidate has a weight: wanted n = %zu, got %zu", n, got);
    HINT(got != n || coin >= all,
         "n = %zu, sample %g, which selects entry %zu: the first whose sum is above it "
         "(the sum must be above the sample, so the sample 0 selects the first that weighs "
         "anything)",
         n, coin, want);
    HINT(coin > 0,
         "the sample 0 selects the first entry that weighs anything, %zu, not %zu (the sum "
         "must be above the sample, not equal)",
         want, got);
    HINT(got != n,
         "the sums do not pass the sample %.9g (rounding can do that): the last entry with "
         "a weight, %zu, is the one",
         coin, want);
    HINT(got < n, "entry %zu of %zu", got, n);
    HINT(weights[got] > 0, "entry %zu has the weight 0: no sample may select it", got);
    for (size_t i = 0; i < got; i++) sum += (double)weights[i];
    double with = sum + (double)weights[got], rounding = (double)n * 0x1p-51 * all;
    if (!exact && (want != last || coin < all) &&
        (fabs(sum - coin) < rounding || fabs(with - coin) < rounding))
        return;
    HINT(with != coin,
         "the weights up to entry %zu add up to exactly the sample, %g: it selects the next "
         "one that "
         "weighs anything, %zu (the sum must be above the sample, not equal)",
         got, coin, want);
    HINT(false,
         "sample %.17g of %.17g: expected entry %zu, got entry %zu, before which the weights "
         "make %.17g and with which they make %.17g, added up in double precision",
         coin, all, want, got, sum, with);
}

/* Whole weights: on each border, and by the smallest step below and above it. */
static void on_borders(const float *weights, size_t n) {
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        all += (double)weights[i];
        drawn_of(weights, n, all, true);
        drawn_of(weights, n, nextafter(all, 0), true);
        drawn_of(weights, n, nextafter(all, 2 * all), true);
    }
}

/* Weights of all sizes, some 0: samples anywhere, at 0, above all; quarters on a border. */
static void at_random(void) {
    static float w[MOST];
    for (int round = 0; round < 400; round++) {
        size_t n = round > 397 ? MOST : 1 + fresh_below(round < 200 ? 6 : USUAL);
        double all = 0;
        for (size_t i = 0; i < n; i++) {
            w[i] = fresh_below(3) ? (float)fresh_between(0, round % 3 ? 1 : 20) : 0;
            if (round % 2) w[i] = (float)fresh_below(4) / 4;
            all += (double)w[i];
        }
        if (all == 0) continue;
        drawn_of(w, n, fresh_between(0, all * 0.999999), false);
        if (round % 2) drawn_of(w, n, (double)fresh_below((size_t)(4 * all)) / 4, true);
        drawn_of(w, n, 0, true);
        drawn_of(w, n, all * 1.000001, true);
    }
}

GRADE(drawn) {
    float w[40];
    at_random();
    for (size_t i = 0; i < 40; i++) w[i] = i % 4 ? 1e-9f : 0; /* all of them small */
    for (size_t i = 0; i < 30; i++) drawn_of(w, 40, 1e-9 * (0.5 + (double)i), false);
    for (size_t i = 0; i < 40; i++) w[i] = i % 4 ? 0x1p-149f : 0; /* the smallest there are */
    for (size_t i = 0; i < 30; i++) drawn_of(w, 40, 0x1p-149 * (double)i, true);
    memset(w, 0, sizeof w);
    drawn_of(w, 5, 0, true), drawn_of(w, 5, 1, true);
    on_borders((const float[]){1, 1}, 2);
    on_borders((const float[]){3, 0, 1, 0, 0, 2, 1, 0}, 8);
    on_borders((const float[]){0, 0x1p-10f, 8, 0x1p-10f, 0}, 5);
    drawn_of((const float[]){1, 0x1p-40f, 0}, 3, 1 + 0x1p-40, true); /* a tiny last one */
    drawn_of((const float[]){1, 0x1p-40f, 0}, 3, 2, true);
    /* ten thousand small weights beside a large one: a float sum would not see them */
    static float many[20001];
    for (size_t i = 0; i < 20001; i++) many[i] = i ? 1 : 16777216;
    drawn_of(many, 20001, 16777216 + 10000.5, true);
}

GRADES({"6.7", drawn})
