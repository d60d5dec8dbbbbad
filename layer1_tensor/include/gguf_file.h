/* gguf_file.h - open a GGUF file by its path, with all parts if it is split.
 *
 *     model-00001-of-00003.gguf    all keys, and some tensors     split.no 0, split.count 3
 *     model-00002-of-00003.gguf    more tensors                   split.no 1, split.count 3
 *     model-00003-of-00003.gguf    the rest                       split.no 2, split.count 3
 *
 * The path names the first part; the others are in the same folder.  The result is one Gguf, as
 * if it had never been split: the keys that begin with "split." are removed.
 *
 * Invariant: the Gguf points into the mapped files, until gguf_close [puts_parts_together]. */
#ifndef STRATA_GGUF_FILE_H
#define STRATA_GGUF_FILE_H

#include "file_map.h"
#include "gguf.h"

typedef struct GgufFile {
    FileMap *parts; /* (n_parts) owns */
    size_t n_parts;
    size_t bytes; /* of all */
} GgufFile;

/* Map and parse a file and its other parts.
 *
 * Fails, naming the path, when a part is missing, damaged or not the one its name says, when
 * two parts have a tensor of the same name, and when the path is not the first part. */
bool gguf_open(GgufFile *file, Gguf *gguf, const char *path, Fault *fault);
void gguf_close(GgufFile *file, Gguf *gguf);

#endif
