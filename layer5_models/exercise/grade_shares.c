/* The grader of shares: which rows of a matrix each machine has. */
#include "grader.h"
#include "../extras/machines/shared_rows.h"

enum { MOST = 7, ROWS = 16 };

static void check_bounds(const double *shares, int size, const double *bounds) {
    double sum = 0, before = 0;
    for (int i = 0; i < size; i++) sum += shares ? shares[i] : 1;
    for (int i = 0; i < size; i++) {
        NUMBER(
            bounds[i], before / sum, 1e-12,
            "share_bounds, machine %d of %d (from 0)%s: the shares of the machines before it, "
            "divided by the sum of all",
            i, size, shares ? "" : ", shares NULL: all alike");
        before += shares ? shares[i] : 1;
    }
    HINT(bounds[size] == 1,
         "share_bounds: bounds has size + 1 numbers, and the last one is 1, exactly: the last "
         "machine ends with the last row. Here bounds[%d] is %.17g",
         size, bounds[size]);
}

static void check_rows(const double *bounds, int size, size_t out) {
    size_t all = 0, blocks = (out + ROWS - 1) / ROWS;
    for (int i = 0; i <= size; i++) {
        size_t begin = share_begin(bounds, i, out);
        double wanted = bounds[i] * (double)blocks * ROWS;
        HINT(begin <= out,
             "share_begin, machine %d of %d: it begins at row %zu of %zu. The last sixteen may "
             "be fewer than sixteen: no machine begins behind the last row",
             i, size, begin, out);
        HINT(begin % ROWS == 0 || begin == out,
             "share_begin, machine %d of %d: row %zu of %zu is no multiple of sixteen; sixteen "
             "rows are packed together, so count in blocks of sixteen",
             i, size, begin, out);
        HINT(
            i < size || begin == out,
            "share_begin: the last machine ends at row %zu of %zu, and no machine has the rows "
            "behind it. A last block of fewer than sixteen rows counts as well: round the "
            "number of blocks up",
            begin, out);
        double beside = (double)begin - wanted;
        HINT(begin == out || fabs(beside) <= ROWS / 2 + 1e-6,
             "share_begin, machine %d of %d, bound %.4f: of %zu blocks of sixteen rows %.2f "
             "come "
             "before it, and it begins at block %zu: take the nearest one",
             i, size, bounds[i], blocks, wanted / ROWS, begin / ROWS);
        HINT(begin == out || beside > -ROWS / 2,
             "share_begin, machine %d of %d, bound %.4f: of %zu blocks of sixteen rows %.2f "
             "come "
             "before it, and it begins at block %zu: a half is rounded up",
             i, size, bounds[i], blocks, wanted / ROWS, begin / ROWS);
    }
    for (int i = 0; i < size; i++) {
        size_t rows = share_rows(bounds, i, out);
        COUNT(
            rows, share_begin(bounds, i + 1, out) - share_begin(bounds, i, out),
            "share_rows, machine %d of %d, %zu rows in all: from where it begins to where the "
            "next one begins",
            i, size, out);
        all += rows;
    }
    COUNT(all, out, "the rows of all %d machines together", size);
}

GRADE(rows_of_machines) {
    const double three[] = {3, 2, 2};
    double bounds[MOST + 1];
    share_bounds(three, 3, bounds);
    check_bounds(three, 3, bounds);
    for (int i = 0; i < 3; i++)
        COUNT(share_rows(bounds, i, 112), three[i] * ROWS,
              "shares 3:2:2 of 112 rows, seven blocks of sixteen: the rows of machine %d", i);
    check_rows(bounds, 3, 112);
    for (int round = 0; round < 2000; round++) {
        double shares[MOST];
        int size = 1 + (int)fresh_below(MOST);
        for (int i = 0; i < size; i++)
            shares[i] = fresh_below(5) ? fresh_between(0.1, 9) : 1 + (double)fresh_below(4);
        const double *given = fresh_below(6) ? shares : NULL;
        for (int i = 0; i <= size; i++) bounds[i] = -1;
        share_bounds(given, size, bounds);
        check_bounds(given, size, bounds);
        check_rows(bounds, size, fresh_below(2) ? ROWS * fresh_below(50) : fresh_below(800));
    }
}

GRADES({"5.27", rows_of_machines})
