/* kv.h - the memory of a sequence: the keys and values of the tokens it has read.
 *
 * Attention reads its past through a list of blocks of KV_BLOCK positions:
 *
 *     sequence 0:  table [ 3 | 0 | 5 ]      length 150
 *     blocks:      |0: 64..127|1: free|2: seq 1|3: 0..63|4: free|5: 128..149|      for each layer and head
 *
 * One sequence with all its blocks in order is the textbook's cache; because the list may name any
 * block, many sequences share one memory, and blocks go back when a sequence is cut.  Sequences
 * that begin alike (beams, samples of one prompt) name the same blocks; who writes into a shared
 * one gets a copy first.
 *
 * Invariant: position p of a sequence lies in block table[p / KV_BLOCK], at p % KV_BLOCK; a block
 * has as many users as tables name it, and is on the free list when it has none.
 * Source   Kwon et al. 2023, arXiv:2309.06180 (paged attention). */
#ifndef STRATA_KV_H
#define STRATA_KV_H

#include "nn.h"

#define KV_BLOCK \
    64 /* positions; also the step of the online softmax, so part of the result's bits */

typedef struct KvCache {
    size_t layers, kv_heads, head_dim;
    size_t sequences, blocks_each; /* sequences, and the most blocks one of them can have */
    size_t blocks, free_count;
    Dtype dtype; /* F32, or F16: half the memory, and three digits of every number */
    /* in the arena: */
    void *numbers;        /* (layers, kv_heads, blocks, keys and values) */
    int32_t *table;       /* (sequences, blocks_each) */
    int32_t *free_blocks; /* (blocks) a stack */
    int32_t *users;       /* (blocks) sequences that name it */
    size_t *length;       /* (sequences) positions stored */
} KvCache;

/* Lay out a cache for `sequences` sequences of up to ctx positions each; numbers are kept as dtype,
 * F32 or F16. */
void kv_init(KvCache *kv, size_t layers, size_t kv_heads, size_t head_dim, Dtype dtype,
             size_t sequences, size_t ctx, Arena *arena);

/* Make room for positions up to `length` of a sequence.  False when the sequence or the memory
 * is full. */
bool kv_extend(KvCache *kv, size_t sequence, size_t length);

/* Let sequence `to` begin with all of `from`, sharing its blocks; what `to` held is forgotten. */
void kv_fork(KvCache *kv, size_t to, size_t from);

/* Forget the positions from `length` on. */
void kv_truncate(KvCache *kv, size_t sequence, size_t length);

/* Keep the key and the value (kv_heads, head_dim) of a position.  Needs position < length. */
void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v);

/* Where they lie, for one of the kv_heads, in strips of 16 for weighted_sum (vector.h): the keys of
 * a block as (KV_BLOCK / STRIP, head_dim, STRIP), then its values as (head_dim / STRIP, KV_BLOCK,
 * STRIP).
 *
 *     key      number i at [16 * i]; beside it number i of the next position: scores are sums over the numbers of a key
 *     value    number i at [i], but the 16th at [16 * KV_BLOCK]; the next position at [16]: results are sums over positions */
void *kv_key(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position);
void *kv_value(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position);

/* weighted_sum with keys or values as x. */
void kv_weighted_sum(const KvCache *kv, float *y, size_t y_step, const float *a, size_t a_step,
                     size_t count, const void *x, size_t x_step, size_t rows, size_t n);

#endif
