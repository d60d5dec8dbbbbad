/* mamba_rows.h - a batch on its way through a state-space mixer: what its tasks share. */
#ifndef STRATA_MAMBA_ROWS_H
#define STRATA_MAMBA_ROWS_H

#include "mixer_mamba.h"

typedef struct Rows {
    const Mamba *m;
    MambaRun *run;
    const KvCache *kv;
    size_t layer;
    const Batch *batch;
} Rows;

#endif
