/* feed-forward networks and mixtures of experts, against double precision */
#include "check.h"
#include "transformer_extras.h"

enum { DIM = 12, HIDDEN = 20, TOKENS = 5, EXPERTS = 8, CHOSEN = 3 };

static float store[40000];
static size_t used;

static float *noise(size_t n, double size) {
    float *x = store + used;
    assert_true((used += n) <= 40000);
    for (size_t i = 0; i < n; i++) x[i] = (float)(size * (rng_unit(1, used, i) * 2 - 1));
    return x;
}

static Linear stack(size_t count, size_t out, size_t in, bool bias) {
    const size_t shape[3] = {count, out, in};
    return (Linear){.w = tensor_view(DTYPE_F32, 3, shape, noise(count * out * in, 0.5)),
                    .bias = bias ? noise(count * out, 0.3) : NULL};
}

static Linear matrix(size_t out, size_t in) {
    Linear one = stack(1, out, in, true);
    return linear_of_stack(&one, 0);
}

/* Every network here is gated by GELU. */
static const FeedForward gated = {.act = ACT_GELU_ERF, .gated = true};

static Experts make_mixture(bool bias) {
    used = 0;
    Experts f = {.router = {.map = matrix(EXPERTS, DIM), .used = CHOSEN}};
    f.net.gate = stack(EXPERTS, HIDDEN, DIM, bias);
    f.net.up = stack(EXPERTS, HIDDEN, DIM, bias);
    f.net.down = stack(EXPERTS, DIM, HIDDEN, bias);
    return f;
}

/* ------------------------------------------------------------------ in double */

static void apply(const Linear *map, const double *x, double *y) {
    const float *w = map->w.data;
    for (size_t r = 0; r < map->w.shape[0]; r++) {
        y[r] = map->bias ? (double)map->bias[r] : 0;
        for (size_t k = 0; k < map->w.shape[1]; k++)
            y[r] += (double)w[r * map->w.shape[1] + k] * x[k];
    }
}

static void network(const Linear *gate, const Linear *up, const Linear *down, const double *x,
                    double *out) {
    double g[HIDDEN], u[HIDDEN];
    apply(gate, x, g), apply(up, x, u);
    for (int i = 0; i < HIDDEN; i++) u[i] *= 0.5 * g[i] * (1 + erf(g[i] / sqrt(2)));
    apply(down, u, out);
}

static void expert(const Network *net, size_t e, const double *x, double *out) {
    Linear gate = linear_of_stack(&net->gate, e), up = linear_of_stack(&net->up, e),
           down = linear_of_stack(&net->down, e);
    network(&gate, &up, &down, x, out);
}

/* Mask experts outside the top groups. */
static void bar_groups(const Router *r, const double *choice, bool *barred) {
    double score[EXPERTS];
    size_t each = r->groups ? EXPERTS / r->groups : 0;
    for (size_t g = 0; g < r->groups; g++) {
        double first = -INFINITY, second = -INFINITY;
        for (size_t e = g * each; e < (g + 1) * each; e++) {
            if (choice[e] > first)
                second = first, first = choice[e];
            else
                second = fmax(second, choice[e]);
        }
        score[g] = r->select_bias ? first + second : first;
    }
    for (size_t e = 0; r->groups && e < EXPERTS; e++) {
        size_t better = 0;
        for (size_t g = 0; g < r->groups; g++) better += score[g] > score[e / each];
        barred[e] = better >= r->groups_used;
    }
}

static void weights_of(const Router *r, const double *x, double *weight) {
    double logit[EXPERTS], p[EXPERTS], choice[EXPERTS], sum = 0, kept = 0;
    bool barred[EXPERTS] = {false};
    apply(&r->map, x, logit);
    for (int e = 0; e < EXPERTS; e++) sum += exp(logit[e]);
    for (int e = 0; e < EXPERTS; e++) {
        p[e] = r->score == ROUTER_SIGMOID ? 1 / (1 + exp(-logit[e])) : exp(logit[e]) / sum;
        choice[e] = p[e] + (r->select_bias ? (double)r->select_bias[e] : 0);
    }
    bar_groups(r, choice, barred);
    for (int e = 0; e < EXPERTS; e++) {
        size_t better = 0;
        for (int o = 0; o < EXPERTS; o++) better += !barred[o] && choice[o] > choice[e];
        weight[e] = barred[e] || better >= r->used ? 0 : p[e];
        kept += weight[e];
    }
    for (int e = 0; e < EXPERTS; e++) {
        if (r->renormalize || r->score == ROUTER_SOFTMAX_CHOSEN) weight[e] /= kept;
        if (r->scale > 0) weight[e] *= (double)r->scale;
    }
}

static void exact(const Experts *f, const float *row, double *out) {
    double x[DIM], in[DIM], each[DIM], weight[EXPERTS];
    for (int i = 0; i < DIM; i++) x[i] = (double)row[i], out[i] = 0;
    weights_of(&f->router, x, weight);
    for (size_t e = 0; e < EXPERTS; e++) {
        if (weight[e] == 0) continue;
        for (int i = 0; i < DIM; i++) in[i] = f->router.weight_input ? x[i] * weight[e] : x[i];
        expert(&f->net, e, in, each);
        for (int i = 0; i < DIM; i++)
            out[i] += (f->router.weight_input ? 1 : weight[e]) * each[i];
        if (!f->per_group) continue;
        expert(&f->adjugates, e / f->per_group, x, each);
        for (int i = 0; i < DIM; i++) out[i] += (double)f->adjugate_scale * weight[e] * each[i];
    }
    if (!f->shared.up.w.data) return;
    double open = 1, logit;
    if (f->shared_gate.w.data) apply(&f->shared_gate, x, &logit), open = 1 / (1 + exp(-logit));
    network(&f->shared.gate, &f->shared.up, &f->shared.down, x, each);
    for (int i = 0; i < DIM; i++) out[i] += open * each[i];
}

/* ------------------------------------------------------------------ tests */

static void open_run(ExpertsRun *run, Arena *arena, const Experts *e) {
    ExpertsSizes sizes = {0};
    experts_sizes_include(&sizes, e);
    arena_measure(arena);
    experts_run_init(run, TOKENS, &sizes, arena);
    assert_true(arena_init(arena, arena->used, NULL));
    experts_run_init(run, TOKENS, &sizes, arena);
}

/* Against double; and a batch gives each token the same bits as alone. */
static void check(const Experts *f) {
    float x[TOKENS * DIM], out[TOKENS * DIM], alone[DIM];
    double want[DIM];
    ExpertsRun run;
    Arena arena;
    open_run(&run, &arena, f);
    for (int i = 0; i < TOKENS * DIM; i++) x[i] = 2 * cosf((float)i);
    moe_forward(NULL, &gated, f, x, TOKENS, out, &run);
    size_t together = 0;
    for (size_t e = 0; e < EXPERTS; e++) together += run.first[e + 1] - run.first[e] > 1;
    assert_true(together > 0);
    for (size_t t = 0; t < TOKENS; t++) {
        exact(f, x + t * DIM, want);
        for (int i = 0; i < DIM; i++) assert_near(out[t * DIM + i], want[i], 4e-5);
        moe_forward(NULL, &gated, f, x + t * DIM, 1, alone, &run);
        assert_memory_equal(alone, out + t * DIM, sizeof alone);
    }
    arena_free(&arena);
}

static void experts_are_chosen_and_weighted(void **state) {
    (void)state;
    for (int score = ROUTER_SOFTMAX_CHOSEN; score <= ROUTER_SIGMOID; score++)
        for (int kind = 0; kind < 8; kind++) {
            Experts f = make_mixture(kind & 1);
            f.router.score = (RouterScore)score;
            f.router.renormalize = kind & 2;
            f.router.scale = kind & 4 ? 2.5f : 0;
            check(&f);
        }
}

static void choices_are_biased_and_grouped(void **state) {
    (void)state;
    Experts f = make_mixture(false);
    f.router.score = ROUTER_SIGMOID;
    f.router.groups = 4, f.router.groups_used = 2;
    check(&f);
    f.router.select_bias = noise(EXPERTS, 0.5);
    check(&f);
    f.router.groups = 0;
    check(&f);
}

static void weights_may_act_on_the_input(void **state) {
    (void)state;
    Experts f = make_mixture(true);
    f.router.score = ROUTER_SIGMOID, f.router.weight_input = true;
    check(&f);
}

static void a_shared_network_is_added(void **state) {
    (void)state;
    Experts f = make_mixture(false);
    f.router.score = ROUTER_SOFTMAX;
    f.shared = (Network){matrix(HIDDEN, DIM), matrix(HIDDEN, DIM), matrix(DIM, HIDDEN)};
    check(&f);
    f.shared_gate = matrix(1, DIM);
    check(&f);
}

static void groups_have_an_adjugate(void **state) {
    (void)state;
    for (size_t per_group = 1; per_group <= 4; per_group *= 2) {
        Experts f = make_mixture(true);
        size_t groups = EXPERTS / per_group;
        f.router.score = ROUTER_SOFTMAX, f.router.renormalize = true;
        f.adjugates =
            (Network){stack(groups, HIDDEN, DIM, true), stack(groups, HIDDEN, DIM, false),
                      stack(groups, DIM, HIDDEN, true)};
        f.per_group = per_group, f.adjugate_scale = 0.7f;
        check(&f);
    }
}

static void a_dense_network_is_three_products(void **state) {
    (void)state;
    used = 0;
    FeedForward f = gated;
    float x[DIM], out[DIM];
    double xd[DIM], want[DIM];
    FfnRun run;
    Arena arena;
    f.net = (Network){matrix(HIDDEN, DIM), matrix(HIDDEN, DIM), matrix(DIM, HIDDEN)};
    FfnSizes sizes = {0};
    ffn_sizes_include(&sizes, &f.net);
    arena_measure(&arena);
    ffn_run_init(&run, 1, &sizes, &arena);
    assert_true(arena_init(&arena, arena.used, NULL));
    ffn_run_init(&run, 1, &sizes, &arena);
    for (int i = 0; i < DIM; i++) x[i] = sinf((float)i), xd[i] = (double)x[i];
    dense_forward(NULL, &f, &f.net, x, 1, out, &run);
    network(&f.net.gate, &f.net.up, &f.net.down, xd, want);
    for (int i = 0; i < DIM; i++) assert_near(out[i], want[i], 1e-5);
    arena_free(&arena);
}

RUN(TEST(a_dense_network_is_three_products), TEST(experts_are_chosen_and_weighted),
    TEST(choices_are_biased_and_grouped), TEST(weights_may_act_on_the_input),
    TEST(a_shared_network_is_added), TEST(groups_have_an_adjugate))
