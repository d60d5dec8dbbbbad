/* file_map.h - a file as bytes in memory, read by the system when they are touched.
 *
 * Invariant: data and size describe the whole file until file_close. */
#ifndef STRATA_FILE_MAP_H
#define STRATA_FILE_MAP_H

#include "fault.h"

typedef struct FileMap {
    const unsigned char *data; /* owns (mapped, read-only) */
    size_t size;               /* bytes */
} FileMap;

/* Map a file.
 *
 * Fails when it does not exist, is a directory or a pipe, is empty or cannot be read; the fault names it. */
bool file_open(FileMap *map, const char *path, Fault *fault);
void file_close(FileMap *map);

#endif
