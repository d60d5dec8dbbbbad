/* gguf_reader.h - a checked walk through a GGUF header; shared by gguf_read.c and
 * gguf_entries.c.
 *
 * Invariant: `at` <= `end`; after the first failure `ok` is false, nothing more is read, and
 * the fault reports that failure. */
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

/* Only the first failure is reported. */
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

/* Names in messages are cut to 100 bytes. */
static inline int shown(Text name) { return name.size < 100 ? (int)name.size : 100; }

/* The next `size` bytes; NULL, and a fault saying `what`, if fewer are left. */
static inline const unsigned char *take_bytes(Reader *reader, uint64_t size, const char *what) {
    if (!reader->ok || size > left(reader)) {
        fail(reader, what);
        return NULL;
    }
    const unsigned char *bytes = reader->at;
    reader->at += size;
    return bytes;
}

/* A number of `size` bytes; 0 after a failure. */
static inline uint64_t take_int(Reader *reader, int size, const char *what) {
    const unsigned char *p = take_bytes(reader, (uint64_t)size, what);
    return p ? gguf_load(p, size) : 0;
}

/* A string: u64 length, then the bytes, which are not copied; "" after a failure. */
Text gguf_take_string(Reader *reader, const char *what);

/* A pair: key (a string, not empty), value type (u32), for an array its item type (u32) and
 * count (u64), then the value, which is skipped; items follow each other without padding.
 *
 *   pair   written; data points to the value's first byte (of a string: to its length)
 *
 * Fails when the file ends, the key is empty, or the type is unknown or an array of arrays
 * (refuse_type, refuse_array; fail for the others). */
void gguf_take_pair(Reader *reader, GgufPair *pair);

/* A tensor's entry: name (a string), number of dimensions (u32), their sizes (u64 each), number
 * format (u32), and the offset of its data (u64), which is returned.
 *
 *   tensor   written, but for data; shape in reverse order, padded with 1
 *
 * Fails when the file ends, for 0 or more than TENSOR_MAX_DIMS dimensions, an unknown format, a
 * size that gguf_shape_bytes refuses, or rows (the file's first size) that are not whole blocks
 * (refuse_dimensions, refuse_format, refuse_rows; fail for the others). */
uint64_t gguf_take_tensor(Reader *reader, GgufTensor *tensor);

#endif
