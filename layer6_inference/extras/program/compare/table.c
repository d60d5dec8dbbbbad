/* table.c - the results as columns, JSON and CSV.  See study.h. */
#include "input.h"
#include "listing.h"
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measures that fit a terminal. */
static const MeasureKind shown[] = {VALID,     KEPT,       KL_TOLD,   KL_TRUTH,
                                    SURPRISAL, DISTINCT_2, REPETITION};
enum { SHOWN = sizeof shown / sizeof *shown, CELL = 14 };

static bool table_has(const Study *study, MeasureKind m) {
    return study->world || !measures[m].needs_world;
}

/* ------------------------------------------------------------------ columns */

void table_print_value(const Measure *m, Value v, bool sign) {
    double factor = m->in_percent ? 100 : 1;
    char text[32] = "-", half[16] = "";
    if (v.has_interval)
        snprintf(half, sizeof half, " +-%.*f", m->digits, factor * (v.high - v.low) / 2);
    if (v.known)
        snprintf(text, sizeof text, sign ? "%+.*f%s%s" : "%.*f%s%s", m->digits, factor * v.mean,
                 m->in_percent ? "%" : "", half);
    printf(" %*s", CELL, text);
}

static void print_head(const Study *study, const char *first) {
    printf("%-32s", first);
    for (size_t i = 0; i < SHOWN; i++)
        if (table_has(study, shown[i])) printf(" %*s", CELL, measures[shown[i]].head);
}

static void print_columns(const Study *study, const Summary *all) {
    const CompareJob *job = study->job;
    print_head(study, "chain");
    printf(" %5s %6s%s\n", "words", "tok/s", study->world ? "  why not valid" : "");
    for (size_t c = 0; c < job->n_chains; c++) {
        printf("%-32.32s", job->chains[c]);
        for (size_t i = 0; i < SHOWN; i++)
            if (table_has(study, shown[i]))
                table_print_value(&measures[shown[i]], all[c].value[shown[i]], false);
        printf(" %5.0f %6.0f  %s\n", all[c].value[WORDS].mean, all[c].speed, all[c].reasons);
    }
}

static void print_differences(const Study *study, const Summary *all) {
    const CompareJob *job = study->job;
    char head[64];
    if (job->n_chains < 2 || study->n_openings < 2) return;
    snprintf(head, sizeof head, "less %.26s", job->chains[0]);
    printf("\n");
    print_head(study, head);
    printf("\n");
    for (size_t c = 1; c < job->n_chains; c++) {
        printf("%-32.32s", job->chains[c]);
        for (size_t i = 0; i < SHOWN; i++)
            if (table_has(study, shown[i]))
                table_print_value(&measures[shown[i]], all[c].against[shown[i]], true);
        printf("\n");
    }
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

static void print_note(const Study *study, const Summary *s) {
    printf("\n%zu text%s a chain from %zu opening%s, +- half an interval of 95 %%; dist-2 of "
           "%zu sample%s of %zu text%s\n",
           study->texts, plural(study->texts), study->n_openings, plural(study->n_openings),
           s->samples, plural(s->samples), s->sample, plural(s->sample));
}

/* ------------------------------------------------------------------ CSV and JSON */

void table_csv_value(FILE *out, Value v) {
    fprintf(out, v.known ? ",%.6f" : ",", v.mean);
    fprintf(out, v.has_interval ? ",%.6f,%.6f" : ",,", v.low, v.high);
}

static void write_csv(const Study *study, const Summary *all, FILE *out) {
    fprintf(out, "chain,texts,openings,sample");
    for (size_t m = 0; m < MEASURES; m++)
        if (table_has(study, m))
            for (int i = 0; i < 2; i++) {
                const char *less = i ? "less_first_" : "", *key = measures[m].key;
                fprintf(out, ",%s%s,%s%s_low,%s%s_high", less, key, less, key, less, key);
            }
    fprintf(out, ",tokens_per_second%s\n", study->world ? ",reasons" : "");
    for (size_t c = 0; c < study->job->n_chains; c++) {
        const Summary *s = &all[c];
        list_cell(out, text_of(study->job->chains[c]));
        fprintf(out, ",%zu,%zu,%zu", study->texts, study->n_openings, s->sample);
        for (size_t m = 0; m < MEASURES; m++)
            if (table_has(study, m))
                table_csv_value(out, s->value[m]), table_csv_value(out, s->against[m]);
        fprintf(out, ",%.0f", s->speed);
        if (study->world) fprintf(out, ",\"%s\"", s->reasons);
        fprintf(out, "\n");
    }
}

static void json_value(const char *key, Value v) {
    if (!v.known)
        printf(", \"%s\": null", key);
    else if (!v.has_interval)
        printf(", \"%s\": {\"mean\": %.6f}", key, v.mean);
    else
        printf(", \"%s\": {\"mean\": %.6f, \"low\": %.6f, \"high\": %.6f}", key, v.mean, v.low,
               v.high);
}

static void print_json(const Study *study, const Summary *all) {
    printf("{\"texts\": %zu, \"openings\": %zu, \"sample\": %zu, \"chains\": [", study->texts,
           study->n_openings, all[0].sample);
    for (size_t c = 0; c < study->job->n_chains; c++) {
        printf("%s\n  {\"chain\": ", c ? "," : "");
        list_json(stdout, text_of(study->job->chains[c]));
        for (size_t m = 0; m < MEASURES; m++)
            if (table_has(study, m)) json_value(measures[m].key, all[c].value[m]);
        printf(",\n   \"less_first\": {\"chain\": ");
        list_json(stdout, text_of(study->job->chains[0]));
        for (size_t m = 0; c && m < MEASURES; m++)
            if (table_has(study, m)) json_value(measures[m].key, all[c].against[m]);
        printf("},\n   \"tokens_per_second\": %.0f, \"not_valid\": ", all[c].speed);
        list_json(stdout, text_of(all[c].reasons));
        printf("}");
    }
    printf("\n]}\n");
}

bool study_report(Study *study, Fault *fault) {
    const size_t n = study->job->n_chains;
    Summary *all = calloc(n, sizeof *all);
    bool ok = all || fault_set(fault, "no memory for a table");
    for (size_t c = 0; ok && c < n; c++)
        ok = measure_chain(study, c, c ? &all[0] : NULL, &all[c], fault);
    if (ok && study->job->json) print_json(study, all);
    if (ok && !study->job->json) {
        print_columns(study, all), print_differences(study, all);
        print_note(study, &all[0]);
    }
    if (ok && study->csv.stream) write_csv(study, all, study->csv.stream);
    if (ok && study->html.stream) ok = page_write(study, all, study->html.stream, fault);
    if (ok && study->plot.stream) ok = plot_file(study, all, study->plot.stream, fault);
    for (size_t c = 0; all && c < n; c++) measure_close(&all[c]);
    free(all);
    return ok && file_end(&study->csv, fault) && file_end(&study->html, fault) &&
           file_end(&study->plot, fault);
}
