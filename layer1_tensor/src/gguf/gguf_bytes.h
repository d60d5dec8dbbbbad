/* gguf_bytes.h - numbers in a GGUF file; shared by the files that read it. */
#ifndef STRATA_GGUF_BYTES_H
#define STRATA_GGUF_BYTES_H

#include "gguf.h"
#include "size.h"

/* Bytes of a value of each type; 0 for strings and arrays, which state their length. */
extern const unsigned char gguf_type_size[GGUF_TYPES];

/* A little-endian number of `size` bytes. */
uint64_t gguf_load(const unsigned char *bytes, int size);

/* Sort the names; is one of them there twice?  `twice`: the first such name. */
bool gguf_twice(Text *names, size_t count, Text *twice);

#endif
