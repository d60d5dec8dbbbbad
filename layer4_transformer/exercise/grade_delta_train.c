/* The grader of the delta rule backward: one token of one head, in double precision. */
#include "near.h"
#include "transformer_extras.h"

enum { MOST = DELTA_DIM, SMALL = 48 }; /* max of a head; max that most checks use */
#define NEAR 3e-4

typedef enum Slip {
    RIGHT,
    OLD_MEMORY,
    NOT_ASKED,
    FADED_FIRST,
    NO_BETA,
    WHOLE_VALUE,
    BETA_OF_VALUE,
    BETA_TWICE,
    BETA_OF_ANSWER,
    UNFADED,
    ONE_WAY,
    PLUS,
    U_NO_BETA,
    FRESH,
    NOT_CORRECTED,
    NOT_FADED,
    PLAIN_DECAY,
    DECAY_AFTER,
    Q_REPLACED,
    K_REPLACED,
    SLIPS
} Slip;

static const char *const hints[SLIPS] = {
    [OLD_MEMORY] = "q asked the memory with this token in it: dq is made from `after`",
    [NOT_ASKED] = "this token's own answer came out of the memory, too: G + do q^T comes first",
    [FADED_FIRST] = "do q^T is by the memory after it faded: D comes last on the way back",
    [NO_BETA] = "u is beta times what is missing, so dv is beta du",
    [WHOLE_VALUE] = "u is made from what is missing, v - F k, not from v",
    [BETA_OF_VALUE] = "beta scales what is missing: dbeta is du . (v - F k), not du . v",
    [BETA_TWICE] = "dbeta is du . (v - F k): beta is in neither (u has it, dv too)",
    [BETA_OF_ANSWER] = "beta scales what is written: dbeta is by du = G k, and not by do alone",
    [UNFADED] = "u is made from v - F k, and F is the memory `before` when it has faded: S D",
    [ONE_WAY] = "k has a second path: it read the memory, and the result was subtracted from "
                "v; - F^T dv is missing",
    [PLUS] =
        "what k read was subtracted from v, so its second path is subtracted, too: - F^T dv",
    [U_NO_BETA] = "G^T u goes with u as it was written, and that has beta in it",
    [FRESH] = "k asked the memory after it had faded: its second way goes through D",
    [NOT_CORRECTED] = "what was replaced hears nothing: G - dv k^T",
    [NOT_FADED] = "what was forgotten hears little: the gradient of the old memory is times D",
    [PLAIN_DECAY] = "the gradient is by the logarithm of decay: column sums of G * the old "
                    "S, with the G that D has been put to",
    [DECAY_AFTER] = "D faded the memory that was there before: dg is by `before`, not `after`",
    [Q_REPLACED] = "the gradient of q is added to: other heads have their part in it",
    [K_REPLACED] = "the gradient of k is added to: other heads have their part in it"};

/* Inputs and outputs of the step; states as rows (d, d), number i of row j at j d + i. */
static float decay[MOST], q[MOST], k[MOST], v[MOST], dout[MOST], beta;
static double future[MOST * MOST], old[MOST * MOST], new[MOST * MOST];
static double begun_q[MOST], begun_k[MOST];

typedef struct Gradients {
    double memory[MOST * MOST], q[MOST], k[MOST], v[MOST], decay[MOST], beta;
} Gradients;

/* u and v - F k. */
static void forwards(size_t d, double *missing, double *u, Slip slip) {
    for (size_t j = 0; j < d; j++) {
        double said = 0;
        for (size_t i = 0; i < d; i++)
            said += old[j * d + i] * (slip == UNFADED ? 1 : (double)decay[i]) * (double)k[i];
        missing[j] = (double)v[j] - (slip == WHOLE_VALUE ? 0 : said);
        u[j] = missing[j] * (slip == U_NO_BETA ? 1 : (double)beta);
    }
}

/* The state after the token. */
static void write_down(size_t d) {
    double missing[MOST], u[MOST];
    forwards(d, missing, u, RIGHT);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++)
            new[j * d + i] = old[j * d + i] * (double)decay[i] + u[j] * (double)k[i];
}

/* G + do q^T, and its product with k. */
static void asked(size_t d, double *g, double *du, Slip slip) {
    for (size_t j = 0; j < d; j++) {
        du[j] = 0;
        for (size_t i = 0; i < d; i++) {
            double fades = slip == FADED_FIRST ? (double)decay[i] : 1,
                   own = slip == NOT_ASKED ? 0 : (double)dout[j] * (double)q[i];
            g[j * d + i] = fades * future[j * d + i] + own;
            du[j] += g[j * d + i] * (double)k[i];
        }
    }
}

static void of_keys(size_t d, size_t i, const double *u, Slip slip, Gradients *r) {
    double to_q = 0, to_k = 0;
    for (size_t j = 0; j < d; j++) {
        double faded = old[j * d + i] * (slip == FRESH ? 1 : (double)decay[i]);
        to_q += (slip == OLD_MEMORY ? old : new)[j * d + i] * (double)dout[j];
        double heard = faded * r->v[j];
        to_k += r->memory[j * d + i] * u[j];
        to_k += slip == ONE_WAY ? 0 : slip == PLUS ? heard : -heard;
    }
    r->q[i] = to_q + (slip == Q_REPLACED ? 0 : begun_q[i]);
    r->k[i] = to_k + (slip == K_REPLACED ? 0 : begun_k[i]);
}

static void formula(size_t d, Slip slip, Gradients *r) {
    double missing[MOST], u[MOST], du[MOST];
    forwards(d, missing, u, slip);
    asked(d, r->memory, du, slip);
    r->beta = 0;
    for (size_t j = 0; j < d; j++) {
        r->v[j] = du[j] * (slip == NO_BETA ? 1 : (double)beta);
        r->beta += (slip == BETA_OF_ANSWER ? (double)dout[j] : du[j]) *
                   (slip == BETA_OF_VALUE ? (double)v[j]
                    : slip == BETA_TWICE  ? u[j]
                                          : missing[j]);
    }
    for (size_t i = 0; i < d; i++) {
        of_keys(d, i, u, slip, r);
        r->decay[i] = 0;
        for (size_t j = 0; j < d; j++) {
            double *g = &r->memory[j * d + i];
            double fades = slip == NOT_FADED || slip == FADED_FIRST ? 1 : (double)decay[i];
            *g = (*g - (slip == NOT_CORRECTED ? 0 : r->v[j] * (double)k[i])) * fades;
            r->decay[i] += *g * (slip == DECAY_AFTER ? new : old)[j * d + i] /
                           (slip == PLAIN_DECAY ? (double)decay[i] : 1);
        }
    }
}

/* ------------------------------------------------------------------ the work's results */

typedef struct Got {
    float memory[MOST * MOST], q[MOST], k[MOST], v[MOST], decay[MOST], beta;
} Got;

/* Index where a work may expect number i of row j. */
typedef size_t Place(size_t d, size_t j, size_t i);

static size_t in_strips(size_t d, size_t j, size_t i) {
    return j / STRIP * STRIP * d + STRIP * i + j % STRIP;
}
static size_t in_rows(size_t d, size_t j, size_t i) { return j * d + i; }
static size_t turned(size_t d, size_t j, size_t i) { return in_strips(d, i, j); }

/* Inputs and outputs of the work; lanes past row d may hold anything: `behind`. */
static float memory[MOST * MOST], before[MOST * MOST], after[MOST * MOST], given[MOST * MOST];

static void to_strips(float *strips, const double *rows, size_t d, float behind) {
    for (size_t i = 0; i < strip_rows(d) * d; i++) strips[i] = behind;
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) strips[in_strips(d, j, i)] = (float)rows[j * d + i];
}

static void from_strips(double *rows, const float *strips, size_t d, Place *place) {
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) rows[j * d + i] = (double)strips[place(d, j, i)];
}

static void fresh_rows(double *rows, size_t d) {
    for (size_t i = 0; i < d * d; i++) rows[i] = (double)(float)fresh_between(-1, 1);
}

static void fresh_of_length_one(float *x, size_t d) {
    double sum = 0;
    fresh_floats(x, d, -1, 1);
    for (size_t i = 0; i < d; i++) sum += (double)x[i] * (double)x[i];
    for (size_t i = 0; i < d; i++) x[i] = (float)((double)x[i] / sqrt(sum));
}

static void give(size_t d, float behind) {
    to_strips(given, future, d, behind), to_strips(before, old, d, behind);
    to_strips(after, new, d, behind);
}

/* D and beta in 0 .. 1; with `ends` also exactly 0 and 1. */
static void fresh_token(size_t d, bool ends) {
    fresh_rows(future, d), fresh_rows(old, d);
    fresh_floats(decay, d, 0.2, 0.9), fresh_floats(v, d, -2, 2), fresh_floats(dout, d, -1, 1);
    fresh_of_length_one(q, d), fresh_of_length_one(k, d);
    beta = (float)fresh_between(0.2, 0.8);
    if (ends) decay[fresh_below(d)] = 1, decay[fresh_below(d)] = 0;
    if (ends) beta = (float)fresh_below(2);
    for (size_t i = 0; i < d; i++) {
        begun_q[i] = (double)(float)fresh_between(-1, 1);
        begun_k[i] = (double)(float)fresh_between(-1, 1);
    }
    write_down(d);
    give(d, NAN);
}

/* Outputs hold `unwritten` at first. */
static void run(size_t d, Got *r, float unwritten) {
    DeltaToken token = {decay, beta, q, k, v};
    DeltaTokenGradients grad = {r->q, r->k, r->v, r->decay, unwritten};
    memcpy(memory, given, sizeof memory);
    for (size_t i = 0; i < d; i++) {
        r->q[i] = (float)begun_q[i], r->k[i] = (float)begun_k[i];
        r->v[i] = r->decay[i] = unwritten;
    }
    delta_step_backward(memory, after, before, d, &token, dout, &grad);
    r->beta = grad.beta;
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) r->memory[j * d + i] = memory[in_strips(d, j, i)];
}

static bool same(const Got *got, const Gradients *want, size_t d) {
    return all_near(got->memory, want->memory, d * d, NEAR) &&
           all_near(got->q, want->q, d, NEAR) && all_near(got->k, want->k, d, NEAR) &&
           all_near(got->v, want->v, d, NEAR) && all_near(got->decay, want->decay, d, NEAR) &&
           near((double)got->beta, want->beta, NEAR);
}

/* Is it right if the unused lanes hold zeros? */
static void without_zeros(size_t d, const Gradients *right) {
    static Got got;
    run(d, &got, 0);
    HINT(!same(&got, right, d), "the gradients by v, decay and beta are written, not added to: "
                                "anything may be in them at first, and here it was NaN");
    give(d, 0);
    run(d, &got, NAN);
    HINT(!same(&got, right, d),
         "d = %zu is not a multiple of 16: the lanes past row d are undefined, they may hold "
         "NaN, and here they are in the sums",
         d);
    give(d, NAN);
    run(d, &got, NAN);
}

/* Is it the formula applied to numbers at other indices? */
static bool lies_so(Got *got, size_t d, Place *place) {
    static Gradients wrong;
    from_strips(future, given, d, place), from_strips(old, before, d, place);
    from_strips(new, after, d, place);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) got->memory[j * d + i] = memory[place(d, j, i)];
    formula(d, RIGHT, &wrong);
    return same(got, &wrong, d);
}

/* Which output is wrong, and for which tokens only. */
static const char *where;

static void told(const char *what, const float *got, const double *want, size_t n) {
    char text[160];
    snprintf(text, sizeof text, "%s%s", what, where);
    expect(text, got, want, n, NEAR);
}

static void check_step(size_t d, bool ends) {
    static Got got;
    static Gradients right, wrong;
    fresh_token(d, ends);
    run(d, &got, NAN);
    formula(d, RIGHT, &right);
    if (same(&got, &right, d)) return;
    without_zeros(d, &right);
    for (Slip s = OLD_MEMORY; s < SLIPS && d <= SMALL && !ends; s++) {
        formula(d, s, &wrong);
        HINT(!same(&got, &wrong, d), "%s", hints[s]);
    }
    where = d > SMALL ? ", in a head wider than 48 (d <= DELTA_DIM)"
            : ends    ? ", where D is 0 or 1 somewhere and beta 0 or 1"
                      : "";
    Got seen = got;
    HINT(d > SMALL || ends || (!lies_so(&seen, d, in_rows) && !lies_so(&seen, d, turned)),
         "rows and columns of the memory are elsewhere: number i of row j at j / 16 * 16 * d + "
         "16 * i + j %% 16 (recurrence.h)");
    told("dv = beta G k, with do q^T in G", got.v, right.v, d);
    HINT(near((double)got.beta, right.beta, NEAR),
         "dbeta = du . (v - F k), the sum over all %zu rows%s: expected %.7g, got %.7g", d,
         where, right.beta, (double)got.beta);
    told("dq = S^T do", got.q, right.q, d);
    told("dk", got.k, right.k, d);
    told("the gradient of the memory before the token", got.memory, right.memory, d * d);
    told("the gradient of the logarithm of decay", got.decay, right.decay, d);
}

GRADE(step_back) {
    for (int round = 0; round < 20; round++)
        check_step(2 + fresh_below(SMALL - 1), round % 4 == 3);
    check_step(STRIP, false), check_step(SMALL, false), check_step(1, false);
    check_step(64, false), check_step(MOST - 5, true), check_step(MOST, false);
}

GRADES({"4.25", step_back})
