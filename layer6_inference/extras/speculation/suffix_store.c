/* suffix_store.c - see suffix_store.h. */
#include "suffix_store.h"

#include <stdlib.h>
#include <string.h>

typedef struct SuffixNode {
    uint32_t parent, count;
    int32_t token;
    uint32_t best; /* the child that came most often, the last one of several; 0: none */
} SuffixNode;

typedef struct Trie {
    SuffixNode *nodes; /* (room) the first is the root; owns */
    uint32_t *table;   /* (2 room and more) children by parent and token; 0: free; owns */
    size_t count;
} Trie;

struct SuffixStore {
    Trie trie[2];
    size_t young; /* which of them learns */
    size_t room, mask;
    size_t forgotten; /* how often a half was forgotten */
};

/* ------------------------------------------------------------------ a trie */

/* Where in the table this child is, or would be. */
static uint32_t *child_place(const SuffixStore *s, const Trie *t, uint32_t parent,
                             int32_t token) {
    size_t i = (parent * (uint64_t)0x9E3779B97F4A7C15 + (uint32_t)token) *
                   (uint64_t)0xD6E8FEB86659FD93 >>
               32;
    for (;; i++) {
        uint32_t *place = &t->table[i & s->mask];
        const SuffixNode *node = &t->nodes[*place];
        if (!*place || (node->parent == parent && node->token == token)) return place;
    }
}

/* Count one more token after a node; returns the child. */
static uint32_t count_child(const SuffixStore *s, Trie *t, uint32_t parent, int32_t token) {
    uint32_t *place = child_place(s, t, parent, token);
    if (!*place) {
        *place = (uint32_t)t->count++;
        t->nodes[*place] = (SuffixNode){.parent = parent, .token = token};
    }
    SuffixNode *above = &t->nodes[parent];
    if (++t->nodes[*place].count >= t->nodes[above->best].count) above->best = *place;
    return *place;
}

static void trie_clear(const SuffixStore *s, Trie *t) {
    memset(t->table, 0, (s->mask + 1) * sizeof *t->table);
    t->nodes[0] = (SuffixNode){0};
    t->count = 1;
}

/* The node of the longest end of the text that was followed by anything; 0: none.  *length: of
 * the end. */
static uint32_t longest_end(const SuffixStore *s, const Trie *t, const int32_t *end, size_t n,
                            size_t *length) {
    for (*length = min_size(n, SUFFIX_DEPTH - 1); *length > 0; --*length) {
        uint32_t node = 0;
        for (size_t i = *length; i > 0; i--)
            if (!(node = *child_place(s, t, node, end[-(ptrdiff_t)i]))) break;
        if (node && t->nodes[node].best) return node;
    }
    return 0;
}

/* ------------------------------------------------------------------ the store */

SuffixStore *suffix_store_open(size_t nodes) {
    SuffixStore *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->room = max_size(nodes / 2, 2 * SUFFIX_DEPTH), s->mask = 1;
    while (s->mask < 2 * s->room) s->mask *= 2;
    s->mask--;
    for (Trie *t = s->trie; t < s->trie + 2; t++) {
        t->nodes = malloc(s->room * sizeof *t->nodes);
        t->table = malloc((s->mask + 1) * sizeof *t->table);
        if (!t->nodes || !t->table) return suffix_store_close(s), NULL;
        trie_clear(s, t);
    }
    return s;
}

void suffix_store_close(SuffixStore *s) {
    if (!s) return;
    for (int i = 0; i < 2; i++) free(s->trie[i].nodes), free(s->trie[i].table);
    free(s);
}

static void forget_older(SuffixStore *s) {
    s->young = !s->young, s->forgotten++;
    trie_clear(s, &s->trie[s->young]);
}

void suffix_store_read(SuffixStore *s, SuffixText *text, const int32_t *tokens, size_t n) {
    if (text->read > n) *text = (SuffixText){.read = n}; /* it was rolled back */
    for (; text->read < n; text->read++) {
        if (s->trie[s->young].count + SUFFIX_DEPTH > s->room) forget_older(s);
        if (text->forgotten != s->forgotten) /* its nodes are gone, or in the older half */
            *text = (SuffixText){.read = text->read, .forgotten = s->forgotten};
        Trie *t = &s->trie[s->young];
        for (size_t i = SUFFIX_DEPTH; i-- > 0;)
            if (i == 0 || text->at[i - 1])
                text->at[i] = count_child(s, t, i ? text->at[i - 1] : 0, tokens[text->read]);
    }
}

/* The likeliest next token, and how often it came there; -1: unknown. */
static int32_t likeliest(const SuffixStore *s, const int32_t *end, size_t n, double *share) {
    int32_t token = -1;
    size_t longest = 0;
    for (size_t i = 0; i < 2; i++) {
        const Trie *t = &s->trie[i ? !s->young : s->young];
        size_t length;
        uint32_t node = longest_end(s, t, end, n, &length);
        if (!node || length <= longest) continue;
        const SuffixNode *best = &t->nodes[t->nodes[node].best];
        *share = (double)best->count / (double)t->nodes[node].count;
        token = best->token, longest = length;
    }
    return token;
}

size_t suffix_store_draft(const SuffixStore *s, const int32_t *tokens, size_t n, size_t max,
                          int32_t *draft) {
    int32_t end[2 * SUFFIX_DEPTH]; /* of the text with its draft */
    size_t kept = min_size(n, SUFFIX_DEPTH), count = 0;
    double chance = 1, share = 0;
    memcpy(end, tokens + n - kept, kept * sizeof *end);
    while (count < max) {
        int32_t token = likeliest(s, end + kept, kept, &share);
        if (token < 0 || (chance *= share) < SUFFIX_CHANCE) break;
        if (kept == 2 * SUFFIX_DEPTH) {
            memmove(end, end + SUFFIX_DEPTH, SUFFIX_DEPTH * sizeof *end);
            kept = SUFFIX_DEPTH;
        }
        end[kept++] = draft[count++] = token;
    }
    return count;
}
