/* file_kind.c - see gguf.h.  The core knows only GGUF; programs that link
 * extras/file_kind.c get other formats too. */
#include "gguf.h"

const char *file_kind(const void *bytes, size_t size) {
    (void)bytes, (void)size;
    return NULL;
}
