/* file_kind.c - the core knows GGUF alone: see file_kind.h.
 *
 * extras/file_kind.c, which knows other formats too, replaces this file in programs that
 * link it. */
#include "file_kind.h"

const char *file_kind(const void *bytes, size_t size) {
    (void)bytes, (void)size;
    return NULL;
}
