/* heads.h - attention shared among machines by its heads; see machines.h.
 *
 *     first machine    tables, counts, forks:   sequence 0: [ 3 | 0 | 5 ]
 *     each machine     pages 0 1 2 3 4 5 ...    of its own heads; an order names those to read
 */
#ifndef STRATA_HEADS_H
#define STRATA_HEADS_H

#include "decoder.h"
#include "wire.h"

/* The key-value heads of machine `member` begin where those before it end.  The first machine
 * has one at least.
 *
 *   bounds   (size + 1) 0 ... 1 */
size_t heads_begin(const double *bounds, int member, size_t kv_heads);
size_t heads_count(const double *bounds, int member, size_t kv_heads);

/* The layers of a machine, in the same way: the first has one at least. */
size_t layers_begin(const double *bounds, int member, size_t layers);

/* Has a machine any heads of a model?  Without, it gets no orders for attention. */
bool heads_any(const double *bounds, int member, const Model *model);

/* Can all attention of a model be shared by its heads?  `known` says of a matrix whether the
 * other machines have it. */
bool heads_of_model(const Model *model, bool (*known)(const void *context, const Tensor *w),
                    const void *context);

/* Let another function compute a model's attention, or attention_part again. */
void heads_set_part(const Model *model, const PartKind *part);

/* The attention of `count` key-value heads from `first` on, with their query heads.  Its `o`
 * has no rows: the heads' outputs are left in AttentionRun.mixed.  No norm over all heads. */
Attention heads_part(const Attention *attention, size_t first, size_t count);

/* q, k, v and gate, as a layer's order has them. */
Linear *heads_map(Attention *attention, int map);

/* From now on this thread works on its machine's own heads: its products and shifts are not
 * shared; or no more. */
void heads_alone(bool alone);
bool heads_are_alone(void);

/* Append ORDER_LAYER: `order` has its head and maps.
 *
 * Fails when memory is short; so does the next one. */
bool heads_write_layer(GroupMessage *message, const LayerOrder *order, const Attention *part,
                       Fault *fault);

/* Append ORDER_HEADS: `order` has the cache and the number of copies.
 *
 *   half     x travels as halves
 *   copies   pages copied since the last order: from, to
 *   sent     the page tables as the others know them, as kv->table; updated */
bool heads_write_order(GroupMessage *message, const HeadsOrder *order,
                       const Attention *attention, const Pass *pass, const int32_t (*copies)[2],
                       int32_t *sent, const float *x, bool half, Fault *fault);

/* Append ORDER_SHIFT: turn the keys of a sequence from position `first` on back by `by`. */
bool heads_write_shift(GroupMessage *message, const HeadsOrder *order, const KvCache *kv,
                       size_t layer, size_t sequence, const int32_t (*copies)[2], int32_t *sent,
                       Fault *fault);

/* Point a received layer's attention at the numbers behind it.  False: it is cut off. */
bool heads_read_layer(LayerOrder *order, const unsigned char *bytes, size_t size);

#endif
