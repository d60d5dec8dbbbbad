/* shared_rows.h - one machine's rows of the products with a file's matrices; see machines.h. */
#ifndef STRATA_SHARED_ROWS_H
#define STRATA_SHARED_ROWS_H

#include "gguf_file.h"
#include "linalg.h"

/* A product, as it travels. */
typedef struct SharedProduct {
    uint32_t file, tensor;
    uint64_t offset, out, first, n; /* offset: of the matrix in the tensor, bytes */
} SharedProduct;

/* The rows of a matrix that this machine has, repacked. */
typedef struct SharePart {
    struct SharePart *next;
    const void *first; /* in the file */
    PackedWeights packed;
    void *data; /* (size) owns */
    size_t size;
} SharePart;

/* A file that all machines have opened. */
typedef struct SharedFile {
    const Gguf *gguf;  /* borrows */
    SharePart **parts; /* (n_tensors) lists; owns */
} SharedFile;

bool shared_file_open(SharedFile *file, const Gguf *gguf, Fault *fault);
void shared_file_close(SharedFile *file);

/* Where each machine's part of all rows begins.
 *
 *   shares   (size) 0 or more, not all 0, in any unit; NULL: all alike
 *   bounds   (size + 1) 0 ... 1; bounds[0] is the first machine's */
void share_bounds(const double *shares, int size, double *bounds);

/* A member's rows begin where those before it end: at its bound of the blocks of sixteen rows,
 * rounded to a whole block, halves up.
 *
 *   member   0: the first machine; the number of machines: the end of the last one
 *   bounds   (size + 1) 0 ... 1
 *   out      rows of the matrix; its last block may be shorter */
size_t share_begin(const double *bounds, int member, size_t out);
size_t share_rows(const double *bounds, int member, size_t out);

typedef struct ShareJob {
    Pool *pool;
    SharedFile *files;
    const double *bounds;
    int member;
    bool pack;
    const SharedProduct *products; /* (count) */
    size_t count, rows, in;
    const float *x; /* (rows, in) */
    void *scratch;
} ShareJob;

/* Rows begin .. begin + count - 1 of a product's matrix, and the same repacked; *packed NULL:
 * they are not.  Fails as share_compute. */
bool share_matrix(const ShareJob *job, const SharedProduct *product, size_t begin, size_t count,
                  Tensor *rows, const PackedWeights **packed, Fault *fault);

/* Numbers that the member computes for a job, and bytes of its answer (wire_rows.h). */
size_t share_numbers(const ShareJob *job, int member);
size_t share_bytes(const ShareJob *job, int member, bool half);

/* Compute this member's rows: for each product (n, rows), one after the other.
 *
 * Fails when there is no memory to repack a matrix, and when a product does not fit its
 * file. */
bool share_compute(const ShareJob *job, float *y, Fault *fault);

#endif
