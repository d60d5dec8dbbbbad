/* buckets of distances, their biases in attention, and visible positions behind a source */
#include "open_kv.h"

enum { N = 150, HEADS = 2, DIM = 4, BUCKETS = 16 };

/* First distances of the buckets of one direction, from the program of the paper's authors. */
static void buckets_grow_with_the_distance(void **state) {
    (void)state;
    static const size_t both[] = {8, 12, 16, 23, 32, 46, 64, 91},
                        causal[] = {16, 19, 21, 24, 27, 31, 35, 40,
                                    46, 52, 59, 67, 77, 87, 99, 113};
    for (ptrdiff_t d = 0; d < 300; d++) {
        size_t near = 0, far = 0;
        while (near < 8 && both[near] <= (size_t)d) near++;
        while (far < 16 && causal[far] <= (size_t)d) far++;
        size_t wide = d < 8 ? (size_t)d : 7 + near, narrow = d < 16 ? (size_t)d : 15 + far;
        assert_int_equal(relative_bucket(-d, 32, true), wide);
        if (d) assert_int_equal(relative_bucket(d, 32, true), 16 + wide);
        assert_int_equal(relative_bucket(-d, 32, false), narrow);
        assert_int_equal(relative_bucket(d, 32, false), 0);
    }
}

/* The map agrees with the formula, beyond its ends, too, wherever the keys start. */
static void the_map_is_the_formula(void **state) {
    (void)state;
    float table[BUCKETS * HEADS], scores[N];
    for (int i = 0; i < BUCKETS * HEADS; i++) table[i] = (float)rng_unit(1, 0, (uint64_t)i);
    for (int both = 0; both < 2; both++) {
        Relative r = {.table = table};
        relative_init(&r, HEADS, BUCKETS, both);
        for (size_t query = 0; query < 400; query += 57) {
            for (size_t j = 0; j < N; j++) scores[j] = (float)j;
            relative_add(&r, 1, query, 100, N, scores);
            for (size_t j = 0; j < N; j++) {
                ptrdiff_t d = (ptrdiff_t)(100 + j) - (ptrdiff_t)query;
                float bias = table[relative_bucket(d, BUCKETS, both) * HEADS + 1];
                assert_near(scores[j], (float)j + bias, 0);
            }
        }
    }
}

static void noise(float *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) x[i] = (float)rng_unit(seed, 0, i) * 2 - 1;
}

/* Textbook and online attention, behind a source of 70 positions and without. */
static void attention_takes_them_in(void **state) {
    (void)state;
    float q[N * HEADS * DIM], k[N * HEADS * DIM], v[N * HEADS * DIM], table[BUCKETS * HEADS],
        want[N * HEADS * DIM], plain[N * HEADS * DIM], got[HEADS * DIM], scores[N + 1];
    Relative r = {.table = table};
    AttentionShape s = {.heads = HEADS,
                        .kv_heads = HEADS,
                        .head_dim = DIM,
                        .scale = 1,
                        .mask = {.causal = true}};
    KvShape shape = {.kv_heads = HEADS, .key_dim = DIM, .value_dim = DIM};
    noise(q, N * HEADS * DIM, 1), noise(k, N * HEADS * DIM, 2), noise(v, N * HEADS * DIM, 3);
    noise(table, BUCKETS * HEADS, 4);
    relative_init(&r, HEADS, BUCKETS, false);
    attention(&s, N, q, k, v, plain, scores);
    s.relative = &r;
    attention(&s, N, q, k, v, want, scores);
    assert_true(fabsf(want[N * HEADS * DIM - 1] - plain[N * HEADS * DIM - 1]) > 1e-4f);
    for (size_t source = 0; source <= 70; source += 70) {
        Arena arena;
        KvCache kv;
        kv_open(&kv, &arena,
                (KvConfig){.shapes = &shape, .layers = 1, .sequences = 1, .ctx = 2 * N});
        assert_true(kv_extend(&kv, 0, source + N));
        kv.source[0] = source;
        for (size_t i = 0; i < source + N; i++) /* without the positions before it */
            kv_store(&kv, 0, 0, i, i < source ? q : k + (i - source) * HEADS * DIM,
                     i < source ? q : v + (i - source) * HEADS * DIM);
        for (size_t i = 0; i < N; i += 7) {
            float asked[HEADS * DIM];
            memcpy(asked, q + i * HEADS * DIM, sizeof asked);
            attention_online(NULL, &s, &kv, 0,
                             &(Batch){.count = 1,
                                      .sequence = (int32_t[]){0},
                                      .position = (int32_t[]){(int32_t)(source + i)}},
                             asked, got);
            for (size_t d = 0; d < HEADS * DIM; d++)
                assert_near(got[d], want[i * HEADS * DIM + d], 1e-6);
        }
        arena_free(&arena);
    }
}

static void check_range(Range got, size_t begin, size_t end) {
    assert_int_equal(got.begin, begin);
    assert_int_equal(got.end, end);
}

static void who_looks_at_whom(void **state) {
    (void)state;
    Arena arena;
    KvCache kv;
    KvShape shape = {.kv_heads = 1, .key_dim = DIM, .value_dim = DIM};
    const AttentionShape encoder = {.heads = 1}, text = {.mask = {.causal = true}},
                         window = {.mask = {.causal = true, .window = 3}},
                         cross = {.cross = true};
    kv_open(&kv, &arena,
            (KvConfig){.shapes = &shape, .layers = 1, .sequences = 2, .ctx = 2 * N});
    assert_true(kv_extend(&kv, 0, 20) && kv_extend(&kv, 1, 20));
    kv.source[0] = 12;
    check_range(attention_range(&encoder, &kv, 0, 3), 0, 12);
    check_range(attention_range(&cross, &kv, 0, 15), 0, 12);
    check_range(attention_range(&text, &kv, 0, 15), 12, 16);
    check_range(attention_range(&window, &kv, 0, 15), 13, 16);
    check_range(attention_range(&text, &kv, 1, 15), 0, 16);
    const size_t groups[2][3] = {{1, 10, 14}, {0, 13, 16}}; /* positions that see each other */
    kv.groups = groups, kv.n_groups = 2;
    check_range(attention_range(&text, &kv, 1, 9), 0, 10);
    check_range(attention_range(&text, &kv, 1, 10), 0, 14);
    check_range(attention_range(&text, &kv, 1, 14), 0, 15);
    check_range(attention_range(&window, &kv, 0, 14), 12, 16);
    check_range(attention_range(&encoder, &kv, 1, 15), 0, 20);
    arena_free(&arena);
}

RUN(TEST(buckets_grow_with_the_distance), TEST(the_map_is_the_formula),
    TEST(attention_takes_them_in), TEST(who_looks_at_whom))
