/* every truncation and transformation against an oracle that sorts everything, in double precision: random distributions
 * with ties, -infinity, tiny and huge spreads
 *
 * Where the oracle itself stands on the edge (a sum or a limit within rounding of a candidate), either answer is right and
 * the case is passed over; these are counted, and must stay few. */
#include "every_isa.h"
#include "inference.h"

enum { MOST = 20000, CASES = 100000 };

static Arena arena;
static Candidates c;
static int32_t order[MOST]; /* tokens from best to worst */
static double p[MOST];      /* by token */
static float logits[MOST], raw[MOST];
static bool keep[MOST]; /* by token: what the oracle keeps */
static size_t n, alive;
static double entropy, log_sum, max;
static bool edge;

static int prepare(void **state) {
    (void)state;
    arena_measure(&arena);
    candidates_init(&c, MOST, &arena);
    bool ok = arena_init(&arena, arena.used, NULL);
    candidates_init(&c, MOST, &arena);
    return ok ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

/* ------------------------------------------------------------------ the oracle */

static int by_logit(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    if (raw[x] != raw[y]) return raw[x] > raw[y] ? -1 : 1;
    return x < y ? -1 : 1;
}

static void study(void) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) order[i] = (int32_t)i;
    qsort(order, n, sizeof *order, by_logit);
    max = (double)raw[order[0]], entropy = 0, alive = 0;
    for (size_t i = 0; i < n; i++) sum += exp((double)raw[i] - max);
    log_sum = max + log(sum);
    for (size_t i = 0; i < n; i++) {
        p[i] = exp((double)raw[i] - log_sum);
        if (p[i] > 0) entropy -= p[i] * log(p[i]);
        alive += raw[i] != -INFINITY;
    }
    memset(keep, 0, sizeof keep);
    edge = false;
}

/* Is a on this side of b?  On the edge when rounding could decide. */
static bool at_least(double a, double b, double size) {
    if (fabs(a - b) < 4e-6 * (size + 1)) edge = true;
    return a >= b;
}

static void keep_first(size_t count) {
    for (size_t i = 0; i < count && i < n; i++) keep[order[i]] = true;
}

static void keep_logits(double limit, size_t least) {
    for (size_t i = 0; i < n; i++)
        if (raw[i] != -INFINITY) keep[i] = at_least((double)raw[i], limit, fabs(max));
    keep_first(least);
    keep[order[0]] = true;
}

static void oracle_top_k(double k, size_t least) {
    keep_first(k > (double)least ? (size_t)k : least);
}

static void oracle_top_p(double mass, size_t least) {
    double sum = 0;
    size_t count = 0;
    while (count < n && (count < least || !at_least(sum, mass, 1))) sum += p[order[count++]];
    if (count == 0) count = 1;
    keep_first(count);
}

static double surprise_gap(int32_t token) {
    return fabs(log_sum - (double)raw[token] - entropy);
}

static int by_gap(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    double gx = surprise_gap(x), gy = surprise_gap(y); /* infinite for -infinity */
    if (gx != gy) return gx < gy ? -1 : 1;
    return x < y ? -1 : 1;
}

static void oracle_typical(double mass, size_t least) {
    double sum = 0;
    size_t count = 0;
    qsort(order, n, sizeof *order, by_gap);
    while (count < alive && (count < least || !at_least(sum, mass, 1)))
        sum += p[order[count++]];
    if (count == 0) count = 1;
    keep_first(count);
    /* two logits at nearly the same distance as the last one kept: which comes first is a matter of rounding */
    double last = surprise_gap(order[count - 1]), near = 2e-5 * (fabs(max) + 1);
    for (size_t i = 0; i < alive && count < alive; i++)
        if (fabs(surprise_gap(order[i]) - last) < near &&
            raw[order[i]] != raw[order[count - 1]])
            edge = true;
}

static void oracle_tfs(double z, size_t least) {
    double total = 0, sum = 0;
    size_t count = 0;
    if (alive < 3) {
        keep_first(n);
        return;
    }
    for (size_t i = 0; i + 2 < alive; i++)
        total += fabs(p[order[i]] - 2 * p[order[i + 1]] + p[order[i + 2]]);
    if (total < 1e-5) edge = true;
    for (; count + 2 < alive; count++) {
        sum += fabs(p[order[count]] - 2 * p[order[count + 1]] + p[order[count + 2]]) / total;
        if (!at_least(z, sum, 1)) break;
    }
    keep_first(count + 1 > least ? count + 1 : least);
}

static void oracle_top_h(double h, size_t least) {
    size_t head = n < 100 ? n : 100, count = 0;
    double sum = 0, total = 0, so_far = 0;
    if (least > 100) head = least < n ? least : n;
    for (size_t i = 0; i < head; i++) sum += p[order[i]];
    for (size_t i = 0; i < head; i++)
        if (p[order[i]] > 0) total -= p[order[i]] / sum * log(p[order[i]] / sum);
    for (; count < head; count++) {
        double q = p[order[count]] / sum;
        so_far += q > 0 ? -q * log(q) : 0;
        if (count > 0 && !at_least(h * total, so_far, 1)) break;
    }
    keep_first(count > least ? count : least);
}

static void oracle_xtc(double t, size_t least) {
    size_t likely = 0, drop;
    double limit = log_sum + log(t);
    for (size_t i = 0; i < n; i++)
        if (raw[i] != -INFINITY) likely += at_least((double)raw[i], limit, fabs(max));
    drop = likely > 1 ? likely - 1 : 0;
    if (alive < least + drop) drop = alive > least ? alive - least : 0;
    for (size_t i = drop; i < n; i++) keep[order[i]] = true;
}

/* ------------------------------------------------------------------ the cases */

static void make_distribution(Rng *rng, size_t case_number) {
    double spread = pow(10, rng_next(rng) * 5 - 2), center = (rng_next(rng) - 0.5) * 40;
    n = case_number % 1000 == 0 ? 200 + rng_below(rng, MOST - 200)
        : case_number % 50 == 0 ? 200 + rng_below(rng, 6000)
                                : 1 + rng_below(rng, 40);
    bool ties = rng_below(rng, 3) == 0, holes = rng_below(rng, 3) == 0;
    for (size_t i = 0; i < n; i++) {
        double logit = center + spread * rng_normal(rng);
        if (ties) logit = round(logit * 2) / 2;
        raw[i] = holes && rng_below(rng, 4) == 0 ? -INFINITY : (float)logit;
    }
    raw[rng_below(rng, n)] = (float)center; /* one at least is alive */
}

static void run_chain(const char *spec) {
    Chain chain;
    Fault fault;
    int32_t token;
    memcpy(logits, raw, n * sizeof *logits);
    c.vocab = n;
    if (!chain_parse(&chain, spec, NULL, &fault)) fail_msg("%s: %s", spec, fault.text);
    Step step = {.seed = 1, .position = 1};
    assert_true(candidates_load(&c, logits, &fault));
    /* all but the final draw */
    chain.count--;
    for (size_t i = 0; i < chain.count; i++)
        if (!stage_is_off(&chain.stages[i]))
            chain.stages[i].kind->apply(&chain.stages[i], &c, &step);
    chain.count++;
    stage_draw.apply(&chain.stages[chain.count - 1], &c, &step);
    token = c.chosen;
    assert_true(token >= 0 && raw[token] != -INFINITY);
    chain_close(&chain);
}

/* The living candidates are those the oracle keeps, with the logits they came with. */
static void compare(const char *spec) {
    static bool got[MOST];
    memset(got, 0, sizeof got);
    for (size_t i = 0; i < c.count; i++) {
        int32_t id = candidates_id(&c, i);
        if (c.logits[i] == -INFINITY) continue;
        if (c.logits[i] != raw[id]) fail_msg("%s: token %d changed its logit", spec, id);
        if (got[id]) fail_msg("%s: token %d is there twice", spec, id);
        got[id] = true;
    }
    for (size_t i = 0; i < n; i++)
        if (got[i] != (keep[i] && raw[i] != -INFINITY))
            fail_msg("%s: of %zu, token %zu (logit %.9g, p %.9g) is %s", spec, n, i,
                     (double)raw[i], p[i], got[i] ? "kept" : "gone");
    for (size_t i = 1; c.sorted && i < c.count; i++)
        assert_true(c.logits[i - 1] > c.logits[i] ||
                    (c.logits[i - 1] == c.logits[i] && c.ids[i - 1] < c.ids[i]));
}

static void one_case(Rng *rng, size_t number, size_t *edges) {
    char spec[80];
    double u = rng_next(rng);
    size_t least = rng_below(rng, 4) == 0 ? 1 + rng_below(rng, 6) : 1;
    make_distribution(rng, number);
    study();
    switch (number % 13) {
    case 0:
        u = floor(u * 50) + 1;
        snprintf(spec, sizeof spec, "top_k:%.0f:keep=%zu", u, least);
        oracle_top_k(u, least);
        break;
    case 1:
    case 2:
        snprintf(spec, sizeof spec, "top_p:%.17g:keep=%zu", u, least);
        oracle_top_p(u, least);
        break;
    case 3:
    case 4:
        snprintf(spec, sizeof spec, "typical:%.17g:keep=%zu", u, least);
        oracle_typical(u, least);
        break;
    case 5:
        u = u * u + 1e-9;
        snprintf(spec, sizeof spec, "min_p:%.17g:keep=%zu", u, least);
        keep_logits(max + log(u), least);
        break;
    case 6:
        u = u * u + 1e-9;
        snprintf(spec, sizeof spec, "top_a:%.17g:keep=%zu", u, least);
        keep_logits(2 * max + log(u) - log_sum, least);
        break;
    case 7:
        u = u * u + 1e-9;
        snprintf(spec, sizeof spec, "epsilon:%.17g:keep=%zu", u, least);
        keep_logits(log_sum + log(u), least);
        break;
    case 8:
        u = u * u + 1e-9;
        snprintf(spec, sizeof spec, "eta:%.17g:keep=%zu", u, least);
        keep_logits(log_sum + log(fmin(u, sqrt(u) * exp(-entropy))), least);
        break;
    case 9: {
        double mean = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            if (raw[i] != -INFINITY) mean += (double)raw[i] / (double)alive;
        for (size_t i = 0; i < n; i++)
            if (raw[i] != -INFINITY)
                squares += ((double)raw[i] - mean) * ((double)raw[i] - mean);
        u = 3 * u + 1e-3;
        double sigma = sqrt(squares / (double)alive);
        snprintf(spec, sizeof spec, "top_n_sigma:%.17g:keep=%zu", u, least);
        if (sigma < 1e-4 * (fabs(max) + 1)) edge = true;
        keep_logits(max - u * sigma, least);
        break;
    }
    case 10:
        snprintf(spec, sizeof spec, "top_h:%.17g:keep=%zu", u + 1e-9, least);
        oracle_top_h(u + 1e-9, least);
        break;
    case 11: {
        double squares = 0;
        for (size_t i = 0; i < n; i++) squares += p[i] * p[i];
        snprintf(spec, sizeof spec, "p_less:keep=%zu", least);
        keep_logits(log_sum + log(squares), least);
        break;
    }
    default:
        if (number % 2) {
            snprintf(spec, sizeof spec, "tfs:%.17g:keep=%zu", u, least), oracle_tfs(u, least);
        } else {
            u = u * 0.5 + 1e-9;
            snprintf(spec, sizeof spec, "xtc:1:t=%.17g:keep=%zu", u, least),
                oracle_xtc(u, least);
        }
    }
    run_chain(spec);
    if (edge)
        (*edges)++;
    else
        compare(spec);
}

static void truncations_agree_with_the_oracle(void **state) {
    (void)state;
    Rng rng = {1, 2, 0};
    size_t edges = 0;
    for (size_t i = 0; i < CASES; i++) one_case(&rng, i, &edges);
    if (edges > CASES / 10) fail_msg("%zu of %d cases stand on the edge", edges, CASES);
}

/* the transformations, number by number */
static void transformations_agree_with_the_oracle(void **state) {
    (void)state;
    Rng rng = {3, 4, 0};
    for (size_t i = 0; i < CASES / 10; i++) {
        char spec[100];
        make_distribution(&rng, i);
        study();
        double t = 0.1 + 2 * rng_next(&rng), range = rng_next(&rng), e = 0.5 + rng_next(&rng),
               factor = rng_next(&rng), curve = 1 + 2 * rng_next(&rng);
        if (i % 2)
            snprintf(spec, sizeof spec, "temp:%.17g:range=%.17g:exp=%.17g", t, range, e);
        else
            snprintf(spec, sizeof spec, "quadratic:%.17g:curve=%.17g", factor, curve);
        run_chain(spec);
        double low = fmax(0, t - range), high = t + range;
        if (alive > 1) t = low + (high - low) * pow(fmin(1, entropy / log((double)alive)), e);
        /* an entropy near 0 is the rounding of a sum near 1 */
        if (i % 2 && (t < 1e-5 || entropy < 1e-2)) continue;
        for (size_t k = 0; k < c.count; k++) {
            int32_t id = candidates_id(&c, k);
            double d = (double)raw[id] - max, want;
            if (raw[id] == -INFINITY) {
                assert_true(c.logits[k] == -INFINITY);
                continue;
            }
            want = i % 2 ? (double)raw[id] / t
                         : max - factor * (3 - curve) / 2 * d * d +
                               factor * (curve - 1) / 2 * d * d * d;
            assert_near(c.logits[k], want, 1e-4 * (fabs(want) + fabs(max) / t + 1));
        }
    }
}

/* properties that hold for all numbers */
static void properties(void **state) {
    (void)state;
    Rng rng = {5, 6, 0};
    for (size_t i = 0; i < 3000; i++) {
        char spec[80];
        make_distribution(&rng, i);
        study();
        size_t a = 1 + rng_below(&rng, 30), b = 1 + rng_below(&rng, 30);
        snprintf(spec, sizeof spec, "top_k:%zu,top_k:%zu", a, b); /* = top_k of the smaller */
        memset(keep, 0, sizeof keep), keep_first(a < b ? a : b);
        run_chain(spec), compare(spec);
        snprintf(spec, sizeof spec, "temp:%.3f", 0.05 + 3 * rng_next(&rng)); /* argmax stays */
        run_chain(spec);
        assert_true(raw[candidates_id(&c, candidates_best(&c))] == raw[order[0]] ||
                    c.logits[candidates_best(&c)] == c.logits[candidates_find(&c, order[0])]);
        memset(keep, 1, sizeof keep); /* off is the identity */
        run_chain("temp:off,quadratic:off,top_k:off,top_p:off,min_p:off,typical:off,tfs:off,"
                  "top_a:off,epsilon:off,eta:off,top_n_sigma:off,xtc:off,penalties:off,dry:off,"
                  "no_repeat:off,skew:off,watermark:off,contrast:off,cfg:off");
        compare("all off");
        assert_true(c.dense && c.count == n);
    }
}

/* The same chain chooses the same token on every instruction set. */
static void every_machine_chooses_alike(void **state) {
    (void)state;
    static const char *const specs[] = {"draw",
                                        "top_k:40,top_p:0.95,min_p:0.05,temp:0.8",
                                        "typical:0.7",
                                        "top_n_sigma:1.5",
                                        "temp:1:range=0.5,eta:0.01",
                                        "p_less",
                                        "mirostat:3",
                                        "gumbel",
                                        "tfs:0.9,skew:0.3"};
    Rng rng = {7, 8, 0};
    for (size_t i = 0; i < 2000; i++) {
        Chain chain;
        Fault fault;
        int32_t first = -1, token = -1;
        make_distribution(&rng, i);
        EACH_ISA (isa) {
            assert_true(chain_parse(&chain, specs[i % 9], NULL, &fault));
            memcpy(logits, raw, n * sizeof *logits);
            c.vocab = n;
            assert_true(candidates_load(&c, logits, &fault));
            assert_true(
                chain_run(&chain, &c, &(Step){.seed = i, .position = 9}, &token, &fault));
            if (first < 0) first = token;
            assert_int_equal(token, first);
            chain_close(&chain);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(truncations_agree_with_the_oracle),
                                       TEST(transformations_agree_with_the_oracle),
                                       TEST(properties), TEST(every_machine_chooses_alike)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
