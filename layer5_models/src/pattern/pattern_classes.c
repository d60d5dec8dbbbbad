/* pattern_classes.c - the classes of characters that a pattern tells apart.  See
 * pattern_build.h. */
#include "pattern_build.h"

#include <stdlib.h>
#include <string.h>

static int by_code(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* All positions where a set begins or ends, sorted; the last one is LAST_CODE + 1. */
static uint32_t *edges_of(const Builder *b, size_t *count) {
    size_t n = 2;
    for (size_t i = 0; i < b->n_sets; i++) n += 2 * b->sets[i]->count;
    uint32_t *edges = malloc(n * sizeof *edges);
    if (!edges) return NULL;
    edges[0] = 0, edges[1] = LAST_CODE + 1;
    n = 2;
    for (size_t i = 0; i < b->n_sets; i++)
        for (size_t k = 0; k < b->sets[i]->count; k++) {
            edges[n++] = b->sets[i]->ranges[k].first;
            edges[n++] = b->sets[i]->ranges[k].last + 1;
        }
    qsort(edges, n, sizeof *edges, by_code);
    *count = n;
    return edges;
}

/* The class of the characters with this signature (bit i: in set i), added if new; -1: more
 * than 256. */
static int kind_of_signature(Builder *b, uint64_t signature, uint64_t *signatures) {
    size_t kind = 0;
    while (kind < b->pattern->kinds && signatures[kind] != signature) kind++;
    if (kind == b->pattern->kinds) {
        if (kind == 256) return -1;
        signatures[b->pattern->kinds++] = signature;
        for (size_t i = 0; i < b->n_sets; i++) b->set_has[kind][i] = signature >> i & 1;
        b->pattern->is_word[kind] = b->word_set >= 0 && signature >> b->word_set & 1;
    }
    return (int)kind;
}

/* Write a class into the pages of first..last - 1.  Pages of a single class are shared: the
 * first 256 pages. */
static bool fill_kind(Pattern *p, uint32_t first, uint32_t last, unsigned char kind,
                      size_t *n_pages, size_t *room) {
    while (first < last) {
        uint32_t page = first >> 8, end = (page + 1) << 8;
        if (end > last) end = last;
        if (first == page << 8 && end == (page + 1) << 8) {
            p->page[page] = kind;
        } else {
            if (first == page << 8) p->page[page] = (uint16_t)(*n_pages)++;
            if (*n_pages > *room) {
                unsigned char *cells = realloc(p->cells, 2 * *room * 256);
                if (!cells) return false;
                p->cells = cells, *room *= 2;
            }
            memset(p->cells + (size_t)p->page[page] * 256 + (first & 255), kind, end - first);
        }
        first = end;
    }
    return true;
}

bool pattern_classes(Builder *b) {
    size_t count, n_pages = 256, room = 512, at[MAX_SETS] = {0};
    uint64_t signatures[256];
    Pattern *p = b->pattern;
    uint32_t *edges = edges_of(b, &count);
    p->cells = malloc(room * 256);
    bool ok = edges && p->cells;
    for (size_t k = 0; ok && k < 256; k++) memset(p->cells + k * 256, (int)k, 256);
    for (size_t i = 0; ok && i + 1 < count; i++) {
        if (edges[i] == edges[i + 1]) continue;
        uint64_t signature = 0;
        for (size_t s = 0; s < b->n_sets; s++) {
            const CodeSet *set = b->sets[s];
            while (at[s] < set->count && set->ranges[at[s]].last < edges[i]) at[s]++;
            bool inside = at[s] < set->count && set->ranges[at[s]].first <= edges[i];
            signature |= (uint64_t)inside << s;
        }
        int kind = kind_of_signature(b, signature, signatures);
        if (kind < 0)
            return free(edges), pattern_refuse(b, "more than 256 kinds of characters");
        ok = fill_kind(p, edges[i], edges[i + 1], (unsigned char)kind, &n_pages, &room);
    }
    free(edges);
    for (size_t c = 0; ok && c < 128; c++) p->ascii[c] = p->cells[(size_t)p->page[0] * 256 + c];
    return ok || fault_set(b->fault, "no memory for a pattern");
}
