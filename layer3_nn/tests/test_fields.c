/* each field of Norm and RopeConfig, in all combinations: as in double precision, or
 * refused */
#include "exact_norm.h"
#include "fields.h"

enum { HEADS = 3, WIDTH = 8, DIM = HEADS * WIDTH, CASES = 9 };

/* ------------------------------------------------------------------ norms */

static float x[DIM], gain[DIM], bias[DIM];

static void noise(float *to, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) to[i] = (float)rng_unit(seed, 0, i) * 4 - 1;
}

static void set_kind(Norm *n) { n->kind = NORM_LAYER; }
static void set_width(Norm *n) { n->width = WIDTH; }
static void set_own_gain(Norm *n) { n->width = WIDTH, n->own_gain = true; }
static void set_eps(Norm *n) { n->eps = 0.5f; }
static void set_gain(Norm *n) { n->gain = NULL; }
static void set_bias(Norm *n) { n->bias = bias; }

static const struct NormRow {
    const char *field;
    void (*set)(Norm *);
} norm_rows[] = {{FIELD(Norm, kind), set_kind},         {FIELD(Norm, width), set_width},
                 {FIELD(Norm, own_gain), set_own_gain}, {FIELD(Norm, eps), set_eps},
                 {FIELD(Norm, gain), set_gain},         {FIELD(Norm, bias), set_bias}};

static void run_norm(const Norm *norm, double *exact) {
    float y[DIM], rows[2 * DIM];
    for (size_t i = 0; i < DIM; i++) exact[i] = (double)x[i];
    exact_norm(norm, exact, DIM);
    norm_apply(norm, y, x, DIM);
    memcpy(rows, x, sizeof x), memcpy(rows + DIM, x, sizeof x);
    norm_apply_rows(NULL, norm, rows, rows, 2, DIM);
    for (size_t i = 0; i < DIM; i++) assert_near(y[i], exact[i], 3e-6);
    assert_memory_equal(rows, y, sizeof y);
    assert_memory_equal(rows + DIM, y, sizeof y);
}

static Norm odd_norm;
static void ask_norm(void) { norm_apply(&odd_norm, x, x, DIM); }

static void norms_as_their_fields_say(void **state) {
    (void)state;
    enum { ROWS = sizeof norm_rows / sizeof *norm_rows };
    const Norm plain = {.kind = NORM_RMS, .width = DIM, .eps = 1e-5f, .gain = gain};
    double before[DIM], after[DIM];
    noise(x, DIM, 1), noise(gain, DIM, 2), noise(bias, DIM, 3);
    run_norm(&plain, before);
    for (unsigned set = 0; set < 1u << ROWS; set++) {
        Norm norm = plain;
        for (int i = 0; i < ROWS; i++)
            if (set >> i & 1) norm_rows[i].set(&norm);
        run_norm(&norm, after);
        for (int i = 0; i < ROWS; i++)
            if (set == 1u << i) check_acts(norm_rows[i].field, before, after, DIM);
    }
    float y[DIM];
    norm_apply(&(Norm){.kind = NORM_NONE, .gain = gain, .bias = bias}, y, x, DIM);
    assert_memory_equal(y, x, sizeof x);
    odd_norm = plain, odd_norm.width = 0;
    check_abort(ask_norm, "24 numbers in norms of 0");
    odd_norm.width = 7;
    check_abort(ask_norm, "24 numbers in norms of 7");
}

/* ------------------------------------------------------------------ rotations */

static float divisors[WIDTH / 2] = {1, 1.5f, 3, 7};

/* Frequency i, and the magnitude, by the papers (YaRN: sec. 3.2 to 3.4). */
static double exact_frequency(const RopeConfig *c, size_t i, double *magnitude) {
    double freq = pow(c->theta, -2 * (double)i / (double)c->rotary), rotary = (double)c->rotary;
    if (c->divisors) freq /= (double)c->divisors[i];
    *magnitude = 1;
    if (c->scaling == ROPE_SCALE_NONE) return freq;
    if (c->scaling == ROPE_SCALE_LINEAR) return freq / c->factor;
    *magnitude = c->attn_factor * (1 + 0.1 * log(c->factor));
    double low = rotary * log(c->trained_ctx / (c->beta_fast * 2 * M_PI)) / (2 * log(c->theta)),
           high =
               rotary * log(c->trained_ctx / (c->beta_slow * 2 * M_PI)) / (2 * log(c->theta));
    low = fmax(0, floor(low)), high = fmin(rotary - 1, ceil(high));
    double slow = fmin(1, fmax(0, ((double)i - low) / fmax(0.001, high - low)));
    return freq * (1 - slow) + freq / c->factor * slow;
}

static void exact_rotate(const RopeConfig *c, size_t position, double sign, double *head) {
    for (size_t i = 0; i < c->rotary / 2; i++) {
        double magnitude, angle = (double)position * exact_frequency(c, i, &magnitude) * sign;
        size_t a = c->style == ROPE_HALF_SPLIT ? i : 2 * i,
               b = c->style == ROPE_HALF_SPLIT ? i + c->rotary / 2 : 2 * i + 1;
        double re = head[a], im = head[b];
        head[a] = magnitude * (re * cos(angle) - im * sin(angle));
        head[b] = magnitude * (re * sin(angle) + im * cos(angle));
    }
}

static void set_style(RopeConfig *c) { c->style = ROPE_HALF_SPLIT; }
static void set_rotary(RopeConfig *c) { c->rotary = WIDTH - 2; }
static void set_theta(RopeConfig *c) { c->theta = 500; }
static void set_linear(RopeConfig *c) { c->scaling = ROPE_SCALE_LINEAR; }
static void set_factor(RopeConfig *c) { c->factor = 8; }
static void set_trained(RopeConfig *c) { c->trained_ctx = 300; }
static void set_fast(RopeConfig *c) { c->beta_fast = 40; }
static void set_slow(RopeConfig *c) { c->beta_slow = 4; }
static void set_attn(RopeConfig *c) { c->attn_factor = 0.5; }
static void set_divisors(RopeConfig *c) { c->divisors = divisors; }

static const struct RopeRow {
    const char *field;
    void (*set)(RopeConfig *);
} rope_rows[] = {
    {FIELD(RopeConfig, style), set_style},      {FIELD(RopeConfig, rotary), set_rotary},
    {FIELD(RopeConfig, theta), set_theta},      {FIELD(RopeConfig, scaling), set_linear},
    {FIELD(RopeConfig, factor), set_factor},    {FIELD(RopeConfig, trained_ctx), set_trained},
    {FIELD(RopeConfig, beta_fast), set_fast},   {FIELD(RopeConfig, beta_slow), set_slow},
    {FIELD(RopeConfig, attn_factor), set_attn}, {FIELD(RopeConfig, divisors), set_divisors}};

static RopeConfig plain_rope(void) {
    return (RopeConfig){.style = ROPE_INTERLEAVED,
                        .rotary = WIDTH,
                        .theta = 10000,
                        .scaling = ROPE_SCALE_YARN,
                        .factor = 3,
                        .trained_ctx = 2000,
                        .beta_fast = 10,
                        .beta_slow = 1,
                        .attn_factor = 1.2};
}

static void run_rope(const RopeConfig *c, double *want) {
    enum { POSITION = 29 };
    float head[WIDTH], cosine[WIDTH / 2], sine[WIDTH / 2];
    double back[WIDTH];
    Arena arena;
    Rope rope;
    assert_true(arena_init(&arena, 4096, NULL));
    rope_init(&rope, c, &arena);
    rope_angles(&rope, POSITION, cosine, sine);
    for (size_t i = 0; i < WIDTH; i++) head[i] = x[i], want[i] = (double)x[i];
    rope_rotate(&rope, cosine, sine, head);
    exact_rotate(c, POSITION, 1, want);
    for (size_t i = 0; i < WIDTH; i++) assert_near(head[i], want[i], 2e-6);
    memcpy(back, want, sizeof back);
    rope_rotate_backward(&rope, cosine, sine, head);
    exact_rotate(c, POSITION, -1, back);
    for (size_t i = 0; i < WIDTH; i++) assert_near(head[i], back[i], 4e-6);
    arena_free(&arena);
}

static void rotations_as_their_fields_say(void **state) {
    (void)state;
    enum { ROWS = sizeof rope_rows / sizeof *rope_rows };
    double before[WIDTH], after[WIDTH];
    noise(x, DIM, 4);
    RopeConfig plain = plain_rope();
    run_rope(&plain, before);
    for (unsigned set = 0; set < 1u << ROWS; set++) {
        RopeConfig c = plain;
        for (int i = 0; i < ROWS; i++)
            if (set >> i & 1) rope_rows[i].set(&c);
        run_rope(&c, after);
        for (int i = 0; i < ROWS; i++)
            if (set == 1u << i) check_acts(rope_rows[i].field, before, after, WIDTH);
    }
    RopeConfig none = {.scaling = ROPE_SCALE_NONE, .style = ROPE_HALF_SPLIT};
    none.rotary = WIDTH, none.theta = 10000, none.factor = 1;
    run_rope(&none, after);
    Arena arena, row; /* measured as they are taken */
    Rope rope;
    arena_measure(&arena), arena_measure(&row);
    rope_init(&rope, &none, &arena);
    arena_take(&row, WIDTH / 2, sizeof *rope.freq);
    assert_true(!rope.freq && arena.used == row.used);
}

static RopeConfig odd_rope;
static void ask_rope(void) {
    Arena arena;
    Rope rope;
    float angle[WIDTH];
    assert_true(arena_init(&arena, 4096, NULL));
    rope_init(&rope, &odd_rope, &arena);
    rope_angles(&rope, 1, angle, angle);
}

static void numbers_without_a_meaning_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++) {
        odd_rope = plain_rope();
        if (i == 0) odd_rope.rotary = 7;
        if (i == 1) odd_rope.factor = 0;
        if (i == 2) odd_rope.theta = NAN;
        if (i == 3) odd_rope.trained_ctx = 0;
        if (i == 4) odd_rope.beta_fast = 0;
        if (i == 5) odd_rope.beta_slow = -1;
        if (i == 6) odd_rope.theta = 1;
        if (i == 7) odd_rope.style = ROPE_NONE;
        if (i == 8) odd_rope.theta = -2;
        check_abort(ask_rope, i == 7            ? "angles of no rotation"
                              : i < 3 || i == 8 ? "rotary "
                                                : "YaRN from");
    }
}

RUN(TEST(norms_as_their_fields_say), TEST(rotations_as_their_fields_say),
    TEST(numbers_without_a_meaning_are_refused))
