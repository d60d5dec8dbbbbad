/* train_runs.h - all that a long training run needs besides steps: texts from a file, a look at
 * what it has learned, checkpoints, a log, and the weights of a model to begin with. */
#ifndef STRATA_TRAIN_RUNS_H
#define STRATA_TRAIN_RUNS_H

#include "train.h"

/* The documents of a text file.
 *
 * Fails when it cannot be read, has a zero byte or no document, or memory is short. */
bool corpus_open_file(Corpus *corpus, const char *path, Fault *fault);

/* Cut the first document off a text: up to a line <|endoftext|>, or all of it, without the
 * newline at its end. */
Text corpus_cut_document(Text *rest);

/* Documents of a file that have more than `ctx` tokens, with the one that begins them, become
 * several, cut before a word where there is one: each is read from its beginning, without what
 * came before it.
 *
 *   cut   how many were
 *
 * Cost     reads the file once or twice as tokens. */
bool corpus_cut(Corpus *corpus, const Tokenizer *tokenizer, size_t ctx, size_t *cut,
                Fault *fault);

/* Loss on documents first .. first+count-1 of a corpus, and the entropy of these documents, in
 * nats for each token (NAN for files, and where ctx cuts a document). */
void trainer_evaluate(Trainer *trainer, const Corpus *corpus, uint64_t first, size_t count,
                      double *loss, double *floor);

/* Continue `prompt` with draws at a temperature (0: greedy), into text; a look at how it speaks
 * by now.
 *
 * Needs    a model that writes from left to right. */
void trainer_sample(Trainer *trainer, Text prompt, size_t max_tokens, double temperature,
                    uint64_t seed, WorldText *text);

/* Everything that determines the rest of the run, written atomically; and back.
 *
 * Fails when the file is of another run or has one bit that was not written; the trainer then
 * stays as it was. */
bool trainer_save(const Trainer *trainer, const char *path, Fault *fault);
bool trainer_load(Trainer *trainer, const char *path, Fault *fault);

/* The log of a run as CSV, ready for the line after `step`: lines up to it stay, later ones
 * will be written again.  A run that is killed at any moment loses none of the lines up to its
 * checkpoint.  The caller closes it.
 *
 * NULL when it cannot be written, or is a file of another kind. */
FILE *train_log_open(const char *path, size_t step, Fault *fault);

/* A line; heldout: loss and entropy of held-out documents, NULL: not evaluated. */
bool train_log_add(FILE *log, const TrainStep *step, double tokens_per_second,
                   const double *heldout, Fault *fault);

/* Bring it to the disk, before a checkpoint that counts on it. */
bool train_log_sync(FILE *log, Fault *fault);

/* Begin with the weights of a model that the run itself could have written (fine-tuning), in
 * any number format.
 *
 * Fails when a key or a tensor is missing, is another, or is one that the run does not know, so
 * that it would train another function than the model's; the fault names it. */
bool trainer_begin_from(Trainer *trainer, const Gguf *gguf, Fault *fault);

#endif
