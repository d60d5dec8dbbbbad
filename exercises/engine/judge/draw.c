/* draw.c - chapter 9: samplers, judged by chi-square.  See engine.h. */
#include "engine.h"

enum { DRAWS = 2000, MOST_TOKENS = 60 };
typedef struct Setting {
    double temperature, top_p, min_p, logits[MOST_TOKENS];
    int top_k, n;
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

/* Settings whose cuts are clear: no token stands within a hair of the line. */
static Setting random_setting(int i) {
    static const double heats[] = {1, 0.5, 1.7, 0.8};
    Setting s = {.temperature = heats[judge_between(0, 3)],
                 .top_p = 1,
                 .n = judge_between(12, MOST_TOKENS),
                 .seed = (unsigned)judge_between(1, 1000000)};
    if (i == 1) s.temperature = 0.4;
    if (i == 2) s.top_k = judge_between(3, 9), s.temperature = 1.6;
    if (i == 3) s.top_p = 0.6 + 0.3 * judge_uniform(), s.temperature = 2;
    if (i == 4) s.min_p = 0.05 + 0.1 * judge_uniform(), s.temperature = 2;
    if (i == 5) s.top_k = 10, s.top_p = 0.8, s.min_p = 0.03, s.temperature = 1.5;
    judge_fill(s.logits, (size_t)s.n, 1.5);
    return s;
}

static void write_setting(FILE *in, const Setting *s) {
    fprintf(in, "%d %u %.3f %d %.4f %.4f %d\n", DRAWS, s->seed, s->temperature, s->top_k,
            s->top_p, s->min_p, s->n);
    judge_numbers(in, s->logits, (size_t)s->n);
}

/* Whether these counts could come from those odds, roughly. */
static bool could_be(const double *p, const long *count, int n) {
    double square = 0;
    for (int i = 0; i < n; i++) {
        double want = fmax(p[i] * DRAWS, 0.5);
        square +=
            (p[i] <= 0 && count[i]) ? 1e9 : pow((double)count[i] - p[i] * DRAWS, 2) / want;
    }
    return square < 3.0 * n + 20;
}

static void need_draws(const Setting *s, int i, const double *got) {
    double p[MOST_TOKENS], wrong[MOST_TOKENS], pairs[4] = {0};
    long count[MOST_TOKENS] = {0}, pair_count[4] = {0};
    char what[200];
    for (int k = 0; k < DRAWS; k++) {
        need(got[k] >= 0 && got[k] < s->n, "setting %d, draw %d is %g: tokens are 0 to %d",
             i + 1, k + 1, got[k], s->n - 1);
        count[(int)got[k]]++;
    }
    odds(s, 0, p);
    if (!could_be(p, count, s->n))
        for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
            odds(s, mistakes[m].flag, wrong);
            need(!could_be(wrong, count, s->n), "setting %d: %s", i + 1, mistakes[m].hint);
        }
    snprintf(what, sizeof what,
             "setting %d (temperature %.1f, top_k %d, top_p %.2f, min_p %.2f)", i + 1,
             s->temperature, s->top_k, s->top_p, s->min_p);
    need_odds(what, p, count, s->n);
    /* a draw knows nothing of the one before: was it the likeliest token, and is this one? */
    int best = likeliest(p, s->n);
    for (int k = 1; k < DRAWS; k++) pair_count[2 * (got[k - 1] == best) + (got[k] == best)]++;
    for (int k = 0; k < 4; k++)
        pairs[k] = (k / 2 ? p[best] : 1 - p[best]) * (k % 2 ? p[best] : 1 - p[best]);
    snprintf(what, sizeof what,
             "setting %d: a draw depends on the one before it (pairs of neighbors: 0 neither "
             "is the likeliest, 3 both are)",
             i + 1);
    need_odds(what, pairs, pair_count, 4);
}

void chapter_samplers(void) {
    enum { SETTINGS = 6 };
    Setting s[SETTINGS + 2];
    FILE *in = judge_input("in");
    for (int i = 0; i < SETTINGS; i++) s[i] = random_setting(i), write_setting(in, &s[i]);
    s[SETTINGS] = s[0], write_setting(in, &s[SETTINGS]);
    s[SETTINGS + 1] = s[0], s[SETTINGS + 1].seed++, write_setting(in, &s[SETTINGS + 1]);
    fclose(in);
    Reply r = ask("sample");
    need(r.n == (size_t)DRAWS * (SETTINGS + 2),
         "%zu numbers printed, expected %d: %d settings of %d draws", r.n,
         DRAWS * (SETTINGS + 2), SETTINGS + 2, DRAWS);
    for (int i = 0; i < SETTINGS + 2; i++) need_draws(&s[i], i, r.numbers + (size_t)i * DRAWS);
    const double *first = r.numbers, *same = first + SETTINGS * DRAWS, *other = same + DRAWS;
    need(memcmp(first, same, DRAWS * sizeof *first) == 0,
         "the same setting with the same seed must give the same draws");
    need(memcmp(first, other, DRAWS * sizeof *first) != 0,
         "another seed must give other draws");
}
