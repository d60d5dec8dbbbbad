/* indexer.h - sparse attention: a small, fast attention chooses which positions the large one looks at.
 *
 *     latent --> q --> rope --> each head's q_h (width) --+
 *     x --> k --> norm, rope --> memory: one k (width) ---+--> score of each position --> the `top` best
 *     x --> weigh --> w_h --------------------------------+
 *
 *     score_j = sum_h w_h relu(q_h . k_j) / sqrt(heads * width)
 *
 * All its heads share one short key of a position, and nothing is mixed: it costs a fraction of attention,
 * which then looks at `top` positions however long the text is.  As long as there are no more than that,
 * all are chosen.  Of equal scores the earlier position comes first.
 *
 * Its keys are a layer of memory by themselves (KvShape without values), so that pages, prefixes and
 * forks take care of them.
 *
 * Invariant: what is chosen for a token depends on its own sequence alone.
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
    size_t heads; /* 0: there is none */
    size_t width, top;
    Rope rope;    /* of the first numbers of q and k */
    size_t layer; /* of the memory */
} Indexer;

/* Working memory for up to so many tokens. */
typedef struct IndexerRun {
    float *q, *k, *w;     /* (rows, heads * width), (rows, width), (rows, heads) */
    float *cosine, *sine; /* (rows, rotary / 2) */
    float *scores;        /* (threads, ctx) */
    size_t ctx;
    uint64_t *chosen; /* (rows, pages): bit j of word p is position p * KV_PAGE + j */
    size_t pages;
    void *scratch;
} IndexerRun;

/* Widths of a model's widest one; heads 0: there is none. */
typedef struct IndexerSizes {
    size_t dim, q_latent, heads, width, rotary;
    size_t ctx; /* positions of a sequence, at most */
} IndexerSizes;

/* Grow sizes to what this one needs. */
void indexer_sizes_include(IndexerSizes *sizes, const Indexer *indexer);

void indexer_run_init(IndexerRun *run, Pool *pool, size_t rows, const IndexerSizes *sizes,
                      Arena *arena);

/* What each row of a batch looks at, into run->chosen; its keys are appended to memory, which has room.
 *
 *   rows     (count, dim)
 *   latent   (count, q latent) of the queries, normed */
void indexer_choose(Pool *pool, const Indexer *x, IndexerRun *run, KvCache *kv,
                    const Batch *batch, const float *rows, const float *latent);

/* Mark the `top` largest of n scores, of equal ones the first; all of them if there are no more.
 *
 *   chosen   (n / 64 + 1) words of 64 bits, written
 *
 * Cost     32 passes over the scores: the bits of the smallest one that is chosen, from the highest on. */
void choose_top(const float *scores, size_t n, size_t top, uint64_t *chosen);

#endif
