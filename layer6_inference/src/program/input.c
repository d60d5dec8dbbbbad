/* input.c - see input.h. */
#include "input.h"

#include <stdlib.h>

char *read_all(FILE *file, size_t *size) {
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room);
    for (size_t got; bytes && (got = fread(bytes + used, 1, room - used, file)) > 0;) {
        used += got;
        if (used < room) continue;
        char *grown = realloc(bytes, room *= 2);
        if (!grown) free(bytes);
        bytes = grown;
    }
    *size = used;
    return bytes;
}

bool open_gguf(const char *path, FileMap *map, Gguf *gguf, Fault *fault) {
    if (!file_open(map, path, fault)) return false;
    if (gguf_parse(gguf, map->data, map->size, fault)) return true;
    file_close(map);
    return fault_prefix(fault, path);
}
