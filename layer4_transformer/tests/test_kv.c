/* the KV cache: pages, forks, windows, prefixes (random operations: test_memory.c) */
#include "open_kv.h"
#include "prefix.h"

static float *key(const KvCache *kv, size_t layer, size_t sequence, size_t position) {
    return kv_key(kv, (KvHead){layer, sequence, 0}, position);
}

static const KvShape narrow[2] = {{.kv_heads = 1, .key_dim = 4, .value_dim = 4},
                                  {.kv_heads = 1, .key_dim = 4, .value_dim = 4}};

static void pages_are_shared_out(void **state) {
    (void)state;
    Arena arena;
    KvCache kv;
    kv_open(&kv, &arena, (KvConfig){.shapes = narrow, .layers = 2, .sequences = 3, .ctx = 192});
    assert_int_equal(kv.pages.free_count, 2 * 9);
    assert_true(kv_extend(&kv, 0, 65) && kv_extend(&kv, 1, 192));
    assert_false(kv_extend(&kv, 1, 193));
    assert_int_equal(kv.pages.free_count, 2 * 4);
    for (size_t p = 0; p < 65; p++) *key(&kv, 1, 0, p) = (float)p;
    for (size_t p = 0; p < 192; p++)
        *key(&kv, 1, 1, p) = *key(&kv, 0, 1, p) = -1,
                        *(float *)kv_value(&kv, (KvHead){1, 1, 0}, p) = -1;
    for (size_t p = 0; p < 65; p++) assert_true(*key(&kv, 1, 0, p) == (float)p);
    assert_int_equal(kv_truncate(&kv, 1, 64), 64);
    assert_int_equal(kv.pages.free_count, 2 * 6);
    assert_int_equal(kv_truncate(&kv, 1, 100), 64);
    assert_true(kv_extend(&kv, 2, 192) && kv.pages.free_count == 2 * 3);
    kv_truncate(&kv, 2, 0), kv_truncate(&kv, 1, 0), kv_truncate(&kv, 0, 0);
    assert_int_equal(kv.pages.free_count, 2 * 9);
    arena_free(&arena);
}

static void forks_share_until_they_write(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    kv_open(&kv, &arena, (KvConfig){.shapes = narrow, .layers = 2, .sequences = 3, .ctx = 192});
    assert_true(kv_extend(&kv, 0, 100));
    for (size_t p = 0; p < 100; p++) *key(&kv, 1, 0, p) = (float)p;
    kv_fork(&kv, 1, 0), kv_fork(&kv, 2, 0);
    assert_int_equal(kv.pages.free_count, 2 * 7); /* two pages of a layer for all three */
    assert_true(kv_extend(&kv, 1, 101) && kv_extend(&kv, 2, 150));
    assert_int_equal(kv.pages.free_count, 2 * 4); /* two private copies, one new */
    *key(&kv, 1, 1, 100) = -1, *key(&kv, 1, 2, 100) = -2;
    for (size_t sequence = 0; sequence < 3; sequence++)
        for (size_t p = 0; p < 100; p++) assert_true(*key(&kv, 1, sequence, p) == (float)p);
    assert_true(*key(&kv, 1, 1, 100) == -1 && *key(&kv, 1, 2, 100) == -2);
    assert_ptr_equal(key(&kv, 0, 0, 5), key(&kv, 0, 2, 5));
    kv_truncate(&kv, 0, 0), kv_truncate(&kv, 2, 0);
    assert_true(*key(&kv, 1, 1, 99) == 99 && kv.pages.free_count == 2 * 7);
    kv_fork(&kv, 0, 1), kv_truncate(&kv, 0, 64); /* truncated at a page border, then written */
    assert_true(kv_extend(&kv, 0, 65));
    *key(&kv, 1, 0, 64) = -3;
    assert_true(*key(&kv, 1, 1, 64) == 64);
    arena_free(&arena);
}

/* A windowed layer has a bounded number of pages for any length of text; a short rollback
 * works, a long one starts over. */
static void windows_slide(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    const KvShape shapes[2] = {{.kv_heads = 1, .key_dim = 4, .value_dim = 4},
                               {.kv_heads = 2, .key_dim = 3, .value_dim = 5, .window = 100}};
    kv_open(&kv, &arena,
            (KvConfig){.shapes = shapes, .layers = 2, .sequences = 1, .ctx = 6400, .batch = 1});
    assert_int_equal(kv.pages.count, 100 + 4);
    for (size_t p = 0; p < 6400; p++) {
        kv_slide(&kv, 0);
        assert_true(kv_extend(&kv, 0, p + 1));
        *key(&kv, 1, 0, p) = (float)p;
    }
    for (size_t p = 6400 - KV_REWIND - 100; p < 6400; p++)
        assert_true(*key(&kv, 1, 0, p) == (float)p);
    assert_int_equal(kv_truncate(&kv, 0, 6400 - KV_REWIND), 6400 - KV_REWIND);
    assert_int_equal(kv_truncate(&kv, 0, 3000), 0);
    assert_int_equal(kv.pages.free_count, 104);
    arena_free(&arena);
}

/* Keys and values of all positions, or of a window; and a state, read and written. */
static void what_a_token_moves(void **state) {
    (void)state;
    static const KvShape shapes[] = {
        {.kv_heads = 2, .key_dim = 16, .value_dim = STRIP},
        {.kv_heads = 2, .key_dim = 16, .value_dim = STRIP, .window = 64},
        {.state = 1000}};
    const double position = 2 * (16 + STRIP) * sizeof(float), states = 2 * 1000 * sizeof(float);
    KvCache kv;
    Arena arena;
    kv_open(&kv, &arena, (KvConfig){.shapes = shapes, .layers = 3, .sequences = 1, .ctx = 192});
    assert_near(kv_bytes_moved(&kv, 0), states, 0);
    assert_near(kv_bytes_moved(&kv, 10), 2 * 10 * position + states, 1e-9);
    assert_near(kv_bytes_moved(&kv, 100), (100 + 64) * position + states, 1e-9);
    arena_free(&arena);
}

static void a_context_need_not_be_whole_pages(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    kv_open(&kv, &arena, (KvConfig){.shapes = narrow, .layers = 2, .sequences = 1, .ctx = 130});
    assert_true(kv_extend(&kv, 0, 130));
    assert_false(kv_extend(&kv, 0, 131));
    assert_int_equal(kv.length[0], 130);
    arena_free(&arena);
}

/* A budget smaller than the sequences could fill: when it is used up, kv_extend changes
 * nothing. */
static void a_budget_is_kept(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    kv_open(
        &kv, &arena,
        (KvConfig){.shapes = narrow, .layers = 2, .sequences = 2, .ctx = 640, .budget = 2 * 7});
    assert_true(kv_extend(&kv, 0, 5 * KV_PAGE));
    assert_false(kv_extend(&kv, 1, 3 * KV_PAGE));
    assert_true(kv.length[1] == 0 && kv.pages.free_count == 4);
    assert_true(kv_extend(&kv, 1, 2 * KV_PAGE) && kv.pages.free_count == 0);
    arena_free(&arena);
}

static void read_text(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n) {
    size_t at = kv->length[sequence];
    assert_true(kv_extend(kv, sequence, n));
    for (; at < n; at++) *key(kv, 0, sequence, at) = (float)tokens[at];
}

static void texts_that_begin_alike_are_found(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    enum { N = 300 };
    int32_t tokens[N];
    for (int i = 0; i < N; i++) tokens[i] = i * i;
    kv_open(
        &kv, &arena,
        (KvConfig){.shapes = narrow, .layers = 2, .sequences = 2, .ctx = 320, .prefixes = 8});
    assert_int_equal(prefix_find(&kv, 0, tokens, N, 0), 0);
    read_text(&kv, 0, tokens, N);
    prefix_keep(&kv, 0, tokens, N, 0);
    assert_int_equal(kv.n_prefixes, 4);
    kv_truncate(&kv, 0, 0);
    assert_int_equal(kv.pages.free_count, 20 - 8);
    assert_int_equal(prefix_find(&kv, 1, tokens, N, 7), 0);     /* another salt */
    assert_int_equal(prefix_find(&kv, 1, tokens, 256, 0), 255); /* the last is evaluated */
    read_text(&kv, 1, tokens, 256);
    assert_int_equal(kv.pages.free_count, 20 - 8 - 2); /* the last page was copied */
    assert_int_equal(prefix_find(&kv, 1, tokens, 257, 0), 256);
    for (size_t p = 0; p < 256; p++) assert_true(*key(&kv, 0, 1, p) == (float)tokens[p]);
    tokens[130]++;
    assert_int_equal(prefix_find(&kv, 1, tokens, N, 0), 130);
    read_text(&kv, 1, tokens, N); /* another text from the third page on */
    prefix_keep(&kv, 1, tokens, N, 0);
    assert_int_equal(kv.n_prefixes, 6);
    tokens[130]--;
    assert_int_equal(prefix_find(&kv, 0, tokens, N, 0), 256);
    for (size_t p = 0; p < 256; p++) assert_true(*key(&kv, 0, 0, p) == (float)tokens[p]);
    kv_truncate(&kv, 0, 0), kv_truncate(&kv, 1, 0);
    for (size_t left = 6; left > 0; left--) assert_true(prefix_evict(&kv));
    assert_false(prefix_evict(&kv));
    assert_int_equal(kv.pages.free_count, 20);
    arena_free(&arena);
}

/* The least recently used prefix is evicted when a sequence needs room. */
static void prefixes_make_way(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    int32_t one[KV_PAGE + 1] = {1}, two[KV_PAGE + 1] = {2};
    kv_open(&kv, &arena,
            (KvConfig){.shapes = narrow,
                       .layers = 1,
                       .sequences = 2,
                       .ctx = 320,
                       .budget = 5,
                       .prefixes = 4});
    read_text(&kv, 0, one, KV_PAGE), prefix_keep(&kv, 0, one, KV_PAGE, 0);
    kv_truncate(&kv, 0, 0);
    read_text(&kv, 0, two, KV_PAGE), prefix_keep(&kv, 0, two, KV_PAGE, 0);
    kv_truncate(&kv, 0, 0);
    assert_int_equal(prefix_find(&kv, 1, one, KV_PAGE + 1, 0), KV_PAGE); /* used again */
    kv_truncate(&kv, 1, 0);
    assert_true(kv_extend(&kv, 0, 4 * KV_PAGE));
    assert_int_equal(prefix_find(&kv, 1, two, KV_PAGE + 1, 0), 0);
    assert_int_equal(prefix_find(&kv, 1, one, KV_PAGE + 1, 0), KV_PAGE);
    arena_free(&arena);
}

/* Pages with a token whose id is reused, and their descendants, are evicted; no others. */
static void what_a_token_stood_for_is_forgotten(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    enum { N = 4 * KV_PAGE };
    int32_t one[N + 1] = {0}, two[N + 1] = {0};
    kv_open(
        &kv, &arena,
        (KvConfig){.shapes = narrow, .layers = 2, .sequences = 2, .ctx = 320, .prefixes = 8});
    for (int i = KV_PAGE; i < N; i++) one[i] = 1, two[i] = 2;
    one[2 * KV_PAGE + 5] = 900, two[KV_PAGE] = 899; /* 900 and 901 */
    read_text(&kv, 0, one, N), prefix_keep(&kv, 0, one, N, 0);
    read_text(&kv, 1, two, N), prefix_keep(&kv, 1, two, N, 0);
    kv_truncate(&kv, 0, 0), kv_truncate(&kv, 1, 0);
    const size_t kept = kv.n_prefixes;
    prefix_forget(&kv, 902, 1000);
    assert_int_equal(kv.n_prefixes, kept);
    prefix_forget(&kv, 900, 902);
    assert_int_equal(kv.n_prefixes, kept - 2);
    assert_int_equal(prefix_find(&kv, 0, one, N + 1, 0), 2 * KV_PAGE);
    assert_int_equal(prefix_find(&kv, 1, two, N + 1, 0), N);
    for (size_t p = 0; p < N; p++) assert_true(*key(&kv, 0, 1, p) == (float)two[p]);
    kv_truncate(&kv, 0, 0), kv_truncate(&kv, 1, 0);
    prefix_forget(&kv, 0, 1); /* a shared prefix */
    assert_int_equal(kv.n_prefixes, 0);
    assert_int_equal(kv.pages.free_count, kv.pages.count);
    arena_free(&arena);
}

/* A text that holds all pages, some shared with a prefix, extends a shared page: the prefix is
 * evicted. */
static void who_shares_the_last_page_goes_on(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    int32_t text[2 * KV_PAGE] = {0};
    kv_open(&kv, &arena,
            (KvConfig){.shapes = narrow,
                       .layers = 2,
                       .sequences = 1,
                       .ctx = 128,
                       .budget = 4,
                       .prefixes = 4});
    read_text(&kv, 0, text, 2 * KV_PAGE), prefix_keep(&kv, 0, text, 2 * KV_PAGE, 0);
    assert_int_equal(prefix_find(&kv, 0, text, 2 * KV_PAGE, 0), 2 * KV_PAGE - 1);
    assert_true(kv.pages.free_count == 0 && kv_pages_needed(&kv, 0, 2 * KV_PAGE) == 2);
    assert_true(kv_extend(&kv, 0, 2 * KV_PAGE));
    assert_int_equal(kv.n_prefixes, 1);
    assert_true(kv.pages.free_count == 0);
    arena_free(&arena);
}

RUN(TEST(pages_are_shared_out), TEST(forks_share_until_they_write), TEST(windows_slide),
    TEST(a_budget_is_kept), TEST(a_context_need_not_be_whole_pages), TEST(what_a_token_moves),
    TEST(texts_that_begin_alike_are_found), TEST(prefixes_make_way),
    TEST(what_a_token_stood_for_is_forgotten), TEST(who_shares_the_last_page_goes_on))
