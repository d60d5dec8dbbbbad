/* rope: rotations, styles, partial rotation, and scaling */
#include "check.h"
#include "nn.h"

static Arena arena;

static Rope make(RopeConfig config) {
    Rope rope;
    arena_free(&arena);
    assert_true(arena_init(&arena, 4096, NULL));
    if (!(config.factor > 0)) config.factor = 1;
    rope_init(&rope, &config, &arena);
    return rope;
}

static void pairs_turn_by_position(void **state) {
    (void)state;
    for (int style = ROPE_INTERLEAVED; style <= ROPE_HALF_SPLIT; style++) {
        Rope rope = make((RopeConfig){.style = (RopeStyle)style, .rotary = 8, .theta = 10000});
        float head[10], start[10], cosine[4], sine[4];
        for (int i = 0; i < 10; i++) head[i] = start[i] = (float)i - 4.5f;
        assert_true(rope.freq[3] > 0);
        rope_angles(&rope, 7, cosine, sine);
        rope_rotate(&rope, cosine, sine, head);
        for (int i = 0; i < 4; i++) {
            double angle = 7 * pow(10000, -i / 4.0);
            int a = style == ROPE_INTERLEAVED ? 2 * i : i,
                b = style == ROPE_INTERLEAVED ? 2 * i + 1 : i + 4;
            assert_near(head[a], (double)start[a] * cos(angle) - (double)start[b] * sin(angle),
                        1e-5);
            assert_near(head[b], (double)start[a] * sin(angle) + (double)start[b] * cos(angle),
                        1e-5);
        }
        assert_true(head[8] == start[8] && head[9] == start[9]); /* partial: the rest passes */
        rope_rotate_backward(&rope, cosine, sine, head);
        for (int i = 0; i < 10; i++) assert_near(head[i], start[i], 1e-5);
    }
}

/* The angle of each pair is that of a token at the place on its axis. */
static void each_pair_follows_its_axis(void **state) {
    (void)state;
    static const unsigned char axis[4] = {2, 0, 1, 1};
    static const int32_t places[2][3] = {{5, 6, 7}, {90, 3, 0}};
    Rope rope = make((RopeConfig){.style = ROPE_INTERLEAVED, .rotary = 8, .theta = 10000});
    rope.axis = axis, rope.places = places, rope.magnitude = 2;
    for (size_t i = 0; i < 2; i++) {
        float cosine[4], sine[4], one[4], other[4];
        rope_places(&rope, i, cosine, sine);
        for (int k = 0; k < 4; k++) {
            rope_angles(&rope, (size_t)places[i][axis[k]], one, other);
            assert_true(cosine[k] == one[k] && sine[k] == other[k]);
        }
    }
    arena_free(&arena);
}

/* the dot product of rotated vectors depends only on the distance */
static void only_distance_counts(void **state) {
    (void)state;
    Rope rope = make((RopeConfig){.style = ROPE_HALF_SPLIT, .rotary = 16, .theta = 10000});
    double dots[2];
    for (int k = 0; k < 2; k++) {
        float q[16], key[16], c[8], s[8];
        for (int i = 0; i < 16; i++) q[i] = sinf((float)i), key[i] = cosf((float)i * 3);
        rope_angles(&rope, (size_t)(12 + 500 * k), c, s), rope_rotate(&rope, c, s, q);
        rope_angles(&rope, (size_t)(5 + 500 * k), c, s), rope_rotate(&rope, c, s, key);
        dots[k] = (double)dot_f32(q, key, 16);
    }
    assert_near(dots[0], dots[1], 1e-4);
}

static void stretched_frequencies(void **state) {
    (void)state;
    RopeConfig c = {.style = ROPE_HALF_SPLIT,
                    .rotary = 64,
                    .theta = 10000,
                    .factor = 4,
                    .trained_ctx = 2048,
                    .attn_factor = 1,
                    .beta_fast = 32,
                    .beta_slow = 1};
    double plain[32];
    for (int i = 0; i < 32; i++) plain[i] = pow(10000, -i / 32.0);
    c.scaling = ROPE_SCALE_LINEAR;
    Rope rope = make(c);
    for (int i = 0; i < 32; i++) assert_near(rope.freq[i], plain[i] / 4, 1e-9);
    c.scaling = ROPE_SCALE_YARN;
    rope = make(c);
    assert_near(rope.freq[0], 1, 1e-12);
    assert_near(rope.freq[31], plain[31] / 4, 1e-9);
    assert_near(rope.magnitude, 1 + 0.1 * log(4), 1e-6);
    double keep = rope.freq[13] / plain[13]; /* pairs 8 to 21 are on the ramp */
    assert_true(keep < 1 && keep > 0.25);
    assert_near(keep, 1 - 0.75 * 5 / 13, 1e-6);
    c.factor = 1, c.attn_factor = 1.5; /* factor 1: no scaling, but the magnitude of the file */
    rope = make(c);
    for (int i = 0; i < 32; i++) assert_near(rope.freq[i], plain[i], 1e-9);
    assert_near(rope.magnitude, 1.5, 1e-6);
    float divisors[32];
    for (int i = 0; i < 32; i++) divisors[i] = (float)(i + 1);
    c.scaling = ROPE_SCALE_NONE, c.divisors = divisors;
    rope = make(c);
    for (int i = 0; i < 32; i++) assert_near(rope.freq[i], plain[i] / (i + 1), 1e-9);
    rope = make((RopeConfig){.style = ROPE_NONE});
    assert_null(rope.freq);
    arena_free(&arena);
}

RUN(TEST(pairs_turn_by_position), TEST(only_distance_counts), TEST(each_pair_follows_its_axis),
    TEST(stretched_frequencies))
