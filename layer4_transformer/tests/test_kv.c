/* the KV cache: pages, forks, windows, prefixes (random operations: test_memory.c) */
#include "fields.h"
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

static int32_t copied_from, copied_to;
static void hear_of_copy(PagePool *pool, int32_t from, int32_t to) {
    (void)pool;
    copied_from = from, copied_to = to;
}

/* So that others who have pages of the same numbers can follow. */
static void copies_are_reported(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    kv_open(&kv, &arena, (KvConfig){.shapes = narrow, .layers = 1, .sequences = 2, .ctx = 192});
    kv.pages.copied = hear_of_copy, copied_to = -1;
    assert_true(kv_extend(&kv, 0, 100));
    kv_fork(&kv, 1, 0);
    assert_int_equal(copied_to, -1);
    assert_true(kv_extend(&kv, 1, 101));
    assert_int_equal(copied_from, kv.table[1]);
    assert_int_equal(copied_to, kv.table[kv.table_size + 1]);
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
 * works, a long one starts over.  It may be the first layer or the second.  A layer that reads
 * another's keys has none to release. */
static void slide(size_t windowed) {
    KvCache kv;
    Arena arena;
    const size_t whole = 1 - windowed;
    KvShape three[3] = {narrow[0], narrow[0], {.window = 100}};
    three[windowed] = (KvShape){.kv_heads = 2, .key_dim = 3, .value_dim = 5, .window = 100};
    kv_open(&kv, &arena,
            (KvConfig){.shapes = three, .layers = 3, .sequences = 1, .ctx = 6400, .batch = 1});
    assert_int_equal(kv.pages.count, 100 + 4);
    for (size_t p = 0; p < 6400; p++) {
        kv_slide(&kv, 0);
        assert_true(kv_extend(&kv, 0, p + 1));
        *key(&kv, windowed, 0, p) = (float)p, *key(&kv, whole, 0, p) = -(float)p;
    }
    for (size_t p = 0; p < 6400; p++) assert_true(*key(&kv, whole, 0, p) == -(float)p);
    for (size_t p = 6400 - KV_REWIND - 100; p < 6400; p++)
        assert_true(*key(&kv, windowed, 0, p) == (float)p);
    assert_int_equal(kv_truncate(&kv, 0, 6400 - KV_REWIND), 6400 - KV_REWIND);
    assert_int_equal(kv_truncate(&kv, 0, 3000), 0);
    assert_int_equal(kv.pages.free_count, 104);
    arena_free(&arena);
}

static void windows_slide(void **state) {
    (void)state;
    slide(0), slide(1);
}

/* A key that replaces another leaves the page as if it had been stored at once. */
static void a_key_is_replaced(void **state) {
    (void)state;
    static const Dtype dtypes[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_Q8_0, DTYPE_Q4_0};
    const KvShape shape = {.kv_heads = 2, .key_dim = 40, .value_dim = 40};
    float first[80], second[80], value[80];
    for (size_t i = 0; i < 80; i++)
        first[i] = (float)i - 30, second[i] = 20 - (float)i, value[i] = (float)(i * i % 50);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        KvCache kv[2];
        Arena arena[2];
        for (size_t i = 0; i < 2; i++) {
            kv_open(&kv[i], &arena[i],
                    (KvConfig){.shapes = &shape,
                               .layers = 1,
                               .dtype = dtypes[d],
                               .sequences = 1,
                               .ctx = 128});
            assert_true(kv_extend(&kv[i], 0, 128));
            for (size_t p = 0; p < 128; p++)
                kv_store(&kv[i], 0, 0, p, i == 0 || p != 70 ? first : second, value);
        }
        for (size_t head = 0; head < 2; head++)
            kv_write_key(&kv[1], (KvHead){0, 0, head}, 70, first + 40 * head);
        for (size_t page = 0; page < 2; page++)
            assert_memory_equal(page_bytes(&kv[0].pages, kv[0].table[page]),
                                page_bytes(&kv[1].pages, kv[1].table[page]),
                                kv[0].pages.page_bytes);
        arena_free(&arena[0]), arena_free(&arena[1]);
    }
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

/* A rollback into an encoder's source empties the sequence; the next text has none. */
static void a_source_is_kept_whole_or_forgotten(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    kv_open(&kv, &arena, (KvConfig){.shapes = narrow, .layers = 2, .sequences = 2, .ctx = 192});
    for (size_t sequence = 0; sequence < 2; sequence++) {
        assert_true(kv_extend(&kv, sequence, 100));
        kv.source[sequence] = 70;
    }
    assert_int_equal(kv_reach(&kv, 0, 70), 70);
    assert_int_equal(kv_reach(&kv, 0, 69), 0);
    assert_int_equal(kv_truncate(&kv, 0, 80), 80);
    assert_int_equal(kv.source[0], 70);
    assert_int_equal(kv_truncate(&kv, 0, 69), 0);
    assert_true(kv.source[0] == 0 && kv.source[1] == 70);
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

/* A text longer than all prefixes together: its beginning is kept, and none of that evicted. */
static void the_beginning_of_a_long_text_is_kept(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    enum { N = 4 * KV_PAGE };
    int32_t text[N + 1];
    for (int i = 0; i <= N; i++) text[i] = i;
    kv_open(
        &kv, &arena,
        (KvConfig){.shapes = narrow, .layers = 2, .sequences = 1, .ctx = 320, .prefixes = 2});
    read_text(&kv, 0, text, N);
    const size_t free_before = kv.pages.free_count;
    prefix_keep(&kv, 0, text, N, 0);
    assert_int_equal(kv.n_prefixes, 2);
    assert_int_equal(prefix_free_pages(&kv), free_before); /* the text holds them, too */
    kv_truncate(&kv, 0, 0);
    assert_int_equal(prefix_free_pages(&kv), kv.pages.count);
    assert_int_equal(prefix_find(&kv, 0, text, N + 1, 0), 2 * KV_PAGE);
    prefix_forget(&kv, -5, 0), assert_int_equal(kv.n_prefixes, 2); /* all tokens are above */
    arena_free(&arena);
}

/* Of a layer with a window a prefix keeps no page that the window has left. */
static void windows_leave_pages_of_prefixes(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    enum { N = 4 * KV_PAGE };
    const KvShape shapes[2] = {{.kv_heads = 1, .key_dim = 4, .value_dim = 4},
                               {.kv_heads = 1, .key_dim = 4, .value_dim = 4, .window = 10}};
    int32_t text[N] = {0};
    kv_open(&kv, &arena,
            (KvConfig){.shapes = shapes,
                       .layers = 2,
                       .sequences = 1,
                       .ctx = N,
                       .batch = 1,
                       .prefixes = 4});
    for (size_t n = 1; n <= N; n++) kv_slide(&kv, 0), read_text(&kv, 0, text, n);
    prefix_keep(&kv, 0, text, N, 0);
    kv_truncate(&kv, 0, 0);
    const size_t held = kv.pages.count - kv.pages.free_count;
    assert_int_equal(kv.n_prefixes, 4);
    assert_true(held > 4 && held < 8);
    assert_int_equal(prefix_free_pages(&kv), kv.pages.count);
    arena_free(&arena);
}

static void asking_for_less_changes_nothing(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    kv_open(&kv, &arena,
            (KvConfig){.shapes = narrow, .layers = 2, .sequences = 1, .ctx = 128, .budget = 2});
    assert_true(kv_extend(&kv, 0, 60) && kv_extend(&kv, 0, 20));
    assert_true(kv.length[0] == 60 && kv_pages_needed(&kv, 0, 20) == 0);
    assert_false(kv_extend(&kv, 0, 65));
    kv.make_room = NULL; /* nothing to evict */
    assert_false(kv_extend(&kv, 0, 65));
    assert_int_equal(kv.length[0], 60);
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

/* ------------------------------------------------------------------ each field */

static KvShape shapes[2]; /* of the cache that is looked at */

static double pages(const KvCache *kv) { return (double)kv->pages.count; }
static double page_bytes_of(const KvCache *kv) { return (double)kv->pages.page_bytes; }
static double state_bytes(const KvCache *kv) { return (double)kv->states.page_bytes; }
static double snapshots(const KvCache *kv) { return (double)kv->snapshots; }
static double longest(const KvCache *kv) {
    KvCache own = *kv;
    size_t length = 0;
    while (kv_extend(&own, 0, length + 1)) length++;
    return (double)length;
}
/* Byte 1 of a key of 8, 0, 0, 0. */
static double second_byte(const KvCache *kv) {
    KvCache own = *kv;
    const float k[4] = {8, 0, 0, 0}, v[4] = {0};
    assert_true(kv_extend(&own, 0, 1));
    kv_store(&own, 0, 0, 0, k, v);
    return ((uint8_t *)page_bytes(&kv->pages, own.table[0]))[1];
}

static void set_layers(KvConfig *c) { c->layers = 1; }
static void set_dtype(KvConfig *c) { c->dtype = DTYPE_F16; }
static void set_sequences(KvConfig *c) { c->sequences = 5; }
static void set_ctx(KvConfig *c) { c->ctx = 300; }
static void set_batch(KvConfig *c) { c->batch = 70; }
static void set_budget(KvConfig *c) { c->budget = 3; }
static void set_prefixes(KvConfig *c) { c->prefixes = 4; }
static void set_rewind(KvConfig *c) { c->rewind = 7; }
static void set_kv_heads(KvConfig *c) { (void)c, shapes[0].kv_heads = 2; }
static void set_key_dim(KvConfig *c) { (void)c, shapes[0].key_dim = 9; }
static void set_value_dim(KvConfig *c) { (void)c, shapes[0].value_dim = 17; }
static void set_window(KvConfig *c) { (void)c, shapes[1].window = 0; }
static void set_state(KvConfig *c) { (void)c, shapes[1].state = 6; }
static void set_hadamard(KvConfig *c) { c->dtype = DTYPE_Q8_0, c->hadamard = true; }

/* Two layers of keys and values, 4 and 4 numbers; the second has a window of 10 and a state. */
static const struct Row {
    const char *field;
    void (*set)(KvConfig *);
    double (*look)(const KvCache *kv);
    double before, after;
} rows[] = {
    {FIELD(KvConfig, shapes), set_kv_heads, page_bytes_of, 64 * 20 * 4, 2 * 64 * 20 * 4},
    {FIELD(KvConfig, layers), set_layers, pages, 2 * (10 + 3), 2 * 10},
    {FIELD(KvConfig, dtype), set_dtype, page_bytes_of, 64 * 20 * 4, 64 * 20 * 2},
    {FIELD(KvConfig, hadamard), set_hadamard, second_byte, 0, 127},
    {FIELD(KvConfig, sequences), set_sequences, pages, 2 * (10 + 3), 5 * (10 + 3)},
    {FIELD(KvConfig, ctx), set_ctx, longest, 640, 300},
    {FIELD(KvConfig, batch), set_batch, pages, 2 * (10 + 3), 2 * (10 + 4)},
    {FIELD(KvConfig, budget), set_budget, pages, 2 * (10 + 3), 3},
    {FIELD(KvConfig, prefixes), set_prefixes, snapshots, 2 + 1 + 2, 2 + 1 + 2 + 1},
    {FIELD(KvConfig, rewind), set_rewind, snapshots, 2 + 1 + 2, 2 + 7 + 2},
    {FIELD(KvShape, kv_heads), set_kv_heads, page_bytes_of, 64 * 20 * 4, 2 * 64 * 20 * 4},
    {FIELD(KvShape, key_dim), set_key_dim, page_bytes_of, 64 * 20 * 4, 64 * 25 * 4},
    {FIELD(KvShape, value_dim), set_value_dim, page_bytes_of, 64 * 20 * 4, 64 * 36 * 4},
    {FIELD(KvShape, window), set_window, pages, 2 * (10 + 3), 2 * (10 + 10)},
    {FIELD(KvShape, state), set_state, state_bytes, 5 * 4, 6 * 4},
};

static double look_at(void (*set)(KvConfig *), double (*look)(const KvCache *)) {
    Arena arena;
    KvCache kv;
    KvConfig c = {
        .shapes = shapes, .layers = 2, .sequences = 2, .ctx = 640, .batch = 1, .rewind = 1};
    shapes[0] = (KvShape){.kv_heads = 1, .key_dim = 4, .value_dim = 4};
    shapes[1] =
        (KvShape){.kv_heads = 1, .key_dim = 4, .value_dim = 4, .window = 10, .state = 5};
    if (set) set(&c);
    kv_open(&kv, &arena, c);
    double seen = look(&kv);
    arena_free(&arena);
    return seen;
}

static KvConfig odd;
static void ask(void) {
    KvCache kv;
    Arena arena;
    arena_measure(&arena), kv_init(&kv, &odd, &arena);
}

static void every_field_acts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double before = look_at(NULL, rows[i].look), after = look_at(rows[i].set, rows[i].look);
        if (!(before == rows[i].before && after == rows[i].after))
            fail_msg("%s: %g, then %g", rows[i].field, before, after);
    }
    odd = (KvConfig){.shapes = narrow, .layers = 1, .sequences = 1, .ctx = 64};
    odd.hadamard = true;
    check_abort(ask, "F32 is not rotated");
    odd.hadamard = false, odd.dtype = DTYPE_Q5_0;
    check_abort(ask, "keys and values in Q5_0");
}

RUN(TEST(pages_are_shared_out), TEST(copies_are_reported), TEST(forks_share_until_they_write),
    TEST(windows_slide), TEST(a_budget_is_kept), TEST(a_context_need_not_be_whole_pages),
    TEST(what_a_token_moves), TEST(a_key_is_replaced),
    TEST(a_source_is_kept_whole_or_forgotten), TEST(texts_that_begin_alike_are_found),
    TEST(prefixes_make_way), TEST(what_a_token_stood_for_is_forgotten),
    TEST(the_beginning_of_a_long_text_is_kept), TEST(asking_for_less_changes_nothing),
    TEST(who_shares_the_last_page_goes_on), TEST(every_field_acts),
    TEST(windows_leave_pages_of_prefixes))
