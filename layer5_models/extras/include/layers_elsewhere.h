/* layers_elsewhere.h - sessions some of whose layers other machines compute (machines.h).
 *
 * Such a session keeps page tables, counts and snapshots; its keys, values and states are where
 * the layers are.  Its forward pass gives the embedded rows away and goes on with what comes
 * back [every_family_by_layers]. */
#ifndef STRATA_LAYERS_ELSEWHERE_H
#define STRATA_LAYERS_ELSEWHERE_H

#include "decoder.h"

typedef struct LayersElsewhere {
    /* Asked once, when a session opens: are its layers elsewhere? */
    bool (*has)(const Session *session);
    /* session->x = the batch's rows after all layers.  False: is_wanted cancelled it. */
    bool (*forward)(Session *session, const Batch *batch);
    /* Turn the keys of a sequence from position `first` on back by `by` (shift_keys). */
    void (*shift)(const Session *session, size_t sequence, size_t first, size_t by);
} LayersElsewhere;

/* NULL: every session computes its own. */
extern const LayersElsewhere *layers_elsewhere;

#endif
