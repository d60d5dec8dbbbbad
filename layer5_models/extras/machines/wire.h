/* wire.h - what the first machine tells the others.  See machines.h.
 *
 * An answer is a number, 0, and what was asked for; or 1, and a sentence. */
#ifndef STRATA_WIRE_H
#define STRATA_WIRE_H

#include "decoder.h"
#include "group.h"
#include "shared_rows.h"
#include "wire_rows.h"

typedef enum OrderKind {
    ORDER_HELLO,     /* Hello, bounds (size + 1 doubles) */
    ORDER_OPEN,      /* Opening, path */
    ORDER_HEADER,    /* Opening, the file's header: its other bytes are sent, too */
    ORDER_BYTES,     /* BytesOrder, bytes of such a file */
    ORDER_PRODUCTS,  /* Order.count times SharedProduct, then x (rows, in); answer: for each
                      * product (n, rows of the member) */
    ORDER_CLOSE,     /* the number of the file */
    ORDER_RUN,       /* RunHello */
    ORDER_GRADIENTS, /* GradientOrder, and a message of weights; the answers go up the tree */
    ORDER_CACHE,     /* CacheOrder, KvShape of each layer */
    ORDER_LAYER,     /* LayerOrder, the numbers that its attention points at */
    ORDER_HEADS,     /* HeadsOrder, what it counts; answer: (rows, heads' outputs) */
    ORDER_SHIFT,     /* HeadsOrder without rows; rows: first, in: by (shift_keys) */
    ORDER_PAGE_OUT,  /* HeadsOrder; rows: a page, in: bytes of a head; answer: its heads */
    ORDER_PAGE_IN,   /* the same, and the heads behind it */
    ORDER_LAYERS,    /* LayersOrder, KvShape and class of each layer */
    ORDER_PACK,      /* rows: a layer to repack, of file `count` */
    ORDER_PASS,      /* PassOrder, what it counts; answer: (rows, in) after its layers */
    ORDER_TURN,      /* PassOrder of one sequence, without rows; rows: first, in: by */
    ORDER_DROP,      /* the number of the cache */
    ORDER_PULSE,     /* nothing: the first machine is still there */
    ORDER_END
} OrderKind;

/* The first word of an answer: then comes what was asked for, or why not; or nothing, and the
 * answer comes later. */
enum { ANSWER_FINE, ANSWER_FAILED, ANSWER_BUSY };

typedef struct Order {
    uint32_t kind, count;
    uint64_t rows, in;
} Order;

enum { SHARED_FILES = 16, SHARED_CACHES = 32, HEAD_MAPS = 4, VERSION_ROOM = 64, ISA_ROOM = 32 };

typedef struct Hello {
    Order order;
    char version[VERSION_ROOM], isa[ISA_ROOM];
    int32_t threads, pack, half; /* half: rows travel as halves (wire_rows.h) */
    int32_t spare;
    double seconds; /* the longest wait for the next order from now on */
} Hello;

typedef struct Opening {
    Order order;
    uint32_t file, path_size; /* or the header's size */
    uint64_t size, sample; /* bytes of the file, and a hash of some of them, or of the header */
} Opening;

/* Bytes of a file that only the first machine has. */
typedef struct BytesOrder {
    Order order; /* count: the file; rows: where they begin, in: how many */
    uint64_t digest;
} BytesOrder;

/* A KV cache of this machine's heads. */
typedef struct CacheOrder {
    Order order; /* count: the number of the cache */
    uint64_t pages, layers, sequences, ctx, batch;
    uint32_t dtype, hadamard;
} CacheOrder;

/* A machine's part of a layer's attention (heads_part), sent once. */
typedef struct LayerOrder {
    Order order;                   /* count: the cache, rows: the layer, in: of its maps */
    SharedProduct maps[HEAD_MAPS]; /* q, k, v, gate; out 0: none */
    Attention attention;           /* its addresses only say which arrays follow */
    Rope rope;
} LayerOrder;

/* Attention of some rows.  Behind it:
 *
 *     copies      (2) from, to: pages
 *     groups      (3) as KvCache.groups
 *     sequences   HeadsSequence, then its changed (2) entry, page
 *     rows        sequence of each, then position of each
 *     places      (rows, 3) if the layer's rope has places
 *     x           (rows, in) */
typedef struct HeadsOrder {
    Order order; /* count: the cache; rows, in */
    uint32_t layer, copies, groups, sequences;
} HeadsOrder;

/* Layers first .. end - 1 of a session, and their cache.  Behind it the shape of each layer,
 * and which class of pages it has (held_layers.h). */
typedef struct LayersOrder {
    Order order; /* count: the number of the cache; rows, in: of the largest pass */
    uint32_t file, is_long, dtype, hadamard;
    uint64_t first, end, layers, pages, sequences, ctx, batch, prefixes, rewind;
} LayersOrder;

/* Rows through a machine's layers.  Behind it:
 *
 *     copies      (2) from, to: pages
 *     groups      (3) as KvCache.groups
 *     sequences   PassSequence; gone (classes); changed (3) class, entry, page; snapshots (2)
 *                 length, page
 *     rows        sequence of each, then position of each
 *     places      (rows, 3) if `placed`
 *     x           (rows, in) */
typedef struct PassOrder {
    Order order; /* count: the cache; rows, in */
    uint32_t copies, groups, sequences, placed;
} PassOrder;

typedef struct PassSequence {
    uint32_t sequence, length, source, changed, snapshots, base;
} PassSequence;

typedef struct HeadsSequence {
    uint32_t sequence, length, source, gone, changed;
} HeadsSequence;

/* Append to a message; the groups of a batch. */
bool message_add(GroupMessage *message, const void *bytes, size_t size, Fault *fault);
bool message_add_groups(GroupMessage *message, const KvCache *kv);

/* An order's bytes, read in turn; `ok` false: there were fewer, or they cannot be right. */
typedef struct OrderReading {
    const unsigned char *bytes;
    size_t size, at;
    bool ok;
} OrderReading;

/* The next `count` things of `each` bytes, without a copy; NULL: not ok. */
const void *order_read(OrderReading *reading, size_t count, size_t each);

/* The groups of a batch, at most `room`. */
void order_read_groups(OrderReading *reading, size_t count, size_t (*groups)[3], size_t room);

/* The first machine's copies of pages, here too.
 *
 *   stripe   so many pages have one number; 0: none */
void order_copy_pages(OrderReading *reading, size_t count, const PagePool *pool, size_t stripe);

/* Do the rows of a batch belong to sequences of the cache, within their lengths? */
bool rows_are_known(const KvCache *kv, const Batch *batch);

/* The size of a file with all parts, and a hash of its header and of 64 places. */
uint64_t order_sample(const GgufFile *file, const Gguf *gguf);

#endif
