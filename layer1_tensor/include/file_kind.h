/* file_kind.h - identify a file that was given as a model but is not GGUF. */
#ifndef STRATA_FILE_KIND_H
#define STRATA_FILE_KIND_H

#include <stddef.h>

/* What the file is and what to do with it, to follow "this is not a GGUF file but": "a web page
 * (HTML): the download ...".  Looks at the first bytes, so truncated files are recognized too.
 *
 * Returns a constant string; NULL for unknown bytes. */
const char *file_kind(const void *bytes, size_t size);

#endif
