/* grammar_bench.h - shared by the files of strata bench grammar. */
#ifndef STRATA_GRAMMAR_BENCH_H
#define STRATA_GRAMMAR_BENCH_H

#include "bench.h"

/* A function: its parameters' schemas, the required ones (comma-separated), and arguments. */
typedef struct BenchCall {
    const char *name, *properties, *required, *arguments;
} BenchCall;

extern const BenchCall bench_calls[];
extern const size_t bench_n_calls;

enum { BENCH_TEXT = 4096 };

/* Write the JSON Schema of a function call, and one such call. */
void bench_call_write(const BenchCall *call, char schema[BENCH_TEXT], char text[BENCH_TEXT]);

/* JSON objects without a schema. */
extern const size_t bench_n_objects;
void bench_object_write(size_t number, char schema[BENCH_TEXT], char text[BENCH_TEXT]);

/* Test all schemas and texts of a folder: how many compile, how many answers are wrong.
 *
 * Fails if the folder is missing, or on a file in another format. */
bool bench_grammar_folder(const BenchJob *job, Fault *fault);

/* Time the masks of each grammar of a folder.
 *
 * Fails if the folder is missing or has no grammar. */
bool bench_grammar_masks(const BenchJob *job, Fault *fault);

enum { BENCH_VOCABULARY = 128000 };

/* A fixed tokenizer with this many tokens: words with and without a leading space, all their
 * prefixes, numbers of up to three digits, runs of punctuation and spaces, other scripts.  One
 * of fewer than 60,000 lacks the last kinds. */
Tokenizer *bench_vocabulary(size_t tokens, Fault *fault);

/* The same as a model file without weights; free *bytes. */
bool bench_vocabulary_file(size_t tokens, unsigned char **bytes, size_t *size, Fault *fault);

#endif
