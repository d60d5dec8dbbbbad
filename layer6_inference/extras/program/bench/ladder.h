/* ladder.h - what strata bench ladder and strata bench roofline time: products of random
 * weights in one format. */
#ifndef STRATA_LADDER_H
#define STRATA_LADDER_H

#include "bench.h"

enum { COLS = 4096, MAX_INPUTS = 256 };

typedef struct Rungs {
    BenchJob *job;
    size_t rows; /* few for the ladder; for the roofline more than the caches hold */
    Pool *pool;
    Dtype dtype;
    float *w;     /* (rows, COLS) as stored; NULL: unchecked */
    float *x, *y; /* (MAX_INPUTS, COLS), (MAX_INPUTS, rows) */
    unsigned char *stored, *packed_data;
    char *scratch;
    PackedWeights packed;
    Tensor tensor;
    double peak, bandwidth; /* of all threads together */
    FileOut csv;
} Rungs;
typedef void Rung(Rungs *r, size_t cols);

/* Memory for `rows` weights of COLS numbers, as F32 at most; check: and for the check in double
 * precision.  False, with a fault: no memory, or no threads. */
bool ladder_open(Rungs *r, size_t rows, bool check, Fault *fault);
void ladder_close(Rungs *r);

/* Fill r->rows rows with weights of a format, and pack them if it is quantized. */
void ladder_store(Rungs *r, Dtype dtype);

/* Time a rung, after a run that is not timed. */
BenchTime ladder_time(Rungs *r, Rung *run, size_t cols, double seconds);

/* The product as the file has the weights, and as they are packed. */
void ladder_run_file(Rungs *r, size_t cols);
void ladder_run_packed(Rungs *r, size_t cols);

#endif
