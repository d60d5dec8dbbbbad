/* fuzz_chain.c - random chains on random logits, in process:  fuzz_chain [CASES [FIRST]]
 *
 * Specs of all stages, legal, illegal and mangled; rows of 1 to 3000 logits with ties, infinities,
 * NaN, subnormal and huge numbers; second models and hidden states that may be as bad.  Either a
 * chain is refused with a reason, or after every stage what candidates.h promises holds; the chosen
 * token was one that may come; and the same comes from a copy, after a rewind, after a reset, from
 * the chain as it prints, and on every instruction set.
 *
 * Case N is the same on every machine: `fuzz_chain 1 N` runs it alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inference.h"
#include "make_model.h"

enum { MAX_VOCAB = 3000, HISTORY = 400, STEPS = 4, SPEC = 6000 };

static struct {
    size_t number, vocab, history_count, prompt_count;
    char spec[SPEC];
    float rows[STEPS][MAX_VOCAB], amateur[MAX_VOCAB], unconditional[MAX_VOCAB], work[MAX_VOCAB];
    int32_t history[HISTORY + STEPS];
    bool text, has_amateur, has_unconditional, sees, seen[MAX_VOCAB];
    Rng rng;
    Model model;
    Candidates candidates;
    size_t parsed, chosen;
} f;

static _Noreturn void fail(const char *what) {
    printf("case %zu, %zu tokens, chain %s: %s\n", f.number, f.vocab, f.spec, what);
    exit(1);
}

#define EXPECT(condition)                   \
    do {                                    \
        if (!(condition)) fail(#condition); \
    } while (0)

static size_t below(size_t n) { return rng_below(&f.rng, n); }
static bool chance(size_t n) { return below(n) == 0; }

/* ------------------------------------------------------------------ specs */

static void put(const char *text) {
    size_t used = strlen(f.spec);
    snprintf(f.spec + used, sizeof f.spec - used, "%s", text);
}

static void put_number(double value) {
    char text[40];
    snprintf(text, sizeof text, "%.*g", (int)(1 + below(17)), value);
    put(text);
}

static double odd_number(void) {
    static const double odd[] = {0,    1,   -1,    0.5,       1e-300, 1e300,    INFINITY,
                                 1e30, -30, 1e-45, -INFINITY, 3.4e38, 16777217, NAN};
    return odd[below(sizeof odd / sizeof *odd)];
}

/* Mostly a value that is allowed: an end, what switches it off, or between on a line or a scale. */
static void put_value(const StageParam *p) {
    double u = rng_next(&f.rng), high = fmin(p->high, 1e4),
           value = p->low + u * (high - p->low);
    if (chance(4)) value = p->low + pow(u, 12) * (high - p->low);
    if (chance(8)) value = chance(2) ? p->low : p->high;
    if (chance(8)) value = p->has_off ? p->off : p->default_value;
    if (p->integer) value = floor(value);
    if (p->token) value = (double)below(f.vocab + chance(9));
    if (chance(60)) value = odd_number();
    put_number(value);
}

static void put_list(const StageKind *kind) {
    if (kind->list == LIST_STAGE) {
        put(below(2) ? ":typical:0.7" : ":xtc:0.5:t=0.1:keep=2");
        return;
    }
    for (size_t i = 0, n = chance(40) ? 300 : 1 + below(4); i < n; i++) {
        static const char *const texts[] = {"a", "the", "%20x", "%2C", "ab%zz", "%00", ""};
        char id[40];
        put(kind->list == LIST_BREAKS ? ":break=" : ":");
        if (kind->list == LIST_BREAKS) put(texts[below(chance(20) ? 7 : 4)]);
        if (kind->list == LIST_TEXTS) put(texts[below(f.text ? 5 : 7)]);
        if (kind->list == LIST_TEXTS || kind->list == LIST_BREAKS) continue;
        snprintf(id, sizeof id, "%zu", below(chance(50) ? f.vocab + 3 : f.vocab));
        put(id);
        if (kind->list != LIST_BIASES) continue;
        put("=");
        put_number(chance(9) ? odd_number() : chance(9) ? 1e30 : 10 * rng_normal(&f.rng));
    }
}

static void put_stage(const StageKind *kind) {
    put(kind->name);
    if (kind->list != LIST_NONE && (kind->list != LIST_BREAKS || chance(3))) put_list(kind);
    for (int i = 0; i < STAGE_PARAMS && kind->params[i].key; i++) {
        const StageParam *p = &kind->params[i];
        if (!p->required && chance(2)) continue;
        put(":");
        if (i > 0 || chance(2) || kind->list) put(p->key), put("=");
        if (i == 0 && p->has_off && chance(30))
            put("off");
        else
            put_value(p);
    }
}

static void mangle(void) {
    static const char marks[] = ":,=%- .0e9\n\"x\xff";
    for (size_t i = 0, n = 1 + below(3), size = strlen(f.spec); i < n && size; i++)
        f.spec[below(size)] = marks[below(sizeof marks)];
}

static void make_spec(void) {
    const StageKind *const *list;
    const ChainPreset *presets;
    size_t count = stage_list(&list), n_presets = chain_presets(&presets);
    f.spec[0] = 0;
    for (size_t i = 0, n = 1 + below(chance(30) ? 40 : 6); i < n; i++) {
        const StageKind *kind = list[below(count)];
        while (i + 1 < n && kind->selects && !chance(20)) kind = list[below(count)];
        if (i) put(chance(30) ? " , " : ",");
        if (chance(40))
            put(presets[below(n_presets)].name);
        else
            put_stage(kind);
    }
    if (chance(8)) mangle();
}

/* ------------------------------------------------------------------ logits */

/* Nearly normal, of variance 1, within -3.5 and 3.5: the sum of four that are drawn evenly. */
static double bell(void) {
    double sum = -2;
    for (int i = 0; i < 4; i++) sum += rng_next(&f.rng);
    return 1.7320508 * sum;
}

static void make_row(float *row, size_t n) {
    static const double sizes[] = {1e-42, 1e-3, 1, 3, 30, 1e4, 1e20, 1e30, 3e38};
    double size = chance(2) ? 3 : sizes[below(9)], center = chance(3) ? size : 0;
    bool ties = chance(4), holes = chance(4);
    for (size_t i = 0; i < n; i++) {
        double value = center + size * fmax(-1, fmin(1, bell() / 3));
        if (ties) value = size * round(value / size * 4) / 4;
        row[i] = holes && chance(3) ? -INFINITY : (float)value;
    }
    if (chance(40)) row[below(n)] = NAN;
    if (chance(30)) row[below(n)] = INFINITY;
    for (size_t i = 0; chance(60) && i < n; i++) row[i] = -INFINITY;
}

static bool look(void *context, const int32_t *tokens, size_t n, float *similarity) {
    size_t moods = *(const size_t *)context % 50;
    for (size_t i = 0; i < n; i++)
        similarity[i] = moods == 0 ? NAN : (float)rng_unit(1, moods, (uint64_t)tokens[i]);
    return moods != 1;
}

static void make_case(size_t number) {
    static const size_t sizes[] = {1, 2, 3, 7, 16, 63, 64, 65, 129, 1000};
    f.number = number, f.rng = (Rng){99, number, 0};
    f.text = chance(2);
    f.vocab = f.text ? MAKE_VOCAB : chance(50) ? 1 + below(MAX_VOCAB) : sizes[below(10)];
    make_spec();
}

static void make_rows(void) {
    for (int i = 0; i < STEPS; i++) make_row(f.rows[i], f.vocab);
    f.has_amateur = !chance(10), f.has_unconditional = !chance(10), f.sees = !chance(10);
    make_row(f.amateur, f.vocab), make_row(f.unconditional, f.vocab);
    f.history_count = below(chance(10) ? HISTORY : 30);
    f.prompt_count = below(f.history_count + 1);
    for (size_t i = 0; i < f.history_count; i++)
        f.history[i] = (int32_t)below(chance(2) && f.vocab > 4 ? 4 : f.vocab);
}

/* ------------------------------------------------------------------ what must hold */

static void check_order(Candidates *c) {
    memset(f.seen, 0, sizeof f.seen);
    for (size_t i = 0; i < c->count; i++) {
        int32_t id = candidates_id(c, i);
        EXPECT(id >= 0 && (size_t)id < f.vocab && !f.seen[id]);
        EXPECT(candidates_find(c, id) == i);
        f.seen[id] = true;
        if (c->sorted && i)
            EXPECT(c->logits[i - 1] > c->logits[i] ||
                   (c->logits[i - 1] == c->logits[i] && c->ids[i - 1] < c->ids[i]));
    }
    for (size_t i = 0; i < f.vocab; i++) {
        EXPECT(c->marks[i] == 0);
        EXPECT(f.seen[i] || candidates_find(c, (int32_t)i) == c->count);
    }
}

static void check_sums(Candidates *c) {
    float max = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        EXPECT(c->logits[i] < INFINITY); /* NaN is not */
        max = fmaxf(max, c->logits[i]);
    }
    EXPECT(candidates_max(c) == max && max > -INFINITY);
    EXPECT(c->logits[candidates_best(c)] == max);
    for (size_t i = 0; i < c->count; i++) sum += exp((double)c->logits[i] - (double)max);
    EXPECT(fabs(candidates_sum(c) / sum - 1) < 1e-5);
    double entropy = candidates_entropy(c), alike = candidates_collision(c);
    EXPECT(entropy >= 0 && entropy < log((double)c->count) + 1e-4);
    EXPECT(alike > 0 && alike < 1 + 1e-5);
}

static void observe(void *context, const Stage *stage, Candidates *c) {
    (void)context, (void)stage;
    EXPECT(c->count >= 1 && c->count <= f.vocab && c->vocab == f.vocab);
    check_sums(c);
    check_order(c);
}

/* What may come of a row as it was loaded. */
static bool may_come(const float *row, int32_t token) {
    bool infinite = false;
    for (size_t i = 0; i < f.vocab; i++) infinite = infinite || row[i] == INFINITY;
    return infinite ? row[token] == INFINITY : row[token] > -INFINITY;
}

static bool is_bad(const float *row) {
    float max = -INFINITY;
    for (size_t i = 0; i < f.vocab; i++) max = isnan(row[i]) ? INFINITY : fmaxf(max, row[i]);
    return isinf(max);
}

/* No token is chosen by NaN. */
static void check_companions(const Chain *chain) {
    for (size_t i = 0; i < chain->count; i++) {
        const StageKind *kind = chain->stages[i].kind;
        if (stage_is_off(&chain->stages[i])) continue;
        EXPECT(!(kind->needs & NEEDS_AMATEUR) || !is_bad(f.amateur));
        EXPECT(!(kind->needs & NEEDS_GUIDE) || !is_bad(f.unconditional));
    }
}

/* A step of a chain; -1: it was refused, and said why. */
static int32_t take_step(Chain *chain, size_t at, bool checked) {
    Candidates *c = &f.candidates;
    Fault fault = {0};
    int32_t token = -1;
    size_t count = f.history_count + at, mood = f.number;
    Step step = {.seed = f.number,
                 .position = count,
                 .history = f.history,
                 .history_count = count,
                 .prompt_count = f.prompt_count,
                 .tokenizer = f.text ? f.model.tokenizer : NULL,
                 .amateur = f.has_amateur ? f.amateur : NULL,
                 .unconditional = f.has_unconditional ? f.unconditional : NULL,
                 .look_ahead = f.sees ? look : NULL,
                 .look_ahead_context = &mood};
    memcpy(f.work, f.rows[at], f.vocab * sizeof *f.work);
    c->vocab = f.vocab;
    chain->observer = checked ? observe : NULL;
    if (!candidates_load(c, f.work, &fault) || !chain_run(chain, c, &step, &token, &fault)) {
        EXPECT(strlen(fault.text) > 10 && utf8_character((unsigned char *)fault.text, 1) == 1);
        return -1;
    }
    EXPECT(token >= 0 && (size_t)token < f.vocab && may_come(f.rows[at], token));
    EXPECT(candidates_log_prob(c, token) <= 1e-6);
    check_companions(chain);
    f.history[count] = token;
    chain_accept(chain, token);
    return token;
}

/* Steps from `at` on; returns where it was refused, or STEPS. */
static size_t take_steps(Chain *chain, size_t at, int32_t *tokens, bool checked) {
    while (at < STEPS && (tokens[at] = take_step(chain, at, checked)) >= 0) at++;
    return at;
}

static void expect_same(Chain *chain, size_t at, const int32_t *tokens, size_t count) {
    int32_t again[STEPS];
    EXPECT(take_steps(chain, at, again, false) == count);
    EXPECT(memcmp(again + at, tokens + at, (count - at) * sizeof *again) == 0);
}

static void check_printing(const Chain *chain, const int32_t *tokens, size_t count) {
    const Tokenizer *tokenizer = f.text ? f.model.tokenizer : NULL;
    char *text = chain_print(chain), *second;
    Chain again;
    EXPECT(chain_parse(&again, text, tokenizer, NULL));
    EXPECT(again.count == chain->count);
    EXPECT(strcmp(second = chain_print(&again), text) == 0);
    expect_same(&again, 0, tokens, count);
    chain_close(&again);
    free(text), free(second);
}

static void check_machines(Chain *chain, const int32_t *tokens, size_t count) {
    const char *list[KERNELS_MAX];
    for (int i = kernels_list(list); i-- > 0;) {
        EXPECT(kernels_select(list[i], NULL));
        chain_reset(chain);
        expect_same(chain, 0, tokens, count);
    }
    EXPECT(kernels_select(NULL, NULL));
}

static void run_case(size_t number) {
    Chain chain, copy;
    Fault fault = {0};
    int32_t tokens[STEPS];
    make_case(number);
    if (!chain_parse(&chain, f.spec, f.text ? f.model.tokenizer : NULL, &fault)) {
        EXPECT(strlen(fault.text) > 10 && chain.count == 0);
        return;
    }
    f.parsed++;
    make_rows();
    size_t count = take_steps(&chain, 0, tokens, true);
    f.chosen += count;
    if (count > 1) {
        size_t back = 1 + below(count);
        chain_rewind(&chain, back);
        chain_copy(&copy, &chain);
        expect_same(&chain, count - back, tokens, count);
        expect_same(&copy, count - back, tokens, count);
        chain_close(&copy);
    }
    check_printing(&chain, tokens, count);
    check_machines(&chain, tokens, count);
    chain_close(&chain);
}

int main(int argc, char **argv) {
    size_t cases = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000,
           first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, size;
    MakeModel m = make_model_defaults("llama");
    unsigned char *bytes = make_model(&m, &size);
    Arena arena;
    if (!model_open_memory(&f.model, bytes, size, NULL) ||
        !candidates_open(&f.candidates, MAX_VOCAB, &arena, NULL))
        return 1;
    for (size_t i = 0; i < cases; i++) run_case(first + i);
    printf("%zu chains, %zu of them legal, %zu tokens chosen: nothing found\n", cases, f.parsed,
           f.chosen);
    model_close(&f.model), arena_free(&arena), free(bytes);
    return f.parsed == 0 && cases > 100;
}
