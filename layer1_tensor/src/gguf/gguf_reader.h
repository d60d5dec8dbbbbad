/* gguf_reader.h - a walk through a GGUF header that checks every step; shared by gguf_read.c and gguf_entries.c.
 *
 * Invariant: `at` never passes `end`; after the first failure `ok` is false, nothing more is taken, and the
 * fault says what that failure was. */
#ifndef STRATA_GGUF_READER_H
#define STRATA_GGUF_READER_H

#include "gguf_bytes.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct Reader {
    const unsigned char *start, *at, *end;
    Fault *fault;
    bool ok;
} Reader;

static inline size_t left(const Reader *reader) { return (size_t)(reader->end - reader->at); }

/* Only the first failure is told. */
static inline bool __attribute__((format(printf, 2, 3)))
refuse(Reader *reader, const char *format, ...) {
    char text[sizeof reader->fault->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reader->ok) fault_set(reader->fault, "%s", text);
    return reader->ok = false;
}

static inline bool fail(Reader *reader, const char *what) {
    return refuse(
        reader, "%s at byte %zu of %zu: the file is cut short or damaged, fetch it again", what,
        (size_t)(reader->at - reader->start), (size_t)(reader->end - reader->start));
}

/* As much of a name as a sentence bears. */
static inline int shown(Text name) { return name.size < 100 ? (int)name.size : 100; }

/* The next `size` bytes; NULL, and a failure with these words, when there are not so many. */
static inline const unsigned char *take_bytes(Reader *reader, uint64_t size, const char *what) {
    if (!reader->ok || size > left(reader)) {
        fail(reader, what);
        return NULL;
    }
    const unsigned char *bytes = reader->at;
    reader->at += size;
    return bytes;
}

/* A number of `size` bytes; 0 when they are not there. */
static inline uint64_t take_int(Reader *reader, int size, const char *what) {
    const unsigned char *p = take_bytes(reader, (uint64_t)size, what);
    return p ? gguf_load(p, size) : 0;
}

/* A u64, its length, then so many bytes, which stay where they are; "" of length 0 when they are not there. */
Text gguf_take_string(Reader *reader, const char *what);

/* A pair: key (a string, not empty), value type (u32), and for an array its items' type (u32) and how many
 * there are (u64); then the value, which is stepped over: an array's items one after the other, without
 * anything between them.
 *
 *   pair   written: key, type, item (of what is no array: the type itself), count (1), and data, which points
 *          to the value's first byte: of strings to the length of the first one
 *
 * Fails when the file ends too early, the key is empty, or the type is none (GGUF_TYPES and more) or an array of
 * arrays; refuse_type() and refuse_array() say so, fail() all else. */
void gguf_take_pair(Reader *reader, GgufPair *pair);

/* A tensor's entry: name (a string), dimensions (u32), that many sizes (u64), number format (u32), and the offset of
 * its data (u64), which is returned.
 *
 *   tensor   written: name, ndim, dtype, bytes, and shape, whose order is the reverse of the file's, with 1 for the
 *            dimensions that are not there; data stays as it is
 *
 * Fails when the file ends too early, with 0 or more than TENSOR_MAX_DIMS dimensions, with a format that
 * dtype_info() does not know, a size that gguf_shape_bytes() refuses, or rows (the file's first size) that are no
 * whole blocks; refuse_dimensions(), refuse_format() and refuse_rows() say so, fail() all else. */
uint64_t gguf_take_tensor(Reader *reader, GgufTensor *tensor);

#endif
