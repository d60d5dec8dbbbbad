/* The grader of prefixes: which cached pages a prompt may reuse. */
#include "grader.h"
#include "transformer_extras.h"
#include "prefix.h"
#include "../src/memory/kv_pages.h"

enum { PAGES = 6, MOST = PAGES * KV_PAGE + 40 };

typedef struct Memory {
    KvCache kv;
    Arena arena;
} Memory;

static const KvShape two[2] = {{.kv_heads = 1, .key_dim = 3, .value_dim = 2},
                               {.kv_heads = 2, .key_dim = 2, .value_dim = 3}};

static void memory_open(Memory *m, KvConfig config) {
    Fault fault;
    config.layers = 2;
    if (!config.shapes) config.shapes = two;
    if (!config.ctx) config.ctx = 8 * KV_PAGE;
    if (!config.sequences) config.sequences = 2;
    config.batch = KV_PAGE, config.budget = 90;
    arena_measure(&m->arena);
    kv_init(&m->kv, &config, &m->arena), prefix_init(&m->kv, &m->arena);
    NEED(arena_init(&m->arena, m->arena.used, &fault));
    kv_init(&m->kv, &config, &m->arena), prefix_init(&m->kv, &m->arena);
}

static void fill(int32_t *tokens, size_t n) {
    for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)fresh_below(30000);
}

/* Sequence 0 evaluates a text, its pages are kept, the sequence is dropped. */
static void keep(KvCache *kv, const int32_t *tokens, size_t n, uint64_t salt) {
    prefix_find(kv, 0, tokens, n, salt);
    while (kv->length[0] < n) {
        size_t at = kv->length[0];
        kv_slide(kv, 0);
        NEED(kv_extend(kv, 0, min_size(n, (at / KV_PAGE + 1) * KV_PAGE)));
        for (; at < kv->length[0]; at++)
            if (kv_has_pages(kv, 0))
                *(float *)kv_key(kv, (KvHead){0, 0, 0}, at) = (float)tokens[at];
        prefix_keep(kv, 0, tokens, kv->length[0], salt);
    }
    kv_truncate(kv, 0, 0);
}

static void found(KvCache *kv, const int32_t *tokens, size_t n, uint64_t salt, size_t want,
                  const char *why) {
    COUNT(prefix_find(kv, 1, tokens, n, salt), want,
          "prefix_find, a text of %zu tokens: positions that need not be read, of whole pages "
          "and of one more that begins like it (%s)",
          n, why);
    COUNT(kv->length[1], want,
          "after prefix_find: the length of the sequence is what was found (%s)", why);
    for (size_t p = 0; p < want; p++)
        NUMBER(*(float *)kv_key(kv, (KvHead){0, 1, 0}, p), tokens[p], 0,
               "after prefix_find: position %zu of the sequence (%s)", p, why);
}

static void whole_pages(void) {
    Memory m;
    KvCache *kv = &m.kv;
    int32_t text[MOST];
    fill(text, MOST);
    memory_open(&m, (KvConfig){.prefixes = 20});
    size_t all = kv->pages.free_count;
    found(kv, text, MOST, 0, 0, "nothing is kept yet");
    keep(kv, text, MOST, 0);
    COUNT(kv->n_prefixes, PAGES, "after prefix_keep: the full pages of a text are kept");
    COUNT(all - kv->pages.free_count, 2 * PAGES, "pages that are held for later texts");
    found(kv, text, MOST, 0, PAGES * KV_PAGE, "the same text");
    size_t free_before = kv->pages.free_count;
    COUNT(kv->pages.refcount[kv_table(kv, 1, 1)[2]], 2,
          "after prefix_find: users of a page: the prefix, and the sequence");
    found(kv, text, 3 * KV_PAGE, 0, 3 * KV_PAGE - 1,
          "a text of whole pages: its last token has to be read for its logits");
    found(kv, text, 3 * KV_PAGE + 1, 0, 3 * KV_PAGE, "one token more");
    found(kv, text, KV_PAGE, 0, KV_PAGE - 1, "all but the last token, which is to be read");
    found(kv, text, 1, 0, 0, "a text of one token");
    found(kv, text, 0, 0, 0, "a text of no token");
    COUNT(kv->pages.free_count, free_before,
          "what the sequence held is forgotten, and the prefixes keep theirs: pages that are "
          "free");
    NEED(kv_extend(kv, 1, 100));
    found(kv, text, KV_PAGE + 1, 0, KV_PAGE, "the sequence held another text");
    kv_truncate(kv, 1, 0);
    while (prefix_evict(kv)) continue;
    COUNT(kv->pages.free_count, all,
          "all prefixes have made way, and all pages are free again; free pages");
    arena_free(&m.arena);
}

/* Equal tokens after different beginnings; and prefixes that only look the same. */
static void chains(void) {
    Memory m;
    KvCache *kv = &m.kv;
    int32_t a[MOST], b[MOST];
    memory_open(&m, (KvConfig){.prefixes = 30});
    fill(a, MOST), memcpy(b, a, sizeof a);
    size_t parts = fresh_below(KV_PAGE);
    b[parts] ^= 1;
    keep(kv, a, MOST, 0);
    found(kv, b, MOST, 0, parts,
          "another first page, which begins like it up to there; equal tokens after it are "
          "another text");
    keep(kv, b, MOST, 0);
    COUNT(kv->n_prefixes, 2 * PAGES,
          "two texts that differ in their first page: what is kept; equal tokens after "
          "different beginnings are different pages");
    found(kv, a, MOST, 0, PAGES * KV_PAGE, "the first text");
    found(kv, b, MOST, 0, PAGES * KV_PAGE, "the second text");
    size_t at = 2 * KV_PAGE + fresh_below(KV_PAGE);
    a[at] ^= 1;
    found(kv, a, MOST, 0, at,
          "a text that parts from it in its third page: the page after those that are found "
          "begins like it up to there (find_begun)");
    a[at] ^= 1;
    found(kv, a, MOST, 5, 0, "another salt");
    keep(kv, a, MOST, 5);
    COUNT(kv->n_prefixes, 3 * PAGES, "the same text with another salt is kept apart");
    found(kv, a, MOST, 5, PAGES * KV_PAGE, "its own salt");
    arena_free(&m.arena);
}

/* Of the children of a page, the one that shares the most tokens. */
static void begun_pages(void) {
    Memory m;
    KvCache *kv = &m.kv;
    int32_t text[3][MOST];
    const size_t first = KV_PAGE + 3 + fresh_below(20), second = first + 1 + fresh_below(20);
    memory_open(&m, (KvConfig){.prefixes = 20});
    fill(text[0], MOST);
    for (int i = 1; i < 3; i++) memcpy(text[i], text[0], sizeof text[0]);
    text[1][first] ^= 1, text[2][second] ^= 1;
    keep(kv, text[2], 2 * KV_PAGE, 0), keep(kv, text[1], 2 * KV_PAGE, 0);
    found(kv, text[0], MOST, 0, second,
          "two pages after the first begin like it: the one that does so for longest");
    size_t free_before = kv->pages.free_count;
    COUNT(kv->pages.refcount[kv_table(kv, 1, 0)[1]], 2,
          "after prefix_find: users of a page of which a part is shared");
    NEED(kv_extend(kv, 1, second + 1));
    COUNT(free_before - kv->pages.free_count, 2,
          "the text goes on in a page that it shares: pages that are taken for the copies");
    found(kv, text[0], first, 0, first - 1, "its last token has to be read for its logits");
    arena_free(&m.arena);
}

/* Different prefixes should have different hashes, however they differ. */
static void hashes(void) {
    Memory m;
    KvCache *kv = &m.kv;
    int32_t a[3 * KV_PAGE], b[3 * KV_PAGE];
    memory_open(&m, (KvConfig){.prefixes = 12});
    fill(a, 3 * KV_PAGE), memcpy(a + KV_PAGE, a, KV_PAGE * sizeof *a);
    memcpy(b, a, sizeof a), b[10] = a[20], b[20] = a[10]; /* the same tokens in another order */
    if (b[10] == b[20]) b[10]++;
    keep(kv, a, 3 * KV_PAGE, 0), keep(kv, b, 3 * KV_PAGE, 0);
    COUNT(kv->n_prefixes, 6, "two texts of three pages each: what is kept");
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            HINT(kv->prefix[i].hash != kv->prefix[j].hash,
                 "pages %d and %d have the same hash, and hold other tokens, or the same in "
                 "another order, or after another page: the hash is made from the one before "
                 "it, and from each token with its place",
                 j, i);
    arena_free(&m.arena);
}

/* Two pages that differ in one token. */
static void hashes_of_one_token(void) {
    int32_t text[KV_PAGE];
    for (size_t place = 0; place < KV_PAGE; place++) {
        Memory m;
        memory_open(&m, (KvConfig){.prefixes = 4});
        fill(text, KV_PAGE);
        keep(&m.kv, text, KV_PAGE, 0);
        text[place] ^= 1;
        keep(&m.kv, text, KV_PAGE, 0);
        HINT(m.kv.prefix[0].hash != m.kv.prefix[1].hash,
             "two pages that differ in token %zu alone (from 0) have the same hash: it is made "
             "from each token of a page",
             place);
        arena_free(&m.arena);
    }
}

/* Equal hashes do not prove equal tokens. */
static void collisions(void) {
    int32_t a[2 * KV_PAGE + 1];
    const size_t place = fresh_below(KV_PAGE);
    const size_t alike[] = {place, KV_PAGE - 1, 0, 0, 0}; /* of the second page */
    for (int what = 0; what < 5; what++) {
        Memory m;
        KvCache *kv = &m.kv;
        memory_open(&m, (KvConfig){.prefixes = 4});
        fill(a, 2 * KV_PAGE + 1);
        keep(kv, a, 2 * KV_PAGE + 1, 0);
        Prefix *second = &kv->prefix[0];
        while (!second->kept || second->parent < 0) second++;
        if (what == 0) second->tokens[place] ^= 1;
        if (what == 1) second->tokens[KV_PAGE - 1] ^= 1;
        if (what == 2) second->salt ^= 1;
        int32_t parent = second->parent;
        if (what == 3) second->parent = (int32_t)(second - kv->prefix);
        if (what == 4) second->tokens[0] ^= 1;
        static const char *const words[] = {
            "a page with the same hash and other tokens: compared, not only hashed",
            "a page with the same hash and another last token: all tokens are compared",
            "a page with the same hash and another salt",
            "a page with the same hash after another page (parent)",
            "a page with the same hash and another first token: all tokens are compared"};
        found(kv, a, 2 * KV_PAGE + 1, 0, KV_PAGE + alike[what], words[what]);
        second->parent = parent;
        arena_free(&m.arena);
    }
}

/* A lookup counts as a use. */
static void least_recently_used(void) {
    Memory m;
    KvCache *kv = &m.kv;
    int32_t text[3][KV_PAGE + 1];
    memory_open(&m, (KvConfig){.prefixes = 8});
    for (int i = 0; i < 3; i++) fill(text[i], KV_PAGE + 1), keep(kv, text[i], KV_PAGE + 1, 0);
    found(kv, text[0], KV_PAGE + 1, 0, KV_PAGE, "the oldest of three");
    kv_truncate(kv, 1, 0);
    NEED(prefix_evict(kv));
    found(kv, text[0], KV_PAGE + 1, 0, KV_PAGE,
          "it was looked up last and another one made way: a prefix that is found is used now "
          "(used, clock)");
    found(kv, text[1], KV_PAGE + 1, 0, 0, "this one was used least recently, and made way");
    arena_free(&m.arena);
}

/* A text of four pages that departs from the kept ones in the third: two pages are found, and
 * the beginning of the third; all three count as used. */
static void used_together(void) {
    Memory m;
    KvCache *kv = &m.kv;
    int32_t text[MOST];
    memory_open(&m, (KvConfig){.prefixes = 8});
    fill(text, MOST), keep(kv, text, 4 * KV_PAGE, 0);
    size_t parts = 2 * KV_PAGE + 1 + fresh_below(KV_PAGE - 1);
    text[parts] ^= 1;
    uint64_t before = kv->clock;
    found(kv, text, 4 * KV_PAGE + 1, 0, parts, "it parts from what is kept in page 2");
    HINT(kv->clock > before,
         "a search is a tick of the clock: what it finds is used now, and later than all that "
         "was used before");
    for (size_t i = 0; i < 8; i++) {
        const Prefix *p = &kv->prefix[i];
        if (!p->kept) continue;
        size_t page = 0;
        for (int32_t up = p->parent; up >= 0; up = kv->prefix[up].parent) page++;
        if (page < 3)
            COUNT(p->used, kv->clock,
                  "pages 0 to 2 of a text of four were found, the last one in part: all are "
                  "used now, "
                  "equally (one tick for a search); when page %zu was used",
                  page);
        else
            HINT(p->used <= before, "page %zu was not found, and is used now", page);
    }
    arena_free(&m.arena);
}

/* Windows release pages, recurrent layers have states at some borders only; config.prefixes may
 * be 0. */
static void other_layers(void) {
    const KvShape windowed[2] = {{.kv_heads = 1, .key_dim = 3, .value_dim = 2},
                                 {.kv_heads = 1, .key_dim = 2, .value_dim = 3, .window = 70}};
    const KvShape mixed[2] = {{.kv_heads = 1, .key_dim = 3, .value_dim = 2}, {.state = 4}};
    Memory m;
    KvCache *kv = &m.kv;
    int32_t text[MOST];
    fill(text, MOST);
    memory_open(&m, (KvConfig){.prefixes = 20, .shapes = windowed});
    keep(kv, text, MOST, 0);
    found(kv, text, MOST, 0, PAGES * KV_PAGE, "a layer with a window");
    COUNT(kv_table(kv, 1, 1)[PAGES - 1] >= 0, 1, "the last page of the window is there");
    kv_truncate(kv, 1, 0);
    Prefix *third = &kv->prefix[0];
    while (memcmp(third->tokens, text + 2 * KV_PAGE, KV_PAGE * sizeof *text) != 0) third++;
    page_release(&kv->pages, third->page[1]), third->page[1] = -1;
    found(kv, text, 4 * KV_PAGE + 1, 0, 2 * KV_PAGE,
          "the window's third page was given back, and a text of three or four pages looks at "
          "it: can_begin");
    kv_truncate(kv, 1, 0);
    found(kv, text, 3 * KV_PAGE, 0, 2 * KV_PAGE,
          "the window's third page was given back, and a text that begins with a part of it "
          "looks at it: can_begin");
    kv_truncate(kv, 1, 0);
    found(kv, text, 5 * KV_PAGE + 1, 0, 5 * KV_PAGE,
          "the window's third page was given back, and a text of five pages does not look at "
          "it");
    COUNT(*kv_gone(kv, 1, 1), 3, "the table begins after the page that is missing (share)");
    kv_truncate(kv, 1, 0);
    arena_free(&m.arena);
    memory_open(&m, (KvConfig){.prefixes = 20, .shapes = mixed});
    found(kv, text, 3 * KV_PAGE + 1, 0, 0, "a recurrent layer, and nothing is kept yet");
    COUNT(kv->states_of[1].count, 0,
          "a recurrent layer, and nothing is kept yet: states that the sequence begins with");
    keep(kv, text, 3 * KV_PAGE + 1, 0);
    found(kv, text, 3 * KV_PAGE + 1, 0, 3 * KV_PAGE, "a recurrent layer with a state");
    HINT(kv->states_of[1].count == 1 && kv->states_of[1].list[0].length == 3 * KV_PAGE,
         "a text that begins with pages begins with the state after them, too: state_share");
    found(kv, text, 3 * KV_PAGE, 0, 2 * KV_PAGE,
          "a recurrent layer has states after whole pages alone: can_begin");
    arena_free(&m.arena);
    memory_open(&m, (KvConfig){.prefixes = 0});
    NEED(kv_extend(kv, 1, 20));
    found(kv, text, MOST, 0, 0, "a memory that keeps no prefixes");
    arena_free(&m.arena);
    memory_open(&m, (KvConfig){.prefixes = 20, .ctx = 2 * KV_PAGE});
    keep(kv, text, 2 * KV_PAGE, 0);
    found(kv, text, MOST, 0, 2 * KV_PAGE, "a text that is longer than the context");
    arena_free(&m.arena);
}

GRADE(chain) {
    whole_pages();
    chains();
    begun_pages();
    hashes();
    hashes_of_one_token();
    collisions();
    least_recently_used();
    used_together();
    other_layers();
}

GRADES({"4.19", chain})
