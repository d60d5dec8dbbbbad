/* The grader of the shift: pages are cut out, and keys rotated to their new positions. */
#include "grader.h"
#include "transformer_extras.h"
#include "shift.h"
#include "../src/memory/kv_pages.h"

enum { DIM = 10 };

typedef struct Memory {
    KvCache kv;
    Arena arena;
    Rope rope;
    size_t plain; /* unrotated numbers of a key */
} Memory;

static const KvShape
    two[2] = {{.kv_heads = 1, .key_dim = DIM, .value_dim = 2},
              {.kv_heads = 3, .key_dim = DIM, .value_dim = 3}},
    windowed[2] = {{.kv_heads = 1, .key_dim = DIM, .value_dim = 2},
                   {.kv_heads = 2, .key_dim = DIM, .value_dim = 3, .window = 40}},
    bare[2] = {{.kv_heads = 1, .key_dim = DIM, .value_dim = 2}, {.kv_heads = 0}};

/* Each cache has keys of another kind. */
static void memory_open(Memory *m, const KvShape *shapes, RopeStyle style) {
    static const size_t kinds[4][2] = {{2, 6}, {0, 10}, {5, 4}, {1, 8}}; /* plain, rotary */
    static size_t opened;
    const size_t *kind = kinds[opened++ % 4];
    Fault fault;
    KvConfig config = {
        .shapes = shapes, .layers = 2, .sequences = 3, .ctx = 12 * KV_PAGE, .batch = KV_PAGE};
    RopeConfig turn = {.style = style,
                       .rotary = kind[1],
                       .theta = 100,
                       .scaling = ROPE_SCALE_YARN,
                       .factor = 3,
                       .trained_ctx = 200,
                       .beta_fast = 32,
                       .beta_slow = 1,
                       .attn_factor = 1};
    m->plain = kind[0];
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            NEED(arena_init(&m->arena, m->arena.used, &fault));
        else
            arena_measure(&m->arena);
        kv_init(&m->kv, &config, &m->arena), rope_init(&m->rope, &turn, &m->arena);
    }
}

/* A token's key before rotation: made from its index in the text. */
static void plain_key(float *key, size_t token, size_t layer, size_t head) {
    for (size_t i = 0; i < DIM; i++)
        key[i] = (float)sin(1.0 + (double)(token * 7 + layer * 31 + head * 13 + i * i));
}

static void turned_key(const Memory *m, float *key, size_t token, size_t place, size_t layer,
                       size_t head) {
    float cosine[DIM], sine[DIM];
    plain_key(key, token, layer, head);
    if (m->rope.style == ROPE_NONE) return;
    rope_angles(&m->rope, place, cosine, sine);
    rope_rotate(&m->rope, cosine, sine, key + m->plain);
}

static void read_text(Memory *m, size_t sequence, size_t length) {
    KvCache *kv = &m->kv;
    float key[DIM];
    for (size_t at = 0; at < length; at = kv->length[sequence]) {
        kv_slide(kv, sequence);
        NEED(kv_extend(kv, sequence, min_size(length, at + KV_PAGE)));
        for (; at < kv->length[sequence]; at++)
            for (size_t l = 0; l < 2; l++)
                for (size_t head = 0; head < kv->shape[l].kv_heads; head++) {
                    turned_key(m, key, at, at, l, head);
                    kv_write_key(kv, (KvHead){l, sequence, head}, at, key);
                    *(float *)kv_value(kv, (KvHead){l, sequence, head}, at) = (float)at;
                }
    }
}

/* What each position should hold: the tokens before `keep`, then those behind the gap, rotated
 * to `by` fewer positions. */
static void has_text(const Memory *m, size_t sequence, size_t keep, size_t gone, bool turned,
                     const char *who) {
    const KvCache *kv = &m->kv;
    float want[DIM], got[DIM];
    for (size_t l = 0; l < 2; l++)
        for (size_t head = 0; head < kv->shape[l].kv_heads; head++)
            for (size_t p = (size_t)*kv_gone(kv, sequence, l) * KV_PAGE;
                 p < kv->length[sequence]; p++) {
                size_t token = p < keep ? p : p + gone;
                NUMBER(*(float *)kv_value(kv, (KvHead){l, sequence, head}, p), token, 0,
                       "%s, layer %zu: whose value is at position %zu; those after the gap "
                       "move up in the table, the others stay",
                       who, l, p);
                turned_key(m, want, token, turned ? p : token, l, head);
                kv_read_key(kv, (KvHead){l, sequence, head}, p, got);
                NUMBERS(got, want, DIM, 2e-5,
                        "%s, layer %zu, head %zu: the key at position %zu of what was token "
                        "%zu; keys from `first` on are rotated back by `by` positions, the "
                        "numbers from `plain` on, and keep their length",
                        who, l, head, p, token);
            }
}

static void turn_all(Memory *m, size_t sequence, size_t keep, size_t gone) {
    float key[DIM], cosine[DIM], sine[DIM];
    ShiftRope turn = {
        .rope = &m->rope, .plain = m->plain, .key = key, .cosine = cosine, .sine = sine};
    ShiftElsewhere *was = shift_elsewhere;
    for (size_t l = 0; l < 2; l++) {
        shift_keys(&m->kv, l, sequence, keep, gone, &turn);
        HINT(shift_elsewhere == was, "shift_elsewhere has changed: shift_keys only calls it");
    }
}

/* Cut; count the leading entries released by a window, before and after. */
static void cut_pages(Memory *m, size_t keep, size_t gone) {
    KvCache *kv = &m->kv;
    const size_t first = keep / KV_PAGE, count = gone / KV_PAGE;
    size_t missing[2];
    for (size_t l = 0; l < 2; l++) missing[l] = (size_t)*kv_gone(kv, 0, l);
    NEED(shift_pages(kv, 0, keep, gone));
    for (size_t l = 0; l < 2; l++) {
        size_t behind = missing[l] > first + count ? missing[l] - count : first;
        COUNT(*kv_gone(kv, 0, l), missing[l] > first ? behind : missing[l],
              "%zu pages are cut out from page %zu on, and a window had given back the first "
              "%zu of layer %zu: leading entries that are missing then (kv_gone)",
              count, first, missing[l], l);
    }
}

static void cut(const KvShape *shapes, RopeStyle style, size_t length, size_t keep,
                size_t gone) {
    Memory m;
    KvCache *kv = &m.kv;
    memory_open(&m, shapes, style);
    size_t all = kv->pages.free_count;
    read_text(&m, 0, length);
    size_t held = all - kv->pages.free_count, given = 0;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = keep / KV_PAGE; kv_has_pages(kv, l) && i < (keep + gone) / KV_PAGE; i++)
            given += i >= (size_t)*kv_gone(kv, 0, l);
    cut_pages(&m, keep, gone);
    COUNT(kv->pages.free_count, all - held + given,
          "a text of %zu, cut from %zu on by %zu: pages that are free; each page of the gap is "
          "given back once, but those that a window has given back before",
          length, keep, gone);
    has_text(&m, 0, keep, gone, style == ROPE_NONE, "after shift_pages");
    turn_all(&m, 0, keep, gone);
    has_text(&m, 0, keep, gone, true, "after shift_keys");
    read_text(&m, 1, 70);
    has_text(&m, 0, keep, gone, true, "after another text has taken pages");
    kv_truncate(kv, 0, 0), kv_truncate(kv, 1, 0);
    COUNT(kv->pages.free_count, all, "both texts are forgotten: pages that are free");
    for (size_t page = 0; page < kv->pages.count; page++)
        COUNT(kv->pages.refcount[page], 0, "both texts are forgotten: users of page %zu", page);
    arena_free(&m.arena);
}

/* Two texts with one beginning: a shift of one does not change the other. */
static void cut_what_is_shared(void) {
    Memory m;
    KvCache *kv = &m.kv;
    memory_open(&m, two, ROPE_HALF_SPLIT);
    size_t all = kv->pages.free_count;
    read_text(&m, 0, 5 * KV_PAGE + 9);
    kv_fork(kv, 1, 0);
    NEED(shift_pages(kv, 1, KV_PAGE, 2 * KV_PAGE));
    turn_all(&m, 1, KV_PAGE, 2 * KV_PAGE);
    has_text(&m, 1, KV_PAGE, 2 * KV_PAGE, true, "the text that was cut");
    has_text(&m, 0, 0, 0, true,
             "another text with the same pages (a page that others name is copied before its "
             "keys turn: copy_on_write)");
    for (size_t l = 0; l < 2; l++)
        COUNT(kv->pages.refcount[kv_table(kv, 0, l)[0]], 2,
              "a page before the gap stays shared: its users in layer %zu", l);
    kv_truncate(kv, 0, 0), kv_truncate(kv, 1, 0);
    COUNT(kv->pages.free_count, all, "both texts are forgotten: pages that are free");
    arena_free(&m.arena);
}

/* Pages that a window released may be another text's by now, though table entries still name
 * them. */
static void cut_behind_a_window(void) {
    Memory m;
    KvCache *kv = &m.kv;
    memory_open(&m, windowed, ROPE_HALF_SPLIT);
    size_t all = kv->pages.free_count;
    read_text(&m, 0, 9 * KV_PAGE + 5), read_text(&m, 1, 70);
    kv_fork(kv, 2, 1);
    int32_t page = kv_table(kv, 1, 1)[0];
    for (size_t i = 0; i < (size_t)*kv_gone(kv, 0, 1); i++) kv_table(kv, 0, 1)[i] = page;
    cut_pages(&m, KV_PAGE, 4 * KV_PAGE);
    COUNT(kv->pages.refcount[page], 2,
          "users of a page that a window gave back, and that two other texts have now: the "
          "entries before kv_gone name nothing");
    turn_all(&m, 0, KV_PAGE, 4 * KV_PAGE);
    has_text(&m, 0, KV_PAGE, 4 * KV_PAGE, true, "a text with a window");
    for (size_t s = 1; s < 3; s++) has_text(&m, s, 0, 0, true, "another text");
    for (size_t s = 0; s < 3; s++) kv_truncate(kv, s, 0);
    COUNT(kv->pages.free_count, all, "all three are forgotten: pages that are free");
    arena_free(&m.arena);
}

/* A layer without positions: ROPE_NONE, and no rope. */
static void no_rope(void) {
    Memory m;
    ShiftRope none = {0};
    memory_open(&m, two, ROPE_NONE);
    read_text(&m, 0, 200);
    NEED(shift_pages(&m.kv, 0, KV_PAGE, KV_PAGE));
    turn_all(&m, 0, KV_PAGE, KV_PAGE);
    has_text(&m, 0, KV_PAGE, KV_PAGE, true, "a layer without rope (ROPE_NONE)");
    shift_keys(&m.kv, 0, 0, KV_PAGE, KV_PAGE, &none);
    has_text(&m, 0, KV_PAGE, KV_PAGE, true, "a layer without rope");
    arena_free(&m.arena);
}

/* Other machines may hold more heads of the layer: they are told, and do the same. */
static size_t told[2][5];
static void hear_of_shift(const KvCache *kv, size_t layer, size_t sequence, size_t first,
                          size_t by) {
    NEED(kv && layer < 2);
    told[layer][0]++, told[layer][1] = layer, told[layer][2] = sequence;
    told[layer][3] = first, told[layer][4] = by;
}

static void others_turn_theirs(RopeStyle style) {
    Memory m;
    memory_open(&m, two, style);
    memset(told, 0, sizeof told);
    read_text(&m, 1, 300);
    NEED(shift_pages(&m.kv, 1, KV_PAGE, 2 * KV_PAGE));
    shift_elsewhere = hear_of_shift;
    turn_all(&m, 1, KV_PAGE, 2 * KV_PAGE);
    shift_elsewhere = NULL;
    for (size_t l = 0; l < 2; l++) {
        const size_t want[5] = {1, l, 1, KV_PAGE, 2 * KV_PAGE};
        HINT(style == ROPE_NONE || !memcmp(told[l], want, sizeof want),
             "if the function `shift_elsewhere` is set, shift_keys calls it once, with its own "
             "layer, sequence, first and by: other machines rotate the keys of their heads");
        HINT(style != ROPE_NONE || !told[l][0],
             "no key is rotated in a layer without rope: shift_elsewhere is not called");
    }
    has_text(&m, 1, KV_PAGE, 2 * KV_PAGE, true, "a text with heads on other machines");
    arena_free(&m.arena);
}

GRADE(shift) {
    cut(two, ROPE_HALF_SPLIT, 5 * KV_PAGE, KV_PAGE, KV_PAGE);
    cut(two, ROPE_INTERLEAVED, 5 * KV_PAGE + 1, 0, 2 * KV_PAGE);
    cut(two, ROPE_HALF_SPLIT, 4 * KV_PAGE, KV_PAGE, 3 * KV_PAGE);
    cut(bare, ROPE_HALF_SPLIT, 4 * KV_PAGE + 30, KV_PAGE, 2 * KV_PAGE);
    for (int i = 0; i < 12; i++) {
        size_t keep = fresh_below(3), gone = 1 + fresh_below(3);
        size_t least = (keep + gone) * KV_PAGE;
        cut(two, fresh_below(2) ? ROPE_HALF_SPLIT : ROPE_INTERLEAVED,
            least + fresh_below(4 * KV_PAGE), keep * KV_PAGE, gone * KV_PAGE);
    }
    cut(windowed, ROPE_HALF_SPLIT, 9 * KV_PAGE + 5, KV_PAGE, 4 * KV_PAGE);
    cut(windowed, ROPE_HALF_SPLIT, 11 * KV_PAGE + 40, 0, 5 * KV_PAGE);
    cut(windowed, ROPE_HALF_SPLIT, 9 * KV_PAGE + 5, KV_PAGE, 7 * KV_PAGE);
    cut(windowed, ROPE_HALF_SPLIT, 9 * KV_PAGE + 5, 8 * KV_PAGE, KV_PAGE);
    cut_behind_a_window();
    cut_what_is_shared();
    no_rope();
    others_turn_theirs(ROPE_HALF_SPLIT), others_turn_theirs(ROPE_NONE);
}

GRADES({"4.20", shift})
