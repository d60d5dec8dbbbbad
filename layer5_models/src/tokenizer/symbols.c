/* symbols.c - strings and pairs of symbols, found by hash (open addressing). */
#include "vocab.h"

#include <stdlib.h>

uint64_t vocab_hash(Text text) {
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

/* The slot of a string: where it is, or the empty one where it would go. */
static size_t slot_of(const Tokenizer *t, Text bytes) {
    size_t slot = vocab_hash(bytes) & (t->table_size - 1);
    while (t->table[slot] >= 0 && !text_equal(t->symbols[t->table[slot]], bytes))
        slot = (slot + 1) & (t->table_size - 1);
    return slot;
}

int32_t vocab_find(const Tokenizer *tokenizer, Text bytes) {
    return tokenizer->table[slot_of(tokenizer, bytes)];
}

void vocab_add(Tokenizer *t, Text bytes) {
    size_t slot = slot_of(t, bytes);
    t->symbols[t->n_symbols] = bytes;
    if (t->table[slot] < 0) t->table[slot] = (int32_t)t->n_symbols;
    t->n_symbols++;
}

static size_t pair_slot(const Tokenizer *t, int32_t left, int32_t right) {
    size_t slot =
        rng_hash((uint64_t)(uint32_t)left, (uint64_t)(uint32_t)right, 0) & (t->pairs_size - 1);
    while (t->pairs[slot].left >= 0 &&
           (t->pairs[slot].left != left || t->pairs[slot].right != right))
        slot = (slot + 1) & (t->pairs_size - 1);
    return slot;
}

const PairEntry *vocab_pair(const Tokenizer *tokenizer, int32_t left, int32_t right) {
    const PairEntry *entry = &tokenizer->pairs[pair_slot(tokenizer, left, right)];
    return entry->left >= 0 ? entry : NULL;
}

void vocab_add_pair(Tokenizer *t, PairEntry pair) {
    PairEntry *entry = &t->pairs[pair_slot(t, pair.left, pair.right)];
    if (entry->left < 0) *entry = pair;
}

bool symbols_allocate(Tokenizer *t, size_t max_symbols, size_t merges) {
    t->table_size = t->pairs_size = 16;
    while (t->table_size < 2 * max_symbols) t->table_size *= 2;
    while (t->pairs_size < 2 * merges) t->pairs_size *= 2;
    t->symbols = calloc(max_symbols, sizeof *t->symbols);
    t->table = malloc(t->table_size * sizeof *t->table);
    t->pairs = malloc(t->pairs_size * sizeof *t->pairs);
    if (!t->symbols || !t->table || !t->pairs) return false;
    for (size_t i = 0; i < t->table_size; i++) t->table[i] = -1;
    for (size_t i = 0; i < t->pairs_size; i++) t->pairs[i].left = -1;
    return true;
}
