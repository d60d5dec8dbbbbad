/* train.h - training a small llama to predict the next token, or masked ones.
 *
 *     documents --> batch --> forward --> loss --> backward --> AdamW, Muon --> weights
 *
 * A batch is whole documents laid end to end, each a sequence of its own that begins with BOS
 * at position 0, as in use.
 *
 * With shape.bidirectional the model learns to fill masked positions in any order
 * (train_families.h).
 *
 * Invariant: the weights after step s depend on the configuration and the seed alone, not on
 * the number of threads or on how often the run was stopped and resumed [threads_change_no_bit,
 * resuming_is_the_same_run]. */
#ifndef STRATA_TRAIN_H
#define STRATA_TRAIN_H

#include "tokenizer.h"
#include "world.h"

#include <stdio.h>

/* Source of documents: Tiny World, or a text file (train_runs.h) with a line <|endoftext|>
 * after each document. */
typedef struct Corpus {
    const World *world; /* NULL: a file */
    uint64_t seed;
    Text *documents; /* owns the array; the texts are in the mapped file */
    size_t count;
    FileMap file;
} Corpus;

void corpus_close(Corpus *corpus);

/* Document `index`; a file starts over at its end.  nats: the world's entropy; NAN for a
 * file. */
Text corpus_document(const Corpus *corpus, uint64_t index, WorldText *scratch, double *nats);

/* Learn a vocabulary of `tokens` tokens from the first documents, as a GGUF in *bytes, which
 * the caller frees after closing it, even on failure.
 *
 *   mask   include a mask token (tokenizer_mask) */
bool corpus_learn_vocab(const Corpus *corpus, size_t tokens, bool mask, unsigned char **bytes,
                        Gguf *vocab, Fault *fault);

typedef struct Trainer Trainer;

typedef struct TrainConfig {
    const struct TrainFamily *family; /* NULL: a llama; others: train_families.h */
    /* masks tokens of a batch, which the model then predicts; NULL: next-token prediction */
    void (*hide)(Trainer *trainer, uint64_t first_document);
    TrainShape shape;
    size_t layers, vocab, ctx;
    double rope_theta;
    uint64_t seed;
    size_t steps, warmup, batch_tokens;
    size_t parts;    /* of a batch that machines share (train_parts.h) */
    double momentum; /* of Muon; 0: AdamW updates all weights */
    /* after the warmup a cosine, from the first to the second */
    double learning_rate, final_rate;
    double beta1, beta2, epsilon, weight_decay, clip;
} TrainConfig;

/* The model in the box's; the caller may change any field. */
TrainConfig train_config_storyteller(void);

size_t train_parameters(const TrainConfig *config); /* number of learned parameters */

/* New random weights (normal, deviation 0.02; output matrices of a block divided by sqrt(2
 * layers), as in GPT-2).
 *
 *   vocab   a GGUF with the tokenizer, whose pairs go into exported models
 *
 * All arguments are borrowed. */
Trainer *trainer_open(const TrainConfig *config, const Corpus *corpus,
                      const Tokenizer *tokenizer, const Gguf *vocab, Pool *pool, Fault *fault);
void trainer_close(Trainer *trainer);

typedef struct TrainStep {
    size_t step, tokens; /* so far */
    double loss;         /* nats per token of this batch, before the update */
    double rate, gradient_norm;
} TrainStep;

/* One batch and one update. */
TrainStep trainer_step(Trainer *trainer);

size_t trainer_steps_done(const Trainer *trainer);

/* False: a text could not be encoded (see fault); discard what was learned since. */
bool trainer_ok(const Trainer *trainer, Fault *fault);

/* Write the model as a GGUF file for any llama loader; matrices in `dtype`, norms in F32. */
bool trainer_export(const Trainer *trainer, const char *name, Dtype dtype, const char *path,
                    Fault *fault);

#endif
