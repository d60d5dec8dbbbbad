/* shift.h - a text that is longer than its context goes on: old positions are cut out of its memory.
 *
 *     full     [ kept | gone ........... | rest ......... ]     ctx positions
 *     after    [ kept | rest ......... ]                        `gone` fewer: the rest moves up
 *
 * The pages in the middle are given back, and the table closes over them.  Values know no place.  Keys
 * are rotated by theirs, and rotations add up, so a key is moved by one rotation more (rope.h):
 *
 *     R(p - gone) k  =  R(-gone) R(p) k
 *
 * The beginning is kept because every token attends to it, whatever it says.
 *
 * This is an approximation.  Keys and values behind the gap were made when what is gone was still seen,
 * and reading the shorter text anew would make others, but for the keys of the first layer: those are the
 * same up to rounding.  In a format of few bits the rounding is half a step of its scale, each time.
 *
 * Invariant: what a text has read of it is as it was in `kept`, and in another place in the rest.
 * Source   Xiao et al. 2023, arXiv:2309.17453 (why the first tokens stay); Su et al. 2021,
 *          arXiv:2104.09864 (rotations). */
#ifndef STRATA_SHIFT_H
#define STRATA_SHIFT_H

#include "kv.h"

/* How many positions behind `keep` can be cut out of a full context: a window that has given pages back
 * must lie behind the gap. */
size_t shift_most(const KvCache *kv, size_t keep);

/* Cut positions keep .. keep + gone - 1 out of a sequence.  Keys still stand as they were rotated:
 * shift_keys follows, for each layer.  Pages behind the gap that others name, too, are copied first;
 * unused prefixes are evicted.
 *
 * Needs    keep and gone multiples of KV_PAGE, keep + gone <= length; no recurrent layer; what the next
 *          token sees through a window has not been given back: gone <= shift_most of a full context.
 * False when the pool has too few pages for the copies; nothing changes then. */
bool shift_pages(KvCache *kv, size_t sequence, size_t keep, size_t gone);

/* What the keys of a layer are rotated by. */
typedef struct ShiftRope {
    const Rope *rope;     /* NULL, or of style ROPE_NONE: not at all */
    size_t plain;         /* the first number of a key that is rotated: 0 but in mixer_mla.h */
    float *key;           /* (key_dim) scratch */
    float *cosine, *sine; /* (rotary / 2) scratch */
} ShiftRope;

/* Turn the keys of a layer from position `first` on back by `by` positions. */
void shift_keys(KvCache *kv, size_t layer, size_t sequence, size_t first, size_t by,
                const ShiftRope *turn);

#endif
