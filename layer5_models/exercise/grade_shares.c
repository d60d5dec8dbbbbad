/* The grader of shares: which rows of a matrix each machine has. */
#include "edge.h"
#include "../extras/machines/shared_rows.h"

enum { MOST = 256, ROWS = 16 };

static void check_bounds(const double *shares, int size, const double *bounds) {
    double sum = 0, before = 0;
    for (int i = 0; i < size; i++) sum += shares ? shares[i] : 1;
    for (int i = 0; i < size; i++) {
        NUMBER(bounds[i], before / sum, 1e-12,
               "share_bounds, machine %d of %d (bounds[%d])%s: the shares of the machines "
               "before it, divided by the sum of all",
               i + 1, size, i, shares ? "" : ", shares NULL: all alike");
        before += shares ? shares[i] : 1;
    }
    HINT(bounds[size] == 1,
         "share_bounds: bounds has size + 1 numbers, and the last one is 1, exactly: the last "
         "machine ends with the last row. Here bounds[%d] is %.17g",
         size, bounds[size]);
}

static void check_begin(const double *bounds, int i, int size, size_t out) {
    size_t begin = share_begin(bounds, i, out), blocks = (out + ROWS - 1) / ROWS;
    double wanted = bounds[i] * (double)blocks * ROWS, beside = (double)begin - wanted;
    const bool ends = begin == out && wanted >= (double)(blocks * ROWS) - ROWS / 2 - 1e-6;
    char who[64];
    if (i < size)
        snprintf(who, sizeof who, "machine %d of %d (member %d)", i + 1, size, i);
    else
        snprintf(who, sizeof who, "the end of %d machines (member %d)", size, i);
    HINT(begin <= out,
         "share_begin, %s: row %zu of %zu. The last block may have fewer than sixteen rows: no "
         "machine begins behind the last row",
         who, begin, out);
    HINT(begin % ROWS == 0 || begin == out,
         "share_begin, %s: row %zu of %zu is no multiple of sixteen; sixteen rows are packed "
         "together, so count in blocks of sixteen",
         who, begin, out);
    HINT(i < size || begin == out,
         "share_begin, %s: row %zu of %zu, and no machine has the rows behind it. A last block "
         "of fewer than sixteen rows counts as well: round the number of blocks up",
         who, begin, out);
    HINT(ends || fabs(beside) <= ROWS / 2 + 1e-6,
         "share_begin, %s, bound %.4f: of %zu blocks of sixteen rows %.2f come before it, and "
         "it begins at block %zu: take the nearest one",
         who, bounds[i], blocks, wanted / ROWS, begin / ROWS);
    HINT(ends || beside > -ROWS / 2,
         "share_begin, %s, bound %.4f: of %zu blocks of sixteen rows %.2f come before it, and "
         "it begins at block %zu: a half is rounded up",
         who, bounds[i], blocks, wanted / ROWS, begin / ROWS);
}

/* Behind the bounds there is nothing to read. */
static void check_rows(const double *known, int size, size_t out) {
    const size_t bytes = ((size_t)size + 1) * sizeof *known;
    double *bounds = before_the_edge(bytes);
    size_t all = 0;
    memcpy(bounds, known, bytes);
    for (int i = size; i >= 0; i--) check_begin(bounds, i, size, out);
    for (int i = 0; i < size; i++) {
        size_t rows = share_rows(bounds, i, out);
        COUNT(rows, share_begin(bounds, i + 1, out) - share_begin(bounds, i, out),
              "share_rows, machine %d of %d (member %d), %zu rows in all: from where it begins "
              "to where the next one begins",
              i + 1, size, i, out);
        all += rows;
    }
    COUNT(all, out, "the rows of all %d machines together", size);
}

/* Some are 0, but not all. */
static void draw_shares(double *shares, int size) {
    for (int i = 0; i < size; i++)
        shares[i] = fresh_below(5) ? fresh_between(0.1, 9) : (double)fresh_below(4);
    shares[fresh_below((size_t)size)] = 1;
}

static void check_any(int size, size_t out) {
    const size_t bytes = (size_t)size * sizeof(double);
    double *shares = before_the_edge(bytes), before[MOST], bounds[MOST + 2];
    const double *given = fresh_below(6) ? shares : NULL;
    draw_shares(shares, size);
    memcpy(before, shares, bytes);
    for (int i = 0; i < MOST + 2; i++) bounds[i] = -1;
    share_bounds(given, size, bounds);
    HINT(memcmp(before, shares, bytes) == 0,
         "share_bounds: shares are read, and here they have changed");
    check_bounds(given, size, bounds);
    HINT(bounds[size + 1] == -1,
         "share_bounds, %d machines: bounds has %d numbers, and bounds[%d] was written, too",
         size, size + 1, size + 1);
    check_rows(bounds, size, out);
}

GRADE(rows_of_machines) {
    const double three[] = {3, 2, 2};
    /* its fraction becomes a half in single precision */
    const double below_half[] = {0, (50000 + 0.499) / 100000, 1};
    double bounds[MOST];
    share_bounds(three, 3, bounds);
    check_bounds(three, 3, bounds);
    for (int i = 0; i < 3; i++)
        COUNT(share_rows(bounds, i, 112), three[i] * ROWS,
              "shares 3:2:2 of 112 rows, seven blocks of sixteen: the rows of machine %d",
              i + 1);
    check_rows(bounds, 3, 112), check_rows(below_half, 2, 100000 * ROWS);
    for (int round = 0; round < 2000; round++)
        check_any(1 + (int)fresh_below(7),
                  fresh_below(2) ? ROWS * fresh_below(50) : fresh_below(800));
    for (int round = 0; round < 20; round++)
        check_any(1 + (int)fresh_below(7), fresh_below(1 << 22)),
            check_any(1 + (int)fresh_below(MOST), fresh_below(8000));
    check_any(MOST, fresh_below(8000));
}

GRADES({"5.27", rows_of_machines})
