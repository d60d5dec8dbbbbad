/* file_map.h - a file as bytes in memory, read when they are first touched.
 *
 * Invariant: data and size describe the whole file until file_close
 * [files_are_mapped_and_replaced_whole]. */
#ifndef STRATA_FILE_MAP_H
#define STRATA_FILE_MAP_H

#include "fault.h"

typedef struct FileMap {
    const unsigned char *data; /* owns (mapped, read-only) */
    size_t size;               /* bytes */
} FileMap;

/* Map a file.  Fails, naming it, when it is missing, unreadable, empty, a directory or a
 * pipe. */
bool file_open(FileMap *map, const char *path, Fault *fault);
void file_close(FileMap *map);

#endif
