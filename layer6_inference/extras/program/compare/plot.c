/* plot.c - one measure against another as SVG, each chain a point with its intervals.  See
 * page.h. */
#include "page.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 520, HEIGHT = 380, LEFT = 64, RIGHT = 24, TOP = 44, BOTTOM = 52 };

/* A measure on one axis of the plot. */
typedef struct Axis {
    MeasureKind kind;
    double low, high, step, from, to; /* from, to: pixels */
} Axis;

static double factor(const Axis *a) { return measures[a->kind].in_percent ? 100 : 1; }

static double place(const Axis *a, double x) {
    return a->from + (a->to - a->from) * (factor(a) * x - a->low) / (a->high - a->low);
}

/* 1, 2 or 5 times a power of ten: about five steps. */
static double round_step(double range) {
    double power = pow(10, floor(log10(range / 5))), times = range / 5 / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static bool plot_fit(Axis *a, const Study *study, const Summary *all, const bool *drawn) {
    double low = INFINITY, high = -INFINITY;
    for (size_t c = 0; c < study->job->n_chains; c++) {
        Value v = all[c].value[a->kind];
        bool shown = v.has_interval && all[c].mark == POINT;
        if (!drawn[c]) continue;
        low = fmin(low, factor(a) * (shown ? v.low : v.mean));
        high = fmax(high, factor(a) * (shown ? v.high : v.mean));
    }
    if (!(high - low > 1e-9)) low -= 0.5, high += 0.5;
    a->step = round_step(high - low);
    a->low = a->step * floor(low / a->step), a->high = a->step * ceil(high / a->step);
    return isfinite(a->low) && isfinite(a->high);
}

static void draw_axis(const Axis *a, const Axis *other, bool across, FILE *out) {
    const Measure *m = &measures[a->kind];
    int digits = a->step >= 1 ? 0 : (int)ceil(-log10(a->step) - 1e-9);
    for (double at_step = 0; a->low + a->step * at_step <= a->high + a->step / 2; at_step++) {
        double t = a->low + a->step * at_step;
        if (fabs(t) < a->step / 2) t = 0; /* not -0.0 */
        double at = place(a, t / factor(a));
        if (across)
            fprintf(
                out,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" opacity=\".15\"/><text "
                "x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.*f</text>\n",
                at, at, other->to, other->from, at, HEIGHT - BOTTOM + 18, digits, t);
        else
            fprintf(
                out,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" opacity=\".15\"/><text "
                "x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>\n",
                other->from, other->to, at, at, LEFT - 6, at + 4, digits, t);
    }
    const char *unit = m->in_percent ? ", %" : "";
    if (across)
        fprintf(out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%s%s</text>\n",
                (a->from + a->to) / 2, HEIGHT - 10, m->meaning, unit);
    else
        fprintf(out, "<text x=\"6\" y=\"14\">%s%s</text>\n", m->meaning, unit);
}

/* Names written so far: a new one moves down until it is free of them. */
typedef struct Names {
    size_t count;
    struct {
        double from, to, y;
    } at[MAX_CHAINS];
} Names;

static double name_free(Names *names, double from, double to, double y) {
    for (size_t i = 0; i < names->count; i++)
        if (from < names->at[i].to && to > names->at[i].from && fabs(y - names->at[i].y) < 14)
            y = names->at[i].y + 14, i = (size_t)-1; /* compare with all again */
    names->at[names->count].from = from, names->at[names->count].to = to;
    names->at[names->count++].y = y;
    return y;
}

static void draw_point(const Axis *x, const Axis *y, const char *chain, const Summary *s,
                       Names *names, FILE *out) {
    Value across = s->value[x->kind], up = s->value[y->kind];
    double px = place(x, across.mean), py = place(y, up.mean);
    bool right = px > WIDTH * 0.66;
    double wide = 7.5 * (double)strlen(chain) + 4, from = right ? px - 7 - wide : px + 7;
    double name = name_free(names, from, from + wide, py - 6);
    if (across.has_interval)
        fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                place(x, across.low), place(x, across.high), py, py);
    if (up.has_interval)
        fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", px, px,
                place(y, up.low), place(y, up.high));
    fprintf(out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/><text x=\"%.1f\" y=\"%.1f\" "
            "text-anchor=\"%s\">",
            px, py, px + (right ? -7 : 7), name, right ? "end" : "start");
    page_text(out, text_of(chain));
    fputs("</text>\n", out);
}

typedef struct Panel {
    Axis x, y;
    bool drawn[MAX_CHAINS];
} Panel;

/* False: fewer than two chains have both measures. */
static bool panel_open(Panel *p, const Study *study, const Summary *all, MeasureKind across,
                       MeasureKind up) {
    size_t n = 0;
    *p = (Panel){.x = {.kind = across, .from = LEFT, .to = WIDTH - RIGHT},
                 .y = {.kind = up, .from = HEIGHT - BOTTOM, .to = TOP}};
    for (size_t c = 0; c < study->job->n_chains; c++)
        n += p->drawn[c] = all[c].value[across].known && all[c].value[up].known;
    return n > 1 && plot_fit(&p->x, study, all, p->drawn) &&
           plot_fit(&p->y, study, all, p->drawn);
}

/* What the points are held against: a dashed line. */
static void draw_line(const Panel *p, const char *name, const Summary *s, FILE *out) {
    double y = place(&p->y, s->value[p->y.kind].mean);
    fprintf(out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
            "stroke-dasharray=\"5 4\"/><text x=\"%.1f\" y=\"%.1f\">",
            p->x.from, p->x.to, y, y, p->x.from + 5, y - 5);
    page_text(out, text_of(name));
    fputs("</text>\n", out);
}

static void panel_draw(const Panel *p, const Study *study, const Summary *all, FILE *out) {
    Names names = {0};
    draw_axis(&p->x, &p->y, true, out), draw_axis(&p->y, &p->x, false, out);
    for (size_t c = 0; c < study->job->n_chains; c++) {
        const char *name = study->job->chains[c];
        if (!p->drawn[c]) continue;
        if (all[c].mark == POINT) draw_point(&p->x, &p->y, name, &all[c], &names, out);
        if (all[c].mark == LINE) draw_line(p, name, &all[c], out);
        if (all[c].mark == FAINT)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" opacity=\".4\"/>\n",
                    place(&p->x, all[c].value[p->x.kind].mean),
                    place(&p->y, all[c].value[p->y.kind].mean));
    }
}

static void draw_head(int panels, const char *up, MeasureKind across, FILE *out) {
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
        "aria-label=\"%s against %s\" "
        "fill=\"currentColor\" stroke=\"none\" font-size=\"13\">\n"
        "<style>svg { color-scheme: light dark; font-family: system-ui, sans-serif } line { "
        "stroke: currentColor }</style>\n",
        WIDTH, panels * HEIGHT, up, measures[across].meaning);
}

bool plot_write(const Study *study, const Summary *all, MeasureKind across, MeasureKind up,
                FILE *out) {
    Panel panel;
    if (!panel_open(&panel, study, all, across, up)) return false;
    draw_head(1, measures[up].meaning, across, out);
    panel_draw(&panel, study, all, out);
    fputs("</svg>\n", out);
    return true;
}

bool plot_write_two(const Study *study, const Summary *all, MeasureKind across, MeasureKind up,
                    MeasureKind below, FILE *out) {
    Panel above, under;
    char both[200];
    if (!panel_open(&above, study, all, across, up) ||
        !panel_open(&under, study, all, across, below))
        return false;
    snprintf(both, sizeof both, "%s, and %s,", measures[up].meaning, measures[below].meaning);
    draw_head(2, both, across, out);
    panel_draw(&above, study, all, out);
    fprintf(out, "<g transform=\"translate(0 %d)\">\n", HEIGHT);
    panel_draw(&under, study, all, out);
    fputs("</g>\n</svg>\n", out);
    return true;
}

bool plot_file(const Study *study, const Summary *all, FILE *out, Fault *fault) {
    MeasureKind across = study->world ? KEPT : DISTINCT_2,
                up = study->world ? VALID : SURPRISAL;
    return plot_write(study, all, across, up, out) ||
           fault_set(fault,
                     "--plot: wanted two chains with both '%s' and '%s', got fewer. A chain "
                     "that looks ahead has no '%s'",
                     measures[across].head, measures[up].head, measures[KEPT].head);
}
