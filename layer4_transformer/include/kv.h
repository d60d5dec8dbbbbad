/* kv.h - the memory of a sequence: what its layers keep of the tokens it has read.
 *
 * A layer with attention keeps a key and a value of every token; a recurrent one keeps a state of
 * fixed size, however long the text (state.h).  A layer may have both, or neither.
 *
 * Attention reads its past through a table of pages; a page holds KV_PAGE positions of one layer:
 *
 *     sequence 0, layer 0:  table [ 3 | 0 | 5 ]      length 150
 *     pages:                |0: 64..127|1: free|2: layer 1|3: 0..63|4: free|5: 128..149|
 *
 * One sequence with its pages in order is the textbook's cache.  Because a table may name any page,
 * all sequences and all layers share one pool with a budget:
 *
 *     extend      takes pages; copies a shared one before it is written (copy on write)
 *     truncate    gives them back
 *     fork        a sequence begins with all of another one, sharing its pages
 *     slide       a layer with a window gives back what no later token will attend to
 *     shift.h     cuts old positions out of the middle
 *     state.h     the same for states, which cannot be cut back but to a snapshot
 *     prefix.h    finds the pages of a prompt that was evaluated before
 *
 * Invariant: position p of a sequence lies in page table[p / KV_PAGE], at p % KV_PAGE; whoever
 * names a page, a table or a prefix, is one of its users (page_pool.h).
 * Source   Kwon et al. 2023, arXiv:2309.06180 (paged attention). */
#ifndef STRATA_KV_H
#define STRATA_KV_H

#include "kv_format.h"
#include "page_pool.h"

/* Positions; also the step of the online softmax, so part of the result's bits. */
#define KV_PAGE 64

/* How far a sequence may be truncated after it slid, and still go on. */
#define KV_REWIND 64

/* What one layer keeps: of a position, and of a text. */
typedef struct KvShape {
    size_t kv_heads, key_dim, value_dim; /* kv_heads 0: nothing of a position */
    size_t window;                       /* the last token sees this many; 0: all */
    size_t state;                        /* numbers of a recurrent state; 0: none */
} KvShape;

typedef struct KvConfig {
    const KvShape *shapes; /* (layers) */
    size_t layers;
    Dtype dtype;      /* of keys and values (kv_format.h): F32, F16, BF16, Q8_0 or Q4_0 */
    bool hadamard;    /* they are kept rotated */
    size_t sequences; /* at the same time */
    size_t ctx;       /* positions of one of them */
    size_t batch;     /* positions a sequence grows by at once, at most */
    size_t budget;    /* pages; 0: enough for all sequences at their full length */
    size_t prefixes;  /* pages of prompts that are kept for later ones; 0: none */
    size_t rewind;    /* tokens that recurrent layers take back at once (state.h) */
} KvConfig;

/* The pages of KV_PAGE tokens that some text began with, after the prefix `parent`. */
typedef struct Prefix {
    bool kept; /* or on the free list */
    uint64_t hash, salt;
    uint64_t used;  /* when it was last looked up */
    int32_t parent; /* -1: the text begins here */
    int32_t children;
    int32_t next;    /* of its bucket, or of the free list */
    int32_t *tokens; /* (KV_PAGE) */
    int32_t *page;   /* (layers); -1: given back before it was kept */
    int32_t state;   /* the page of the states after its tokens; -1: the same */
} Prefix;

/* The states of all recurrent layers after so many tokens. */
typedef struct Snapshot {
    size_t length;
    int32_t page;
} Snapshot;

/* The snapshots of a sequence. */
typedef struct Snapshots {
    Snapshot *list; /* (KvCache.snapshots) the last one is the state now */
    size_t count;
    size_t base; /* the length before the batch that is being read */
    bool kept;   /* the state now stays; the next token's is another one */
} Snapshots;

typedef struct KvCache {
    KvConfig config;
    KvShape *shape;    /* (layers) */
    size_t table_size; /* pages of one layer of one sequence, at most */
    PagePool pages;    /* of keys and values, as wide as the widest layer's */
    int32_t *table;    /* (sequences, layers, table_size) */
    int32_t *gone;     /* (sequences, layers) leading entries that were given back */
    size_t *length;    /* (sequences) positions stored */
    /* (sequences) leading positions that those behind them do not see: a source, which an encoder
     * has read; 0: none */
    size_t *source;
    PagePool states;      /* each of all recurrent layers */
    size_t *state_at;     /* (layers) where a layer's numbers begin in it */
    size_t snapshots;     /* of a sequence, at most; 0: no layer is recurrent */
    Snapshots *states_of; /* (sequences) */
    Prefix *prefix;       /* (config.prefixes) */
    int32_t *bucket;      /* (config.prefixes) by hash; -1: empty */
    int32_t free_prefix;  /* a list through `next` */
    size_t n_prefixes;    /* kept now */
    uint64_t clock;
    /* gives pages back that no sequence needs (prefix_evict), or returns false; NULL: there are none */
    bool (*make_room)(struct KvCache *kv);
} KvCache;

/* Bytes that one token more of a text of `length` moves of its past: in each layer the keys and values that it sees are
 * read, and a state is read and written. */
double kv_bytes_moved(const KvCache *kv, size_t length);

/* Lay out the memory. */
void kv_init(KvCache *kv, const KvConfig *config, Arena *arena);

/* Pages that a sequence takes to hold `length` positions: new ones, and copies of shared ones that it
 * writes to, in all layers that keep keys and values; a layer without kv_heads has no pages. */
size_t kv_pages_needed(const KvCache *kv, size_t sequence, size_t length);

/* Make the pages free that a sequence takes to hold `length` positions, and `others` beside them; prefixes make
 * way, and what only they shared need not be copied any more.  False when there are not as many. */
bool kv_reserve(KvCache *kv, size_t sequence, size_t length, size_t others);

/* Make room for positions up to `length` of a sequence, in every layer; one that is longer already
 * stays as it is.  A page that is begun and shared is copied first; unused prefixes are evicted.
 * False when the sequence or the pool is full; nothing changes then. */
bool kv_extend(KvCache *kv, size_t sequence, size_t length);

/* The length from which a sequence could go on if the positions from `length` on were forgotten:
 * `length`; or less, the last snapshot before it, when there are recurrent layers; or 0 when a
 * windowed layer has given back what the shorter text would look at, or the source would be cut. */
size_t kv_reach(const KvCache *kv, size_t sequence, size_t length);

/* Forget the positions from kv_reach on; pages that hold none any more are given back, but not those
 * that a window gave back before (`gone`; 0 again when nothing is left).  Returns it: from there the
 * text has to be read again. */
size_t kv_truncate(KvCache *kv, size_t sequence, size_t length);

/* Let sequence `to` begin with all of `from`, sharing its pages; what `to` held is forgotten. */
void kv_fork(KvCache *kv, size_t to, size_t from);

/* Before a batch: windowed layers give back the pages that neither a later token nor one of the last
 * KV_REWIND attends to; and the state now stays, for whoever shares it, and to come back to. */
void kv_slide(KvCache *kv, size_t sequence);

/* Keep the key (kv_heads, key_dim) and the value (kv_heads, value_dim) of a position.
 * Needs position < length. */
void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v);

/* The key (key_dim) of a position in one of the kv_heads, as it was given, up to the format's rounding;
 * and another one in its place. */
void kv_read_key(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position,
                 float *key);
void kv_write_key(KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position,
                  const float *key);

/* Where they lie in F32, F16 or BF16, for one of the kv_heads, in strips of 16 for weighted_sum (vector.h): the keys of
 * a page as (KV_PAGE / STRIP, key_dim, STRIP), then its values as (value_dim / STRIP, KV_PAGE,
 * STRIP).
 *
 *     key      number i at [16 * i]; beside it number i of the next position: scores are sums over the numbers of a key
 *     value    number i at [i], but the 16th at [16 * KV_PAGE]; the next position at [16]: results are sums over positions */
void *kv_key(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position);
void *kv_value(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position);

/* Rows of a matrix: row c begins at rows + c * step. */
typedef struct KvRows {
    const float *rows;
    size_t step, count;
} KvRows;

/* Where keys and values are kept rotated, so are the queries before they meet them, and so is back what comes out of the
 * values: each of the heads of x (heads, dim).  Elsewhere nothing happens. */
void kv_rotate(const KvCache *kv, float *x, size_t heads, size_t dim);

/* Queries as they meet the keys: up to KV_QUERIES rows of key_dim numbers (kv_rotate).  Where keys are bytes (Q8_0), so
 * become the queries, in blocks of 32 that share a scale (quantize_bytes); elsewhere they stay what they are.
 *
 * Error    in Q8_0, of a score: half of sum_i scale[i] * key's scale[i] * sum |bytes of the key| over its blocks i. */
enum { KV_QUERIES = 16, KV_BYTE_KEY = 1024 /* numbers of a key in Q8_0, at most */ };
typedef struct KvQuery {
    KvRows rows; /* borrowed */
    size_t blocks;
    int8_t q[KV_QUERIES * KV_BYTE_KEY]; /* (rows, 32 * blocks) */
    float scale[KV_QUERIES * KV_BYTE_KEY / 32];
    int32_t sum[KV_QUERIES * KV_BYTE_KEY / 32];
} KvQuery;
void kv_query(const KvCache *kv, size_t layer, KvRows rows, KvQuery *query);

/* scores[c * step + j] = the dot product of query c with the key of position first + j.
 *
 * Needs    `first` and `n` multiples of STRIP, within a page: the positions are whole strips, whether they are
 *          all written or not. */
void kv_scores(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t first,
               size_t n, const KvQuery *query, float *scores, size_t step);

/* out[c * step + i] += the values of the n positions from `first` on, within a page, weighted by row c; rotated where
 * they are. */
void kv_mix(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t first,
            size_t n, KvRows weights, float *out, size_t step);

#endif
