/* draw.c - chapter 9: samplers, judged by chi-square.  See engine.h. */
#include "engine.h"

enum { DRAWS = 2000, MANY_DRAWS = 150000, MOST_TOKENS = 300 };
typedef struct Setting {
    double temperature, top_p, min_p, logits[MOST_TOKENS];
    int top_k, n, draws;
    unsigned seed;
} Setting;

/* Classic mistakes. */
enum {
    EVEN = 1,
    NO_HEAT = 2,
    HEAT_FIRST = 4,
    ONE_LESS = 8,
    OF_ONE = 16,
    NOT_SCALED = 32,
    NO_MIN = 64,
    NO_TOP_K = 128
};
static const Mistake mistakes[] = {
    {EVEN, "the tokens that are left are drawn by their odds, not evenly"},
    {NO_HEAT, "divide the logits by the temperature"},
    {HEAT_FIRST, "the cuts come before the temperature: they see the odds at temperature 1"},
    {ONE_LESS, "top_p keeps the token at which the sum reaches p, too"},
    {OF_ONE, "min_p is a share of the likeliest token's odds, not odds by itself"},
    {NOT_SCALED,
     "top_p adds up the odds among those that top_k left: divide by their sum again"},
    {NO_MIN, "min_p cuts tokens whose odds are below min_p times the largest"},
    {NO_TOP_K, "top_k keeps the k likeliest"}};

static const double *order_by;
static int by_logit(const void *a, const void *b) {
    double x = order_by[*(const int *)a], y = order_by[*(const int *)b];
    return (x < y) - (x > y);
}

static void odds(const Setting *s, int way, double *p) {
    int order[MOST_TOKENS], n = s->n;
    double sorted[MOST_TOKENS], share[MOST_TOKENS], sum = 0;
    order_by = s->logits;
    for (int i = 0; i < n; i++) order[i] = i, p[i] = 0;
    qsort(order, (size_t)n, sizeof *order, by_logit);
    for (int i = 0; i < n; i++)
        sorted[i] = s->logits[order[i]] / (way & HEAT_FIRST ? s->temperature : 1);
    if (way & NOT_SCALED) chances(sorted, n, 1, share);
    if (s->top_k > 0 && s->top_k < n && !(way & NO_TOP_K)) n = s->top_k;
    if (!(way & NOT_SCALED)) chances(sorted, n, 1, share);
    int kept = 0;
    while (kept < n && sum < s->top_p) sum += share[kept++];
    if (way & ONE_LESS && kept > 1 && s->top_p < 1) kept--;
    while (kept > 1 && share[kept - 1] < s->min_p * (way & OF_ONE ? 1 : share[0]) &&
           !(way & NO_MIN))
        kept--;
    chances(sorted, kept, way & (NO_HEAT | HEAT_FIRST) ? 1 : s->temperature, share);
    for (int i = 0; i < kept; i++) p[order[i]] = way & EVEN ? 1.0 / kept : share[i];
}

/* Whether top_k parts two tokens that are hardly apart. */
static bool cut_is_close(const Setting *s) {
    int order[MOST_TOKENS];
    if (s->top_k == 0) return false;
    order_by = s->logits;
    for (int i = 0; i < s->n; i++) order[i] = i;
    qsort(order, (size_t)s->n, sizeof *order, by_logit);
    return s->logits[order[s->top_k - 1]] - s->logits[order[s->top_k]] < 5e-4;
}

/* Settings whose cuts are clear: no token stands within a hair of the line. */
static Setting random_setting(int i) {
    static const double heats[] = {1, 0.5, 1.7, 0.8};
    Setting s = {.temperature = heats[judge_between(0, 3)],
                 .top_p = 1,
                 .n = judge_between(12, 60),
                 .draws = DRAWS,
                 .seed = (unsigned)judge_between(1, 1000000)};
    if (i == 1) s.temperature = 0.4;
    if (i == 2) s.top_k = judge_between(3, 9), s.temperature = 1.6;
    if (i == 3) s.top_p = 0.6 + 0.3 * judge_uniform(), s.temperature = 2;
    if (i == 4) s.min_p = 0.05 + 0.1 * judge_uniform(), s.temperature = 2;
    if (i == 5) s.top_k = 10, s.top_p = 0.8, s.min_p = 0.03, s.temperature = 1.5;
    if (i == 6) s.n = judge_between(90, 120), s.top_k = judge_between(50, 60);
    if (i == 7) s.temperature = 0.05 + 0.1 * judge_uniform();
    if (i == 8) s.temperature = 4 + 2 * judge_uniform();
    s.temperature = round(s.temperature * 1e3) / 1e3; /* as it is written */
    do {
        judge_fill(s.logits, (size_t)s.n, i == 6 ? 0.5 : i == 7 ? 0.3 : i == 8 ? 2.5 : 1.5);
    } while (cut_is_close(&s));
    return s;
}

/* Token `kept` just passes a cut, token `gone` just fails it: 4 % in a setting are seen. */
static Setting edge_setting(int i) {
    Setting s = random_setting(0);
    int first = judge_between(0, 3), kept = first ^ 1, gone = first ^ 2, last = first ^ 3;
    double odds[4];
    s.n = 4, s.temperature = 2;
    if (i == 0) { /* shares of the likeliest */
        s.min_p = 0.05 + 0.1 * judge_uniform();
        odds[first] = 1, odds[kept] = 1.03 * s.min_p, odds[gone] = 0.97 * s.min_p;
        odds[last] = 0.3 * s.min_p;
    } else { /* the sum is just below top_p without `kept`, or just above with it */
        s.top_p = 0.78 + 0.02 * judge_uniform();
        odds[kept] = 0.13, odds[first] = s.top_p - (i == 1 ? 0.01 : 0.12);
        odds[gone] = odds[last] = (1 - odds[first] - odds[kept]) / 2;
    }
    for (int k = 0; k < 4; k++) s.logits[k] = log(odds[k]);
    return s;
}

/* Many draws, and many tokens that together come up once in a thousand: a generator of 16 bits
 * repeats itself, or reaches few of these. */
static Setting fine_setting(void) {
    Setting s = random_setting(0);
    s.n = MOST_TOKENS, s.draws = MANY_DRAWS, s.temperature = 1;
    for (int k = 0; k < s.n; k++) s.logits[k] = k < 8 ? 0 : log(8 * 4e-6);
    return s;
}

/* The draws that are apart by any distance are not the same again and again; and of the rare
 * tokens as many come up as should. */
static void need_fine(const Setting *s, const double *got) {
    double p[MOST_TOKENS], want = 0, spread = 0;
    bool seen[MOST_TOKENS] = {0};
    int count = 0;
    for (int apart = 1; apart < s->draws / 2; apart++) {
        int k = 0;
        while (k < s->draws - apart && got[k] == got[k + apart]) k++;
        need(k < 1000, "draws repeat after %d: the generator needs more bits than 16", apart);
    }
    odds(s, 0, p);
    for (int k = 0; k < s->draws; k++) seen[(int)got[k]] = true;
    for (int i = 8; i < s->n; i++) {
        double never = pow(1 - p[i], s->draws);
        want += 1 - never, spread += never * (1 - never), count += seen[i];
    }
    need(
        fabs(count - want) < 5 * sqrt(spread) + 1,
        "of %d tokens with odds of %.1e each %d came up in %d draws, expected about %.0f: does "
        "the random number have 24 bits or more?",
        s->n - 8, p[8], count, s->draws, want);
}

static void write_setting(FILE *in, const Setting *s) {
    fprintf(in, "%d %u %.3f %d %.6f %.6f %d\n", s->draws, s->seed, s->temperature, s->top_k,
            s->top_p, s->min_p, s->n);
    judge_numbers(in, s->logits, (size_t)s->n);
}

/* Whether these counts could come from those odds, roughly. */
static bool could_be(const double *p, const long *count, int n, int draws) {
    double square = 0;
    for (int i = 0; i < n; i++) {
        double want = fmax(p[i] * draws, 0.5);
        square +=
            (p[i] <= 0 && count[i]) ? 1e9 : pow((double)count[i] - p[i] * draws, 2) / want;
    }
    return square < 3.0 * n + 20;
}

static void need_draws(const Setting *s, int i, const double *got) {
    double p[MOST_TOKENS], wrong[MOST_TOKENS], pairs[4] = {0};
    long count[MOST_TOKENS] = {0}, pair_count[4] = {0};
    char what[200];
    for (int k = 0; k < s->draws; k++) {
        need(got[k] >= 0 && got[k] < s->n, "setting %d, draw %d is %g: tokens are 0 to %d",
             i + 1, k + 1, got[k], s->n - 1);
        count[(int)got[k]]++;
    }
    odds(s, 0, p);
    if (!could_be(p, count, s->n, s->draws))
        for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
            odds(s, mistakes[m].flag, wrong);
            need(!could_be(wrong, count, s->n, s->draws), "setting %d: %s", i + 1,
                 mistakes[m].hint);
        }
    snprintf(what, sizeof what,
             "setting %d (temperature %.2f, top_k %d, top_p %.2f, min_p %.2f)", i + 1,
             s->temperature, s->top_k, s->top_p, s->min_p);
    need_odds(what, p, count, s->n);
    /* a draw knows nothing of the one before: was it the likeliest token, and is this one? */
    int best = likeliest(p, s->n);
    for (int k = 1; k < s->draws; k++)
        pair_count[2 * (got[k - 1] == best) + (got[k] == best)]++;
    for (int k = 0; k < 4; k++)
        pairs[k] = (k / 2 ? p[best] : 1 - p[best]) * (k % 2 ? p[best] : 1 - p[best]);
    snprintf(what, sizeof what,
             "setting %d: a draw depends on the one before it (pairs of neighbors: 0 neither "
             "is the likeliest, 3 both are)",
             i + 1);
    need_odds(what, pairs, pair_count, 4);
}

void chapter_samplers(void) {
    enum { RANDOM = 9, EDGES = 3, AGAIN = RANDOM + EDGES, OTHER = AGAIN + 1, FINE = AGAIN + 3 };
    Setting s[FINE + 1];
    size_t from[FINE + 2] = {0};
    FILE *in = judge_input("in");
    for (int i = 0; i < RANDOM; i++) s[i] = random_setting(i);
    for (int i = 0; i < EDGES; i++) s[RANDOM + i] = edge_setting(i);
    s[AGAIN] = s[OTHER] = s[OTHER + 1] = s[0], s[FINE] = fine_setting();
    s[OTHER].seed++, s[OTHER + 1].seed += 1 << 30;
    for (int i = 0; i <= FINE; i++) {
        write_setting(in, &s[i]);
        from[i + 1] = from[i] + (size_t)s[i].draws;
    }
    fclose(in);
    Reply r = ask("sample");
    need(r.n == from[FINE + 1],
         "%zu numbers printed, expected %zu: %d settings with their draws", r.n, from[FINE + 1],
         FINE + 1);
    for (int i = 0; i <= FINE; i++) need_draws(&s[i], i, r.numbers + from[i]);
    need(memcmp(r.numbers, r.numbers + from[AGAIN], DRAWS * sizeof *r.numbers) == 0,
         "the same setting with the same seed must give the same draws");
    for (int i = OTHER; i < FINE; i++)
        need(memcmp(r.numbers, r.numbers + from[i], DRAWS * sizeof *r.numbers) != 0,
             "another seed must give other draws: %u gives those of %u", s[i].seed, s[0].seed);
    need_fine(&s[FINE], r.numbers + from[FINE]);
}
