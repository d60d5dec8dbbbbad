/* suffix_store.h - what followed the last words of a text, in this text and in earlier ones.
 *
 *     read "the fox ran . the fox"        after "fox": ran (once)
 *                                         after "the": fox (twice)
 *     draft after "... the fox":          ran . the fox      each from the longest end of the
 *                                                            text that was followed by anything
 *
 * A trie of all runs of up to SUFFIX_DEPTH tokens, with counts.  Its memory is bounded: two
 * halves, of which the older is forgotten when the younger is full.
 *
 * Invariant: a draft depends on the tokens that were read, and their order [the_store_counts].
 * Source   Oliaro et al. 2024, arXiv:2411.04975 (SuffixDecoding). */
#ifndef STRATA_SUFFIX_STORE_H
#define STRATA_SUFFIX_STORE_H

#include "nn.h"

enum { SUFFIX_DEPTH = 16 };

typedef struct SuffixStore SuffixStore;

/* How far a text was read, and the node of each of its ends.  Zeros: not yet. */
typedef struct SuffixText {
    size_t read, forgotten;
    uint32_t at[SUFFIX_DEPTH]; /* at[i]: of its last i + 1 tokens; 0: unknown */
} SuffixText;

/* A store of `nodes` nodes, 24 to 32 bytes each; a text of n tokens takes up to
 * SUFFIX_DEPTH * n.  NULL: no memory. */
SuffixStore *suffix_store_open(size_t nodes);
void suffix_store_close(SuffixStore *store);

/* Read what the text has grown by. */
void suffix_store_read(SuffixStore *store, SuffixText *text, const int32_t *tokens, size_t n);

/* Up to `max` tokens that may follow; the draft ends where its chance, as counted, falls below
 * SUFFIX_CHANCE.  Returns how many.
 *
 *   tokens   (n)     the text
 *   draft    (max)   written */
#define SUFFIX_CHANCE 0.1
size_t suffix_store_draft(const SuffixStore *store, const int32_t *tokens, size_t n, size_t max,
                          int32_t *draft);

#endif
