/* agree.c - is there a text that two grammars allow?  See shared.h.
 *
 *     choice yes|no       rows  y ye yes n no
 *     choice maybe|never  rows  m .. n ne ...      both: n, then nothing: they do not agree
 *
 * A search through pairs of rows, breadth first.  For general grammars the question has no
 * algorithm (Bar-Hillel, Perles & Shamir 1961), so it stops after AGREE_PAIRS and says yes. */
#include "shared.h"

#include <stdlib.h>

enum { AGREE_PAIRS = 2000, AGREE_SLOTS = 8192 /* of the hash table */ };

typedef struct Pair {
    uint32_t a, b;
} Pair;

typedef struct Search {
    Pair pairs[AGREE_PAIRS]; /* found, in order */
    size_t count;
    uint16_t slots[AGREE_SLOTS]; /* 1 + index of a pair; 0: empty */
} Search;

/* The row after each byte. */
static bool agree_expand(SharedGrammar *shared, uint32_t row, uint32_t next[256]) {
    pthread_mutex_lock(&shared->lock);
    for (int byte = 0; byte < 256; byte++)
        next[byte] = grammar_next(shared->grammar, row, (uint8_t)byte);
    bool complete = grammar_is_complete(shared->grammar, row);
    pthread_mutex_unlock(&shared->lock);
    return complete;
}

/* False: there is no room for another pair. */
static bool agree_add(Search *s, uint32_t a, uint32_t b) {
    size_t slot = (a * 2654435761u ^ b * 40503u) % AGREE_SLOTS;
    for (; s->slots[slot]; slot = (slot + 1) % AGREE_SLOTS) {
        const Pair *known = &s->pairs[s->slots[slot] - 1];
        if (known->a == a && known->b == b) return true;
    }
    if (s->count == AGREE_PAIRS) return false;
    s->pairs[s->count++] = (Pair){a, b};
    s->slots[slot] = (uint16_t)s->count;
    return true;
}

/* FF begins a token's number, which the other grammar may spell as text: unknown, so yes. */
static bool agree_search(Search *s, SharedGrammar *a, SharedGrammar *b) {
    uint32_t after_a[256], after_b[256];
    for (size_t i = 0; i < s->count; i++) {
        bool complete = agree_expand(a, s->pairs[i].a, after_a);
        if (agree_expand(b, s->pairs[i].b, after_b) && complete) return true;
        if (after_a[0xFF] != GRAMMAR_DEAD || after_b[0xFF] != GRAMMAR_DEAD) return true;
        for (int byte = 0; byte < 0xFF; byte++)
            if (after_a[byte] != GRAMMAR_DEAD && after_b[byte] != GRAMMAR_DEAD &&
                !agree_add(s, after_a[byte], after_b[byte]))
                return true;
    }
    return grammar_is_exhausted(a->grammar) || grammar_is_exhausted(b->grammar);
}

bool shared_agree(SharedGrammar *a, SharedGrammar *b) {
    if (a == b) return true;
    Search *search = calloc(1, sizeof *search);
    REQUIRE(search, "no memory for %d pairs of rows", AGREE_PAIRS);
    pthread_mutex_lock(&a->lock);
    search->pairs[0].a = grammar_begin(a->grammar);
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&b->lock);
    uint32_t begin = grammar_begin(b->grammar);
    pthread_mutex_unlock(&b->lock);
    agree_add(search, search->pairs[0].a, begin);
    bool agree = agree_search(search, a, b);
    free(search);
    return agree;
}
