/* input.h - what commands read and write: whole files, GGUF files, tables. */
#ifndef STRATA_INPUT_H
#define STRATA_INPUT_H

#include "inference.h"

#include <stdio.h>

/* All of a file that is read once, into fresh memory (free it); NULL when memory runs out. */
char *read_all(FILE *file, size_t *size);

/* Begin a table.  Fails as file_begin does, and when a model lies at the path: it may be the one
 * that is read, by whatever name. */
bool table_begin(FileOut *out, const char *path, Fault *fault);

/* Map a file and parse it.  Fails with the path before the reason; nothing is open then. */
bool open_gguf(const char *path, FileMap *map, Gguf *gguf, Fault *fault);

#endif
