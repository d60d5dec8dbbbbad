/* prefix.c - see prefix.h. */
#include "prefix.h"
#include "kv_pages.h"

#include <string.h>

enum { NONE = -1 };

void prefix_init(KvCache *kv, Arena *arena) {
    size_t n = kv->config.prefixes, layers = kv->config.layers;
    kv->prefix = arena_take(arena, n, sizeof *kv->prefix);
    kv->bucket = arena_take(arena, n, sizeof *kv->bucket);
    int32_t *tokens = arena_take(arena, n * KV_PAGE, sizeof *tokens),
            *pages = arena_take(arena, n * layers, sizeof *pages);
    kv->free_prefix = n ? 0 : NONE;
    kv->make_room = prefix_evict;
    if (!kv->prefix) return; /* measuring */
    for (size_t i = 0; i < n; i++) {
        kv->prefix[i] = (Prefix){.next = i + 1 < n ? (int32_t)i + 1 : NONE,
                                 .tokens = tokens + i * KV_PAGE,
                                 .page = pages + i * layers};
        kv->bucket[i] = NONE;
    }
}

/* Hash of a page's KV_PAGE tokens and their offsets, chained to the hash before it. */
static uint64_t chain_hash(uint64_t before, const int32_t *tokens) {
    uint64_t hash = before;
    for (size_t i = 0; i < KV_PAGE; i++) hash = rng_hash(hash, i, (uint64_t)tokens[i]);
    return hash;
}

static int32_t *bucket_of(const KvCache *kv, uint64_t hash) {
    return &kv->bucket[hash % kv->config.prefixes];
}

/* The prefix that holds these tokens after `parent`, or NONE. */
static int32_t find(const KvCache *kv, uint64_t hash, uint64_t salt, int32_t parent,
                    const int32_t *tokens) {
    int32_t i = *bucket_of(kv, hash);
    for (; i != NONE; i = kv->prefix[i].next) {
        const Prefix *p = &kv->prefix[i];
        if (p->hash == hash && p->salt == salt && p->parent == parent &&
            memcmp(p->tokens, tokens, KV_PAGE * sizeof *tokens) == 0)
            return i;
    }
    return NONE;
}

/* The child of `parent` that shares the most of the next n <= KV_PAGE tokens, and how many:
 * `alike`.  NONE, with alike = 0, if no child shares a token. */
static int32_t find_begun(const KvCache *kv, uint64_t salt, int32_t parent,
                          const int32_t *tokens, size_t n, size_t *alike) {
    int32_t best = NONE;
    *alike = 0;
    for (size_t i = 0; i < kv->config.prefixes; i++) {
        const Prefix *p = &kv->prefix[i];
        size_t k = 0;
        if (!p->kept || p->salt != salt || p->parent != parent) continue;
        while (k < n && p->tokens[k] == tokens[k]) k++;
        if (k > *alike) *alike = k, best = (int32_t)i;
    }
    return best;
}

/* Can a sequence continue after `length` positions whose last page is in prefix `at`?  Windows
 * may have released pages of the chain, but none that the next token sees. */
static bool is_whole(const KvCache *kv, int32_t at, size_t length, size_t layer) {
    size_t first = kv_first_seen(kv, layer, length) / KV_PAGE;
    for (size_t i = kv_pages_for(length); i > first; i--, at = kv->prefix[at].parent)
        if (kv->prefix[at].page[layer] == NONE) return false;
    return true;
}

/* Recurrent states are kept at page borders only. */
static bool can_begin(const KvCache *kv, int32_t at, size_t length) {
    for (size_t l = 0; l < kv->config.layers; l++)
        if (kv_has_pages(kv, l) && !is_whole(kv, at, length, l)) return false;
    return !kv->snapshots || (length % KV_PAGE == 0 && kv->prefix[at].state != NONE);
}

/* Put the chain that ends at `at` into the sequence's table, backward until a page is
 * missing. */
static void share(KvCache *kv, size_t sequence, size_t layer, int32_t at, size_t length) {
    int32_t *table = kv_table(kv, sequence, layer), *gone = kv_gone(kv, sequence, layer);
    size_t i = kv_pages_for(length);
    for (; i > 0 && kv->prefix[at].page[layer] != NONE; i--, at = kv->prefix[at].parent) {
        table[i - 1] = kv->prefix[at].page[layer];
        page_share(&kv->pages, table[i - 1]);
    }
    *gone = (int32_t)i;
}

size_t prefix_find(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n,
                   uint64_t salt) {
    int32_t at = NONE, next, begun;
    size_t length = 0, alike, max = n ? n - 1 : 0;
    uint64_t hash = salt;
    kv_truncate(kv, sequence, 0);
    if (kv->config.prefixes == 0) return 0;
    for (kv->clock++; length + KV_PAGE <= max; length += KV_PAGE, at = next) {
        hash = chain_hash(hash, tokens + length);
        next = find(kv, hash, salt, at, tokens + length);
        if (next == NONE) break;
        kv->prefix[next].used = kv->clock;
    }
    begun = find_begun(kv, salt, at, tokens + length, min_size(max - length, KV_PAGE), &alike);
    if (begun != NONE) {
        kv->prefix[begun].used = kv->clock;
        at = begun, length += alike;
    }
    for (; length && !can_begin(kv, at, length); length = (length - 1) / KV_PAGE * KV_PAGE)
        at = kv->prefix[at].parent;
    for (size_t l = 0; l < kv->config.layers; l++)
        if (kv_has_pages(kv, l)) share(kv, sequence, l, at, length);
    if (length && kv->snapshots) state_share(kv, sequence, length, kv->prefix[at].state);
    return kv->length[sequence] = length;
}

/* The least recently used leaf. */
static int32_t oldest_leaf(const KvCache *kv) {
    int32_t oldest = NONE;
    for (size_t i = 0; i < kv->config.prefixes; i++) {
        const Prefix *p = &kv->prefix[i];
        if (p->kept && p->children == 0 &&
            (oldest == NONE || p->used < kv->prefix[oldest].used))
            oldest = (int32_t)i;
    }
    return oldest;
}

static void evict(KvCache *kv, int32_t i) {
    Prefix *p = &kv->prefix[i];
    int32_t *link = bucket_of(kv, p->hash);
    while (*link != i) link = &kv->prefix[*link].next;
    *link = p->next;
    if (p->parent != NONE) kv->prefix[p->parent].children--;
    for (size_t l = 0; l < kv->config.layers; l++)
        if (p->page[l] != NONE) page_release(&kv->pages, p->page[l]);
    if (p->state != NONE) page_release(&kv->states, p->state);
    p->kept = false, p->next = kv->free_prefix, kv->free_prefix = i;
    kv->n_prefixes--;
}

size_t prefix_free_pages(const KvCache *kv) {
    size_t n = kv->pages.free_count;
    for (size_t i = 0; i < kv->config.prefixes; i++)
        for (size_t l = 0; kv->prefix[i].kept && l < kv->config.layers; l++) {
            int32_t page = kv->prefix[i].page[l];
            n += page != NONE && kv->pages.refcount[page] == 1;
        }
    return n;
}

bool prefix_evict(KvCache *kv) {
    int32_t oldest = oldest_leaf(kv);
    if (oldest == NONE) return false;
    evict(kv, oldest);
    return true;
}

static bool holds(const Prefix *p, int32_t low, int32_t high) {
    for (size_t i = 0; i < KV_PAGE; i++)
        if (p->tokens[i] >= low && p->tokens[i] < high) return true;
    return false;
}

/* A child of prefix i; NONE: it is a leaf. */
static int32_t child_of(const KvCache *kv, int32_t i) {
    for (size_t k = 0; kv->prefix[i].children && k < kv->config.prefixes; k++)
        if (kv->prefix[k].kept && kv->prefix[k].parent == i) return (int32_t)k;
    return NONE;
}

/* Evict prefix i and its descendants, leaves first. */
static void evict_branch(KvCache *kv, int32_t i) {
    for (int32_t at = i, child; kv->prefix[i].kept;) {
        while ((child = child_of(kv, at)) != NONE) at = child;
        int32_t parent = kv->prefix[at].parent;
        evict(kv, at);
        at = parent;
    }
}

void prefix_forget(KvCache *kv, int32_t low, int32_t high) {
    for (size_t i = 0; i < kv->config.prefixes; i++)
        if (kv->prefix[i].kept && holds(&kv->prefix[i], low, high))
            evict_branch(kv, (int32_t)i);
}

/* A free entry.  An older leaf may be evicted for it, but none of the chain that is being kept:
 * those were used at the present clock. */
static int32_t take_entry(KvCache *kv) {
    if (kv->free_prefix == NONE) {
        int32_t oldest = oldest_leaf(kv);
        if (kv->prefix[oldest].used == kv->clock) return NONE;
        evict(kv, oldest);
    }
    int32_t i = kv->free_prefix;
    kv->free_prefix = kv->prefix[i].next;
    kv->n_prefixes++;
    return i;
}

/* Add the sequence's pages, and the state after them, that the prefix does not have yet. */
static void hold_pages(KvCache *kv, Prefix *p, size_t sequence, size_t place) {
    for (size_t l = 0; l < kv->config.layers; l++) {
        if (!kv_has_pages(kv, l) || p->page[l] != NONE ||
            place < (size_t)*kv_gone(kv, sequence, l))
            continue;
        p->page[l] = kv_table(kv, sequence, l)[place];
        page_share(&kv->pages, p->page[l]);
    }
    if (p->state != NONE) return;
    p->state = state_page(kv, sequence, (place + 1) * KV_PAGE);
    if (p->state != NONE) page_share(&kv->states, p->state);
}

/* A new prefix after `parent`, without pages yet; NONE when there is no room. */
static int32_t add(KvCache *kv, uint64_t hash, uint64_t salt, int32_t parent,
                   const int32_t *tokens) {
    int32_t i = take_entry(kv);
    if (i == NONE) return NONE;
    Prefix *p = &kv->prefix[i];
    p->hash = hash, p->salt = salt, p->parent = parent, p->children = 0, p->kept = true;
    p->next = *bucket_of(kv, hash), *bucket_of(kv, hash) = i;
    memcpy(p->tokens, tokens, KV_PAGE * sizeof *tokens);
    for (size_t l = 0; l < kv->config.layers; l++) p->page[l] = NONE;
    p->state = NONE;
    if (parent != NONE) kv->prefix[parent].children++;
    return i;
}

void prefix_keep(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n, uint64_t salt) {
    int32_t at = NONE;
    uint64_t hash = salt;
    REQUIRE(n <= kv->length[sequence], "%zu tokens of a sequence of %zu", n,
            kv->length[sequence]);
    if (kv->config.prefixes == 0) return;
    kv->clock++;
    for (size_t i = 0; i < n / KV_PAGE; i++, tokens += KV_PAGE) {
        hash = chain_hash(hash, tokens);
        int32_t found = find(kv, hash, salt, at, tokens);
        if (found == NONE) found = add(kv, hash, salt, at, tokens);
        if (found == NONE) return; /* no room left */
        hold_pages(kv, &kv->prefix[found], sequence, i);
        kv->prefix[found].used = kv->clock;
        at = found;
    }
}
