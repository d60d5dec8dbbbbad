/* rwkv_rows.h - a batch in a mix of RWKV: what RWKV 6 and 7 share.  See mixer_rwkv.c. */
#ifndef STRATA_RWKV_ROWS_H
#define STRATA_RWKV_ROWS_H

#include "block_extras.h"

enum { ROWS = 4, CHANNELS = 64 }; /* per task */

typedef struct Rows {
    const Rwkv *m;
    RwkvRun *run;
    const KvCache *kv;
    size_t layer;
    const Batch *batch;
    const float *x;
    /* of a shift: rows of mu, offset of the last x in the state */
    const float *const *mus;
    size_t mixes, at;
    float *step; /* (rows, dim) kept for later: x before - x; NULL: no */
} Rows;

static inline size_t rwkv_width(const Rwkv *m) { return m->heads * m->d; }

/* The working memory of all RWKV mixers of a model. */
OpenMemory rwkv_open;

/* Floats of a block's state, and where its heads begin. */
size_t rwkv_state(const Block *b);
size_t rwkv_shifts(const Rwkv *m);

/* Shift all rows: run->mixed[j] = x + (x before - x) mus[j]. */
void rwkv_shift(Pool *pool, Rows *t);

/* y = up act(down(shifted x number `mix`)) + bias */
void rwkv_map_low(Pool *pool, const Rows *t, const RwkvMap *map, int mix, float (*act)(float x),
                  float *y);

#endif
