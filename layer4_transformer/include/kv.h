/* kv.h - the KV cache: what the layers of a model store of each sequence.
 *
 * An attention layer stores a key and a value of every token; a recurrent layer stores one
 * state of fixed size (state.h).  A layer may have both, or neither.
 *
 * Attention finds its keys through a page table; a page holds KV_PAGE positions of one layer:
 *
 *     sequence 0, layer 0:  table [ 3 | 0 | 5 ]      length 150
 *     pages:                |0: 64..127|1: free|2: layer 1|3: 0..63|4: free|5: 128..149|
 *
 * One sequence with its pages in order is the textbook's cache.  Since a table may name any
 * page, all sequences and layers share one pool with a budget:
 *
 *     extend      takes pages; copies a shared one before it is written (copy on write)
 *     truncate    releases them
 *     fork        a sequence starts as a copy of another one, sharing its pages
 *     slide       a windowed layer releases the pages that no later token attends to
 *     shift.h     cuts old positions out of the middle
 *     state.h     the same for states, which can go back only to a snapshot
 *     prefix.h    finds the pages of a prompt that was evaluated before
 *
 * Invariant: position p of a sequence is at p % KV_PAGE of page table[p / KV_PAGE]; tables and
 * prefixes hold one reference to each of their pages [random_operations_keep_every_number].
 * Source   Kwon et al. 2023, arXiv:2309.06180 (paged attention). */
#ifndef STRATA_KV_H
#define STRATA_KV_H

#include "kv_format.h"
#include "page_pool.h"

/* Positions of a page; also the step of the online softmax, so the last bits depend on it. */
#define KV_PAGE 64

/* How many tokens a sequence can be truncated by after kv_slide and still continue. */
#define KV_REWIND 64

/* What one layer stores of a position, and of a sequence. */
typedef struct KvShape {
    size_t kv_heads, key_dim, value_dim; /* kv_heads 0: no keys and values */
    size_t window;                       /* tokens visible to the last one; 0: all */
    size_t state;                        /* floats of the recurrent state; 0: none */
} KvShape;

typedef struct KvConfig {
    const KvShape *shapes; /* (layers) */
    size_t layers;
    Dtype dtype;      /* of keys and values: F32, F16, BF16, Q8_0 or Q4_0 (kv_format.h) */
    bool hadamard;    /* they are stored rotated; Q8_0 and Q4_0 only */
    size_t sequences; /* at a time */
    size_t ctx;       /* max positions of a sequence */
    size_t batch;     /* max positions a sequence grows by at once */
    size_t budget;    /* pages; 0: enough for every sequence at full length */
    size_t prefixes;  /* max pages kept as prefixes; 0: none */
    size_t rewind;    /* tokens that recurrent layers can roll back at once (state.h) */
} KvConfig;

typedef struct KvCache {
    KvConfig config;
    KvShape *shape; /* (layers) */
    size_t *length; /* (sequences) positions stored */
    /* (sequences) leading positions that hold the source an encoder has read: later positions
     * see them only through `cross`; 0: none */
    size_t *source;
    /* (n_groups) sequence, begin and end of positions of the batch that see each other */
    const size_t (*groups)[3];
    size_t n_groups;
    /* keys and values: pages, and the tables that name them */
    PagePool pages;    /* page size: the widest layer's */
    size_t table_size; /* max pages of one layer of one sequence */
    int32_t *table;    /* (sequences, layers, table_size) */
    int32_t *gone;     /* (sequences, layers) leading entries already released */
    /* release pages that no sequence needs, or return false (prefix_evict); NULL: none */
    bool (*make_room)(struct KvCache *kv);
    /* within a page, if not in blocks */
    StripFormat strips;
    size_t number_bytes;
    /* recurrent states (state.h) */
    PagePool states;             /* a page for all recurrent layers */
    size_t *state_at;            /* (layers) offset of a layer's state in its page */
    size_t snapshots;            /* max of a sequence; 0: no recurrent layer */
    struct Snapshots *states_of; /* (sequences) */
    /* kept prefixes (prefix.h) */
    struct Prefix *prefix; /* (config.prefixes) */
    int32_t *bucket;       /* (config.prefixes) by hash; -1: empty */
    int32_t free_prefix;   /* head of the list through `next` */
    size_t n_prefixes;     /* prefixes in use */
    uint64_t clock;
} KvCache;

/* Bytes of cache that the next token of a sequence of `length` moves: each layer's visible keys
 * and values are read, each state is read and written. */
double kv_bytes_moved(const KvCache *kv, size_t length);

/* Lay out the cache in the arena. */
void kv_init(KvCache *kv, const KvConfig *config, Arena *arena);

/* New pages that a sequence needs to reach `length` positions: added ones and copies of shared
 * ones that it would write to, in all layers with kv_heads. */
size_t kv_pages_needed(const KvCache *kv, size_t sequence, size_t length);

/* Free the pages that kv_pages_needed counts, and `others` more, by evicting prefixes (a page
 * that only a prefix shared then needs no copy).  False if there are too few. */
bool kv_reserve(KvCache *kv, size_t sequence, size_t length, size_t others);

/* Make room for positions up to `length` in every layer; nothing happens if the sequence is
 * that long.  A partly filled, shared page is copied first; unused prefixes are evicted.  False
 * when the sequence or the pool is full; nothing changes then. */
bool kv_extend(KvCache *kv, size_t sequence, size_t length);

/* The longest length, at most `length`, from which a sequence can continue after a truncation:
 * with recurrent layers the last snapshot; 0 when a window has released pages that the next
 * token would see, or the source would be cut. */
size_t kv_reach(const KvCache *kv, size_t sequence, size_t length);

/* Truncate to kv_reach and return it: from there the tokens must be evaluated again.  Empty
 * pages are released; those that a window released stay so (`gone`, 0 again at length 0). */
size_t kv_truncate(KvCache *kv, size_t sequence, size_t length);

/* Replace sequence `to` by a copy of `from` that shares its pages. */
void kv_fork(KvCache *kv, size_t to, size_t from);

/* Call before a batch.  Windowed layers release the pages that neither a later token nor one of
 * the last KV_REWIND sees; the current state becomes a snapshot, to share and to roll back
 * to. */
void kv_slide(KvCache *kv, size_t sequence);

/* One of the kv_heads of a layer, in one sequence. */
typedef struct KvHead {
    size_t layer, sequence, head;
} KvHead;

/* n positions of a sequence from `first` on, within a page. */
typedef struct KvSpan {
    size_t first, n;
} KvSpan;

/* Store the key (kv_heads, key_dim) and the value (kv_heads, value_dim) of a position.
 *
 * Needs    position < length. */
void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v);

/* Read, or replace, the key (key_dim) of a position, rounded to the cache's format. */
void kv_read_key(const KvCache *kv, KvHead at, size_t position, float *key);
void kv_write_key(KvCache *kv, KvHead at, size_t position, const float *key);

/* The address of a key and a value in F32, F16 or BF16.  A page holds its keys as
 * (KV_PAGE / STRIP, key_dim, STRIP), then its values as (value_dim / STRIP, KV_PAGE, STRIP):
 * strips of 16 for weighted_sum (vector.h).
 *
 *     key      number i at [16 * i]; next to it number i of the next position, because a score
 *              sums over the numbers of a key
 *     value    number i at [i], but the 16th at [16 * KV_PAGE]; the next position at [16],
 *              because a result sums over positions */
void *kv_key(const KvCache *kv, KvHead at, size_t position);
void *kv_value(const KvCache *kv, KvHead at, size_t position);

/* Rows of a matrix: row c starts at rows + c * step. */
typedef struct KvRows {
    const float *rows;
    size_t step, count;
} KvRows;

/* Apply the cache's Hadamard rotation, if any, to each of the heads of x (heads, dim): to
 * queries going in, and to outputs coming out (it is its own inverse). */
void kv_rotate(const KvCache *kv, float *x, size_t heads, size_t dim);

/* Queries ready for kv_scores: up to KV_QUERIES rows of key_dim numbers (after kv_rotate).  For
 * Q8_0 keys they are quantized too, in blocks of 32 with one scale (quantize_bytes).
 *
 * Error    in Q8_0, of a score: half of sum_i scale[i] * key's scale[i] * sum |bytes of the
 *          key| over its blocks i [bytes_are_the_nearest]. */
enum { KV_QUERIES = 16, KV_BYTE_KEY = 1024 /* max numbers of a Q8_0 key */ };
typedef struct KvQuery {
    KvRows rows; /* borrowed */
    size_t blocks;
    int8_t q[KV_QUERIES * KV_BYTE_KEY]; /* (rows, 32 * blocks) */
    float scale[KV_QUERIES * KV_BYTE_KEY / 32];
    int32_t sum[KV_QUERIES * KV_BYTE_KEY / 32];
} KvQuery;
void kv_query(const KvCache *kv, size_t layer, KvRows rows, KvQuery *query);

/* scores[c * step + j] = the dot product of query c with the key of position keys.first + j.
 *
 * Needs    both numbers of `keys` multiples of STRIP.  Positions of the last strip may be
 *          unwritten: their scores mean nothing. */
void kv_scores(const KvCache *kv, KvHead at, KvSpan keys, const KvQuery *query, float *scores,
               size_t step);

/* out[c * step + i] += sum_j weights[c][j] * value[values.first + j][i]; rotated if values
 * are. */
void kv_mix(const KvCache *kv, KvHead at, KvSpan values, KvRows weights, float *out,
            size_t step);

#endif
