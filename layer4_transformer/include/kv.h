/* kv.h - the memory of a sequence: the keys and values of the tokens it has read.
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
 *     slide       a layer with a window gives back what no later token will look at
 *     prefix.h    finds the pages of a text that was read before
 *
 * Invariant: position p of a sequence lies in page table[p / KV_PAGE], at p % KV_PAGE; a page's
 * refcount is the number of tables and prefixes that name it, and it is on the free list when that
 * is 0.
 * Source   Kwon et al. 2023, arXiv:2309.06180 (paged attention). */
#ifndef STRATA_KV_H
#define STRATA_KV_H

#include "nn.h"

/* Positions; also the step of the online softmax, so part of the result's bits. */
#define KV_PAGE 64

/* How far a sequence may be truncated after it slid, and still go on. */
#define KV_REWIND 64

/* What one layer keeps of a position. */
typedef struct KvShape {
    size_t kv_heads, key_dim, value_dim;
    size_t window; /* the last token sees this many; 0: all */
} KvShape;

typedef struct KvConfig {
    const KvShape *shapes; /* (layers) */
    size_t layers;
    Dtype dtype;      /* F32, or F16: half the memory, and three digits of every number */
    size_t sequences; /* at the same time */
    size_t ctx;       /* positions of one of them */
    size_t batch;     /* positions a sequence grows by at once, at most */
    size_t budget;    /* pages; 0: enough for all sequences at their full length */
    size_t prefixes;  /* pages of text that are remembered; 0: none */
} KvConfig;

/* The pages of KV_PAGE tokens that some text began with, after the prefix `parent`. */
typedef struct Prefix {
    bool kept; /* or on the free list */
    uint64_t hash, salt;
    uint64_t used;  /* when it was last asked for */
    int32_t parent; /* -1: the text begins here */
    int32_t children;
    int32_t next;    /* of its bucket, or of the free list */
    int32_t *tokens; /* (KV_PAGE) */
    int32_t *page;   /* (layers); -1: given back before it was kept */
} Prefix;

typedef struct KvCache {
    KvConfig config;
    KvShape *shape;           /* (layers) */
    size_t table_size;        /* pages of one layer of one sequence, at most */
    size_t pages, free_count; /* in the pool; of them free */
    size_t page_numbers;      /* numbers in a page: the widest layer's */
    void *numbers;            /* (pages, page_numbers) */
    int32_t *table;           /* (sequences, layers, table_size) */
    int32_t *gone;            /* (sequences, layers) leading entries that were given back */
    size_t *length;           /* (sequences) positions stored */
    int32_t *free_pages, *refcount; /* (pages) a stack; users of each */
    Prefix *prefix;                 /* (config.prefixes) */
    int32_t *bucket;                /* (config.prefixes) by hash; -1: empty */
    int32_t free_prefix;            /* a list through `next` */
    size_t n_prefixes;              /* kept now */
    uint64_t clock;
} KvCache;

/* Lay out the memory.  Pages that are never used cost no physical memory on most systems. */
void kv_init(KvCache *kv, const KvConfig *config, Arena *arena);

/* Make room for positions up to `length` of a sequence; prefixes that nobody uses make way.  False
 * when the sequence or the pool is full; nothing changes then. */
bool kv_extend(KvCache *kv, size_t sequence, size_t length);

/* Forget the positions from `length` on.
 *
 * Returns the length from which the sequence can go on: `length`, or 0 when a windowed layer has given
 * back what the shorter text would look at; the text has to be read again then. */
size_t kv_truncate(KvCache *kv, size_t sequence, size_t length);

/* Let sequence `to` begin with all of `from`, sharing its pages; what `to` held is forgotten. */
void kv_fork(KvCache *kv, size_t to, size_t from);

/* Windowed layers give back the pages that no token from here on looks at, nor one of the last
 * KV_REWIND again.  Call it before a batch, not in one: its first tokens look further back. */
void kv_slide(KvCache *kv, size_t sequence);

/* Keep the key (kv_heads, key_dim) and the value (kv_heads, value_dim) of a position.
 * Needs position < length. */
void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v);

/* Where they lie, for one of the kv_heads, in strips of 16 for weighted_sum (vector.h): the keys of
 * a page as (KV_PAGE / STRIP, key_dim, STRIP), then its values as (value_dim / STRIP, KV_PAGE,
 * STRIP).
 *
 *     key      number i at [16 * i]; beside it number i of the next position: scores are sums over the numbers of a key
 *     value    number i at [i], but the 16th at [16 * KV_PAGE]; the next position at [16]: results are sums over positions */
void *kv_key(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position);
void *kv_value(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position);

/* weighted_sum with keys or values as x. */
void kv_weighted_sum(const KvCache *kv, float *y, size_t y_step, const float *a, size_t a_step,
                     size_t count, const void *x, size_t x_step, size_t rows, size_t n);

#endif
