/* agree.c - is there a text that two grammars allow?  How long are a grammar's texts?  See
 * shared.h.
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

/* A row, and the rows after each byte. */
typedef struct Around {
    Grammar *grammar;
    uint32_t row, next[256];
    bool complete;
} Around;

static void agree_look(void *context) {
    Around *x = context;
    for (int byte = 0; byte < 256; byte++)
        x->next[byte] = grammar_next(x->grammar, x->row, (uint8_t)byte);
    x->complete = grammar_is_complete(x->grammar, x->row);
}

/* The row after each byte; dead ones where the grammar is exhausted. */
static bool agree_expand(SharedGrammar *shared, uint32_t row, uint32_t next[256]) {
    Around x = {.grammar = shared->grammar, .row = row};
    const bool ok = shared_run(shared, agree_look, &x);
    for (int byte = 0; byte < 256; byte++) next[byte] = ok ? x.next[byte] : GRAMMAR_DEAD;
    return ok && x.complete;
}

static void agree_first(void *context) {
    Around *x = context;
    x->row = grammar_begin(x->grammar);
}

static uint32_t agree_begin(SharedGrammar *shared) {
    Around x = {.grammar = shared->grammar};
    return shared_run(shared, agree_first, &x) ? x.row : GRAMMAR_DEAD;
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
    NEED_MEMORY(search, "%d pairs of rows", AGREE_PAIRS);
    agree_add(search, agree_begin(a), agree_begin(b));
    bool agree = agree_search(search, a, b);
    free(search);
    return agree;
}

/* Breadth first through pairs of a row and its depth. */
static size_t longest_of(SharedGrammar *shared, size_t enough, Search *s) {
    uint32_t next[256];
    size_t depth = 0, end = s->count; /* end: of this depth's pairs (row, depth) */
    for (size_t i = 0; i < s->count; i++) {
        if (i == end) depth++, end = s->count;
        if (depth >= enough) return SIZE_MAX;
        agree_expand(shared, s->pairs[i].a, next);
        if (next[0xFF] != GRAMMAR_DEAD) return SIZE_MAX;
        for (int byte = 0; byte < 0xFF; byte++)
            if (next[byte] != GRAMMAR_DEAD && !agree_add(s, next[byte], (uint32_t)depth + 1))
                return SIZE_MAX;
    }
    return grammar_is_exhausted(shared->grammar) ? SIZE_MAX : depth;
}

size_t shared_longest(SharedGrammar *shared, size_t enough) {
    Search *search = calloc(1, sizeof *search);
    NEED_MEMORY(search, "%d pairs of rows", AGREE_PAIRS);
    agree_add(search, agree_begin(shared), 0);
    size_t longest = longest_of(shared, enough, search);
    free(search);
    return longest;
}
