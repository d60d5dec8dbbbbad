/* slice.h - tokens of few kinds of characters, taken all at once.
 *
 * Half of a vocabulary are words.  Where any letter may follow any letter, each of them may
 * come, and none needs to be walked through:
 *
 *     [a-z]+@ after "tom"    slice a-z    ny, orrow, as, ...     all may come
 *                            the rest     @, .com, ny@, ...      walked, in a trie of their own
 *
 * A slice is chosen for each first byte of the tokens: of "s", where "s" is followed by any
 * letters, those that begin with s.
 *
 * Invariant: a token of a slice is made of the slice's bytes alone and is at most
 * SLICE_LONGEST long; all others that begin with one of them are in its `rest`. */
#ifndef STRATA_SLICE_H
#define STRATA_SLICE_H

#include "trie.h"

enum { SLICES = 6, SLICE_LONGEST = 24 };

typedef struct Slice {
    ByteSet bytes;
    uint64_t *all;   /* bits of its tokens; owns, like all below */
    int32_t *tokens; /* the same as a list, by their first byte */
    /* those with first byte b: tokens[begin[b]] ... tokens[begin[b + 1] - 1] */
    uint32_t begin[257];
    uint32_t longest; /* bytes */
    Trie rest;
} Slice;

/* Cut a vocabulary's trie into slices, wide ones first.
 *
 *   words   of 64 bits in a mask
 *
 * Fails when memory runs out. */
bool slices_make(Slice slices[SLICES], const Trie *trie, size_t words, Fault *fault);
void slices_free(Slice slices[SLICES]);

#endif
