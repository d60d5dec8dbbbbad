/* tune_report.c - the frontier of chains, and which of them to take.  See tune.h. */
#include "tune.h"
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_of(const Tune *t, size_t row, MeasureKind m) {
    return t->rows[row].value[m].mean;
}

/* Distance from the documents. */
static double distance_of(const Tune *t, size_t row, MeasureKind m) {
    return fabs(value_of(t, row, m) - value_of(t, t->chains, m));
}

/* Is a nowhere worse than b, and somewhere better? */
static bool dominates(const Tune *t, size_t a, size_t b) {
    double kept = value_of(t, a, KEPT) - value_of(t, b, KEPT);
    double near = distance_of(t, b, SURPRISAL) - distance_of(t, a, SURPRISAL);
    double like = distance_of(t, b, DISTINCT_2) - distance_of(t, a, DISTINCT_2);
    return kept >= 0 && near >= 0 && like >= 0 && (kept > 0 || near > 0 || like > 0);
}

static bool is_measured(const Tune *t, size_t row) {
    for (size_t m = 0; m < TUNE_MEASURES; m++)
        if (!t->rows[row].value[tune_measures[m]].known) return false;
    return true;
}

static bool on_frontier(const Tune *t, size_t row) {
    for (size_t c = 0; c < t->chains; c++)
        if (is_measured(t, c) && dominates(t, c, row)) return false;
    return is_measured(t, row);
}

static void print_row(const Tune *t, size_t row) {
    char mark = row < t->chains && on_frontier(t, row) ? '*' : ' ';
    printf("%c %-30.30s", mark, t->job.chains[row]);
    for (size_t m = 0; m < TUNE_MEASURES; m++)
        table_print_value(&measures[tune_measures[m]], t->rows[row].value[tune_measures[m]],
                          false);
    putchar('\n');
}

static void print_rows(const Tune *t) {
    printf("%-32s", "  chain");
    for (size_t m = 0; m < TUNE_MEASURES; m++) printf(" %14s", measures[tune_measures[m]].head);
    putchar('\n');
    print_row(t, t->chains);
    for (size_t c = 0; c < t->chains; c++) print_row(t, c);
    printf(
        "\n%zu documents, %zu texts a chain, +- half an interval of 95 %%; *: no other chain "
        "keeps as much\nand is as near to the documents' surprisal and dist-2\n",
        t->study.n_openings, t->study.n_openings * (size_t)t->job.seeds);
}

static bool keeps_enough(const Tune *t, size_t row) {
    return is_measured(t, row) && 100 * value_of(t, row, KEPT) >= t->keep;
}

/* The row nearest to the documents' surprisal among those that keep enough; *enough of them.
 * None: the number of chains. */
static size_t find_best(const Tune *t, size_t *enough) {
    size_t best = t->chains;
    *enough = 0;
    for (size_t c = 0; c < t->chains; c++) {
        if (!keeps_enough(t, c)) continue;
        if (!(*enough)++ || distance_of(t, c, SURPRISAL) < distance_of(t, best, SURPRISAL))
            best = c;
    }
    return best;
}

/* Chains that keep enough and whose interval holds the surprisal of the best. */
static void print_equals(const Tune *t, size_t best) {
    size_t n = 0;
    for (size_t c = 0; c < t->chains; c++) {
        Value v = t->rows[c].value[SURPRISAL];
        double x = value_of(t, best, SURPRISAL);
        if (c == best || !keeps_enough(t, c) || !v.has_interval || x < v.low || x > v.high)
            continue;
        printf("%s%s", n++ ? ", " : "Its surprisal is within the interval of ",
               t->job.chains[c]);
    }
    if (n) printf(": more documents or --seeds would tell them apart.\n");
}

static void recommend(const Tune *t) {
    size_t enough, best = find_best(t, &enough), most = 0;
    if (best < t->chains) {
        printf("\nTake %s: of the %zu chain%s that keep%s at least %g %% of the documents, it "
               "writes the texts whose surprisal,\n%.3f nats a token, is nearest to the "
               "documents' own, %.3f.\n",
               t->job.chains[best], enough, enough > 1 ? "s" : "", enough > 1 ? "" : "s",
               t->keep, value_of(t, best, SURPRISAL), value_of(t, t->chains, SURPRISAL));
        print_equals(t, best);
        return;
    }
    for (size_t c = 1; c < t->chains; c++)
        if (value_of(t, c, KEPT) > value_of(t, most, KEPT)) most = c;
    printf("\nNone of these chains keeps %g %% of the documents; %s keeps most, %.1f %%. Add a "
           "looser chain, or give a lower --keep.\n",
           t->keep, t->job.chains[most], 100 * value_of(t, most, KEPT));
}

static bool tune_draw(Tune *t, Fault *fault) {
    if (!t->picture.stream) return true;
    for (size_t c = 0; c < t->chains; c++) t->rows[c].mark = on_frontier(t, c) ? POINT : FAINT;
    t->rows[t->chains].mark = LINE;
    return (plot_write_two(&t->study, t->rows, KEPT, SURPRISAL, DISTINCT_2,
                           t->picture.stream) ||
            fault_set(fault, "--plot: wanted a chain with a known share of documents kept, got "
                             "none. A chain that looks ahead has none")) &&
           file_end(&t->picture, fault);
}

bool tune_report(Tune *t, Fault *fault) {
    print_rows(t), recommend(t);
    return tune_draw(t, fault);
}
