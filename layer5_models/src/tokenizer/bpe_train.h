/* bpe_train.h - learning a vocabulary; shared by bpe_train.c and bpe_learn.c. */
#ifndef STRATA_BPE_TRAIN_H
#define STRATA_BPE_TRAIN_H

#include "../vocab/vocab.h"

/* A distinct word of the corpus: its count, and its symbols so far. */
typedef struct WordCount {
    Text bytes;
    uint64_t count;
    int32_t *symbols; /* (n) */
    size_t n;         /* 0: an empty entry */
} WordCount;

/* How often two symbols are neighbours, in this order. */
typedef struct PairCount {
    int32_t left, right;
    uint64_t count; /* 0: an empty entry */
} PairCount;

typedef struct BpeTrainer {
    WordCount *words; /* (capacity) open addressing by bytes; empty: bytes.size = 0 */
    size_t capacity, used;
    Text *symbols; /* (n_symbols) the bytes of each, 0..255 first */
    /* (n_symbols - 256) the pair that each later symbol replaced */
    int32_t (*merges)[2];
    size_t n_symbols, max_symbols; /* now, and at the end */
    PairCount *pairs;              /* (pair_capacity) open addressing by both */
    size_t pair_capacity;
    bool ok; /* false: out of memory */
} BpeTrainer;

/* bpe_learn.c: merge the most frequent pair until there are max_symbols symbols.
 *
 * Fails when the corpus has too few pairs, or memory is short.
 * Source   Sennrich et al. 2015, arXiv:1508.07909, algorithm 1 */
bool bpe_learn(BpeTrainer *trainer, Fault *fault);

#endif
