/* file_kind.c - see file_kind.h.  The core knows only GGUF; programs that link
 * extras/file_kind.c get other formats too. */
#include "file_kind.h"

const char *file_kind(const void *bytes, size_t size) {
    (void)bytes, (void)size;
    return NULL;
}
