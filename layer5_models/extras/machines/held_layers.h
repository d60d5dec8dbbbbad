/* held_layers.h - one machine's layers of a session: keys, values and states; private.
 *
 *     first machine    tables of page numbers, one for each class of layers:   [ 3 | 0 | 5 ]
 *     each machine     page 3 of the table is one page of each of its layers:
 *
 *         memory:   | 0: layer 4 | 0: layer 5 | 1: layer 4 | 1: layer 5 | ...
 *
 * Layers that keep the same positions (all, or a window of equal length) can form a class:
 * their tables would differ in page numbers alone, so one table describes all of them.  Under
 * every number a machine has room for a page of each layer of its largest class.  So classes
 * are about equally large: where five layers in six have a window, these form five classes
 * (layers 0, 6, 12 ... are the first one) [windows_reserve_few_pages].
 *
 * The first machine's own layers follow the same orders as the others'. */
#ifndef STRATA_HELD_LAYERS_H
#define STRATA_HELD_LAYERS_H

#include "families.h"
#include "wire.h"

/* The classes of a session's layers.  `of` is -1 for layers without keys and values. */
typedef struct LayerClasses {
    size_t layers, count;
    KvShape *shapes; /* (layers) owns */
    int32_t *of;     /* (layers) owns */
} LayerClasses;

/* Find the classes; free them. */
bool classes_open(LayerClasses *classes, const KvShape *shapes, size_t layers);
void classes_close(LayerClasses *classes);

typedef struct HeldLayers {
    const Model *model;                 /* borrows; NULL: not open */
    size_t first, end, classes, stripe; /* layers first .. end - 1; pages under a number */
    bool is_long;                       /* longrope's long divisors */
    Arena arena;                        /* owns what follows */
    KvCache kv;
    BlockRun run;
    int32_t *class_of, *place; /* (layers of kv) a layer's class; which of the pages under a
                                * number is its own */
    float *x;                  /* (rows, width) */
    size_t rows, width;
    float *key;          /* (the longest key) */
    size_t (*groups)[3]; /* (rows) */
} HeldLayers;

/* Lay out and allocate.  `shapes` and `class_of`: (order->layers) of the session. */
bool held_open(HeldLayers *held, const Model *model, Pool *pool, const LayersOrder *order,
               const KvShape *shapes, const int32_t *class_of, Fault *fault);
void held_close(HeldLayers *held);

/* The block to which a layer of the cache belongs; an indexer's keys are a layer of their
 * own. */
size_t held_block(const Model *model, size_t kv_layer);

/* The rows of an order. */
typedef struct PassRows {
    Batch batch;
    const int32_t (*places)[3];
    size_t x_at; /* where its x begins */
} PassRows;

/* Apply an order's page tables, copies and snapshots.  False: it is cut off, or names pages,
 * sequences or positions that do not exist. */
bool held_read(HeldLayers *held, const unsigned char *bytes, size_t size, PassRows *rows);

/* x (rows, width) = x after this machine's layers. */
void held_forward(HeldLayers *held, const PassRows *rows, float *x);

/* Apply ORDER_TURN. */
bool held_turn(HeldLayers *held, const unsigned char *bytes, size_t size);

/* ------------------------------------------------------------------ weights */

/* Repacked matrices of one layer, or of the head. */
typedef struct LayerPack {
    struct LayerPack *next;
    size_t layer; /* sizes.layers: the head */
    PackedWeights *packed;
    void *data;
    size_t size;
} LayerPack;

/* Repack a layer's quantized matrices (layer sizes.layers: the head's), once.
 *
 * Fails when there is no memory. */
bool held_pack(LayerPack **list, const Model *model, size_t layer, Pool *pool, Fault *fault);

/* The model uses its weights as they are in the file again. */
void held_unpack(LayerPack **list, const Model *model);

#endif
