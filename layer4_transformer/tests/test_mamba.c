/* state-space mixers and the short convolution: by hand, and in batches of any size */
#include "open_kv.h"
#include "transformer_extras.h"

#include <math.h>

/* Two channels, three taps: the state is the last two inputs. */
static void a_short_convolution_by_hand(void **state) {
    (void)state;
    const float w[6] = {1, 10, 100, 2, 3, 5}, bias[2] = {0.5f, 0};
    const ShortConv conv = {.w = w, .bias = bias, .channels = 2, .taps = 3};
    float past[4] = {0}, out[2];
    assert_int_equal(short_conv_state(&conv), 4);
    short_conv_step(&conv, past, past, (float[]){1, 2}, out, 0, 2);
    assert_near(out[0], 100 * 1 + 0.5, 0);
    assert_near(out[1], 5 * 2, 0);
    short_conv_step(&conv, past, past, (float[]){3, 4}, out, 0, 2);
    assert_near(out[0], 10 * 1 + 100 * 3 + 0.5, 0);
    short_conv_step(&conv, past, past, (float[]){7, 1}, out, 0, 2);
    assert_near(out[0], 1 * 1 + 10 * 3 + 100 * 7 + 0.5, 0);
    assert_near(out[1], 2 * 2 + 3 * 4 + 5 * 1, 0);
}

enum { DIM = 2, INNER = 2, N = 3, TOKENS = 7 };

static Tensor matrix(const float *w, size_t rows, size_t cols) {
    return tensor_view(DTYPE_F32, 2, (size_t[]){rows, cols}, (void *)w);
}

/* A mixer's cache and working memory. */
typedef struct Memory {
    Arena arena;
    KvCache kv;
    MambaRun run;
} Memory;

static void memory_open(Memory *p, const Mamba *m) {
    MambaSizes sizes = {0};
    const KvShape shape = {.state = mamba_state(m)};
    mamba_sizes_include(&sizes, m);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0)
            arena_measure(&p->arena);
        else
            assert_true(arena_init(&p->arena, p->arena.used, NULL));
        kv_init(&p->kv,
                &(KvConfig){.shapes = &shape,
                            .layers = 1,
                            .sequences = 1,
                            .ctx = 64,
                            .batch = TOKENS,
                            .rewind = TOKENS},
                &p->arena);
        mamba_run_init(&p->run, TOKENS, &sizes, &p->arena);
    }
}

/* x (count, DIM) through the mixer, after what the cache holds. */
static void read_rows(Memory *p, const Mamba *m, const float *x, size_t count, float *out) {
    int32_t sequence[TOKENS] = {0}, position[TOKENS];
    size_t before = p->kv.length[0];
    kv_slide(&p->kv, 0);
    assert_true(kv_extend(&p->kv, 0, before + count));
    for (size_t i = 0; i < count; i++) position[i] = (int32_t)(before + i);
    const Batch batch = {count, NULL, sequence, position, NULL, NULL};
    if (m->x.w.data)
        mamba_forward(NULL, m, &p->run, &p->kv, 0, &batch, x, out);
    else
        mamba2_forward(NULL, m, &p->run, &p->kv, 0, &batch, x, out);
}

static double softplus_of(double x) { return log1p(exp(x)); }
static double silu_of(double x) { return x / (1 + exp(-x)); }

/* in = (x; z): the input and its negative.  dt is the first channel, B and C are both. */
static const float in1[2 * INNER * DIM] = {1, 0, 0, 1, -1, 0, 0, -1}, one_tap[2] = {1, 1},
                                   project[(1 + 2 * N) * INNER] = {1, 0, .5f, 1, -1, 2,  3,
                                                                   1, 1, 1,   0, 2,  -2, 1},
                                   spread[INNER] = {1, -0.5f}, dt_bias[INNER] = {0.1f, -1},
                                   rates[INNER * N] = {-1, -0.5f, -2, -0.1f, -3, -0.7f},
                                   skip[INNER] = {1, 0.25f},
                                   identity[DIM * INNER] = {1, 0, 0, 1};

static const float rows[TOKENS * DIM] = {1, 2, -1, .5f, .3f, -2, 2, 2, 0, 1, -.4f, .7f, 1, -1};

static Mamba mamba1(void) {
    return (Mamba){.in.w = matrix(in1, 2 * INNER, DIM),
                   .out.w = matrix(identity, DIM, INNER),
                   .conv = {.w = one_tap, .channels = INNER, .taps = 1, .silu = true},
                   .a = rates,
                   .d = skip,
                   .dt_bias = dt_bias,
                   .inner = INNER,
                   .n = N,
                   .x.w = matrix(project, 1 + 2 * N, INNER),
                   .dt = {.w = matrix(spread, INNER, 1), .bias = dt_bias}};
}

/* The formula of mixer_mamba.h, one number after the other. */
static void mamba_is_its_formula(void **state) {
    (void)state;
    Memory p;
    Mamba m = mamba1();
    float got[TOKENS * DIM];
    double s[INNER][N] = {{0}};
    memory_open(&p, &m);
    read_rows(&p, &m, rows, TOKENS, got);
    for (size_t t = 0; t < TOKENS; t++) {
        double x[INNER], dbc[1 + 2 * N];
        for (size_t i = 0; i < INNER; i++) x[i] = silu_of((double)rows[t * DIM + i]);
        for (size_t k = 0; k < 1 + 2 * N; k++)
            dbc[k] = (double)project[2 * k] * x[0] + (double)project[2 * k + 1] * x[1];
        for (size_t i = 0; i < INNER; i++) {
            double dt = softplus_of((double)spread[i] * dbc[0] + (double)dt_bias[i]),
                   y = (double)skip[i] * x[i];
            for (size_t j = 0; j < N; j++) {
                s[i][j] = exp(dt * (double)rates[i * N + j]) * s[i][j] + dt * x[i] * dbc[1 + j];
                y += s[i][j] * dbc[1 + N + j];
            }
            assert_near(got[t * DIM + i], y * silu_of(-(double)rows[t * DIM + i]), 1e-5);
        }
    }
    for (size_t i = 0; i < INNER; i++)
        for (size_t j = 0; j < N; j++)
            assert_near(kv_state(&p.kv, 0, 0, TOKENS)[i * N + j], s[i][j], 1e-5);
    arena_free(&p.arena);
}

/* z, x, B, C, dt: two heads of one channel, one group. */
static const float in2[(2 * INNER + 2 * N + 2) * DIM] = {-1,  0, 0,  -1, 1, 0, 0, 1,
                                                         .5f, 1, -1, 2,  3, 1, 1, 1,
                                                         0,   2, -2, 1,  1, 0, 0, 1},
                                                 taps2[INNER + 2 * N] = {1, 1, 1, 1,
                                                                         1, 1, 1, 1},
                                                 head_rates[2] = {-1, -0.3f},
                                                 gains[INNER] = {1, 2};

static Mamba mamba2(void) {
    return (Mamba){.in.w = matrix(in2, 2 * INNER + 2 * N + 2, DIM),
                   .out.w = matrix(identity, DIM, INNER),
                   .conv = {.w = taps2, .channels = INNER + 2 * N, .taps = 1, .silu = true},
                   .a = head_rates,
                   .d = skip,
                   .dt_bias = dt_bias,
                   .inner = INNER,
                   .n = N,
                   .heads = 2,
                   .groups = 1,
                   .norm = {.kind = NORM_RMS, .width = INNER, .own_gain = true, .gain = gains}};
}

static void mamba2_is_its_formula(void **state) {
    (void)state;
    Memory p;
    Mamba m = mamba2();
    float got[TOKENS * DIM];
    double s[INNER][N] = {{0}};
    memory_open(&p, &m);
    read_rows(&p, &m, rows, TOKENS, got);
    for (size_t t = 0; t < TOKENS; t++) {
        double in[2 * INNER + 2 * N + 2], y[INNER], square = 0;
        for (size_t k = 0; k < 2 * INNER + 2 * N + 2; k++) {
            in[k] = (double)in2[2 * k] * (double)rows[2 * t] +
                    (double)in2[2 * k + 1] * (double)rows[2 * t + 1];
            if (k < 2 * INNER + 2 * N) in[k] = silu_of(in[k]); /* convolved channels */
        }
        const double *x = in + INNER, *b = x + INNER, *c = b + N, *raw = c + N;
        for (size_t i = 0; i < INNER; i++) {
            double dt = softplus_of(raw[i] + (double)dt_bias[i]), rate = (double)head_rates[i];
            y[i] = (double)skip[i] * x[i];
            for (size_t j = 0; j < N; j++) {
                s[i][j] = exp(dt * rate) * s[i][j] + dt * x[i] * b[j];
                y[i] += s[i][j] * c[j];
            }
            y[i] *= in[i];
            square += y[i] * y[i] / INNER;
        }
        for (size_t i = 0; i < INNER; i++)
            assert_near(got[t * DIM + i], y[i] / sqrt(square) * (double)gains[i], 1e-5);
    }
    arena_free(&p.arena);
}

/* At once, split into batches, or again from a snapshot: the same bits. */
static void pieces_change_no_bit(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        Memory whole, pieces;
        Mamba m = kind ? mamba2() : mamba1();
        float want[TOKENS * DIM], got[TOKENS * DIM];
        memory_open(&whole, &m), memory_open(&pieces, &m);
        read_rows(&whole, &m, rows, TOKENS, want);
        for (size_t i = 0, n = 1; i<TOKENS; i += n, n = i + 2> TOKENS ? 1 : 2)
            read_rows(&pieces, &m, rows + i * DIM, n, got + i * DIM);
        assert_memory_equal(got, want, sizeof want);
        assert_int_equal(kv_truncate(&pieces.kv, 0, 3), 3);
        read_rows(&pieces, &m, rows + 3 * DIM, TOKENS - 3, got + 3 * DIM);
        assert_memory_equal(got, want, sizeof want);
        arena_free(&whole.arena), arena_free(&pieces.arena);
    }
}

RUN(TEST(a_short_convolution_by_hand), TEST(mamba_is_its_formula), TEST(mamba2_is_its_formula),
    TEST(pieces_change_no_bit))
