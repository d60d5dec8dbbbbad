/* gguf.h - the file format of models (GGUF versions 2 and 3, little-endian).
 *
 *     "GGUF" | version u32 | tensors u64 | pairs u64
 *     pairs:    key string | type u32 | value                     string: length u64 | bytes
 *     tensors:  name string | dims u32 | shape u64[dims] | format u32 | offset u64
 *     padding to general.alignment (default 32; a power of two, at least 8)
 *     data:     tensor bytes, each padded to the alignment        offset counts from here
 *
 * Parsing takes a buffer, never a path, and checks every length and offset before use.
 *
 * Invariant: after gguf_parse returns true, every value and every tensor is inside the buffer,
 * keys and names are unique, and each tensor's size follows from its shape and format
 * [ten_thousand_corruptions, cut_at_every_byte]. */
#ifndef STRATA_GGUF_H
#define STRATA_GGUF_H

#include "file_write.h"
#include "text.h"
#include "view.h"

typedef enum GgufType {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPES
} GgufType;

typedef struct GgufPair {
    Text key;
    GgufType type;
    GgufType item;             /* arrays: the type of the items; else the type itself */
    uint64_t count;            /* arrays: items; else 1 */
    const unsigned char *data; /* the value (arrays: the first item) */
} GgufPair;

typedef struct GgufTensor {
    Text name;
    uint32_t dtype;
    int ndim;
    size_t shape[TENSOR_MAX_DIMS]; /* (out, in): the file's order reversed */
    size_t bytes;
    const unsigned char *data;
} GgufTensor;

typedef struct Gguf {
    uint32_t version;
    size_t alignment;
    size_t n_pairs, n_tensors;
    GgufPair *pairs;     /* owns */
    GgufTensor *tensors; /* owns */
    size_t data_start;   /* bytes before the first tensor */
} Gguf;

/* Parse the header of a file in memory.
 *
 *   bytes   (size)   borrowed: must outlive the Gguf
 *
 * Fails with what is wrong, and at which byte. */
bool gguf_parse(Gguf *gguf, const void *bytes, size_t size, Fault *fault);
void gguf_free(Gguf *gguf);

/* What a file is that is not GGUF, by its first bytes, and what to do with it: "a web page
 * (HTML): the download ...".  A constant; NULL: unknown. */
const char *file_kind(const void *bytes, size_t size);

/* NULL: there is none. */
const GgufPair *gguf_find(const Gguf *gguf, const char *key);
const GgufTensor *gguf_find_tensor(const Gguf *gguf, const char *name);

/* A read-only view of a tensor's data. */
Tensor gguf_tensor_view(const GgufTensor *tensor);

/* Item i of a pair (0 unless it is an array), converted: any integer type to int64_t, any
 * number to double.  False when the type does not fit or i is out of range. */
bool gguf_int(const GgufPair *pair, uint64_t i, int64_t *value);
bool gguf_float(const GgufPair *pair, uint64_t i, double *value);
bool gguf_string(const GgufPair *pair, Text *value);

/* Bytes of a tensor with this shape.  False if a dimension is 0, if it has more than 2^46
 * elements, or if elements or bytes exceed max. */
bool gguf_shape_bytes(const uint64_t *dims, int ndim, const DtypeInfo *info, uint64_t max,
                      uint64_t *bytes);

/* Bytes of a pair's value in the file (arrays: of all items). */
size_t gguf_value_bytes(const GgufPair *pair);

/* Walk an array of strings: start with cursor = pair->data, call pair->count times. */
Text gguf_next_string(const unsigned char **cursor);

const char *gguf_type_name(GgufType type);

/* ------------------------------------------------------------------ writing */

/* A file assembled in memory: pairs first, then tensors, then gguf_write_file. */
typedef struct GgufWriter GgufWriter;

enum { GGUF_ALIGNMENT = 32 }; /* of written files */

GgufWriter *gguf_writer_open(Fault *fault);
void gguf_writer_close(GgufWriter *writer);

void gguf_put_int(GgufWriter *writer, const char *key, GgufType type, int64_t value);
void gguf_put_float(GgufWriter *writer, const char *key, GgufType type, double value);
void gguf_put_string(GgufWriter *writer, const char *key, Text value);
void gguf_put_ints(GgufWriter *writer, const char *key, GgufType item, const int64_t *values,
                   size_t count);
void gguf_put_floats(GgufWriter *writer, const char *key, GgufType item, const double *values,
                     size_t count);
void gguf_put_strings(GgufWriter *writer, const char *key, const Text *values, size_t count);

/* Copy a pair of another file. */
void gguf_put_pair(GgufWriter *writer, const GgufPair *pair);

/* Add a tensor; its data is copied.  shape is (out, in). */
void gguf_put_tensor(GgufWriter *writer, const char *name, const Tensor *tensor);

/* Add a tensor without its data, which comes later.  A file has only such tensors, or none. */
void gguf_announce_tensor(GgufWriter *writer, const char *name, Dtype dtype, int ndim,
                          const size_t *shape);

/* Begin a file of announced tensors: write the header and extend the file to its full size,
 * with out->stream at the first tensor's data.  Then write the data in order, each tensor
 * padded to GGUF_ALIGNMENT, and call file_end.
 *
 * Fails as file_begin does, and when memory or disk is full. */
bool gguf_begin_file(GgufWriter *writer, const char *path, FileOut *out, Fault *fault);

/* Write the file, all or nothing.  Fails when memory or disk is full. */
bool gguf_write_file(GgufWriter *writer, const char *path, Fault *fault);

/* The same into memory; the caller frees *bytes with free(). */
bool gguf_write_memory(GgufWriter *writer, unsigned char **bytes, size_t *size, Fault *fault);

#endif
