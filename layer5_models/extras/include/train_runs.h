/* train_runs.h - long training runs: texts from a file, samples, checkpoints, a log, and
 * fine-tuning. */
#ifndef STRATA_TRAIN_RUNS_H
#define STRATA_TRAIN_RUNS_H

#include "train.h"

/* Open the documents of a text file.
 *
 * Fails when it cannot be read, has a zero byte or no document, or memory is short. */
bool corpus_open_file(Corpus *corpus, const char *path, Fault *fault);

/* Cut the first document off a text: up to a line <|endoftext|>, or all of it, without the
 * final newline. */
Text corpus_cut_document(Text *rest);

/* Split documents of a file that have more than `ctx` tokens (with BOS), before a word if
 * possible. Each part is read from its beginning, without what came before it.
 *
 *   cut   how many were split */
bool corpus_cut(Corpus *corpus, const Tokenizer *tokenizer, size_t ctx, size_t *cut,
                Fault *fault);

/* Loss on documents first .. first+count-1 of a corpus, and their entropy, in nats per token
 * (NAN for files, and where ctx cuts a document). */
void trainer_evaluate(Trainer *trainer, const Corpus *corpus, uint64_t first, size_t count,
                      double *loss, double *floor);

/* Continue `prompt` with samples at a temperature (0: greedy), into text.
 *
 * Needs    a causal model. */
void trainer_sample(Trainer *trainer, Text prompt, size_t max_tokens, double temperature,
                    uint64_t seed, WorldText *text);

/* Everything that determines the rest of the run, written atomically; and back.
 *
 * Fails when the file is of another run or damaged; the trainer then stays as it was. */
bool trainer_save(const Trainer *trainer, const char *path, Fault *fault);
bool trainer_load(Trainer *trainer, const char *path, Fault *fault);

/* Open the log of a run as CSV, ready for the line after `step`: later lines are removed and
 * will be written again.  A run that is killed at any moment loses no line up to its
 * checkpoint.  The caller closes it.
 *
 * NULL when it cannot be written, or is not such a log. */
FILE *train_log_open(const char *path, size_t step, Fault *fault);

/* Add a line.  heldout: loss and entropy of held-out documents; NULL: not evaluated. */
bool train_log_add(FILE *log, const TrainStep *step, double tokens_per_second,
                   const double *heldout, Fault *fault);

/* Flush it to disk, before a checkpoint that relies on it. */
bool train_log_sync(FILE *log, Fault *fault);

/* The sizes of a model as those of the run that begins with it: width, layers, heads, context,
 * epsilon, base of the rotary positions.  Keys that the file lacks keep the run's value.
 *
 * Fails, naming it, when a size is one that no run can have. */
bool train_take_shape(TrainConfig *config, const Gguf *gguf, Fault *fault);

/* Begin with the weights of a model that the run itself could have written (fine-tuning), in
 * any number format.
 *
 * Fails, naming it, when a key or tensor is missing, different or unknown to the run, which
 * would then train another function. */
bool trainer_begin_from(Trainer *trainer, const Gguf *gguf, Fault *fault);

#endif
