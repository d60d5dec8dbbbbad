/* state.h - states of recurrent layers, and snapshots to roll back to.
 *
 * Attention drops its last token by cutting a page.  A recurrent layer has mixed all tokens
 * into one state of fixed size, and none can be taken out.  Rolling back takes a snapshot from
 * before, and evaluates again what came after it:
 *
 *     tokens       0         64        128                201   202   203
 *     snapshots              [4]       [1]                [0]   [7]   [2]     pages of a pool
 *                            page borders:                recent tokens, to roll
 *                            prefixes start here          back to: config.rewind
 *
 * A page holds the states of all recurrent layers, because all roll back together.  A snapshot
 * is never written again, so forks and prefixes share it.  These are kept:
 *
 *     the current state, and the one before the current batch
 *     of the last `rewind` tokens: where a batch ended, or state_keep was called
 *     page borders, back to the last one that is KV_REWIND tokens old
 *     with prefixes, the page borders of the current batch
 *
 * Invariant: the last snapshot of a sequence has its length; after a batch each snapshot is, to
 * the bit, the state after evaluating that many tokens [states_go_back_to_snapshots]. */
#ifndef STRATA_STATE_H
#define STRATA_STATE_H

#include "batch.h"
#include "kv.h"

/* The states of all recurrent layers after `length` tokens. */
typedef struct Snapshot {
    size_t length;
    int32_t page;
} Snapshot;

/* The snapshots of a sequence. */
typedef struct Snapshots {
    Snapshot *list; /* (KvCache.snapshots) the last one is the current state */
    size_t count;
    size_t base; /* the length before the current batch */
    bool kept;   /* the current state stays as a snapshot; the next token starts another one */
} Snapshots;

/* The state of a recurrent layer after `length` tokens, during a batch.  Token by token a layer
 * makes the state after position p from the one before:
 *
 *     before = kv_state(kv, layer, sequence, p)        NULL: no tokens yet, all zeros
 *     after  = kv_state(kv, layer, sequence, p + 1)    the same memory, or a new snapshot
 *
 * Needs    length between the start of the batch and the sequence's length. */
float *kv_state(const KvCache *kv, size_t layer, size_t sequence, size_t length);

/* Where token `row` of a batch reads a layer's state and writes the new one: `count` floats
 * from `first` on.  At the start of a sequence `before` is zeros. */
typedef struct StateStep {
    const float *before;
    float *after; /* may be before */
} StateStep;

StateStep state_step(const KvCache *kv, size_t layer, const Batch *batch, size_t row,
                     size_t first, size_t count);

/* Keep the current state as a snapshot; the next token writes to another page.
 *
 * Needs    recurrent layers (kv->snapshots). */
void state_keep(KvCache *kv, size_t sequence);

#endif
