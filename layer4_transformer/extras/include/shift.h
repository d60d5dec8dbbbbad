/* shift.h - context shift: cut old positions out of the cache so that a text can outgrow its
 * context.
 *
 *     full     [ kept | gone ........... | rest ......... ]     ctx positions
 *     after    [ kept | rest ......... ]                        `gone` fewer: the rest moves up
 *
 * The pages in the middle are released and the table closes over them.  Values do not depend on
 * position.  Keys are rotated by theirs, and rotations add up, so one more rotation moves a key
 * (rope.h):
 *
 *     R(p - gone) k  =  R(-gone) R(p) k
 *
 * The first positions are kept because every token attends to them, whatever they say.
 *
 * This is an approximation: keys and values behind the gap were computed while the removed
 * tokens were visible.  Evaluating the shorter text would give others, except for keys of the
 * first layer, which agree up to rounding.  In a format of few bits each shift rounds keys by
 * up to half a step of their scale.
 *
 * Invariant: the cache of `kept` does not change; that of the rest moves to other positions
 * [others_keep_their_pages, one_layer_loses_nothing].
 * Source   Xiao et al. 2023, arXiv:2309.17453 (why the first tokens stay); Su et al. 2021,
 *          arXiv:2104.09864 (rotations). */
#ifndef STRATA_SHIFT_H
#define STRATA_SHIFT_H

#include "block.h"
#include "kv.h"

/* Max positions that can be cut behind `keep` out of a full context: the gap must end before
 * the window of every layer that releases pages. */
size_t shift_max(const KvCache *kv, size_t keep);

/* Cut positions keep .. keep + gone - 1 out of a sequence.  Call shift_keys for each layer
 * afterwards.  Shared pages behind the gap are copied first; unused prefixes are evicted.
 *
 * Needs    keep and gone multiples of KV_PAGE, keep + gone <= length; no recurrent layer; gone
 *          <= shift_max of a full context, so that all the next token sees is still there.
 * Fails    (false) when the pool has too few pages for the copies; nothing changes then. */
bool shift_pages(KvCache *kv, size_t sequence, size_t keep, size_t gone);

/* The rotation of a layer's keys (shift_rope). */
typedef struct ShiftRope {
    const Rope *rope;     /* NULL or ROPE_NONE: no rotation */
    size_t plain;         /* the first rotated number of a key: 0 except in mixer_mla.h */
    float *key;           /* (key_dim) scratch */
    float *cosine, *sine; /* (rotary / 2) scratch */
} ShiftRope;

/* By `rope`.  In latent attention only a key's last numbers are rotated.
 *
 *   key   (key_dim) scratch */
ShiftRope shift_rope(const Block *block, const Rope *rope, const KvShape *shape,
                     const BlockRun *run, float *key);

/* Rotate the keys of a layer from position `first` on back by `by` positions. */
void shift_keys(KvCache *kv, size_t layer, size_t sequence, size_t first, size_t by,
                const ShiftRope *turn);

/* Does the same to keys of other heads; NULL: there are none (machines.h). */
typedef void ShiftElsewhere(const KvCache *kv, size_t layer, size_t sequence, size_t first,
                            size_t by);
extern ShiftElsewhere *shift_elsewhere;

#endif
