/* gguf_bytes.h - numbers as they lie in a GGUF file; shared by the files that read it. */
#ifndef STRATA_GGUF_BYTES_H
#define STRATA_GGUF_BYTES_H

#include "gguf.h"
#include "size.h"

/* Bytes of a value of each type; 0: strings and arrays, which say how long they are. */
extern const unsigned char gguf_type_size[GGUF_TYPES];

/* A little-endian number of `size` bytes. */
uint64_t gguf_load(const unsigned char *bytes, int size);

/* Is a name there twice?  Sorts them, and says which: the first in order. */
bool gguf_twice(Text *names, size_t count, Text *twice);

#endif
