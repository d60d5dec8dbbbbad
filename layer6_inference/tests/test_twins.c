/* every sampler that has a definition (extras/reference) against it: the same survivors with
 * the same probabilities, on rows that are random, tied, flat, peaked, tiny and long, with and
 * without holes of -infinity
 *
 * Where a sum or a limit lies within rounding of a candidate, either answer is right.  So a
 * token that only one of them keeps must be one that the definition keeps or removes when
 * logits and parameters change by a few millionths, equal logits alike.  Such cases are
 * counted, and must stay few. */
#include "check.h"
#include "inference_extras.h"

enum { MAX_VOCAB = 5000, CASES = 3000, VARIANTS = 64 };

typedef struct Outcome {
    size_t kept;
    double p[MAX_VOCAB]; /* by token; 0: removed */
    double largest;      /* the largest absolute logit of those with p > 1e-9 */
} Outcome;

static Arena arena;
static Candidates c;
static float raw[MAX_VOCAB], amateur[MAX_VOCAB]; /* amateur: of dola */
static size_t n;
static Outcome fast, twin, variant;

static int prepare(void **state) {
    (void)state;
    return candidates_open(&c, MAX_VOCAB, &arena, NULL) ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

/* ------------------------------------------------------------------ rows and parameters */

typedef enum Row { RANDOM, TIED, FLAT, PEAKED, TINY, LONG, ROWS } Row;

static void make_row(Rng *rng, Row kind) {
    double spread = pow(10, 5 * rng_next(rng) - 2), center = 40 * (rng_next(rng) - 0.5);
    bool holes = rng_below(rng, 3) == 0;
    n = kind == TINY   ? 1 + rng_below(rng, 3)
        : kind == LONG ? MAX_VOCAB - rng_below(rng, 1000)
                       : 2 + rng_below(rng, 200);
    for (size_t i = 0; i < n; i++) {
        double logit = kind == FLAT ? center : center + spread * rng_normal(rng);
        if (kind == TIED) logit = round(2 * logit) / 2;
        raw[i] = holes && rng_below(rng, 4) == 0 ? -INFINITY : (float)logit;
    }
    raw[rng_below(rng, n)] = (float)(kind == PEAKED ? center + 5 * spread : center);
    for (size_t i = 0; i < n; i++) amateur[i] = (float)(spread * rng_normal(rng));
}

/* Logits changed by up to 2 millionths, equal ones alike. */
static void change_row(float *out, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &raw[i], sizeof bits);
        double u = 2 * rng_unit(seed, 1, bits) - 1, logit = (double)raw[i];
        out[i] = raw[i] == -INFINITY ? raw[i] : (float)(logit + 2e-6 * u * (fabs(logit) + 1));
    }
}

/* Uniform, small, or such that equal or tied logits meet it exactly. */
static double make_value(Rng *rng, const StageParam *p) {
    double u = rng_next(rng), high = fmin(p->high, 3), low = fmax(p->low, 0);
    if (strcmp(p->key, "keep") == 0 && rng_below(rng, 4)) return 1;
    if (p->integer) return 1 + (double)rng_below(rng, rng_below(rng, 2) ? 6 : 60);
    double value[] = {low + u * (high - low), low + u * u * u * (high - low),
                      (double)(1 + rng_below(rng, n)) / (double)n,
                      exp(-0.5 * (double)rng_below(rng, 9))};
    return fmin(p->high, fmax(p->low + 1e-9, value[rng_below(rng, 4)]));
}

/* An entropy near 0 is the rounding of a sum near 1, and a small exponent would magnify it. */
static bool is_sure(void) {
    static float row[MAX_VOCAB];
    memcpy(row, raw, n * sizeof *row);
    c.vocab = n;
    return candidates_load(&c, row, NULL) && candidates_entropy(&c) < 0.01;
}

static void write_spec(char *spec, size_t room, const StageKind *kind, const double *value,
                       double scale) {
    size_t used = (size_t)snprintf(spec, room, "%s", kind->name);
    for (int i = 0; i < STAGE_PARAMS && kind->params[i].key; i++) {
        const StageParam *p = &kind->params[i];
        double x = p->integer ? value[i] : fmin(p->high, value[i] * scale);
        used += (size_t)snprintf(spec + used, room - used, ":%s=%.17g", p->key, x);
    }
}

/* ------------------------------------------------------------------ stages */

static void read_outcome(Outcome *out) {
    double sum = 0, max = (double)candidates_max(&c);
    *out = (Outcome){0};
    for (size_t i = 0; i < c.count; i++) sum += exp((double)c.logits[i] - max);
    for (size_t i = 0; i < c.count; i++) {
        int32_t id = candidates_id(&c, i);
        assert_true(!c.sorted || i == 0 || c.logits[i - 1] > c.logits[i] ||
                    (c.logits[i - 1] == c.logits[i] && candidates_id(&c, i - 1) < id));
        if (c.logits[i] == -INFINITY) continue;
        assert_true(out->p[id] == 0);
        out->p[id] = fmax(1e-300, exp((double)c.logits[i] - max) / sum);
        out->kept++;
        if (out->p[id] > 1e-9) out->largest = fmax(out->largest, fabs((double)c.logits[i]));
    }
    assert_true(out->kept > 0);
}

/* What a stage, or with "ref:" before it its definition, makes of a row. */
static void run(const char *before, const char *spec, const float *row, Outcome *out) {
    static float logits[MAX_VOCAB];
    Chain chain;
    Fault fault;
    char text[200];
    snprintf(text, sizeof text, "%s%s", before, spec);
    if (!chain_parse(&chain, text, NULL, &fault)) fail_msg("%s: %s", text, fault.text);
    memcpy(logits, row, n * sizeof *logits);
    c.vocab = n;
    assert_true(candidates_load(&c, logits, &fault));
    if (!stage_is_off(&chain.stages[0]))
        chain.stages[0].kind->apply(&chain.stages[0], &c,
                                    &(Step){.seed = n, .amateur = amateur});
    chain_close(&chain);
    read_outcome(out);
}

static bool same_set(const Outcome *a, const Outcome *b) {
    for (size_t i = 0; i < n; i++)
        if ((a->p[i] > 0) != (b->p[i] > 0)) return false;
    return true;
}

/* typical: are the tokens that only one of the two keeps equally far from the entropy, but for
 * rounding? */
static bool equally_typical(void) {
    double entropy = 0, low = INFINITY, high = -INFINITY;
    run("", "typical:off", raw, &variant);
    for (size_t i = 0; i < n; i++)
        if (variant.p[i] > 0) entropy -= variant.p[i] * log(variant.p[i]);
    for (size_t i = 0; i < n; i++) {
        double gap = fabs(entropy + log(variant.p[i]));
        if ((fast.p[i] > 0) == (twin.p[i] > 0)) continue;
        low = fmin(low, gap), high = fmax(high, gap);
    }
    return high - low < 1e-6 * (1 + variant.largest);
}

/* Does the definition keep each token that `fast` keeps, and remove each that it removes, for
 * some slightly different numbers? */
static bool on_the_edge(const StageKind *kind, const double *value) {
    static float changed[MAX_VOCAB];
    static bool agreed[MAX_VOCAB];
    size_t open = kind == &stage_typical && equally_typical() ? 0 : n;
    char spec[200];
    memset(agreed, 0, sizeof agreed);
    for (uint64_t k = 0; k < VARIANTS && open; k++) {
        write_spec(spec, sizeof spec, kind, value, 1 + 8e-6 * (rng_unit(3, 4, k) - 0.5));
        change_row(changed, k);
        run("ref:", spec, k % 4 ? changed : raw, &variant);
        for (size_t i = 0; i < n; i++) {
            if (agreed[i] || (fast.p[i] > 0) != (variant.p[i] > 0)) continue;
            agreed[i] = true, open--;
        }
    }
    return open == 0;
}

static bool one_case(Rng *rng, const StageKind *kind, Row row) {
    char spec[200];
    double value[STAGE_PARAMS];
    make_row(rng, row);
    for (int i = 0; i < STAGE_PARAMS && kind->params[i].key; i++)
        value[i] = make_value(rng, &kind->params[i]);
    if ((kind == &stage_temp || kind == &stage_edt) && is_sure()) value[1] = 0; /* no entropy */
    write_spec(spec, sizeof spec, kind, value, 1);
    run("", spec, raw, &fast), run("ref:", spec, raw, &twin);
    /* what only reshapes may make an unlikely token impossible */
    bool reshapes = kind == &stage_temp || kind == &stage_quadratic || kind == &stage_edt;
    if (!reshapes && !same_set(&fast, &twin)) {
        if (!on_the_edge(kind, value))
            fail_msg("%s, row %d of %zu: %zu tokens stay, by the definition %zu", spec,
                     (int)row, n, fast.kept, twin.kept);
        return false;
    }
    double bound = 2e-7 * (2 + twin.largest);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(fast.p[i] - twin.p[i]) <= bound))
            fail_msg("%s, row %d of %zu: token %zu has %.9g, by the definition %.9g", spec,
                     (int)row, n, i, fast.p[i], twin.p[i]);
    return true;
}

static void stages_are_what_they_are_defined_as(void **state) {
    (void)state;
    Rng rng = {12, 2, 0};
    size_t edges = 0, cases = 0;
    for (size_t k = 0; sampler_reference_name(k); k++) {
        const StageKind *kind = stage_find(text_of(sampler_reference_name(k)));
        size_t before = edges;
        for (int i = 0; i < CASES; i++, cases++)
            edges += !one_case(&rng, kind, i % 25 ? (Row)(i % LONG) : LONG);
        print_message("%-12s %zu\n", kind->name, edges - before);
        if (edges - before > CASES / 50)
            fail_msg("%s: %zu of %d cases on the edge", kind->name, edges - before, CASES);
    }
    print_message("%zu cases, %zu of them on the edge\n", cases, edges);
}

static void other_stages_are_refused(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"ref:dry:1", "no definition of 'dry', wanted one of top_k, top_p, typical"},
        {"ref:ref:top_k:3", "no definition of 'ref'"},
        {"ref:llama", "no definition of 'llama'"},
        {"ref:typicl:0.9", "no definition of 'typicl'"},
        {"ref:top_p:2", "ref: top_p: p is '2', wanted a number from 0 to 1"},
        {"ref:top_k:3%2Ctop_p:0.5", "has 2 stages, wanted one"},
        {"ref", "needs a text: ref:typical:0.6"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Chain chain;
        Fault fault;
        assert_false(chain_parse(&chain, wrong[i][0], NULL, &fault));
        assert_contains(fault.text, wrong[i][1]);
    }
    Chain chain;
    assert_true(chain_parse(&chain, "ref:xtc:0.5:t=0.2:keep=3,temp:2", NULL, NULL));
    char *again = chain_print(&chain);
    assert_string_equal(again, "ref:xtc:0.5:t=0.2:keep=3,temp:2,draw");
    chain_close(&chain), free(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(stages_are_what_they_are_defined_as),
                                       TEST(other_stages_are_refused)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
