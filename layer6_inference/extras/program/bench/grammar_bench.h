/* grammar_bench.h - what strata bench grammar is made of. */
#ifndef STRATA_GRAMMAR_BENCH_H
#define STRATA_GRAMMAR_BENCH_H

#include "bench.h"

/* A function: its parameters' schemas, those that are required (comma-separated), and
 * arguments. */
typedef struct BenchCall {
    const char *name, *properties, *required, *arguments;
} BenchCall;

extern const BenchCall bench_calls[];
extern const size_t bench_n_calls;

enum { BENCH_TEXT = 4096 };

/* The schema of a call of a function, and one such call: both JSON. */
void bench_call_write(const BenchCall *call, char schema[BENCH_TEXT], char text[BENCH_TEXT]);

/* JSON objects without a schema. */
extern const char *const bench_objects[];
extern const size_t bench_n_objects;
void bench_object_write(size_t number, char schema[BENCH_TEXT], char text[BENCH_TEXT]);

/* Schemas and texts of a folder: how many are taken, and how often an answer is wrong.
 *
 * Fails when there is no such folder, and on a file that is none of these. */
bool bench_grammar_folder(const BenchJob *job, Fault *fault);

/* A tokenizer of so many tokens, always the same: words with and without a blank before them
 * and all their beginnings, numbers of up to three digits, runs of punctuation and of
 * blanks, characters of other scripts. */
Tokenizer *bench_vocabulary(size_t tokens, Fault *fault);

/* The same as a model file without weights; free *bytes. */
bool bench_vocabulary_file(size_t tokens, unsigned char **bytes, size_t *size, Fault *fault);

#endif
