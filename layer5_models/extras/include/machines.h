/* machines.h - the rows of every matrix, and the heads of attention, shared among machines; or
 * whole layers (by_layers).
 *
 *                 x                                      each machine has some rows of W, and
 *      .----------+----------.                           computes these rows of the product
 *      v          v          v
 *    |rows 0-3| |rows 4-7| |rows 8-11|  of W
 *      '----------+----------'
 *                 v
 *            y = W x,  row by row                        no sum is ever cut in two
 *
 * The first member of the group runs the program as it does alone: texts, page tables,
 * samplers.  The others open the same file and compute their rows of each product (linear.h).
 * So every command and every family works on many machines.  A product sends (size - 1) times
 * its input, and receives the outputs that others compute; 4 bytes a number,
 * or 2 (`half`, wire_rows.h).
 *
 * Attention is shared by its heads: a machine has the keys and values of its own key-value
 * heads, in pages that the first machine's tables name.  It computes queries, keys, values and
 * outputs of these heads from the block's input.  Models whose heads depend on each other
 * (latent attention, ALiBi, a norm over all heads), or that read a source, have attention and
 * cache on the first machine alone.
 *
 * By layers, each machine has some of the layers, with their keys, values and states, and rows
 * go from one to the next by way of the first, which has the embedding and the head.  A batch
 * goes in parts, so that machines compute different parts at the same time.  A number of
 * SessionConfig.pages is then a page of each layer of a class (held_layers.h).  Adapters, and
 * what reads rows between layers, are refused by the pass; a session that expects a probe has
 * all layers here.
 *
 * Invariant: each number is computed by one machine, its terms added in the same order as
 * always; so the results have the same bits on any number of machines, whatever their shares,
 * unless numbers travel as halves [families_have_the_same_bits,
 * sequences_have_the_same_bits, every_family_by_layers, sequences_by_layers]. */
#ifndef STRATA_MACHINES_H
#define STRATA_MACHINES_H

#include "group.h"
#include "model.h"

typedef struct Machines Machines;

typedef struct MachinesConfig {
    Group *group;         /* borrows; this is member 0 */
    const double *shares; /* (size) of the rows or layers, in any unit; NULL: all alike */
    bool by_layers;       /* whole layers in the place of rows */
    bool file_on_first;   /* the others have no file: they are sent their share of it */
    int threads;          /* on each; 0: one for each core */
    bool pack;            /* repack quantized weights (packed.h), each machine its rows */
    bool half;            /* rows travel as halves: half the bytes, and other bits */
    size_t least;         /* products of fewer weights are computed here */
    double seconds;       /* the longest silence of a machine that has an order; others wait
                           * a quarter longer for a word of this one */
    const char *version;  /* of the program: the same on all */
    /* A machine was lost in the middle of a product.  Must not return. */
    void (*lost)(void *context, const Fault *fault);
    void *context;
} MachinesConfig;

/* Begin: from now on all members compute the products of models that are lent to them
 * (machines_lend).  One at a time in a process.
 *
 * Fails when a member does not answer, is of another version, or lacks the instruction set. */
Machines *machines_open(const MachinesConfig *config, Fault *fault);

/* End, and end the others' machines_serve.  NULL: nothing. */
void machines_close(Machines *machines);

/* All members open the model's file, by its absolute path, or are sent its header, and later
 * what they read of it (file_on_first).  Return it before the model is closed.
 *
 * Fails when a member has another file there, or none; when a file to be sent has several
 * parts; by layers also for a model whose layers read more than the rows of the layer
 * before. */
bool machines_lend(Machines *machines, const Model *model, const char *path, Fault *fault);
void machines_return(Machines *machines, const Model *model);

/* What went over the wire so far: bytes of messages, headers included. */
typedef struct MachinesCount {
    size_t products, sent, received; /* of passes */
    size_t parts; /* by layers: parts of batches that went through all machines */
    size_t begun; /* both ways: greetings, files, caches, what is said once of each layer */
} MachinesCount;
MachinesCount machines_count(const Machines *machines);

/* What a pass over some tokens costs on `size` machines. */
typedef struct MachinesPrice {
    size_t weights[GROUP_MAX]; /* bytes that each machine reads of shared matrices */
    size_t numbers, outside;   /* weights of all; by layers: bytes outside of all layers */
    size_t products;
    size_t messages;        /* that come one after the other: an order, and answers */
    size_t sent, received;  /* by the first machine, bytes, headers included */
    size_t kept[GROUP_MAX]; /* numbers in each machine's KV cache for a token */
} MachinesPrice;

/* Count it, by a pass of this machine alone.
 *
 *   config   its shares, by_layers and least count
 *
 * Invariant  what machines_count says of such a pass [the_price_is_what_goes_over_the_wire,
 *            the_price_of_layers_is_what_goes_over_the_wire].
 *
 * Fails for a model that reads a source text, by layers as machines_lend does, and when memory
 * is short. */
bool machines_price(const Model *model, const MachinesConfig *config, int size, size_t tokens,
                    MachinesPrice *price, Fault *fault);

/* The same for a group in which nothing was begun. */
void machines_dismiss(Group *group);

/* What the other members do: answer until the first one says that it is the end.
 *
 * Fails when the first member is gone, after it was told why. */
bool machines_serve(Group *group, const char *version, Fault *fault);

#endif
