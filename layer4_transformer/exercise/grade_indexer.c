/* The grader of sparse attention: the chosen positions. */
#include "grader.h"
#include "transformer_extras.h"

#include <float.h>

enum { MOST = 5000, SMALL = 236 }; /* long texts; most checks use few positions */

static float scores[MOST], before[MOST];
static uint64_t mine[MOST / 64 + 2];

static bool is_chosen(size_t i) { return mine[i / 64] >> i % 64 & 1; }

/* Rank of position i: larger scores, and equal ones before it. */
static size_t rank_of(size_t n, size_t i) {
    size_t ahead = 0;
    for (size_t j = 0; j < n; j++)
        ahead += before[j] > before[i] || (before[j] == before[i] && j < i);
    return ahead;
}

static void grade_one(size_t n, size_t top, const char *of) {
    size_t count = 0;
    memset(mine, 0xff, sizeof mine), memcpy(before, scores, sizeof before);
    choose_top(scores, n, top, mine);
    HINT(memcmp(before, scores, sizeof before) == 0,
         "%zu scores, the %zu largest: scores are read, and afterwards they are others", n,
         top);
    for (size_t i = n; i < (n / 64 + 1) * 64; i++)
        HINT(!is_chosen(i),
             "%zu scores, the %zu largest: bit %zu is set, and there is no such "
             "score; words are written whole",
             n, top, i);
    HINT(mine[n / 64 + 1] == ~(uint64_t)0,
         "%zu scores have %zu words; the one after them is not yours", n, n / 64 + 1);
    for (size_t i = 0; i < n; i++) count += is_chosen(i);
    COUNT(count, top < n ? top : n, "%zu scores %s, the %zu largest: how many are chosen", n,
          of, top);
    for (size_t i = 0; i < n; i++) {
        size_t rank = rank_of(n, i);
        HINT(is_chosen(i) == (rank < top),
             "%zu scores %s, the %zu largest: %g at %zu, which %zu others come before, is %s "
             "(of "
             "equal scores the first come first)",
             n, of, top, (double)before[i], i, rank, is_chosen(i) ? "chosen" : "left out");
    }
}

GRADE(top) {
    for (int round = 0; round < 40; round++) {
        size_t n = 1 + fresh_below(SMALL);
        fresh_floats(scores, n, -5, 5);
        grade_one(n, 1 + fresh_below(n + 3), "of both signs");
        fresh_floats(scores, n, -9, -1);
        grade_one(n, 1 + fresh_below(n), "below 0");
        for (size_t i = 0; i < n; i++) scores[i] = (float)fresh_below(4);
        grade_one(n, 1 + fresh_below(n), "of which many are equal");
        for (size_t i = 0; i < n; i++) scores[i] = fresh_below(2) ? 0.0f : -0.0f;
        grade_one(n, 1 + fresh_below(n), "that are all 0, with either sign");
        for (size_t i = 0; i < n; i++) scores[i] = 1 + FLT_EPSILON * (float)fresh_below(99);
        grade_one(n, 1 + fresh_below(n), "that differ in their last bits");
        fresh_floats(scores, n, -3e38, -1e30);
        scores[fresh_below(n)] = -INFINITY, scores[fresh_below(n)] = INFINITY;
        grade_one(n, 1 + fresh_below(n), "far below 0, and infinite ones");
        fresh_floats(scores, n, 0, 1e30);
        scores[fresh_below(n)] = 1e-30f;
        grade_one(n, 1 + fresh_below(n), "of all sizes");
    }
    fresh_floats(scores, MOST, -1, 1);
    grade_one(MOST, MOST / 3, "of a long text");
}

GRADES({"4.16", top})
