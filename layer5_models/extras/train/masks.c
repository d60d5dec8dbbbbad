/* masks.c - masked tokens, predicted from everything around them.  See train_families.h.
 *
 *     text      BOS  Once  upon  a     time
 *     input     BOS  ____  upon  ____  ____      a share t of each document is masked, 0 < t <=
 *               1
 *     target    -    Once  -     a     time
 *     weight    0    1/t   0     1/t   1/t
 *
 * With these weights the mean loss bounds the text's surprisal from above: a model that fills
 * positions one by one in random order meets every share of masked positions equally often.
 *
 * Source   Nie et al. 2025, arXiv:2502.09992 (LLaDA), eq. 3. */
#include "train/trainer.h"
#include "train_families.h"

enum { STREAM = 7 }; /* of random numbers used by nothing else in a run */

void train_hide_tokens(Trainer *t, uint64_t first) {
    TrainBatch *b = &t->batch;
    for (size_t d = 0; d < b->documents; d++) {
        uint64_t coins = rng_hash(t->config.seed, STREAM, first + d);
        double share = 1 - rng_unit(coins, 0, 0);
        for (size_t i = b->start[d]; i < b->start[d + 1]; i++) {
            bool begins = i == b->start[d],
                 hidden = !begins && rng_unit(coins, 1, i - b->start[d]) < share;
            b->target[i] = b->input[i];
            b->weight[i] = hidden ? (float)(1 / share) : 0;
            if (hidden) b->input[i] = tokenizer_mask(t->tokenizer);
        }
    }
}
