/* The grader of layer 2: one pass over logits, the same bits on every instruction set. */
#include "../src/kernels/kernel_table.h"
#include "near.h"
#include "linalg.h"

enum { MOST = 70000, USUAL = 2500 };
static float x[MOST + 1];

/* kind 0: as in the picture in scan.h.  The other kinds are slips in the same lanes. */
static ExpSums sums_of(int kind, size_t n, float shift) {
    ExpSums total = {0};
    for (size_t i = 0; i < n; i++) {
        double d = (double)(x[i] - shift), e = d < -43 && kind != 1 ? 0 : exp(d);
        if (kind == 2 && i >= SCAN_CHUNK) break;
        if (kind == 3) d = (double)x[i];
        total.sum += e, total.squares += e * e;
        if (e > 0) total.weighted += d * e;
    }
    return total;
}

static double fold(float lanes[SCAN_LANES]) {
    for (size_t width = SCAN_LANES / 2; width; width /= 2)
        for (size_t i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return (double)lanes[0];
}

/* With the lanes of one instruction set. */
static ExpSums sums_by(ExpLanesOf *take, size_t n, float shift) {
    ExpSums total = {0};
    for (size_t i = 0; i < n; i += SCAN_CHUNK) {
        ExpLanes lanes = {0};
        take(&lanes, x + i, n - i < SCAN_CHUNK ? n - i : SCAN_CHUNK, shift);
        total.sum += fold(lanes.sum), total.weighted += fold(lanes.weighted);
        total.squares += fold(lanes.squares);
    }
    return total;
}

static void check_sums(size_t n, float shift) {
    ExpSums got = scan_exp_by(exp_lanes_scalar, x, n, shift), want = sums_of(0, n, shift),
            first = sums_of(2, n, shift), unshifted = sums_of(3, n, shift);
    double bound = 1e-5 * (1 + fabs(want.weighted));
    HINT(n <= SCAN_CHUNK || fabs(got.sum - first.sum) > 1e-5 * first.sum ||
             fabs(got.sum - want.sum) <= 1e-5 * want.sum,
         "%zu numbers: only the first chunk of %d is in the sums", n, SCAN_CHUNK);
    HINT(!isnan(got.weighted), "a score of -infinity counts as 0 in all three sums: skip it, "
                               "because -infinity times 0 is NaN");
    HINT(fabs(got.sum - want.sum) <= 1e-5 * want.sum,
         "the sum of exp(x - shift) of %zu numbers: expected %.7g, got %.7g", n, want.sum,
         got.sum);
    HINT(fabs(got.weighted - unshifted.weighted) > bound ||
             fabs(got.weighted - want.weighted) <= bound,
         "weighted is the sum of (x - shift) e, here it is that of x e");
    HINT(fabs(got.weighted - want.weighted) <= bound,
         "the sum of (x - shift) e of %zu numbers: expected %.7g, got %.7g", n, want.weighted,
         got.weighted);
    HINT(fabs(got.squares - want.squares) <= 1e-5 * want.squares,
         "the sum of e^2 of %zu numbers: expected %.7g, got %.7g", n, want.squares,
         got.squares);
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    ExpSums wide = sums_by(list[count - 1]->exp_lanes, n, shift);
    HINT(memcmp(&wide, &got, sizeof got) == 0,
         "right but for the last bits, and every instruction set must give the same (%s: "
         "%.17g, yours %.17g): number i of a chunk is added to lane i mod 16, in float; "
         "a chunk's lanes are folded and added to the total, in double (fold_lanes)",
         list[count - 1]->isa, wide.sum, got.sum);
}

/* A number exactly 43 below the shift counts, one slightly lower does not. */
static void check_lowest(float d, bool counts) {
    float shift = (float)fresh_below(100);
    for (size_t i = 0; i < 5; i++) x[i] = i == 2 ? shift + d : -INFINITY;
    ExpSums got = scan_exp_by(exp_lanes_scalar, x, 5, shift);
    HINT((got.sum > 0 && got.squares > 0 && got.weighted < 0) == counts,
         "the only score above -infinity is %.7g below the shift, so the sums %s: left out is "
         "what has a d below SCAN_LOWEST, and no other (got %.7g, %.7g, %.7g)",
         (double)-d, counts ? "are not 0" : "are 0", got.sum, got.weighted, got.squares);
}

/* One NaN makes the total NaN. */
static void check_nan(void) {
    fresh_floats(x, 100, -9, 0), x[fresh_below(100)] = NAN;
    ExpSums got = scan_exp_by(exp_lanes_scalar, x, 100, 0);
    HINT(isnan(got.sum) && isnan(got.weighted) && isnan(got.squares),
         "a score that is NaN is below nothing: it is not skipped, and the sums are NaN");
    float high[2];
    fresh_floats(x, 100, -9, 0), x[64 + fresh_below(30)] = NAN;
    scan_segment_max_scalar(x, 100, high);
    HINT(!isnan(high[0]) && isnan(high[1]),
         "the largest of a segment with NaN is NaN, and of others not: vector_max_scalar");
}

static void check_segments(size_t n) {
    static float got[MOST / SCAN_SEGMENT + 2];
    size_t segments = (n + SCAN_SEGMENT - 1) / SCAN_SEGMENT;
    got[segments] = -77;
    scan_segment_max_scalar(x, n, got);
    HINT(got[segments] == -77,
         "%zu numbers are %zu segments of %d, the last one shorter; something is written past "
         "them",
         n, segments, SCAN_SEGMENT);
    for (size_t s = 0; s < segments; s++) {
        size_t end = (s + 1) * SCAN_SEGMENT < n ? (s + 1) * SCAN_SEGMENT : n;
        float high = x[s * SCAN_SEGMENT];
        for (size_t i = s * SCAN_SEGMENT; i < end; i++) high = fmaxf(high, x[i]);
        HINT(got[s] == high, "segment %zu of %zu numbers: the largest is %.7g, got %.7g", s, n,
             (double)high, (double)got[s]);
    }
}

typedef size_t Sieve(const float *x, const int32_t *ids, size_t n, float threshold, float *out,
                     int32_t *out_ids);

static void check_sieve(const char *name, Sieve *sieve, bool above, size_t n, float threshold,
                        bool with_ids) {
    static float out[MOST + 1], again[MOST + 1];
    static int32_t ids[MOST + 1], out_ids[MOST + 1];
    size_t want = 0, equal = 0;
    for (size_t i = 0; i < n; i++)
        ids[i] = (int32_t)(50021 * i % 2000003), equal += x[i] == threshold;
    size_t got = sieve(x, with_ids ? ids : NULL, n, threshold, out, out_ids);
    for (size_t i = 0; i < n; i++) want += (x[i] >= threshold) == above;
    HINT(equal == 0 || got != (above ? want - equal : want + equal),
         "%s: a number that equals the threshold is kept by scan_keep and not by scan_below",
         name);
    size_t odd = 0;
    for (size_t i = 0; i < n; i++) odd += isnan(x[i]) != 0;
    HINT(odd == 0 || got != (above ? want + odd : want - odd),
         "%s: NaN is not >= the threshold, so it belongs to scan_below: both ask x[i] >= "
         "threshold",
         name);
    HINT(got == want, "%s: of %zu numbers and the threshold %g it should return %zu, got %zu",
         name, n, (double)threshold, want, got);
    for (size_t i = 0, k = 0; i < n; i++) {
        if ((x[i] >= threshold) != above) continue;
        int32_t id = with_ids ? ids[i] : (int32_t)i;
        HINT(!with_ids || out_ids[k] != (int32_t)i || id == (int32_t)i,
             "%s: with ids a number keeps the id it came with, not its index", name);
        HINT((out[k] == x[i] || (isnan(out[k]) && isnan(x[i]))) && out_ids[k] == id,
             "%s: number %zu of those kept: expected %g with id %d, got %g with id %d; they "
             "stay in order",
             name, k, (double)x[i], id, (double)out[k], out_ids[k]);
        k++;
    }
    memcpy(again, x, n * sizeof *x);
    HINT(sieve(again, ids, n, threshold, again, ids) == want &&
             memcmp(again, out, want * sizeof *out) == 0,
         "%s: out may be x, and out_ids may be ids: nothing that is still to be read may be "
         "written over",
         name);
}

/* The special numbers, and each of them as the threshold. */
static void check_odd(void) {
    static const float odd[] = {-INFINITY, -1, -0.0f, 0, 1, INFINITY, NAN};
    for (size_t t = 0; t < 6; t++)
        for (int i = 0; i < 40; i++) {
            size_t n = fresh_below(20);
            for (size_t k = 0; k < n; k++) x[k] = odd[fresh_below(7)];
            check_sieve("scan_keep", scan_keep_scalar, true, n, odd[t], i % 2);
            check_sieve("scan_below", scan_below_scalar, false, n, odd[t], i % 2);
        }
    for (size_t i = 0; i < 100; i++) x[i] = i < 64 ? -INFINITY : -3e38f;
    check_segments(100);
    for (int i = 0; i < 20; i++) {
        check_lowest(-43, true), check_lowest(-42.5f, true);
        check_lowest(-43.0001f, false), check_lowest(-44, false), check_lowest(-80, false);
    }
}

GRADE(scans) {
    for (int round = 0; round < 60; round++) {
        size_t n = round >= 58  ? MOST
                   : round < 20 ? 1 + fresh_below(70)
                                : 1 + fresh_below(USUAL - 1);
        double middle = (double[]){0, -300, 300}[round % 3];
        fresh_floats(x, n, middle - 14, middle + 2);
        for (size_t i = 3; round % 2 && i < n; i += 7) x[i] = -INFINITY;
        if (n > 5 && round % 4 == 1) x[1] = (float)middle - 200;
        check_sums(n, (float)middle + 2);
        check_segments(n);
        float threshold =
            round % 5 ? (float)fresh_between(middle - 15, middle + 3) : x[fresh_below(n)];
        if (round % 3 == 1) x[fresh_below(n)] = NAN; /* not >= anything */
        check_sieve("scan_keep", scan_keep_scalar, true, n, threshold, round % 2);
        check_sieve("scan_below", scan_below_scalar, false, n, threshold, round % 2);
    }
    check_nan();
    check_odd();
}

GRADES({"2.4", scans})
