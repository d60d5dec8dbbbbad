/* the KV cache, with states and without: half a million random operations against a naive
 * model; and which states can be rolled back to */
#include "kv_fault.h"
#include "open_kv.h"
#include "prefix.h"
#include "shift.h"
#include "state.h"

enum { SEQUENCES = 4, CTX = 6 * KV_PAGE, LAYERS = 5, WINDOW = 70, REWIND = 5, BATCH = 40 };

static const KvShape mixed[LAYERS] = {
    {.kv_heads = 1, .key_dim = 2, .value_dim = 2},
    {.kv_heads = 2, .key_dim = 3, .value_dim = 1, .window = WINDOW},
    {.kv_heads = 1, .key_dim = 1, .value_dim = 4, .window = 5},
    {.state = 3},                                               /* recurrent */
    {.kv_heads = 1, .key_dim = 1, .value_dim = 1, .state = 2}}; /* both */

/* What a sequence should hold: its tokens; the key of a position is a hash of all up to it. */
typedef struct Naive {
    int32_t token[CTX];
    uint64_t hash[CTX];   /* hash of the tokens up to each, including those cut out since */
    size_t exact;         /* positions before the first cut */
    bool marked[CTX + 1]; /* lengths marked by state_keep or a batch's end */
    size_t length, slid;  /* length at its last slide, or of its prefix */
    size_t farthest;      /* max length since it began */
} Naive;

static float number_at(const Naive *s, size_t layer, size_t position) {
    return (float)((s->hash[position] + layer) % 65536);
}

static void note_token(Naive *s, size_t position, int32_t token) {
    s->token[position] = token;
    s->hash[position] = (position ? s->hash[position - 1] : 7) * 31 + (uint64_t)token;
}

/* Every layer holds what the next token sees, at probed positions. */
static void check_numbers(const KvCache *kv, size_t sequence, const Naive *s, Rng *rng) {
    assert_int_equal(kv->length[sequence], s->length);
    for (size_t l = 0; s->length && l < kv->config.layers; l++) {
        size_t window = mixed[l].window,
               first = window && s->length + 1 > window ? s->length + 1 - window : 0;
        if (mixed[l].state)
            assert_true(kv_state(kv, l, sequence, s->length)[mixed[l].state - 1] ==
                        number_at(s, l, s->length - 1));
        if (first >= s->length || !mixed[l].kv_heads) continue;
        size_t p = first + rng_below(rng, s->length - first);
        assert_true(*(float *)kv_key(kv, (KvHead){l, sequence, mixed[l].kv_heads - 1}, p) ==
                    number_at(s, l, p));
    }
}

/* As a layer does: the state after a position from the one before. */
static void step_state(const KvCache *kv, size_t layer, size_t sequence, const Naive *s) {
    size_t p = s->length, last = mixed[layer].state - 1;
    const float *before = kv_state(kv, layer, sequence, p);
    assert_true(before ? before[last] == number_at(s, layer, p - 1) : p == 0);
    kv_state(kv, layer, sequence, p + 1)[last] = number_at(s, layer, p);
}

static void append(KvCache *kv, size_t sequence, Naive *s, size_t n, Rng *rng) {
    kv_slide(kv, sequence);
    s->marked[s->length] = true;
    if (s->length > s->slid) s->slid = s->length;
    for (size_t i = 1; i <= n; i++) { /* extend all, then store */
        if (!kv_extend(kv, sequence, s->length + i)) {
            kv_truncate(kv, sequence, s->length);
            return;
        }
        s->marked[s->length + i] = rng_below(rng, 3) == 0;
        if (s->marked[s->length + i]) state_keep(kv, sequence);
    }
    for (; n > 0; n--, s->length++) {
        note_token(s, s->length, (int32_t)rng_below(rng, 2)); /* texts coincide */
        if (s->exact == s->length) s->exact++;
        for (size_t l = 0; l < kv->config.layers; l++) {
            if (mixed[l].state) step_state(kv, l, sequence, s);
            if (mixed[l].kv_heads)
                *(float *)kv_key(kv, (KvHead){l, sequence, mixed[l].kv_heads - 1}, s->length) =
                    number_at(s, l, s->length);
        }
    }
    if (s->length > s->farthest) s->farthest = s->length;
}

static void begin(KvCache *kv, size_t sequence, Naive *s, const Naive *text) {
    size_t found = prefix_find(kv, sequence, text->token, text->length, 1);
    assert_true(found < text->length || found == 0);
    assert_true(found % KV_PAGE == 0 || !kv->snapshots);
    *s = *text, s->length = s->exact = found, s->slid = s->farthest = found + KV_REWIND;
    for (size_t i = 0; i < found; i++) note_token(s, i, s->token[i]);
    memset(s->marked, 0, sizeof s->marked);
}

/* The length a recurrent layer can roll back to at least, if no window prevents it. */
static size_t surely(const Naive *s, size_t to) {
    bool near = to + KV_REWIND >= s->farthest;
    if (s->marked[to] && to + REWIND >= s->farthest) return to;
    return near ? to / KV_PAGE * KV_PAGE : 0;
}

static void go_back(KvCache *kv, size_t sequence, Naive *s, size_t to) {
    size_t could = kv_reach(kv, sequence, to), left = kv_truncate(kv, sequence, to);
    assert_int_equal(left, could);
    if (kv->snapshots && to < s->length) {
        size_t most = surely(s, to);
        assert_true(left <= to);
        assert_true(left >= most || (left == 0 && s->slid > most + KV_REWIND));
    } else {
        assert_true(left == to || (left == 0 && s->slid > to + KV_REWIND));
    }
    s->length = left, s->exact = min_size(s->exact, left);
    if (left == 0) s->slid = s->farthest = 0;
}

/* Do windows still hold what the next token would see? */
static bool may_cut(const KvCache *kv, size_t sequence, size_t keep, size_t gone) {
    if (kv->snapshots || keep + gone > kv->length[sequence]) return false;
    for (size_t l = 0; l < kv->config.layers; l++)
        if (mixed[l].window && kv->gone[sequence * kv->config.layers + l] &&
            keep + gone + mixed[l].window > kv->length[sequence] + 1)
            return false;
    return true;
}

static void cut_out(KvCache *kv, size_t sequence, Naive *s, Rng *rng) {
    size_t keep = KV_PAGE * rng_below(rng, 3), gone = KV_PAGE * (1 + rng_below(rng, 3));
    if (!may_cut(kv, sequence, keep, gone)) return;
    size_t rest = s->length - keep - gone;
    if (!shift_pages(kv, sequence, keep, gone)) {
        assert_true(kv->config.budget && kv->pages.free_count < (rest / KV_PAGE + 1) * 3);
        return;
    }
    memmove(s->token + keep, s->token + keep + gone, rest * sizeof *s->token);
    memmove(s->hash + keep, s->hash + keep + gone, rest * sizeof *s->hash);
    s->length = keep + rest, s->exact = min_size(s->exact, keep);
}

static void one_operation(KvCache *kv, Naive *naive, Rng *rng) {
    size_t a = rng_below(rng, SEQUENCES), b = rng_below(rng, SEQUENCES);
    Naive *s = &naive[a];
    switch (rng_below(rng, 9)) {
    case 0:
    case 1:
    case 2: append(kv, a, s, 1 + rng_below(rng, BATCH), rng); break;
    case 3: go_back(kv, a, s, rng_below(rng, s->length + 1)); break;
    case 4: kv_fork(kv, b, a), naive[b] = *s; break;
    case 5: prefix_keep(kv, a, s->token, s->exact, 1); break;
    case 6:
        go_back(kv, a, s, s->length - rng_below(rng, s->length < 8 ? s->length + 1 : 8));
        break;
    case 7: {
        Naive text = naive[b];
        begin(kv, a, s, &text);
        break;
    }
    case 8: cut_out(kv, a, s, rng);
    }
    check_numbers(kv, a, s, rng);
}

static void random_operations_keep_every_number(void **state) {
    (void)state;
    enum { OPERATIONS = 70000, ATTENTION_ONLY = 3 };
    for (uint64_t seed = 0; seed < 8; seed++) {
        KvCache kv;
        Arena arena;
        Naive naive[SEQUENCES] = {0};
        Rng rng = {.seed = seed};
        kv_open(&kv, &arena,
                (KvConfig){.shapes = mixed,
                           .layers = seed < 4 ? ATTENTION_ONLY : LAYERS,
                           .sequences = SEQUENCES,
                           .ctx = CTX,
                           .batch = BATCH,
                           .budget = seed % 2 ? 40 : 0,
                           .prefixes = seed == 6 ? 0 : 5 + 10 * (seed / 2 % 2),
                           .rewind = REWIND});
        for (int i = 0; i < OPERATIONS; i++) {
            one_operation(&kv, naive, &rng);
            const char *wrong = kv_fault(&kv);
            if (wrong) fail_msg("seed %d, operation %d: %s", (int)seed, i, wrong);
        }
        arena_free(&arena);
    }
}

/* ------------------------------------------------------------------ states alone */

enum { ALONE = 400 };
static const KvShape alone = {.state = 1};

/* Read tokens 0, 0, ... to a length: the state counts them. */
static void count_to(KvCache *kv, size_t sequence, size_t length) {
    size_t from = kv->length[sequence];
    kv_slide(kv, sequence);
    assert_true(kv_extend(kv, sequence, length));
    for (size_t p = from; p < length; p++) {
        const float *before = kv_state(kv, 0, sequence, p);
        *kv_state(kv, 0, sequence, p + 1) = (before ? *before : 0) + 1;
    }
}

static void open_alone(KvCache *kv, Arena *arena, size_t prefixes) {
    kv_open(kv, arena,
            (KvConfig){.shapes = &alone,
                       .layers = 1,
                       .sequences = 2,
                       .ctx = ALONE,
                       .batch = ALONE,
                       .prefixes = prefixes,
                       .rewind = 2});
}

static void states_go_back_to_snapshots(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    open_alone(&kv, &arena, 0);
    count_to(&kv, 0, 300);
    assert_int_equal(kv.pages.count, 0); /* no keys and values */
    assert_int_equal(kv_reach(&kv, 0, 300), 300);
    assert_int_equal(kv_reach(&kv, 0, 299), 256);
    assert_int_equal(kv_reach(&kv, 0, 255), 192); /* KV_REWIND back, and the border before */
    assert_int_equal(kv_reach(&kv, 0, 191), 0);
    count_to(&kv, 0, 301), count_to(&kv, 0, 302);
    assert_int_equal(kv_reach(&kv, 0, 301), 301); /* ends of batches */
    assert_int_equal(kv_reach(&kv, 0, 300), 300);
    count_to(&kv, 0, 303);
    assert_int_equal(kv_reach(&kv, 0, 300), 256); /* three tokens back, rewind is 2 */
    assert_int_equal(kv_truncate(&kv, 0, 250), 192);
    assert_true(*kv_state(&kv, 0, 0, 192) == 192);
    kv_fork(&kv, 1, 0);
    count_to(&kv, 1, 200);
    assert_true(*kv_state(&kv, 0, 0, 192) == 192 && *kv_state(&kv, 0, 1, 200) == 200);
    arena_free(&arena);
}

/* Every page border of a kept prefix has its state. */
static void prefixes_begin_with_a_state(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    int32_t text[ALONE] = {0};
    open_alone(&kv, &arena, 6);
    count_to(&kv, 0, 390);
    prefix_keep(&kv, 0, text, 390, 0);
    text[200] = 7;
    assert_int_equal(prefix_find(&kv, 1, text, ALONE, 0), 192);
    assert_true(*kv_state(&kv, 0, 1, 192) == 192);
    count_to(&kv, 1, 260);
    assert_true(*kv_state(&kv, 0, 1, 260) == 260);
    kv_truncate(&kv, 0, 0), kv_truncate(&kv, 1, 0);
    assert_int_equal(kv.states.free_count, kv.states.count - 6);
    while (prefix_evict(&kv)) {}
    assert_int_equal(kv.states.free_count, kv.states.count);
    arena_free(&arena);
}

/* Read token by token, a text has lost the states of most borders before it is kept: a text
 * that leaves it there finds no prefix. */
static void a_border_without_a_state_is_no_beginning(void **state) {
    (void)state;
    KvCache kv;
    Arena arena;
    int32_t text[ALONE] = {0};
    open_alone(&kv, &arena, 6);
    for (size_t n = 1; n <= 300; n++) count_to(&kv, 0, n);
    prefix_keep(&kv, 0, text, 300, 0);
    assert_int_equal(kv.n_prefixes, 4);
    text[280] = 7;
    assert_int_equal(prefix_find(&kv, 1, text, ALONE, 0), 256);
    assert_true(*kv_state(&kv, 0, 1, 256) == 256);
    text[100] = 7;
    assert_int_equal(prefix_find(&kv, 1, text, ALONE, 0), 0);
    arena_free(&arena);
}

RUN(TEST(random_operations_keep_every_number), TEST(a_border_without_a_state_is_no_beginning),
    TEST(states_go_back_to_snapshots), TEST(prefixes_begin_with_a_state))
