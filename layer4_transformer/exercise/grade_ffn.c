/* The grader of the feed-forward network, by its formula. */
#include "parts.h"

typedef enum Bend {
    RIGHT,
    OF_UP,
    NONE,
    SUM,
    GATE_ALONE,
    UP_ALONE,
    UNLIMITED,
    NO_NORM,
    NORM_ONCE,
    BENDS
} Bend;

enum { WIDEST = 260, N = 140 };

static const char *const bend_hints[BENDS] = {
    [OF_UP] = "the activation is of the gate, not of up",
    [NONE] = "the activation is missing: without it two maps in a row are one",
    [SUM] = "gate and up are multiplied, not added",
    [GATE_ALONE] = "up is missing: act(gate x) decides how much of up x passes",
    [UNLIMITED] =
        "limit is not kept: where it is above 0, act(gate) stays below it and up within",
    [NO_NORM] = "sub_norm is left out: where there is one, it is the norm of what down reads",
    [NORM_ONCE] = "sub_norm is the norm of each row of hidden numbers, not of the first alone",
    [UP_ALONE] = "the gate is missing: act(gate x) times up x",
};

static void map_row(const Linear *map, const float *x, float *y) {
    for (size_t i = 0; i < map->w.shape[0]; i++)
        y[i] = (float)((double)map->bias[i] +
                       textbook_dot((const float *)map->w.data + i * map->w.shape[1], x,
                                    map->w.shape[1]));
}

/* One row through the network; `first`: the first of the batch. */
static void network_row(const FeedForward *f, const float *x, Bend bend, bool first,
                        float *out) {
    float a[WIDEST], b[WIDEST], c[WIDEST];
    size_t hidden = f->net.up.w.shape[0];
    map_row(&f->net.up, x, b);
    if (f->gated) map_row(&f->net.gate, x, a);
    const float *gate = !f->gated || bend == OF_UP || bend == UP_ALONE ? b : a,
                *up = bend == OF_UP ? a : b;
    if (f->act == ACT_XIELU)
        xielu(c, gate, hidden, &f->xielu);
    else
        activate(f->act, c, gate, hidden);
    for (size_t i = 0; i < hidden; i++) {
        float bent = bend == NONE ? gate[i] : c[i], other = up[i];
        if (f->limit > 0 && bend != UNLIMITED)
            bent = fminf(bent, f->limit), other = fmaxf(-f->limit, fminf(other, f->limit));
        if (!f->gated || bend == GATE_ALONE || bend == UP_ALONE)
            a[i] = bent;
        else
            a[i] = bend == SUM ? bent + other : bent * other;
    }
    if (bend != NO_NORM && (bend != NORM_ONCE || first)) norm_apply(&f->sub_norm, a, a, hidden);
    map_row(&f->net.down, a, out);
}

/* Options that some families have. */
typedef enum Kind { PLAIN, LIMITED, NORMED, LAYER_NORMED, CURVED, KINDS } Kind;
static const char *const kinds[KINDS] = {"", ", within a limit", ", with a norm before down",
                                         ", with a norm before down that is no RMS norm",
                                         ", with the curve of ACT_XIELU"};

static Xielu fresh_xielu(void) {
    return (Xielu){(float)fresh_between(0.6, 1), (float)fresh_between(0.5, 0.9),
                   (float)fresh_between(0.3, 0.6), -1e-6f};
}

static FeedForward network_of(Kind kind, bool gated) {
    FeedForward f = make_network(gated, HIDDEN + fresh_below(WIDEST - HIDDEN));
    if (kind == LIMITED) f.limit = (float)fresh_between(0.4, 1);
    if (kind == NORMED) f.sub_norm = rms(f.net.up.w.shape[0]);
    if (kind == LAYER_NORMED)
        f.sub_norm = rms(f.net.up.w.shape[0]), f.sub_norm.kind = NORM_LAYER;
    if (kind == CURVED) f.act = ACT_XIELU, f.xielu = fresh_xielu();
    return f;
}

static void grade_network(Pool *pool, Kind kind, bool gated) {
    static float out[N * DIM], want[N * DIM], other[N * DIM];
    used = 0;
    FeedForward f = network_of(kind, gated);
    float *x = noise(N * DIM, 2);
    FfnSizes sizes = {0};
    FfnRun run;
    Arena arena;
    Fault fault;
    ffn_sizes_include(&sizes, &f.net);
    arena_measure(&arena), ffn_run_init(&run, N, &sizes, &arena);
    NEED(arena_init(&arena, arena.used, &fault));
    ffn_run_init(&run, N, &sizes, &arena);
    memset(out, 0x7f, sizeof out);
    dense_forward(pool, &f, &f.net, x, N, out, &run);
    arena_free(&arena);
    for (Bend bend = RIGHT; bend < BENDS; bend++) {
        for (size_t i = 0; i < N; i++)
            network_row(&f, x + i * DIM, bend, i == 0, (bend ? other : want) + i * DIM);
        if (bend == RIGHT && all_near(out, want, N * DIM, 1e-3)) return;
        HINT(!bend || (!gated && bend != NONE && bend < UNLIMITED) ||
                 !all_near(out, other, N * DIM, 1e-3),
             "%s%s: %s", gated ? "with a gate" : "without a gate", kinds[kind],
             bend_hints[bend]);
    }
    HINT(kind != LAYER_NORMED,
         "%s%s: sub_norm says of which kind it is, and norm_apply() computes each",
         gated ? "with a gate" : "without a gate", kinds[kind]);
    HINT(kind != CURVED,
         "%s: ACT_XIELU has a function of its own: xielu, with the layer's numbers",
         gated ? "with a gate" : "without a gate");
    NUMBERS(out, want, N * DIM, 1e-3, "%s%s, for %d rows of %d numbers, %zu within",
            gated ? "with a gate: out = down(act(gate x) * up x)"
                  : "without a gate: out = down(act(up x))",
            kinds[kind], N, DIM, f.net.up.w.shape[0]);
}

/* Experts have a limit of their own: it is what activate_rows is given. */
static void grade_own_limit(void) {
    enum { NUMBERS_OF = N * HIDDEN };
    static float b[NUMBERS_OF], a[NUMBERS_OF], want[NUMBERS_OF];
    used = 0;
    FeedForward f = network_of(LIMITED, true);
    FfnRun run = {.a = a, .b = b};
    fresh_floats(a, NUMBERS_OF, -2, 2), fresh_floats(b, NUMBERS_OF, -2, 2);
    memcpy(want, a, sizeof a);
    activate_limited(f.act, want, b, 0.3f, NUMBERS_OF);
    activate_rows(NULL, &f, 0.3f, N, HIDDEN, &run);
    HINT(all_near(a, want, NUMBERS_OF, 1e-6),
         "the limit that counts is the one of the task: experts have another than f->limit");
    a[0] = NAN, b[0] = 1, a[1] = 1, b[1] = NAN;
    activate_rows(NULL, &f, 0.3f, 1, 2, &run);
    HINT(isnan(a[0]) && isnan(a[1]),
         "a gate or an up that is NaN stays NaN within a limit (activate_limited), not %g",
         (double)(isnan(a[0]) ? a[1] : a[0]));
}

GRADE(network) {
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 4; round++)
        for (Kind kind = PLAIN; kind < KINDS; kind++)
            for (int gated = 1; gated >= 0; gated--)
                if (kind == PLAIN || kind == NORMED || gated == (kind == LIMITED))
                    grade_network(round % 2 ? pool : NULL, kind, gated);
    grade_own_limit();
    pool_close(pool);
}

GRADES({"4.8", network})
