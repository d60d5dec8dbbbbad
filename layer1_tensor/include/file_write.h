/* file_write.h - files that appear whole or not at all.
 *
 *     file_begin --> write PATH.strata-part through a stream --> file_end: sync, rename to PATH
 *
 * Invariant: at any moment, and after any crash, PATH is the old file or the whole new one;
 * only a regular file is ever replaced [what_is_no_file_is_refused, failures/run.py]. */
#ifndef STRATA_FILE_WRITE_H
#define STRATA_FILE_WRITE_H

#include "fault.h"

#include <stdio.h>

typedef struct FileOut {
    FILE *stream;      /* owns; write here */
    char *path, *part; /* owns; part is NULL for a pipe or device */
} FileOut;

/* Can a file be written at this path?  Ask before long work whose result goes there.
 *
 * Fails when the path is a directory, device, pipe or socket, when the file is read-only, and
 * when the folder is missing or read-only.  A link is followed and its target replaced; a
 * dangling one is refused, and so is "-", which elsewhere means standard output (here:
 * /dev/stdout). */
bool file_writable(const char *path, Fault *fault);

/* Begin a file.  Pipes and character devices (/dev/stdout) are written to directly.  Fails as
 * file_writable does. */
bool file_begin(FileOut *out, const char *path, Fault *fault);

/* Close the stream; give the file its name and its predecessor's permissions.  Does nothing
 * when no file is open.
 *
 * Fails when a write did not reach the disk; the part is removed then. */
bool file_end(FileOut *out, Fault *fault);

/* Close the stream and remove the part, if any. */
void file_drop(FileOut *out);

/* Remove the parts of all open files (at most eight), as exit() does.  Async-signal-safe. */
void file_drop_all(void);

/* Write a whole file from memory.  Fails as file_writable and file_end do. */
bool file_write(const char *path, const void *data, size_t size, Fault *fault);

#endif
