/* later.c - chapter 12: the second and the third token are drawn like the first.  See next.h.
 *
 * A text may be made of tokens in several ways; each counts by its probability. */
#include "next.h"

enum { TEXTS = 100, DEEPEST = 3 };

/* What one text says of the token at its end, or all texts together. */
typedef struct Sums {
    double weight, likely, expected, ends, ends_expected;
} Sums;

/* One way to make a text of tokens: where in [0, 1) each draw may have fallen, with tokens by
 * their numbers and from the likeliest on. */
typedef struct Way {
    double weight, place[2][DEEPEST];
    bool whole; /* it has as many tokens as were asked for */
} Way;

typedef struct Walk {
    Next *next;
    double temperature, p[DEEPEST][MOST_TOKENS];
    int order[DEEPEST][MOST_TOKENS], n;
    Sums sums;
    Way best;
} Walk;

/* The last token of a text, by the probabilities before it: is it one of the likely half? */
static void end_of_way(Walk *w, int depth, int token, Way way) {
    const double *p = w->p[depth];
    double half = 0, likely = 0;
    for (int i = 0; half < 0.5; i++)
        half += p[w->order[depth][i]], likely += w->order[depth][i] == token;
    w->sums.weight += way.weight;
    if (way.weight > w->best.weight) w->best = way;
    if (!way.whole) return;
    w->sums.likely += way.weight * likely, w->sums.expected += way.weight * half;
    w->sums.ends += way.weight * (token == w->next->end);
    w->sums.ends_expected += way.weight * p[w->next->end];
}

static void walk(Walk *w, int depth, Text rest, Way way) {
    double *p = w->p[depth], before = 0, above = 0, start[MOST_TOKENS];
    int *order = w->order[depth], vocab = w->next->vocab;
    size_t length = w->next->prompt.count + (size_t)depth;
    bool last = depth + 1 == w->n;
    next_chances(w->next, w->temperature, p);
    next_order(p, vocab, order);
    for (int i = 0; i < vocab; above += p[order[i++]]) start[order[i]] = above;
    for (int i = 0; i < vocab; before += p[i++]) {
        Text bytes = next_bytes(w->next, i);
        bool ends = i == w->next->end;
        if (ends || last ? bytes.size != rest.size : bytes.size == 0 || bytes.size > rest.size)
            continue;
        if (memcmp(bytes.data, rest.data, bytes.size) != 0) continue;
        double within = judge_uniform() * p[i];
        Way longer = way;
        longer.weight *= p[i], longer.whole = last;
        longer.place[0][depth] = before + within, longer.place[1][depth] = start[i] + within;
        if (ends || last) {
            end_of_way(w, depth, i, longer);
            continue;
        }
        next_read(w->next, i);
        walk(w, depth + 1, (Text){rest.data + bytes.size, rest.size - bytes.size}, longer);
        next_rewind(w->next, length);
    }
}

/* How strongly the places of two draws go together, as a standard normal number. */
static double together(const double (*at)[2], int n) {
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        double a = at[i][0] - 0.5, b = at[i][1] - 0.5;
        x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    if (n < 20) return 0;
    double square = (xx - x * x / n) * (yy - y * y / n);
    return square > 0 ? (xy - x * y / n) / sqrt(square) * sqrt(n) : 0;
}

/* How far a count of n is from what was expected, as a standard normal number.  Chernoff's
 * bound: it holds also where hardly any or nearly all are counted. */
static double count_apart(double got, double expected, double n) {
    double nats = 0, part[2] = {got, n - got}, from[2] = {expected, n - expected};
    for (int i = 0; i < 2; i++)
        if (part[i] > 0) nats += part[i] * log(part[i] / (from[i] + 1e-9));
    return sqrt(2 * fmax(nats, 0));
}

static void judge_sums(Sums s, const char *prompt, double temperature) {
    need(s.ends > 0 || s.ends_expected < 16,
         "of %d texts of 2 or 3 tokens after \"%s\" none ended after its first, expected %.0f: "
         "the end token is drawn at any place, and ends the text",
         TEXTS, prompt, s.ends_expected);
    need(count_apart(s.likely, s.expected, TEXTS) < 5.2,
         "at temperature %g after \"%s\" %.0f of %d second and third tokens were among the "
         "likelier half, expected %.0f: each token is drawn by the probabilities after all "
         "before it, the end token in front among them, at the same temperature",
         temperature, prompt, s.likely, TEXTS, s.expected);
}

void judge_later(const char *name, double temperature, const char *prompt) {
    static Next next;
    static Walk w;
    Sums all = {0};
    double at[2][TEXTS][2];
    int n = 0;
    next_open(&next, name, prompt);
    for (int i = 0; i < TEXTS; i++) {
        w.next = &next, w.temperature = temperature, w.n = judge_between(2, DEEPEST);
        w.sums = (Sums){0}, w.best = (Way){0};
        Text text = next_drawn(name, w.n, temperature, prompt);
        walk(&w, 0, text, (Way){.weight = 1});
        Sums *s = &w.sums;
        need(
            s->weight > 0,
            "with N = %d the text after \"%s\" is \"%.*s\", which is no %d tokens of the model",
            w.n, prompt, (int)text.size, text.data, w.n);
        all.likely += s->likely / s->weight, all.expected += s->expected / s->weight;
        all.ends += s->ends / s->weight, all.ends_expected += s->ends_expected / s->weight;
        if (!w.best.whole) continue;
        for (int k = 0; k < 2; k++)
            memcpy(at[k][n], w.best.place[k] + w.n - 2, sizeof at[k][n]);
        n++;
    }
    next_close(&next);
    need(together(at[0], n) < 5.2 && together(at[1], n) < 5.2,
         "the second token of a text is drawn where the first was, as if by the same random "
         "number: each draw needs a new one");
    judge_sums(all, prompt, temperature);
}
