/* file_kind.h - identify a file that was given as a model but is not GGUF. */
#ifndef STRATA_FILE_KIND_H
#define STRATA_FILE_KIND_H

#include <stddef.h>

/* A name and what to do with it, to stand after "this is not a GGUF file but": "a web page
 * (HTML): the download ...". The first bytes decide, so a file that was cut off is recognized,
 * too.
 *
 * Returns a constant text, or NULL when the bytes are nothing that is known here. */
const char *file_kind(const void *bytes, size_t size);

#endif
