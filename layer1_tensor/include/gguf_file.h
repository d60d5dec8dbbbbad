/* gguf_file.h - a GGUF file by its path, or all the files of one that is split.
 *
 *     model-00001-of-00003.gguf    all keys, and some tensors     split.no 0, split.count 3
 *     model-00002-of-00003.gguf    more tensors                   split.no 1, split.count 3
 *     model-00003-of-00003.gguf    the rest                       split.no 2, split.count 3
 *
 * The first one is named, the others lie beside it.  What comes out is one Gguf, as if they had never been
 * split: the keys that begin with "split." are gone.
 *
 * Invariant: what the Gguf points at lies in the mapped files until gguf_close. */
#ifndef STRATA_GGUF_FILE_H
#define STRATA_GGUF_FILE_H

#include "file_map.h"
#include "gguf.h"

typedef struct GgufFile {
    FileMap *parts; /* (n_parts) owns */
    size_t n_parts;
    size_t bytes; /* of all */
} GgufFile;

/* Map a file, and those that belong to it, and parse them.
 *
 * Fails, with the path before the reason, when one of them is missing, damaged or another part than its name says,
 * when two have a tensor of the same name, and when a part is named that is not the first. */
bool gguf_open(GgufFile *file, Gguf *gguf, const char *path, Fault *fault);
void gguf_close(GgufFile *file, Gguf *gguf);

#endif
