/* trie.c - builds a vocabulary's trie in one array.  See trie.h. */
#include "trie.h"
#include "gbnf.h"

#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *x, const void *y) {
    const TrieEntry *a = x, *b = y;
    size_t common = min_size(a->bytes.size, b->bytes.size);
    int order = common ? memcmp(a->bytes.data, b->bytes.data, common) : 0;
    if (order) return order;
    if (a->bytes.size != b->bytes.size) return a->bytes.size < b->bytes.size ? -1 : 1;
    return (a->token > b->token) - (a->token < b->token);
}

/* Token ids as text: four bytes each. */
static size_t list_entries(const Tokenizer *tokenizer, TrieEntry *entries, char *names) {
    size_t vocab = tokenizer_count(tokenizer), n = 0;
    for (size_t id = 0; id < vocab; id++) {
        char *name = names + 4 * id;
        name[0] = (char)TOKEN_MARK;
        for (int i = 1; i < 4; i++) name[i] = (char)(id >> (24 - 8 * i));
        entries[n++] = (TrieEntry){{name, 4}, (int32_t)id, 0};
        Text bytes = tokenizer_piece(tokenizer, (int32_t)id, false);
        if (bytes.size && bytes.size < UINT16_MAX &&
            !memchr(bytes.data, TOKEN_MARK, bytes.size))
            entries[n++] = (TrieEntry){bytes, (int32_t)id, 0};
    }
    return n;
}

/* Length of the common prefix of two neighbors. */
static size_t shared(Text a, Text b) {
    size_t n = 0, common = min_size(a.size, b.size);
    while (n < common && a.data[n] == b.data[n]) n++;
    return n;
}

static size_t count_nodes(const TrieEntry *entries, size_t n) {
    size_t nodes = 0;
    for (size_t i = 0; i < n; i++)
        nodes +=
            entries[i].bytes.size - (i ? shared(entries[i - 1].bytes, entries[i].bytes) : 0);
    return nodes;
}

/* `path` holds the node at each depth on the way to the last entry. */
static void add_entry(Trie *t, const TrieEntry *entry, size_t from, uint32_t *path) {
    for (size_t d = from; d < entry->bytes.size; d++) {
        path[d] = t->count;
        t->node[t->count++] = (TrieNode){.byte = (uint8_t)entry->bytes.data[d],
                                         .depth = (uint16_t)(d + 1),
                                         .first = t->n_order,
                                         .last = t->n_order};
    }
    t->counts[t->n_order] = entry->count;
    t->order[t->n_order++] = entry->token;
    t->node[path[entry->bytes.size - 1]].last = t->n_order;
    if (entry->bytes.size > t->max_depth) t->max_depth = (uint32_t)entry->bytes.size;
}

/* A subtree ends at the next node of the same or a smaller depth. */
static void find_skips(Trie *t, uint32_t *path) {
    for (uint32_t d = 0; d <= t->max_depth; d++) path[d] = t->count;
    for (uint32_t i = t->count; i-- > 0;) {
        uint32_t depth = t->node[i].depth;
        t->node[i].skip = path[depth];
        for (uint32_t d = depth; d <= t->max_depth; d++) path[d] = i;
    }
}

static void find_begins(Trie *t) {
    for (uint32_t i = 0; i < t->count; i = t->node[i].skip) {
        byte_set_add(&t->begins, t->node[i].byte);
        t->begin[t->node[i].byte] = i;
    }
}

bool trie_make(Trie *trie, TrieEntry *entries, size_t count, Fault *fault) {
    if (count) qsort(entries, count, sizeof *entries, by_bytes);
    *trie = (Trie){0};
    trie->node = malloc((count_nodes(entries, count) + 1) * sizeof *trie->node);
    trie->order = malloc((count + 1) * sizeof *trie->order);
    trie->counts = malloc((count + 1) * sizeof *trie->counts);
    uint32_t *path = calloc(UINT16_MAX + 2, sizeof *path);
    bool ok = trie->node && trie->order && trie->counts && path;
    for (size_t i = 0; ok && i < count; i++)
        add_entry(trie, &entries[i], i ? shared(entries[i - 1].bytes, entries[i].bytes) : 0,
                  path);
    if (ok) find_skips(trie, path), find_begins(trie);
    free(path);
    if (ok) return true;
    trie_close(trie);
    return fault_set(fault, "no memory for the words of a grammar (%zu tokens)", count);
}

bool trie_open(Trie *trie, const Tokenizer *tokenizer, Fault *fault) {
    size_t vocab = tokenizer_count(tokenizer);
    TrieEntry *entries = malloc((2 * vocab + 1) * sizeof *entries);
    char *names = malloc(4 * vocab + 1);
    bool ok = entries && names;
    *trie = (Trie){0};
    ok = ok ? trie_make(trie, entries, list_entries(tokenizer, entries, names), fault)
            : fault_set(fault, "no memory for the words of a grammar (%zu tokens)", vocab);
    free(entries), free(names);
    return ok;
}

void trie_close(Trie *trie) {
    free(trie->node), free(trie->order), free(trie->counts);
    *trie = (Trie){0};
}

/* place[i]: number of nodes before i that are on a path to a kept node; place[count]: total. */
static void place_nodes(const Trie *whole, const bool *keep, uint32_t *place) {
    uint32_t next = whole->count; /* the next kept node */
    for (uint32_t i = whole->count; i-- > 0;) {
        if (keep[i]) next = i;
        place[i] = next < whole->node[i].skip;
    }
    place[whole->count] = 0;
    for (uint32_t i = 0, kept = 0; i <= whole->count; i++) {
        uint32_t one = place[i];
        place[i] = kept, kept += one;
    }
}

/* Append a node to the part. */
static void copy_node(Trie *part, const Trie *whole, uint32_t i, bool keep,
                      const uint32_t *place) {
    TrieNode node = whole->node[i];
    uint32_t first = part->n_order;
    for (uint32_t k = node.first; keep && k < node.last; k++)
        part->order[part->n_order++] = whole->order[k];
    node.skip = place[node.skip], node.first = first, node.last = part->n_order;
    part->node[part->count++] = node;
}

bool trie_part(Trie *part, const Trie *whole, const bool *keep) {
    uint32_t *place = malloc((whole->count + 1) * sizeof *place);
    if (!place) return false;
    place_nodes(whole, keep, place);
    *part = (Trie){.max_depth = whole->max_depth};
    part->node = malloc((place[whole->count] + 1) * sizeof *part->node);
    part->order = malloc((whole->n_order + 1) * sizeof *part->order);
    part->counts = calloc(whole->n_order + 1, sizeof *part->counts);
    bool ok = part->node && part->order && part->counts;
    for (uint32_t i = 0; ok && i < whole->count; i++)
        if (place[i] < place[i + 1]) copy_node(part, whole, i, keep[i], place);
    if (ok) find_begins(part);
    free(place);
    if (!ok) trie_close(part);
    return ok;
}

uint32_t trie_end(const Trie *trie, uint32_t node) {
    uint32_t skip = trie->node[node].skip;
    return skip < trie->count ? trie->node[skip].first : trie->n_order;
}

/* The child for a byte, or trie->count. */
static uint32_t child_of(const Trie *trie, uint32_t node, uint8_t byte) {
    uint32_t end = trie->node[node].skip;
    for (uint32_t i = node + 1; i < end; i = trie->node[i].skip)
        if (trie->node[i].byte == byte) return i;
    return trie->count;
}

size_t trie_longest(const Trie *trie, Text text, int32_t *token) {
    size_t longest = 0;
    uint8_t byte = (uint8_t)text.data[0];
    uint32_t at = byte_set_has(&trie->begins, byte) ? trie->begin[byte] : trie->count;
    for (size_t i = 0; at < trie->count; at = child_of(trie, at, (uint8_t)text.data[i])) {
        const TrieNode *node = &trie->node[at];
        if (node->first < node->last) *token = trie->order[node->first], longest = i + 1;
        if (++i == text.size) return node->skip > at + 1 ? 0 : longest;
    }
    return longest;
}
