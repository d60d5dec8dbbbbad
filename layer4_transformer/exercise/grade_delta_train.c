/* The grader of the delta rule backwards: one token of one head, by the formula in double precision. */
#include "near.h"
#include "transformer.h"

enum { MOST = 48 };
#define NEAR 3e-4

typedef enum Slip {
    RIGHT,
    OLD_MEMORY,
    NOT_ASKED,
    FADED_FIRST,
    NO_BETA,
    WHOLE_VALUE,
    BETA_OF_VALUE,
    ONE_WAY,
    FRESH,
    NOT_CORRECTED,
    NOT_FADED,
    PLAIN_DECAY,
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
    [ONE_WAY] = "k has a second way: it asked the memory, and what it heard was taken off v; "
                "- F^T dv is missing",
    [FRESH] = "k asked the memory after it had faded: its second way goes through D",
    [NOT_CORRECTED] = "what was replaced hears nothing: G - dv k^T",
    [NOT_FADED] = "what was forgotten hears little: the gradient by the old memory is times D",
    [PLAIN_DECAY] = "the gradient is by the logarithm of decay: column sums of G * the old "
                    "S, with the G that D has been put to",
    [Q_REPLACED] = "the gradient of q is added to: other heads have their part in it",
    [K_REPLACED] = "the gradient of k is added to: other heads have their part in it"};

/* What the step is given, and what it makes of it; memories as rows, (d, d), number i of row j at j d + i. */
static float decay[MOST], q[MOST], k[MOST], v[MOST], dout[MOST], beta;
static double future[MOST * MOST], old[MOST * MOST], new[MOST * MOST];
static double begun_q[MOST], begun_k[MOST];

typedef struct Gradients {
    double memory[MOST * MOST], q[MOST], k[MOST], v[MOST], decay[MOST], beta;
} Gradients;

/* u and what is missing; the memory after the token. */
static void forwards(size_t d, double *missing, double *u, Slip slip) {
    for (size_t j = 0; j < d; j++) {
        double said = 0;
        for (size_t i = 0; i < d; i++) said += old[j * d + i] * (double)decay[i] * (double)k[i];
        missing[j] = (double)v[j] - (slip == WHOLE_VALUE ? 0 : said);
        u[j] = (double)beta * missing[j];
        for (size_t i = 0; i < d && slip == RIGHT; i++)
            new[j * d + i] = old[j * d + i] * (double)decay[i] + u[j] * (double)k[i];
    }
}

/* G + do q^T, and what it says to k. */
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
        to_k += r->memory[j * d + i] * u[j] - (slip == ONE_WAY ? 0 : faded * r->v[j]);
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
        r->beta += du[j] * (slip == BETA_OF_VALUE ? (double)v[j] : missing[j]);
    }
    for (size_t i = 0; i < d; i++) {
        of_keys(d, i, u, slip, r);
        r->decay[i] = 0;
        for (size_t j = 0; j < d; j++) {
            double *g = &r->memory[j * d + i];
            double fades = slip == NOT_FADED || slip == FADED_FIRST ? 1 : (double)decay[i];
            *g = (*g - (slip == NOT_CORRECTED ? 0 : r->v[j] * (double)k[i])) * fades;
            r->decay[i] += *g * old[j * d + i] / (slip == PLAIN_DECAY ? (double)decay[i] : 1);
        }
    }
}

/* ------------------------------------------------------------------ what the work makes of it */

typedef struct Got {
    float memory[MOST * MOST], q[MOST], k[MOST], v[MOST], decay[MOST], beta;
} Got;

static size_t strip_at(size_t d, size_t j, size_t i) {
    return j / STRIP * STRIP * d + STRIP * i + j % STRIP;
}

static void to_strips(float *strips, const double *rows, size_t d) {
    memset(strips, 0, strip_rows(d) * d * sizeof *strips);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) strips[strip_at(d, j, i)] = (float)rows[j * d + i];
}

static void fresh_rows(double *rows, size_t d) {
    for (size_t i = 0; i < d * d; i++) rows[i] = (double)(float)fresh_between(-1, 1);
}

static void fresh_token(size_t d) {
    double missing[MOST], u[MOST];
    fresh_rows(future, d), fresh_rows(old, d);
    fresh_floats(decay, d, 0.2, 0.9), fresh_floats(q, d, -0.6, 0.6);
    fresh_floats(k, d, -0.6, 0.6), fresh_floats(v, d, -2, 2), fresh_floats(dout, d, -1, 1);
    beta = (float)fresh_between(0.2, 0.8);
    for (size_t i = 0; i < d; i++) {
        begun_q[i] = (double)(float)fresh_between(-1, 1);
        begun_k[i] = (double)(float)fresh_between(-1, 1);
    }
    forwards(d, missing, u, RIGHT);
}

static void run(size_t d, Got *r) {
    static float memory[MOST * MOST], before[MOST * MOST], after[MOST * MOST];
    DeltaToken token = {decay, beta, q, k, v};
    DeltaTokenGradients grad = {r->q, r->k, r->v, r->decay, NAN};
    to_strips(memory, future, d), to_strips(before, old, d), to_strips(after, new, d);
    for (size_t i = 0; i < d; i++) {
        r->q[i] = (float)begun_q[i], r->k[i] = (float)begun_k[i];
        r->v[i] = r->decay[i] = NAN;
    }
    delta_step_backward(memory, after, before, d, &token, dout, &grad);
    r->beta = grad.beta;
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) r->memory[j * d + i] = memory[strip_at(d, j, i)];
}

static bool same(const Got *got, const Gradients *want, size_t d) {
    return all_near(got->memory, want->memory, d * d, NEAR) &&
           all_near(got->q, want->q, d, NEAR) && all_near(got->k, want->k, d, NEAR) &&
           all_near(got->v, want->v, d, NEAR) && all_near(got->decay, want->decay, d, NEAR) &&
           near((double)got->beta, want->beta, NEAR);
}

static void check_step(size_t d) {
    static Got got;
    static Gradients right, wrong;
    fresh_token(d);
    run(d, &got);
    formula(d, RIGHT, &right);
    if (same(&got, &right, d)) return;
    for (Slip s = OLD_MEMORY; s < SLIPS; s++) {
        formula(d, s, &wrong);
        HINT(!same(&got, &wrong, d), "%s", hints[s]);
    }
    expect("dv = beta G k, with do q^T in G", got.v, right.v, d, NEAR);
    expect("dbeta", &got.beta, &right.beta, 1, NEAR);
    expect("dq = S^T do", got.q, right.q, d, NEAR);
    expect("dk", got.k, right.k, d, NEAR);
    expect("the gradient by the memory before the token", got.memory, right.memory, d * d,
           NEAR);
    expect("the gradient by the logarithm of decay", got.decay, right.decay, d, NEAR);
}

GRADE(step_back) {
    for (int round = 0; round < 20; round++) check_step(2 + fresh_below(MOST - 1));
    check_step(STRIP), check_step(MOST);
}

GRADES({"4.25", step_back})
