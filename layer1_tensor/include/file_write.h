/* file_write.h - files that appear whole or not at all.
 *
 *     file_begin --> PATH.strata-part, written to through a stream --> file_end: to the disk, then renamed to PATH
 *
 * Invariant: whoever opens PATH, at any moment and after any crash, finds the old file or the new
 * one, never a part; and nothing but a regular file is ever replaced. */
#ifndef STRATA_FILE_WRITE_H
#define STRATA_FILE_WRITE_H

#include "fault.h"

#include <stdio.h>

typedef struct FileOut {
    FILE *stream;      /* owns; what is written goes here */
    char *path, *part; /* own; no part when the stream is a pipe or a device */
} FileOut;

/* Can a file be written at this path?  To be asked before long work, whose result goes there.
 *
 * Fails when the path names a directory, a device, a pipe or a socket, when the file is read-only,
 * and when the folder is not there or cannot be written to.  A link is followed: it stays, and
 * what it names is replaced; one that leads nowhere is refused, and so is "-", by which others mean
 * standard output (here: /dev/stdout). */
bool file_writable(const char *path, Fault *fault);

/* Do two paths name one file, through links too?  Neither needs to be there. */
bool file_same(const char *a, const char *b);

/* Begin a file.  A pipe or a character device (/dev/stdout) is written to as it stands.
 *
 * Fails as file_writable does. */
bool file_begin(FileOut *out, const char *path, Fault *fault);

/* Close the stream and give the file its name and its predecessor's permissions.
 *
 * Fails when anything that was written did not reach the disk; then no part is left behind.
 * Nothing happens when no file is open. */
bool file_end(FileOut *out, Fault *fault);

/* Close the stream and remove the part, if one is open. */
void file_drop(FileOut *out);

/* Remove the unfinished parts of all open files (at most eight).  Safe to call from a signal
 * handler. */
void file_drop_all(void);

/* A whole file from memory.  Fails as file_writable and file_end do. */
bool file_write(const char *path, const void *data, size_t size, Fault *fault);

#endif
