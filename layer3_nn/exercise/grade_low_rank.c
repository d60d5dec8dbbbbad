/* The grader of layer 3: what an adapter adds to a row, by sums in double precision. */
#include "near.h"
#include "nn.h"

enum { MOST = 5000, NARROW = 60, RANKS = LOW_RANK_MAX };
#define NEAR 1e-3
static float a[RANKS * MOST], b[MOST * RANKS], x[4 * MOST], before[MOST];

typedef enum {
    FINE,
    WRITTEN,
    UNSCALED,
    TWICE,
    BY_RANK,
    FIRST,
    A_TURNED,
    B_TURNED,
    CUT,
    SLIPS
} Slip;

static const char *const hints[SLIPS] = {
    [WRITTEN] = "y holds W x already: what the adapter gives is added to it",
    [UNSCALED] = "the scale is left out",
    [TWICE] = "the scale comes in once, at x or at y",
    [BY_RANK] = "divided by the rank once more: alpha / rank is in scale already",
    [FIRST] = "B takes all `rank` numbers that come through A, not the first one",
    [A_TURNED] = "A is (rank, in): its row r begins at a + r * in",
    [B_TURNED] = "B is (out, rank): its row o begins at b + o * rank",
    [CUT] = "only the first 64 numbers of x come through A: a row may have thousands"};

static void wanted(const LowRank *l, Slip slip, double *y) {
    static double t[RANKS];
    double scale = (double)l->scale;
    if (slip == UNSCALED) scale = 1;
    if (slip == TWICE) scale *= scale;
    if (slip == BY_RANK) scale /= (double)l->rank;
    for (size_t r = 0; r < l->rank; r++) {
        t[r] = 0;
        for (size_t k = 0; k < l->in && (slip != CUT || k < 64); k++)
            t[r] +=
                (double)l->a[slip == A_TURNED ? k * l->rank + r : r * l->in + k] * (double)x[k];
    }
    for (size_t o = 0; o < l->out; o++) {
        y[o] = slip == WRITTEN ? 0 : (double)before[o];
        for (size_t r = 0; r < (slip == FIRST ? 1 : l->rank); r++)
            y[o] += scale * t[r] *
                    (double)l->b[slip == B_TURNED ? r * l->out + o : o * l->rank + r];
    }
}

static void check_one(size_t rank, size_t in, size_t out) {
    static float got[MOST + 1];
    static double want[MOST], other[MOST];
    LowRank next = {a, b, 1, in, out, 3, NULL, NULL},
            l = {a, b, rank, in, out, (float)fresh_between(2, 5), NULL, NULL};
    fresh_floats(a, rank * in, -1, 1), fresh_floats(b, out * rank, -1, 1);
    fresh_floats(x, in, -1, 1), fresh_floats(before, out, 2, 3);
    memcpy(got, before, out * sizeof *got), got[out] = -7;
    low_rank_add(&l, x, got);
    HINT(got[out] == -7, "%zu outputs, and something is written past the last", out);
    wanted(&l, FINE, want);
    for (Slip s = WRITTEN; s < SLIPS && !all_near(got, want, out, NEAR); s++) {
        wanted(&l, s, other);
        HINT(!all_near(got, other, out, NEAR), "%s", hints[s]);
    }
    expect("low_rank_add", got, want, out, NEAR);
    l.next = &next;
    memcpy(got, before, out * sizeof *got);
    low_rank_add(&l, x, got);
    HINT(all_near(got, want, out, NEAR),
         "one adapter, please: low_rank_rows calls for the next one by itself");
}

/* Many rows on several threads: each result is the same as for the row alone. */
static void check_threads(Pool *pool) {
    enum { N = 400, SIDE = 24, RANK = 64 };
    static float alone[N * SIDE], together[N * SIDE];
    LowRank l = {a, b, RANK, SIDE, SIDE, 2, NULL, NULL};
    fresh_floats(a, RANK * SIDE, -1, 1), fresh_floats(b, SIDE * RANK, -1, 1);
    fresh_floats(x, N * SIDE, -1, 1);
    for (int round = 0; round < 200; round++) {
        memset(alone, 0, sizeof alone), memset(together, 0, sizeof together);
        for (size_t i = 0; i < N; i++) low_rank_add(&l, x + i * SIDE, alone + i * SIDE);
        low_rank_rows(pool, &l, x, N, together);
        HINT(memcmp(alone, together, sizeof alone) == 0,
             "rows that several threads compute at once spoil each other: is there memory that "
             "all calls share (static)?");
    }
}

GRADE(low_rank) {
    Fault fault;
    Pool *pool = pool_open(4, false, &fault);
    NEED(pool);
    for (int round = 0; round < 24; round++)
        check_one(2 + fresh_below(14), 2 + fresh_below(NARROW - 1),
                  2 + fresh_below(NARROW - 1));
    check_one(1, NARROW, 1);
    check_one(RANKS, NARROW, NARROW);
    check_one(3, MOST, 7);
    check_one(3, 7, MOST);
    check_threads(pool);
    pool_close(pool);
}

GRADES({"3.17", low_rank})
