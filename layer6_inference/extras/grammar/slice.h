/* slice.h - tokens over few kinds of characters, set all at once.
 *
 * Half of a vocabulary are words.  Where any letter may follow any letter, all of them are
 * allowed without a walk:
 *
 *     [a-z]+@ after "tom"    slice a-z    ny, orrow, as, ...     all allowed
 *                            the rest     @, .com, ny@, ...      walked, in their own trie
 *
 * A slice is chosen per first byte: for "s", if "s" may be followed by any letters, the tokens
 * of a-z that begin with s.
 *
 * Invariant: a token of a slice has only the slice's bytes and at most SLICE_LONGEST of them;
 * all others that begin with such a byte are in `rest`. */
#ifndef STRATA_SLICE_H
#define STRATA_SLICE_H

#include "trie.h"

enum { SLICES = 6, SLICE_LONGEST = 24 };

typedef struct Slice {
    ByteSet bytes;
    uint64_t *all;   /* bit set of its tokens; owned, like all below */
    int32_t *tokens; /* the same as a list, by first byte */
    /* those with first byte b: tokens[begin[b]] ... tokens[begin[b + 1] - 1] */
    uint32_t begin[257];
    uint32_t longest; /* bytes */
    Trie rest;
} Slice;

/* Cut a vocabulary's trie into slices, broadest first.
 *
 *   words   64-bit words of a mask
 *
 * Fails when memory runs out. */
bool slices_make(Slice slices[SLICES], const Trie *trie, size_t words, Fault *fault);
void slices_free(Slice slices[SLICES]);

#endif
