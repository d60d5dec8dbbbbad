/* parts.h - loading an adapter; private to extras/adapters.
 *
 *     adapter.c    which of a model's maps it acts on
 *     lora_gguf.c  its matrices from a GGUF file;  lora_peft.c: from a folder */
#ifndef STRATA_ADAPTER_PARTS_H
#define STRATA_ADAPTER_PARTS_H

#include "adapter.h"

/* The two matrices of one map, in f32. */
typedef struct Pair {
    char name[96]; /* "blk.0.attn_q" */
    float *a, *b;  /* own; (rank, in), (out, rank) */
    size_t rank_a, in, out, rank_b;
} Pair;

typedef struct Lora {
    Pair *pairs; /* (n_pairs) owns */
    size_t n_pairs, room;
    double alpha;
    bool by_root; /* alpha / sqrt(rank) */
    size_t rank;  /* of all pairs; 0: unspecified */
} Lora;

/* The pair of a map, added if new.  NULL: memory is short. */
Pair *lora_pair(Lora *lora, const char *name, Fault *fault);

/* Read the pairs of a file or a folder.  Faults name the path. */
bool lora_read_gguf(Lora *lora, const Model *model, const char *path, Fault *fault);
bool lora_read_folder(Lora *lora, const Model *model, const char *path, Fault *fault);

#endif
