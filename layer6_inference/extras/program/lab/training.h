/* training.h - a run of strata train: vocabulary, steps, held-out evaluation, checkpoints. */
#ifndef STRATA_TRAINING_H
#define STRATA_TRAINING_H

#include "compute.h"
#include "train_families.h"
#include "worlds.h"

/* The options; 0 or NULL: not given. */
typedef struct TrainJob {
    bool list; /* instead of training */
    const char *out, *size, *mixer, *optimizer, *corpus, *vocab_from, *from, *world,
        *checkpoint, *log;
    uint64_t seed;
    long steps, batch, dim, hidden, layers, heads, kv_heads, vocab, ctx;
    long eval_every, eval_documents, save_every;
    double rate;
    long lora, parts;
    bool resume, masked;
    ComputeOptions compute;
    TrainConfig config;
} TrainJob;

/* The sizes that were asked for, over those of --size or --from.  Fails when they make no
 * model. */
bool override_shape(TrainJob *job, Fault *fault);

/* Train to the last step, and write the model or adapter. */
bool run_training(TrainJob *job, Fault *fault);

#endif
