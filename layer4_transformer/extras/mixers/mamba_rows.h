/* mamba_rows.h - a batch in a state-space mixer: the tasks of Mamba 1 and Mamba 2. */
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
