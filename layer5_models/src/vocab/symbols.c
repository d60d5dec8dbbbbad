/* symbols.c - strings and pairs of symbols, found by hash (open addressing). */
#include "hash.h"
#include "rng.h"
#include "vocab.h"

#include <stdlib.h>

uint64_t vocab_hash(Text text) {
    uint64_t hash = hash_bytes(HASH_START, text.data, text.size);
    return hash ^ hash >> 32;
}

static size_t first_slot(const Tokenizer *t, Text bytes) {
    return vocab_hash(bytes) & (t->table_size - 1);
}

void vocab_expect(const Tokenizer *tokenizer, Text bytes) {
    __builtin_prefetch(&tokenizer->table[first_slot(tokenizer, bytes)]);
}

/* The slot of a string: its own, or the empty one where it belongs. */
static size_t symbol_slot(const Tokenizer *t, Text bytes) {
    size_t slot = first_slot(t, bytes);
    while (t->table[slot] >= 0 && !text_equal(t->symbols[t->table[slot]], bytes))
        slot = (slot + 1) & (t->table_size - 1);
    return slot;
}

int32_t vocab_find(const Tokenizer *tokenizer, Text bytes) {
    return tokenizer->table[symbol_slot(tokenizer, bytes)];
}

/* At most half full, and no larger than needed, to stay in the caches. */
static bool widen_table(Tokenizer *t) {
    size_t size = t->table_size ? 2 * t->table_size : 16;
    while (size < 2 * t->count) size *= 2;
    int32_t *old = t->table, *table = malloc(size * sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < size; i++) table[i] = -1;
    size_t old_size = t->table_size;
    t->table = table, t->table_size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i] >= 0) table[symbol_slot(t, t->symbols[old[i]])] = old[i];
    return free(old), true;
}

bool vocab_add(Tokenizer *t, Text bytes) {
    if (2 * (t->n_symbols + 1) > t->table_size && !widen_table(t)) return false;
    size_t slot = symbol_slot(t, bytes);
    t->symbols[t->n_symbols] = bytes;
    if (t->table[slot] < 0)
        t->table[slot] = (int32_t)t->n_symbols;
    else
        t->repeats = true;
    t->n_symbols++;
    return true;
}

static size_t first_pair_slot(const Tokenizer *t, int32_t left, int32_t right) {
    return rng_hash((uint64_t)(uint32_t)left, (uint64_t)(uint32_t)right, 0) &
           (t->pairs_size - 1);
}

void vocab_expect_pair(const Tokenizer *tokenizer, int32_t left, int32_t right) {
    __builtin_prefetch(&tokenizer->pairs[first_pair_slot(tokenizer, left, right)]);
}

static size_t pair_slot(const Tokenizer *t, int32_t left, int32_t right) {
    size_t slot = first_pair_slot(t, left, right);
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
    t->pairs_size = 16;
    while (t->pairs_size < 2 * merges) t->pairs_size *= 2;
    t->symbols = calloc(max_symbols, sizeof *t->symbols);
    t->pairs = malloc(t->pairs_size * sizeof *t->pairs);
    if (!t->symbols || !t->pairs || !widen_table(t)) return false;
    for (size_t i = 0; i < t->pairs_size; i++) t->pairs[i].left = -1;
    return true;
}
