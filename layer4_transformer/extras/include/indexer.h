/* indexer.h - sparse attention: a small attention chooses the positions that the large one
 * reads.
 *
 *     latent --> q --> rope --> each head's q_h (width) --+
 *     x --> k --> norm, rope --> cache: one k (width) ----+--> score of each position --> top
 *     x --> weigh --> w_h --------------------------------+
 *
 *     score_j = sum_h w_h relu(q_h . k_j) / sqrt(heads * width)
 *
 * All heads share one short key for each position, and there are no values: it costs a fraction
 * of attention, which then reads `top` positions however long the text is.  Up to `top`
 * positions all are chosen.  Of equal scores the earlier position wins.
 *
 * Its keys are a cache layer (KvShape without values), so pages, prefixes and forks cover them.
 *
 * Invariant: a token's choice depends only on its own sequence [neighbours_change_no_bit].
 * Source   DeepSeek 2025, DeepSeek-V3.2, eq. 1 and 2 (the lightning indexer).
 * Tutorial docs/layer4/sparse.md */
#ifndef STRATA_INDEXER_H
#define STRATA_INDEXER_H

#include "batch.h"
#include "kv.h"

typedef struct Indexer {
    Linear q;     /* (heads * width, q latent) */
    Linear k;     /* (width, dim) */
    Norm k_norm;  /* with mean and bias */
    Linear weigh; /* (heads, dim) */
    size_t heads; /* 0: no indexer */
    size_t width, top;
    Rope rope;    /* of the first numbers of q and k */
    size_t layer; /* of the cache */
} Indexer;

/* Working memory for up to `rows` tokens. */
typedef struct IndexerRun {
    float *q, *k, *w;     /* (rows, heads * width), (rows, width), (rows, heads) */
    float *cosine, *sine; /* (rows, rotary / 2) */
    float *scores;        /* (threads, ctx) */
    size_t ctx;
    uint64_t *chosen; /* (rows, pages): bit j of word p is position p * KV_PAGE + j */
    size_t pages;
    void *scratch;
} IndexerRun;

/* The largest of a model; heads 0: none. */
typedef struct IndexerSizes {
    size_t dim, q_latent, heads, width, rotary;
    size_t ctx; /* max positions of a sequence */
} IndexerSizes;

/* Grow sizes to fit this one. */
void indexer_sizes_include(IndexerSizes *sizes, const Indexer *indexer);

void indexer_run_init(IndexerRun *run, Pool *pool, size_t rows, const IndexerSizes *sizes,
                      Arena *arena);

/* Choose positions for each row of a batch, into run->chosen.  The rows' keys are appended to
 * the cache, which has room.
 *
 *   rows     (count, dim)
 *   latent   (count, q latent) of the queries, normed */
void indexer_choose(Pool *pool, const Indexer *x, IndexerRun *run, KvCache *kv,
                    const Batch *batch, const float *rows, const float *latent);

/* Mark the `top` largest of n scores, of equal ones the first; all if n <= top.
 *
 *   chosen   (n / 64 + 1) words of 64 bits, written
 *
 * Cost     34 passes over the scores: 32 find the smallest chosen one, bit by bit from the
 *          highest [the_largest_are_found_in_34_passes]. */
void choose_top(const float *scores, size_t n, size_t top, uint64_t *chosen);

#endif
