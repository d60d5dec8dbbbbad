/* board.h - logits and the clock for strata bench samplers.
 *
 * Each time includes the first scan of the logits (maximum per segment, NaN) and the stage or
 * chain.  The logits are rewritten before each round, untimed, so that they are in the cache as
 * after a forward pass. */
#ifndef STRATA_BENCH_BOARD_H
#define STRATA_BENCH_BOARD_H

#include "bench.h"

/* peaked: one token has nearly all; LLM-like: noise and 40 outliers; flat: nearly uniform. */
typedef enum LogitShape { LOGITS_PEAKED, LOGITS_LLM, LOGITS_FLAT } LogitShape;

enum { BOARD_HISTORY = 64 };

typedef struct Board {
    Arena arena;
    Candidates candidates;
    float *logits, *copy, *amateur, *unconditional; /* (n) */
    int32_t history[BOARD_HISTORY];
    size_t n, generated;        /* tokens of the history that are no prompt; 0 at first */
    const Tokenizer *tokenizer; /* borrowed; NULL: none */
    double *times;
} Board;

/* Memory for n logits, LLM-like; close it when done.  Fails when memory runs out. */
bool board_open(Board *board, size_t n, const Tokenizer *tokenizer, Fault *fault);
void board_close(Board *board);

void board_set_shape(Board *board, LogitShape shape);

/* Time the chain's stages; a draw that was appended is excluded.
 *
 *   median   written: seconds
 *   left     written: candidates after it */
bool board_measure(Board *board, const char *spec, double seconds, double *median, size_t *left,
                   Fault *fault);

/* Lower bound: seconds for one pass over all logits. */
double board_floor(Board *board, double seconds);

/* Time every stage of the catalogue, by its example, a row each. */
bool bench_catalogue(const BenchJob *job, Fault *fault);

#endif
