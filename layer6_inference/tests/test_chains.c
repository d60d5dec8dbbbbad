/* what holds for all rows: properties of cuts, shares and limits that are met exactly, the same
 * bits on every instruction set, the cost.  What each stage keeps: test_twins.c */
#include "every_isa.h"
#include "open_vocab.h"
#include "inference.h"
#include "make_model.h"

#include <time.h>

enum { MAX_VOCAB = 20000 };

static Arena arena;
static Candidates c;
static Model model; /* for its tokenizer of MAKE_VOCAB tokens */
static unsigned char *model_bytes;
static int32_t order[MAX_VOCAB]; /* tokens from best to worst */
static float logits[MAX_VOCAB], raw[MAX_VOCAB];
static bool keep[MAX_VOCAB]; /* by token: what should stay */
static size_t n;

static int prepare(void **state) {
    (void)state;
    arena_measure(&arena);
    candidates_init(&c, MAX_VOCAB, &arena);
    size_t size;
    MakeModel m = make_model_defaults("llama");
    model_bytes = make_model(&m, &size);
    bool ok = arena_init(&arena, arena.used, NULL) &&
              model_open_memory(&model, model_bytes, size, NULL);
    candidates_init(&c, MAX_VOCAB, &arena);
    return ok ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    model_close(&model), free(model_bytes);
    arena_free(&arena);
    return 0;
}

static int by_logit(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    if (raw[x] != raw[y]) return raw[x] > raw[y] ? -1 : 1;
    return x < y ? -1 : 1;
}

static void sort_row(void) {
    for (size_t i = 0; i < n; i++) order[i] = (int32_t)i;
    qsort(order, n, sizeof *order, by_logit);
}

static void keep_first(size_t count) {
    for (size_t i = 0; i < count && i < n; i++) keep[order[i]] = true;
}

/* ------------------------------------------------------------------ the cases */

static void make_distribution(Rng *rng, size_t case_number) {
    double spread = pow(10, rng_next(rng) * 5 - 2), center = (rng_next(rng) - 0.5) * 40;
    n = case_number % 1000 == 0 ? 200 + rng_below(rng, MAX_VOCAB - 200)
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

/* The living candidates are those in `keep`, with the logits they came with. */
static void compare(const char *spec) {
    static bool got[MAX_VOCAB];
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
            fail_msg("%s: of %zu, token %zu (logit %.9g) is %s", spec, n, i, (double)raw[i],
                     got[i] ? "kept" : "gone");
    for (size_t i = 1; c.sorted && i < c.count; i++)
        assert_true(c.logits[i - 1] > c.logits[i] ||
                    (c.logits[i - 1] == c.logits[i] && c.ids[i - 1] < c.ids[i]));
}

/* properties that hold for all numbers */
static void properties(void **state) {
    (void)state;
    Rng rng = {5, 6, 0};
    for (size_t i = 0; i < 3000; i++) {
        char spec[80];
        make_distribution(&rng, i);
        sort_row();
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

/* How many of n equal logits remain; -1: not the lowest ids, or not unchanged. */
static long kept_of_equals(const char *spec, float logit, size_t count) {
    n = count;
    for (size_t i = 0; i < n; i++) raw[i] = logit;
    run_chain(spec);
    memset(keep, 0, sizeof keep);
    long kept = 0;
    for (size_t i = 0; i < c.count; i++) {
        if (c.logits[i] == -INFINITY) continue;
        if (c.logits[i] != logit) return -1;
        keep[candidates_id(&c, i)] = true, kept++;
    }
    for (long i = 0; i < kept; i++)
        if (!keep[i]) return -1;
    return kept;
}

/* k / N of N equal logits is k of them: on rows that are cut, on rows that are sorted, on what
 * an earlier stage left, and where the logits are so large that the logarithm of the sum is
 * lost. */
static void shares_of_equal_logits(void **state) {
    (void)state;
    static const char *const forms[] = {"top_p:%.17g",           "typical:%.17g",
                                        "top_k:100,top_p:%.17g", "min_p:0.5,top_p:%.17g",
                                        "top_h:%.17g",           "top_k:100,typical:%.17g"};
    static const float logits_of[] = {0, 1, -7.3f, 1e17f, -1e30f, 3e38f};
    static const long large[] = {129, 1000, 4999, 20000};
    for (size_t f = 0; f < 6; f++)
        for (long size = 2; size <= 104; size++) {
            long count = size <= 100 ? size : large[size - 101];
            if (count > 100 && (f == 2 || f > 3))
                continue; /* only the best hundred are there */
            for (long k = 1; k<count; k += count> 100 ? 1 + count / 37 : 1) {
                char spec[80];
                snprintf(spec, sizeof spec, forms[f], (double)k / (double)count);
                float logit = logits_of[(k + count) % 6];
                long got = kept_of_equals(spec, logit, (size_t)count);
                if (got != k)
                    fail_msg("%s of %ld logits %g keeps %ld, not %ld", spec, count,
                             (double)logit, got, k);
            }
        }
}

/* A limit that all just reach is reached. */
static void limits_of_equal_logits(void **state) {
    (void)state;
    for (long count = 2; count <= 300; count++)
        for (int form = 0; form < 6; form++) {
            char spec[80];
            static const char *const forms[] = {"epsilon:%.17g", "top_a:%.17g",
                                                "p_less",        "min_p:1",
                                                "eta:%.17g",     "mirostat_v2:%.17g"};
            double share = 1 / (double)count,
                   value[] = {share, (double)count, 0, 0, share, log2((double)count) / 2};
            snprintf(spec, sizeof spec, forms[form], value[form]);
            long got = kept_of_equals(spec,
                                      count % 3 == 0   ? 1e18f
                                      : count % 3 == 1 ? 0
                                                       : (float)count,
                                      (size_t)count);
            if (got != count) fail_msg("%s of %ld equals keeps %ld", spec, count, got);
        }
}

/* Worked out by hand: the sum that reaches the mass exactly is enough. */
static void masses_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        double p[4];
        size_t kept;
    } cases[] = {
        {"top_p:0.8", {0.5, 0.3, 0.2, 0}, 2},         {"top_p:0.75", {0.5, 0.25, 0.25, 0}, 2},
        {"top_p:0.5", {0.5, 0.3, 0.15, 0.05}, 1},     {"top_p:0.95", {0.5, 0.3, 0.15, 0.05}, 3},
        {"top_p:0.9", {0.1, 0.7, 0.1, 0.1}, 3},       {"top_p:0.80001", {0.5, 0.3, 0.2, 0}, 3},
        {"min_p:0.7", {0.35, 0.245, 0.22, 0.185}, 2}, {"min_p:0.25", {0.6, 0.25, 0.15, 0}, 3},
        {"typical:0.8", {0.6, 0.2, 0.1, 0.1}, 2},     {"typical:0.2", {0.6, 0.2, 0.1, 0.1}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int sorted = 0; sorted < 2; sorted++) {
            char spec[60];
            snprintf(spec, sizeof spec, "%s%s", sorted ? "top_k:3," : "", cases[i].spec);
            n = 4;
            for (size_t k = 0; k < 4; k++)
                raw[k] = cases[i].p[k] > 0 ? (float)log(cases[i].p[k]) : -INFINITY;
            if (sorted && cases[i].p[3] > 0) continue;
            run_chain(spec);
            if (candidates_alive(&c) != cases[i].kept)
                fail_msg("%s keeps %zu, not %zu", spec, candidates_alive(&c), cases[i].kept);
        }
}

static bool look(void *context, const int32_t *tokens, size_t count, float *similarity) {
    (void)context;
    for (size_t i = 0; i < count; i++)
        similarity[i] = (float)rng_unit(1, 2, (uint64_t)tokens[i]);
    return true;
}

/* Two stages out of all there are, by their examples, and one that picks. */
static void make_spec(char *spec, size_t room, size_t number) {
    static const char *const picks[] = {
        "draw",           "gumbel", "mirostat:3",    "mirostat_v2:3",
        "adaptive_p:0.4", "greedy", "skew:0.4,draw", "contrastive_search:0.3"};
    const StageKind *const *list;
    size_t count = stage_list(&list);
    const StageKind *a = list[number % count], *b = list[number / count % count];
    snprintf(spec, room, "%s%s%s%s%s", a->selects ? "" : a->example, a->selects ? "" : ",",
             b->selects ? "" : b->example, b->selects ? "" : ",",
             a->selects   ? a->example
             : b->selects ? b->example
                          : picks[number % 8]);
}

typedef struct Outcome {
    bool ok;
    int32_t token;
    size_t count;
    float logits[MAX_VOCAB];
    int32_t ids[MAX_VOCAB];
} Outcome;

static void run_step(const char *spec, const Step *step, Outcome *out) {
    Chain chain;
    Fault fault;
    memset(out, 0, sizeof *out);
    if (!chain_parse(&chain, spec, model.tokenizer, &fault))
        fail_msg("%s: %s", spec, fault.text);
    memcpy(logits, raw, n * sizeof *logits);
    c.vocab = n;
    assert_true(candidates_load(&c, logits, &fault));
    out->ok = chain_run(&chain, &c, step, &out->token, &fault);
    if (!out->ok) assert_contains(fault.text, "dead end");
    out->count = c.count;
    memcpy(out->logits, c.logits, c.count * sizeof *c.logits);
    for (size_t i = 0; i < c.count; i++) out->ids[i] = candidates_id(&c, i);
    chain_close(&chain);
}

static void check_alike(const char *spec, const Step *step) {
    static Outcome first, other;
    int sets = 0;
    EACH_ISA (isa) {
        run_step(spec, step, sets++ ? &other : &first);
        if (sets > 1 && memcmp(&first, &other, sizeof first) != 0)
            fail_msg("%s: %s is not scalar", spec, isa);
    }
}

/* The same chain leaves the same bits and chooses the same token on every instruction set:
 * every stage there is, before and after every other. */
static void every_machine_chooses_alike(void **state) {
    (void)state;
    static float amateur[MAX_VOCAB], unconditional[MAX_VOCAB];
    const StageKind *const *kinds;
    size_t n_kinds = stage_list(&kinds), cases = 2 * n_kinds * n_kinds;
    Rng rng = {7, 8, 0};
    for (size_t i = 0; i < cases; i++) {
        char spec[300];
        int32_t history[40];
        make_distribution(&rng, i);
        n = MAKE_VOCAB; /* the row of the tokenizer */
        for (size_t k = 0; k < n; k++) {
            if (k > 40) raw[k] = (float)(3 * rng_normal(&rng));
            amateur[k] = (float)(2 * rng_normal(&rng));
            unconditional[k] = (float)(2 * rng_normal(&rng));
        }
        for (int k = 0; k < 40; k++) history[k] = (int32_t)rng_below(&rng, k % 2 ? 5 : n);
        make_spec(spec, sizeof spec, i);
        Step step = {.seed = i,
                     .position = 9,
                     .history = history,
                     .history_count = 40,
                     .prompt_count = 40 - i % 2,
                     .tokenizer = model.tokenizer,
                     .amateur = amateur,
                     .unconditional = unconditional,
                     .look_ahead = look};
        check_alike(spec, &step);
    }
}

/* Rows longer than a chunk of the scans, with the stages that sum over all of them. */
static void long_rows_choose_alike(void **state) {
    (void)state;
    static const char *const specs[] = {"draw",
                                        "top_p:0.95,min_p:0.05,temp:0.8",
                                        "typical:0.7",
                                        "top_n_sigma:1.5",
                                        "temp:1:range=0.5,eta:0.01",
                                        "p_less",
                                        "mirostat:3",
                                        "cfg:1.5",
                                        "contrast:0.001",
                                        "dola:0.001",
                                        "adaptive_p:0.4",
                                        "watermark:2,xtc:1:t=1e-4",
                                        "tfs:0.9,skew:0.3"};
    static float row[MAX_VOCAB];
    Rng rng = {9, 10, 0};
    for (size_t i = 0; i < 120; i++) {
        static const int32_t history[] = {1, 2, 3};
        make_distribution(&rng, 1000 * i);
        for (size_t k = 0; k < n; k++) row[k] = (float)(3 * rng_normal(&rng));
        Step step = {.seed = i,
                     .history = history,
                     .history_count = n > 3 ? 3 : 0,
                     .amateur = row,
                     .unconditional = row};
        check_alike(specs[i % 13], &step);
    }
}

/* Seconds of a stage on what an earlier one left of a wide flat row; the best of a few. */
static double seconds_of(const char *spec, const int32_t *history, size_t count) {
    enum { WIDE = 131072 };
    static float wide[WIDE];
    static Candidates big;
    Arena room;
    Chain chain;
    double best = INFINITY;
    assert_true(candidates_open(&big, WIDE, &room, NULL));
    assert_true(chain_parse(&chain, spec, NULL, NULL));
    for (int round = 0; round < 4; round++) {
        int32_t token;
        for (int i = 0; i < WIDE; i++) wide[i] = (float)(0.01 * rng_unit(1, 2, (uint64_t)i));
        clock_t start = clock(); /* of this process: others may want the machine, too */
        assert_true(candidates_load(&big, wide, NULL));
        assert_true(chain_run(&chain, &big, &(Step){.history = history, .history_count = count},
                              &token, NULL));
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    chain_close(&chain), arena_free(&room);
    return best;
}

/* What a stage costs grows with the history plus the candidates, not with their product: on a
 * row that was cut before it may take longer than on a whole one, but not a hundred times as
 * long. */
static void a_long_history_costs_its_length(void **state) {
    (void)state;
    static const char *const stages[] = {"penalties:rep=1.1:last=-1", "no_repeat:1",
                                         "xtc:1:t=1e-7"};
    enum { LONG = 32768 };
    int32_t *history = malloc(LONG * sizeof *history);
    assert_non_null(history);
    for (int i = 0; i < LONG; i++) history[i] = (int32_t)((size_t)i * 4099 % 131072);
    double read = seconds_of("top_p:0.9999,draw", NULL, 0);
    for (int i = 0; i < 3; i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "top_p:0.9999,%s,draw", stages[i]);
        double cut = seconds_of(spec, history, LONG);
        if (cut > 30 * read + 5e-3)
            fail_msg("%s takes %.2f ms, the cut before it %.2f", spec, 1e3 * cut, 1e3 * read);
    }
    free(history);
}

/* A tokenizer of a few letters: of the kind gpt2, or of the one that drops white space. */
static Tokenizer *letters(const char *kind) {
    return opened(words_file(kind, (Text[]){text_of("a"), text_of("b"), text_of("c")}, 3));
}

static void what_a_vocabulary_lacks_is_refused(void **state) {
    (void)state;
    Tokenizer *plain = letters("gpt2"), *spaceless = letters("whitespace");
    char name[101], says[140], full[CHAIN_STAGES * 7] = "";
    memset(name, 'n', 100), name[100] = 0;
    snprintf(says, sizeof says, "no stage '%.40s", name);
    for (int i = 0; i < CHAIN_STAGES; i++) strcat(full, i ? ",temp:1" : "temp:1");
    const struct {
        const char *spec;
        const Tokenizer *tokenizer;
        const char *says;
    } cases[] = {{"allow:5:258", model.tokenizer, "no token 258, the vocabulary has 0 to 257"},
                 {"ban:abz", plain, "the vocabulary has no token for the byte 0x7A"},
                 {"ban:%20", spaceless, "ban needs a list"},
                 {name, NULL, says},
                 {full, NULL, "a chain has at most 32 stages"}}; /* a draw would be one more */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Chain chain;
        Fault fault;
        assert_false(chain_parse(&chain, cases[i].spec, cases[i].tokenizer, &fault));
        assert_contains(fault.text, cases[i].says);
    }
    tokenizer_close(plain), tokenizer_close(spaceless);
}

/* All together have less than the mass that is wanted: those that are possible. */
static void a_mass_that_is_never_reached(void **state) {
    (void)state;
    const float row[3] = {0, -1, -INFINITY};
    assert_int_equal(pick_top_p(row, 2, 5, 0.9), 2);
    assert_int_equal(pick_top_p(row, 3, 5, 0.9), 2);
    assert_int_equal(pick_top_p(row, 3, 0, 0.5), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(properties),
                                       TEST(what_a_vocabulary_lacks_is_refused),
                                       TEST(a_mass_that_is_never_reached),
                                       TEST(shares_of_equal_logits),
                                       TEST(limits_of_equal_logits),
                                       TEST(masses_by_hand),
                                       TEST(every_machine_chooses_alike),
                                       TEST(long_rows_choose_alike),
                                       TEST(a_long_history_costs_its_length)};
    return cmocka_run_group_tests(tests, prepare, finish);
}
