/* share_layers.h - sessions of the first machine whose layers are on several; private.
 *
 *     share_layers.c    which models and sessions; the hooks
 *     layers_held.c     the layers of each machine, at a session's first pass
 *     layers_flow.c     parts of a batch on their way
 *     layers_order.c    what is said of a part */
#ifndef STRATA_SHARE_LAYERS_H
#define STRATA_SHARE_LAYERS_H

#include "machines_parts.h"

/* How many layers a machine has. */
size_t layers_of(const Machines *m, const SharedLayers *c, int member);

/* All machines lay out their layers. */
bool open_held(Machines *m, SharedLayers *c, Session *s, Fault *fault);

/* Answers without numbers of the machines with a layer number `layer`. */
bool take_held_answers(Machines *m, const SharedLayers *c, size_t layer, Fault *fault);

/* s->x through all layers. */
bool layers_run(Machines *m, SharedLayers *c, Session *s, const Batch *batch, bool *cancelled,
                Fault *fault);

/* An order's head, page copies and groups, and what is new of the sequences of a batch.  False:
 * no memory. */
bool write_tables(GroupMessage *order, SharedLayers *c, const KvCache *kv, const Batch *batch,
                  PassOrder *head);

/* The order of a part, without its rows: send_part adds those that the machine before has
 * returned. */
bool write_part(GroupMessage *order, SharedLayers *c, const Session *s, const Batch *part,
                const int32_t (*places)[3], Fault *fault);

/* Bytes of a part's order, without copies, groups, places and its rows.
 *
 *   entries   new ones of its sequence's tables */
size_t part_bytes(size_t classes, size_t entries, size_t snapshots, size_t rows);

/* The number of parts of a batch: several for each of `stages` machines, so that they rarely
 * wait, but at least 16 rows in each (of few rows: two parts). */
size_t count_parts(size_t stages, size_t rows);

#endif
