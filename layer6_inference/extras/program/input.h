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

/* The same of standard input. */
char *read_standard_input(size_t *size, Fault *fault);

/* The same of a file, or of standard input when it is called "-". */
char *read_named(const char *path, size_t *size, Fault *fault);

/* The lines of a file or of standard input, a text each: into lines (most, which borrows *bytes; free it).  Without
 * the end of a line, LF or CR LF.
 *
 *   *count   lines there are already; becomes what there are then
 *
 * Fails when there are more, and at an empty line: a text that nobody wrote, or one that was lost. */
bool read_lines(const char *path, Text *lines, size_t *count, size_t most, char **bytes,
                Fault *fault);

/* Begin a table.  Fails as file_begin does, and when a model lies at the path: it may be the one
 * that is read, by whatever name. */
bool table_begin(FileOut *out, const char *path, Fault *fault);

#endif
