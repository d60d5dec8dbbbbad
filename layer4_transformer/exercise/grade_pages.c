/* The graders of pages: allocate, share, copy, find again. */
#include "grader.h"
#include "transformer_extras.h"
#include "prefix.h"
#include "shift.h"
#include "state.h"
#include "../src/memory/kv_pages.h"

/* ------------------------------------------------------------------ the pool */

typedef struct Pages {
    PagePool pool;
    Arena arena;
} Pages;

static void pages_open(Pages *p, size_t count, size_t bytes) {
    Fault fault;
    arena_measure(&p->arena);
    page_pool_init(&p->pool, count, bytes, &p->arena);
    HINT(p->arena.used >= count * bytes,
         "while the arena measures, %zu pages of %zu bytes ask for %zu bytes in all", count,
         bytes, p->arena.used);
    NEED(arena_init(&p->arena, p->arena.used, &fault));
    page_pool_init(&p->pool, count, bytes, &p->arena);
    COUNT(p->pool.free_count, count, "after page_pool_init all pages are free (free_count)");
    COUNT(p->pool.count, count, "after page_pool_init: pages of the pool (count)");
    COUNT(p->pool.page_bytes, bytes, "after page_pool_init: bytes of a page (page_bytes)");
}

/* Take a page; users[page] is the grader's own count. */
static int32_t take(Pages *p, int32_t *users) {
    size_t before = p->pool.free_count;
    int32_t page = page_take(&p->pool);
    HINT(page >= 0 && (size_t)page < p->pool.count, "page_take gave page %d of %zu", page,
         p->pool.count);
    HINT(users[page] == 0,
         "page_take gave page %d, and %d still use it: a page is free when its last user has "
         "released it, not before",
         page, users[page]);
    users[page] = 1;
    COUNT(p->pool.refcount[page], 1, "after page_take: the page has one user (refcount)");
    COUNT(p->pool.free_count, before - 1, "after page_take: one page fewer is free");
    return page;
}

static void release(Pages *p, int32_t *users, int32_t page) {
    size_t before = p->pool.free_count;
    page_release(&p->pool, page), users[page]--;
    COUNT(p->pool.refcount[page], users[page], "after page_release: users of the page");
    COUNT(p->pool.free_count, before + (users[page] == 0),
          "after page_release: pages that are free; a page with users left is not, one without "
          "is");
}

static void share_once(Pages *p, int32_t *users, int32_t page) {
    size_t before = p->pool.free_count;
    page_share(&p->pool, page), users[page]++;
    COUNT(p->pool.refcount[page], users[page], "after page_share: users of the page");
    COUNT(p->pool.free_count, before, "page_share takes no page: as many are free as before");
}

GRADE(pool) {
    enum { MOST = 40 };
    for (int round = 0; round < 40; round++) {
        size_t count = 1 + fresh_below(MOST), bytes = 64 * (1 + fresh_below(3));
        int32_t users[MOST] = {0};
        Pages p;
        pages_open(&p, count, bytes);
        for (size_t i = 0; i < count; i++) {
            int32_t page = take(&p, users);
            memset(page_bytes(&p.pool, page), page + 1, bytes);
        }
        for (size_t page = 0; page < count; page++)
            for (size_t i = 0; i < bytes; i++)
                COUNT(((unsigned char *)page_bytes(&p.pool, (int32_t)page))[i], page + 1,
                      "all pages taken and filled: byte %zu of page %zu; the bytes of a pool "
                      "are count * page_bytes",
                      i, page);
        for (int i = 0; i < 300; i++) {
            int32_t page = (int32_t)fresh_below(count);
            if (users[page] == 0 || fresh_below(4) == 0)
                (void)(p.pool.free_count ? take(&p, users) : 0);
            else if (fresh_below(5) < 2)
                share_once(&p, users, page);
            else
                release(&p, users, page);
        }
        for (size_t page = 0; page < count; page++)
            while (users[page]) release(&p, users, (int32_t)page);
        for (size_t i = 0; i < count; i++) take(&p, users);
        arena_free(&p.arena);
    }
}

/* ------------------------------------------------------------------ memories */

typedef struct Memory {
    KvCache kv;
    Arena arena;
} Memory;

static void memory_open(Memory *m, KvConfig config) {
    Fault fault;
    arena_measure(&m->arena);
    kv_init(&m->kv, &config, &m->arena), prefix_init(&m->kv, &m->arena);
    NEED(arena_init(&m->arena, m->arena.used, &fault));
    kv_init(&m->kv, &config, &m->arena), prefix_init(&m->kv, &m->arena);
}

static float *mark(const KvCache *kv, size_t layer, size_t sequence, size_t position) {
    return kv_key(kv, (KvHead){layer, sequence, 0}, position);
}

/* Extend a sequence to `length`; each new position gets its own mark. */
static void read_on(KvCache *kv, size_t sequence, size_t length) {
    static float next;
    size_t at = kv->length[sequence];
    NEED(kv_extend(kv, sequence, length));
    for (; at < length; at++)
        for (size_t l = 0; l < kv->config.layers; l++)
            if (kv_has_pages(kv, l)) *mark(kv, l, sequence, at) = next += 1;
}

static int32_t users(const KvCache *kv, size_t layer, size_t sequence, size_t place) {
    return kv->pages.refcount[kv_table(kv, sequence, layer)[place]];
}

static const KvShape two[2] = {{.kv_heads = 1, .key_dim = 3, .value_dim = 2},
                               {.kv_heads = 2, .key_dim = 2, .value_dim = 3}},
                     narrow[2] = {{.kv_heads = 1, .key_dim = 3, .value_dim = 2},
                                  {.kv_heads = 1, .key_dim = 2, .value_dim = 3, .window = 40}};

/* ------------------------------------------------------------------ copy on write */

static void who_writes_to_shared(void) {
    Memory m;
    KvCache *kv = &m.kv;
    memory_open(&m, (KvConfig){.shapes = two, .layers = 2, .sequences = 3, .ctx = 4 * KV_PAGE});
    read_on(kv, 0, KV_PAGE + 1 + fresh_below(KV_PAGE - 2));
    for (size_t l = 0; l < 2; l++) {
        HINT(!writes_to_shared(kv, 0, l),
             "a page that is begun and has one user is written where it is");
        HINT(!writes_to_shared(kv, 1, l), "an empty sequence shares nothing");
    }
    for (size_t l = 0; l < 2; l++) {
        int32_t *refcount = &kv->pages.refcount[kv_table(kv, 0, l)[1]];
        for (*refcount = 2; *refcount < 5; ++*refcount)
            for (size_t k = 0; k < 2; k++)
                HINT(writes_to_shared(kv, 0, k) == (k == l),
                     "layer %zu of two has a page that is begun and has %d users, and of layer "
                     "%zu it is said that it %s: each layer has a table of its own",
                     l, *refcount, k, k == l ? "has none" : "has one, too");
        *refcount = 1;
        refcount = &kv->pages.refcount[kv_table(kv, 0, l)[0]];
        ++*refcount;
        HINT(!writes_to_shared(kv, 0, l),
             "a full page with two users is not written any more: the next position goes into "
             "the page that is begun, which has one");
        --*refcount;
    }
    kv_truncate(kv, 0, KV_PAGE);
    kv->pages.refcount[kv_table(kv, 0, 0)[0]]++;
    kv_table(kv, 0, 0)[1] = kv_table(kv, 0, 0)[0]; /* garbage */
    HINT(!writes_to_shared(kv, 0, 0),
         "a text of exactly one page writes its next position into a new one: a full page "
         "stays shared");
    arena_free(&m.arena);
}

static int32_t told_from, told_to;
static void hear_of_copy(PagePool *pool, int32_t from, int32_t to) {
    (void)pool;
    told_from = from, told_to = to;
}

static void copies(int others) {
    Pages p;
    int32_t users_of[9] = {0}, entry, other;
    pages_open(&p, 9, 192);
    p.pool.copied = others == 2 ? hear_of_copy : NULL, told_to = -1;
    other = entry = take(&p, users_of);
    for (int i = 0; i < others; i++) page_share(&p.pool, entry);
    unsigned char bytes[192];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)fresh_below(256);
    memcpy(page_bytes(&p.pool, entry), bytes, sizeof bytes);
    copy_on_write(&p.pool, &entry);
    HINT(entry != other, "after copy_on_write the entry still names the page that is shared");
    HINT(entry >= 0 && entry < 9, "copy_on_write: the entry names page %d of 9", entry);
    COUNT(p.pool.refcount[entry], 1, "after copy_on_write: users of the copy");
    HINT(others != 2 || (told_from == other && told_to == entry),
         "if the pool has a function `copied`, copy_on_write calls it: other machines copy the "
         "page, too");
    COUNT(p.pool.refcount[other], others,
          "after copy_on_write: users of the old page, of %d; who has a copy uses it no "
          "longer",
          others + 1);
    COUNT(p.pool.free_count, 7, "after copy_on_write: pages that are free, of nine");
    HINT(memcmp(page_bytes(&p.pool, entry), bytes, sizeof bytes) == 0,
         "the copy has other bytes than the page: all page_bytes of them are copied");
    HINT(memcmp(page_bytes(&p.pool, other), bytes, sizeof bytes) == 0,
         "the old page has changed, and others still read it: copy from the old to the new");
    arena_free(&p.arena);
}

/* Each page's refcount is the number of table entries that name it; released entries name
 * none. */
static void users_are_counted(const KvCache *kv) {
    for (size_t page = 0; page < kv->pages.count; page++) {
        int32_t named = 0;
        for (size_t s = 0; s < kv->config.sequences; s++)
            for (size_t l = 0; l < kv->config.layers; l++)
                for (size_t i = (size_t)*kv_gone(kv, s, l);
                     kv_has_pages(kv, l) && i < kv_pages_for(kv->length[s]); i++)
                    named += kv_table(kv, s, l)[i] == (int32_t)page;
        COUNT(kv->pages.refcount[page], named,
              "after kv_fork: users of a page, and tables that name it; what a window of `to` "
              "gave back before (kv_gone) is not given back twice, and a layer without keys "
              "has no pages");
    }
}

/* After kv_fork: the same marks, the same pages, one reference more for each. */
static void same_text(const KvCache *kv, size_t to, size_t from, int32_t expected) {
    COUNT(kv->length[to], kv->length[from], "after kv_fork: the length of the new sequence");
    COUNT(kv->source[to], kv->source[from],
          "after kv_fork: leading positions of the new sequence that an encoder read (source)");
    for (size_t l = 0; l < kv->config.layers; l++) {
        size_t gone = (size_t)*kv_gone(kv, from, l);
        if (!kv_has_pages(kv, l)) continue;
        COUNT(*kv_gone(kv, to, l), gone,
              "after kv_fork: leading pages of layer %zu that a window gave back (kv_gone)", l);
        for (size_t i = gone; i * KV_PAGE < kv->length[from]; i++) {
            COUNT(kv_table(kv, to, l)[i], kv_table(kv, from, l)[i],
                  "after kv_fork: entry %zu of the table of layer %zu: nothing is copied, the "
                  "same page is named",
                  i, l);
            COUNT(users(kv, l, to, i), expected,
                  "after kv_fork: users of page %zu of layer %zu; each table that names it is "
                  "one, whether the page is full or begun",
                  i, l);
        }
    }
}

/* Windows slide meanwhile. */
static void read_slowly(KvCache *kv, size_t sequence, size_t length) {
    while (kv->length[sequence] < length) {
        kv_slide(kv, sequence);
        read_on(kv, sequence, min_size(length, kv->length[sequence] + KV_PAGE / 2));
    }
}

/* A text of `length`, forked to a sequence that held `before`. */
static void forks(const KvShape *shapes, size_t length, size_t before) {
    Memory m;
    KvCache *kv = &m.kv;
    memory_open(&m, (KvConfig){.shapes = shapes,
                               .layers = 2,
                               .sequences = 3,
                               .ctx = 6 * KV_PAGE,
                               .batch = KV_PAGE});
    size_t all = kv->pages.free_count;
    read_slowly(kv, 0, length);
    kv->source[0] = fresh_below(length);
    size_t held = all - kv->pages.free_count;
    read_slowly(kv, 1, before); /* dropped */
    kv_fork(kv, 1, 0);
    COUNT(kv->pages.free_count, all - held,
          "after kv_fork: pages that are free; what the new sequence held is given back, and "
          "nothing is taken");
    same_text(kv, 1, 0, 2);
    users_are_counted(kv);
    kv_fork(kv, 2, 1);
    same_text(kv, 2, 0, 3);
    kv_fork(kv, 1, 1);
    COUNT(kv->length[1], length, "a sequence that is forked to itself stays as it is");
    same_text(kv, 1, 0, 3);
    float last = *mark(kv, 0, 0, length - 1);
    read_on(kv, 1, length + 1), read_on(kv, 2, length + 2), read_on(kv, 0, length + 3);
    for (size_t s = 0; s < 3; s++)
        NUMBER(*mark(kv, 0, s, length - 1), last, 0,
               "three texts that were one, each gone on: the last position that they have in "
               "common, in text %zu",
               s);
    for (size_t s = 0; s < 3; s++) kv_truncate(kv, s, 0);
    COUNT(kv->pages.free_count, all, "all three are forgotten, and all pages are free again");
    arena_free(&m.arena);
}

static void forks_of_states(void) {
    const KvShape some[2] = {{.state = 5}, {.kv_heads = 1, .key_dim = 3, .value_dim = 2}};
    Memory m;
    KvCache *kv = &m.kv;
    memory_open(
        &m,
        (KvConfig){
            .shapes = some, .layers = 2, .sequences = 2, .ctx = 4 * KV_PAGE, .batch = KV_PAGE});
    size_t all = kv->states.free_count;
    kv_slide(kv, 0), read_on(kv, 0, 10);
    kv_state(kv, 0, 0, 10)[3] = 7;
    size_t held = all - kv->states.free_count;
    kv_slide(kv, 1), read_on(kv, 1, 20);
    kv_table(kv, 0, 0)[0] = kv_table(kv, 0, 1)[0]; /* garbage */
    kv_fork(kv, 1, 0);
    COUNT(kv->pages.refcount[kv_table(kv, 0, 1)[0]], 2,
          "after kv_fork: users of the only page of a text; a recurrent layer has no pages to "
          "share (kv_has_pages)");
    COUNT(kv->states.free_count, all - held,
          "after kv_fork: pages of states that are free; a state that the new sequence held is "
          "forgotten, too");
    COUNT(kv->length[1], 10, "after kv_fork: the length of the new sequence");
    HINT(kv->states_of[1].count && kv_state(kv, 0, 1, 10) && kv_state(kv, 0, 1, 10)[3] == 7,
         "after kv_fork a recurrent layer of the new sequence has another state: state_fork "
         "shares it");
    arena_free(&m.arena);
}

static void forks_of_nothing(void) {
    Memory m;
    KvCache *kv = &m.kv;
    memory_open(&m, (KvConfig){.shapes = two, .layers = 2, .sequences = 2, .ctx = 4 * KV_PAGE});
    read_on(kv, 1, 1 + fresh_below(3 * KV_PAGE));
    kv_fork(kv, 1, 0);
    COUNT(kv->length[1], 0,
          "a fork of an empty text is empty: what the new sequence held is forgotten; its "
          "length");
    users_are_counted(kv);
    arena_free(&m.arena);
}

GRADE(copy_before_writing) {
    for (int others = 1; others < 4; others++) copies(others);
    who_writes_to_shared();
    for (int i = 0; i < 12; i++)
        forks(two, 1 + fresh_below(4 * KV_PAGE), 1 + fresh_below(KV_PAGE));
    forks(two, 2 * KV_PAGE, 3 * KV_PAGE);
    forks(narrow, 4 * KV_PAGE + 7, KV_PAGE), forks(narrow, 4 * KV_PAGE, 5 * KV_PAGE + 9);
    forks(narrow, 9, 6 * KV_PAGE);
    forks_of_states();
    forks_of_nothing();
}

GRADES({"4.17", pool}, {"4.18", copy_before_writing})
