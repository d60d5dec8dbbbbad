/* input.h - what commands read and write: whole files and tables. */
#ifndef STRATA_INPUT_H
#define STRATA_INPUT_H

#include "inference.h"

#include <stdio.h>

/* All of a file that is read once, into fresh memory (free it), with a zero byte behind it.
 *
 *   name   of the file, for the fault
 *
 * NULL when it cannot be read to its end (a directory, a stream that is closed) or memory runs
 * out. */
char *read_all(FILE *file, const char *name, size_t *size, Fault *fault);

char *read_standard_input(size_t *size, Fault *fault);

/* The same of a file, or of standard input when it is called "-". */
char *read_named(const char *path, size_t *size, Fault *fault);

/* The lines of a file or of standard input, without LF or CR LF: into lines (most, which
 * borrows *bytes; free it).
 *
 *   *count   number of lines so far; updated
 *
 * Fails when there are more, and at an empty line, which would be a lost text. */
bool read_lines(const char *path, Text *lines, size_t *count, size_t most, char **bytes,
                Fault *fault);

/* A row of a table as columns on stdout and, unless csv is NULL, as CSV. */
#define TABLE_ROW(csv, columns, cells, ...)        \
    do {                                           \
        printf(columns, __VA_ARGS__);              \
        if (csv) fprintf(csv, cells, __VA_ARGS__); \
    } while (0)

/* Fails unless all that was printed has reached standard output. */
bool output_arrived(Fault *fault);

/* Begin a table.  Fails as file_begin does, and if the file is a model, perhaps the one
 * being read. */
bool table_begin(FileOut *out, const char *path, Fault *fault);

#endif
