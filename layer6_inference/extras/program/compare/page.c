/* page.c - see page.h. */
#include "page.h"

#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>strata compare</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fdfdfb; --faint: #6b6b6b; "
    "--line: #d9d9d4; --mark: #ffe3a3; --bad: #b3261e; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e6e4df; --paper: #16181a; --faint: "
    "#9d9b95; --line: #3a3d40; --mark: #5a4300; --bad: #ff9c93; } }\n"
    "body { color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; "
    "max-width: 1200px; margin: 0 auto; padding: 1rem; }\n"
    "h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem } small, dd, .faint { "
    "color: var(--faint) }\n"
    ".wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: "
    "tabular-nums; white-space: nowrap }\n"
    "th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line) "
    "}\n"
    "th:first-child, td:first-child { text-align: left; font-family: ui-monospace, monospace; "
    "position: sticky; left: 0; background: var(--paper) }\n"
    ".plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), "
    "1fr)); gap: 1rem } svg { width: 100%; height: auto }\n"
    ".texts { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(260px, 1fr); "
    "gap: 1rem; overflow-x: auto }\n"
    "@media (max-width: 640px) { .texts { grid-auto-flow: row } table { font-size: .8rem } th, "
    "td { padding: .2rem .35rem } td:first-child { max-width: 9rem; overflow: hidden; "
    "text-overflow: ellipsis } }\n"
    "article { border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; font-size: "
    ".9rem; white-space: pre-wrap; overflow-wrap: anywhere }\n"
    "article h3 { font: 600 .85rem ui-monospace, monospace; margin: 0 0 .4rem }\n"
    "mark { background: var(--mark); color: inherit } .bad { color: var(--bad) } i { "
    "font-style: normal; color: var(--faint) }\n"
    "dt { font-weight: 600 } dd { margin: 0 0 .4rem }\n"
    "</style>\n<h1>strata compare</h1>\n";

void page_text(FILE *out, Text text) {
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        const char *name = c == '&'   ? "&amp;"
                           : c == '<' ? "&lt;"
                           : c == '>' ? "&gt;"
                           : c == '"' ? "&quot;"
                           : c == 0   ? "&#xfffd;"
                                      : NULL;
        if (name)
            fputs(name, out);
        else
            fputc(c, out);
    }
}

static void page_write_value(FILE *out, const Measure *m, Value v, bool sign) {
    double factor = m->in_percent ? 100 : 1;
    const char *unit = m->in_percent ? " %" : "";
    if (!v.known) {
        fputs("<td>&ndash;", out);
        return;
    }
    fprintf(out, sign ? "<td>%+.*f%s" : "<td>%.*f%s", m->digits, factor * v.mean, unit);
    if (v.has_interval)
        fprintf(out, " <small>%.*f to %.*f</small>", m->digits, factor * v.low, m->digits,
                factor * v.high);
}

static void write_table(const Study *study, const Summary *all, bool against, FILE *out) {
    const CompareJob *job = study->job;
    fputs("<div class=\"wide\"><table>\n<tr><th>chain", out);
    for (size_t m = 0; m < MEASURES; m++)
        if (study->world || !measures[m].needs_world)
            fprintf(out, "<th title=\"%s\">%s", measures[m].meaning, measures[m].head);
    fputs(study->world && !against ? "<th>why not valid\n" : "\n", out);
    for (size_t c = against; c < job->n_chains; c++) {
        fputs("<tr><td>", out);
        page_text(out, text_of(job->chains[c]));
        for (size_t m = 0; m < MEASURES; m++)
            if (study->world || !measures[m].needs_world)
                page_write_value(out, &measures[m],
                                 against ? all[c].against[m] : all[c].value[m], against);
        if (study->world && !against) fprintf(out, "<td>%s", all[c].reasons);
        fputs("\n", out);
    }
    fputs("</table></div>\n", out);
}

static void write_about(const Study *study, const Summary *all, FILE *out) {
    const char *name = strrchr(study->job->model, '/');
    fputs("<p>Model <code>", out);
    page_text(out, text_of(name ? name + 1 : study->job->model));
    fprintf(out,
            "</code>: %zu texts a chain, from %zu openings. Small numbers are intervals of "
            "95&nbsp;%%. Distinct n-grams are those of samples of %zu texts.</p>\n",
            study->texts, study->n_openings, all[0].sample);
}

static void write_meanings(const Study *study, FILE *out) {
    fputs("<details><summary>What the columns mean</summary><dl>\n", out);
    for (size_t m = 0; m < MEASURES; m++)
        if (study->world || !measures[m].needs_world)
            fprintf(out, "<dt>%s<dd>%s\n", measures[m].head, measures[m].meaning);
    fputs("</dl></details>\n", out);
}

static void write_plots(const Study *study, const Summary *all, FILE *out) {
    fputs("<h2>Plots</h2>\n<div class=\"plots\">\n", out);
    if (study->world) {
        plot_write(study, all, DISTINCT_2, VALID, out);
        plot_write(study, all, KEPT, VALID, out);
        plot_write(study, all, KL_TRUTH, KL_TOLD, out);
    }
    plot_write(study, all, DISTINCT_2, SURPRISAL, out);
    plot_write(study, all, SURPRISAL, REPETITION, out);
    fputs("</div>\n", out);
}

bool page_write(const Study *study, const Summary *all, FILE *out, Fault *fault) {
    fputs(head, out);
    write_about(study, all, out);
    write_table(study, all, false, out);
    if (study->job->n_chains > 1) {
        fputs("<h2>Less <code>", out);
        page_text(out, text_of(study->job->chains[0]));
        fputs("</code>, opening by opening</h2>\n", out);
        write_table(study, all, true, out);
    }
    write_meanings(study, out);
    write_plots(study, all, out);
    return texts_write(study, out, fault);
}
