/* The graders of the KV cache: its pages, and their layout. */
#include "grader.h"
#include "transformer_extras.h"
#include "prefix.h"
#include "../src/memory/kv_pages.h"

DECLARE_SHIPPED(kv_init);
DECLARE_SHIPPED(kv_pages_needed);
DECLARE_SHIPPED(kv_extend);
DECLARE_SHIPPED(kv_truncate);
DECLARE_SHIPPED(kv_fork);
DECLARE_SHIPPED(kv_slide);
DECLARE_SHIPPED(kv_key);
DECLARE_SHIPPED(kv_value);

/* A cache, and the library's, to which the same is done. */
typedef struct Twins {
    KvCache mine, ours;
    Arena arena[2];
} Twins;

static void twins_open(Twins *t, KvConfig config) {
    Fault fault;
    for (int i = 0; i < 2; i++) {
        KvCache *kv = i ? &t->ours : &t->mine;
        arena_measure(&t->arena[i]);
        kv_init(kv, &config, &t->arena[i]), prefix_init(kv, &t->arena[i]);
        NEED(arena_init(&t->arena[i], t->arena[i].used, &fault));
        kv_init(kv, &config, &t->arena[i]), prefix_init(kv, &t->arena[i]);
    }
}

static void twins_free(Twins *t) { arena_free(&t->arena[0]), arena_free(&t->arena[1]); }

/* The number that marks a position: the first of its key. */
static float *mark(const KvCache *kv, size_t layer, size_t sequence, size_t position) {
    return kv_key(kv, (KvHead){layer, sequence, 0}, position);
}

/* Do both hold the same, shared in the same way? */
static void same_state(const Twins *t, const char *after) {
    const KvCache *a = &t->mine, *b = &t->ours;
    for (size_t s = 0; s < b->config.sequences; s++)
        COUNT(a->length[s], b->length[s], "after %s: the length of sequence %zu", after, s);
    COUNT(
        a->pages.free_count, b->pages.free_count,
        "after %s: pages that are free, of %zu (one that is begun and shared is copied before "
        "it is written; of those that a layer with a window has `gone`, none is given back "
        "twice)",
        after, b->pages.count);
    for (size_t s = 0; s < b->config.sequences; s++)
        for (size_t l = 0; l < b->config.layers; l++) {
            size_t gone = (size_t)*kv_gone(b, s, l);
            COUNT(*kv_gone(a, s, l), gone,
                  "after %s: leading pages of layer %zu of sequence %zu that were given back",
                  after, l, s);
            for (size_t i = gone; i * KV_PAGE < b->length[s]; i++) {
                int32_t page = kv_table(a, s, l)[i];
                HINT(page >= 0 && (size_t)page < a->pages.count,
                     "after %s: entry %zu of the table of layer %zu names page %d of %zu",
                     after, i, l, page, a->pages.count);
                COUNT(a->pages.refcount[page], b->pages.refcount[kv_table(b, s, l)[i]],
                      "after %s: users of page %zu (layer %zu, sequence %zu)", after, i, l, s);
            }
            for (size_t p = gone * KV_PAGE; p < b->length[s]; p++)
                NUMBER(*mark(a, l, s, p), *mark(b, l, s, p), 0,
                       "after %s: what sequence %zu had stored at position %zu of layer %zu "
                       "has changed: a page that is "
                       "shared is copied before it is written, in every layer",
                       after, s, p, l);
        }
}

/* Extend both and write the new positions, so that a page wrongly shared shows. */
static void extend(Twins *t, size_t sequence, size_t length) {
    char words[120];
    size_t before = t->ours.length[sequence];
    snprintf(words, sizeof words, "kv_extend of sequence %zu from %zu to %zu", sequence, before,
             length);
    COUNT(kv_pages_needed(&t->mine, sequence, length),
          SHIPPED(kv_pages_needed)(&t->ours, sequence, length),
          "before %s: kv_pages_needed() counts, for all layers together, new pages and a copy "
          "of each that is begun and shared",
          words);
    bool want = SHIPPED(kv_extend)(&t->ours, sequence, length),
         got = kv_extend(&t->mine, sequence, length);
    HINT(got == want,
         "%s: expected %s, got %s: it is refused when the sequence would be longer than its "
         "context (%zu), or "
         "the pages that are free or can be made free (kv_reserve) do not suffice for all "
         "layers",
         words, want ? "true" : "false", got ? "true" : "false", t->ours.config.ctx);
    COUNT(t->mine.length[sequence], t->ours.length[sequence],
          "after %s: the length of the sequence; one that is longer already stays as long, one "
          "that is refused too",
          words);
    for (size_t l = 0; l < t->ours.config.layers; l++)
        for (size_t p = before; p < t->ours.length[sequence]; p++)
            *mark(&t->mine, l, sequence, p) = *mark(&t->ours, l, sequence, p) =
                (float)fresh_between(-9, 9);
    same_state(t, words);
}

static void truncate_to(Twins *t, size_t sequence, size_t length) {
    char words[120];
    snprintf(words, sizeof words, "kv_truncate of sequence %zu from %zu to %zu", sequence,
             t->ours.length[sequence], length);
    size_t want = SHIPPED(kv_truncate)(&t->ours, sequence, length),
           got = kv_truncate(&t->mine, sequence, length);
    COUNT(got, want,
          "%s returns the length from which the sequence goes on: never more than it had, and "
          "0 when a layer has given back "
          "what the shorter text would look at (can_go_on)",
          words);
    same_state(t, words);
}

static void slide(Twins *t, size_t sequence) {
    kv_slide(&t->mine, sequence), SHIPPED(kv_slide)(&t->ours, sequence);
}

static void fork_to(Twins *t, size_t to, size_t from) {
    kv_fork(&t->mine, to, from), SHIPPED(kv_fork)(&t->ours, to, from);
    same_state(t, "kv_fork, which calls kv_truncate");
}

static const KvShape two[2] = {{.kv_heads = 1, .key_dim = 3, .value_dim = 2},
                               {.kv_heads = 2, .key_dim = 2, .value_dim = 3}},
                     windowed[2] = {
                         {.kv_heads = 1, .key_dim = 3, .value_dim = 2},
                         {.kv_heads = 1, .key_dim = 2, .value_dim = 3, .window = 40}};

static void one_sequence(void) {
    Twins t;
    twins_open(&t,
               (KvConfig){.shapes = two, .layers = 2, .sequences = 2, .ctx = 3 * KV_PAGE - 5});
    extend(&t, 0, 1);
    extend(&t, 0, KV_PAGE);
    extend(&t, 0, KV_PAGE + 1);
    extend(&t, 0, 7);               /* no truncation */
    extend(&t, 0, 3 * KV_PAGE - 4); /* beyond the context, but within its last page */
    extend(&t, 0, 3 * KV_PAGE - 5);
    truncate_to(&t, 0, 3 * KV_PAGE);
    truncate_to(&t, 0, KV_PAGE + 1);
    truncate_to(&t, 0, KV_PAGE);
    truncate_to(&t, 0, 1);
    truncate_to(&t, 0, 0);
    twins_free(&t);
}

static void shared_pages(void) {
    Twins t;
    twins_open(&t, (KvConfig){.shapes = two, .layers = 2, .sequences = 3, .ctx = 4 * KV_PAGE});
    extend(&t, 0, KV_PAGE + 10);
    fork_to(&t, 1, 0);
    extend(&t, 1, KV_PAGE + 11); /* partly filled and shared: copied */
    extend(&t, 0, KV_PAGE + 12); /* private by now */
    truncate_to(&t, 0, KV_PAGE);
    fork_to(&t, 2, 0);
    extend(&t, 2, 2 * KV_PAGE); /* full and shared: not copied */
    truncate_to(&t, 0, 0);
    truncate_to(&t, 2, 3);
    extend(&t, 2, 4);
    twins_free(&t);
}

/* All or nothing: both layers together have seven pages, then five. */
static void short_of_pages(void) {
    Twins t;
    twins_open(
        &t, (KvConfig){
                .shapes = two, .layers = 2, .sequences = 3, .ctx = 8 * KV_PAGE, .budget = 7});
    extend(&t, 0, 2 * KV_PAGE + 1); /* six of seven */
    extend(&t, 1, 1);               /* one page, two layers */
    truncate_to(&t, 0, KV_PAGE + 1);
    fork_to(&t, 1, 0);
    extend(&t, 1,
           2 * KV_PAGE + 1); /* a copy and a new page in each of two layers: four of three */
    extend(&t, 1, KV_PAGE + 2);
    twins_free(&t);
}

static void prefixes_make_way(void) {
    Twins t;
    int32_t tokens[2 * KV_PAGE];
    for (int32_t i = 0; i < 2 * KV_PAGE; i++) tokens[i] = i;
    twins_open(&t, (KvConfig){.shapes = two,
                              .layers = 2,
                              .sequences = 2,
                              .ctx = 4 * KV_PAGE,
                              .budget = 8,
                              .prefixes = 2});
    extend(&t, 0, 2 * KV_PAGE);
    prefix_keep(&t.mine, 0, tokens, 2 * KV_PAGE, 0),
        prefix_keep(&t.ours, 0, tokens, 2 * KV_PAGE, 0);
    truncate_to(&t, 0, 0);
    extend(&t, 1, 4 * KV_PAGE);
    twins_free(&t);
}

/* Every other layer is recurrent and has no keys and values. */
static void layers_without_pages(void) {
    const KvShape some[3] = {{.state = 4}, {.kv_heads = 1, .key_dim = 3, .value_dim = 2}, {0}};
    Twins t;
    twins_open(
        &t, (KvConfig){
                .shapes = some, .layers = 3, .sequences = 2, .ctx = 4 * KV_PAGE, .budget = 40});
    HINT(kv_pages_needed(&t.mine, 0, KV_PAGE + 1) == 2,
         "of three layers one keeps keys and values: 65 positions take 2 pages, not %zu; "
         "kv_has_pages says which layers have pages",
         kv_pages_needed(&t.mine, 0, KV_PAGE + 1));
    for (int i = 0; i < 2; i++) {
        KvCache *kv = i ? &t.ours : &t.mine;
        (void)(i ? SHIPPED(kv_extend) : kv_extend)(kv, 1, 1);
        size_t all = kv->pages.free_count;
        (void)(i ? SHIPPED(kv_extend) : kv_extend)(kv, 0, KV_PAGE + 1);
        HINT(kv->pages.free_count == all - 2,
             "kv_extend took %zu pages for 65 positions, and one layer of three keeps keys and "
             "values: expected 2 (kv_has_pages)",
             all - kv->pages.free_count);
        (void)(i ? SHIPPED(kv_truncate) : kv_truncate)(kv, 0, 0);
        bool twice = false;
        for (size_t page = 0; page < kv->pages.count; page++)
            twice |= kv->pages.refcount[page] < 0;
        HINT(kv->pages.free_count == all && !twice,
             "kv_truncate to 0 left %zu pages free of %zu%s: only layers that have pages "
             "(kv_has_pages) give some back",
             kv->pages.free_count, all, twice ? ", and released one that was not taken" : "");
    }
    twins_free(&t);
}

static void windows(void) {
    Twins t;
    twins_open(
        &t,
        (KvConfig){.shapes = windowed, .layers = 2, .sequences = 1, .ctx = 700, .batch = 1});
    for (size_t p = 0; p < 600; p++) slide(&t, 0), extend(&t, 0, p + 1);
    truncate_to(&t, 0, 600 - KV_REWIND);
    extend(&t, 0, 601);
    truncate_to(&t, 0, 100);
    extend(&t, 0, 65);
    twins_free(&t);
}

static void whatever_comes(void) {
    Twins t;
    twins_open(&t, (KvConfig){.shapes = windowed,
                              .layers = 2,
                              .sequences = 4,
                              .ctx = 500,
                              .batch = 40,
                              .budget = 40});
    for (int i = 0; i < 400; i++) {
        size_t sequence = fresh_below(4), length = t.ours.length[sequence];
        switch (fresh_below(6)) {
        case 0: truncate_to(&t, sequence, fresh_below(length + 20)); break;
        case 1: fork_to(&t, sequence, fresh_below(4)); break;
        default: slide(&t, sequence), extend(&t, sequence, length + fresh_below(40));
        }
    }
    twins_free(&t);
}

GRADE(pages) {
    one_sequence();
    shared_pages();
    short_of_pages();
    prefixes_make_way();
    layers_without_pages();
    windows();
    whatever_comes();
}

/* ------------------------------------------------------------------ what lies in them */

static double read_number(const KvCache *kv, const void *place, size_t at) {
    switch (kv->config.dtype) {
    case DTYPE_F16: return (double)f16_to_f32(((const uint16_t *)place)[at]);
    case DTYPE_BF16: return (double)bf16_to_f32(((const uint16_t *)place)[at]);
    default: return (double)((const float *)place)[at];
    }
}

static void places(const KvCache *kv, size_t layer, size_t sequence, size_t position) {
    size_t bytes = dtype_row_bytes(kv->config.dtype, 1);
    for (size_t head = 0; head < kv->shape[layer].kv_heads; head++) {
        const char *base = kv->pages.bytes;
        COUNT(((const char *)kv_key(kv, (KvHead){layer, sequence, head}, position) - base) /
                  (long)bytes,
              ((const char *)SHIPPED(kv_key)(kv, (KvHead){layer, sequence, head}, position) -
               base) /
                  (long)bytes,
              "the key of position %zu, head %zu, layer %zu, counted in numbers from the "
              "beginning of the pool: strips of 16 positions, in a strip the numbers of a key "
              "are 16 apart",
              position, head, layer);
        COUNT(((const char *)kv_value(kv, (KvHead){layer, sequence, head}, position) - base) /
                  (long)bytes,
              ((const char *)SHIPPED(kv_value)(kv, (KvHead){layer, sequence, head}, position) -
               base) /
                  (long)bytes,
              "the value of position %zu, head %zu, layer %zu, counted in numbers from the "
              "beginning of the pool: after all "
              "keys of the page, 16 numbers for each position",
              position, head, layer);
    }
}

static void stored(KvCache *kv, size_t layer, size_t sequence, size_t position) {
    const KvShape *s = &kv->shape[layer];
    float k[200] = {0}, v[200] = {0};
    size_t page = kv->pages.page_bytes / dtype_row_bytes(kv->config.dtype, 1),
           size = kv->pages.count * page, changed = 0;
    double *before = malloc(size * sizeof *before);
    NEED(before);
    fresh_floats(k, s->kv_heads * s->key_dim, -9, 9),
        fresh_floats(v, s->kv_heads * s->value_dim, -9, 9);
    if (kv->config.dtype == DTYPE_F16)
        for (size_t i = 0; i < 200; i++)
            k[i] = f16_to_f32(f16_from_f32(k[i])), v[i] = f16_to_f32(f16_from_f32(v[i]));
    if (kv->config.dtype == DTYPE_BF16)
        for (size_t i = 0; i < 200; i++)
            k[i] = bf16_to_f32(bf16_from_f32(k[i])), v[i] = bf16_to_f32(bf16_from_f32(v[i]));
    for (size_t i = 0; i < size; i++) before[i] = read_number(kv, kv->pages.bytes, i);
    kv_store(kv, layer, sequence, position, k, v);
    for (size_t i = 0; i < size; i++)
        changed += before[i] != read_number(kv, kv->pages.bytes, i);
    free(before);
    for (size_t head = 0; head < s->kv_heads; head++) {
        for (size_t i = 0; i < s->key_dim; i++)
            NUMBER(read_number(kv,
                               SHIPPED(kv_key)(kv, (KvHead){layer, sequence, head}, position),
                               STRIP * i),
                   k[head * s->key_dim + i], 0,
                   "number %zu of the key of head %zu at position %zu of layer %zu (%s): it is "
                   "at [16 * i]",
                   i, head, position, layer, dtype_name(kv->config.dtype));
        for (size_t i = 0; i < s->value_dim; i++)
            NUMBER(read_number(kv,
                               SHIPPED(kv_value)(kv, (KvHead){layer, sequence, head}, position),
                               i / STRIP * STRIP * KV_PAGE + i % STRIP),
                   v[head * s->value_dim + i], 0,
                   "number %zu of the value of head %zu at position %zu of layer %zu (%s): it "
                   "is at [i], but from the 16th on 16 * KV_PAGE further for each 16",
                   i, head, position, layer, dtype_name(kv->config.dtype));
    }
    HINT(changed <= s->kv_heads * (s->key_dim + s->value_dim),
         "%zu numbers of the pool have changed, one position has %zu: the others are "
         "not yours",
         changed, s->kv_heads * (s->key_dim + s->value_dim));
}

GRADE(store) {
    for (int kind = 0; kind < 3; kind++) {
        KvShape shapes[3] = {
            {.kv_heads = 1, .key_dim = 4, .value_dim = 4},
            {.kv_heads = 3, .key_dim = 5 + fresh_below(9), .value_dim = 17 + fresh_below(30)},
            {.kv_heads = 1, .key_dim = 140, .value_dim = 150}};
        Twins t;
        twins_open(&t, (KvConfig){.shapes = shapes,
                                  .layers = 3,
                                  .dtype = (Dtype[]){DTYPE_F32, DTYPE_F16, DTYPE_BF16}[kind],
                                  .sequences = 2,
                                  .ctx = 3 * KV_PAGE});
        NEED(kv_extend(&t.mine, 1, 10) && kv_extend(&t.mine, 0, 150) &&
             kv_extend(&t.mine, 1, 130));
        for (size_t layer = 0; layer < 3; layer++)
            for (size_t position = 0; position < 130; position++)
                places(&t.mine, layer, position % 2, position);
        for (int i = 0; i < 60; i++)
            stored(&t.mine, fresh_below(3), fresh_below(2), fresh_below(130));
        twins_free(&t);
    }
}

GRADES({"4.4", pages}, {"4.5", store})
