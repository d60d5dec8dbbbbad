/* The graders of layer 6: single stages. */

#include "stages.h"

/* ------------------------------------------------------------------ temperature */

static void temperature_of(const char *before, double t, double range, double power) {
    const char *spec = chain_of("%stemp:%.9g:range=%.9g:exp=%.9g", before, t, range, power);
    apply_stages(chain.count - 2);
    double entropy = candidates_entropy(&c), share = 0;
    size_t n = c.count, best = candidates_best(&c);
    float was[VOCAB];
    int32_t id[VOCAB], top = candidates_id(&c, best);
    for (size_t i = 0; i < n; i++) was[i] = c.logits[i], id[i] = candidates_id(&c, i);
    if (range > 0 && t > 0 && n > 1) {
        share = fmin(1, entropy / log((double)n));
        double low = fmax(0, t - range);
        t = low + (t + range - low) * pow(share, power);
    }
    Stage *stage = &chain.stages[chain.count - 2];
    apply_stage(stage, spec);
    if (t < 1e-6) {
        HINT(c.count == 1 && candidates_id(&c, 0) == top,
             "%s: at a temperature of 0 or less only the best is left, token %d; %zu are left",
             spec, top, c.count);
        return;
    }
    HINT(c.count == n, "%s: no token goes, %zu of %zu are left", spec, c.count, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = candidates_find(&c, id[i]);
        HINT(at < c.count, "%s: token %d is gone", spec, id[i]);
        double x = (double)was[i], got = (double)c.logits[at], want = x / t;
        if (near(got, want, 1e-4)) continue;
        HINT(!near(got, x * t, 1e-4),
             "%s: %g became %g: logits are divided by T, not multiplied", spec, x, got);
        HINT(!near(got, x, 1e-4), "%s: the logit %g is what it was: each one is divided by T",
             spec, x);
        HINT(range == 0 || !near(got, x / stage->value[0], 1e-4),
             "%s: with a range, T follows the entropy: by_entropy(stage, c), here %g", spec, t);
        HINT(!near(got - (double)candidates_max(&c), want - (double)candidates_max(&c), 1e-4),
             "%s: expected %g, got %g", spec, want, got);
        HINT(false, "%s: each logit is divided by T = %g: of %g expected %g, got %g", spec, t,
             x, want, got);
    }
    facts_hold(spec);
}

GRADE(temperature) {
    for (int round = 0; round < 60; round++) {
        fresh_logits(2 + fresh_below(round < 20 ? 5 : VOCAB - 2), -8, round % 2 ? 12 : -1);
        bool open = round % 3 == 2;
        temperature_of((const char *[]){"", "top_k:9,", "min_p:0.001,"}[fresh_below(3)],
                       (double)(1 + fresh_below(40)) / 16 + 0.01,
                       open ? fresh_between(0.01, 3) : 0, open ? fresh_between(0.3, 3) : 1);
    }
    for (int i = 0; i < 6; i++) {
        fresh_floats(raw, 20, -3, 3);
        raw[5 + fresh_below(15)] = raw[fresh_below(5)] = 3.5f; /* the lower id is the best */
        candidates_of(20);
        temperature_of("", (double[]){0, -2, 1e-7, 2e-6, 1e-3, 100}[i], 0, 1);
    }
    raw[0] = 1.9f; /* so near each other that some become equal */
    for (size_t i = 1; i < 40; i++) raw[i] = nextafterf(raw[i - 1], 2);
    candidates_of(40);
    temperature_of("top_k:30,", 1.5, 0, 1);
    for (size_t i = 0; i < 20; i++) raw[i] = i == 11 ? 7 : -300;
    candidates_of(20);
    temperature_of("", 0.5, 1, 1); /* nothing is surer: no temperature is left */
}

/* ------------------------------------------------------------------ min-p */

/* How many are left when P, or its logarithm to another base, is understood in another way. */
static size_t left_by(const float *was, size_t n, size_t least, double limit) {
    size_t left = 0;
    for (size_t i = 0; i < n; i++) left += (double)was[i] >= limit;
    return left > least ? left : least;
}

static void fraction_of(const char *before, double p, size_t keep) {
    const char *spec = chain_of("%smin_p:%.9g:keep=%zu", before, p, keep);
    apply_stages(chain.count - 2);
    size_t n = c.count, least = keep < n ? keep : n, got;
    float was[VOCAB];
    int32_t id[VOCAB];
    double max = (double)candidates_max(&c), all = candidates_log_sum(&c), limit = max + log(p);
    for (size_t i = 0; i < n; i++) was[i] = c.logits[i], id[i] = candidates_id(&c, i);
    size_t sure = left_by(was, n, least, limit + 1e-5),
           most = left_by(was, n, least, limit - 1e-5);
    apply_stage(&chain.stages[chain.count - 2], spec);
    facts_hold(spec);
    got = c.count;
    for (size_t i = 0, at; i < n; i++)
        HINT((at = candidates_find(&c, id[i])) == c.count || c.logits[at] == was[i],
             "%s: token %d stays, and its logit was %g and is %g: what stays is left as it is",
             spec, id[i], (double)was[i], (double)c.logits[at]);
    for (size_t i = 0; got >= sure && i < n; i++)
        HINT((double)was[i] <= limit + 1e-5 || candidates_find(&c, id[i]) < c.count,
             "%s: token %d with %g is gone, and others are kept", spec, id[i], (double)was[i]);
    if (got >= sure && got <= most) return;
    HINT(got >= least, "%s: %zu are left, and KEEP says that %zu stay in any case", spec, got,
         least);
    HINT(got != left_by(was, n, least, max - p),
         "%s: %zu are left: the distance below the largest logit is ln P, not P; wanted %zu",
         spec, got, sure);
    HINT(got != left_by(was, n, least, max + log2(p)) &&
             got != left_by(was, n, least, max + log10(p)),
         "%s: %zu are left: P is ln P as a distance of logits, the natural logarithm; wanted "
         "%zu",
         spec, got, sure);
    HINT(got != left_by(was, n, least, all + log(p)),
         "%s: %zu are left: those whose probability is at least P; wanted are those at least P "
         "times "
         "as likely as the likeliest, %zu",
         spec, got, sure);
    HINT(got != n, "%s: all %zu are kept: the limit is the largest logit plus ln P", spec, n);
    HINT(
        false,
        "%s: %zu of %zu are left, expected %zu: those from the largest logit, %g, plus ln P up",
        spec, got, n, sure, max);
}

/* Several are likeliest, others slightly less: P = 1 keeps those, above 1 only the best. */
static void equals_of(void) {
    size_t n = 3 + fresh_below(20), equal = 1 + fresh_below(n);
    for (int above = 0; above < 2; above++) {
        for (size_t i = 0; i < n; i++) raw[i] = i < equal ? 2.5f : 2.499995f;
        const char *spec = chain_of(above ? "min_p:1.5" : "min_p:1");
        candidates_of(n);
        apply_stage(&chain.stages[0], spec);
        COUNT(c.count, above ? 1 : equal,
              "%s: %zu of %zu tokens are the likeliest: those at least P times as likely stay",
              spec, equal, n);
    }
}

GRADE(fraction) {
    /* the usual slips keep another number of these */
    static const float p[8] = {0.28f, 0.2f, 0.16f, 0.1f, 0.09f, 0.08f, 0.05f, 0.04f};
    for (size_t i = 0; i < 8; i++) raw[i] = logf(p[i]) + 3;
    candidates_of(8), fraction_of("", 0.18, 1);
    candidates_of(8), fraction_of("", 0.3, 8);
    candidates_of(8), fraction_of("", 0.3, 1);
    for (int round = 0; round < 80; round++) {
        fresh_logits(2 + fresh_below(round < 20 ? 5 : VOCAB - 2), -6, round % 2 ? 3 : -2);
        fraction_of((const char *[]){"", "top_k:30,", "temp:2,"}[fresh_below(3)],
                    round % 9 == 8 ? 1.5 : fresh_between(0.005, 0.9),
                    round % 4 ? 1 : 1 + fresh_below(round % 8 ? 20 : VOCAB));
        equals_of();
    }
}

/* ------------------------------------------------------------------ penalties */

enum { PAST = 600, UNTOUCHED = 123456 };

/* The logit of a token by the formula, with some of its parts changed. */
typedef struct Slip {
    bool negative_divided, every_time, freq_once, pres_each, whole_past;
} Slip;

static double penalized(double x, const double *v, size_t count, Slip slip) {
    if (count == 0) return x;
    for (size_t i = 0; i < (slip.every_time ? count : 1); i++)
        x = x > 0 || slip.negative_divided ? x / v[0] : x * v[0];
    return x - v[1] * (slip.freq_once ? 1 : (double)count) -
           v[2] * (slip.pres_each ? (double)count : 1);
}

/* Tokens, and now and then one that the vocabulary has not: the first one behind it, or -1. */
static void fresh_past(int32_t *past, size_t count, size_t n) {
    for (size_t i = 0; i < count; i++) {
        past[i] = (int32_t)fresh_below(n < 12 ? n : n / 3);
        if (fresh_below(30) == 0) past[i] = fresh_below(2) ? -1 : (int32_t)n;
    }
}

/* How often it came among the last tokens, the prompt's left out. */
static size_t behind_prompt(const int32_t *past, size_t from, size_t count, size_t token) {
    size_t times = 0;
    for (size_t i = from > step.prompt_count ? from : step.prompt_count; i < count; i++)
        times += past[i] == (int32_t)token;
    return times;
}

static void penalty_of(size_t n, const double *v, int last, const char *before, size_t most) {
    static int32_t marks[VOCAB + 2]; /* with a place before the first and one behind the last */
    int32_t past[PAST], as_it_was[PAST];
    size_t count = 1 + fresh_below(most - 1), from = 0;
    fresh_past(past, count, n);
    memcpy(as_it_was, past, sizeof past);
    const char *spec = chain_of("%spenalties:rep=%.9g:freq=%.9g:pres=%.9g:last=%d", before,
                                v[0], v[1], v[2], last);
    step = (Step){.history = past, .history_count = count, .position = count};
    step.prompt_count = fresh_below(count + 1);
    if (last >= 0 && (size_t)last < count) from = count - (size_t)last;
    apply_stages(chain.count - 2);
    float was[VOCAB];
    bool there[VOCAB] = {0};
    for (size_t i = 0; i < c.count; i++)
        was[candidates_id(&c, i)] = c.logits[i], there[candidates_id(&c, i)] = true;
    size_t left = c.count;
    memset(marks, 0, sizeof marks);
    c.marks = marks + 1, marks[0] = marks[n + 1] = UNTOUCHED;
    apply_stage(&chain.stages[chain.count - 2], spec);
    HINT(c.count == left, "%s: no token goes, %zu of %zu are left", spec, c.count, left);
    HINT(marks[0] == UNTOUCHED && marks[n + 1] == UNTOUCHED,
         "%s: c->marks has a counter for each of the %zu tokens of the vocabulary; token %d is "
         "not one of them, and is skipped",
         spec, n, marks[0] == UNTOUCHED ? (int)n : -1);
    HINT(memcmp(as_it_was, past, count * sizeof *past) == 0,
         "%s: step->history is the text itself, and is to be left as it is", spec);
    for (size_t token = 0; token < n; token++) {
        HINT(c.marks[token] == 0,
             "%s: marks are all 0 again in the end; that of token %zu is %d", spec, token,
             c.marks[token]);
        if (!there[token]) continue;
        size_t recent = 0, ever = 0;
        for (size_t i = 0; i < count; i++)
            ever += past[i] == (int32_t)token, recent += i >= from && past[i] == (int32_t)token;
        double x = (double)was[token], want = penalized(x, v, recent, (Slip){0});
        double got = (double)c.logits[candidates_find(&c, (int32_t)token)];
        if (near(got, want, 1e-4)) continue;
        HINT(recent,
             "%s: token %zu is not among the last %zu, and its logit went from %g to %g: only "
             "the last LAST tokens count",
             spec, token, count - from, x, got);
        HINT(!near(got, penalized(x, v, recent, (Slip){.negative_divided = true}), 1e-4),
             "%s: a negative logit, %g, is multiplied by REP: divided, it would be more likely",
             spec, x);
        HINT(!near(got, penalized(x, v, recent, (Slip){.every_time = true}), 1e-4),
             "%s: a token that was seen %zu times is punished by REP once", spec, recent);
        HINT(!near(got, penalized(x, v, recent, (Slip){.freq_once = true}), 1e-4),
             "%s: subtract FREQ for every time, here %zu times", spec, recent);
        HINT(!near(got, penalized(x, v, recent, (Slip){.pres_each = true}), 1e-4),
             "%s: subtract PRES once, however often it was seen (%zu times)", spec, recent);
        size_t later = behind_prompt(as_it_was, from, count, token);
        HINT(!later || !near(got, penalized(x, v, later, (Slip){0}), 1e-4),
             "%s: token %zu came %zu times among the last %zu, in the prompt, too (the first "
             "%zu tokens): what came there counts as well",
             spec, token, recent, count - from, step.prompt_count);
        HINT(!near(got, penalized(x, v, ever, (Slip){0}), 1e-4),
             "%s: token %zu came %zu times, but only %zu times among the last %zu", spec, token,
             ever, recent, count - from);
        HINT(
            count - from <= 90,
            "%s: token %zu came %zu times among the last %zu: a past may be as long as a book, "
            "and all of the last LAST tokens count: expected %g, got %g",
            spec, token, recent, count - from, want, got);
        HINT(!near(got, x, 1e-4), "%s: token %zu was seen, and its logit is what it was, %g",
             spec, token, x);
        HINT(false, "%s: token %zu with logit %g came %zu times: expected %g, got %g", spec,
             token, x, recent, want, got);
    }
    facts_hold(spec);
}

GRADE(penalty) {
    for (int round = 0; round < 80; round++) {
        size_t n = 4 + fresh_below(round < 20 ? 6 : VOCAB - 4);
        double v[3] = {fresh_between(0.5, 3), fresh_between(-1, 2), fresh_between(-1, 2)};
        if (round % 4 == 1) v[1] = v[2] = 0;
        if (round % 4 == 2) v[0] = 1, v[2] = 0;
        if (round % 4 == 3) v[0] = 1, v[1] = 0;
        fresh_logits(n, -5, 5);
        size_t most = round % 2 ? PAST : 90; /* a long past, and a short one */
        penalty_of(n, v, round % 3 ? -1 : (int)fresh_below(most), round % 5 ? "" : "top_k:4,",
                   most);
    }
    step = (Step){0};
}

/* ------------------------------------------------------------------ Mirostat */

static void mirostat_of(double tau, double eta) {
    const char *spec = chain_of("mirostat_v2:%.9g:eta=%.9g", tau, eta);
    Stage *stage = &chain.stages[0];
    double mu = 2 * tau;
    for (int t = 0; t < 12; t++) {
        size_t n = 3 + fresh_below(VOCAB - 3), want = 0, by_nats = 0;
        fresh_logits(n, -4, 6);
        double all = candidates_log_sum(&c), sum = 0;
        for (size_t i = 0; i < n; i++) {
            double bits = (all - (double)raw[i]) / log(2);
            want += bits <= mu + 1e-5, by_nats += bits * log(2) <= mu;
        }
        size_t least = 0;
        for (size_t i = 0; i < n; i++) least += (all - (double)raw[i]) / log(2) <= mu - 1e-5;
        if (least == 0) least = want = 1;
        step = (Step){.seed = fresh_bits(), .position = (uint64_t)t};
        double before = *stage_memory(stage);
        stage->kind->apply(stage, &c, &step);
        size_t left = candidates_alive(&c); /* one at -infinity is gone as well */
        HINT((left >= least && left <= want) || left != by_nats,
             "%s: mu counts bits, and ln p counts nats: one bit is ln 2 nats", spec);
        HINT(left >= least && left <= want,
             "%s, token %d: mu is %g bits now: tokens of probability %g and more stay, %zu of "
             "%zu; got "
             "%zu (mu is *stage_memory(stage), and changes with each token)",
             spec, t, mu, exp2(-mu), want, n, left);
        HINT(c.chosen >= 0, "%s: after cutting, draw", spec);
        size_t at = candidates_find(&c, c.chosen);
        HINT(at < c.count && c.logits[at] > -INFINITY,
             "%s: token %d was chosen, and is not among those that are left", spec, c.chosen);
        HINT(*stage_memory(stage) == before,
             "%s: mu was %.6g and is %.6g before the token is accepted: it is only read here",
             spec, before, *stage_memory(stage));
        for (size_t i = 0; i < c.count; i++)
            sum += exp((double)c.logits[i] - (double)c.logits[at]);
        mu -= eta * (log2(sum) - tau);
        chain_accept(&chain, c.chosen);
        HINT(near(*stage_memory(stage), mu, 1e-4),
             "%s: after a token of %g bits (among those that were left) mu should be %.6g, and "
             "is %.6g: "
             "mirostat_draw draws and notes the surprisal",
             spec, log2(sum), mu, *stage_memory(stage));
    }
}

/* Equal tokens, each of which surprises by just mu bits. */
static void at_most_mu(int bits) {
    size_t n = (size_t)1 << bits;
    float logit = (float)fresh_below(20);
    for (size_t i = 0; i < n; i++) raw[i] = logit;
    candidates_of(n), chain_of("mirostat_v2:%g", bits / 2.0);
    chain.stages[0].kind->apply(&chain.stages[0], &c, &step);
    COUNT(
        candidates_alive(&c), n,
        "mu is %d bits, and %zu tokens are equal: each surprises by %d, which is not more, and "
        "all of them stay",
        bits, n, bits);
}

GRADE(mirostat) {
    for (int bits = 1; bits <= 6; bits++) at_most_mu(bits);
    for (int round = 0; round < 25; round++)
        mirostat_of(fresh_between(0.3, 5), fresh_between(0.01, 0.9));
    size_t others = 0;
    for (int i = 0; i < 60; i++) {
        chain_of("mirostat_v2:5");
        for (size_t k = 0; k < 4; k++) raw[k] = 0;
        candidates_of(4);
        step = (Step){.seed = fresh_bits()};
        chain.stages[0].kind->apply(&chain.stages[0], &c, &step);
        others += c.chosen != 0;
    }
    HINT(others > 20,
         "of four equal tokens the first one came %zu times of 60: after cutting, draw",
         60 - others);
    step = (Step){0};
}

/* ------------------------------------------------------------------ the chain */

static char seen[200];
static void note(void *context, const Stage *stage, Candidates *left) {
    HINT(context == seen, "the observer is called with chain->observer_context");
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s:%zu ",
             stage ? stage->kind->name : "begin", left->count);
}

static void spoil(Stage *stage, Candidates *left, const Step *now) {
    (void)now;
    for (size_t i = 0; i < left->count; i++)
        if (stage->value[0] < 1 || i == left->count / 2)
            left->logits[i] = stage->value[0] < 1   ? -INFINITY
                              : stage->value[0] < 2 ? INFINITY
                                                    : NAN;
    candidates_changed(left);
}
static void nothing(Stage *stage, Candidates *left, const Step *now) {
    (void)stage, (void)left, (void)now;
}

static const StageKind spoiler = {.name = "spoil",
                                  .gloss = "-",
                                  .example = "spoil:1",
                                  .apply = spoil,
                                  .params = {{.key = "how", .low = 0, .high = 2}}};
static const StageKind silent = {
    .name = "silent", .gloss = "-", .example = "silent", .apply = nothing, .selects = true};

static void run_of(const char *spec, size_t n) {
    char want[200];
    Fault fault = {0};
    fresh_logits(n, -3, 3);
    chain_of("%s", spec);
    step = (Step){.seed = fresh_bits(), .position = fresh_below(90)};
    seen[0] = 0, note(seen, NULL, &c);
    for (size_t i = 0; i < chain.count; i++) {
        if (!stage_is_off(&chain.stages[i]))
            chain.stages[i].kind->apply(&chain.stages[i], &c, &step);
        note(seen, &chain.stages[i], &c);
    }
    int32_t token = -9, chosen = c.chosen;
    strcpy(want, seen), seen[0] = 0;
    chain_of("%s", spec), candidates_of(n);
    chain.observer = note, chain.observer_context = seen;
    bool ok = chain_run(&chain, &c, &step, &token, &fault);
    HINT(ok, "%s over %zu tokens fails: %s", spec, n, fault.text);
    TEXT(seen, want,
         "%s: what an observer sees, and how many candidates (before the first stage, and "
         "after each one, in order; those that are off are passed over)",
         spec);
    COUNT(token, chosen, "%s: *token is what the last stage chose, c->chosen", spec);
    chain.observer = NULL, candidates_of(n);
    HINT(chain_run(&chain, &c, &step, &token, &fault) && token == chosen,
         "%s: without an observer it should be the same", spec);
}

DECLARE_SHIPPED(chain_run);

/* What the last stage remembers after some tokens is what it remembers in ours. */
static void remembers_of(const char *spec) {
    Chain ours;
    Fault fault = {0};
    chain_of("%s", spec), chain_copy(&ours, &chain);
    Stage *mine = &chain.stages[chain.count - 1], *other = &ours.stages[chain.count - 1];
    for (uint64_t t = 0; t < 6; t++) {
        int32_t want = -9, got = -9;
        step = (Step){.seed = fresh_bits(), .position = t};
        fresh_logits(40, -3, 3);
        NEED(SHIPPED(chain_run)(&ours, &c, &step, &want, &fault));
        candidates_of(40);
        bool ok = chain_run(&chain, &c, &step, &got, &fault);
        HINT(ok, "%s fails at token %d of a text: %s", spec, (int)t, fault.text);
        COUNT(mine->n_rows, other->n_rows,
              "%s, token %d of a text: rows that the last stage remembers: chain_run neither "
              "accepts a token nor forgets those that were; its caller does",
              spec, (int)t);
        HINT(mine->selected == other->selected && mine->observed == other->observed,
             "%s, token %d of a text: what a stage notes about its choice is gone: it is to be "
             "applied itself, not a copy of it",
             spec, (int)t);
        COUNT(got, want, "%s: token %d of a text", spec, (int)t);
        chain_accept(&ours, want), chain_accept(&chain, got);
    }
    chain_close(&ours);
}

/* It must fail with the same message as ours. */
static void fails_of(const char *spec, const char *why, Step now) {
    Fault want = {0}, got = {0};
    int32_t token = -9;
    fresh_logits(40, -3, 3), chain_of("%s", spec);
    NEED(!SHIPPED(chain_run)(&chain, &c, &now, &token, &want));
    candidates_of(40), chain_of("%s", spec);
    HINT(!chain_run(&chain, &c, &now, &token, &got), "%s should fail: %s (%s)", spec, why,
         want.text);
    TEXT(got.text, want.text, "%s: the fault says which stage, and why", spec);
}

GRADE(in_a_row) {
    Fault fault;
    static float weak[40];
    NEED(stage_register(&spoiler, &fault) && stage_register(&silent, &fault));
    static const char *const specs[] = {"temp:0.5,draw",
                                        "top_k:7,temp:2,min_p:0.2,draw",
                                        "temp:3,top_p:0.6,draw",
                                        "top_p:0.6,temp:3,draw",
                                        "top_k:off,temp:1,greedy",
                                        "top_p:off,top_k:5,draw",
                                        "temp:2,top_k:off,min_p:off,draw",
                                        "top_k:3,greedy",
                                        "mirostat_v2:3"};
    remembers_of("mirostat_v2:3:eta=0.5"), remembers_of("mirostat:2:eta=0.5");
    for (int round = 0; round < 90; round++)
        run_of(specs[round % 9], 8 + fresh_below(VOCAB - 8));
    fails_of("spoil:0,draw", "no token is left above -infinity", (Step){0});
    fails_of("spoil:1,draw", "a logit is infinite", (Step){0});
    fails_of("spoil:2,top_k:3,draw", "a logit is no number", (Step){0});
    fails_of("temp:2,silent", "no stage has selected a token", (Step){0});
    fails_of("bias:77=1,draw", "there is no token 77 of 40", (Step){0});
    fails_of("contrast:0.1,draw", "the step has no second model", (Step){0});
    weak[3] = NAN;
    fails_of("contrast:0.1,draw", "the second model's logits are no numbers",
             (Step){.amateur = weak});
    step = (Step){0};
}

/* ------------------------------------------------------------------ xtc, with its fault */

static size_t left_of_three(const char *spec) {
    const double p[3] = {0.5, 0.4, 0.1};
    for (int i = 0; i < 3; i++) raw[i] = (float)log(p[i]);
    candidates_of(3), chain_of("%s", spec), apply_stages(1);
    return candidates_alive(&c);
}

/* The probability, and how many to keep in any case. */
static void seldom_and_never(void) {
    size_t dropped = 0;
    for (int i = 0; i < 60; i++) {
        step = (Step){.seed = fresh_bits(), .position = fresh_below(90)};
        dropped += left_of_three("xtc:0.5:t=0.3") < 3;
    }
    SYMPTOM(dropped > 8 && dropped < 52,
            "with a chance of 0.5 likely tokens are dropped %zu times of 60", dropped);
    size_t left = left_of_three("xtc:1:t=0.3:keep=3");
    SYMPTOM(left == 3, "keep=3, and %zu of three tokens are left to draw from", left);
    step = (Step){0};
}

GRADE(excluded) {
    left_of_three("xtc:1:t=0.3");
    SYMPTOM(candidates_alive(&c) == 2,
            "of three tokens, two of them likely (0.5, 0.4, 0.1), %zu are left to draw from: "
            "expected 2",
            candidates_alive(&c));
    double left[3];
    for (int i = 0; i < 3; i++) left[i] = candidates_log_prob(&c, i);
    SYMPTOM(left[0] < -1e20 && left[1] > -10,
            "of the likely tokens 0 and 1 it is the least likely that stays: 0 has ln p %g "
            "now, 1 has %g",
            left[0], left[1]);
    SYMPTOM(left[2] > -10, "a token that was not likely is gone");
    for (int round = 0; round < 40; round++) { /* all likely ones but the least */
        size_t n = 3 + fresh_below(20), likely = 0, least = 0, got = 0;
        fresh_logits(n, -2, 2);
        double all = candidates_log_sum(&c), t = fresh_between(0.02, 0.3);
        bool close = false;
        for (size_t i = 0; i < n; i++) {
            double q = exp((double)raw[i] - all);
            close = close || fabs(q - t) < 1e-4;
            if (q < t) continue;
            if (!likely++ || raw[i] < raw[least]) least = i;
        }
        if (close) continue;
        chain_of("xtc:1:t=%.9g", t);
        apply_stages(1);
        for (size_t i = 0; i < n; i++) got += candidates_log_prob(&c, (int32_t)i) > -1e20;
        SYMPTOM(got == n - (likely > 1 ? likely - 1 : 0),
                "of %zu tokens, %zu of them with a probability of at least %g, %zu are left to "
                "draw from",
                n, likely, t, got);
        SYMPTOM(!likely || candidates_log_prob(&c, (int32_t)least) > -1e20,
                "the least likely of the likely tokens is gone");
    }
    seldom_and_never();
}

GRADES({"6.8", temperature}, {"6.14", fraction}, {"6.15", penalty}, {"6.16", excluded},
       {"6.17", mirostat}, {"6.18", in_a_row})
