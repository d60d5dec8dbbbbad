/* tiny_training.h - what tests of training share. */
#ifndef STRATA_TINY_TRAINING_H
#define STRATA_TINY_TRAINING_H

#include "check.h"
#include "tiny_model.h"

static inline int prepare(void **state) {
    (void)state;
    return tiny_open() ? 0 : -1;
}

static inline int finish(void **state) {
    (void)state;
    return tiny_close(), 0;
}

static inline Trainer *make(const TrainConfig *c, const Corpus *corpus, Pool *pool) {
    Fault fault;
    Trainer *t = trainer_open(c, corpus, tokenizer, &vocab, pool, &fault);
    if (!t) fail_msg("%s", fault.text);
    return t;
}

#endif
