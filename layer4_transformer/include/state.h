/* state.h - the memory of recurrent layers: a state, and snapshots of it to go back to.
 *
 * Attention can forget its last token: its pages are cut.  A recurrent layer has poured all tokens
 * into one state of fixed size, and none can be taken out again.  To go back, one has to have kept
 * the state of that time, and to read again what came after it:
 *
 *     tokens       0         64        128                201   202   203
 *     snapshots              [4]       [1]                [0]   [7]   [2]     pages of a pool
 *                            borders of pages: what       tokens that somebody
 *                            prefixes begin with          may come back to: config.rewind
 *
 * A page holds the states of all recurrent layers, because all go back together.  A snapshot is
 * never written again, so forks and prefixes share it.  Which are kept:
 *
 *     the state now, and the one that the batch being read began with
 *     of the last `rewind` tokens those that a batch ended with, or that were marked by state_keep
 *     borders as far back as KV_REWIND; when prefixes are kept, those of the batch, too
 *
 * Invariant: the last snapshot of a sequence is of its length; after a batch every snapshot holds
 * what reading that many tokens leaves, to the bit, whatever way it came about. */
#ifndef STRATA_STATE_H
#define STRATA_STATE_H

#include "batch.h"
#include "kv.h"

/* The numbers of a recurrent layer after `length` tokens, while a batch is read.
 *
 * Token by token a layer makes the state after position p from the one before it:
 *
 *     before = kv_state(kv, layer, sequence, p)        NULL: nothing was read, all numbers are 0
 *     after  = kv_state(kv, layer, sequence, p + 1)    the same memory, when no snapshot lies between
 *
 * Needs    length not before the batch and not after the sequence's. */
float *kv_state(const KvCache *kv, size_t layer, size_t sequence, size_t length);

/* What token `row` of a batch finds in a layer's state and where it leaves its own: `count` numbers from the
 * `first` on.  Where its text begins, it finds zeros. */
typedef struct StateStep {
    const float *before;
    float *after; /* or the same memory */
} StateStep;

StateStep state_step(const KvCache *kv, size_t layer, const Batch *batch, size_t row,
                     size_t first, size_t count);

/* Somebody may want to come back to the present length: the next token's state is another one.
 * Without recurrent layers nothing happens. */
void state_keep(KvCache *kv, size_t sequence);

#endif
