/* train.h - teaching a small llama to predict the next token, or those that are hidden.
 *
 *     documents --> batch of whole documents --> forward --> surprisal --> backward --> AdamW --> weights
 *
 * A batch is a list of whole documents laid end to end, each a sequence of its own that begins
 * with BOS at position 0: what the model sees in training is what it sees in use.
 *
 * With shape.bidirectional it learns to fill open places of a text in any order (train_families.h).
 *
 * Invariant: the weights after step s depend on the configuration and the seed alone: not on
 * the number of threads, not on how often the run was stopped and resumed. */
#ifndef STRATA_TRAIN_H
#define STRATA_TRAIN_H

#include "tokenizer.h"
#include "world.h"

#include <stdio.h>

/* Where documents come from: Tiny World, or a text file (train_runs.h) with a line
 * <|endoftext|> after each document. */
typedef struct Corpus {
    const World *world; /* NULL: a file */
    uint64_t seed;
    Text *documents; /* owns the array; the texts lie in the mapped file */
    size_t count;
    FileMap file;
} Corpus;

void corpus_close(Corpus *corpus);

/* Document `index`; a file starts over at its end.  nats: the world's entropy; NAN: a file. */
Text corpus_document(const Corpus *corpus, uint64_t index, WorldText *scratch, double *nats);

/* Learn a vocabulary of so many tokens from the first documents, as a GGUF that lies in *bytes,
 * which the caller frees after it, on failure too.
 *
 *   mask   one of them stands for an open place (tokenizer_mask) */
bool corpus_learn_vocab(const Corpus *corpus, size_t tokens, bool mask, unsigned char **bytes,
                        Gguf *vocab, Fault *fault);

typedef struct Trainer Trainer;

typedef struct TrainConfig {
    const struct TrainFamily *family; /* NULL: a llama; others: train_families.h */
    /* hides tokens of a batch, to be guessed; NULL: the next token is guessed */
    void (*hide)(Trainer *trainer, uint64_t first_document);
    TrainShape shape;
    size_t layers, vocab, ctx;
    double rope_theta;
    uint64_t seed;
    size_t steps, warmup, batch_tokens;
    double momentum; /* of Muon */
    /* after the warm-up, a cosine from the first to the second */
    double learning_rate, final_rate;
    double beta1, beta2, epsilon, weight_decay, clip;
} TrainConfig;

/* The model in the box; the caller may change any field. */
TrainConfig train_config_storyteller(void);

size_t train_parameters(const TrainConfig *config); /* numbers to learn */

/* Fresh random weights (normal, deviation 0.02; outputs of a block smaller by sqrt(2 layers),
 * as GPT-2).
 *
 *   vocab   a GGUF with the tokenizer, whose pairs go into exported models
 *
 * All arguments are borrowed. */
Trainer *trainer_open(const TrainConfig *config, const Corpus *corpus,
                      const Tokenizer *tokenizer, const Gguf *vocab, Pool *pool, Fault *fault);
void trainer_close(Trainer *trainer);

typedef struct TrainStep {
    size_t step, tokens; /* done so far */
    double loss;         /* nats for each token of this batch, before the update */
    double rate, gradient_norm;
} TrainStep;

/* One batch and one update. */
TrainStep trainer_step(Trainer *trainer);

size_t trainer_steps_done(const Trainer *trainer);

/* Whether every text so far could be made tokens; else the last fault, and what was learned
 * since is not to be used. */
bool trainer_ok(const Trainer *trainer, Fault *fault);

/* Write the model as a GGUF file for any llama loader; matrices in `dtype`, norms in F32. */
bool trainer_export(const Trainer *trainer, const char *name, Dtype dtype, const char *path,
                    Fault *fault);

#endif
